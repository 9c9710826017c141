"""The steps by which a job follows its Workload, and the Workload its job."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from argosy.api.objects.kueue.workloads import EVICTED, Workload
from argosy.queueing.jobs import conditions, names
from argosy.queueing.jobs.actions import Change, DropFinalizer, LookAgain, PatchWorkload
from argosy.queueing.jobs.ancestry import queue_name
from argosy.queueing.jobs.looks import Look, is_held
from argosy.queueing.jobs.podsets import FlavorMissing, Permanent, assigned

_DELETED: Final = "Workload is deleted"
_NOT_ADMITTED: Final = "Not admitted by cluster queue"
# How soon to look for a flavor that was not there.
_AGAIN_SECONDS: Final = 5.0


def close_finished_workload(look: Look) -> bool:
    workload = look.workload
    if workload is None or not workload.is_finished:
        return False
    if is_held(workload):
        look.finalize(workload)
    return True


def follow_deletion(look: Look) -> bool:
    workload = look.workload
    if workload is None or workload.metadata.deletion_timestamp is None:
        return False
    look.stop(workload, _DELETED)
    if is_held(workload):
        look.actions.append(DropFinalizer(workload))
    return True


def hold(look: Look) -> bool:
    """A job that wants no quota for now gives back what it has."""
    message = look.kind.on_hold(look.job)
    if not message or look.workload is None:
        return False
    if look.workload.has_quota_reservation:
        look.patch(
            look.workload,
            conditions.give_back(look.workload, "OnHold", message, look.around.now),
        )
    return True


def finish(look: Look) -> bool:
    outcome = look.kind.finished(look.job)
    if outcome is None:
        return False
    if look.workload is not None:
        reason = "Succeeded" if outcome.is_success else "Failed"
        status = conditions.finish(look.workload, reason, outcome.message, look.around.now)
        look.patch(look.workload, status)
        look.finalize(look.workload)
    return True


def reclaim(look: Look) -> bool:
    """Tell which pods are not needed any more; their quota is free at once."""
    workload = look.workload
    assert workload is not None, "created or found by now"
    found = look.kind.reclaimable(look.job)
    if found is None:
        return False
    known = {each.name: each.count for each in workload.status.reclaimable_pods}
    if dict(found) == known or _shrinks(known, found, workload):
        return False
    pods = [{"name": name, "count": count} for name, count in sorted(found.items())]
    look.patch(workload, {"reclaimablePods": pods})
    return True


def _shrinks(known: Mapping[str, int], found: Mapping[str, int], workload: Workload) -> bool:
    """While quota is reserved, what was given up is not taken back."""
    return workload.has_quota_reservation and any(
        found.get(name, 0) < count for name, count in known.items()
    )


def tell_pods_ready(look: Look) -> bool:
    workload = look.workload
    assert workload is not None, "created or found by now"
    if not look.around.rules.waits_for_pods_ready:
        return False
    wanted = conditions.pods_ready(workload, look.kind.are_pods_ready(look.job))
    if wanted is not None:
        look.put(workload, [wanted])
    return False


def follow_eviction(look: Look) -> bool:
    workload = look.workload
    assert workload is not None, "created or found by now"
    evicted = workload.condition(EVICTED)
    if evicted is None or evicted.status != "True":
        return False
    look.stop(workload, evicted.message)
    if workload.has_quota_reservation and not look.kind.is_active(look.job):
        look.patch(workload, conditions.requeue(workload, look.around.now))
    return True


def start(look: Look) -> bool:
    workload = look.workload
    assert workload is not None, "created or found by now"
    if not look.kind.is_suspended(look.job):
        return False
    if not workload.is_admitted:
        _tell_checks(look, workload)
        _change_queue(look, workload)
        return True
    try:
        after = look.kind.started(look.job, assigned(workload, look.around.flavor))
    except FlavorMissing:
        look.actions.append(LookAgain(_AGAIN_SECONDS))
        return True
    except Permanent as error:
        look.patch(
            workload,
            conditions.finish(workload, "FailedToStart", str(error), look.around.now),
        )
        return True
    look.actions.append(Change(look.kind.resource, look.job, after))
    admission = workload.status.admission
    queue = admission.cluster_queue if admission is not None else ""
    look.event(names.STARTED, f"Admitted by clusterQueue {queue}")
    return True


def _tell_checks(look: Look, workload: Workload) -> None:
    if not workload.has_quota_reservation:
        return
    pending = [
        f"{check.name}: {check.message}"
        for check in workload.status.admission_checks
        if check.state == "Pending" and check.message
    ]
    if pending:
        look.event(names.UPDATED_ADMISSION_CHECK, "; ".join(pending))


def _change_queue(look: Look, workload: Workload) -> None:
    """A job that moves to another queue, or to another priority, takes its Workload along."""
    queue = queue_name(look.job)
    if workload.spec.queue_name != queue and not workload.has_quota_reservation:
        look.actions.append(PatchWorkload(workload, {"spec": {"queueName": queue}}))


def stop_unadmitted(look: Look) -> bool:
    workload = look.workload
    assert workload is not None, "created or found by now"
    if not workload.is_admitted:
        look.stop(workload, _NOT_ADMITTED)
    return True
