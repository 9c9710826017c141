"""Times: what is taken and how it is printed (refusals are among the recorded answers)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.api.schema.times import canonical_micro_time, canonical_time

TIMES = {
    "2020-01-01T00:00:00Z": "2020-01-01T00:00:00Z",
    "2020-01-01T00:00:00.9Z": "2020-01-01T00:00:00Z",
    "2020-01-01T00:00:00,5Z": "2020-01-01T00:00:00Z",
    "2020-01-01T01:02:03+02:00": "2019-12-31T23:02:03Z",
    "2020-01-01T0:00:00Z": "2020-01-01T00:00:00Z",
    "0000-01-01T00:00:00Z": "0000-01-01T00:00:00Z",
    "9999-12-31T23:59:59-01:00": "10000-01-01T00:59:59Z",
    "2020-02-29T00:00:00Z": "2020-02-29T00:00:00Z",
}


@pytest.mark.parametrize("text", TIMES)
def test_time(text: str) -> None:
    assert canonical_time(text) == TIMES[text]


def test_micro_time() -> None:
    assert canonical_micro_time("2020-01-01T00:00:00.123456+02:00") == "2019-12-31T22:00:00.123456Z"


@given(st.datetimes().filter(lambda moment: 1 < moment.year < 9998), st.integers(-23 * 60, 23 * 60))
def test_the_moment_stays_the_same(moment: datetime, offset: int) -> None:
    there = moment.replace(tzinfo=UTC).astimezone(timezone(timedelta(minutes=offset)))
    got = canonical_micro_time(there.isoformat(timespec="microseconds"))
    assert datetime.fromisoformat(got) == there
