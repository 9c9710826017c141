"""When a workload may be queued again: the Requeued condition, and the moment its back-off ends.

An eviction that is nobody's fault but the workload's own (pods that do not get ready, checks that want a retry) is
followed by a pause: `requeueState.requeueAt`. Several parties set it, so it only ever moves later. The pause doubles
with every timeout. Upstream adds a random ten-thousandth to it; here it is exact, so that a replay gives the same.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from msgspec.structs import replace

from argosy.api.objects.kueue.workloads import REQUEUED, RequeueState, Workload
from argosy.queueing.workloads.checking import retry_time
from argosy.queueing.workloads.drafts import StatusDraft


def set_requeue_state(draft: StatusDraft, until: datetime, *, count: bool) -> bool:
    """Wait at least until then, counting one more eviction if told; whether anything changed."""
    state = draft.status.requeue_state or RequeueState()
    new = state
    if state.requeue_at is None or state.requeue_at < until:
        new = replace(new, requeue_at=until)
    if count:
        new = replace(new, count=(state.count or 0) + 1)
    draft.status = replace(draft.status, requeue_state=new)
    return new != state


def back_off(draft: StatusDraft, *, base_seconds: int, max_seconds: int) -> None:
    """Count a timeout and wait: the base, doubled for each one before."""
    state = draft.status.requeue_state
    before = (state.count or 0) if state is not None else 0
    # Beyond this no back-off fits into its maximum, and powers of two get large.
    seconds = min(base_seconds * 2 ** min(before, 62), max_seconds)
    set_requeue_state(draft, draft.stamp + timedelta(seconds=seconds), count=True)


def end_back_off(draft: StatusDraft) -> None:
    """Forget the moment that has come."""
    state = draft.status.requeue_state
    if state is not None:
        rest = RequeueState(count=state.count)
        draft.status = replace(draft.status, requeue_state=rest if rest.count is not None else None)


def set_requeued(draft: StatusDraft, reason: str, message: str) -> None:
    """Let the workload be queued again."""
    draft.set_condition(REQUEUED, "True", reason, message)


def not_requeued_for(workload: Workload) -> str:
    """Why the workload must not be queued again; empty if it may."""
    found = workload.condition(REQUEUED)
    return found.reason if found is not None and found.status == "False" else ""


def seconds_to_wait(workload: Workload, now: datetime) -> float:
    """How long the back-off lasts from now on; zero or less if it is over or there is none."""
    state = workload.status.requeue_state
    if state is None or state.requeue_at is None:
        return 0.0
    return (state.requeue_at - now).total_seconds()


def later_retry(workload: Workload, now: datetime) -> datetime | None:
    """The moment the checks ask to wait for, if it lies ahead and beyond the one that is set."""
    asked = retry_time(workload.status.admission_checks)
    if asked is None or asked <= now:
        return None
    state = workload.status.requeue_state
    if state is not None and state.requeue_at is not None and state.requeue_at >= asked:
        return None
    return asked


def queued_since(workload: Workload) -> datetime | None:
    """Since when the workload waits: its creation, or when it was last said whether it may be queued again."""
    requeued = workload.condition(REQUEUED)
    if requeued is not None:
        return requeued.last_transition_time
    return workload.metadata.creation_timestamp
