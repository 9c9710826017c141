"""Which run of a CronJob is due, and when to look again. Pure.

Mirrors upstream's controller: of several missed runs only the last is made up for; a run that could not start within
startingDeadlineSeconds is skipped; the run's Job is named after its minute, so that no run is ever made twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Final

from argosy.api.objects.cronjobs import CronJob
from argosy.workloads.cronjobs.schedules import Schedule

# A little past the minute, for clocks that differ.
_PADDING: Final = timedelta(milliseconds=100)
_MANY: Final = 100
# A deadline longer than this is none.
_LONGEST_SECONDS: Final = 10**9


class Missed(Enum):
    NONE = 0
    FEW = 1
    MANY = 2


class InvalidSchedule(ValueError):
    """A schedule that is well-formed and fires never."""


@dataclass(frozen=True, slots=True)
class Recent:
    """Where counting starts, the last firing since then that is not in the future, and how many there were."""

    earliest: datetime
    last: datetime | None
    missed: Missed


def most_recent(job: CronJob, now: datetime, schedule: Schedule, *, with_deadline: bool) -> Recent:
    """The last firing of the schedule that has come. Raises InvalidSchedule."""
    created = job.metadata.creation_timestamp
    assert created is not None
    earliest = job.status.last_schedule_time or created
    deadline = _deadline(job)
    if with_deadline and deadline is not None:
        earliest = max(earliest, now - deadline)
    first = schedule.next(earliest)
    second = schedule.next(first) if first is not None else None
    if first is None or second is None:
        raise InvalidSchedule("time difference between two schedules is less than 1 second")
    if now < first:
        return Recent(earliest, None, Missed.NONE)
    if now < second:
        return Recent(earliest, first, Missed.NONE)
    step = max(1, round((second - first).total_seconds()))
    count = int((now - first).total_seconds()) // step + 1
    # Steps may differ in length, so the search begins one of them early.
    when = schedule.next(first + timedelta(seconds=(count - 2) * step))
    last = None
    while when is not None and when <= now:
        last, when = when, schedule.next(when)
    return Recent(earliest, last, Missed.MANY if count > _MANY else Missed.FEW)


def seconds_to_next(job: CronJob, now: datetime, schedule: Schedule) -> float | None:
    """How long until the CronJob has to be looked at again; None when never."""
    try:
        recent = most_recent(job, now, schedule, with_deadline=False)
    except InvalidSchedule:
        start = now
    else:
        start = recent.last or (recent.earliest if recent.missed is Missed.NONE else now)
    following = schedule.next(start)
    return (following + _PADDING - now).total_seconds() if following is not None else None


def is_too_late(job: CronJob, scheduled: datetime, now: datetime) -> bool:
    deadline = _deadline(job)
    return deadline is not None and scheduled + deadline < now


def _deadline(job: CronJob) -> timedelta | None:
    seconds = job.spec.starting_deadline_seconds
    return (
        timedelta(seconds=seconds) if seconds is not None and seconds < _LONGEST_SECONDS else None
    )


def job_name(job: CronJob, scheduled: datetime) -> str:
    return f"{job.metadata.name}-{int(scheduled.timestamp()) // 60}"
