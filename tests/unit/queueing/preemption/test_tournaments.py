"""Which ClusterQueue fair sharing takes from next."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from argosy.queueing.preemption.candidates import OTHER, ranked
from argosy.queueing.preemption.shares import Shares
from argosy.queueing.preemption.tournaments import Tournament
from argosy.queueing.quotas.nodes import Quota
from tests.unit.queueing.preemption.scenes import CPU, NOW, Cohort, Load, Queue, Scene

TWO = Queue("root", {CPU: Quota(2)})
# Lends 20 to the others, so that shares are small and distinct.
OWN = Queue("root", {CPU: Quota(20)})


@dataclass
class Case:
    queues: dict[str, Queue]
    loads: list[Load]
    want: list[str]
    cohorts: dict[str, Cohort] = field(default_factory=dict)
    drops: frozenset[str] = frozenset()


CASES = {
    "the largest share first, as long as it has candidates": Case(
        {"a": OWN, "b": TWO, "c": TWO},
        [Load("b1", "b", {"cpu": 3}), Load("c1", "c", {"cpu": 3}), Load("c2", "c", {"cpu": 1})],
        ["c", "c", "b"],
    ),
    "who is dropped is not named again": Case(
        {"a": OWN, "b": TWO, "c": TWO},
        [Load("b1", "b", {"cpu": 3}), Load("c1", "c", {"cpu": 3}), Load("c2", "c", {"cpu": 1})],
        ["c", "b"],
        drops=frozenset("c"),
    ),
    "equal shares: whose first candidate goes first": Case(
        {"a": OWN, "b": TWO, "c": TWO},
        [Load("b1", "b", {"cpu": 4}, priority=2), Load("c1", "c", {"cpu": 4}, priority=1)],
        ["c", "b"],
    ),
    "a cohort goes before a ClusterQueue with an equal share": Case(
        {"a": OWN, "b": TWO, "c": Queue("left", {CPU: Quota(2)})},
        [Load("b1", "b", {"cpu": 4}, priority=0), Load("c1", "c", {"cpu": 4}, priority=9)],
        ["c", "b"],
        {"left": Cohort("root")},
    ),
    "equal cohorts go by name": Case(
        {"a": OWN, "b": Queue("right", {CPU: Quota(2)}), "c": Queue("left", {CPU: Quota(2)})},
        [Load("b1", "b", {"cpu": 4}), Load("c1", "c", {"cpu": 4})],
        ["c", "b"],
        {"left": Cohort("root"), "right": Cohort("root")},
    ),
    "who borrows nothing is left alone, but for the own": Case(
        {"a": OWN, "b": TWO},
        [Load("a1", "a", {"cpu": 1}), Load("b1", "b", {"cpu": 2})],
        ["a"],
    ),
    "a cohort that borrows nothing shelters a ClusterQueue that does": Case(
        {
            "a": OWN,
            "b": Queue("left", {CPU: Quota(0)}),
            "c": Queue("left", {CPU: Quota(9)}),
        },
        [Load("b1", "b", {"cpu": 4})],
        [],
        {"left": Cohort("root")},
    ),
    "not so if the preemptor is in that cohort": Case(
        {"a": Queue("left", {CPU: Quota(9)}), "b": Queue("left", {CPU: Quota(0)})},
        [Load("b1", "b", {"cpu": 4})],
        ["b"],
        {"left": Cohort("root")},
    ),
    "a borrower with no weight has the largest share": Case(
        {"a": OWN, "b": TWO, "c": Queue("root", {CPU: Quota(2)}, weight=0.0)},
        [Load("b1", "b", {"cpu": 9}), Load("c1", "c", {"cpu": 3})],
        ["c", "b"],
    ),
    "without a cohort there is only the own": Case(
        {"a": Queue("", {CPU: Quota(2)})},
        [Load("a1", "a", {"cpu": 1}), Load("a2", "a", {"cpu": 1})],
        ["a", "a"],
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_order(case: Case) -> None:
    snapshot = Scene(case.queues, tuple(case.loads), case.cohorts).snapshot()
    candidates = {
        queue.node: ranked(queue.workloads.values(), OTHER, NOW)
        for queue in snapshot.queues.values()
        if queue.workloads
    }
    tournament = Tournament(snapshot.queues["a"].node, candidates, Shares())
    got = []
    while (node := tournament.next()) is not None:
        got.append(node.name)
        if node.name in case.drops:
            tournament.drop(node)
        else:
            tournament.pop(node)
    assert got == case.want
