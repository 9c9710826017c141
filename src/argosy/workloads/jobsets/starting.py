"""Which replicated jobs may run: after those before them (InOrder), after those they depend on, or all at once.

The counts are those of the current look, so a restart begins the order anew.
"""

from __future__ import annotations

from collections.abc import Iterator

from argosy.api.objects.jobsets import JobSet, ReplicatedJob
from argosy.workloads.jobsets.statuses import Draft


def is_in_order(jobset: JobSet) -> bool:
    return jobset.spec.startup_policy.startup_policy_order == "InOrder"


def eligible(jobset: JobSet, draft: Draft) -> Iterator[ReplicatedJob]:
    """The replicated jobs whose dependencies are as far as they have to be, in the order of the spec."""
    replicas: dict[str, int] = {}
    for job in jobset.spec.replicated_jobs:
        # A job may name itself among its dependencies, and then waits for ever: upstream lets it.
        replicas[job.name] = job.replicas
        if _dependencies_met(job, replicas, draft):
            yield job


def has_started(job: ReplicatedJob, draft: Draft) -> bool:
    """Whether all Jobs of a replicated job have come to run, or further."""
    for status in draft.status.replicated_jobs_status:
        if status.name == job.name:
            return job.replicas == status.failed + status.ready + status.succeeded
    return False


def _dependencies_met(job: ReplicatedJob, replicas: dict[str, int], draft: Draft) -> bool:
    if not job.depends_on:
        return True
    counts = {status.name: status for status in draft.status.replicated_jobs_status}
    for dependency in job.depends_on:
        status = counts.get(dependency.name)
        if status is None:
            return False
        reached = status.succeeded
        if dependency.status == "Ready":
            reached += status.failed + status.ready
        if reached != replicas.get(dependency.name):
            return False
    return True
