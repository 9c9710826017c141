"""What is filled in when a job is made: a queue, a priority class, suspension. Pure; the store is asked through
`Facts`.

A job of a kind that another managed job controls gets none of it: it runs when that one does.
"""

from __future__ import annotations

from typing import Protocol

from argosy.base.types import Object
from argosy.queueing.jobs import names
from argosy.queueing.jobs.ancestry import Parent, controller_of, lineage, queue_name
from argosy.queueing.jobs.kinds import JobKind


class Facts(Protocol):
    """What a webhook knows of the cluster."""

    @property
    def manages_unnamed(self) -> bool: ...

    def is_managed_namespace(self, name: str) -> bool: ...

    def has_default_queue(self, namespace: str) -> bool: ...

    def has_default_priority(self) -> bool: ...

    def is_dispatched(self, namespace: str, queue: str) -> bool:
        """Whether the queue sends its workloads to other clusters."""

    def is_framework(self, reference: Object) -> bool:
        """Whether an owner is of a kind that is managed."""

    def parent(self, reference: Object, namespace: str) -> Parent | None: ...


def default_job(kind: JobKind, job: Object, facts: Facts) -> Object:
    """The job as it should be stored."""
    namespace = job["metadata"].get("namespace", "")
    if not facts.is_managed_namespace(namespace):
        return job
    job = with_default_queue(job, facts)
    if not is_managed(job, facts):
        return job
    job = with_default_priority(job, facts)
    if not kind.is_suspended(job):
        job = kind.suspended(job)
    queue = queue_name(job)
    if queue and kind.can_be_dispatched(job) and facts.is_dispatched(namespace, queue):
        job = {**job, "spec": {**job["spec"], "managedBy": names.MULTI_KUEUE_CONTROLLER}}
    return job


def with_default_queue(job: Object, facts: Facts) -> Object:
    """A namespace with a LocalQueue of the name `default` queues what names no queue."""
    owner = controller_of(job)
    if queue_name(job) or (owner is not None and facts.is_framework(owner)):
        return job
    if not facts.has_default_queue(job["metadata"].get("namespace", "")):
        return job
    return labelled(job, {names.QUEUE_NAME: names.DEFAULT_LOCAL_QUEUE})


def with_default_priority(job: Object, facts: Facts) -> Object:
    labels = job["metadata"].get("labels") or {}
    if names.PRIORITY_CLASS in labels or not facts.has_default_priority():
        return job
    return labelled(job, {names.PRIORITY_CLASS: names.DEFAULT_PRIORITY_CLASS})


def is_managed(job: Object, facts: Facts) -> bool:
    """Whether the job gets a Workload of its own."""
    if not queue_name(job) and not facts.manages_unnamed:
        return False
    found = lineage(job, facts.parent, manages_unnamed=facts.manages_unnamed)
    return found.ancestor is None


def labelled(job: Object, more: dict[str, str]) -> Object:
    labels = {**(job["metadata"].get("labels") or {}), **more}
    return {**job, "metadata": {**job["metadata"], "labels": labels}}
