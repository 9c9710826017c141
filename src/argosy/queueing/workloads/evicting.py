"""Evict a workload: it loses its place, not yet its quota.

The conditions say why; whoever runs the workload sees them, stops it, and gives the reservation up when its pods are
gone. Everything that was decided for this run is begun anew: checks, nominated clusters, replacement of nodes,
preemption gates. Each reason is counted in the status, and its first time is told apart, for a metric that counts
workloads instead of evictions.
"""

from __future__ import annotations

from dataclasses import dataclass

from msgspec.structs import replace

from argosy.api.objects.kueue.workloads import (
    BLOCKED_ON_PREEMPTION_GATES,
    EVICTED,
    PREEMPTED,
    EvictionCount,
    PreemptionGateState,
    SchedulingStats,
    Workload,
)
from argosy.queueing.workloads.checking import reset_checks
from argosy.queueing.workloads.drafts import Happening, StatusDraft, happening
from argosy.queueing.workloads.reasons import DEACTIVATED, due_to
from argosy.queueing.workloads.reasons import PREEMPTED as BY_PREEMPTION

__all__ = [
    "BY_PREEMPTION", "DEACTIVATED", "Eviction",
    "event_reason", "evict", "is_deactivated_by_kueue", "is_evicted_for",
]  # fmt: skip


@dataclass(slots=True, frozen=True)
class Eviction:
    """An eviction, for events and metrics. `is_first` is the first of its reason and cause for the workload."""

    cluster_queue: str
    reason: str
    cause: str
    message: str
    is_first: bool

    def told(self) -> Happening:
        return happening("Normal", event_reason(self.reason, self.cause), self.message)


def evict(
    draft: StatusDraft, reason: str, message: str, cause: str = "", *, preempted: str = ""
) -> Eviction | None:
    """Evict the workload; what is to be told of it, which is nothing if it held no quota.

    `preempted` is the reason of the condition Preempted, where one is due.
    """
    said = _named(reason, cause)
    if preempted:
        # Kueue gives this one no generation.
        draft.set_condition(PREEMPTED, "True", preempted, message, generation=0)
    draft.set_condition(EVICTED, "True", said, message)
    reset_checks(draft)
    _close_gates(draft, said, message)
    evictions, is_first = _counted(draft.status.scheduling_stats, reason, cause)
    draft.status = replace(
        draft.status,
        cluster_name=None,
        nominated_cluster_names=(),
        unhealthy_nodes=(),
        scheduling_stats=SchedulingStats(evictions),
    )
    admission = draft.status.admission
    if admission is None:
        return None
    return Eviction(admission.cluster_queue, reason, cause, message, is_first)


def event_reason(reason: str, cause: str = "") -> str:
    """The reason of the event an eviction makes."""
    return due_to(EVICTED, _named(reason, cause))


def _named(reason: str, cause: str) -> str:
    """Only a deactivation names its cause."""
    return due_to(reason, cause) if reason == DEACTIVATED and cause else reason


def _counted(
    stats: SchedulingStats | None, reason: str, cause: str
) -> tuple[tuple[EvictionCount, ...], bool]:
    known = stats.evictions if stats is not None else ()
    for index, one in enumerate(known):
        if (one.reason, one.underlying_cause) == (reason, cause):
            more = replace(one, count=one.count + 1)
            return (*known[:index], more, *known[index + 1 :]), one.count == 0
    return (*known, EvictionCount(reason, cause, 1)), True


def _close_gates(draft: StatusDraft, reason: str, message: str) -> None:
    """The next preemption must be allowed anew."""
    gates = draft.status.preemption_gates
    if gates:
        closed = tuple(PreemptionGateState(one.name, "Closed", draft.stamp) for one in gates)
        draft.status = replace(draft.status, preemption_gates=closed)
    if draft.workload.holds(BLOCKED_ON_PREEMPTION_GATES):
        draft.set_condition(BLOCKED_ON_PREEMPTION_GATES, "False", reason, message)


def is_evicted_for(workload: Workload, reason: str) -> bool:
    found = workload.condition(EVICTED)
    return found is not None and found.status == "True" and found.reason == reason


def is_deactivated_by_kueue(workload: Workload) -> bool:
    """Whether it was not its owner who switched it off."""
    found = workload.condition(EVICTED)
    prefix = due_to(DEACTIVATED, "")
    return found is not None and found.status == "True" and found.reason.startswith(prefix)
