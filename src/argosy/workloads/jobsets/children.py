"""The Jobs of a JobSet, sorted by what has become of them.

Jobs of an earlier attempt are `previous` whatever their state: they only wait for their end. A Job whose attempt cannot
be read is somebody's defect, and goes the same way.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from argosy.api.objects import Condition, Job, find_condition, is_true
from argosy.api.objects.jobsets import JobSet
from argosy.workloads.jobsets.names import RESTART_ATTEMPT


@dataclass(slots=True)
class Children:
    """Each list is in the order of the Jobs' names."""

    active: list[Job] = field(default_factory=list)
    succeeded: list[Job] = field(default_factory=list)
    failed: list[Job] = field(default_factory=list)
    previous: list[Job] = field(default_factory=list)

    @property
    def names(self) -> set[str]:
        """All names that are taken."""
        lists = (self.active, self.succeeded, self.failed, self.previous)
        return {job.metadata.name for jobs in lists for job in jobs}


def sort_children(jobset: JobSet, jobs: Iterable[Job]) -> Children:
    children = Children()
    for job in sorted(jobs, key=lambda job: job.metadata.name):
        attempt = job.metadata.labels.get(RESTART_ATTEMPT, "")
        if not attempt.isdecimal() or int(attempt) < jobset.status.restarts:
            children.previous.append(job)
        elif failure(job) is not None:
            children.failed.append(job)
        elif is_true(job.status.conditions, "Complete"):
            children.succeeded.append(job)
        else:
            children.active.append(job)
    return children


def failure(job: Job) -> Condition | None:
    """The condition that says that the Job has failed, and why."""
    condition = find_condition(job.status.conditions, "Failed")
    return condition if condition is not None and condition.status == "True" else None
