"""No preemption loops: whatever only waits and runs comes to rest.

Kueue's own rules do not give that. The circles below turn forever by them: they are played without the limit on rounds
(`preemption/rounds`), and with it. No limit is needed where no circle was ever found, in thousands of plays each:
workloads of one size that ask for one resource of one flavor come to rest in any tree, by any policies, weights and
limits; those of any size do with classical preemption if nobody preempts inside a queue or while borrowing, and with
fair sharing by final shares in one flat cohort, for one resource of one flavor, if nobody preempts inside a queue and
everybody has a weight.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given

from argosy.queueing.cycles.writes import Kind
from argosy.queueing.preemption.fair import FairSharing
from tests.support.plays import START, Play
from tests.support.queues import Quota, cluster_queue, cohort, flavor, local_queue, workload
from tests.unit.queueing.laws.stages import (
    ANYTHING,
    FAIR,
    Ranges,
    in_all_modes,
    long,
    randoms,
    stage,
)

CROWDED = replace(ANYTHING, workloads=(4, 12))
ONE_SIZE = replace(
    CROWDED, flavors=1, resources=1, request=(1, 1), nominal=(0, 4), workloads=(6, 16)
)
RECLAIM_ONLY = replace(CROWDED, within=("Never",), borrow=("Never",))
WEIGHED = replace(
    RECLAIM_ONLY,
    levels=1,
    flavors=1,
    resources=1,
    reclaim=("Never", "Any"),
    weights=(None, 0.5, 1, 2, 3),
)


def _play(random: Random, fair: FairSharing | None, ranges: Ranges, rounds: int | None) -> Play:
    """Workloads come one by one; now and then everything is at rest before the next."""
    drawn = stage(random, ranges)
    play = Play(*drawn.settings, fair=fair, rounds=rounds)
    for one in drawn.workloads:
        play.submit(one)
        if random.randint(0, 1):
            play.rest()
    play.rest()
    return play


@in_all_modes
@long
@given(random=randoms)
def test_what_only_waits_and_runs_comes_to_rest(fair: FairSharing | None, random: Random) -> None:
    _play(random, fair, CROWDED, 5)


@in_all_modes
@long
@given(random=randoms)
def test_workloads_of_one_size_come_to_rest_by_kueues_rules_alone(
    fair: FairSharing | None, random: Random
) -> None:
    _play(random, fair, ONE_SIZE, None)


@long
@given(random=randoms)
def test_classical_reclaim_alone_comes_to_rest_by_kueues_rules_alone(random: Random) -> None:
    _play(random, None, RECLAIM_ONLY, None)


@long
@given(random=randoms)
def test_final_shares_alone_come_to_rest_by_kueues_rules_alone(random: Random) -> None:
    _play(random, FAIR["fair, final share"], WEIGHED, None)


# The circles.


def _ask(
    play: Play, name: str, queue: str, cpu: int, *, gpu: int = 0, priority: int = 0, age: int = 0
) -> None:
    """Submit a workload; the older is who has the larger age."""
    requests = {"cpu": cpu} | ({"gpu": gpu} if gpu else {})
    play.submit(workload(name, queue, requests, priority=priority, created=START - age))


def _nearer_before_higher(rounds: int | None) -> Play:
    """The victim has the lower priority but need not borrow as far, so it is ahead of its preemptor when it is back."""
    play = Play(
        flavor("default"),
        cohort("org", {"default": {"cpu": 5}}, parent="all"),
        cohort("others", {"default": {"cpu": 4}}, parent="all"),
        cluster_queue(
            "low", {"default": {"cpu": 6}}, cohort="org", queueingStrategy="StrictFIFO"
        ),
        cluster_queue(
            "high", {"default": {"cpu": 0}}, cohort="org", reclaim="LowerPriority", borrow="LowerPriority"
        ),
        local_queue("low"),
        local_queue("high"),
        rounds=rounds,
    )  # fmt: skip
    _ask(play, "bystander", "low", 6, age=3)
    play.play(5)
    _ask(play, "victim", "low", 5, age=2)
    play.rest()
    _ask(play, "preemptor", "high", 6, priority=2, age=1)
    return play


def _three_orders(rounds: int | None) -> Play:
    """In its queue the older goes before the younger, in the cohort the higher priority before the older, and the
    younger, for it needs less and stays within nominal quota, takes that back from the higher priority."""
    play = Play(
        flavor("default"),
        cluster_queue("a", {"default": {"cpu": 2}}, cohort="all", queueingStrategy="StrictFIFO"),
        cluster_queue(
            "b", {"default": {"cpu": 6}}, cohort="all", reclaim="Any", within="LowerOrNewerEqualPriority"
        ),
        local_queue("a"),
        local_queue("b"),
        rounds=rounds,
    )  # fmt: skip
    _ask(play, "bystander", "b", 4, priority=2, age=4)
    _ask(play, "higher", "a", 3, priority=2, age=3)
    play.rest()
    _ask(play, "older", "b", 3, priority=1, age=5)
    _ask(play, "younger", "b", 2, priority=1, age=1)
    return play


def _more_than_was_borrowed(rounds: int | None) -> Play:
    """The victims of one queue hold more together than it borrows: the smaller is back within nominal quota before the
    preemptor gets its turn."""
    play = Play(
        flavor("default"),
        cluster_queue("a", {"default": {"cpu": 5}}, cohort="all", reclaim="Any"),
        cluster_queue("b", {"default": {"cpu": 1}}, cohort="all", weight=0),
        local_queue("a"),
        local_queue("b"),
        fair=FairSharing(),
        rounds=rounds,
    )
    _ask(play, "small", "b", 1, age=4)
    _ask(play, "large", "b", 3, age=3)
    _ask(play, "bystander", "a", 1, age=2)
    play.rest()
    _ask(play, "preemptor", "a", 5, age=1)
    return play


def _two_resources(rounds: int | None) -> Play:
    """Within its nominal quota of one resource, and far beyond its share of another."""
    play = Play(
        flavor("default"),
        cluster_queue("a", {"default": {"cpu": 4, "gpu": 1}}, cohort="all", reclaim="Any"),
        cluster_queue(
            "b", {"default": {"cpu": 0, "gpu": 4}}, cohort="all", reclaim="Any", weight=0
        ),
        local_queue("a"),
        local_queue("b"),
        fair=FairSharing(),
        rounds=rounds,
    )
    _ask(play, "many-cpus", "b", 3, gpu=1, age=2)
    _ask(play, "many-gpus", "a", 1, gpu=5, age=1)
    return play


def _found_once(rounds: int | None) -> Play:
    """Victims that are on their way out go first in the next search, and in that order their share forbids it: the
    preemptor is parked when they are gone."""
    play = Play(
        flavor("default"),
        cohort("org", parent="all", weight=3),
        cluster_queue(
            "a", {"default": {"cpu": Quota(5, 1, 2)}}, cohort="org", reclaim="Any", within="LowerPriority"
        ),
        cluster_queue("b", {"default": {"cpu": 2}}, cohort="all"),
        local_queue("a"),
        local_queue("b"),
        fair=FAIR["fair, final share"],
        rounds=rounds,
    )  # fmt: skip
    _ask(play, "own", "a", 3, age=4)
    _ask(play, "large", "b", 3, priority=2, age=3)
    _ask(play, "small", "b", 1, priority=1, age=2)
    play.rest()
    _ask(play, "preemptor", "a", 5, priority=2, age=1)
    return play


CIRCLES: dict[str, Callable[[int | None], Play]] = {
    "who borrows less far is ahead of who preempted it": _nearer_before_higher,
    "older before younger, higher before older, nominal before higher": _three_orders,
    "victims that hold more than their queue borrows": _more_than_was_borrowed,
    "nominal quota of one resource against the share of another": _two_resources,
    "victims that are found once and not again": _found_once,
}


@pytest.mark.parametrize("circle", CIRCLES.values(), ids=CIRCLES)
def test_a_circle_turns_forever_by_kueues_rules_and_comes_to_rest_by_ours(
    circle: Callable[[int | None], Play],
) -> None:
    endless = circle(None)
    with pytest.raises(AssertionError, match="no rest after 200 cycles"):
        endless.rest(200)
    play = circle(5)
    play.rest(200)
    victims = [key for kind, key in play.told if kind is Kind.PREEMPT]
    assert max(map(victims.count, victims)) >= 5


def test_something_from_outside_gives_everybody_another_try() -> None:
    play = _two_resources(5)
    play.rest()
    before = len([kind for kind, _ in play.told if kind is Kind.PREEMPT])
    play.put(cluster_queue("c", {"default": {"cpu": 0, "gpu": 0}}, cohort="all"))
    play.rest()
    after = len([kind for kind, _ in play.told if kind is Kind.PREEMPT])
    assert after > before
