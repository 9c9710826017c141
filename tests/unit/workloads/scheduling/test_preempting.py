"""Who has to go for a more important pod."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argosy.api.objects import Node, Pod
from argosy.base.selectors.labels import from_labels
from argosy.workloads.scheduling.deciding import Refused
from argosy.workloads.scheduling.preempting import Budget
from tests.unit.workloads.scheduling.builders import (
    APP,
    HOST,
    decide,
    decider,
    node,
    outcome,
    pod,
    required,
    spread,
    term,
)

EARLY, LATE = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"
PROTECTED = {"guarded": "yes"}
TWO = [node("n1", cpu=2), node("n2", cpu=2)]


class Case(NamedTuple):
    nodes: list[Node]
    pods: list[Pod]
    asking: Pod
    want: tuple[str, list[str]]


CASES = {
    "only as many as needed, the least important": Case(
        [node("n1", cpu=3)],
        [pod("a", on="n1", priority=1), pod("b", on="n1"), pod("c", on="n1", priority=2)],
        pod("x", priority=5, cpu=1),
        ("n1", ["b"]),
    ),
    "the youngest of equals goes": Case(
        [node("n1", cpu=2)],
        [pod("a", on="n1", started=LATE), pod("b", on="n1", started=EARLY)],
        pod("x", priority=5),
        ("n1", ["a"]),
    ),
    "the node with the lowest highest priority": Case(
        TWO,
        [pod("a", on="n1", cpu=2, priority=2), pod("b", on="n2", cpu=2, priority=1)],
        pod("x", priority=5),
        ("n2", ["b"]),
    ),
    "the node with fewer victims": Case(
        TWO,
        [pod("a", on="n1"), pod("b", on="n1"), pod("c", on="n2", cpu=2)],
        pod("x", priority=5, cpu=2),
        ("n2", ["c"]),
    ),
    "the node whose victims started last": Case(
        TWO,
        [pod("a", on="n1", cpu=2, started=EARLY), pod("b", on="n2", cpu=2, started=LATE)],
        pod("x", priority=5),
        ("n2", ["b"]),
    ),
    "a node that breaks no budget": Case(
        TWO,
        [pod("a", on="n1", cpu=2, labels=PROTECTED), pod("b", on="n2", cpu=2, priority=3)],
        pod("x", priority=5),
        ("n2", ["b"]),
    ),
    "a budget is broken when there is no other way": Case(
        [node("n1", cpu=2)],
        [pod("a", on="n1", cpu=2, labels=PROTECTED)],
        pod("x", priority=5),
        ("n1", ["a"]),
    ),
    "among equals the protected pod is spared": Case(
        [node("n1", cpu=2)],
        [pod("a", on="n1", started=EARLY), pod("b", on="n1", started=LATE, labels=PROTECTED)],
        pod("x", priority=5),
        ("n1", ["a"]),
    ),
    "who is in the way of anti-affinity goes": Case(
        [node("n1")],
        [pod("a", on="n1", labels=APP), pod("b", on="n1")],
        pod("x", priority=5, affinity=required("podAntiAffinity", term(HOST))),
        ("n1", ["a"]),
    ),
    "who makes the spread uneven goes": Case(
        [node("n1", zone="a"), node("n2", zone="b", cpu=1)],
        [pod("a", on="n1", labels=APP), pod("b", on="n2", priority=9)],
        pod("x", priority=5, labels=APP, topologySpreadConstraints=[spread()]),
        ("n1", ["a"]),
    ),
    "who holds the port goes": Case(
        [node("n1")],
        [pod("a", on="n1", ports=[80]), pod("b", on="n1")],
        pod("x", priority=5, ports=[80]),
        ("n1", ["a"]),
    ),
    "equal priority is never preempted": Case(
        [node("n1", cpu=1)], [pod("a", on="n1", priority=5)], pod("x", priority=5), ("", [])
    ),
    "nobody goes in vain": Case(
        [node("n1", cpu=2)],
        [pod("a", on="n1"), pod("b", on="n1", priority=9)],
        pod("x", priority=5, cpu=2),
        ("", []),
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_victims(case: Case) -> None:
    made = decider(case.nodes, case.pods)
    budget = Budget("ns", from_labels(PROTECTED), 0, frozenset())
    made.preempting.budgets["ns", "guard"] = budget
    (got,) = decide(made, case.asking)
    assert isinstance(got, Refused)
    assert (got.nominated, [each.name for each in got.victims]) == case.want
    assert {each.name for each in made.ledger.placements.values()} == {
        each.metadata.name for each in case.pods
    }


def test_a_place_that_is_held_is_not_given_to_others() -> None:
    made = decider([node("n1", cpu=2)], [pod("a", on="n1", cpu=2)])
    (first,) = decide(made, pod("x", priority=5, cpu=2))
    assert isinstance(first, Refused)
    assert first.nominated == "n1"
    made.ledger.displace("a")
    lower, higher = decide(made, pod("y", priority=4), pod("z", priority=6))
    assert outcome(lower).startswith("0/1 nodes are available: 1 Insufficient cpu.")
    assert outcome(higher) == "n1"


def test_a_pod_whose_victims_are_leaving_waits() -> None:
    leaving = pod("a", on="n1", cpu=2)
    made = decider([node("n1", cpu=2), node("n2", cpu=2)], [leaving, pod("b", on="n2", cpu=2)])
    made.ledger.placements["a"].is_deleting = True
    made.ledger.placements["a"].is_preempted = True
    (got,) = decide(made, pod("x", priority=5, cpu=2, nominated="n1"))
    assert isinstance(got, Refused)
    assert (got.nominated, got.victims) == ("n1", ())
    assert got.diagnosis.message() == (
        "0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, "
        "preemption: not eligible due to a terminating pod on the nominated node."
    )


def test_a_place_that_is_no_longer_needed_is_released() -> None:
    made = decider([node("n1", cpu=1), node("n2", cpu=1)], [pod("a", on="n1"), pod("b", on="n2")])
    (held,) = decide(made, pod("x", priority=5))
    made.ledger.displace("b")
    (placed,) = decide(made, pod("x", priority=5))
    assert (getattr(held, "nominated", ""), outcome(placed), placed.released) == ("n1", "n2", "n1")
    assert made.nominations == {}


def test_a_pod_of_lower_priority_loses_its_nomination() -> None:
    made = decider([node("n1", cpu=1)], [pod("a", on="n1")])
    decide(made, pod("x", priority=5))
    (got,) = decide(made, pod("y", priority=6))
    assert isinstance(got, Refused)
    assert [each.name for each in got.denominated] == ["x"]
    assert made.nominations.keys() == {"y"}
    assert int(made.ledger.pods[0]) == 1


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 1)), max_size=6),
    st.integers(1, 5),
    st.integers(1, 6),
)
def test_sums_find_the_victims_that_trying_finds(
    placed: list[tuple[int, int, int]], cpu: int, room: int
) -> None:
    pods = [
        pod(f"p{number}", on="n1", cpu=size, priority=priority, labels=PROTECTED if guarded else {})
        for number, (size, priority, guarded) in enumerate(placed)
    ]
    asking = pod("x", cpu=cpu, priority=2)
    # A rule that no pod here meets, so that the other way of trying is taken.
    ruled = pod("x", cpu=cpu, priority=2, affinity=required("podAntiAffinity", term(HOST)))
    got = []
    for each in (asking, ruled):
        made = decider([node("n1", cpu=5, pods=room)], pods)
        budget = Budget("ns", from_labels(PROTECTED), 1, frozenset())
        made.preempting.budgets["ns", "guard"] = budget
        (decided,) = decide(made, each)
        victims = getattr(decided, "victims", ())
        got.append((outcome(decided), [victim.name for victim in victims]))
    assert got[0] == got[1]
