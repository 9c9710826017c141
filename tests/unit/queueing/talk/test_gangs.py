"""Case Study for ML Platforms: gang scheduling and preemption, priority and reclamation preemption.

A workload has quota for all of its pods or for none, and is preempted as a whole.
"""

from __future__ import annotations

import pytest

from tests.support.plays import START, Play
from tests.support.queues import GPU, workload
from tests.unit.queueing.talk.slides import FLAVOR, evicted, fair_play, queue, usages

LOWER = "LowerPriority"


def _gang(play: Play, name: str, pods: int, *, of: str = "team", priority: int = 0) -> None:
    """Submit a workload of so many pods with one accelerator each."""
    made = workload(
        name, of, {GPU: 1}, count=pods, priority=priority, created=START + len(play.jobs)
    )
    play.submit(made)
    play.rest()


def _counts(play: Play) -> dict[str, int]:
    """How many pods every admitted workload has quota for."""
    return {
        one.metadata.name: sum(each.count or 0 for each in admission.pod_set_assignments)
        for one in play.holders()
        if (admission := one.status.admission) is not None
    }


def _team(within: str = "Never") -> Play:
    return fair_play(queue("team", 8, cohort="org", within=within), queue("other", 8, cohort="org"))


def test_all_pods_or_none() -> None:
    """Ten are in use: a gang of eight gets nothing of the six that are left, one of six gets them."""
    play = _team()
    _gang(play, "ten", 10)
    _gang(play, "eight", 8)
    assert _counts(play) == {"ten": 10}
    _gang(play, "six", 6)
    assert _counts(play) == {"ten": 10, "six": 6}
    play.delete("ns/ten")
    play.rest()
    assert _counts(play) == {"six": 6, "eight": 8}


def test_a_gang_goes_as_a_whole() -> None:
    """For one accelerator that is other's own the newest gang goes with all its four; for five more, the twelve."""
    play = _team()
    _gang(play, "twelve", 12)
    _gang(play, "four", 4)
    _gang(play, "one", 1, of="other")
    assert evicted(play) == ["four"]
    assert _counts(play) == {"twelve": 12, "one": 1}
    _gang(play, "five", 5, of="other")
    assert evicted(play) == ["four", "twelve"]
    assert usages(play, ("team", "other"))["other"] == 6
    assert "twelve" not in _counts(play)


def test_a_gang_preempts_as_many_as_it_needs() -> None:
    """Whole workloads, not one more: of four gangs of four, two for one of eight."""
    play = _team()
    for name in ("a", "b", "c", "d"):
        _gang(play, name, 4)
    _gang(play, "eight", 8, of="other")
    assert len(evicted(play)) == 2
    assert sorted(_counts(play).values()) == [4, 4, 8]


def test_nobody_is_preempted_for_a_gang_that_does_not_fit_then() -> None:
    play = _team()
    for name in ("a", "b", "c", "d"):
        _gang(play, name, 4)
    _gang(play, "seventeen", 17, of="other")
    assert evicted(play) == []
    assert _counts(play) == dict.fromkeys("abcd", 4)


@pytest.mark.parametrize(
    ("within", "want"), [(LOWER, ["low"]), ("Never", [])], ids=["LowerPriority", "Never"]
)
def test_priority_in_a_queue(within: str, want: list[str]) -> None:
    """Of 16, 8 are of low and 8 of middle priority; a high one takes the place of the low one where it may."""
    play = _team(within)
    _gang(play, "middle", 8, priority=5)
    _gang(play, "low", 8, priority=1)
    _gang(play, "high", 8, priority=9)
    assert evicted(play) == want
    assert ("high" in _counts(play)) == bool(want)


def test_the_preempted_gang_runs_again_when_there_is_room() -> None:
    play = _team(LOWER)
    _gang(play, "low", 16, priority=1)
    _gang(play, "high", 8, priority=9)
    assert _counts(play) == {"high": 8}
    play.delete("ns/high")
    play.rest()
    assert _counts(play) == {"low": 16}
    assert play.usage("team", GPU, FLAVOR) == 16
