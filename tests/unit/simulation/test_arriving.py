"""Arrivals: in order, as often as asked for, and the same for the same seed."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from argosy.simulation.arriving import arrivals, expected, rate
from argosy.simulation.plans import Arrivals, Burst, Distribution, Scenario, Stream

HOUR = 3600.0
DAY = 24 * HOUR


def scenario(*streams: Stream, horizon: float = 7 * DAY) -> Scenario:
    return Scenario("s", Path("s.yaml"), horizon, (), streams)


def stream(name: str = "a", **more: object) -> Stream:
    return replace(Stream(name, "team"), **more)  # type: ignore[arg-type]


BUSY = stream(arrivals=Arrivals(per_hour=60, swing=0.9, weekend=0.2))


def test_a_rate_is_kept_over_a_week() -> None:
    flat = scenario(stream(arrivals=Arrivals(per_hour=60)))
    found = [each.at for each in arrivals(flat, 1)]
    assert len(found) == pytest.approx(60 * 168, rel=0.05)
    assert all(a <= b for a, b in pairwise(found))
    assert found[-1] < 7 * DAY


def test_days_have_a_peak_and_weekends_are_quiet() -> None:
    found = [each.at for each in arrivals(scenario(BUSY), 1)]
    noon = sum(12 * HOUR <= at % DAY < 16 * HOUR for at in found if at < 5 * DAY)
    night = sum(at % DAY < 4 * HOUR for at in found if at < 5 * DAY)
    assert noon > 5 * night
    weekday, weekend = (
        sum(a <= at < b for at in found) / (b - a) for a, b in ((0, 5 * DAY), (5 * DAY, 7 * DAY))
    )
    assert weekend == pytest.approx(0.2 * weekday, rel=0.15)
    assert rate(BUSY.arrivals, 14 * HOUR) == pytest.approx(60 / HOUR * 1.9)


def test_a_seed_gives_the_same_jobs_and_another_one_others() -> None:
    shaped = stream(
        arrivals=Arrivals(per_hour=10), seconds=Distribution("lognormal", (60.0, 600.0))
    )
    one, again, other = (list(arrivals(scenario(shaped), seed)) for seed in (1, 1, 2))
    assert one == again
    assert one != other


def test_a_stream_that_is_added_leaves_the_others_as_they_were() -> None:
    alone = list(arrivals(scenario(BUSY), 1))
    both = arrivals(scenario(stream("b", arrivals=Arrivals(per_hour=5)), BUSY), 1)
    assert [each for each in both if each.stream is BUSY] == alone


def test_bursts_come_whole_and_in_order() -> None:
    bursts = Arrivals(bursts=(Burst(every=HOUR, size=10, spread=2 * HOUR, first=60.0),))
    asked = scenario(stream(arrivals=bursts), horizon=5 * HOUR)
    found = [each.at for each in arrivals(asked, 3)]
    assert found == sorted(found)
    assert 30 < len(found) <= 50
    sharp = replace(bursts, bursts=(Burst(every=HOUR, size=10, first=60.0),))
    exact = scenario(stream(arrivals=sharp), horizon=5 * HOUR)
    assert len(list(arrivals(exact, 3))) == 50 == expected(exact)


def test_expectations_are_about_what_comes() -> None:
    assert expected(scenario(BUSY)) == pytest.approx(
        len(list(arrivals(scenario(BUSY), 1))), rel=0.05
    )
