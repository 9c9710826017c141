"""Cron schedules: what is wrong with one, in the words of the parser Kubernetes uses (robfig/cron).

Five fields of lists of ranges with steps, names of months and weekdays, or a descriptor such as `@daily` and
`@every 1h30m`; `TZ=` or `CRON_TZ=` may lead. Only the syntax is judged here: nothing computes times.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from argosy.api.rules.integers import AtoiError, atoi
from argosy.base.durations import parse_duration

_MONTHS: Final = (
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "oct",
    "nov",
    "dec",
)
_DAYS: Final = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")

Names = dict[str, int]
# Lowest and highest number of each field, and names that stand for numbers.
_FIELDS: Final[tuple[tuple[int, int, Names], ...]] = (
    (0, 59, {}),
    (0, 23, {}),
    (1, 31, {}),
    (1, 12, {name: number for number, name in enumerate(_MONTHS, 1)}),
    (0, 6, {name: number for number, name in enumerate(_DAYS)}),
)
_DESCRIPTORS: Final = frozenset(
    {"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}
)


class _ScheduleError(ValueError):
    pass


@lru_cache(maxsize=1024)
def schedule_problem(schedule: str) -> str:
    """What is wrong with a schedule; the empty string where nothing is."""
    try:
        _check(schedule)
    except _ScheduleError as error:
        return str(error)
    return ""


def zone_problem(name: str) -> str:
    """What is wrong with the name of a time zone."""
    if name in {"", "UTC", "Local"}:
        return ""
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        if any(zone.startswith(f"{name}/") for zone in available_timezones()):
            return "is a directory"
        return f"unknown time zone {name}"
    return ""


def _check(schedule: str) -> None:
    if schedule.startswith(("TZ=", "CRON_TZ=")):
        before, space, rest = schedule.partition(" ")
        if not space:
            raise _ScheduleError(
                "invalid schedule format: runtime error: slice bounds out of range [:-1]"
            )
        zone = before.partition("=")[2]
        if problem := zone_problem(zone):
            raise _ScheduleError(f"provided bad location {zone}: {problem}")
        schedule = rest.strip()
    if schedule.startswith("@"):
        _check_descriptor(schedule)
        return
    parts = schedule.split()
    if len(parts) != len(_FIELDS):
        shown = " ".join(parts)
        raise _ScheduleError(f"expected exactly 5 fields, found {len(parts)}: [{shown}]")
    for part, (low, high, names) in zip(parts, _FIELDS, strict=True):
        for expression in part.split(","):
            if expression:
                _check_range(expression, low, high, names)


def _check_descriptor(text: str) -> None:
    if text in _DESCRIPTORS:
        return
    if text.startswith("@every "):
        try:
            parse_duration(text.removeprefix("@every "))
        except ValueError as error:
            raise _ScheduleError(f"failed to parse duration {text}: {error}") from error
        return
    raise _ScheduleError(f"unrecognized descriptor: {text}")


def _check_range(text: str, low: int, high: int, names: Names) -> None:
    pieces = text.split("/")
    limits = pieces[0].split("-")
    if limits[0] in {"*", "?"}:
        start, end = low, high
    else:
        start = end = _number(limits[0], names)
        if len(limits) == 2:
            end = _number(limits[1], names)
        elif len(limits) > 2:
            raise _ScheduleError(f"too many hyphens: {text}")
    step = 1
    if len(pieces) == 2:
        step = _number(pieces[1], {})
        if len(limits) == 1:
            end = high
    elif len(pieces) > 2:
        raise _ScheduleError(f"too many slashes: {text}")
    if start < low:
        raise _ScheduleError(f"beginning of range ({start}) below minimum ({low}): {text}")
    if end > high:
        raise _ScheduleError(f"end of range ({end}) above maximum ({high}): {text}")
    if start > end:
        raise _ScheduleError(f"beginning of range ({start}) beyond end of range ({end}): {text}")
    if step == 0:
        raise _ScheduleError(f"step of range should be a positive number: {text}")


def _number(text: str, names: Names) -> int:
    if (named := names.get(text.lower())) is not None:
        return named
    try:
        number = atoi(text)
    except AtoiError as error:
        raise _ScheduleError(f"failed to parse int from {text}: {error}") from error
    if number < 0:
        raise _ScheduleError(f"negative number ({number}) not allowed: {text}")
    return number
