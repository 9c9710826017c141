"""The steps by which a job follows its Workload, and the Workload its job."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from argosy.api.objects.kueue.workloads import EVICTED, ReclaimablePod, Workload
from argosy.queueing.jobs import names
from argosy.queueing.jobs.actions import LookAgain, PatchWorkload, Remove
from argosy.queueing.jobs.ancestry import queue_name
from argosy.queueing.jobs.looks import Look, is_held, key_of
from argosy.queueing.jobs.podsets import FlavorMissing, Permanent, assigned
from argosy.queueing.workloads import finishing, reasons
from argosy.queueing.workloads.evicting import is_deactivated_by_kueue
from argosy.queueing.workloads.reserving import release_evicted, unreserve

WORKLOAD_DELETED: Final = "WorkloadDeleted"
_DELETED: Final = "Workload is deleted"
_NOT_ADMITTED: Final = "Not admitted by cluster queue"
_EXPIRED: Final = "Deleted job: deactivation retention period expired"
# How soon to look for a flavor that was not there.
_AGAIN_SECONDS: Final = 5.0


def close_finished_workload(look: Look) -> bool:
    workload = look.workload
    if workload is None or not workload.is_finished:
        return False
    look.take(look.kind.finalizing(look.job))
    if is_held(workload):
        _declare_finished(look, workload)
    return True


def _declare_finished(look: Look, workload: Workload) -> None:
    text = f"Workload '{key_of(workload)}' is declared finished"
    look.event(names.FINISHED_WORKLOAD, text)
    look.let_go(workload)


def follow_deletion(look: Look) -> bool:
    workload = look.workload
    if workload is None or workload.metadata.deletion_timestamp is None:
        return False
    look.stop(workload, WORKLOAD_DELETED, _DELETED)
    look.let_go(workload)
    return True


def hold(look: Look) -> bool:
    """A job that wants no quota for now gives back what it has, and leaves the queue."""
    message = look.kind.on_hold(look.job)
    if not message or look.workload is None:
        return False
    unreserve(look.draft, reasons.ON_HOLD, message)
    return True


def finish(look: Look) -> bool:
    outcome = look.kind.finished(look.job)
    if outcome is None:
        return False
    look.take(look.kind.finalizing(look.job))
    if look.workload is not None:
        reason = reasons.SUCCEEDED if outcome.is_success else reasons.FAILED
        finishing.finish(look.draft, reason, outcome.message)
        look.flush()
        _declare_finished(look, look.mirror)
    return True


def delete_deactivated(look: Look) -> bool:
    """A job whose Workload was switched off for its own fault is kept so long, where the configuration says so."""
    seconds = look.around.rules.deactivated_retention_seconds
    workload = look.mirror
    evicted = workload.condition(EVICTED)
    if seconds is None or evicted is None or not is_deactivated_by_kueue(workload):
        return False
    if workload.spec.active or evicted.last_transition_time is None:
        return False
    left = seconds - (look.around.now - evicted.last_transition_time).total_seconds()
    if left > 0:
        look.actions.append(LookAgain(left))
        return False
    look.actions.append(Remove(look.kind.resource, look.job))
    look.event(names.DELETED, _EXPIRED)
    return True


def reclaim(look: Look) -> bool:
    """Tell which pods are not needed any more; their quota is free at once."""
    found, workload = look.kind.reclaimable(look.job), look.mirror
    known = {each.name: each.count for each in workload.status.reclaimable_pods}
    if found is None or dict(found) == known or _shrinks(known, found, workload):
        return False
    pods = tuple(ReclaimablePod(name, count) for name, count in sorted(found.items()))
    look.draft.status = replace(look.draft.status, reclaimable_pods=pods)
    return False


def _shrinks(known: Mapping[str, int], found: Mapping[str, int], workload: Workload) -> bool:
    """While quota is reserved, what was given up is not taken back."""
    return workload.has_quota_reservation and any(
        found.get(name, 0) < count for name, count in known.items()
    )


def tell_pods_ready(look: Look) -> bool:
    if look.around.rules.waits_for_pods_ready:
        are_ready = look.mirror.is_admitted and look.kind.are_pods_ready(look.job)
        finishing.set_pods_ready(look.draft, are_ready=are_ready)
    return False


def follow_eviction(look: Look) -> bool:
    workload = look.mirror
    evicted = workload.condition(EVICTED)
    if evicted is None or evicted.status != "True":
        return False
    look.stop(workload, f"WorkloadEvictedDueTo{evicted.reason}", evicted.message)
    if workload.has_quota_reservation and not look.kind.is_active(look.job):
        release_evicted(look.draft, may_requeue=not look.kind.is_gone_when_stopped)
    return True


def start(look: Look) -> bool:
    workload = look.mirror
    if not look.kind.is_suspended(look.job):
        return False
    if not workload.is_admitted:
        _tell_checks(look, workload)
        _change_queue(look, workload)
        return True
    try:
        steps = look.kind.starting(look.job, assigned(workload, look.around.flavor))
    except FlavorMissing:
        look.actions.append(LookAgain(_AGAIN_SECONDS))
    except Permanent as error:
        finishing.finish(look.draft, reasons.FAILED_TO_START, str(error))
    else:
        admission = workload.status.admission
        queue = admission.cluster_queue if admission is not None else ""
        look.take(steps, names.STARTED, f"Admitted by clusterQueue {queue}")
    return True


def _tell_checks(look: Look, workload: Workload) -> None:
    pending = [
        f"{check.name}: {check.message}"
        for check in workload.status.admission_checks
        if check.state == reasons.CHECK_PENDING and check.message
    ]
    if pending and workload.has_quota_reservation:
        look.event(names.UPDATED_ADMISSION_CHECK, "; ".join(pending))


def _change_queue(look: Look, workload: Workload) -> None:
    """A job that moves to another queue takes its Workload along."""
    queue = queue_name(look.job)
    if workload.spec.queue_name != queue and not workload.has_quota_reservation:
        look.flush()
        look.actions.append(PatchWorkload(workload, {"spec": {"queueName": queue}}))


def stop_unadmitted(look: Look) -> bool:
    if not look.mirror.is_admitted:
        look.stop(look.mirror, "NotAdmitted", _NOT_ADMITTED)
    return True
