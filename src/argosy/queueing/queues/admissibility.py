"""Which workloads may wait in line at all, and when one that was sent away may come back.

A workload is out of the lines while somebody gates, holds or has deactivated it, when it is finished, when it has its
quota already, and while a pod group waits for pods to replace failed ones. One that was sent away to wait (`Requeued`
False, or `requeueAt` in the future) is in line but parked until that is over.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from argosy.api.objects.kueue.workloads import (
    QUOTA_RESERVED,
    REQUEUED,
    WAITING_FOR_REPLACEMENT_PODS,
    AdmissionCheckState,
    Workload,
)

ADMISSION_GATED_BY: Final = "kueue.x-k8s.io/admission-gated-by"
ON_HOLD: Final = "OnHold"
RETRY: Final = "Retry"
OPEN: Final = "Open"


def is_admissible(workload: Workload) -> bool:
    """Whether a workload belongs in a line."""
    return (
        workload.spec.active
        and not workload.metadata.annotations.get(ADMISSION_GATED_BY)
        and not workload.is_finished
        and not workload.has_quota_reservation
        and not is_on_hold(workload)
        and not workload.holds(WAITING_FOR_REPLACEMENT_PODS)
    )


def is_on_hold(workload: Workload) -> bool:
    """Whether the job behind the workload asks for nothing now, like a StatefulSet scaled to zero."""
    reserved = workload.condition(QUOTA_RESERVED)
    return reserved is not None and reserved.status == "False" and reserved.reason == ON_HOLD


def has_closed_gate(workload: Workload) -> bool:
    """Whether a preemption gate forbids the workload to preempt; one that nobody has opened yet is closed."""
    if not workload.spec.preemption_gates:
        return False
    open_gates = {gate.name for gate in workload.status.preemption_gates if gate.position == OPEN}
    return any(gate.name not in open_gates for gate in workload.spec.preemption_gates)


def is_backoff_over(workload: Workload, now: float) -> bool:
    """Whether a workload that was sent away may be tried again."""
    requeued = workload.condition(REQUEUED)
    if requeued is not None and requeued.status == "False":
        return False
    state = workload.status.requeue_state
    return state is None or state.requeue_at is None or state.requeue_at.timestamp() <= now


def retry_time(checks: Iterable[AdmissionCheckState]) -> float | None:
    """When the last of the checks that want a retry wants it; none if none of them says."""
    return max(
        (
            check.last_transition_time.timestamp() + check.requeue_after_seconds
            for check in checks
            if check.state == RETRY
            and check.last_transition_time is not None
            and check.requeue_after_seconds is not None
        ),
        default=None,
    )
