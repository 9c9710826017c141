"""Hierarchical Cohorts: clusters can be used by large organizations.

Which job to run and which job to preempt is a tournament: at each level of the tree the shares of siblings are
compared, whatever is below them. Unused resources in an organization are used within the organization first.
"""

from __future__ import annotations

from itertools import permutations

import pytest

from argosy.queueing.quotas.amounts import FlavorResource
from tests.support.plays import Play
from tests.support.queues import GPU, cohort
from tests.unit.queueing.talk.slides import (
    FLAVOR,
    cohort_of,
    evicted,
    fair_play,
    fill,
    gpus,
    jobs,
    queue,
    usages,
)

INNOVATORS = """
kind: Cohort
metadata:
  name: "ai-innovators"
spec:
  parent: "ai-inc"
  resourceGroups:
    - coveredResources: ["acme.com/gpu"]
      flavors:
        - name: "default-flavor"
          resources:
            - name: "acme.com/gpu"
              nominalQuota: 300
  fairSharing:
    weight: 3
"""


def _quota(play: Play, name: str) -> int:
    """What a cohort has, with all that is below it."""
    node = play.node(name)
    return node.subtree[node.position(FlavorResource(FLAVOR, GPU))]


def test_the_organization_of_the_slide() -> None:
    """300 accelerators of weight 3 below ai-inc; teams without any quota of their own share them."""
    team, other = "vision", "speech"
    play = fair_play(
        cohort_of(INNOVATORS),
        queue(team, 0, cohort="ai-innovators"),
        queue(other, 0, cohort="ai-innovators"),
        queue("elsewhere", 100, cohort="ai-inc"),
    )
    node = play.node("ai-innovators")
    assert node.parent is play.node("ai-inc")
    assert node.weight == 3
    assert _quota(play, "ai-innovators") == 300
    play.submit(*jobs(team, 4, size=100))
    play.rest()
    assert usages(play, ("ai-innovators", "ai-inc")) == {"ai-innovators": 400, "ai-inc": 400}
    # 100 of 400, by weight 3; the team has all of its 400 from above.
    assert play.share("ai-innovators").weighted == pytest.approx(1000 * 100 / 400 / 3)
    assert play.share(team).weighted == pytest.approx(1000)
    play.submit(*jobs("elsewhere", 1, size=100))
    play.rest()
    play.submit(*jobs(other, 3, size=100))
    play.rest()
    # With a second job the other team would have as much as this one has: that is not fairer.
    want = {team: 200, other: 100, "elsewhere": 100}
    assert usages(play, (team, other, "elsewhere")) == want


# Three organizations with teams of 5, one of them idle at first.
ROOT = "ai-inc"
TEAMS = ("red-1", "red-2", "blue-1", "blue-2", "green-1")


def _company() -> Play:
    return fair_play(
        *(cohort(org, parent=ROOT) for org in ("red", "blue", "green")),
        *(queue(team, 5, cohort=team.partition("-")[0]) for team in TEAMS),
    )


def test_which_job_to_preempt() -> None:
    """Red borrows 4 with 2 in each team, blue borrows 1 with 6 in one team: red gives, though blue-1 borrows most."""
    play = _company()
    fill(play, {"red-1": 7, "red-2": 7, "blue-1": 11})
    got = {name: play.share(name).weighted for name in ("red", "blue", "red-1", "blue-1")}
    assert got == pytest.approx({"red": 160, "blue": 40, "red-1": 80, "blue-1": 240})
    play.submit(*jobs("green-1", 1))
    play.rest()
    assert usages(play, ("red", "blue", "green")) == {"red": 13, "blue": 11, "green": 1}


def test_which_team_of_the_organization_is_preempted() -> None:
    """In the organization that has to give, the team with the higher share."""
    play = _company()
    fill(play, {"red-1": 6, "red-2": 8, "blue-1": 11})
    play.submit(*jobs("green-1", 1))
    play.rest()
    want = {"red-1": 6, "red-2": 7, "blue-1": 11, "blue-2": 0, "green-1": 1}
    assert usages(play, TEAMS) == want


def test_which_job_to_run() -> None:
    """One accelerator is free: the organization with the lower share gets it, and in it the team with the lower share."""
    play = _company()
    fill(play, {"red-1": 7, "red-2": 6, "blue-1": 5, "blue-2": 6})
    play.submit(*jobs("green-1", 1))
    play.rest()
    for team in TEAMS[:3]:
        play.submit(*jobs(team, 1, first=100))
    assert usages(play, [ROOT]) == {ROOT: 25}
    play.delete("ns/green-1-0")
    assert [one.entry.info.cluster_queue for one in play.cycle().admitted] == ["blue-1"]


def test_what_is_unused_in_an_organization_is_used_there_first() -> None:
    """Red-2 is idle. Blue-1 asked long before red-1; still red-1 gets what is red's, and blue the rest."""
    play = _company()
    fill(play, {"red-1": 5, "blue-1": 5, "blue-2": 5, "green-1": 5})
    play.submit(*jobs("blue-1", 5, first=5))
    play.submit(*jobs("red-1", 3, first=100))
    play.rest()
    assert usages(play, ("red-1", "blue-1")) == {"red-1": 8, "blue-1": 7}
    assert evicted(play) == []


def test_what_is_unused_in_an_organization_comes_back_to_it() -> None:
    """Blue-1 has borrowed all of red-2's. Red-1 borrows within red, which takes nothing from anybody: blue gives."""
    play = _company()
    fill(play, {"red-1": 5, "blue-2": 5, "green-1": 5, "blue-1": 10})
    play.submit(*jobs("red-1", 5, first=5))
    play.rest()
    assert usages(play, ("red-1", "blue-1")) == {"red-1": 10, "blue-1": 5}


# "Org sharing with Hierarchies": 100 accelerators. Guarantees of teams are parts of their organization's 50.
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
    got = {name: _quota(play, name) for name in ("org-1", "org-2", CLUSTER)}
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
