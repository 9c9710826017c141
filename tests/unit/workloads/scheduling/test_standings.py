"""Standings follow the ledger step by step and say what a fresh look would say."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from argosy.api.objects import Node
from argosy.workloads.scheduling.columns import Columns
from argosy.workloads.scheduling.deciding import Decider
from argosy.workloads.scheduling.standings import Standing
from tests.unit.workloads.scheduling.builders import decide, decider, node, pod

TEMPLATES = [
    {},
    {"cpu": 0},
    {"cpu": "300m", "requests": {"memory": "700Mi"}},
    {"ports": [80]},
    {"requests": {"x.io/gpu": "1"}},
]


def sized(number: int) -> Node:
    return node(f"n{number:02}", cpu=number % 5, memory=f"{number % 7}Gi", x_io__gpu=number % 3)


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=1, max_size=25),
    st.integers(1, 9),
)
def test_following_equals_looking_afresh(steps: list[tuple[int, bool]], every: int) -> None:
    made = decider([sized(number) for number in range(48)])
    for number, (kind, leaves) in enumerate(steps):
        if leaves and made.ledger.placements:
            made.ledger.displace(next(iter(made.ledger.placements)))
        else:
            decide(made, pod(f"p{number}", **TEMPLATES[kind]))  # type: ignore[arg-type]
        if number % every == 0:
            agree(made)
    made.ledger.put_node(node("n07", cpu=9))
    made.ledger.remove_node("n11")
    agree(made)


def agree(made: Decider) -> None:
    for template in TEMPLATES:
        pods = made.profiles.of(pod("x", **template)).node_class  # type: ignore[arg-type]
        followed = made._cluster.standings.of(pods)
        fresh = Standing(made.ledger, Columns(made.ledger), pods)
        fresh.refresh()
        assert np.array_equal(followed.feasible, fresh.feasible)
        assert np.array_equal(followed.scores, fresh.scores)


def test_rows_are_numbered_anew_when_half_of_the_nodes_are_gone() -> None:
    made = decider([node(f"n{number:03}", zone="ab"[number % 2]) for number in range(200)])
    decide(made, *[pod(f"p{number}") for number in range(200)])
    before = made.ledger.size
    for number in range(0, 200, 3):
        made.ledger.remove_node(f"n{number:03}")
    for number in range(1, 200, 3):
        made.ledger.remove_node(f"n{number:03}")
    assert (before, made.ledger.size < 100, len(made.ledger)) == (200, True, 66)
    assert list(made.ledger.rows) == sorted(made.ledger.rows)
    assert [made.ledger.name(row) for row in made.ledger.rows.values()] == list(made.ledger.rows)
    agree(made)
    assert int(made.ledger.pods[made.ledger.alive].sum()) == 66
    # The pods of nodes that are gone count again when the nodes come back.
    made.ledger.put_node(node("n000"))
    assert int(made.ledger.pods[made.ledger.rows["n000"]]) == 1
