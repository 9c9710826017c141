"""The lives of workloads in numbers: quota reserved, admitted, ready, evicted, preempted, finished; the waits between.

Whoever writes a status counts what it wrote, once it is written; what others write is counted when it is seen. An
admission counts for every cohort above its ClusterQueue as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Final

from argosy.api.objects.kueue.workloads import (
    ADMITTED,
    EVICTED,
    PODS_READY,
    PREEMPTED,
    QUOTA_RESERVED,
    Workload,
)
from argosy.base.metrics import Registry
from argosy.queueing.metrics.families import ROLE, counter, histogram, priority_class
from argosy.queueing.metrics.twins import LOCAL, Count, Shows, Wait, local_queue
from argosy.queueing.workloads.drafts import StatusDraft
from argosy.queueing.workloads.evicting import Eviction
from argosy.queueing.workloads.finishing import total_execution_time
from argosy.queueing.workloads.phases import Phase, phase
from argosy.queueing.workloads.requeuing import queued_since

_HOLDING: Final = (Phase.QUOTA_RESERVED, Phase.ADMITTED)


class WorkloadMetrics:
    """The lives of workloads in numbers. One registry, one of these."""

    def __init__(
        self,
        registry: Registry,
        *,
        shows: Shows = lambda _namespace, _name: True,
        cohorts_of: Callable[[str], Iterable[str]] = lambda _queue: (),
    ) -> None:
        """`shows`: whether a LocalQueue has metrics of its own; `cohorts_of`: those above a ClusterQueue."""
        self._shows = shows
        self._cohorts_of = cohorts_of

        def count(name: str, help_text: str) -> Count:
            return Count(registry, shows, name, help_text)

        def wait(name: str, help_text: str) -> Wait:
            return Wait(registry, shows, name, help_text)

        self._reserved = count(
            "quota_reserved_workloads_total", "Workloads that got quota reserved."
        )
        self._admitted = count("admitted_workloads_total", "Workloads that were admitted.")
        self._finished = count("finished_workloads_total", "Workloads that finished.")
        self._reserved_waits = wait(
            "quota_reserved_wait_time_seconds", "From being queued to reserved quota."
        )
        self._admission_waits = wait(
            "admission_wait_time_seconds", "From being queued to admission."
        )
        self._check_waits = wait(
            "admission_checks_wait_time_seconds", "From reserved quota to admission."
        )
        self._ready_waits = wait("ready_wait_time_seconds", "From being queued to all pods ready.")
        self._admitted_ready_waits = wait(
            "admitted_until_ready_wait_time_seconds", "From admission to all pods ready."
        )
        self._executions = wait(
            "execution_time_seconds", "How long finished workloads were admitted."
        )
        self._subtree_admitted = counter(
            registry,
            "cohort_subtree_admitted_workloads_total",
            "Workloads that were admitted in a cohort's subtree.",
            ("cohort", "priority_class"),
        )
        self._preempted = counter(
            registry,
            "preempted_workloads_total",
            "Workloads preempted, by the ClusterQueue they had to go for.",
            ("preempting_cluster_queue", "reason"),
        )
        self._replaced = counter(
            registry,
            "replaced_workload_slices_total",
            "Slices of elastic jobs whose place a larger one took.",
            ("cluster_queue",),
        )
        why = ("cluster_queue", "reason", "underlying_cause")
        self._evicted = counter(
            registry, "evicted_workloads_total", "Evictions of workloads.", (*why, "priority_class")
        )
        self._evicted_once = counter(
            registry,
            "evicted_workloads_once_total",
            "Workloads evicted, each reason counted once.",
            (*why, "priority_class"),
        )
        self._evicted_locally = counter(
            registry,
            "local_queue_evicted_workloads_total",
            "Evictions of workloads.",
            (*LOCAL, "reason", "underlying_cause", "priority_class"),
        )
        self._ready_to_evicted = histogram(
            registry, "pods_ready_to_evicted_time_seconds", "From pods ready to eviction.", why
        )
        self._eviction_latencies = histogram(
            registry,
            "workload_eviction_latency_seconds",
            "From eviction to quota given back.",
            ("cluster_queue", "reason"),
        )

    def reserved(self, draft: StatusDraft) -> None:
        """Quota was reserved by what the draft writes."""
        workload, queue = draft.workload, _cluster_queue(draft.workload)
        self._reserved.add(workload, queue)
        since = queued_since(workload)
        if since is not None:
            waited = (draft.now - since).total_seconds()
            self._reserved_waits.observe(workload, queue, waited)

    def admitted(self, draft: StatusDraft) -> None:
        """The workload was admitted by what the draft writes."""
        workload, queue = draft.workload, _cluster_queue(draft.workload)
        self._admitted.add(workload, queue)
        for cohort in self._cohorts_of(queue):
            self._subtree_admitted.inc((cohort, priority_class(workload), ROLE))
        since = queued_since(workload)
        if since is not None:
            waited = (draft.now - since).total_seconds()
            self._admission_waits.observe(workload, queue, waited)
        reserved = workload.condition(QUOTA_RESERVED)
        if reserved is not None and reserved.last_transition_time is not None:
            waited = (draft.now - reserved.last_transition_time).total_seconds()
            self._check_waits.observe(workload, queue, waited)

    def evicted(self, workload: Workload, eviction: Eviction) -> None:
        """The workload, as it is now, was evicted."""
        queue, named = eviction.cluster_queue, priority_class(workload)
        why = (eviction.reason, eviction.cause)
        self._evicted.inc((queue, *why, named, ROLE))
        local = local_queue(workload, self._shows)
        if local is not None:
            self._evicted_locally.inc((*local, *why, named, ROLE))
        if eviction.is_first:
            self._evicted_once.inc((queue, *why, named, ROLE))
        ready, evicted = workload.condition(PODS_READY), workload.condition(EVICTED)
        if ready is None or ready.status != "True" or evicted is None:
            return
        if ready.last_transition_time is not None and evicted.last_transition_time is not None:
            ran = evicted.last_transition_time - ready.last_transition_time
            self._ready_to_evicted.observe((queue, *why, ROLE), ran.total_seconds())

    def preempted(self, victim: Workload, preempting_queue: str) -> None:
        """The workload, as it is now, has to go for one of that ClusterQueue."""
        said = victim.condition(PREEMPTED)
        self._preempted.inc((preempting_queue, said.reason if said is not None else "", ROLE))

    def replaced(self, old: Workload) -> None:
        """Another slice of the job took this one's place."""
        self._replaced.inc((_cluster_queue(old), ROLE))

    def changed(self, old: Workload, new: Workload, now: datetime) -> None:
        """A workload was seen to change: what others than the writers of admissions say of it is counted here."""
        before, after = phase(old), phase(new)
        if after is Phase.FINISHED:
            if before is not Phase.FINISHED:
                self._count_finished(new)
            return
        if before in _HOLDING and after is Phase.PENDING:
            self._count_released(old, new, now)
        if new.holds(PODS_READY) and not old.holds(PODS_READY):
            self._count_ready(new)

    def _count_released(self, old: Workload, new: Workload, now: datetime) -> None:
        evicted = new.condition(EVICTED)
        if evicted is None or evicted.status != "True" or evicted.last_transition_time is None:
            return
        took = (now - evicted.last_transition_time).total_seconds()
        self._eviction_latencies.observe((_cluster_queue(old), evicted.reason, ROLE), took)

    def _count_ready(self, workload: Workload) -> None:
        queue, ready = _cluster_queue(workload), workload.condition(PODS_READY)
        if ready is None or ready.last_transition_time is None:
            return
        since, admitted = queued_since(workload), workload.condition(ADMITTED)
        if since is not None:
            waited = (ready.last_transition_time - since).total_seconds()
            self._ready_waits.observe(workload, queue, waited)
        if admitted is not None and admitted.last_transition_time is not None:
            waited = (ready.last_transition_time - admitted.last_transition_time).total_seconds()
            self._admitted_ready_waits.observe(workload, queue, waited)

    def _count_finished(self, workload: Workload) -> None:
        queue = _cluster_queue(workload)
        self._finished.add(workload, queue)
        ran = total_execution_time(workload)
        if ran is not None:
            self._executions.observe(workload, queue, ran.total_seconds())


def _cluster_queue(workload: Workload) -> str:
    admission = workload.status.admission
    return admission.cluster_queue if admission is not None else ""
