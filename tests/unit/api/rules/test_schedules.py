"""Cron schedules and time zones, in the words kube-apiserver v1.35.4 uses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.api.rules.batch.schedules import schedule_problem, zone_problem

ATOI = "strconv.Atoi: parsing"
DIGITS = "9" * 20

SCHEDULES: dict[str, tuple[str, str]] = {
    "every five minutes": ("*/5 * * * *", ""),
    "names of months and days": ("* * * JAN MON-FRI", ""),
    "a question mark, and more than one space": ("?  * * * *", ""),
    "white space in front": ("\t* * * * *", ""),
    "an empty list": (", * * * *", ""),
    "a star with an end": ("*-5 * * * *", ""),
    "a step beyond the range": ("5/100 * * * *", ""),
    "a plus sign": ("+5 * * * *", ""),
    "a descriptor": ("@daily", ""),
    "an interval": ("@every 1h", ""),
    "a time zone in front": ("TZ=Europe/Berlin @daily", ""),
    "an interval that is none": (
        "@every x",
        'failed to parse duration @every x: time: invalid duration "x"',
    ),
    "an interval without a unit": (
        "@every 1",
        'failed to parse duration @every 1: time: missing unit in duration "1"',
    ),
    "an unknown descriptor": ("@foo", "unrecognized descriptor: @foo"),
    "four fields": ("* * * *", "expected exactly 5 fields, found 4: [* * * *]"),
    "six fields": ("* * * * * *", "expected exactly 5 fields, found 6: [* * * * * *]"),
    "nothing but space": (" ", "expected exactly 5 fields, found 0: []"),
    "a letter": ("a * * * *", f'failed to parse int from a: {ATOI} "a": invalid syntax'),
    "an unknown month": (
        "* * * foo *",
        f'failed to parse int from foo: {ATOI} "foo": invalid syntax',
    ),
    "a step that is no number": (
        "*/x * * * *",
        f'failed to parse int from x: {ATOI} "x": invalid syntax',
    ),
    "a minus sign": ("-1 * * * *", f'failed to parse int from : {ATOI} "": invalid syntax'),
    "too many digits": (
        f"{DIGITS} * * * *",
        f'failed to parse int from {DIGITS}: {ATOI} "{DIGITS}": value out of range',
    ),
    "minute 60": ("60 * * * *", "end of range (60) above maximum (59): 60"),
    "hour 24": ("* 24 * * *", "end of range (24) above maximum (23): 24"),
    "day 0": ("* * 0 * *", "beginning of range (0) below minimum (1): 0"),
    "a range beyond the hour": ("1-70 * * * *", "end of range (70) above maximum (59): 1-70"),
    "a range that runs backwards": (
        "5-1 * * * *",
        "beginning of range (5) beyond end of range (1): 5-1",
    ),
    "a step of nothing": ("*/0 * * * *", "step of range should be a positive number: */0"),
    "a range of three": ("1-2-3 * * * *", "too many hyphens: 1-2-3"),
    "two steps": ("1/2/3 * * * *", "too many slashes: 1/2/3"),
    "a time zone and nothing else": (
        "TZ=0",
        "invalid schedule format: runtime error: slice bounds out of range [:-1]",
    ),
    "an unknown time zone in front": (
        "CRON_TZ=Foo/Bar 0 0 * * *",
        "provided bad location Foo/Bar: unknown time zone Foo/Bar",
    ),
}


@pytest.mark.parametrize(("schedule", "want"), SCHEDULES.values(), ids=SCHEDULES.keys())
def test_problems_of_a_schedule(schedule: str, want: str) -> None:
    assert schedule_problem(schedule) == want


ZONES: dict[str, tuple[str, str]] = {
    "Greenwich": ("UTC", ""),
    "a city": ("Europe/Berlin", ""),
    "a city within a country": ("America/Argentina/Buenos_Aires", ""),
    "no such place": ("Foo/Bar", "unknown time zone Foo/Bar"),
    "a continent": ("America", "is a directory"),
    "a path out of the zones": ("../etc/passwd", "unknown time zone ../etc/passwd"),
}


@pytest.mark.parametrize(("zone", "want"), ZONES.values(), ids=ZONES.keys())
def test_problems_of_a_time_zone(zone: str, want: str) -> None:
    assert zone_problem(zone) == want


@given(st.text(alphabet="*?,-/@ 0159JANmontzTZ=+\u0663", max_size=24))
def test_any_text_has_a_verdict(schedule: str) -> None:
    assert isinstance(schedule_problem(schedule), str)


def test_very_many_digits_are_no_number() -> None:
    assert schedule_problem("9" * 10_000 + " * * * *").endswith("value out of range")
