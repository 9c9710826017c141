"""Timestamps and durations in nanoseconds: parsing, printing, arithmetic and the getters.

Written here and not on `datetime`, which stops at microseconds. Texts are RFC 3339 and Go's duration syntax; the
range is cel-go's, from year 1 to year 9999, and 64 bits of nanoseconds for a duration.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from argosy.api.cel.values import INT_MAX, INT_MIN, CelError, Duration, Timestamp

SECOND: Final = 1_000_000_000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MIN_SECONDS: Final = -62135596800
_MAX_SECONDS: Final = 253402300799
_UNITS: Final = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,
    "μs": 1_000,
    "ms": 1_000_000,
    "s": SECOND,
    "m": 60 * SECOND,
    "h": 3600 * SECOND,
}
_PART: Final = re.compile(r"([0-9]*)(?:\.([0-9]*))?(ns|us|µs|μs|ms|s|m|h)")
_RFC3339: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:([Zz])|([+-])(\d\d):(\d\d))"
)
_OFFSET: Final = re.compile(r"([+-]?)(\d\d):(\d\d)")


def duration(nanos: int) -> Duration:
    if not INT_MIN <= nanos <= INT_MAX:
        raise CelError("duration overflow")
    return Duration(nanos)


def timestamp(nanos: int, offset: int = 0) -> Timestamp:
    if not _MIN_SECONDS <= nanos // SECOND <= _MAX_SECONDS:
        raise CelError("timestamp overflow")
    return Timestamp(nanos, offset)


def parse_duration(text: str) -> Duration:
    """Go's time.ParseDuration; raises ValueError with its text."""
    body = text.removeprefix("-") if text.startswith("-") else text.removeprefix("+")
    if body == "0":
        return Duration(0)
    total, position = 0, 0
    while position < len(body):
        found = _PART.match(body, position)
        if found is None or not (found[1] or found[2]):
            raise ValueError(_bad_duration(text, body[position:]))
        unit = _UNITS[found[3]]
        total += int(found[1] or "0") * unit
        if found[2]:
            total += int(found[2]) * unit // 10 ** len(found[2])
        position = found.end()
    if not body or total > INT_MAX:
        raise ValueError(f'time: invalid duration "{text}"')
    return Duration(-total if text.startswith("-") else total)


def _bad_duration(text: str, rest: str) -> str:
    number = re.match(r"[0-9]*\.?[0-9]*", rest)
    assert number is not None
    if not number[0].strip("."):
        return f'time: invalid duration "{text}"'
    unit = re.match(r"[^0-9.]*", rest[number.end() :])
    assert unit is not None
    if not unit[0]:
        return f'time: missing unit in duration "{text}"'
    return f'time: unknown unit "{unit[0]}" in duration "{text}"'


def parse_timestamp(text: str) -> Timestamp:
    """RFC 3339; raises ValueError."""
    found = _RFC3339.fullmatch(text)
    problem = (
        f'parsing time "{text}" as "2006-01-02T15:04:05Z07:00": cannot parse "{text}" as "2006"'
    )
    if found is None:
        raise ValueError(problem)
    year, month, day, hour, minute, second = (int(found[i]) for i in range(1, 7))
    try:
        moment = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        raise ValueError(problem) from None
    offset = 0
    if found[9]:
        offset = int(found[10]) * 3600 + int(found[11]) * 60
        offset = offset if found[9] == "+" else -offset
    fraction = (found[7] or "")[:9].ljust(9, "0")
    return Timestamp((_seconds(moment) - offset) * SECOND + int(fraction), offset)


def parse_date(text: str) -> Timestamp:
    """A full date of RFC 3339, at midnight UTC; raises ValueError."""
    return parse_timestamp(f"{text}T00:00:00Z")


def _seconds(moment: datetime) -> int:
    delta = moment - _EPOCH
    return delta.days * 86400 + delta.seconds


def print_timestamp(value: Timestamp) -> str:
    seconds, nanos = divmod(value.nanos, SECOND)
    moment = _EPOCH + timedelta(seconds=seconds + value.offset)
    text = f"{moment.year:04d}{moment:-%m-%dT%H:%M:%S}"
    fraction = f".{nanos:09d}".rstrip("0") if nanos else ""
    hours, minutes = divmod(abs(value.offset) // 60, 60)
    zone = f"{'-' if value.offset < 0 else '+'}{hours:02d}:{minutes:02d}" if value.offset else "Z"
    return f"{text}{fraction}{zone}"


def print_duration(value: Duration) -> str:
    """Seconds with as many decimals as needed: `5400s`, `0.5s`."""
    seconds, nanos = divmod(abs(value.nanos), SECOND)
    sign = "-" if value.nanos < 0 else ""
    fraction = f".{nanos:09d}".rstrip("0") if nanos else ""
    return f"{sign}{seconds}{fraction}s"


def at_zone(value: Timestamp, zone: str) -> datetime:
    """The wall clock of a timestamp in a zone: a name, `UTC` or an offset like `-08:00`."""
    moment = _EPOCH + timedelta(seconds=value.nanos // SECOND)
    if zone in {"", "UTC"}:
        return moment
    offset = _OFFSET.fullmatch(zone)
    where: tzinfo
    if offset is not None:
        shift = timedelta(hours=int(offset[2]), minutes=int(offset[3]))
        where = timezone(-shift if offset[1] == "-" else shift)
    else:
        try:
            where = ZoneInfo(zone)
        except (ZoneInfoNotFoundError, ValueError):
            raise CelError(f"unknown time zone {zone}") from None
    return moment.astimezone(where)


def millis(value: Timestamp) -> int:
    return value.nanos % SECOND // 1_000_000


def truncated(nanos: int, unit: int) -> int:
    """Whole units in a duration, cut towards zero as Go does."""
    return nanos // unit if nanos >= 0 else -(-nanos // unit)
