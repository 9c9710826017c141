"""Restart at any moment, also between a decision and its write, with some writes lost: no quota leaks, nothing is
forgotten, and nothing runs twice to its end.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from argosy.queueing.cycles.writes import Kind
from argosy.queueing.preemption.fair import FairSharing
from tests.unit.queueing.laws import models
from tests.unit.queueing.laws.stages import ANYTHING, in_all_modes, long, stage
from tests.unit.queueing.laws.wires import Wired

# So much happens on a wire that its chances are drawn from a seed: they would not shrink anyway.
seeds = st.integers(0, 2**32)
# Everybody fits into the nominal quota of its queue, so that all can run.
FITTING = replace(ANYTHING, nominal=(6, 8), workloads=(3, 10))


def _play(random: Random, fair: FairSharing | None, deaths: int) -> Wired:
    drawn = stage(random, FITTING)
    play = Wired(*drawn.settings, random=random, fair=fair)
    for one in drawn.workloads:
        play.submit(one, seconds=random.randint(1, 9))
    moments = {random.randint(1, 60) for _ in range(deaths)}

    def judge() -> None:
        assert models.overdrawn(models.of_play(play)) == []

    play.watch = judge
    steps = 0
    while play.step():
        steps += 1
        if steps in moments:
            play.die()
        assert steps < 5000, "the play does not end"
    return play


def _check(play: Wired) -> None:
    assert {key: job.completions for key, job in play.jobs.items()} == dict.fromkeys(play.jobs, 1)
    assert all(one.is_finished for one in play.workloads.values())
    cache = play.engine.cache
    assert cache.workloads == {}
    assert all(holdings.reserving == 0 for holdings in cache.holdings.values())
    for name in models.of_play(play):
        assert not any(play.node(name).usage)
    assert len(play.engine._assumed._known) == 0
    kinds = [kind for kind, _ in play.told]
    assert kinds.count(Kind.ADMIT) == len(play.jobs) + kinds.count(Kind.PREEMPT)


@in_all_modes
@long
@given(seed=seeds)
def test_late_news_and_answers_leave_nothing_behind(fair: FairSharing | None, seed: int) -> None:
    _check(_play(Random(seed), fair, deaths=0))


@in_all_modes
@long
@given(seed=seeds, deaths=st.integers(1, 3))
def test_after_deaths_everything_still_runs_once_to_its_end(
    fair: FairSharing | None, seed: int, deaths: int
) -> None:
    _check(_play(Random(seed), fair, deaths))
