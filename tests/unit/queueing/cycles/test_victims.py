"""Victims of a cycle: out of their trees while preemptors are looked at, and back afterwards."""

from __future__ import annotations

from collections import ChainMap
from random import Random
from unittest.mock import patch

from hypothesis import event, given, settings

from argosy.queueing.cycles.entries import Entry
from argosy.queueing.cycles.nominating import Nominator, Surroundings
from argosy.queueing.cycles.ordering import Classical
from argosy.queueing.cycles.processing import Processing
from argosy.queueing.cycles.victims import Victims
from argosy.queueing.cycles.writes import Kind, Write
from argosy.queueing.flavors.assigning import Assigner
from argosy.queueing.flavors.assignments import Mode
from argosy.queueing.preemption.preempting import Preemptor
from argosy.queueing.preemption.targets import Target
from argosy.queueing.quotas.nodes import Quota
from argosy.queueing.workloads.writing import written
from tests.support.plays import Play
from tests.unit.queueing.laws.stages import Ranges, Stage, randoms, stage
from tests.unit.queueing.preemption.scenes import (
    CPU,
    NOW,
    Load,
    Queue,
    Scene,
    assigned,
    incoming,
    state,
)

_NOMINATOR = Nominator(Assigner(), Preemptor(), Surroundings(lambda _: None, lambda _: {}))

_CROWDED = Ranges(
    queues=(3, 6),
    workloads=(10, 24),
    flavors=1,
    resources=1,
    nominal=(2, 6),
    request=(1, 3),
    reclaim=("LowerPriority", "Any"),
    has_limits=False,
)


class _Recorded(Play):
    """A play that remembers every decision."""

    def __init__(self) -> None:
        super().__init__()
        self.decisions: list[object] = []

    def send(self, write: Write) -> None:
        name = write.draft.workload.metadata.name
        self.decisions.append((self.cycles, write.kind, name, written(write.draft.status)))
        super().send(write)


def _played(drawn: Stage) -> _Recorded:
    play = _Recorded()
    play.put(*drawn.settings)
    # First those of low priority, each looked at before the next, so that there is somebody to push out by the others.
    waiting = sorted(drawn.workloads, key=lambda workload: workload.spec.priority or 0)
    half = len(waiting) // 2
    for one in waiting[:half]:
        play.submit(one, seconds=40.0)
        play.step()
    play.submit(*waiting[half:], seconds=40.0)
    play.rest()
    return play


@settings(max_examples=100)
@given(random=randoms)
def test_what_is_decided_does_not_depend_on_how_long_victims_stay_out(random: Random) -> None:
    drawn = stage(random, _CROWDED)
    got = _played(drawn)
    with patch.object(Classical, "looks_at_usage", new=True):
        want = _played(drawn)
    event(f"somebody is preempted: {any(kind is Kind.PREEMPT for kind, _ in got.told)}")
    assert got.decisions == want.decisions


def test_victims_are_taken_out_once_and_put_back_once() -> None:
    loads = tuple(Load(name, queue, {"cpu": 1}) for name, queue in ("xa", "yb", "zc"))
    scene = Scene({"a": Queue("left"), "b": Queue("left"), "c": Queue("right")}, loads)
    snapshot = scene.snapshot()
    a, b, c = (snapshot.queues[name] for name in "abc")
    before = state(snapshot)
    victims = Victims(snapshot)
    victims.add(a.node, [Target(a.workloads["ns/x"], "why"), Target(b.workloads["ns/y"], "why")])
    victims.add(c.node, [Target(c.workloads["ns/z"], "why")])
    assert set(victims.near(b.node)) == {"ns/x", "ns/y"}
    for _ in range(2):
        victims.take_out(a.node)
        assert snapshot.out == {"ns/x", "ns/y"}
        assert a.node.root.usage == [0]
    victims.take_out(c.node)
    victims.put_back(b.node)
    assert snapshot.out == {"ns/z"}
    for _ in range(2):
        victims.put_back()
        assert state(snapshot) == before


def test_what_is_kept_for_who_waits_goes_by_what_victims_still_hold() -> None:
    """`b` uses more than its quota while its victim is there: nothing of it is free to be kept."""
    policies = {"a": "Any", "b": "LowerPriority", "c": "Any"}
    queues = {
        name: Queue("root", {CPU: Quota(2 if name == "c" else 4)}, reclaim=reclaim)
        for name, reclaim in policies.items()
    }
    scene = Scene(queues, (Load("v", "b", {"cpu": 6}), Load("w", "c", {"cpu": 2})))
    snapshot = scene.snapshot()
    before = state(snapshot)
    processing = Processing(snapshot, _NOMINATOR, Classical([]), 1, NOW)
    for load, victims in (
        (Load("first", "a", {"cpu": 4}), ["ns/v"]),
        (Load("second", "c", {"cpu": 2}), ["ns/w"]),
        (Load("third", "b", {"cpu": 3}), []),
    ):
        info = incoming(load)
        held = ChainMap(*(dict(queue.workloads) for queue in snapshot.queues.values()))
        targets = [Target(held[key], "why") for key in victims]
        assignment = assigned(info)
        assignment.set_mode(Mode.PREEMPT)
        processing.process(Entry(info, snapshot.queues[load.queue], assignment, targets))
    assert len(processing.outcome.preempted) == 2
    assert snapshot.queues["b"].node.usage == [6]
    processing.finish()
    assert state(snapshot) == before
