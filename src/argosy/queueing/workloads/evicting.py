"""What an eviction writes: the status of a workload that has to go, before its job has stopped.

The conditions say so; checks and preemption gates start over; clusters that were nominated and nodes that were found
unhealthy are forgotten; the eviction is counted. The admission stays: quota is free only when the job's pods are gone
and somebody clears it. Mirrors `prepareForEviction`.
"""

from __future__ import annotations

from typing import Final

import msgspec

from argosy.api.objects.kueue.workloads import (
    BLOCKED_ON_PREEMPTION_GATES,
    EVICTED,
    PREEMPTED,
    AdmissionCheckState,
    Workload,
)
from argosy.api.objects.metadata import Condition
from argosy.base.timestamps import format_time
from argosy.base.types import Object

DEACTIVATED: Final = "Deactivated"
BY_PREEMPTION: Final = "Preempted"

_PENDING: Final = "Pending"
_RETRY: Final = "Retry"
_CONDITION_BYTES: Final = 32 * 1024
_CUT: Final = " ..."


def evicted(
    workload: Workload,
    reason: str,
    message: str,
    *,
    now: float,
    cause: str = "",
    preempted: str = "",
) -> Object:
    """The merge patch of the status: only fields that change, lists as a whole, null for what goes.

    `cause` is why it was deactivated, or what lies behind the reason; `preempted` the reason of the condition
    Preempted, where one is due.
    """
    status = workload.status
    patch: Object = {
        "conditions": _conditions(workload, _reason(reason, cause), message, preempted, now),
        "schedulingStats": {"evictions": _evictions(workload, reason, cause)},
    }
    if any(check.state != _PENDING for check in status.admission_checks):
        patch["admissionChecks"] = [_check(check, now) for check in status.admission_checks]
    if status.preemption_gates:
        closed = {"position": "Closed", "lastTransitionTime": format_time(now)}
        patch["preemptionGates"] = [
            {"name": gate.name} | closed for gate in status.preemption_gates
        ]
    if status.cluster_name is not None:
        patch["clusterName"] = None
    if status.nominated_cluster_names:
        patch["nominatedClusterNames"] = None
    if status.unhealthy_nodes:
        patch["unhealthyNodes"] = None
    return patch


def event_reason(reason: str, cause: str = "") -> str:
    """The reason of the event an eviction makes."""
    return f"{EVICTED}DueTo{_reason(reason, cause)}"


def _reason(reason: str, cause: str) -> str:
    """Only a deactivation names its cause."""
    return f"{reason}DueTo{cause}" if reason == DEACTIVATED and cause else reason


def _conditions(
    workload: Workload, reason: str, message: str, preempted: str, now: float
) -> list[Object]:
    text = _cut(message)
    generation = workload.metadata.generation
    # Kueue gives Preempted no generation.
    new = {PREEMPTED: _draft(PREEMPTED, "True", preempted, text)} if preempted else {}
    new[EVICTED] = _draft(EVICTED, "True", reason, text, generation)
    if workload.holds(BLOCKED_ON_PREEMPTION_GATES):
        new[BLOCKED_ON_PREEMPTION_GATES] = _draft(
            BLOCKED_ON_PREEMPTION_GATES, "False", reason, text, generation
        )
    written = []
    for old in workload.status.conditions:
        draft = new.pop(old.type, None)
        if draft is None:
            written.append(_written(old))
        else:
            is_same = old.status == draft["status"] and old.last_transition_time is not None
            when = old.last_transition_time if is_same else None
            written.append(draft | {"lastTransitionTime": format_time(when or now)})
    return written + [draft | {"lastTransitionTime": format_time(now)} for draft in new.values()]


def _draft(type_: str, status: str, reason: str, message: str, generation: int = 0) -> Object:
    draft: Object = {"type": type_, "status": status, "reason": reason, "message": message}
    return draft | {"observedGeneration": generation} if generation else draft


def _written(condition: Condition) -> Object:
    draft = _draft(
        condition.type,
        condition.status,
        condition.reason,
        condition.message,
        condition.observed_generation,
    )
    if condition.last_transition_time is None:
        return draft
    return draft | {"lastTransitionTime": format_time(condition.last_transition_time)}


def _evictions(workload: Workload, reason: str, cause: str) -> list[Object]:
    stats = workload.status.scheduling_stats
    counts = (
        {(one.reason, one.underlying_cause): one.count for one in stats.evictions} if stats else {}
    )
    counts[reason, cause] = counts.get((reason, cause), 0) + 1
    return [
        {"reason": why, "underlyingCause": behind, "count": count}
        for (why, behind), count in counts.items()
    ]


def _check(check: AdmissionCheckState, now: float) -> Object:
    if check.state == _PENDING:
        kept: Object = msgspec.to_builtins(check)
        return kept | {"message": check.message}
    reset: Object = {
        "name": check.name,
        "state": _PENDING,
        "lastTransitionTime": format_time(now),
        "message": f"Reset to Pending after eviction. Previously: {check.state}",
    }
    if check.requeue_after_seconds is not None:
        reset["requeueAfterSeconds"] = check.requeue_after_seconds
    if check.state == _RETRY:
        reset["retryCount"] = (check.retry_count or 0) + 1
    return reset


def _cut(message: str) -> str:
    raw = message.encode()
    if len(raw) <= _CONDITION_BYTES:
        return message
    return raw[: _CONDITION_BYTES - len(_CUT)].decode(errors="ignore") + _CUT
