"""What job kinds write into the status of a Workload: finished, pods ready, quota given back, on hold.

Each function gives the changed part of the status, ready to be patched; conditions as a whole list, because a merge
patch replaces lists. A condition that keeps its status keeps its time.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Final

import msgspec

from argosy.api.objects import Condition, find_condition
from argosy.api.objects.kueue.workloads import (
    ADMITTED,
    EVICTED,
    FINISHED,
    PODS_READY,
    QUOTA_RESERVED,
    REQUEUED,
    Workload,
)
from argosy.base.timestamps import format_time
from argosy.base.types import Object

OWNER_NOT_FOUND: Final = "The workload's owner no longer exists"
OUT_OF_SYNC: Final = "The prebuilt workload is out of sync with its user job"
_READY: Final = "All pods reached readiness and the workload is running"
_NOT_READY: Final = "Not all pods are ready or succeeded"
_RECOVERING: Final = "At least one pod has failed, waiting for recovery"
_NO_RESERVATION: Final = "The workload has no reservation"
# Evictions after which a workload may be admitted again at once.
_REQUEUED_AT_ONCE: Final = frozenset({"Preempted", "NodeFailures"})
_MOST_BYTES: Final = 32 * 1024


def condition(workload: Workload, type_: str, status: str, reason: str, message: str) -> Condition:
    if len(message.encode()) > _MOST_BYTES:
        message = message.encode()[: _MOST_BYTES - 4].decode(errors="ignore") + " ..."
    return Condition(type_, status, reason, message, workload.metadata.generation)


def merged(workload: Workload, new: Iterable[Condition], now: datetime) -> tuple[Condition, ...]:
    """The conditions of a Workload, these among them."""
    conditions = list(workload.status.conditions)
    for each in new:
        old = find_condition(conditions, each.type)
        is_kept = old is not None and old.status == each.status
        since = old.last_transition_time if old is not None and is_kept else now
        fresh = msgspec.structs.replace(each, last_transition_time=since)
        if old is None:
            conditions.append(fresh)
        else:
            conditions[conditions.index(old)] = fresh
    return tuple(conditions)


def with_conditions(workload: Workload, new: Iterable[Condition], now: datetime) -> Object:
    """The part of a status that holds conditions, these among them."""
    return {"conditions": written(merged(workload, new, now))}


def written(conditions: Iterable[Condition]) -> list[Object]:
    return [_written(each) for each in conditions]


def _written(each: Condition) -> Object:
    """Every field that a condition must have, empty or not."""
    written: Object = {
        "type": each.type,
        "status": each.status,
        "reason": each.reason,
        "message": each.message,
    }
    if each.last_transition_time is not None:
        written["lastTransitionTime"] = format_time(each.last_transition_time)
    if each.observed_generation:
        written["observedGeneration"] = each.observed_generation
    return written


def finish(workload: Workload, reason: str, message: str, now: datetime) -> Object:
    return with_conditions(workload, [condition(workload, FINISHED, "True", reason, message)], now)


def pods_ready(workload: Workload, are_ready: bool) -> Condition | None:
    """The condition that should be written; None where it stands already."""
    old = workload.condition(PODS_READY)
    if not workload.is_admitted:
        wanted = condition(workload, PODS_READY, "False", "WaitForStart", _NOT_READY)
    elif are_ready:
        was_lost = old is not None and (old.reason in {"WaitForRecovery", "Recovered"})
        reason = "Recovered" if was_lost else "Started"
        wanted = condition(workload, PODS_READY, "True", reason, _READY)
    elif old is not None and (old.status == "True" or old.reason == "WaitForRecovery"):
        wanted = condition(workload, PODS_READY, "False", "WaitForRecovery", _RECOVERING)
    else:
        wanted = condition(workload, PODS_READY, "False", "WaitForStart", _NOT_READY)
    if old is not None and (old.status, old.reason) == (wanted.status, wanted.reason):
        return None
    return wanted


def give_back(
    workload: Workload,
    reason: str,
    message: str,
    now: datetime,
    extra: Iterable[Condition] = (),
) -> Object:
    """The status without a reservation: quota is free for others from here on."""
    changes = [
        *extra,
        condition(workload, QUOTA_RESERVED, "False", reason, message),
        condition(workload, ADMITTED, "False", "NoReservation", _NO_RESERVATION),
    ]
    status: Object = {"admission": None, **with_conditions(workload, changes, now)}
    admitted = workload.condition(ADMITTED)
    if admitted is not None and admitted.status == "True" and admitted.last_transition_time:
        ran = int((now - admitted.last_transition_time).total_seconds())
        before = workload.status.accumulated_past_execution_time_seconds or 0
        status["accumulatedPastExecutionTimeSeconds"] = before + max(0, ran)
    return status


def requeue(workload: Workload, now: datetime, *, is_lone_pod: bool = False) -> Object:
    """The status of an evicted workload whose job has stopped. A lone pod is not run again: it was deleted."""
    evicted = workload.condition(EVICTED)
    assert evicted is not None, "only evicted workloads are requeued"
    at_once = evicted.reason in _REQUEUED_AT_ONCE and not is_lone_pod
    requeued = condition(
        workload, REQUEUED, "True" if at_once else "False", evicted.reason, evicted.message
    )
    return give_back(workload, "PendingEvaluation", evicted.message, now, [requeued])
