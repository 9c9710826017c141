"""Which placements a change of a cluster can matter to, kept by deltas.

A placement that picks all is always interested: the cluster may fit now. One that picks some is interested until it
has them, and never again: what was scheduled stays, whatever becomes of its cluster. So a fleet's heartbeats cost
nothing with thousands of placements that have what they want.

Whether it has them is told by its own status, or, a moment earlier, by its policy snapshot.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from argosy.api.objects.conditions import is_current
from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.placements import Placement
from argosy.api.objects.fleet.policies import PICK_ALL
from argosy.api.objects.fleet.snapshots import SCHEDULED, PolicySnapshot
from argosy.api.objects.metadata import find_condition
from argosy.client.objects import Key
from argosy.placement.scheduling.eligibility import ineligibility
from argosy.placement.scopes import scope_of


class Interests:
    """The placements that want to know."""

    def __init__(self) -> None:
        self._keys: set[Key] = set()

    def __contains__(self, key: Key) -> bool:
        return key in self._keys

    def put(self, key: Key, placement: Placement | None, policy: PolicySnapshot | None) -> None:
        """Note what became of a placement and of its latest policy snapshot."""
        if placement is None or is_settled(placement, policy):
            self._keys.discard(key)
        else:
            self._keys.add(key)

    def __iter__(self) -> Iterator[Key]:
        return iter(sorted(self._keys))


def is_settled(placement: Placement, policy: PolicySnapshot | None) -> bool:
    """Whether it has what it wants and looks for no more."""
    if placement.spec.wanted.type == PICK_ALL:
        return False
    generation = placement.metadata.generation
    type_ = scope_of(placement.metadata.namespace).condition(SCHEDULED)
    if is_current(find_condition(placement.status.conditions, type_), generation, "True"):
        return True
    if policy is None or policy.status.observed_crp_generation != generation:
        return False
    said = find_condition(policy.status.conditions, SCHEDULED)
    return is_current(said, policy.metadata.generation, "True")


def is_worth_a_look(old: MemberCluster, new: MemberCluster, now: datetime) -> bool:
    """Whether the change may let something be placed on the cluster that could not be before.

    A new taint, ill health or silence may not: nobody is driven out. A cluster that is leaving is news when it has
    left.
    """
    if new.metadata.deletion_timestamp is not None:
        return False
    before, after = old.status, new.status
    return (
        old.metadata.labels != new.metadata.labels
        or any(taint not in new.spec.taints for taint in old.spec.taints)
        or _properties(old) != _properties(new)
        or before.namespaces != after.namespaces
        or _amounts(old) != _amounts(new)
        or bool(ineligibility(old, now) and not ineligibility(new, now))
    )


def _properties(cluster: MemberCluster) -> dict[str, str]:
    """Without the times of their observation."""
    return {name: found.value for name, found in cluster.status.properties.items()}


def _amounts(cluster: MemberCluster) -> tuple[dict[str, str], ...]:
    usage = cluster.status.resource_usage
    return usage.capacity, usage.allocatable, usage.available
