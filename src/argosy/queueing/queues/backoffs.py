"""When a workload that was sent away may be tried again.

One that was evicted has to wait: until somebody says so (`Requeued` becomes True), and until the time it was given
(`requeueAt`). Meanwhile it is parked, and no flush puts it back in line.
"""

from __future__ import annotations

from argosy.api.objects.kueue.workloads import REQUEUED, Workload


def is_backoff_over(workload: Workload, now: float) -> bool:
    """Whether nothing keeps the workload away any longer."""
    requeued = workload.condition(REQUEUED)
    if requeued is not None and requeued.status == "False":
        return False
    state = workload.status.requeue_state
    return state is None or state.requeue_at is None or state.requeue_at.timestamp() <= now
