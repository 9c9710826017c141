"""Fair Sharing: Who gets to schedule? The ClusterQueue with the lowest share value goes first.

ShareValue = UsageAboveQuota / (sum(Quotas) * Weight), in thousandths, rounded up where a status shows it.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.support.plays import Play
from tests.support.queues import GPU
from tests.unit.queueing.talk.slides import (
    cluster_queue_of,
    evicted,
    fair_play,
    fill,
    jobs,
    queue,
    usages,
)

LAB = ("bob-queue", "alice-queue", "carol-queue")
SLIDE = """
kind: ClusterQueue
metadata:
  name: "{name}"
spec:
  cohort: "lab"
  resourceGroups:
  - coveredResources: ["acme.com/gpu"]
    flavors:
    - name: "default-flavor"
      resources:
      - name: "acme.com/gpu"
        nominalQuota: 8
  preemption:
    reclaimWithinCohort: "Any"
  fairSharing:
    weight: {weight}
"""
ALONE = """
kind: ClusterQueue
metadata:
  name: "bob-queue"
spec:
  resourceGroups:
  - coveredResources: ["cpu", "memory", "acme.com/gpu"]
    flavors:
    - name: "default-flavor"
      resources:
      - name: "cpu"
        nominalQuota: 24
      - name: "memory"
        nominalQuota: 48Gi
      - name: "acme.com/gpu"
        nominalQuota: 24
"""


def _lab(*weights: float) -> Play:
    """Three queues of 8 in one cohort."""
    named = zip(LAB, weights, strict=True)
    return fair_play(*(cluster_queue_of(SLIDE.format(name=n, weight=w)) for n, w in named))


def test_clusters_are_not_infinite() -> None:
    """Bob alone, 24 of everything: the 25th accelerator has to wait for one to be free."""
    play = fair_play(cluster_queue_of(ALONE))
    bobs = jobs("bob-queue", 25)
    play.submit(*bobs[:1], seconds=60)
    play.submit(*bobs[1:])
    play.play(1)
    assert play.usage("bob-queue", GPU, "default-flavor") == 24
    assert "bob-queue-24" not in play.admitted()
    play.play(60)
    assert "bob-queue-24" in play.admitted()


@dataclass(frozen=True)
class Shares:
    """Of bob, alice and carol, with 8 each: what they use, and what that is for their share in thousandths."""

    uses: tuple[int, int, int]
    shares: tuple[float, float, float]
    shown: tuple[int, int, int]
    weights: tuple[float, float, float] = (1, 1, 1)


SHARES = {
    "borrowing 3, 2, 0 is 3/24, 2/24, 0/24": Shares(
        (11, 10, 0), (3000 / 24, 2000 / 24, 0), (125, 84, 0)
    ),
    "borrowing 6, 2, 0 is 6/24, 2/24, 0/24": Shares(
        (14, 10, 0), (6000 / 24, 2000 / 24, 0), (250, 84, 0)
    ),
    "within the quota there is no share": Shares((8, 4, 0), (0, 0, 0), (0, 0, 0)),
    "bob of weight 1 and alice of weight 2": Shares(
        (11, 10, 0), (3000 / 24, 2000 / 48, 0), (125, 42, 0), (1, 2, 1)
    ),
    "twice the weight, half the share": Shares(
        (12, 12, 0), (4000 / 24, 4000 / 48, 0), (167, 84, 0), (1, 2, 1)
    ),
}


@pytest.mark.parametrize("case", SHARES.values(), ids=SHARES.keys())
def test_the_share_is_what_is_borrowed_by_all_quotas_and_weight(case: Shares) -> None:
    play = _lab(*case.weights)
    fill(play, dict(zip(LAB, case.uses, strict=True)))
    got = [play.share(name) for name in LAB]
    assert tuple(one.weighted for one in got) == pytest.approx(case.shares)
    assert tuple(one.rounded() for one in got) == case.shown


@dataclass(frozen=True)
class Race:
    """Who uses how much of 24, who waits with one job each, longest first, and who gets what is free, in order."""

    uses: tuple[int, int, int]
    waits: tuple[str, ...]
    order: tuple[str, ...]
    weights: tuple[float, float, float] = (1, 1, 1)


BOB, ALICE, CAROL = LAB
RACES = {
    "0/24 goes before 3/24 and 2/24": Race((11, 10, 2), LAB, (CAROL,)),
    "2/24 goes before 3/24 where 0/24 wants nothing": Race((11, 10, 2), (BOB, ALICE), (ALICE,)),
    "everybody by share where there is room for all": Race((10, 9, 0), LAB, (CAROL, ALICE, BOB)),
    "borrowing as much, the greater weight goes first": Race(
        (10, 10, 3), (BOB, ALICE), (ALICE,), (1, 2, 1)
    ),
    "borrowing more, the greater weight still goes first": Race(
        (10, 11, 2), (BOB, ALICE), (ALICE,), (1, 2, 1)
    ),
    "a weight is not a pass": Race((9, 13, 1), (ALICE, BOB), (BOB,), (1, 2, 1)),
}


@pytest.mark.parametrize("case", RACES.values(), ids=RACES.keys())
def test_the_lowest_share_is_scheduled_first(case: Race) -> None:
    """All wait when the cycle starts, those who have to go last for the longest. Nobody is preempted for it."""
    play = _lab(*case.weights)
    fill(play, dict(zip(LAB, case.uses, strict=True)))
    for place, name in enumerate(case.waits):
        play.submit(*jobs(name, 1, first=100 + place))
    decided = [one.entry.info.cluster_queue for one in play.cycle().admitted]
    assert tuple(decided) == case.order
    play.rest()
    assert evicted(play) == []


def test_idle_quota_goes_to_the_lowest_share_again_and_again() -> None:
    """Carol is idle, bob and alice want everything: job by job, they end with the same share."""
    play = _lab(1, 1, 1)
    play.submit(*jobs(BOB, 24), *jobs(ALICE, 24))
    play.rest()
    assert usages(play, LAB) == {BOB: 12, ALICE: 12, CAROL: 0}


def test_idle_quota_is_split_by_weight() -> None:
    """Of carol's 8, alice with weight 2 gets twice what bob gets, as far as whole jobs allow."""
    play = _lab(1, 2, 1)
    play.submit(*jobs(BOB, 24), *jobs(ALICE, 24))
    play.rest()
    assert usages(play, LAB) == {BOB: 11, ALICE: 13, CAROL: 0}


def test_a_queue_without_a_cohort_has_no_share() -> None:
    play = fair_play(queue("bob-queue", 24, cohort=""))
    fill(play, {"bob-queue": 24})
    assert not play.share("bob-queue").is_borrowing
    assert play.share("bob-queue").rounded() == 0
