"""A job's Workload, made from the job.

Its priority comes from the WorkloadPriorityClass the job's label names; else from the PriorityClass of the job or of
its first pod template that has one; else from the cluster's default class.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from argosy.api.objects.kueue.checks import WorkloadPriorityClass
from argosy.base.names import is_label_value
from argosy.base.types import Object
from argosy.client.resources import Resource
from argosy.queueing.jobs import names
from argosy.queueing.jobs.ancestry import queue_name
from argosy.queueing.jobs.kinds import JobKind
from argosy.queueing.jobs.matching import maximum_execution_time
from argosy.queueing.jobs.naming import workload_name
from argosy.queueing.workloads import phases
from argosy.queueing.workloads.priorities import PriorityClass, resolve


@dataclass(slots=True, frozen=True)
class Priorities:
    """The priority classes there are, by name."""

    workload_classes: Mapping[str, WorkloadPriorityClass]
    pod_classes: Mapping[str, PriorityClass]


def priority_of(
    job: Object, kind_class: str, pod_sets: Iterable[Object], priorities: Priorities
) -> Object:
    """`priorityClassRef` and `priority` of a Workload's spec. Raises NotFound."""
    labels = job["metadata"].get("labels") or {}
    found = resolve(
        labels.get(names.PRIORITY_CLASS, ""),
        kind_class or _first_class(pod_sets),
        priorities.workload_classes,
        priorities.pod_classes,
    )
    spec: Object = {"priority": found.value}
    if found.reference is not None:
        spec["priorityClassRef"] = msgspec.to_builtins(found.reference)
    return spec


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


def passed_on(job: Object) -> dict[str, str]:
    """Annotations of a job that speak of its Workload: to a ProvisioningRequest, to gates, of its elasticity."""
    given: Mapping[str, str] = job["metadata"].get("annotations") or {}
    keep = (names.PROVISIONING_PREFIX, phases.ADMISSION_GATED_BY, names.ELASTIC_JOB)
    return {key: value for key, value in given.items() if key.startswith(keep)}


def make_workload(
    kind: JobKind, job: Object, priorities: Priorities, label_keys: Sequence[str] = ()
) -> Object:
    """Raises NotFound where a priority class is."""
    meta = job["metadata"]
    given = meta.get("labels") or {}
    labels = {key: given[key] for key in label_keys if key in given}
    if not is_label_value(meta["uid"]):
        labels[phases.JOB_UID] = meta["uid"]
    resource = kind.resource
    metadata: Object = {
        "name": workload_name(resource.kind, resource.group, meta["name"], meta["uid"]),
        "namespace": meta["namespace"],
        "labels": labels,
        "finalizers": [phases.RESOURCE_IN_USE],
        "ownerReferences": [owner_reference(resource, meta)],
    }
    if annotations := passed_on(job):
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
