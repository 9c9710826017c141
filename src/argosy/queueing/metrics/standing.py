"""How many workloads stand where: finished, and not yet admitted for which reason, by LocalQueue.

Counted in one walk over all workloads when somebody reads. The reason is that of the condition Admitted, and while
there is no quota its cause is that of QuotaReserved; a workload that says nothing yet waits to be looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from argosy.api.objects.kueue.workloads import ADMITTED, QUOTA_RESERVED, Workload
from argosy.base.metrics import Registry
from argosy.queueing.metrics.families import ROLE, gauge
from argosy.queueing.metrics.twins import LOCAL, Shows
from argosy.queueing.workloads.reasons import NO_RESERVATION, PENDING_EVALUATION


class StandingGauges:
    """`cluster_queue_of` gives the ClusterQueue of a LocalQueue by namespace and name; empty if there is none."""

    def __init__(
        self,
        registry: Registry,
        workloads: Iterable[Workload],
        cluster_queue_of: Callable[[str, str], str],
        shows: Shows,
    ) -> None:
        self._workloads = workloads
        self._cluster_queue_of = cluster_queue_of
        self._shows = shows
        why = ("reason", "underlying_cause")
        text = "Workloads that have finished and are still there."
        self._finished = gauge(registry, "finished_workloads", text, ("cluster_queue",))
        self._locally_finished = gauge(registry, "local_queue_finished_workloads", text, LOCAL)
        text = "Workloads that are not admitted, by why not."
        self._unadmitted = gauge(registry, "unadmitted_workloads", text, ("cluster_queue", *why))
        self._locally_unadmitted = gauge(
            registry, "local_queue_unadmitted_workloads", text, (*LOCAL, "cluster_queue", *why)
        )
        registry.refresh(self._refresh)

    def _refresh(self) -> None:
        finished: Counter[tuple[str, str]] = Counter()
        unadmitted: Counter[tuple[str, str, str, str]] = Counter()
        for workload in self._workloads:
            namespace, name = workload.metadata.namespace, workload.spec.queue_name
            if workload.is_finished:
                finished[namespace, name] += 1
            elif not workload.is_admitted:
                unadmitted[namespace, name, *why_unadmitted(workload)] += 1
        self._tell_finished(finished)
        self._tell_unadmitted(unadmitted)

    def _tell_finished(self, counts: Counter[tuple[str, str]]) -> None:
        total: Counter[tuple[str, ...]] = Counter()
        local: Counter[tuple[str, ...]] = Counter()
        for (namespace, name), count in counts.items():
            total[self._cluster_queue_of(namespace, name), ROLE] += count
            if self._shows(namespace, name):
                local[name, namespace, ROLE] += count
        self._finished.replace(total)
        self._locally_finished.replace(local)

    def _tell_unadmitted(self, counts: Counter[tuple[str, str, str, str]]) -> None:
        total: Counter[tuple[str, ...]] = Counter()
        local: Counter[tuple[str, ...]] = Counter()
        for (namespace, name, *why), count in counts.items():
            queue = self._cluster_queue_of(namespace, name)
            total[queue, *why, ROLE] += count
            if self._shows(namespace, name):
                local[name, namespace, queue, *why, ROLE] += count
        self._unadmitted.replace(total)
        self._locally_unadmitted.replace(local)


def why_unadmitted(workload: Workload) -> tuple[str, str]:
    """The reason a workload is not admitted, and the cause of that while it has no quota."""
    admitted = workload.condition(ADMITTED)
    if workload.has_quota_reservation:
        return admitted.reason if admitted is not None else "", ""
    reserved = workload.condition(QUOTA_RESERVED)
    cause = reserved.reason if reserved is not None else PENDING_EVALUATION
    return NO_RESERVATION, cause
