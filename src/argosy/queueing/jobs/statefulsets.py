"""The controller of StatefulSets: keeps the Workload of each, which its pods, a group, name as theirs.

Whether pods run is decided with the group (`grouping`). Here the Workload is made, brought in line while it has no
quota, put on hold while the StatefulSet is scaled to zero, and deleted when it asks for other pods than the
StatefulSet makes by now: its pods go with it and queue again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from argosy.api.objects.kueue.workloads import QUOTA_RESERVED, Workload
from argosy.base.errors import NotFound
from argosy.base.types import Object
from argosy.client.objects import Key
from argosy.control.assemblies import Assembly
from argosy.control.reconcilers import Result
from argosy.queueing.jobs import names
from argosy.queueing.jobs.actions import Action, CreateWorkload, DeleteWorkload, PatchWorkload
from argosy.queueing.jobs.ancestry import queue_name
from argosy.queueing.jobs.deciding import decide_gone
from argosy.queueing.jobs.integrations.services import StatefulSets, group_workload, replicas_of
from argosy.queueing.jobs.integrations.traits import role_hash
from argosy.queueing.jobs.looks import Look, key_of
from argosy.queueing.jobs.making import make_spec, make_workload
from argosy.queueing.jobs.measuring import measured
from argosy.queueing.jobs.mirroring import follow_priority, tell_missing_class
from argosy.queueing.jobs.pictures import Picture
from argosy.queueing.jobs.surroundings import Surroundings
from argosy.queueing.jobs.writing import Writer
from argosy.queueing.metrics.jobs import JobMetrics
from argosy.queueing.workloads import reasons
from argosy.queueing.workloads.phases import is_on_hold
from argosy.queueing.workloads.reserving import unreserve

_KIND: Final = StatefulSets()
_WORKERS: Final = 5
ON_HOLD: Final = "StatefulSet scaled to zero; workload on hold"
OFF_HOLD: Final = "Workload no longer on hold; waiting for quota reservation"


def decide_stateful(
    job: Object, workloads: Sequence[Workload], around: Surroundings
) -> list[Action]:
    """What becomes of a StatefulSet's Workload. Pure."""
    meta = job["metadata"]
    if meta.get("deletionTimestamp"):
        return []
    if not around.is_managed_namespace(meta["namespace"]):
        return []
    if not queue_name(job) and not around.rules.manages_unnamed:
        return []
    look = Look(_KIND, job, list(workloads), around)
    workload = around.workload(meta["namespace"], group_workload(job))
    if workload is None:
        if replicas_of(job):
            _create(look)
        return look.actions
    look.workload = workload
    if workload.metadata.deletion_timestamp is None:
        _keep(look, workload)
    look.flush()
    return look.actions


def _create(look: Look) -> None:
    rules = look.around.rules
    try:
        body = make_workload(_KIND, look.job, look.around.priorities, rules.label_keys_to_copy)
    except NotFound as error:
        tell_missing_class(look, error)
        return
    body["metadata"]["name"] = group_workload(look.job)
    annotations = body["metadata"].get("annotations") or {}
    body["metadata"]["annotations"] = {**annotations, names.IS_GROUP_WORKLOAD: "true"}
    look.actions.append(CreateWorkload(body))
    meta = body["metadata"]
    look.event(names.CREATED_WORKLOAD, f"Created Workload: {meta['namespace']}/{meta['name']}")


def _keep(look: Look, workload: Workload) -> None:
    if not replicas_of(look.job):
        _hold(look, workload)
        return
    if is_on_hold(workload):
        look.draft.set_condition(QUOTA_RESERVED, "False", reasons.PENDING_EVALUATION, OFF_HOLD)
    if workload.is_finished or not _says_the_same(look.job, workload):
        _renew(look, workload)
    elif workload.spec.queue_name != queue_name(look.job) and not workload.has_quota_reservation:
        change = {"spec": {"queueName": queue_name(look.job)}}
        look.actions.append(PatchWorkload(workload, change))
    else:
        follow_priority(look)


def _hold(look: Look, workload: Workload) -> None:
    """Quota is given back once the last pod has gone."""
    if not workload.has_quota_reservation or not _KIND.is_active(look.job):
        unreserve(look.draft, reasons.ON_HOLD, ON_HOLD)


def _says_the_same(job: Object, workload: Workload) -> bool:
    """As many pods that ask for as much. A new image needs no new admission."""
    (wanted,) = _KIND.pod_sets(job)
    sets = workload.spec.pod_sets
    return (
        len(sets) == 1
        and sets[0].count == wanted["count"]
        and role_hash(sets[0].template.get("spec") or {})
        == role_hash(wanted["template"].get("spec") or {})
    )


def _renew(look: Look, workload: Workload) -> None:
    if workload.has_quota_reservation or workload.is_finished:
        look.actions.append(DeleteWorkload(workload))
        text = f"Deleted not matching Workload: {key_of(workload)}"
        look.event(names.DELETED_WORKLOAD, text)
        return
    try:
        spec = make_spec(_KIND, look.job, look.around.priorities)
    except NotFound as error:
        tell_missing_class(look, error)
        return
    for field in ("queueName", "priorityClassRef", "maximumExecutionTimeSeconds"):
        spec.setdefault(field, None)
    look.actions.append(PatchWorkload(workload, {"spec": spec}))
    text = f"Updated not matching Workload for suspended job: {key_of(workload)}"
    look.event(names.UPDATED_WORKLOAD, text)


class StatefulSetWorkloads:
    """Keeps the Workloads of StatefulSets."""

    def __init__(self, assembly: Assembly, picture: Picture) -> None:
        resource = _KIND.resource
        self._client = assembly.client
        self._picture = picture
        self._metrics = JobMetrics(assembly.metrics)
        self._recorder = assembly.recorder(f"{_KIND.framework}-kueue-controller")
        self._sets = assembly.informer(resource, dict)
        picture.follow(resource.api_version, resource.kind, self._sets, self)
        self._queue = assembly.controller("kueue-statefulsets", self._reconcile, workers=_WORKERS)
        self._sets.add_handler(self._set_changed)

    def _set_changed(self, old: Object | None, new: Object | None) -> None:
        found = new if new is not None else old
        if found is not None:
            meta = found["metadata"]
            self._queue.add(Key(meta["namespace"], meta["name"]))

    def look_at(self, key: Key) -> None:
        self._queue.add(key)

    def look_at_children(self, uid: str) -> None:
        """What is below a StatefulSet is its pods."""

    def look_at_expecting(self, workload: str) -> None:
        """Each makes its own."""

    async def _reconcile(self, key: Key) -> Result:
        resource = _KIND.resource
        workloads = self._picture.workloads_named_for(resource.api_version, resource.kind, key)
        job = self._sets.get(*key)
        if job is None:
            actions = decide_gone(workloads, self._picture)
        else:
            actions = decide_stateful(job, workloads, self._picture)
        done = measured(self._metrics, resource.kind, job, self._picture)
        return Result(await Writer(self._client, self._recorder, done).perform(actions))
