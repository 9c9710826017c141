"""Durations: Go's text form (`1h30m`), and the short ages `kubectl get` prints (`2d3h`).

Go counts nanoseconds in an int64; here a duration is a float of seconds at the edges and whole nanoseconds in
between, so that `format_duration(parse_duration(text))` prints Go's canonical text for everything a
microsecond or longer apart.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import Final

from argosy.base.fielderrors import quote

_UNITS: Final = {
    "ns": 1, "us": 1_000, "µs": 1_000, "μs": 1_000, "ms": 1_000_000,
    "s": 1_000_000_000, "m": 60_000_000_000, "h": 3_600_000_000_000,
}  # fmt: skip
_SECOND: Final = _UNITS["s"]
_MAX: Final = 2**63 - 1
# The longest a duration can be: 292 years. Numbers of seconds that users give may be larger.
LONGEST_SECONDS: Final = _MAX // _SECOND
_TERM: Final = re.compile(r"([0-9]*)(?:(\.)([0-9]*))?([^0-9.]*)")


@lru_cache(maxsize=1024)
def parse_duration(text: str) -> float:
    """Seconds; ValueError with the message of Go's time.ParseDuration. Ten thousand pods say the same."""
    return parse_nanoseconds(text) / _SECOND


def parse_nanoseconds(text: str) -> int:
    """Whole nanoseconds, exactly."""
    sign, rest = (-1, text[1:]) if text[:1] == "-" else (1, text.removeprefix("+"))
    if rest == "0":
        return 0
    if not rest:
        raise ValueError(f"time: invalid duration {quote(text)}")
    total, at = 0, 0
    while at < len(rest):
        found = _TERM.match(rest, at)
        if found is None or not (found[1] or found[3]):
            raise ValueError(f"time: invalid duration {quote(text)}")
        whole, fraction, unit = found[1], found[3] or "", found[4]
        if not unit:
            raise ValueError(f"time: missing unit in duration {quote(text)}")
        if unit not in _UNITS:
            raise ValueError(f"time: unknown unit {quote(unit)} in duration {quote(text)}")
        if len(whole) > 20:
            raise ValueError(f"time: invalid duration {quote(text)}")
        total += int(Fraction(f"{whole or 0}.{fraction[:18] or 0}") * _UNITS[unit])
        at = found.end()
    if total > _MAX + (sign < 0):
        raise ValueError(f"time: invalid duration {quote(text)}")
    return sign * total


def format_duration(seconds: float) -> str:
    """Go's time.Duration.String(): `1h30m0s`, `1.5s`, `150ms`, `0s`."""
    nanos = round(seconds * _SECOND)
    if nanos < 0:
        return f"-{format_duration(-seconds)}"
    if nanos == 0:
        return "0s"
    for unit, size in (("ns", 1), ("µs", 1_000), ("ms", 1_000_000)):
        if nanos < size * 1000:
            return f"{_decimal(nanos, size)}{unit}"
    minutes, nanos = divmod(nanos, 60 * _SECOND)
    hours, minutes = divmod(minutes, 60)
    text = f"{_decimal(nanos, _SECOND)}s"
    if hours:
        return f"{hours}h{minutes}m{text}"
    return f"{minutes}m{text}" if minutes else text


def _decimal(number: int, size: int) -> str:
    whole, rest = divmod(number, size)
    if not rest:
        return str(whole)
    digits = str(rest).zfill(len(str(size)) - 1).rstrip("0")
    return f"{whole}.{digits}"


def human_duration(seconds: float) -> str:
    """kubectl's age, two or three significant figures; `<invalid>` for a time two seconds or more ahead."""
    total = int(seconds)
    if total < -1:
        return "<invalid>"
    if total < 120:
        return f"{max(total, 0)}s"
    minutes, hours = total // 60, total // 3600
    if minutes < 10:
        return _pair(minutes, "m", total % 60, "s")
    if minutes < 180:
        return f"{minutes}m"
    if hours < 8:
        return _pair(hours, "h", minutes % 60, "m")
    if hours < 48:
        return f"{hours}h"
    days = hours // 24
    if days < 8:
        return _pair(days, "d", hours % 24, "h")
    if days < 365 * 2:
        return f"{days}d"
    if days < 365 * 8:
        return _pair(days // 365, "y", days % 365, "d")
    return f"{days // 365}y"


def _pair(large: int, unit: str, small: int, small_unit: str) -> str:
    return f"{large}{unit}{small}{small_unit}" if small else f"{large}{unit}"
