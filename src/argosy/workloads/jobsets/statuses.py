"""The status of a JobSet as it becomes during one look, and the events that tell of it.

`counted` says what the child Jobs add up to. `Draft` collects changes of one look; nothing is written unless something
changed, and events are told only when the status has been written. A condition that has its status already keeps its
reason, message and time; one that is False is never added new. Of the two conditions of a startup policy at most one
is True.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from msgspec.structs import replace

from argosy.api.objects import Condition, Job
from argosy.api.objects.jobsets import JobSet, JobSetStatus, ReplicatedJobStatus
from argosy.base.timestamps import format_time
from argosy.base.types import Object
from argosy.control.recorders import EventType
from argosy.workloads.jobsets.children import Children
from argosy.workloads.jobsets.names import REPLICATED_JOB_NAME

COMPLETED: Final = "Completed"
FAILED: Final = "Failed"
SUSPENDED: Final = "Suspended"
STARTUP_IN_PROGRESS: Final = "StartupPolicyInProgress"
STARTUP_COMPLETED: Final = "StartupPolicyCompleted"
_STARTUP: Final = frozenset({STARTUP_IN_PROGRESS, STARTUP_COMPLETED})


@dataclass(slots=True, frozen=True)
class Happening:
    """An event about the JobSet."""

    type: EventType
    reason: str
    message: str


@dataclass(slots=True)
class Draft:
    """`status` as it is going to be."""

    status: JobSetStatus
    now: datetime
    is_changed: bool = False
    happenings: list[Happening] = field(default_factory=list)

    def count(self, counts: tuple[ReplicatedJobStatus, ...]) -> None:
        if counts != self.status.replicated_jobs_status:
            self._change(replace(self.status, replicated_jobs_status=counts))

    def complete(self) -> None:
        self._set(COMPLETED, "AllJobsCompleted", "jobset completed successfully")
        self._change(replace(self.status, terminal_state=COMPLETED))

    def fail(self, reason: str, message: str) -> None:
        self._set(FAILED, reason, message, type_="Warning")
        self._change(replace(self.status, terminal_state=FAILED))

    def restart(self, reason: str, message: str, *, counts: bool) -> None:
        """Begin the next attempt; the Jobs of this one go at the next look."""
        towards_max = self.status.restarts_count_towards_max + counts
        self._change(
            replace(
                self.status,
                restarts=self.status.restarts + 1,
                restarts_count_towards_max=towards_max,
            )
        )
        self.happenings.append(Happening("Warning", reason, message))

    def suspend(self) -> None:
        self._set(SUSPENDED, "SuspendedJobs", "jobset is suspended")

    def resume(self) -> None:
        self._set(SUSPENDED, "ResumeJobs", "jobset is resumed", status="False")

    def start_in_order(self) -> None:
        reason, message = "InOrderStartupPolicyInProgress", "in order startup policy is in progress"
        self._set(STARTUP_IN_PROGRESS, reason, message)

    def started_in_order(self) -> None:
        reason, message = "InOrderStartupPolicyCompleted", "in order startup policy has completed"
        self._set(STARTUP_COMPLETED, reason, message)

    def _change(self, status: JobSetStatus) -> None:
        self.status = status
        self.is_changed = True

    def _set(
        self,
        name: str,
        reason: str,
        message: str,
        *,
        status: str = "True",
        type_: EventType = "Normal",
    ) -> None:
        new = Condition(
            type=name, status=status, reason=reason, message=message, last_transition_time=self.now
        )
        conditions = _with_condition(self.status.conditions, new)
        if conditions == self.status.conditions:
            return
        self._change(replace(self.status, conditions=conditions))
        self.happenings.append(Happening(type_, reason, message))


def _with_condition(conditions: tuple[Condition, ...], new: Condition) -> tuple[Condition, ...]:
    result = []
    is_known = False
    for condition in conditions:
        if condition.type == new.type:
            is_known = True
            result.append(condition if condition.status == new.status else new)
        elif {condition.type, new.type} == _STARTUP and condition.status == new.status == "True":
            result.append(replace(condition, status="False"))
        else:
            result.append(condition)
    if not is_known and new.status == "True":
        result.append(new)
    return tuple(result)


def counted(jobset: JobSet, children: Children) -> tuple[ReplicatedJobStatus, ...]:
    """What the Jobs of the current attempt add up to, by name, the last name first as upstream lists them."""
    tallies = {job.name: _Tally() for job in jobset.spec.replicated_jobs}
    for tally, job in _of_known(tallies, children.active):
        tally.ready += _is_ready(job)
        tally.active += job.status.active > 0
        tally.suspended += job.spec.suspend
    for tally, _ in _of_known(tallies, children.succeeded):
        tally.succeeded += 1
    for tally, _ in _of_known(tallies, children.failed):
        tally.failed += 1
    return tuple(
        ReplicatedJobStatus(
            name, tally.ready, tally.succeeded, tally.failed, tally.active, tally.suspended
        )
        for name, tally in sorted(tallies.items(), reverse=True)
    )


def written(status: JobSetStatus) -> Object:
    """The status as a merge patch writes it."""
    return {
        "conditions": [_condition(condition) for condition in status.conditions] or None,
        "restarts": status.restarts,
        "restartsCountTowardsMax": status.restarts_count_towards_max or None,
        "terminalState": status.terminal_state or None,
        "replicatedJobsStatus": [
            {
                "name": job.name,
                "ready": job.ready,
                "succeeded": job.succeeded,
                "failed": job.failed,
                "active": job.active,
                "suspended": job.suspended,
            }
            for job in status.replicated_jobs_status
        ]
        or None,
    }


@dataclass(slots=True)
class _Tally:
    ready: int = 0
    succeeded: int = 0
    failed: int = 0
    active: int = 0
    suspended: int = 0


def _of_known(tallies: dict[str, _Tally], jobs: Iterable[Job]) -> Iterable[tuple[_Tally, Job]]:
    for job in jobs:
        tally = tallies.get(job.metadata.labels.get(REPLICATED_JOB_NAME, ""))
        if tally is not None:
            yield tally, job


def _is_ready(job: Job) -> bool:
    """Whether all pods that run at once are ready or have succeeded."""
    parallelism = job.spec.parallelism if job.spec.parallelism is not None else 1
    completions = job.spec.completions
    pods = parallelism if completions is None else min(parallelism, completions)
    return job.status.succeeded + (job.status.ready or 0) >= pods


def _condition(condition: Condition) -> Object:
    assert condition.last_transition_time is not None, "the schema requires it"
    return {
        "type": condition.type,
        "status": condition.status,
        "reason": condition.reason,
        "message": condition.message,
        "lastTransitionTime": format_time(condition.last_transition_time),
    }
