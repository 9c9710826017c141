"""Timestamps and durations in Kubernetes' and Go's texts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.base.durations import format_duration, human_duration, parse_duration
from argosy.base.timestamps import format_micro, format_time, parse_time

MOMENT = datetime(2026, 1, 2, 3, 4, 5, 123456, tzinfo=UTC)


def test_formatting_times() -> None:
    east = MOMENT.astimezone(timezone(timedelta(hours=2)))
    assert [format_time(t) for t in (MOMENT, MOMENT.timestamp(), east)] == [
        "2026-01-02T03:04:05Z"
    ] * 3
    assert format_micro(MOMENT) == "2026-01-02T03:04:05.123456Z"
    assert format_micro(0.5) == "1970-01-01T00:00:00.500000Z"
    assert format_time(-0.5) == "1969-12-31T23:59:59Z"


PARSED = {
    "whole seconds": ("2026-01-02T03:04:05Z", MOMENT.replace(microsecond=0)),
    "microseconds": ("2026-01-02T03:04:05.123456Z", MOMENT),
    "nanoseconds are cut": ("2026-01-02T03:04:05.123456789Z", MOMENT),
    "an offset": ("2026-01-02T05:04:05.123456+02:00", MOMENT),
}


@pytest.mark.parametrize(("text", "want"), PARSED.values(), ids=PARSED.keys())
def test_parsing_times(text: str, want: datetime) -> None:
    assert parse_time(text) == want


@pytest.mark.parametrize(
    "text",
    ["", "yesterday", "2026-01-02", "2026-01-02 03:04:05Z", "2026-02-30T00:00:00Z", "2026-01-02T03:04:05",
     "2026-01-02T03:04:05+99:00", "0001-01-01T00:00:00+10:00"],
)  # fmt: skip
def test_refusing_times(text: str) -> None:
    with pytest.raises(ValueError, match=r"RFC 3339|offset"):
        parse_time(text)


DURATIONS = {
    "hours and minutes": ("1h30m", 5400.0, "1h30m0s"),
    "a fraction": ("1.5h", 5400.0, "1h30m0s"),
    "milliseconds": ("150ms", 0.15, "150ms"),
    "seconds with a fraction": ("1.5s", 1.5, "1.5s"),
    "microseconds": ("2us", 0.000002, "2µs"),
    "negative": ("-1m", -60.0, "-1m0s"),
    "zero": ("0", 0.0, "0s"),
    "no digit before the point": (".5s", 0.5, "500ms"),
}


@pytest.mark.parametrize(("text", "seconds", "printed"), DURATIONS.values(), ids=DURATIONS.keys())
def test_durations(text: str, seconds: float, printed: str) -> None:
    assert (parse_duration(text), format_duration(seconds)) == (seconds, printed)


BAD_DURATIONS = {
    "nothing": ("", 'time: invalid duration ""'),
    "no unit": ("5", 'time: missing unit in duration "5"'),
    "an unknown unit": ("5d", 'time: unknown unit "d" in duration "5d"'),
    "no number": ("h", 'time: invalid duration "h"'),
    "a lone point": (".s", 'time: invalid duration ".s"'),
    "more than 290 years": ("9999999h", 'time: invalid duration "9999999h"'),
}


@pytest.mark.parametrize(("text", "want"), BAD_DURATIONS.values(), ids=BAD_DURATIONS.keys())
def test_refusing_durations(text: str, want: str) -> None:
    with pytest.raises(ValueError) as got:
        parse_duration(text)
    assert str(got.value) == want


@given(st.integers(0, 10**12))
def test_printed_durations_parse_to_themselves(micros: int) -> None:
    seconds = micros / 1e6
    assert parse_duration(format_duration(seconds)) == pytest.approx(seconds)


AGES = {
    "the future": (-2, "<invalid>"), "a clock slightly ahead": (-1, "0s"), "now": (0, "0s"), "under two minutes": (119, "119s"),
    "minutes and seconds": (200, "3m20s"), "whole minutes": (180, "3m"), "many minutes": (3600, "60m"),
    "hours and minutes": (4 * 3600 + 60, "4h1m"), "whole hours": (4 * 3600, "4h"), "many hours": (47 * 3600, "47h"),
    "days and hours": (51 * 3600, "2d3h"), "many days": (100 * 86400, "100d"), "years and days": (365 * 86400 * 3 + 86400, "3y1d"),
    "many years": (365 * 86400 * 9 + 86400, "9y"),
}  # fmt: skip


@pytest.mark.parametrize(("seconds", "want"), AGES.values(), ids=AGES.keys())
def test_ages(seconds: float, want: str) -> None:
    assert human_duration(seconds) == want
