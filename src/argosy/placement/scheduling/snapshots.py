"""What a scheduling cycle looks at, and what it decides.

Everything is sorted when a snapshot is made, clusters and bindings by name: the outcome depends on what is there and
never on the order in which somebody listed it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

from argosy.api.objects.fleet.bindings import BOUND, UNSCHEDULED, Binding
from argosy.api.objects.fleet.bindings import SCHEDULED as SCHEDULED_STATE
from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.policies import EVERYWHERE, PlacementPolicy
from argosy.api.objects.fleet.snapshots import ClusterDecision, PolicySnapshot, PolicySnapshotStatus
from argosy.api.objects.metadata import Quantities
from argosy.client.objects import Key


class CycleError(Exception):
    """The cycle cannot be finished, and trying again would not help: something has to change first."""


@dataclass(slots=True, frozen=True)
class Snapshot:
    """`reserved` is what was promised of clusters' available resources to placements on their way, `lost` the clusters
    that are lost to this one, with how long they have been silent, `needs` what its objects ask of a cluster.
    """

    placement: Key
    policy_snapshot: PolicySnapshot
    clusters: tuple[MemberCluster, ...]
    bindings: tuple[Binding, ...]
    now: datetime
    reserved: Mapping[str, Quantities] = field(default_factory=dict)
    lost: Mapping[str, timedelta] = field(default_factory=dict)
    needs: Quantities = field(default_factory=dict)

    @property
    def policy(self) -> PlacementPolicy:
        return self.policy_snapshot.spec.policy or EVERYWHERE


def take(
    placement: Key,
    policy_snapshot: PolicySnapshot,
    clusters: Iterable[MemberCluster],
    bindings: Iterable[Binding],
    now: datetime,
    reserved: Mapping[str, Quantities] | None = None,
    lost: Mapping[str, timedelta] | None = None,
    needs: Quantities | None = None,
) -> Snapshot:
    return Snapshot(
        placement,
        policy_snapshot,
        tuple(sorted(clusters, key=lambda each: each.metadata.name)),
        tuple(sorted(bindings, key=lambda each: each.metadata.name)),
        now,
        reserved or {},
        lost or {},
        needs or {},
    )


class Classified(NamedTuple):
    """A placement's bindings by how they stand to the latest policy snapshot, each list in order of names."""

    bound: list[Binding]
    scheduled: list[Binding]
    # Picked under an older policy.
    obsolete: list[Binding]
    # Given up, but not gone: they may be taken up again.
    unscheduled: list[Binding]
    # Their cluster has left or is leaving.
    dangling: list[Binding]
    deleting: list[Binding]


def classify(snapshot: Snapshot) -> Classified:
    present = {
        each.metadata.name for each in snapshot.clusters if each.metadata.deletion_timestamp is None
    }
    found = Classified([], [], [], [], [], [])
    for binding in snapshot.bindings:
        spec = binding.spec
        if binding.metadata.deletion_timestamp is not None:
            found.deleting.append(binding)
        elif spec.state == UNSCHEDULED:
            found.unscheduled.append(binding)
        elif spec.target_cluster not in present:
            found.dangling.append(binding)
        elif spec.scheduling_policy_snapshot_name != snapshot.policy_snapshot.metadata.name:
            found.obsolete.append(binding)
        elif spec.state == SCHEDULED_STATE:
            found.scheduled.append(binding)
        elif spec.state == BOUND:
            found.bound.append(binding)
    return found


class Renewal(NamedTuple):
    """A binding that is taken up again, in the state it had, under the latest policy."""

    binding: Binding
    state: str
    decision: ClusterDecision


class Outcome(NamedTuple):
    """What one of the ways to pick makes of a snapshot. `status` is None where it says nothing."""

    created: tuple[ClusterDecision, ...] = ()
    renewed: tuple[Renewal, ...] = ()
    unscheduled: tuple[Binding, ...] = ()
    status: PolicySnapshotStatus | None = None


@dataclass(slots=True, frozen=True)
class Decision:
    """What is to be written, in this order. `failure` tells why a cycle ended early; what comes before it counts."""

    # Bindings that are being deleted and need the scheduler's word.
    released: tuple[Binding, ...] = ()
    dangling: tuple[Binding, ...] = ()
    created: tuple[ClusterDecision, ...] = ()
    renewed: tuple[Renewal, ...] = ()
    unscheduled: tuple[Binding, ...] = ()
    # None where nothing has changed.
    status: PolicySnapshotStatus | None = None
    failure: str = ""

    @property
    def is_empty(self) -> bool:
        return self == Decision()
