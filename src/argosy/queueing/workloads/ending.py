"""What ends a workload's reservation: failed checks, queues that stop or go, pods that are not ready, time that is up.

Steps of `deciding`, asked only while quota is reserved. Who is admitted is evicted and keeps its quota until its pods
are gone; who is not gives it back at once.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from argosy.api.objects.kueue.workloads import (
    ADMITTED,
    DEACTIVATION_TARGET,
    PODS_READY,
    Workload,
)
from argosy.queueing.workloads import reasons
from argosy.queueing.workloads.checking import in_state, told
from argosy.queueing.workloads.decisions import Decision, LifeRules, PodsReadyRules
from argosy.queueing.workloads.drafts import happening
from argosy.queueing.workloads.evicting import evict
from argosy.queueing.workloads.explaining import HOLD_AND_DRAIN, NONE, Surroundings
from argosy.queueing.workloads.requeuing import back_off
from argosy.queueing.workloads.reserving import unreserve

# What versions before the recovery timeout said of pods that start.
_LEGACY_WAIT_FOR_START: Final = "PodsReady"


def fail_checks(decision: Decision, around: Surroundings, rules: LifeRules) -> bool:
    """A rejected check ends the workload, a retry its run."""
    workload, draft = decision.workload, decision.draft
    if workload.is_evicted:
        return False
    rejected = in_state(workload, reasons.CHECK_REJECTED)
    if rejected:
        message = told(rejected)
        draft.set_condition(DEACTIVATION_TARGET, "True", reasons.ADMISSION_CHECK, message)
        text = f"Deactivated due to {message}"
        decision.happenings.append(happening("Warning", "AdmissionCheckRejected", text))
        return True
    retried = in_state(workload, reasons.CHECK_RETRY)
    if not retried:
        return False
    message = f"Evicted due to {told(retried)}"
    decision.tell(evict(draft, reasons.ADMISSION_CHECK, message))
    return True


def leave_local_queue(decision: Decision, around: Surroundings, rules: LifeRules) -> bool:
    queue = around.local_queue
    is_gone = queue is None or queue.metadata.deletion_timestamp is not None
    policy = queue.spec.stop_policy if queue is not None else NONE
    what = f"LocalQueue {decision.workload.spec.queue_name}"
    return _leave(decision, what, policy, is_gone=is_gone)


def leave_cluster_queue(decision: Decision, around: Surroundings, rules: LifeRules) -> bool:
    queue = around.cluster_queue
    is_gone = queue is None or queue.metadata.deletion_timestamp is not None
    policy = queue.spec.stop_policy if queue is not None else NONE
    what = f"ClusterQueue {around.cluster_queue_name}"
    return _leave(decision, what, policy, is_gone=is_gone)


def _leave(decision: Decision, what: str, policy: str, *, is_gone: bool) -> bool:
    """Leave a queue that is stopped or gone: the admitted only if it is drained."""
    workload, draft = decision.workload, decision.draft
    if workload.is_admitted:
        if policy != HOLD_AND_DRAIN or workload.is_evicted:
            return False
        kind = what.split(" ", 1)[0]
        decision.tell(evict(draft, f"{kind}Stopped", f"The {kind} is stopped"))
    elif is_gone:
        unreserve(draft, reasons.MISCONFIGURED, f"{what} is terminating or missing")
    elif policy != NONE:
        unreserve(draft, reasons.SUSPENDED, f"{what} is stopped")
    else:
        return False
    return True


def time_out_pods(decision: Decision, around: Surroundings, rules: LifeRules) -> bool:
    """Pods that do not get ready in time cost the workload its place, and at last its life."""
    workload, draft, pods = decision.workload, decision.draft, rules.pods_ready
    if pods is None or not workload.spec.active or workload.is_evicted or not workload.is_admitted:
        return False
    cause, left = _readiness(workload, around, pods)
    if not cause:
        return False
    if left > 0:
        decision.look_again_after(left)
        return False
    state = workload.status.requeue_state
    count = (state.count or 0) if state is not None else 0
    if pods.backoff_limit_count is not None and count + 1 > pods.backoff_limit_count:
        message = "exceeding the maximum number of re-queuing retries"
        draft.set_condition(DEACTIVATION_TARGET, "True", reasons.REQUEUING_LIMIT_EXCEEDED, message)
        return False
    back_off(draft, base_seconds=pods.backoff_base_seconds, max_seconds=pods.backoff_max_seconds)
    key = f"{workload.metadata.namespace}/{workload.metadata.name}"
    message = f"Exceeded the PodsReady timeout {key}"
    decision.tell(evict(draft, reasons.PODS_READY_TIMEOUT, message, cause))
    return False


def _readiness(workload: Workload, around: Surroundings, pods: PodsReadyRules) -> tuple[str, float]:
    """What is waited for and how many seconds are left; nothing where no clock runs."""
    ready = workload.condition(PODS_READY)
    if ready is not None and ready.status == "True":
        return "", 0.0
    if ready is None or ready.reason in (reasons.WAIT_FOR_START, _LEGACY_WAIT_FOR_START):
        cause, since, limit = (
            reasons.WAIT_FOR_START,
            workload.condition(ADMITTED),
            pods.timeout_seconds,
        )
    elif ready.reason == reasons.WAIT_FOR_RECOVERY and pods.recovery_timeout_seconds is not None:
        cause, since, limit = reasons.WAIT_FOR_RECOVERY, ready, pods.recovery_timeout_seconds
    else:
        return "", 0.0
    if since is None or since.last_transition_time is None:
        return "", 0.0
    return cause, limit - (around.now - since.last_transition_time).total_seconds()


def end_execution(decision: Decision, around: Surroundings, rules: LifeRules) -> bool:
    """A workload that ran as long as it may is switched off; one that is on its way out goes on with that."""
    workload, draft = decision.workload, decision.draft
    limit = workload.spec.maximum_execution_time_seconds
    admitted = workload.condition(ADMITTED)
    if limit is None or admitted is None or admitted.status != "True":
        return True
    if not workload.spec.active or workload.is_evicted:
        return True
    past = workload.status.accumulated_past_execution_time_seconds or 0
    since = admitted.last_transition_time
    running = (around.now - since).total_seconds() if since is not None else 0.0
    left = limit - past - running
    if left > 0:
        decision.look_again_after(left)
        return True
    if not workload.holds(DEACTIVATION_TARGET):
        reason = reasons.MAXIMUM_EXECUTION_TIME_EXCEEDED
        message = "exceeding the maximum execution time"
        draft.set_condition(DEACTIVATION_TARGET, "True", reason, message)
        draft.status = replace(draft.status, accumulated_past_execution_time_seconds=None)
        text = f"The maximum execution time ({limit}s) exceeded"
        decision.happenings.append(happening("Warning", reason, text))
    return True
