"""The steps that see to it that a job has one Workload that says what it says.

A Workload of a suspended job that has no quota yet is brought in line; any other that does not fit is deleted, and the
job, if it runs, is stopped first and put back to what that Workload remembers. An elastic job that shrinks keeps its
Workload.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from argosy.api.objects.kueue.workloads import Workload
from argosy.base.errors import NotFound
from argosy.base.names import is_label_value
from argosy.base.types import Object
from argosy.queueing.jobs import names
from argosy.queueing.jobs.actions import (
    CreateWorkload,
    DeleteWorkload,
    LookAgain,
    PatchWorkload,
)
from argosy.queueing.jobs.ancestry import is_named_by_annotation, queue_name
from argosy.queueing.jobs.looks import Look, key_of
from argosy.queueing.jobs.making import make_spec, make_workload, owner_reference
from argosy.queueing.jobs.matching import is_equivalent
from argosy.queueing.workloads import finishing, phases, reasons
from argosy.queueing.workloads.writing import written

NO_MATCHING: Final = "NoMatchingWorkload"
NO_MATCH_TEXT: Final = (
    "No matching Workload; restoring pod templates according to existent Workload"
)
_NO_WORKLOAD: Final = "Missing Workload; unable to restore pod templates"
_OUT_OF_SYNC: Final = "The prebuilt workload is out of sync with its user job"
_FROM_ANNOTATION: Final = (
    'The queue "{}" was read from the annotation kueue.x-k8s.io/queue-name; '
    "set the label of the same name instead, which is what other clients select by"
)
# How soon to look for a priority class that was not there.
_AGAIN_SECONDS: Final = 5.0


def find_prebuilt(look: Look) -> bool:
    """A job may name a Workload that somebody else made for it."""
    name = prebuilt_name(look.job)
    if not name or not look.kind.takes_prebuilt:
        return False
    workload = look.around.workload(look.job["metadata"]["namespace"], name)
    if workload is None:
        return _stop_without_workload(look)
    owner = workload.metadata.controller
    if owner is not None and owner.uid != look.job["metadata"]["uid"]:
        return True
    if owner is None:
        _adopt(look, workload)
        return True
    if not is_equivalent(look.kind, look.job, workload, look.around.flavor):
        look.workload = workload
        declare_out_of_sync(look)
        return _stop_without_workload(look)
    look.workload = workload
    return False


def declare_out_of_sync(look: Look) -> None:
    finishing.finish(look.draft, reasons.OUT_OF_SYNC, _OUT_OF_SYNC)


def prebuilt_name(job: Object) -> str:
    """The annotation wins over the label."""
    meta = job["metadata"]
    for mapping in (meta.get("annotations"), meta.get("labels")):
        name: str = (mapping or {}).get(names.PREBUILT_WORKLOAD, "")
        if name:
            return name
    return ""


def _stop_without_workload(look: Look) -> bool:
    if not look.kind.is_suspended(look.job) and look.kind.finished(look.job) is None:
        look.stop(None, NO_MATCHING, _NO_WORKLOAD)
    return True


def _adopt(look: Look, workload: Workload) -> None:
    meta = look.job["metadata"]
    labels = {} if is_label_value(meta["uid"]) else {phases.JOB_UID: meta["uid"]}
    change = {
        "labels": labels,
        "ownerReferences": [
            *msgspec.to_builtins(workload.metadata.owner_references),
            owner_reference(look.kind.resource, meta),
        ],
    }
    look.actions.append(PatchWorkload(workload, {"metadata": change}))


def match(look: Look) -> bool:
    """Find the Workload that mirrors the job; bring one in line, or delete what does not fit."""
    if look.workload is not None:
        return False
    kind, job = look.kind, look.job
    others: list[Workload] = []
    for workload in look.workloads:
        if look.workload is None and is_equivalent(kind, job, workload, look.around.flavor):
            look.workload = workload
        else:
            others.append(workload)
    if look.workload is None and others and _can_update(look, others[0]):
        _update(look, others.pop(0))
        _delete(look, others)
        return True
    if look.workload is None and len(others) == 1 and _shrink(look, others[0]):
        return True
    if look.workload is None and not kind.is_suspended(job) and kind.finished(job) is None:
        # With several there is no telling which one the job was started from.
        origin = others[0] if len(others) == 1 else None
        look.stop(origin, NO_MATCHING, NO_MATCH_TEXT if origin is not None else _NO_WORKLOAD)
    return _delete(look, others)


def _shrink(look: Look, workload: Workload) -> bool:
    """An elastic job that runs with fewer pods from now on keeps its quota for those. One that grows is queued anew."""
    given = look.job["metadata"].get("annotations") or {}
    if given.get(names.ELASTIC_JOB) != "true" or look.kind.is_suspended(look.job):
        return False
    counts = {each["name"]: each["count"] for each in look.kind.pod_sets(look.job)}
    known = {each.name: each.count for each in workload.spec.pod_sets}
    if counts.keys() != known.keys() or any(counts[name] > known[name] for name in counts):
        return False
    sets = tuple(replace(each, count=counts[each.name]) for each in workload.spec.pod_sets)
    smaller = replace(workload, spec=replace(workload.spec, pod_sets=sets))
    if not is_equivalent(look.kind, look.job, smaller, look.around.flavor):
        return False
    spec = {"podSets": [written(each) for each in sets]}
    look.actions.append(PatchWorkload(workload, {"spec": spec}))
    return True


def _can_update(look: Look, workload: Workload) -> bool:
    """A pending Workload of a suspended job may follow it; one that has ended stays as it is."""
    return (
        look.kind.is_suspended(look.job)
        and not workload.has_quota_reservation
        and not workload.is_finished
        and workload.metadata.deletion_timestamp is None
        and _is_controlled(workload, look.job)
    )


def _is_controlled(workload: Workload, job: Object) -> bool:
    owner = workload.metadata.controller
    return owner is not None and owner.uid == job["metadata"]["uid"]


def _update(look: Look, workload: Workload) -> None:
    spec = _spec(look)
    if spec is None:
        return
    # A merge patch keeps what it does not name.
    for field in ("queueName", "priorityClassRef", "maximumExecutionTimeSeconds"):
        spec.setdefault(field, None)
    look.actions.append(PatchWorkload(workload, {"spec": spec}))
    key = key_of(workload)
    look.event(names.UPDATED_WORKLOAD, f"Updated not matching Workload for suspended job: {key}")


def _delete(look: Look, workloads: Sequence[Workload]) -> bool:
    for workload in workloads:
        look.let_go(workload)
        look.actions.append(DeleteWorkload(workload))
        key = key_of(workload)
        look.event(names.DELETED_WORKLOAD, f"Deleted not matching Workload: {key}")
    return bool(workloads)


def create(look: Look) -> bool:
    """Only once nothing runs: a job that is new, or has been stopped."""
    if look.workload is not None:
        return False
    if look.kind.is_active(look.job):
        return True
    try:
        body = make_workload(
            look.kind, look.job, look.around.priorities, look.around.rules.label_keys_to_copy
        )
    except NotFound as error:
        tell_missing_class(look, error)
        return True
    look.actions.append(CreateWorkload(body))
    meta = body["metadata"]
    look.event(names.CREATED_WORKLOAD, f"Created Workload: {meta['namespace']}/{meta['name']}")
    if is_named_by_annotation(look.job):
        queue = queue_name(look.job)
        look.event(names.QUEUE_NAME_ANNOTATION, _FROM_ANNOTATION.format(queue), is_warning=True)
    return True


def _spec(look: Look) -> Object | None:
    try:
        return make_spec(look.kind, look.job, look.around.priorities)
    except NotFound as error:
        tell_missing_class(look, error)
        return None


def tell_missing_class(look: Look, error: NotFound) -> None:
    """A priority class may still come."""
    is_ours = names.PRIORITY_CLASS in (look.job["metadata"].get("labels") or {})
    reason = names.PRIORITY_CLASS_NOT_FOUND if is_ours else names.ERR_WORKLOAD_COMPOSE
    look.event(reason, str(error), is_warning=True)
    look.actions.append(LookAgain(_AGAIN_SECONDS))


def follow_priority(look: Look) -> bool:
    """A WorkloadPriorityClass that the job's label names anew holds at once, also for a Workload with quota."""
    workload = look.mirror
    wanted = (look.job["metadata"].get("labels") or {}).get(names.PRIORITY_CLASS, "")
    ref = workload.spec.priority_class_ref
    is_ours = ref.kind == "WorkloadPriorityClass" if ref is not None else _may_get_class(workload)
    if not wanted or not is_ours or (ref is not None and ref.name == wanted):
        return False
    spec = _spec(look)
    if spec is not None:
        change = {field: spec[field] for field in ("priorityClassRef", "priority")}
        look.actions.append(PatchWorkload(workload, {"spec": change}))
        text = f"Updated workload priority class: {key_of(workload)}"
        look.event(names.UPDATED_WORKLOAD, text)
    return True


def _may_get_class(workload: Workload) -> bool:
    """While quota is reserved a class can be changed, not added."""
    return not workload.has_quota_reservation
