"""Times as Kubernetes writes them: RFC 3339 in UTC, whole seconds or microseconds.

`format_time` truncates to the second, as metav1.Time does, and remembers the last text it made, because a
busy server stamps many objects within one second. `parse_time` accepts what Go's RFC 3339 parser accepts: any
offset, any number of fraction digits (kept to the microsecond).
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from typing import Final

_RFC3339: Final = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[.,]([0-9]+))?(?:Z|([+-])([0-9]{2}):([0-9]{2}))"
)


def format_time(when: datetime | float) -> str:
    """`2026-01-02T03:04:05Z`, of an aware datetime or of seconds since the epoch."""
    if isinstance(when, datetime):
        when = when.timestamp()
    return _format_seconds(int(when // 1))


def format_micro(when: datetime | float) -> str:
    """`2026-01-02T03:04:05.123456Z`, the form of metav1.MicroTime."""
    if not isinstance(when, datetime):
        when = datetime.fromtimestamp(when, UTC)
    return f"{when.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}Z"


def parse_time(text: str) -> datetime:
    """The moment `text` names, in UTC; ValueError if it is not RFC 3339."""
    found = _RFC3339.fullmatch(text)
    if found is None:
        raise ValueError(f'"{text}" is no RFC 3339 time such as "2006-01-02T15:04:05Z"')
    year, month, day, hour, minute, second, fraction, sign, hours, minutes = found.groups()
    zone = UTC
    if sign:
        offset = timedelta(hours=int(hours), minutes=int(minutes))
        if int(hours) > 24 or int(minutes) > 60 or offset >= timedelta(days=1):
            raise ValueError(f'"{text}" has no such time zone offset')
        zone = timezone(offset if sign == "+" else -offset)
    micros = int((fraction or "0")[:6].ljust(6, "0"))
    try:
        moment = datetime(
            int(year),
            int(month),
            int(day),
            int(hour),
            int(minute),
            int(second),
            micros,
            tzinfo=zone,
        )
        return moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ValueError(f'"{text}" is no RFC 3339 time: {error}') from None


@lru_cache(maxsize=64)
def _format_seconds(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}Z"
