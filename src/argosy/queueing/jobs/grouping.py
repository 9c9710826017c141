"""The steps of a pod group that other jobs do not have: who belongs to it, and whether it is whole.

A group's Workload is found by its name. As pods come, fail and are replaced, the Workload stays; it is given up only
when pods of a role appear that it does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from argosy.api.objects.kueue.workloads import (
    EVICTED,
    WAITING_FOR_REPLACEMENT_PODS,
    Workload,
)
from argosy.base.errors import NotFound
from argosy.base.types import Object
from argosy.client.resources import PODS
from argosy.queueing.jobs import deciding, following, mirroring, names
from argosy.queueing.jobs.actions import (
    Action,
    CreateWorkload,
    DeleteWorkload,
    PatchWorkload,
    Remove,
)
from argosy.queueing.jobs.ancestry import queue_name
from argosy.queueing.jobs.integrations.podgroups import (
    MOST_ROLES,
    Incomplete,
    Members,
    PodGroups,
    check_members,
    group_of,
    is_fast,
    is_runnable_or_succeeded,
    is_serving,
    sets_of,
    sort_out,
)
from argosy.queueing.jobs.integrations.traits import (
    group_name,
    is_ended,
    labels_of,
    releasing,
    total_count,
)
from argosy.queueing.jobs.looks import Look, key_of
from argosy.queueing.jobs.making import (
    owner_reference,
    passed_on,
    priority_of,
)
from argosy.queueing.jobs.matching import maximum_execution_time
from argosy.queueing.jobs.surroundings import Surroundings
from argosy.queueing.workloads import phases

_KIND: Final = PodGroups()
_TOO_MANY: Final = f"pod group can't include more than {MOST_ROLES} roles"
_FAILED: Final = "Some Failed pods need replacement"
_WHOLE: Final = "No pods need replacement"


def decide_group(pods: Sequence[Object], around: Surroundings) -> list[Action]:
    """What to do about the pods of one group; there is at least one."""
    look = _GroupLook(_KIND, group_of(pods), [], around)
    for step in STEPS:
        if step(look):
            break
    look.flush()
    return look.actions


class _GroupLook(Look):
    """A look at a group; `members` once they are sorted out."""

    members: Members | None = None


def _leave_others(look: Look) -> bool:
    if look.kind.is_skipped(look.job):
        return True
    return not look.around.is_managed_namespace(look.job["metadata"]["namespace"])


def _match(look: Look) -> bool:
    assert isinstance(look, _GroupLook), "the steps of a group"
    first = look.job["pods"][0]
    workload = look.around.workload(first["metadata"]["namespace"], group_name(first))
    is_prebuilt = bool(mirroring.prebuilt_name(first))
    if workload is None:
        if is_prebuilt:
            _release(look, [pod for pod in look.job["pods"] if _is_over(pod)])
        return is_prebuilt
    if workload.spec.maximum_execution_time_seconds != maximum_execution_time(first):
        return _give_up(look, workload, is_prebuilt)
    counts = {each.name: each.count for each in workload.spec.pod_sets}
    members = sort_out(look.job["pods"], counts, keeps_ended=not is_serving(look.job))
    if not members.kept and is_serving(look.job):
        # All of them have ended, and whoever makes them makes new ones.
        _release(look, members.replaced)
        return True
    if not members.kept or not _fits(workload, members, look.job["pods"]):
        return _give_up(look, workload, is_prebuilt)
    look.members, look.workload, look.job = members, workload, group_of(members.kept)
    _own(look, workload, members)
    _remove(look, members.excess)
    _release(look, members.replaced)
    return False


def _is_over(pod: Object) -> bool:
    return is_ended(pod) or not is_runnable_or_succeeded(pod)


def _release(look: Look, pods: Sequence[Object]) -> None:
    for pod in pods:
        look.take(releasing(pod))


def _fits(workload: Workload, members: Members, pods: Sequence[Object]) -> bool:
    """Whether the Workload knows all roles there are, with as many pods."""
    if workload.is_finished:
        return True
    counts = {each.name: each.count for each in workload.spec.pod_sets}
    found = sets_of(pod for pod in pods if is_runnable_or_succeeded(pod))
    kept = sets_of(members.kept)
    return all(each["name"] in counts for each in found) and all(
        each["count"] <= counts[each["name"]] for each in kept
    )


def _give_up(look: Look, workload: Workload, is_prebuilt: bool) -> bool:
    if workload.is_finished:
        look.workload = workload
        return False
    if is_prebuilt:
        look.workload = workload
        mirroring.declare_out_of_sync(look)
        return True
    look.stop(workload, mirroring.NO_MATCHING, mirroring.NO_MATCH_TEXT)
    look.let_go(workload)
    look.actions.append(DeleteWorkload(workload))
    text = f"Deleted not matching Workload: {key_of(workload)}"
    look.event(names.DELETED_WORKLOAD, text)
    return True


def _own(look: Look, workload: Workload, members: Members) -> None:
    """The Workload belongs to all pods of the group, and goes when the last of them has gone; unless somebody above the
    pods made it.
    """
    if workload.metadata.controller is not None:
        return
    known = {owner.uid for owner in workload.metadata.owner_references}
    missing = [pod for pod in members.kept if pod["metadata"]["uid"] not in known]
    if not missing:
        return
    owners = [
        *msgspec.to_builtins(workload.metadata.owner_references),
        *(owner_reference(PODS, pod["metadata"], is_controller=False) for pod in missing),
    ]
    look.actions.append(PatchWorkload(workload, {"metadata": {"ownerReferences": owners}}))


def _remove(look: Look, pods: Sequence[Object]) -> None:
    for pod in pods:
        look.take(releasing(pod))
        if not pod["metadata"].get("deletionTimestamp"):
            look.actions.append(Remove(PODS, pod))
            look.event("ExcessPodDeleted", "Excess pod deleted", about=pod)


def _tell_waiting(look: Look) -> bool:
    """Say that pods are missing; a Workload without them is not admitted again."""
    assert isinstance(look, _GroupLook), "the steps of a group"
    workload, members = look.workload, look.members
    if workload is None or members is None or workload.is_finished:
        return False
    old = workload.condition(WAITING_FOR_REPLACEMENT_PODS)
    is_said = old is not None and old.status == "True"
    evicted = workload.condition(EVICTED)
    if not _is_waiting(look.job, members):
        if is_said:
            _say_waiting(look, "False", "PodsReady", _WHOLE)
    elif evicted is not None and evicted.status == "True":
        _say_waiting(look, "True", evicted.reason, evicted.message)
    elif not is_said:
        _say_waiting(look, "True", "PodsFailed", _FAILED)
    return False


def _say_waiting(look: Look, status: str, reason: str, message: str) -> None:
    look.draft.set_condition(WAITING_FOR_REPLACEMENT_PODS, status, reason, message)


def _is_waiting(job: Object, members: Members) -> bool:
    """Pods that were never made are no failure where the group is known from its first."""
    if not members.absent:
        return False
    is_expected = is_fast(job) or is_serving(job)
    return not is_expected or any(not is_runnable_or_succeeded(pod) for pod in members.kept)


def _create(look: Look) -> bool:
    if look.workload is not None:
        return False
    active = [pod for pod in look.job["pods"] if is_runnable_or_succeeded(pod)]
    for pod in look.job["pods"]:
        if not is_runnable_or_succeeded(pod):
            look.take(releasing(pod))
    try:
        check_members(look.job, active)
        active = _trimmed(look, active)
        body = _body(look, active)
    except Incomplete as error:
        look.event(names.ERR_WORKLOAD_COMPOSE, str(error), is_warning=True)
        return True
    except NotFound as error:
        mirroring.tell_missing_class(look, error)
        return True
    look.actions.append(CreateWorkload(body))
    meta = body["metadata"]
    for pod in active:
        text = f"Created Workload: {meta['namespace']}/{meta['name']}"
        look.event(names.CREATED_WORKLOAD, text, about=pod)
    return True


def _trimmed(look: Look, active: list[Object]) -> list[Object]:
    total = total_count(active[0]) if active else None
    if total is None or len(active) <= total:
        return active
    members = sort_out([_as_one_role(pod) for pod in active], {"group": total})
    by_uid = {pod["metadata"]["uid"]: pod for pod in active}
    _remove(look, [by_uid[pod["metadata"]["uid"]] for pod in members.excess])
    return [by_uid[pod["metadata"]["uid"]] for pod in members.kept]


def _as_one_role(pod: Object) -> Object:
    meta = pod["metadata"]
    annotations = {**(meta.get("annotations") or {}), names.ROLE_HASH: "group"}
    return {**pod, "metadata": {**meta, "annotations": annotations}}


def _body(look: Look, pods: Sequence[Object]) -> Object:
    group = group_of(pods)
    first = group["pods"][0]
    pod_sets = look.kind.pod_sets(group)
    if len(pod_sets) > MOST_ROLES:
        raise Incomplete(_TOO_MANY)
    spec: Object = {"podSets": pod_sets}
    if queue := queue_name(first):
        spec["queueName"] = queue
    spec |= priority_of(first, "", pod_sets, look.around.priorities)
    if (seconds := maximum_execution_time(first)) is not None:
        spec["maximumExecutionTimeSeconds"] = seconds
    metadata: Object = {
        "name": group_name(first),
        "namespace": first["metadata"]["namespace"],
        "labels": _labels(look, pods),
        "annotations": {**passed_on(first), names.IS_GROUP_WORKLOAD: "true"},
        "finalizers": [phases.RESOURCE_IN_USE],
        "ownerReferences": [
            owner_reference(PODS, pod["metadata"], is_controller=False) for pod in pods
        ],
    }
    return {"metadata": metadata, "spec": spec}


def _labels(look: Look, pods: Sequence[Object]) -> dict[str, str]:
    found: dict[str, str] = {}
    for pod in pods:
        for key in look.around.rules.label_keys_to_copy:
            value = labels_of(pod).get(key)
            if value is not None and found.setdefault(key, value) != value:
                raise Incomplete("constructing workload: pods have different label values")
    return found


STEPS: Final[tuple[Callable[[Look], bool], ...]] = (
    _leave_others,
    deciding.leave_unnamed,
    _match,
    following.close_finished_workload,
    _tell_waiting,
    following.follow_deletion,
    following.finish,
    _create,
    following.delete_deactivated,
    mirroring.follow_priority,
    following.reclaim,
    following.tell_pods_ready,
    following.follow_eviction,
    following.start,
    following.stop_unadmitted,
)
