"""A job's Workload, made from the job.

Its priority comes from the WorkloadPriorityClass the job's label names; else from the PriorityClass of the job or of
its first pod template that has one; else from the cluster's default class.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Protocol

from argosy.base.names import is_label_value
from argosy.base.types import Object
from argosy.client.resources import Resource
from argosy.queueing.jobs import names
from argosy.queueing.jobs.ancestry import queue_name
from argosy.queueing.jobs.kinds import JobKind
from argosy.queueing.jobs.matching import maximum_execution_time
from argosy.queueing.jobs.naming import workload_name

_WORKLOAD_CLASS: Final = {"group": "kueue.x-k8s.io", "kind": "WorkloadPriorityClass"}
_POD_CLASS: Final = {"group": "scheduling.k8s.io", "kind": "PriorityClass"}


class PriorityClassMissing(Exception):
    """A job names a priority class that is not there."""

    def __init__(self, name: str, *, is_workload_class: bool) -> None:
        resource = (
            "workloadpriorityclasses.kueue.x-k8s.io"
            if is_workload_class
            else "priorityclasses.scheduling.k8s.io"
        )
        super().__init__(f'{resource} "{name}" not found')
        self.is_workload_class = is_workload_class


class Priorities(Protocol):
    """The values of priority classes; None where there is no such class."""

    def workload_class(self, name: str) -> int | None: ...

    def pod_class(self, name: str) -> int | None: ...

    def default_pod_class(self) -> tuple[str, int] | None:
        """The class that holds where none is named."""


def priority_of(
    job: Object, kind_class: str, pod_sets: Iterable[Object], priorities: Priorities
) -> Object:
    """`priorityClassRef` and `priority` of a Workload's spec. Raises PriorityClassMissing."""
    labels = job["metadata"].get("labels") or {}
    if name := labels.get(names.PRIORITY_CLASS, ""):
        value = priorities.workload_class(name)
        if value is None:
            raise PriorityClassMissing(name, is_workload_class=True)
        return {"priorityClassRef": {**_WORKLOAD_CLASS, "name": name}, "priority": value}
    name = kind_class or _first_class(pod_sets)
    if name:
        value = priorities.pod_class(name)
        if value is None:
            raise PriorityClassMissing(name, is_workload_class=False)
        return {"priorityClassRef": {**_POD_CLASS, "name": name}, "priority": value}
    default = priorities.default_pod_class()
    if default is None:
        return {"priority": 0}
    return {"priorityClassRef": {**_POD_CLASS, "name": default[0]}, "priority": default[1]}


def _first_class(pod_sets: Iterable[Object]) -> str:
    for pod_set in pod_sets:
        name: str = (pod_set["template"].get("spec") or {}).get("priorityClassName", "")
        if name:
            return name
    return ""


def owner_reference(resource: Resource, meta: Object, *, is_controller: bool = True) -> Object:
    reference: Object = {
        "apiVersion": resource.api_version,
        "kind": resource.kind,
        "name": meta["name"],
        "uid": meta["uid"],
    }
    if is_controller:
        reference |= {"controller": True, "blockOwnerDeletion": True}
    return reference


def provisioning_annotations(job: Object) -> dict[str, str]:
    """What a job has to say to a ProvisioningRequest."""
    given: Mapping[str, str] = job["metadata"].get("annotations") or {}
    keep = (names.PROVISIONING_PREFIX, names.ADMISSION_GATED_BY)
    return {key: value for key, value in given.items() if key.startswith(keep)}


def make_workload(
    kind: JobKind, job: Object, priorities: Priorities, label_keys: Sequence[str] = ()
) -> Object:
    """Raises PriorityClassMissing."""
    meta = job["metadata"]
    given = meta.get("labels") or {}
    labels = {key: given[key] for key in label_keys if key in given}
    if not is_label_value(meta["uid"]):
        labels[names.JOB_UID] = meta["uid"]
    resource = kind.resource
    metadata: Object = {
        "name": workload_name(resource.kind, resource.group, meta["name"], meta["uid"]),
        "namespace": meta["namespace"],
        "labels": labels,
        "finalizers": [names.RESOURCE_IN_USE],
        "ownerReferences": [owner_reference(resource, meta)],
    }
    if annotations := provisioning_annotations(job):
        metadata["annotations"] = annotations
    return {"metadata": metadata, "spec": make_spec(kind, job, priorities)}


def make_spec(kind: JobKind, job: Object, priorities: Priorities) -> Object:
    pod_sets = kind.pod_sets(job)
    spec: Object = {"podSets": pod_sets}
    if queue := queue_name(job):
        spec["queueName"] = queue
    spec |= priority_of(job, kind.priority_class(job), pod_sets, priorities)
    seconds = maximum_execution_time(job)
    if seconds is not None:
        spec["maximumExecutionTimeSeconds"] = seconds
    return spec
