"""What Kueue counts about workloads, under Kueue's names: dashboards and alerts made for it read these.

Every series says which role its process has; one process alone is `standalone`. Waits are measured in buckets that
double, from a second to nearly three hours. LocalQueues have the same families under their own prefix. Gauges of
queues are followed by whoever keeps the numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from argosy.api.objects.kueue.workloads import (
    ADMITTED,
    EVICTED,
    PODS_READY,
    QUOTA_RESERVED,
    Workload,
)
from argosy.base.metrics import Counter, Histogram, Registry
from argosy.queueing.workloads.drafts import StatusDraft
from argosy.queueing.workloads.evicting import Eviction
from argosy.queueing.workloads.finishing import total_execution_time
from argosy.queueing.workloads.phases import Phase, phase
from argosy.queueing.workloads.requeuing import queued_since

ROLE: Final = "standalone"
BUCKETS: Final = (1.0, *(2.5 * 2**power for power in range(13)))
_QUEUE: Final = ("cluster_queue", "priority_class")
_HOLDING: Final = (Phase.QUOTA_RESERVED, Phase.ADMITTED)
_LOCAL: Final = ("name", "namespace", "priority_class")


class _Family:
    """A metric of ClusterQueues and its twin of LocalQueues."""

    def __init__(self, registry: Registry, name: str, help_text: str) -> None:
        self.total: Final = _counter(registry, name, help_text, _QUEUE)
        self.local: Final = _counter(registry, f"local_queue_{name}", help_text, _LOCAL)

    def count(self, workload: Workload, queue: str) -> None:
        self.total.inc((queue, _priority_class(workload), ROLE))
        self.local.inc((*_local_queue(workload), _priority_class(workload), ROLE))


class _Waits:
    """A wait of ClusterQueues' workloads and its twin of LocalQueues'."""

    def __init__(self, registry: Registry, name: str, help_text: str) -> None:
        self.seconds: Final = _histogram(registry, name, help_text, _QUEUE)
        self.local: Final = _histogram(registry, f"local_queue_{name}", help_text, _LOCAL)

    def observe(self, workload: Workload, queue: str, seconds: float) -> None:
        self.seconds.observe((queue, _priority_class(workload), ROLE), seconds)
        self.local.observe((*_local_queue(workload), _priority_class(workload), ROLE), seconds)


class WorkloadMetrics:
    """The lives of workloads in numbers. One registry, one of these."""

    def __init__(self, registry: Registry) -> None:
        self._reserved = _Family(
            registry, "quota_reserved_workloads_total", "Workloads that got quota reserved."
        )
        self._admitted = _Family(
            registry, "admitted_workloads_total", "Workloads that were admitted."
        )
        self._finished = _Family(registry, "finished_workloads_total", "Workloads that finished.")
        self._reserved_waits = _Waits(
            registry, "quota_reserved_wait_time_seconds", "From being queued to reserved quota."
        )
        self._admission_waits = _Waits(
            registry, "admission_wait_time_seconds", "From being queued to admission."
        )
        self._check_waits = _Waits(
            registry, "admission_checks_wait_time_seconds", "From reserved quota to admission."
        )
        self._ready_waits = _Waits(
            registry, "ready_wait_time_seconds", "From being queued to all pods ready."
        )
        self._admitted_ready_waits = _Waits(
            registry,
            "admitted_until_ready_wait_time_seconds",
            "From admission to all pods ready.",
        )
        self._executions = _Waits(
            registry, "execution_time_seconds", "How long finished workloads were admitted."
        )
        why = ("cluster_queue", "reason", "underlying_cause")
        self._evicted = _counter(
            registry, "evicted_workloads_total", "Evictions of workloads.", (*why, "priority_class")
        )
        self._evicted_once = _counter(
            registry,
            "evicted_workloads_once_total",
            "Workloads evicted, each reason counted once.",
            (*why, "priority_class"),
        )
        self._evicted_locally = _counter(
            registry,
            "local_queue_evicted_workloads_total",
            "Evictions of workloads.",
            ("name", "namespace", "reason", "underlying_cause", "priority_class"),
        )
        self._ready_to_evicted = _histogram(
            registry, "pods_ready_to_evicted_time_seconds", "From pods ready to eviction.", why
        )
        self._eviction_latencies = _histogram(
            registry,
            "workload_eviction_latency_seconds",
            "From eviction to quota given back.",
            ("cluster_queue", "reason"),
        )

    def reserved(self, draft: StatusDraft) -> None:
        """Quota was reserved by what the draft writes."""
        workload, queue = draft.workload, _cluster_queue(draft.workload)
        self._reserved.count(workload, queue)
        since = queued_since(workload)
        if since is not None:
            waited = (draft.now - since).total_seconds()
            self._reserved_waits.observe(workload, queue, waited)

    def admitted(self, draft: StatusDraft) -> None:
        """The workload was admitted by what the draft writes."""
        workload, queue = draft.workload, _cluster_queue(draft.workload)
        self._admitted.count(workload, queue)
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
        queue, priority_class = eviction.cluster_queue, _priority_class(workload)
        why = (eviction.reason, eviction.cause)
        self._evicted.inc((queue, *why, priority_class, ROLE))
        self._evicted_locally.inc((*_local_queue(workload), *why, priority_class, ROLE))
        if eviction.is_first:
            self._evicted_once.inc((queue, *why, priority_class, ROLE))
        ready, evicted = workload.condition(PODS_READY), workload.condition(EVICTED)
        if ready is None or ready.status != "True" or evicted is None:
            return
        if ready.last_transition_time is not None and evicted.last_transition_time is not None:
            ran = evicted.last_transition_time - ready.last_transition_time
            self._ready_to_evicted.observe((queue, *why, ROLE), ran.total_seconds())

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
        self._finished.count(workload, queue)
        ran = total_execution_time(workload)
        if ran is not None:
            self._executions.observe(workload, queue, ran.total_seconds())


def _counter(registry: Registry, name: str, help_text: str, labels: Sequence[str]) -> Counter:
    return registry.counter(f"kueue_{name}", help_text, (*labels, "replica_role"))


def _histogram(registry: Registry, name: str, help_text: str, labels: Sequence[str]) -> Histogram:
    return registry.histogram(f"kueue_{name}", help_text, (*labels, "replica_role"), BUCKETS)


def _cluster_queue(workload: Workload) -> str:
    admission = workload.status.admission
    return admission.cluster_queue if admission is not None else ""


def _local_queue(workload: Workload) -> tuple[str, str]:
    return workload.spec.queue_name, workload.metadata.namespace


def _priority_class(workload: Workload) -> str:
    reference = workload.spec.priority_class_ref
    return reference.name if reference is not None else ""
