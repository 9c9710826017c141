"""Who comes first: the smaller share, and those inside an organization before those outside."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from argosy.queueing.cycles.decisions import Admit, Outcome
from argosy.queueing.preemption.fair import FairSharing
from argosy.queueing.quotas.amounts import FlavorResource
from tests.support.plays import START, Play
from tests.support.queues import cluster_queue, cohort, flavor, local_queue, workload
from tests.unit.queueing.laws import models
from tests.unit.queueing.laws.stages import ANYTHING, FAIR, in_all_modes, long, randoms, stage

FLAT = replace(ANYTHING, levels=1, workloads=(4, 12), weights=(None, 0.5, 1, 2, 3))


def _rank(place: models.Place, decision: Admit) -> tuple[bool, float]:
    """Would it borrow of what it asks for, and its share then, from the objects. As in Kueue, shares are floats: those
    that differ by less than a rounding error are the same here."""
    usage = decision.entry.assignment.usage
    root = place.parent
    assert root is not None
    borrowed: dict[str, int] = {}
    lendable: dict[str, int] = {}
    for fr in {*root.quotas, *(fr for child in root.children for fr in child.quotas)}:
        above = place.usage(fr) + usage.get(fr, 0) - place.subtree(fr)
        borrowed[fr.resource] = borrowed.get(fr.resource, 0) + max(0, above)
        lendable[fr.resource] = lendable.get(fr.resource, 0) + root.subtree(fr)
    would_borrow = any(place.usage(fr) + more > place.subtree(fr) for fr, more in usage.items())
    shares = [Fraction(borrowed[one], lendable[one]) for one in borrowed if lendable[one]]
    return would_borrow, round(float(max(shares, default=Fraction()) / Fraction(place.weight)), 9)


@long
@given(random=randoms)
def test_in_a_cohort_the_smaller_share_goes_first(random: Random) -> None:
    """Of all that one cycle admits. In one cohort a share depends on nothing but the own queue's usage."""
    drawn = stage(random, FLAT)
    play = _Judged(*drawn.settings, fair=FAIR["fair, both strategies"])
    play.submit(*drawn.workloads, seconds=random.choice([5.0, math.inf]))
    play.rest()


class _Judged(Play):
    def cycle(self) -> Outcome:
        places = models.of_play(self)
        outcome = super().cycle()
        ranks = [_rank(places[one.entry.info.cluster_queue], one) for one in outcome.admitted]
        assert ranks == sorted(ranks)
        return outcome


@dataclass(frozen=True)
class Idle:
    """How much of what: the idle team's quota in the one organization, and what the others have."""

    idle: int
    busy: int
    theirs: int


_amounts = st.integers(1, 6)
_idles = st.builds(Idle, _amounts, st.integers(0, 6), st.integers(0, 6))


def _organizations(drawn: Idle, fair: FairSharing | None) -> Play:
    """One organization with an idle and a busy team, another that uses all it has."""
    policies = {"reclaim": "Any"}
    play = Play(
        flavor("default"),
        cohort("ours", parent="all"),
        cohort("others", parent="all"),
        cluster_queue("idle", {"default": {"gpu": drawn.idle}}, cohort="ours", **policies),
        cluster_queue("busy", {"default": {"gpu": drawn.busy}}, cohort="ours", **policies),
        cluster_queue("theirs", {"default": {"gpu": drawn.theirs}}, cohort="others", **policies),
        *map(local_queue, ("idle", "busy", "theirs")),
        fair=fair,
    )
    for queue, amount in (("busy", drawn.busy), ("theirs", drawn.theirs)):
        for number in range(amount):
            play.submit(workload(f"{queue}-{number}", queue, {"gpu": 1}, created=START - 50))
    play.rest()
    return play


@in_all_modes
@long
@given(drawn=_idles, priority=st.integers(0, 2))
def test_unused_quota_of_an_organization_is_used_inside_it_first(
    fair: FairSharing | None, drawn: Idle, priority: int
) -> None:
    """Who borrows from its own organization goes before who borrows from another, whatever its priority and age."""
    play = _organizations(drawn, fair)
    play.submit(
        workload("outside", "theirs", {"gpu": drawn.idle}, created=START - 9, priority=priority),
        workload("inside", "busy", {"gpu": drawn.idle}, created=START - 1),
    )
    play.rest()
    assert "inside" in play.admitted()
    assert "outside" not in play.admitted()
    assert play.usage("ours", "gpu") == drawn.idle + drawn.busy


@in_all_modes
@long
@given(drawn=_idles)
def test_unused_quota_that_others_have_borrowed_comes_back_when_it_is_needed_inside(
    fair: FairSharing | None, drawn: Idle
) -> None:
    play = _organizations(drawn, fair)
    play.submit(*(workload(f"outside-{one}", "theirs", {"gpu": 1}) for one in range(drawn.idle)))
    play.rest()
    assert play.node("others").is_borrowing(FlavorResource("default", "gpu"))
    play.submit(workload("inside", "busy", {"gpu": drawn.idle}, created=START - 1))
    play.rest()
    assert "inside" in play.admitted()
    assert not play.node("others").is_borrowing(FlavorResource("default", "gpu"))
