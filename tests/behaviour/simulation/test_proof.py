"""The proof on a small fleet: two shifts of jobs, whole ones and wide ones, and a region that is dark for ten minutes
between them.
"""

from __future__ import annotations

from functools import cache

import pytest

from argosy.simulation.reading import find, read
from argosy.simulation.shrinking import shrunk
from tests.behaviour.simulation.worlds import Played, played

DARK = {"east-us-1", "east-us-2"}


@cache
def proven() -> Played:
    return played(shrunk(read(find("aks-70k")), 8, 20), 0.4)


@pytest.mark.timeout(300)
def test_every_job_ends_once() -> None:
    found = proven()
    assert found.summary["jobs"]["complete"] == found.summary["jobs"]["submitted"] == 70
    assert found.summary["integrity"] == {"lost": 0, "ranTwice": 0, "endedTwice": 0}
    assert found.summary["moves"] == 0
    for record in found.ledger.jobs.values():
        assert record.wasted == 0
        assert record.used == pytest.approx(record.units * record.pods * record.seconds, rel=0.01)


@pytest.mark.timeout(300)
def test_wide_jobs_have_a_pod_on_each_of_their_clusters() -> None:
    wide = [each for each in proven().ledger.jobs.values() if each.classed == "wide"]
    assert [len(each.places) for each in wide] == [8] * 6
    assert [len(each.ends) for each in wide] == [8] * 6


@pytest.mark.timeout(300)
def test_the_dark_region_has_a_dent_and_the_others_have_none() -> None:
    found = proven()
    meters = found.ledger.of("used")
    assert set(meters) == {each.name for each in found.scenario.members}
    width = 24 * 60 / len(meters["east-us-1"].slots)
    for name, meter in meters.items():
        means = meter.means()
        first, second = means[int(120 / width)], means[int(780 / width)]
        # 39 of 40 cores in both shifts, but for those who could not be reached when the second began.
        assert (round(first), round(second)) == (39, 0 if name in DARK else 39)
        assert found.summary["clusters"][name]["darkSeconds"] == (600.0 if name in DARK else 0.0)
    later = [means[int(1080 / width)] for means in (meters[name].means() for name in DARK)]
    assert [round(each) for each in later] == [39, 39]
