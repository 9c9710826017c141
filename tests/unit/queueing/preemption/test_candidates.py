"""Who goes first among candidates."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given

from argosy.queueing.preemption.candidates import OTHER, OWN, merged, ranked
from argosy.queueing.preemption.fair import FairSharing
from argosy.queueing.preemption.preempting import Preemptor
from argosy.queueing.quotas.nodes import Quota
from tests.unit.queueing.preemption.scenes import (
    CPU,
    NOW,
    Load,
    Queue,
    Scene,
    assigned,
    holding,
    incoming,
    scenes,
)

ONE = {"cpu": 1}


def order(loads: list[Load], usages: dict[str, float | None] | None = None) -> list[str]:
    """The names in order, for a preemptor in ClusterQueue `a`."""
    lists = [
        ranked(
            [holding(load) for load in loads if load.queue == queue],
            OWN if queue == "a" else OTHER,
            NOW,
            None if usages is None else lambda name: usages[name.removeprefix("ns/")],
        )
        for queue in sorted({load.queue for load in loads})
    ]
    return [one.info.obj.metadata.name for one in merged(lists)]


@dataclass
class Case:
    first: Load
    second: Load
    usages: dict[str, float | None] | None = None


CASES = {
    "an evicted workload goes before all others": Case(
        Load("x", "a", ONE, priority=9, reserved=900, is_evicted=True),
        Load("y", "b", ONE, priority=0),
    ),
    "another ClusterQueue's goes before the own, whatever the priority": Case(
        Load("x", "b", ONE, priority=9), Load("y", "a", ONE, priority=0)
    ),
    "the lower priority goes first": Case(
        Load("x", "b", ONE, priority=-1, reserved=900), Load("y", "b", ONE, priority=0)
    ),
    "of equals the one with the newer reservation goes first": Case(
        Load("x", "b", ONE, reserved=1), Load("y", "c", ONE, reserved=2)
    ),
    "of the same age the smaller uid goes first": Case(Load("x", "c", ONE), Load("y", "b", ONE)),
    "in one ClusterQueue the LocalQueue that used more goes before priority": Case(
        Load("x", "a", ONE, priority=9, local_queue="much"),
        Load("y", "a", ONE, priority=0, local_queue="little"),
        {"much": 2.0, "little": 1.0},
    ),
    "an evicted workload goes before a LocalQueue that used more": Case(
        Load("x", "a", ONE, is_evicted=True, local_queue="little"),
        Load("y", "a", ONE, local_queue="much"),
        {"much": 2.0, "little": 1.0},
    ),
    "usage says nothing about workloads of two ClusterQueues": Case(
        Load("x", "b", ONE, priority=0, local_queue="little"),
        Load("y", "c", ONE, priority=1, local_queue="much"),
        {"much": 2.0, "little": 1.0},
    ),
    "without usage on record priority decides": Case(
        Load("x", "a", ONE, priority=0, local_queue="little"),
        Load("y", "a", ONE, priority=1, local_queue="much"),
        {"much": None, "little": None},
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_order(case: Case) -> None:
    assert order([case.first, case.second], case.usages) == ["x", "y"]
    assert order([case.second, case.first], case.usages) == ["x", "y"]


def test_usage_and_priority_in_a_circle_give_one_order() -> None:
    """`much` before `little` by usage, `little` before `other` and `other` before `much` by priority."""
    loads = [
        Load("much", "b", ONE, priority=9, local_queue="much"),
        Load("little", "b", ONE, priority=0, local_queue="little"),
        Load("other", "c", ONE, priority=5, local_queue="other"),
    ]
    usages: dict[str, float | None] = {"much": 2.0, "little": 1.0, "other": 7.0}
    want = ["other", "much", "little"]
    assert order(loads, usages) == want
    assert order(loads[::-1], usages) == want


@given(scenes())
def test_evicted_workloads_are_a_prefix_also_by_usage(given_scene: tuple[Scene, Load]) -> None:
    loads = list(given_scene[0].loads)
    evicted = {load.name for load in loads if load.is_evicted}
    got = order(loads, {"blue": 1.0, "red": 2.0})
    assert sorted(got) == sorted(load.name for load in loads)
    assert set(got[: len(evicted)]) == evicted


@pytest.mark.parametrize("fair", [None, FairSharing()], ids=["classical", "fair"])
def test_both_engines_take_from_the_local_queue_that_used_most(fair: FairSharing | None) -> None:
    scene = Scene(
        {"a": Queue(quotas={CPU: Quota(2)})},
        (Load("low", "a", ONE, 0, local_queue="red"), Load("mid", "a", ONE, 1, local_queue="blue")),
    )
    asking = incoming(Load("asking", "a", ONE, priority=5))
    usages = {"ns/red": 1.0, "ns/blue": 2.0}
    for preemptor, want in (
        (Preemptor(fair), "ns/low"),
        (Preemptor(fair, usage_of=usages.get), "ns/mid"),
    ):
        got = preemptor.targets(asking, assigned(asking), scene.snapshot(), now=NOW)
        assert [one.info.key for one in got] == [want]
