"""The getters of timestamps and durations, in UTC unless a zone is given."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final

from argosy.api.cel import times
from argosy.api.cel.declarations import Overload, declare
from argosy.api.cel.values import Duration, Timestamp

_GETTERS: Final[dict[str, Callable[[datetime], int]]] = {
    "getFullYear": lambda t: t.year,
    "getMonth": lambda t: t.month - 1,
    "getDayOfYear": lambda t: t.timetuple().tm_yday - 1,
    "getDayOfMonth": lambda t: t.day - 1,
    "getDate": lambda t: t.day,
    "getDayOfWeek": lambda t: t.isoweekday() % 7,
    "getHours": lambda t: t.hour,
    "getMinutes": lambda t: t.minute,
    "getSeconds": lambda t: t.second,
}
_UNITS: Final = {
    "getHours": 3600 * times.SECOND,
    "getMinutes": 60 * times.SECOND,
    "getSeconds": times.SECOND,
}


def _getters(name: str, read: Callable[[datetime], int]) -> list[Overload]:
    def in_utc(value: Timestamp) -> int:
        return read(times.at_zone(value, "UTC"))

    def in_zone(value: Timestamp, zone: str) -> int:
        return read(times.at_zone(value, zone))

    return [
        declare(f"timestamp::{name}() -> int", in_utc),
        declare(f"timestamp::{name}(string) -> int", in_zone),
    ]


def _whole(name: str, unit: int) -> Overload:
    def count(value: Duration) -> int:
        return times.truncated(value.nanos, unit)

    return declare(f"duration::{name}() -> int", count)


def _millis_in_zone(value: Timestamp, zone: str) -> int:
    times.at_zone(value, zone)
    return times.millis(value)


LIBRARY: Final[tuple[Overload, ...]] = (
    *(overload for name, read in _GETTERS.items() for overload in _getters(name, read)),
    *(_whole(name, unit) for name, unit in _UNITS.items()),
    declare("timestamp::getMilliseconds() -> int", times.millis),
    declare("timestamp::getMilliseconds(string) -> int", _millis_in_zone),
    declare(
        "duration::getMilliseconds() -> int",
        lambda d: times.truncated(d.nanos, 1_000_000),
    ),
)
