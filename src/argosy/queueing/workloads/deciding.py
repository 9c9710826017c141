"""One look at a Workload: what its controller does about it, as a pure decision.

The steps are asked in Kueue's order, and the first that has the last word ends the look: what it wrote comes back as a
change of the object, and the next look goes on from there. Steps work on one draft, so a look writes the status at
most once. Whatever happens by the clock alone is told as `look_again_seconds`.

A workload loses its place in two ways. One that is admitted is evicted and keeps its quota until its pods are gone;
one that only has quota reserved gives it back at once. Deactivation goes through a target condition first, because
spec and status are written by different calls: if the process dies between them, the next look finishes the work.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from msgspec.structs import replace

from argosy.api.objects.kueue.workloads import (
    DEACTIVATION_TARGET,
    FINISHED,
    QUOTA_RESERVED,
    REQUEUED,
    Workload,
)
from argosy.queueing.workloads import reasons
from argosy.queueing.workloads.checking import sync_checks
from argosy.queueing.workloads.decisions import Decision, LifeRules, Step
from argosy.queueing.workloads.drafts import Happening, StatusDraft, happening
from argosy.queueing.workloads.ending import (
    end_execution,
    fail_checks,
    leave_cluster_queue,
    leave_local_queue,
    time_out_pods,
)
from argosy.queueing.workloads.evicting import evict
from argosy.queueing.workloads.explaining import NONE, Surroundings, explanation
from argosy.queueing.workloads.finishing import finish
from argosy.queueing.workloads.phases import RESOURCE_IN_USE, Phase, gates, is_orphan, phase
from argosy.queueing.workloads.requeuing import (
    end_back_off,
    later_retry,
    not_requeued_for,
    seconds_to_wait,
    set_requeue_state,
    set_requeued,
)
from argosy.queueing.workloads.reserving import sync_admitted, unreserve


def decide(workload: Workload, around: Surroundings, rules: LifeRules) -> Decision:
    """Look at a workload."""
    decision = Decision(StatusDraft(workload, around.now))
    for step in _STEPS:
        if step(decision, around, rules):
            break
    return decision


# Who is gone, finished, or waits for time to pass.


def _let_orphan_go(decision: Decision, around: Surroundings, rules: LifeRules) -> bool:
    """A workload whose job is gone is finished, so that its quota is free."""
    workload = decision.workload
    if not is_orphan(workload):
        return False
    decision.drops_finalizer = RESOURCE_IN_USE in workload.metadata.finalizers
    if workload.metadata.deletion_timestamp is not None:
        return True
    message = "The workload's owner no longer exists"
    finish(decision.draft, reasons.OWNER_NOT_FOUND, message)
    return False


def _retain_finished(decision: Decision, around: Surroundings, rules: LifeRules) -> bool:
    workload = decision.workload
    finished = workload.condition(FINISHED)
    if finished is None or finished.status != "True":
        return False
    if rules.retain_finished_seconds is None or finished.last_transition_time is None:
        return True
    expires = finished.last_transition_time + timedelta(seconds=rules.retain_finished_seconds)
    left = (expires - around.now).total_seconds()
    if left > 0:
        decision.look_again_after(left)
        return True
    decision.drops_finalizer = RESOURCE_IN_USE in workload.metadata.finalizers
    if workload.metadata.deletion_timestamp is None:
        decision.deletes = True
        message = "Deleted finished workload due to elapsed retention"
        decision.happenings.append(happening("Normal", "Deleted", message))
    return True


def _wait_for_retry(decision: Decision, around: Surroundings, rules: LifeRules) -> bool:
    """Checks that want a retry say when; the latest moment is kept."""
    until = later_retry(decision.workload, around.now)
    if until is None:
        return False
    return set_requeue_state(decision.draft, until, count=False)


def _refuse_claims(decision: Decision, around: Surroundings, rules: LifeRules) -> bool:
    """Devices that are claimed by name cannot be counted against quota."""
    workload = decision.workload
    if phase(workload) is not Phase.PENDING or not _claims_devices(workload):
        return False
    message = "KueueDRAIntegration feature does not support use of resource claims"
    if unreserve(decision.draft, reasons.MISCONFIGURED, message):
        said = "DRA resource claims not supported"
        decision.draft.set_condition(REQUEUED, "False", reasons.INADMISSIBLE, said)
    return True


def _claims_devices(workload: Workload) -> bool:
    return any(
        claim.get("resourceClaimName") is not None
        for pod_set in workload.spec.pod_sets
        for claim in (pod_set.template.get("spec") or {}).get("resourceClaims") or ()
    )


# Active or not.


def _go_on(decision: Decision, around: Surroundings, rules: LifeRules) -> bool:
    """An active workload is switched off if that is due, waits out its back-off, and may then be queued again."""
    workload, draft = decision.workload, decision.draft
    if not workload.spec.active:
        return False
    if workload.holds(DEACTIVATION_TARGET):
        decision.deactivates = True
        return True
    is_pending = phase(workload) is Phase.PENDING
    left = seconds_to_wait(workload, around.now)
    # Who still holds quota has to give it back first: the wait is for the next try.
    if left > 0 and is_pending:
        decision.look_again_after(left)
        return True
    if _is_waiting(workload) and is_pending:
        # The queues take it up when they see this; what else is to be said has its own look.
        end_back_off(draft)
        return True
    why = not_requeued_for(workload)
    # Whatever it was switched off for: who switches it on again has settled that.
    if why.startswith(reasons.DEACTIVATED):
        set_requeued(draft, reasons.REACTIVATED, "The workload was reactivated")
        if why.endswith(reasons.MAXIMUM_EXECUTION_TIME_EXCEEDED):
            # Its time begins anew, or it would be over at once.
            draft.status = replace(draft.status, accumulated_past_execution_time_seconds=None)
    elif why in (reasons.PODS_READY_TIMEOUT, reasons.ADMISSION_CHECK):
        end_back_off(draft)
        set_requeued(draft, reasons.BACKOFF_FINISHED, "The workload backoff was finished")
    else:
        return False
    return True


def _is_waiting(workload: Workload) -> bool:
    state = workload.status.requeue_state
    return state is not None and state.requeue_at is not None


def _switch_off(decision: Decision, around: Surroundings, rules: LifeRules) -> bool:
    """An inactive workload is evicted, for the reason it was switched off; who is evicted already keeps that reason."""
    workload, draft = decision.workload, decision.draft
    if workload.spec.active or (workload.is_evicted and workload.status.requeue_state is None):
        return False
    target = workload.condition(DEACTIVATION_TARGET)
    message, cause = "The workload is deactivated", ""
    if target is not None:
        draft.drop_condition(DEACTIVATION_TARGET)
        message, cause = f"{message} due to {target.message}", target.reason
    draft.status = replace(draft.status, requeue_state=None)
    if not workload.is_evicted:
        decision.tell(evict(draft, reasons.DEACTIVATED, message, cause))
    return True


# Queues and gates.


def _leave_stopped_local_queue(decision: Decision, around: Surroundings, rules: LifeRules) -> bool:
    queue = around.local_queue
    if queue is None or queue.spec.stop_policy != NONE:
        return False
    if not_requeued_for(decision.workload) != reasons.LOCAL_QUEUE_STOPPED:
        return False
    message = "The LocalQueue was restarted after being stopped"
    set_requeued(decision.draft, reasons.LOCAL_QUEUE_RESTARTED, message)
    return True


def _keep_gate(decision: Decision, around: Surroundings, rules: LifeRules) -> bool:
    """Who holds the admission up is said when it begins and when it ends."""
    workload, draft = decision.workload, decision.draft
    said = workload.condition(QUOTA_RESERVED)
    was_gated = said is not None and said.reason == reasons.ADMISSION_GATED
    who = gates(workload)
    if bool(who) == was_gated:
        return False
    if who:
        unreserve(draft, reasons.ADMISSION_GATED, f"Admission is gated by: {who}")
        reason, message = "AdmissionGated", f"Workload admission is gated by: {who}"
    else:
        cleared = "AdmissionGatedBy cleared, waiting for quota reservation"
        unreserve(draft, reasons.PENDING_EVALUATION, cleared)
        reason, message = (
            "AdmissionGateCleared",
            "Admission gate cleared, workload is now admissible",
        )
    decision.happenings.append(happening("Normal", reason, message))
    return True


def _leave_stopped_cluster_queue(
    decision: Decision, around: Surroundings, rules: LifeRules
) -> bool:
    queue = around.cluster_queue
    if queue is None or queue.spec.stop_policy != NONE:
        return False
    if not_requeued_for(decision.workload) != reasons.CLUSTER_QUEUE_STOPPED:
        return False
    message = "The ClusterQueue was restarted after being stopped"
    set_requeued(decision.draft, reasons.CLUSTER_QUEUE_RESTARTED, message)
    return True


def _sync_checks(decision: Decision, around: Surroundings, rules: LifeRules) -> bool:
    queue = around.cluster_queue
    return queue is not None and sync_checks(decision.draft, queue)


def _sync_admission(decision: Decision, around: Surroundings, rules: LifeRules) -> bool:
    """Say why there is no reservation, and whether the workload is admitted. One that is, is left to be evicted."""
    workload, draft = decision.workload, decision.draft
    if workload.is_admitted:
        return False
    if not workload.has_quota_reservation:
        said = explanation(workload, around)
        if said is not None:
            draft.set_condition(QUOTA_RESERVED, "False", *said)
    sync_admitted(draft)
    if draft.workload.is_admitted:
        decision.is_newly_admitted = True
        decision.happenings.append(_admitted(draft))
    return False


def _admitted(draft: StatusDraft) -> Happening:
    admission = draft.status.admission
    reserved = draft.workload.condition(QUOTA_RESERVED)
    since = reserved.last_transition_time if reserved is not None else None
    waited = (draft.now - since).total_seconds() if since is not None else 0.0
    queue = admission.cluster_queue if admission is not None else ""
    text = f"Admitted by ClusterQueue {queue}, wait time since reservation was {waited:.0f}s"
    return happening("Normal", "Admitted", text)


def _has_no_reservation(decision: Decision, around: Surroundings, rules: LifeRules) -> bool:
    return not decision.workload.has_quota_reservation


_STEPS: Final[tuple[Step, ...]] = (
    _let_orphan_go,
    _retain_finished,
    _wait_for_retry,
    _refuse_claims,
    _go_on,
    _switch_off,
    _leave_stopped_local_queue,
    _keep_gate,
    _leave_stopped_cluster_queue,
    _sync_checks,
    _sync_admission,
    _has_no_reservation,
    fail_checks,
    leave_local_queue,
    leave_cluster_queue,
    time_out_pods,
    end_execution,
)
