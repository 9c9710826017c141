"""An `Info`: a Workload with its requests worked out, as queues, cache and scheduler hold it.

The object is immutable and shared; what is derived from it is worked out once. While a workload waits, its requests are
those of its pod templates, times the pods that are still to run. Once it has a reservation they are what the admission
says it uses, scaled down as pods become reclaimable. Mirrors `workload.Info`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from argosy.api.objects.kueue.workloads import (
    EVICTED,
    QUOTA_RESERVED,
    PodSet,
    TopologyRequest,
    Workload,
)
from argosy.base.types import Object
from argosy.queueing.quotas.amounts import FlavorResource, Requests, Usage, amounts


@dataclass(slots=True, frozen=True)
class PodSetResources:
    """The requests of a pod set's `count` pods together, and the flavors they were given, by resource."""

    name: str
    count: int
    requests: Requests
    flavors: Mapping[str, str] = field(default_factory=dict)
    topology_request: TopologyRequest | None = None
    delayed_topology_request: str | None = None
    topology_assignment: Object | None = None

    def scaled_to(self, count: int) -> PodSetResources:
        """The same for another number of pods."""
        if count == self.count:
            return self
        each = self.count or 1
        return PodSetResources(
            self.name,
            count,
            {resource: value // each * count for resource, value in self.requests.items()},
            self.flavors,
            self.topology_request,
            self.delayed_topology_request,
            self.topology_assignment,
        )


@dataclass(slots=True)
class LastAssignment:
    """How far the flavors of each resource group were tried: per pod set, the index of the last one tried; -1 when all
    were. `generation` is the ClusterQueue's at that time, `cycle` the scheduling cycle's, `scheduling_hash` the
    workload's.
    """

    tried: tuple[Mapping[str, int], ...]
    generation: int
    cycle: int = 0
    scheduling_hash: str = ""

    @property
    def has_pending_flavors(self) -> bool:
        return any(index != -1 for resources in self.tried for index in resources.values())

    def next_flavor(self, pod_set: int, resource: str) -> int:
        """Where to go on trying."""
        if pod_set >= len(self.tried):
            return 0
        return self.tried[pod_set].get(resource, -1) + 1


class Info:
    """A workload in a ClusterQueue. `cluster_queue` is where it waits or, with a reservation, where it was admitted."""

    __slots__ = (
        "_standing",
        "allowed_flavors",
        "cluster_queue",
        "key",
        "last_assignment",
        "obj",
        "order_time",
        "priority",
        "scheduling_hash",
        "total_requests",
        "uid",
        "usage",
    )  # fmt: skip

    def __init__(
        self,
        obj: Workload,
        total_requests: tuple[PodSetResources, ...],
        *,
        cluster_queue: str = "",
        priority: int = 0,
        order_time: float = 0.0,
        scheduling_hash: str = "",
        last_assignment: LastAssignment | None = None,
        allowed_flavors: frozenset[str] | None = None,
    ) -> None:
        self.obj: Final = obj
        self.key: Final = f"{obj.metadata.namespace}/{obj.metadata.name}"
        self.uid: Final = obj.metadata.uid
        self.total_requests = total_requests
        self.cluster_queue = cluster_queue
        # Higher first; what the spec says, and a boost where boosts count.
        self.priority = priority
        # Earlier first among equals: seconds since the epoch.
        self.order_time = order_time
        self.scheduling_hash = scheduling_hash
        self.last_assignment = last_assignment
        # The only flavors the workload may get; none: any.
        self.allowed_flavors: Final = allowed_flavors
        self.usage: Usage = usage_of(total_requests)
        self._standing: tuple[bool, float | None] | None = None

    @property
    def standing(self) -> tuple[bool, float | None]:
        """Whether it is evicted, and since when it has its quota, if that is on record. Victims are chosen by it."""
        if self._standing is None:
            self._standing = _standing(self.obj)
        return self._standing

    @property
    def local_queue(self) -> str:
        """Namespace and name of the LocalQueue."""
        return f"{self.obj.metadata.namespace}/{self.obj.spec.queue_name}"

    def __repr__(self) -> str:
        return f"Info({self.key} in {self.cluster_queue or 'no queue'})"


def _standing(workload: Workload) -> tuple[bool, float | None]:
    is_evicted, since = False, None
    for condition in workload.status.conditions:
        if condition.status != "True":
            continue
        if condition.type == EVICTED:
            is_evicted = True
        elif condition.type == QUOTA_RESERVED and condition.last_transition_time is not None:
            since = condition.last_transition_time.timestamp()
    return is_evicted, since


def usage_of(total_requests: tuple[PodSetResources, ...]) -> Usage:
    """What is used of which flavor; nothing of resources that have none."""
    usage: Usage = {}
    for pod_set in total_requests:
        for resource, value in pod_set.requests.items():
            flavor = pod_set.flavors.get(resource)
            if flavor is not None:
                key = FlavorResource(flavor, resource)
                usage[key] = usage.get(key, 0) + value
    return usage


def full_counts(workload: Workload) -> dict[str, int]:
    """Pods of each pod set, whether they are still to run or not."""
    return {pod_set.name: pod_set.count for pod_set in workload.spec.pod_sets}


def counts_after_reclaim(workload: Workload) -> dict[str, int]:
    """Pods of each pod set that are still to run."""
    reclaimable = {pod.name: pod.count for pod in workload.status.reclaimable_pods}
    return {
        pod_set.name: max(0, pod_set.count - reclaimable.get(pod_set.name, 0))
        for pod_set in workload.spec.pod_sets
    }


def admitted_requests(workload: Workload, counts: Mapping[str, int]) -> tuple[PodSetResources, ...]:
    """The requests of a workload with an admission: what it says it uses, of at most so many pods of each pod set."""
    admission = workload.status.admission
    if admission is None:
        return ()
    pod_sets: Mapping[str, PodSet] = {one.name: one for one in workload.spec.pod_sets}
    found = []
    for assignment in admission.pod_set_assignments:
        pod_set = pod_sets.get(assignment.name)
        count = assignment.count
        if count is None:
            count = pod_set.count if pod_set else 0
        resources = PodSetResources(
            assignment.name,
            count,
            amounts(assignment.resource_usage),
            assignment.flavors,
            pod_set.topology_request if pod_set else None,
            assignment.delayed_topology_request,
            assignment.topology_assignment,
        )
        found.append(resources.scaled_to(min(count, counts.get(assignment.name, 0))))
    return tuple(found)
