"""How the end of a job is told, from its cluster to its placement: in a condition `Finished`, which upstream has not.

Its status is False while the job runs, and then its time is when the run began; it is True once the job has ended, and
then its time is when it ended: both as the job itself says. So that the beginning is known at the end, too, however
short the run was and whoever was away, a manifest's message ends with something for machines: which manifest it was
that ran, by the first digits of its hash, and when it began. People do not get to read that (`readable`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Final, NamedTuple

import msgspec

from argosy.api.objects.conditions import with_condition
from argosy.api.objects.metadata import Condition, find_condition
from argosy.base.timestamps import format_time, parse_time

# Its reasons.
COMPLETE: Final = "JobComplete"
FAILED: Final = "JobFailed"
RUNNING: Final = "JobRunning"
SUSPENDED: Final = "JobSuspended"

# Group and kind of what is a job.
JOB_KINDS: Final = frozenset(
    {("batch", "Job"), ("jobset.x-k8s.io", "JobSet"), ("ray.io", "RayJob")}
)

# What a job says that has begun while some of its pods have no node yet, or do not run there.
_PARTLY: Final = "not all of them running"
_DIGITS: Final = 12
_RAN: Final = re.compile(rf" \(manifest ([0-9a-f]{{{_DIGITS}}})(?:, started ([0-9TZ:.+-]+))?\)$")


class Ran(NamedTuple):
    """What a message says of the run for machines. `manifest` is the beginning of its hash."""

    manifest: str
    started: datetime | None = None

    def __str__(self) -> str:
        since = f", started {format_time(self.started)}" if self.started is not None else ""
        return f" (manifest {self.manifest[:_DIGITS]}{since})"


def ran(message: str) -> Ran | None:
    """What a message ends with; None where it was written by somebody else."""
    found = _RAN.search(message)
    if found is None:
        return None
    try:
        return Ran(found[1], parse_time(found[2]) if found[2] else None)
    except ValueError:
        return Ran(found[1])


def told(succeeded: int, failed: int, active: int, *, is_partial: bool = False) -> str:
    """The counts of a job's pods; `is_partial`: not all that are active run already."""
    more = f", {_PARTLY}" if is_partial else ""
    return f"{succeeded} succeeded, {failed} failed, {active} active{more}"


def is_partial(condition: Condition) -> bool:
    """Whether a job that runs had pods, when last it told, that did not run."""
    return _PARTLY in condition.message


def readable(message: str) -> str:
    """The message as people read it."""
    return _RAN.sub("", message)


def started_at(condition: Condition) -> datetime | None:
    """When the job of a manifest began to run."""
    if condition.status != "True":
        return condition.last_transition_time
    known = ran(condition.message)
    return known.started if known is not None else None


def with_outcome(
    conditions: tuple[Condition, ...], outcome: Condition, now: datetime
) -> tuple[Condition, ...]:
    """The conditions after an outcome was told. The time it brings along counts, even where its status stays: a job
    that was stopped and runs again began anew.
    """
    when = outcome.last_transition_time
    said = with_condition(conditions, outcome, now)
    current = find_condition(said, outcome.type)
    if when is None or current is None or current.last_transition_time == when:
        return said
    dated = msgspec.structs.replace(current, last_transition_time=when)
    return tuple(dated if each is current else each for each in said)


def earliest(times: Iterable[datetime | None]) -> datetime | None:
    return min((each for each in times if each is not None), default=None)


def latest(times: Iterable[datetime | None]) -> datetime | None:
    return max((each for each in times if each is not None), default=None)
