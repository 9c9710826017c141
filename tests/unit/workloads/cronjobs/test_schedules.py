"""When schedules fire."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

import pytest

from argosy.workloads.cronjobs.schedules import parse


class Case(NamedTuple):
    schedule: str
    after: str
    want: list[str]
    zone: str | None = None


CASES = {
    "every minute": Case("* * * * *", "2026-01-01T00:00:30", ["2026-01-01T00:01", "2026-01-01T00:02"]),
    "a firing itself is not after itself": Case("0 * * * *", "2026-01-01T01:00:00", ["2026-01-01T02:00"]),
    "steps and lists": Case("5,*/20 6-8 * * *", "2026-01-01T06:06:00", ["2026-01-01T06:20", "2026-01-01T06:40", "2026-01-01T07:00", "2026-01-01T07:05"]),
    "an open step goes to the end": Case("50/3 * * * *", "2026-01-01T00:00:00", ["2026-01-01T00:50", "2026-01-01T00:53", "2026-01-01T00:56", "2026-01-01T00:59", "2026-01-01T01:50"]),
    "names of months and days": Case("0 0 * feb mon", "2026-01-05T00:00:00", ["2026-02-02T00:00", "2026-02-09T00:00"]),
    "restricted days match in either field": Case("0 0 13 * fri", "2026-01-01T00:00:00", ["2026-01-02T00:00", "2026-01-09T00:00", "2026-01-13T00:00"]),
    "a star with a step restricts, too": Case("0 0 */10 * fri", "2026-01-01T00:00:00", ["2026-01-02T00:00", "2026-01-09T00:00", "2026-01-11T00:00"]),
    "the end of a year": Case("59 23 31 12 *", "2026-01-01T00:00:00", ["2026-12-31T23:59", "2027-12-31T23:59"]),
    "leap days": Case("0 0 29 2 *", "2026-01-01T00:00:00", ["2028-02-29T00:00"]),
    "descriptors": Case("@weekly", "2026-01-01T00:00:00", ["2026-01-04T00:00", "2026-01-11T00:00"]),
    "a delay counts from the second given": Case("@every 1h30m", "2026-01-01T00:00:10", ["2026-01-01T01:30:10", "2026-01-01T03:00:10"]),
    "a zone": Case("0 9 * * *", "2026-01-01T00:00:00", ["2026-01-01T08:00", "2026-01-02T08:00"], "Europe/Berlin"),
    "a zone in the text": Case("TZ=America/New_York 0 9 * * *", "2026-01-01T00:00:00", ["2026-01-01T14:00"]),
    "an hour the clocks skip": Case("30 2 * * *", "2026-03-28T03:00:00", ["2026-03-30T00:30"], "Europe/Berlin"),
    "an hour the clocks repeat": Case("30 2 * * *", "2026-10-24T12:00:00", ["2026-10-25T00:30", "2026-10-25T01:30", "2026-10-26T01:30"], "Europe/Berlin"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_next(case: Case) -> None:
    when = datetime.fromisoformat(case.after).replace(tzinfo=UTC)
    got = []
    for _ in case.want:
        following = parse(case.schedule, case.zone).next(when)
        assert following is not None
        when = following
        got.append(when)
    assert got == [datetime.fromisoformat(text).replace(tzinfo=UTC) for text in case.want]


def test_a_day_that_never_comes() -> None:
    assert parse("0 0 31 2 *").next(datetime(2026, 1, 1, tzinfo=UTC)) is None
