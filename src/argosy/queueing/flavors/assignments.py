"""What flavor assignment answers: for every pod set and resource a flavor, how it would fit, and the reasons.

Mirrors `flavorassigner.Assignment`. Modes are ordered from worst to best.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Protocol

from argosy.base.types import Object
from argosy.queueing.cache.clusterqueues import CachedQueue
from argosy.queueing.quotas.amounts import FlavorResource, Requests, Usage
from argosy.queueing.workloads.infos import Info, LastAssignment


class Mode(IntEnum):
    """How an assignment can be had."""

    NO_FIT = 0
    PREEMPT = 1
    DEFERRED_FIT = 2
    FIT = 3


class PreemptionMode(IntEnum):
    """The finer order that flavors are compared by."""

    NO_FIT = 0
    NO_CANDIDATES = 1
    PREEMPT = 2
    RECLAIM = 3
    FIT = 4


class Possibility(IntEnum):
    """What the oracle finds for one flavor and resource: nobody to preempt, somebody of the own ClusterQueue, or
    only workloads of others that borrow.
    """

    NO_CANDIDATES = 0
    PREEMPT = 1
    RECLAIM = 2


class Oracle(Protocol):
    """Says, while flavors are compared, what preemption could do for one flavor and resource."""

    def simulate(
        self, queue: CachedQueue, info: Info, flavor_resource: FlavorResource, value: int
    ) -> tuple[Possibility, int]:
        """The possibility, and the borrowing height once the targets are gone."""


@dataclass(slots=True, frozen=True)
class FlavorAssignment:
    """A resource's flavor. `tried` is the index of the last flavor tried in its group, -1 when all were; `borrow` how
    high in the cohort tree it borrows.
    """

    name: str
    mode: Mode
    tried: int = -1
    borrow: int = 0


@dataclass(slots=True)
class PodSetAssignment:
    """The flavors of a pod set by resource, what its `count` pods request, and why not better.

    `reasons` are all that was said of any flavor, unsorted; `error` is a failure to decide at all.
    """

    name: str
    count: int
    requests: Requests
    flavors: dict[str, FlavorAssignment] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)
    error: str = ""
    # NoFit reason of the condition: NoMatchingFlavor, WaitingForQuota, ExceedsMaxQuota, TopologyPlacementFailed.
    no_fit_reason: str = ""
    # What "Flavors considered" of events says, by flavor.
    considered: dict[str, str] = field(default_factory=dict)
    topology_assignment: Object | None = None
    delayed_topology_request: str | None = None

    @property
    def mode(self) -> Mode:
        """The worst of its resources."""
        if self.error or (self.reasons and not self.flavors):
            return Mode.NO_FIT
        return min((flavor.mode for flavor in self.flavors.values()), default=Mode.FIT)


@dataclass(slots=True)
class Assignment:
    """The whole workload. `usage` is what it would use by flavor and resource."""

    pod_sets: list[PodSetAssignment]
    borrowing: int = 0
    usage: Usage = field(default_factory=dict)
    last: LastAssignment | None = None

    @property
    def mode(self) -> Mode:
        return min((pod_set.mode for pod_set in self.pod_sets), default=Mode.NO_FIT)
