"""What flavor assignment answers: for every pod set and resource a flavor, how it would fit, and the reasons.

Mirrors `flavorassigner.Assignment`. Modes are ordered from worst to best. A pod set about which nothing was said
fits, whatever its resources say one by one: with `PreemptionOverBorrowing` a flavor may count as fitting (and
borrowing) while one of its resources would have to preempt. An assignment lists its pod sets in the order they were
looked at, which is the workload's unless groups of pod sets interleave; when one could not be assigned, those after
it are missing.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Final, NamedTuple, Protocol

from argosy.base.types import Object
from argosy.queueing.cache.clusterqueues import CachedQueue
from argosy.queueing.quotas.amounts import FlavorResource, Requests, Usage
from argosy.queueing.workloads.infos import Info, LastAssignment

# Why nothing fits, as the condition QuotaReserved gives it.
NO_MATCHING_FLAVOR: Final = "NoMatchingFlavor"
EXCEEDS_MAX_QUOTA: Final = "ExceedsMaxQuota"
WAITING_FOR_QUOTA: Final = "WaitingForQuota"
TOPOLOGY_PLACEMENT_FAILED: Final = "TopologyPlacementFailed"


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


class Attempt(NamedTuple):
    """A flavor that was looked at, and the worst that was found for any resource. `no_fit_reason` is empty unless it
    does not fit at all.
    """

    flavor: str
    mode: Mode
    borrow: int = 0
    possibility: Possibility | None = None
    reasons: tuple[str, ...] = ()
    no_fit_reason: str = ""


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

    `reasons` are all that was said of any flavor, unsorted; `error` is a failure to decide at all; `attempts` are the
    flavors looked at, by name. Pod sets of a group share them.
    """

    name: str
    count: int
    requests: Requests
    flavors: dict[str, FlavorAssignment] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)
    error: str = ""
    # Set where no flavor was even looked at.
    no_fit_reason: str = ""
    attempts: list[Attempt] = field(default_factory=list)
    topology_assignment: Object | None = None
    delayed_topology_request: str | None = None

    @property
    def mode(self) -> Mode:
        """The worst of its resources."""
        if self.error:
            return Mode.NO_FIT
        if not self.reasons:
            return Mode.FIT
        return min((flavor.mode for flavor in self.flavors.values()), default=Mode.NO_FIT)

    @property
    def resource_usage(self) -> Requests:
        """What an admission says it uses: only resources that have a flavor."""
        return {resource: self.requests.get(resource, 0) for resource in self.flavors}

    def set_mode(self, mode: Mode) -> None:
        self.flavors = {
            resource: replace(flavor, mode=mode) for resource, flavor in self.flavors.items()
        }


@dataclass(slots=True)
class Assignment:
    """The whole workload. `usage` is what it would use by flavor and resource, on top of the slice it replaces."""

    pod_sets: list[PodSetAssignment]
    borrowing: int = 0
    usage: Usage = field(default_factory=dict)
    last: LastAssignment | None = None
    no_fit_reason: str = ""
    replaced: Info | None = None
    # What was decided over the heads of the pod sets: by topology, or because victims of others have to go first.
    decided: Mode | None = None

    @property
    def mode(self) -> Mode:
        if self.decided is not None:
            return self.decided
        worst = Mode.FIT if self.pod_sets else Mode.NO_FIT
        for pod_set in self.pod_sets:
            worst = min(worst, pod_set.mode)
        return worst

    def set_mode(self, mode: Mode) -> None:
        """Say how the whole assignment can be had, all its resources alike."""
        self.decided = mode
        for pod_set in self.pod_sets:
            pod_set.set_mode(mode)

    def pod_set(self, name: str) -> PodSetAssignment:
        return next(pod_set for pod_set in self.pod_sets if pod_set.name == name)
