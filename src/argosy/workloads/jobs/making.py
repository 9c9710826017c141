"""The pods of a Job, made from its template.

Every pod carries the tracking finalizer. A pod of an Indexed Job knows its index by annotation, label, hostname, name
and the variable JOB_COMPLETION_INDEX; with limits per index it also carries how often its index has failed before. What
all pods share is put together once (`PodMaker`), and each pod costs a few small dicts.
"""

from __future__ import annotations

from typing import Final

from argosy.api.objects import Job, Pod
from argosy.api.wellknown import JOB_TRACKING
from argosy.base.types import Object
from argosy.client.resources import JOBS
from argosy.workloads.jobs.assessing import Situation, is_indexed
from argosy.workloads.jobs.backoffs import (
    FAILURE_COUNT,
    IGNORED_FAILURE_COUNT,
    failure_count,
    ignored_failure_count,
)
from argosy.workloads.jobs.indexes import COMPLETION_INDEX
from argosy.workloads.jobs.policies import judge_failure
from argosy.workloads.pods.templates import pod_from_template

_INDEX_VARIABLE: Final = "JOB_COMPLETION_INDEX"
# Of a DNS label's 63 characters the server needs five for its suffix.
_PREFIX_CHARACTERS: Final = 58


class PodMaker:
    """Makes the bodies of one Job's pods."""

    def __init__(self, situation: Situation) -> None:
        self._job = job = situation.job
        self._delayed = situation.delayed
        template = job.spec.template
        if is_indexed(job):
            template = {**template, "spec": _with_index_variable(template.get("spec") or {})}
        finalizers = (template.get("metadata") or {}).get("finalizers") or ()
        own = () if JOB_TRACKING in finalizers else (JOB_TRACKING,)
        self._body = pod_from_template(template, JOBS, job.metadata, finalizers=own)

    def make(self, index: int) -> Object:
        """The pod of an index; of a NonIndexed Job all pods are alike, and share one body that must not be changed."""
        job = self._job
        if not is_indexed(job):
            return self._body
        shared: Object = self._body["metadata"]
        mark = {COMPLETION_INDEX: str(index)}
        annotations = {**shared.get("annotations", {}), **mark}
        if job.spec.backoff_limit_per_index is not None:
            annotations |= _failure_counts(job, self._delayed.get(index))
        meta = {
            **shared,
            "generateName": generate_name(job.metadata.name, index),
            "labels": {**shared.get("labels", {}), **mark},
            "annotations": annotations,
        }
        hostname = f"{job.metadata.name}-{index}"
        return {"metadata": meta, "spec": {**self._body["spec"], "hostname": hostname}}


def generate_name(job: str, index: int) -> str:
    """The prefix of a pod's name: the Job's name, shortened where it has to be, and the index."""
    suffix = f"-{index}-"
    return job[: _PREFIX_CHARACTERS - len(suffix)] + suffix


def _with_index_variable(spec: Object) -> Object:
    made = {**spec}
    for field in ("initContainers", "containers"):
        if field in spec:
            made[field] = [_container(each) for each in spec[field]]
    return made


def _container(container: Object) -> Object:
    variables = container.get("env") or []
    if any(each.get("name") == _INDEX_VARIABLE for each in variables):
        return container
    source = {"fieldRef": {"fieldPath": f"metadata.labels['{COMPLETION_INDEX}']"}}
    return {**container, "env": [*variables, {"name": _INDEX_VARIABLE, "valueFrom": source}]}


def _failure_counts(job: Job, replaced: Pod | None) -> dict[str, str]:
    failures, ignored = 0, 0
    if replaced is not None:
        counts = judge_failure(job.spec.pod_failure_policy, replaced).counts
        failures = failure_count(replaced) + counts
        ignored = ignored_failure_count(replaced) + (not counts)
    made = {FAILURE_COUNT: str(failures)}
    if ignored:
        made[IGNORED_FAILURE_COUNT] = str(ignored)
    return made
