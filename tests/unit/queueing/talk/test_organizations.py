"""Hierarchical Cohorts: clusters can be used by large organizations.

Which job to run and which job to preempt is a tournament: at each level of the tree the shares of siblings are
compared, whatever is below them. Unused resources in an organization are used within the organization first.
"""

from __future__ import annotations

import pytest

from tests.support.plays import Play
from tests.support.queues import cohort
from tests.unit.queueing.talk.slides import (
    cohort_of,
    evicted,
    fair_play,
    fill,
    jobs,
    queue,
    quota,
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
    assert quota(play, "ai-innovators") == 300
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
