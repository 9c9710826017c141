"""When a cron schedule fires next.

Five fields as robfig/cron reads them, which is what Kubernetes uses; `api.rules.batch.schedules` has judged the
syntax
before. A day counts when both its fields match, or either of them where both are restricted. Times are walked in
absolute
time and looked at in the schedule's zone, so an hour that a clock change skips has no firing and one that it
repeats has
two, as upstream. A schedule that fires on no day within five years never does.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import Final, Protocol
from zoneinfo import ZoneInfo

from argosy.base.durations import parse_duration

_MONTHS: Final = "jan feb mar apr may jun jul aug sep oct nov dec"
_WEEKDAYS: Final = "sun mon tue wed thu fri sat"
_NAMES: Final[tuple[dict[str, int], ...]] = (
    {},
    {},
    {},
    {name: number for number, name in enumerate(_MONTHS.split(), 1)},
    {name: number for number, name in enumerate(_WEEKDAYS.split())},
)
_BOUNDS: Final = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
_DESCRIPTORS: Final = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_MINUTE: Final = timedelta(minutes=1)
_HORIZON: Final = timedelta(days=5 * 366)


class Schedule(Protocol):
    def next(self, after: datetime) -> datetime | None:
        """The first firing after a time; None when there is none."""


@dataclass(frozen=True, slots=True)
class Every:
    """A fixed delay, whole seconds."""

    seconds: int

    def next(self, after: datetime) -> datetime | None:
        return after.replace(microsecond=0) + timedelta(seconds=self.seconds)


@dataclass(frozen=True, slots=True)
class Fields:
    """Allowed minutes, hours, days, months and weekdays in a zone."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    # Days and weekdays restrict together unless neither is a star.
    is_either: bool
    zone: tzinfo

    def next(self, after: datetime) -> datetime | None:
        when = after.astimezone(UTC).replace(second=0, microsecond=0) + _MINUTE
        last = when + _HORIZON
        while when < last:
            local = when.astimezone(self.zone)
            if local.month not in self.months:
                when = self._midnight(local.year + local.month // 12, local.month % 12 + 1, 1, when)
            elif not self._is_day(local):
                day = local.date() + timedelta(days=1)
                when = self._midnight(day.year, day.month, day.day, when)
            elif local.hour not in self.hours:
                when += timedelta(minutes=60 - local.minute)
            elif local.minute not in self.minutes:
                when += _MINUTE
            else:
                return when
        return None

    def _is_day(self, local: datetime) -> bool:
        in_month = local.day in self.days
        in_week = local.isoweekday() % 7 in self.weekdays
        return in_month or in_week if self.is_either else in_month and in_week

    def _midnight(self, year: int, month: int, day: int, now: datetime) -> datetime:
        """The start of a day in the zone; later than now even where a clock change hides midnight."""
        start = datetime(year, month, day, tzinfo=self.zone).astimezone(UTC)
        return max(start, now + _MINUTE)


@lru_cache(maxsize=1024)
def parse(schedule: str, zone: str | None = None) -> Schedule:
    """The schedule of a text that is valid; a zone in the text itself goes before the one given."""
    if schedule.startswith(("TZ=", "CRON_TZ=")):
        before, _, rest = schedule.partition(" ")
        zone, schedule = before.partition("=")[2], rest.strip()
    if schedule.startswith("@every "):
        return Every(max(1, int(parse_duration(schedule.removeprefix("@every ")))))
    parts = _DESCRIPTORS.get(schedule, schedule).split()
    fields = [_field(part, index) for index, part in enumerate(parts)]
    minutes, hours, days, months, weekdays = (numbers for numbers, _ in fields)
    return Fields(
        minutes,
        hours,
        days,
        months,
        weekdays,
        is_either=not (fields[2][1] or fields[4][1]),
        zone=UTC if zone in {None, "", "UTC", "Local"} else ZoneInfo(str(zone)),
    )


def _field(text: str, index: int) -> tuple[frozenset[int], bool]:
    """The numbers of a field, and whether it is a star."""
    low, high = _BOUNDS[index]
    numbers: set[int] = set()
    is_star = False
    for piece in filter(None, text.split(",")):
        limits, _, step = piece.partition("/")
        first, dash, end = limits.partition("-")
        if first in {"*", "?"}:
            start, stop = low, high
            is_star = is_star or step in {"", "1"}
        else:
            start = _number(first, index)
            stop = _number(end, index) if dash else high if step else start
        numbers.update(range(start, stop + 1, int(step or 1)))
    return frozenset(numbers), is_star


def _number(text: str, index: int) -> int:
    named = _NAMES[index].get(text.lower())
    return int(text) if named is None else named
