"""Org sharing with Hierarchies: the table of the slide, on 100 accelerators.

Two organizations, cohorts with 50 % and a weight of 40 each; the guarantees of their teams are parts of those 50. Burst
is guaranteed nothing and has a weight of 1. The limit is all, for all.
"""

from __future__ import annotations

from itertools import permutations

import pytest

from tests.support.plays import Play
from tests.support.queues import cohort
from tests.unit.queueing.talk.slides import (
    evicted,
    fair_play,
    fill,
    gpus,
    jobs,
    queue,
    quota,
    usages,
)

GUARANTEES = {
    "org-1-team-1": 40,
    "org-1-team-2": 10,
    "org-2-team-1": 25,
    "org-2-team-2": 25,
    "burst": 0,
}
WEIGHTS = {
    "org-1-team-1": 50,
    "org-1-team-2": 50,
    "org-2-team-1": 40,
    "org-2-team-2": 40,
    "burst": 1,
}
CLUSTER = "accelerators"


def _table(spare: int = 0, weights: tuple[int, int] = (40, 40)) -> Play:
    """The table; `spare` accelerators belong to nobody."""
    orgs = zip(("org-1", "org-2"), weights, strict=True)
    homes = {name: CLUSTER if name == "burst" else name[:5] for name in GUARANTEES}
    return fair_play(
        cohort(CLUSTER, gpus(spare)),
        *(cohort(name, parent=CLUSTER, weight=weight) for name, weight in orgs),
        *(
            queue(name, nominal, cohort=homes[name], weight=WEIGHTS[name])
            for name, nominal in GUARANTEES.items()
        ),
    )


def test_the_table_adds_up() -> None:
    """Both organizations have half, and everybody may use all."""
    play = _table()
    got = {name: quota(play, name) for name in ("org-1", "org-2", CLUSTER)}
    assert got == {"org-1": 50, "org-2": 50, CLUSTER: 100}


@pytest.mark.parametrize("name", GUARANTEES)
def test_the_limit_is_all(name: str) -> None:
    play = _table()
    play.submit(*jobs(name, 101))
    play.rest()
    assert usages(play, [name]) == {name: 100}


PAIRS = [(one, team) for one, team in permutations(GUARANTEES, 2) if team != "burst"]


@pytest.mark.parametrize(("borrower", "team"), PAIRS)
def test_a_team_gets_its_guarantee_back_from_whoever_borrows(borrower: str, team: str) -> None:
    """From its own organization, from the other one, and from burst: all of it, and not one job more than it takes."""
    play = _table()
    fill(play, {borrower: 100})
    play.submit(*jobs(team, GUARANTEES[team]))
    play.rest()
    guarantee = GUARANTEES[team]
    assert usages(play, (borrower, team)) == {borrower: 100 - guarantee, team: guarantee}
    assert len(evicted(play)) == guarantee


@pytest.mark.parametrize("borrower", GUARANTEES)
def test_all_teams_get_their_guarantees_back_at_once(borrower: str) -> None:
    play = _table()
    fill(play, {borrower: 100})
    for team, guarantee in GUARANTEES.items():
        if team != borrower:
            play.submit(*jobs(team, guarantee))
    play.rest()
    assert usages(play, GUARANTEES) == GUARANTEES


@pytest.mark.parametrize(
    ("weights", "want"),
    [((40, 40), (15, 15)), ((40, 20), (20, 10)), ((80, 10), (27, 3))],
    ids=str,
)
def test_idle_capacity_is_split_by_weight_between_organizations(
    weights: tuple[int, int], want: tuple[int, int]
) -> None:
    """Everybody uses what is theirs and wants more; 30 accelerators nobody owns go 1:1, 2:1 and 8:1."""
    play = _table(30, weights)
    for team in GUARANTEES:
        if team != "burst":
            play.submit(*jobs(team, 80))
    play.rest()
    got = usages(play, ("org-1", "org-2"))
    assert tuple(used - 50 for used in got.values()) == pytest.approx(want, abs=1)
    assert sum(got.values()) == 130


def test_within_an_organization_idle_capacity_is_split_by_the_teams_weights() -> None:
    """Org-2 is idle; the two teams of org-1, both of weight 50, borrow 25 each beyond their 40 and 10."""
    play = _table()
    play.submit(*jobs("org-1-team-1", 100), *jobs("org-1-team-2", 100))
    play.rest()
    assert usages(play, ("org-1-team-1", "org-1-team-2")) == {
        "org-1-team-1": 65,
        "org-1-team-2": 35,
    }


def test_burst_gets_leftovers() -> None:
    """Org-2 borrows 20 of org-1's 50 idle ones; the other 30 are burst's."""
    play = _table()
    play.submit(*jobs("org-2-team-1", 45), *jobs("org-2-team-2", 25), *jobs("burst", 100))
    play.rest()
    assert usages(play, ("org-2", "burst")) == {"org-2": 70, "burst": 30}


def test_burst_gives_to_organizations_that_borrow() -> None:
    """Burst has all 50 of org-1's when org-2 wants them, too: they are split 40 to 1, which leaves burst a single job."""
    play = _table()
    fill(play, {"org-2-team-1": 25, "org-2-team-2": 25, "burst": 50})
    play.submit(*jobs("org-2-team-1", 60, first=100))
    play.rest()
    assert usages(play, ("org-2", "burst")) == {"org-2": 99, "burst": 1}


def test_burst_is_preempted_first() -> None:
    """Org-1 and burst borrow 10 each from org-2, which takes 10 back: all of burst's, none of org-1's. Then org-1's."""
    play = _table()
    fill(play, {"org-1-team-1": 50, "org-1-team-2": 10, "org-2-team-1": 25, "org-2-team-2": 5})
    fill(play, {"burst": 10})
    play.submit(*jobs("org-2-team-2", 10, first=100))
    play.rest()
    assert usages(play, ("org-1", "burst")) == {"org-1": 60, "burst": 0}
    play.submit(*jobs("org-2-team-2", 10, first=200))
    play.rest()
    assert usages(play, GUARANTEES) == GUARANTEES
    assert len(evicted(play)) == 20
