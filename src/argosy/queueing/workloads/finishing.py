"""The end of a workload, and what its pods tell on the way: Finished, PodsReady, and how long it ran."""

from __future__ import annotations

from datetime import timedelta

from argosy.api.objects.kueue.workloads import ADMITTED, FINISHED, PODS_READY, Workload
from argosy.queueing.workloads import reasons
from argosy.queueing.workloads.drafts import StatusDraft


def finish(draft: StatusDraft, reason: str, message: str) -> bool:
    """Say how the workload ended; the first word stands. Whether it was said now."""
    if draft.workload.is_finished:
        return False
    return draft.set_condition(FINISHED, "True", reason, message)


def set_pods_ready(draft: StatusDraft, *, are_ready: bool) -> bool:
    """Say whether all pods are ready; whether that is news.

    Pods that were ready once and are not any more are waited for longer or shorter than pods that start.
    """
    old = draft.workload.condition(PODS_READY)
    if are_ready:
        recovered = old is not None and old.reason == reasons.WAIT_FOR_RECOVERY
        again = old is not None and old.status == "True"
        reason = reasons.RECOVERED if recovered else reasons.STARTED
        if again and old is not None:
            reason = old.reason
        message = "All pods reached readiness and the workload is running"
        return draft.set_condition(PODS_READY, "True", reason, message)
    if old is not None and (old.status == "True" or old.reason == reasons.WAIT_FOR_RECOVERY):
        message = "At least one pod has failed, waiting for recovery"
        return draft.set_condition(PODS_READY, "False", reasons.WAIT_FOR_RECOVERY, message)
    message = "Not all pods are ready or succeeded"
    return draft.set_condition(PODS_READY, "False", reasons.WAIT_FOR_START, message)


def total_execution_time(workload: Workload) -> timedelta | None:
    """How long a finished workload was admitted, all runs together; None while it is not finished or never ran."""
    finished = workload.condition(FINISHED)
    admitted = workload.condition(ADMITTED)
    if finished is None or finished.status != "True" or finished.last_transition_time is None:
        return None
    past = workload.status.accumulated_past_execution_time_seconds
    total = timedelta(seconds=past or 0)
    if admitted is not None and admitted.status == "True" and admitted.last_transition_time:
        return total + (finished.last_transition_time - admitted.last_transition_time)
    return total if past is not None else None
