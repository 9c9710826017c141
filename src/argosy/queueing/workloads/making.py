"""Make an `Info` of a Workload: requests, priority, place in the queue, by the configuration of this cluster.

The requests of a pod are those Kubernetes counts (init containers, sidecars, overhead), less what the configuration
excludes, transformed as it says. What a namespace's LimitRange and a pod's limits add is put into the pod sets before
(`adjusting`), never into the stored object.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from argosy.api import podresources
from argosy.api.objects.kueue.workloads import EVICTED, PodSet, Workload
from argosy.base.quantities import Quantity
from argosy.queueing.quotas.amounts import UNLIMITED, Requests, rounded
from argosy.queueing.workloads.hashing import scheduling_hash
from argosy.queueing.workloads.infos import (
    Info,
    PodSetResources,
    admitted_requests,
    counts_after_reclaim,
)
from argosy.queueing.workloads.priorities import effective_priority
from argosy.queueing.workloads.transforming import Transformation, transformed

CREATION: Final = "Creation"
EVICTION: Final = "Eviction"


@dataclass(slots=True, frozen=True)
class Infos:
    """Makes infos. `requeuing_timestamp`: whether an eviction for pods that did not get ready moves a workload back.
    `boosts`: whether priority boosts count.
    """

    excluded_prefixes: tuple[str, ...] = ()
    transformations: Mapping[str, Transformation] = field(default_factory=dict)
    requeuing_timestamp: str = EVICTION
    boosts: bool = False

    def make(self, workload: Workload, cluster_queue: str = "") -> Info:
        admission = workload.status.admission
        if admission is not None:
            requests = admitted_requests(workload)
            cluster_queue = admission.cluster_queue or cluster_queue
        else:
            requests = self.pending_requests(workload)
        priority = effective_priority(workload, boosts=self.boosts)
        return Info(
            workload,
            requests,
            cluster_queue=cluster_queue,
            priority=priority,
            order_time=self.order_time(workload),
            scheduling_hash=(
                scheduling_hash(workload, requests, priority) if admission is None else ""
            ),
        )

    def pending_requests(self, workload: Workload) -> tuple[PodSetResources, ...]:
        """What the pod sets of a workload without admission ask for."""
        counts = counts_after_reclaim(workload)
        return tuple(
            PodSetResources(
                pod_set.name,
                counts[pod_set.name],
                _times(self.pod_requests(pod_set), counts[pod_set.name]),
                topology_request=pod_set.topology_request,
            )
            for pod_set in workload.spec.pod_sets
        )

    def pod_requests(self, pod_set: PodSet) -> Requests:
        """What one pod of a pod set asks for, in the resources quotas are given for."""
        wanted = podresources.requests(pod_set.template.get("spec") or {})
        kept: dict[str, Quantity] = {
            resource: quantity
            for resource, quantity in wanted.items()
            if not resource.startswith(self.excluded_prefixes)
        }
        if self.transformations:
            kept = transformed(kept, self.transformations)
        return {
            resource: max(0, rounded(resource, quantity)) for resource, quantity in kept.items()
        }

    def order_time(self, workload: Workload) -> float:
        """When the workload got in line: at its creation, or when it was evicted for a reason that sends it back."""
        evicted = workload.condition(EVICTED)
        if evicted is not None and evicted.status == "True" and evicted.last_transition_time:
            is_timeout = evicted.reason == "PodsReadyTimeout"
            goes_back = is_timeout and self.requeuing_timestamp == EVICTION
            if goes_back or evicted.reason == "AdmissionCheck":
                return evicted.last_transition_time.timestamp()
        created = workload.metadata.creation_timestamp
        return created.timestamp() if created else 0.0


def _times(requests: Requests, count: int) -> Requests:
    return {resource: min(UNLIMITED, value * count) for resource, value in requests.items()}
