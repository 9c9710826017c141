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
from argosy.api.objects.kueue.workloads import EVICTED, PREEMPTED, PodSet, Workload
from argosy.base.quantities import Quantity
from argosy.queueing.quotas.amounts import UNLIMITED, Requests, rounded
from argosy.queueing.workloads.hashing import scheduling_hash
from argosy.queueing.workloads.infos import (
    Info,
    PodSetResources,
    admitted_requests,
    counts_after_reclaim,
    full_counts,
)
from argosy.queueing.workloads.priorities import effective_priority
from argosy.queueing.workloads.transforming import Transformation, transformed

ALLOWED_FLAVORS: Final = "kueue.x-k8s.io/workload-allowed-resource-flavors"
CREATION: Final = "Creation"
EVICTION: Final = "Eviction"
# Who was preempted stands behind who came at the same time.
_MOMENT: Final = 0.001


@dataclass(slots=True, frozen=True)
class Infos:
    """Makes infos. `requeuing_timestamp`: whether an eviction for pods that did not get ready moves a workload back.
    `boosts`: whether priority boosts count. `reclaims`: whether pods that a workload no longer needs give their quota
    back before it ends. `by_priority`: whether cohorts go by priority; where they do not, who was preempted while
    borrowing goes back in line. `variants`: whether a workload may be held to certain flavors. `compares`: whether
    workloads are compared, so that what was found for one need not be found again for those like it.
    """

    excluded_prefixes: tuple[str, ...] = ()
    transformations: Mapping[str, Transformation] = field(default_factory=dict)
    requeuing_timestamp: str = EVICTION
    boosts: bool = False
    reclaims: bool = True
    by_priority: bool = True
    variants: bool = False
    compares: bool = True

    def make(self, workload: Workload, cluster_queue: str = "") -> Info:
        admission = workload.status.admission
        if admission is not None:
            requests = admitted_requests(workload, self._counts(workload))
            cluster_queue = admission.cluster_queue or cluster_queue
        else:
            requests = self.pending_requests(workload)
        priority = effective_priority(workload, boosts=self.boosts)
        allowed = _allowed_flavors(workload) if self.variants else None
        is_compared = self.compares and admission is None
        return Info(
            workload,
            requests,
            cluster_queue=cluster_queue,
            priority=priority,
            order_time=self.order_time(workload),
            scheduling_hash=(
                scheduling_hash(workload, requests, priority, allowed) if is_compared else ""
            ),
            allowed_flavors=allowed,
        )

    def pending_requests(self, workload: Workload) -> tuple[PodSetResources, ...]:
        """What the pod sets of a workload without admission ask for."""
        counts = self._counts(workload)
        return tuple(
            PodSetResources(
                pod_set.name,
                counts[pod_set.name],
                _times(self.pod_requests(pod_set), counts[pod_set.name]),
                topology_request=pod_set.topology_request,
            )
            for pod_set in workload.spec.pod_sets
        )

    def _counts(self, workload: Workload) -> dict[str, int]:
        return counts_after_reclaim(workload) if self.reclaims else full_counts(workload)

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
        """When the workload got in line: at its creation, or when it was sent back there."""
        evicted = _since(workload, EVICTED)
        if evicted is not None:
            why, when = evicted
            is_timeout = why == "PodsReadyTimeout" and self.requeuing_timestamp == EVICTION
            if is_timeout or why == "AdmissionCheck":
                return when
        preempted = None if self.by_priority else _since(workload, PREEMPTED)
        if preempted is not None and preempted[0] == "InCohortReclaimWhileBorrowing":
            return preempted[1] + _MOMENT
        created = workload.metadata.creation_timestamp
        return created.timestamp() if created else 0.0


def _since(workload: Workload, type_: str) -> tuple[str, float] | None:
    """Why and since when a condition holds; none if it does not."""
    found = workload.condition(type_)
    if found is None or found.status != "True" or not found.last_transition_time:
        return None
    return found.reason, found.last_transition_time.timestamp()


def _allowed_flavors(workload: Workload) -> frozenset[str] | None:
    """The flavors that the annotation names; an empty one allows none."""
    text = workload.metadata.annotations.get(ALLOWED_FLAVORS)
    return None if text is None else frozenset(one.strip() for one in text.split(","))


def _times(requests: Requests, count: int) -> Requests:
    return {resource: min(UNLIMITED, value * count) for resource, value in requests.items()}
