"""Which nodes go, and when."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from argosy.api.objects import Node, NodeSpec
from argosy.capacity.deciding import decide
from argosy.capacity.snapshots import (
    Demand,
    IdleNode,
    Limits,
    PoolState,
    Removal,
    Room,
    Snapshot,
    Stage,
)
from argosy.capacity.windows import Window
from tests.unit.capacity.builders import busy, demand, idle, machine, node, pool

NOW = 10_000.0
LONG = NOW - 300


CORDONED = Room(
    Node(spec=NodeSpec(unschedulable=True)),
    machine(),
    1,
    Stage.IDLE,
    "a",
    nodes=[IdleNode("b-0", 9.0)],
)


@dataclass(frozen=True)
class Case:
    pool: PoolState
    rooms: tuple[Room, ...]
    want: list[str]
    demands: tuple[Demand, ...] = ()


CASES: dict[str, Case] = {
    "a node idle for long enough goes": Case(pool(machines=1, highest=0), (idle(LONG),), ["a-0"]),
    "a node idle for less stays": Case(pool(machines=1, highest=0), (idle(LONG + 1),), []),
    "the minimum stays": Case(pool(machines=2, minimum=1, highest=0), (idle(1.0, 0.0),), ["a-1"]),
    "spare nodes stay": Case(pool(machines=3, spare=2, highest=0), (idle(0.0, 1.0, 2.0),), ["a-0"]),
    "spare nodes beyond a maximum that was lowered go": Case(
        pool(machines=4, maximum=2, spare=2, highest=1),
        (busy(1), idle(0.0, 1.0, 2.0)),
        ["a-0", "a-1"],
    ),
    "a cordoned node goes before one that could be used": Case(
        pool(machines=2, spare=1, highest=0), (idle(0.0), CORDONED), ["b-0"]
    ),
    "what was needed within the window stays": Case(
        pool(machines=3, highest=2), (idle(0.0, 1.0, 2.0),), ["a-0"]
    ),
    "nothing goes before a whole window has been seen": Case(
        pool(machines=3, highest=None), (idle(0.0, 0.0, 0.0),), []
    ),
    "nodes where pods run stay": Case(pool(machines=2, highest=1), (busy(2),), []),
    "nodes that waiting pods fit onto stay": Case(
        pool(machines=2, highest=0), (idle(0.0, 0.0),), ["a-0"], (demand(4),)
    ),
    "no more than a step at a time, the longest idle first": Case(
        pool(machines=4, highest=0, limits=Limits(step_down=2)),
        (idle(3.0, 1.0, 2.0, 0.0),),
        ["a-3", "a-1"],
    ),
    "not more often than the interval": Case(
        pool(machines=2, highest=0, last_down=NOW - 9), (idle(0.0, 0.0),), []
    ),
    "nothing goes while the pool grows": Case(
        pool(machines=1, highest=0), (idle(0.0, cpu="1"),), [], (demand(1, "2"),)
    ),
    "protected nodes stay": Case(
        pool(machines=1, highest=0),
        (Room(node(), machine(), 1, Stage.IDLE, "a", nodes=[IdleNode("a-0", 0.0, True)]),),
        [],
    ),
    "silent nodes go after their own time, even below the minimum": Case(
        pool(machines=1, minimum=1, unready=1, silent=(IdleNode("a-9", NOW - 1200),)),
        (),
        ["a-9"],
    ),
    "silent nodes stay before": Case(
        pool(machines=1, unready=1, silent=(IdleNode("a-9", NOW - 1199),)), (), []
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_shrinking(case: Case) -> None:
    plan = decide(Snapshot(NOW, (case.pool,), case.rooms, case.demands))
    got = [node.name for removal in plan.removals for node in removal.nodes]
    assert got == case.want


def test_a_removal_says_of_which_pool_and_since_when() -> None:
    plan = decide(Snapshot(NOW, (pool(machines=1, highest=0),), (idle(5.0),)))
    assert plan.removals == [Removal("a", (IdleNode("a-0", 5.0),))]


WINDOWS: dict[str, tuple[list[tuple[float, int]], float, int | None]] = {
    # sentence: notes, now, the highest within ten seconds
    "nothing seen, nothing known": ([], 0, None),
    "less than a window seen": ([(0, 3)], 9, None),
    "one value holds": ([(0, 3)], 10, 3),
    "one value holds for ever": ([(0, 3)], 1000, 3),
    "the highest within the window counts": ([(0, 1), (5, 7), (6, 2)], 14, 7),
    "a value holds until the next is noted": ([(0, 7), (8, 2)], 15, 7),
    "what is older than the window is forgotten": ([(0, 7), (1, 2)], 12, 2),
    "a new high counts at once": ([(0, 1), (12, 9)], 12, 9),
}


@pytest.mark.parametrize("case", WINDOWS.values(), ids=WINDOWS.keys())
def test_windows(case: tuple[list[tuple[float, int]], float, int | None]) -> None:
    notes, now, want = case
    window = Window()
    for at, value in notes:
        window.note(at, value, 10)
    assert window.highest(now, 10) == want
