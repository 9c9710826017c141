"""The same again: in another order, once more, and by an engine that knows nothing of the past."""

from __future__ import annotations

import math
from random import Random

from hypothesis import given

from argosy.queueing.cycles.writes import Write
from argosy.queueing.preemption.fair import FairSharing
from argosy.queueing.preemption.rounds import LIMIT
from argosy.queueing.workloads.writing import written
from tests.support.plays import Play
from tests.unit.queueing.laws import states
from tests.unit.queueing.laws.stages import Stage, in_all_modes, long, randoms, stage


class Recorded(Play):
    """A play that remembers every status as it was decided."""

    def record(self) -> list[object]:
        self.recorded: list[object] = []
        self.rest()
        return self.recorded

    def send(self, write: Write) -> None:
        meta = write.draft.workload.metadata
        self.recorded.append((self.cycles, write.kind, meta.name, written(write.draft.status)))
        super().send(write)


def _recorded(drawn: Stage, fair: FairSharing | None, seconds: float) -> list[object]:
    play = Recorded(fair=fair)
    play.put(*drawn.settings)
    play.submit(*drawn.workloads, seconds=seconds)
    return play.record()


@in_all_modes
@long
@given(random=randoms)
def test_the_outcome_does_not_depend_on_the_order_in_which_objects_are_put(
    fair: FairSharing | None, random: Random
) -> None:
    drawn = stage(random)
    seconds = random.choice([4.0, math.inf])
    want = _recorded(drawn, fair, seconds)
    random.shuffle(drawn.settings)
    random.shuffle(drawn.workloads)
    got = _recorded(drawn, fair, seconds)
    # Statuses are written in the order of decisions; of several flavors, say, dicts may differ in theirs.
    assert got == want


@in_all_modes
@long
@given(random=randoms)
def test_a_cycle_leaves_what_it_looked_at_as_it_was(
    fair: FairSharing | None, random: Random
) -> None:
    """Whatever is tried in a cycle is taken back; only applied decisions make a difference."""
    play = stage(random).play(fair)
    for _ in range(random.randint(0, 6)):
        play.step()
    engine, now = play.engine, play.now
    before = states.used(engine)
    heads = engine.queues.heads(now)
    looks = []
    for _ in range(2):
        for info in heads:
            info.last_assignment = None
        outcome = engine._scheduler.cycle(heads, engine.cache.snapshot(), number=9, now=now)
        assert states.used(engine) == before
        looks.append(
            (
                [(one.entry.info.key, one.admission) for one in outcome.admitted],
                [
                    (one.entry.info.key, [(t.info.key, t.reason) for t in one.targets])
                    for one in outcome.preempted
                ],
                [(one.info.key, one.requeue_reason, one.message) for one in outcome.requeued],
            )
        )
    assert looks[0] == looks[1]


@in_all_modes
@long
@given(random=randoms)
def test_at_rest_another_cycle_changes_nothing(fair: FairSharing | None, random: Random) -> None:
    play = stage(random).play(fair)
    play.rest()
    before = play.workloads.copy(), states.used(play.engine), states.waiting(play.engine)
    play.cycle()
    # A head with several flavors may say of another one why it waits; nothing is decided.
    statuses = {key: (one.status.admission, one.is_evicted) for key, one in play.workloads.items()}
    want = {key: (one.status.admission, one.is_evicted) for key, one in before[0].items()}
    assert statuses == want
    assert (states.used(play.engine), states.waiting(play.engine)) == before[1:]


@in_all_modes
@long
@given(random=randoms)
def test_at_rest_nobody_was_forgotten(fair: FairSharing | None, random: Random) -> None:
    """An engine built anew looks at everybody, parked or not, and finds nobody to admit whom the old one let wait."""
    play = stage(random).play(fair)
    play.rest()
    is_circle = any(
        count >= LIMIT
        for tree in play.engine._rounds._counts.values()
        for victims in tree.values()
        for count in victims.values()
    )
    play.restart(random.shuffle)
    while play.engine.has_work(play.now):
        outcome = play.cycle()
        assert [one.entry.info.key for one in outcome.admitted] == []
        assert is_circle or [one.entry.info.key for one in outcome.preempted] == []
