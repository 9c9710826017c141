"""metav1.Time and metav1.MicroTime: what they accept, how they print, and Go's words when they refuse.

The usual text (20 characters, UTC) is recognized by one regular expression and returned as it is. Everything else
walks Go's layout piece by piece, because the error names the piece where the text stops matching. A Time drops
fractions of a second; a MicroTime demands exactly six digits.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from argosy.base.fielderrors import quote

_USUAL: Final = re.compile(
    r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ"
).fullmatch
_USUAL_MICRO: Final = re.compile(
    r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z"
).fullmatch

_LAYOUT: Final = "2006-01-02T15:04:05Z07:00"
_LAYOUT_MICRO: Final = "2006-01-02T15:04:05.000000Z07:00"

# Layout piece, what matches it, and the field's name in "out of range".
_PIECES: Final = tuple(
    (piece, re.compile(pattern), name)
    for piece, pattern, name in (
        ("2006", r"\d{4}", "year"),
        ("-", r"-", ""),
        ("01", r"\d{2}", "month"),
        ("-", r"-", ""),
        ("02", r"\d{2}", "day"),
        ("T", r"T", ""),
        ("15", r"\d{1,2}", "hour"),
        (":", r":", ""),
        ("04", r"\d{2}", "minute"),
        (":", r":", ""),
        ("05", r"\d{2}", "second"),
    )
)
_LIMITS: Final = {"month": (1, 12), "hour": (0, 23), "minute": (0, 59), "second": (0, 59)}
_FRACTION: Final = re.compile(r"[.,](\d+)")
_FRACTION_MICRO: Final = re.compile(r"[.,](\d{6})")
_ZONE: Final = re.compile(r"Z|([+-])(\d{2}):(\d{2})")


def canonical_time(text: str) -> str:
    """The text as metav1.Time prints it. Raises ValueError with Go's text."""
    return text if _USUAL(text) else _parse(text, micro=False)


def canonical_micro_time(text: str) -> str:
    """The text as metav1.MicroTime prints it. Raises ValueError with Go's text."""
    return text if _USUAL_MICRO(text) else _parse(text, micro=True)


def _parse(text: str, *, micro: bool) -> str:
    layout = _LAYOUT_MICRO if micro else _LAYOUT
    at = 0
    numbers: dict[str, int] = {}

    def refuse(piece: str) -> ValueError:
        return ValueError(
            f"parsing time {quote(text)} as {quote(layout)}: cannot parse {quote(text[at:])} as {quote(piece)}"
        )

    for piece, pattern, name in _PIECES:
        found = pattern.match(text, at)
        if found is None:
            raise refuse(piece)
        if name:
            numbers[name] = int(found[0])
            low, high = _LIMITS.get(name, (0, 9999))
            if not low <= numbers[name] <= high:
                raise _out_of_range(text, name)
        at = found.end()
    fraction = (_FRACTION_MICRO if micro else _FRACTION).match(text, at)
    if fraction is not None:
        at = fraction.end()
    elif micro:
        raise refuse(".000000")
    zone = _ZONE.match(text, at)
    if zone is None:
        raise refuse("Z07:00")
    if zone.end() != len(text):
        raise ValueError(f"parsing time {quote(text)}: extra text: {quote(text[zone.end() :])}")
    digits = fraction[1] if fraction is not None else ""
    return _print(text, numbers, zone, int(digits[:6].ljust(6, "0")), micro=micro)


def _print(
    text: str, numbers: dict[str, int], zone: re.Match[str], micros: int, *, micro: bool
) -> str:
    offset = timedelta()
    if zone[1]:
        hours, minutes = int(zone[2]), int(zone[3])
        if hours > 24:
            raise _out_of_range(text, "time zone offset hour")
        if minutes > 60:
            raise _out_of_range(text, "time zone offset minute")
        offset = timedelta(hours=hours, minutes=minutes) * (-1 if zone[1] == "-" else 1)
    # The year 0 is a year for Go and none for datetime; it is shifted there and back.
    shift = 400 if numbers["year"] < 2 else -400 if numbers["year"] > 9998 else 0
    try:
        moment = datetime(
            numbers["year"] + shift, numbers["month"], numbers["day"], numbers["hour"],
            numbers["minute"], numbers["second"], micros, tzinfo=UTC,
        ) - offset  # fmt: skip
    except ValueError:
        raise _out_of_range(text, "day") from None
    year = moment.year - shift
    fraction = f".{moment.microsecond:06d}" if micro else ""
    return f"{year:04d}-{moment:%m-%dT%H:%M:%S}{fraction}Z"


def _out_of_range(text: str, name: str) -> ValueError:
    return ValueError(f"parsing time {quote(text)}: {name} out of range")
