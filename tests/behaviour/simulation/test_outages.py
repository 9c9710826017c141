"""A region goes dark and comes back: what ran there may move, nothing is lost, nothing runs twice."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from argosy.simulation.plans import Arrivals, Distribution, Outage
from tests.behaviour.simulation.worlds import Played, played, small


@cache
def darkened() -> Played:
    """Ten jobs of half an hour that want to move after five minutes; us-west is dark for twenty."""
    scenario = small()
    train = replace(
        scenario.streams[0],
        arrivals=Arrivals(at=tuple(60.0 * n for n in range(1, 11))),
        seconds=Distribution("constant", (1800.0,)),
        pods=Distribution("constant", (1.0,)),
        failure_rate=0.0,
    )
    outage = Outage(("west-1",), 900.0, 2100.0, "us-west")
    return played(replace(scenario, streams=(train,), outages=(outage,), changes=()), 2.0)


@pytest.mark.timeout(300)
def test_nothing_is_lost_and_nothing_runs_twice() -> None:
    found = darkened()
    assert found.summary["integrity"] == {"lost": 0, "ranTwice": 0, "endedTwice": 0}
    assert found.summary["jobs"]["complete"] == 10
    dark = [each for each in found.events("started") if each["cluster"] == "west-1"]
    assert dark, "nobody was on the cluster that goes dark"
    moved = [each for each in found.ledger.jobs.values() if each.moves]
    assert moved
    for record in moved:
        # It ran for nothing at first, and from its beginning again elsewhere.
        assert record.wasted > 0
        assert record.used - record.wasted == pytest.approx(record.units * 1800, rel=0.01)
    assert found.summary["clusters"]["west-1"]["darkSeconds"] == 1200.0
    assert [each["event"] for each in found.events("outage", "outage-over")] == [
        "outage",
        "outage-over",
    ]


@pytest.mark.timeout(300)
def test_a_dark_cluster_is_given_nothing_new() -> None:
    found = darkened()
    placed = [each for each in found.events("placed") if each["cluster"] == "west-1"]
    assert not [each for each in placed if 900.0 < each["t"] < 2100.0]
