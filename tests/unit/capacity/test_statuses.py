"""What pools say of themselves, and the words for decisions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from argosy.api.objects import Condition, ObjectMeta
from argosy.api.objects.nodepools import NodePool, NodePoolSpec, NodePoolStatus
from argosy.capacity import explaining
from argosy.capacity.snapshots import Cause, Growth, IdleNode, Verdict
from argosy.capacity.statuses import Numbers, compose
from tests.unit.capacity.builders import demand, pool

OLD = datetime(2026, 1, 1, tzinfo=UTC)
NOW = OLD.timestamp() + 60


@dataclass(frozen=True)
class Case:
    numbers: Numbers
    want: dict[str, tuple[str, str]]


CASES: dict[str, Case] = {
    "all is well": Case(
        Numbers(nodes=2, ready=2),
        {
            "Ready": ("True", "NodesReady"),
            "AtMaximum": ("False", "BelowMaximum"),
            "StockOut": ("False", "InStock"),
        },
    ),
    "machines boot": Case(
        Numbers(nodes=1, ready=1, booting=1),
        {
            "Ready": ("False", "NodesBooting"),
            "AtMaximum": ("False", "BelowMaximum"),
            "StockOut": ("False", "InStock"),
        },
    ),
    "the provider has none": Case(
        Numbers(cooling_until=NOW + 5),
        {
            "Ready": ("False", "StockOut"),
            "AtMaximum": ("False", "BelowMaximum"),
            "StockOut": ("True", "ProviderOutOfStock"),
        },
    ),
    "the maximum is reached": Case(
        Numbers(nodes=3, ready=3, refused=4),
        {
            "Ready": ("True", "NodesReady"),
            "AtMaximum": ("True", "MaximumReached"),
            "StockOut": ("False", "InStock"),
        },
    ),
    "processes are not allowed": Case(
        Numbers(is_allowed=False),
        {
            "Ready": ("False", "ProcessRuntimeNotAllowed"),
            "AtMaximum": ("False", "BelowMaximum"),
            "StockOut": ("False", "InStock"),
        },
    ),
}


def _pool() -> NodePool:
    told = (
        Condition("Ready", "True", last_transition_time=OLD),
        Condition("AtMaximum", "True", last_transition_time=OLD),
    )
    return NodePool(
        metadata=ObjectMeta(name="p", generation=4),
        spec=NodePoolSpec(minimum=2, maximum=3, price_per_hour=0.1),
        status=NodePoolStatus(conditions=told),
    )


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_conditions(case: Case) -> None:
    status = compose(_pool(), case.numbers, NOW)
    got = {one["type"]: (one["status"], one["reason"]) for one in status["conditions"]}
    assert got == case.want
    assert {one["observedGeneration"] for one in status["conditions"]} == {4}


def test_conditions_that_did_not_turn_keep_their_time() -> None:
    status = compose(_pool(), Numbers(nodes=2, ready=2), NOW)
    times = {one["type"]: one["lastTransitionTime"] for one in status["conditions"]}
    assert times == {
        "Ready": "2026-01-01T00:00:00Z",
        "AtMaximum": "2026-01-01T00:01:00Z",
        "StockOut": "2026-01-01T00:01:00Z",
    }


def test_numbers_cost_and_boots() -> None:
    numbers = Numbers(
        nodes=1, ready=1, booting=2, boots=((NOW + 0.5, ("p-a", "p-b")),), last_up=NOW
    )
    got = compose(_pool(), numbers, NOW)
    del got["conditions"]
    assert got == {
        "observedGeneration": 4,
        "nodes": 1,
        "ready": 1,
        "booting": 2,
        # Never earlier than it is.
        "boots": [{"readyAt": "2026-01-01T00:01:01Z", "names": ["p-a", "p-b"]}],
        "pending": 0,
        "outdated": 0,
        "costPerHour": 0.3,
        "lastScaleUpTime": "2026-01-01T00:01:00Z",
        "lastScaleDownTime": None,
        "stockOutUntil": None,
    }


def test_words() -> None:
    state = pool("a", machines=4, minimum=1, spare=2, price=1.5)
    growths = [
        Growth("a", 1, Cause.MINIMUM),
        Growth("a", 2, Cause.PODS, 7),
        Growth("a", 1, Cause.REQUEST, 3),
        Growth("a", 2, Cause.SPARE),
    ]
    verdict = Verdict(
        demand(1),
        refusals={"a": ("Insufficient cpu",), "b": ("Insufficient cpu", "Insufficient memory")},
    )
    got = [
        explaining.scaled_up(state, growths, 6),
        explaining.scaled_down(state, [IdleNode("a-1", 10.0)], 400.9, is_silent=False),
        explaining.scaled_down(
            state, [IdleNode(f"a-{n}", 10.0) for n in range(4)], 70, is_silent=True
        ),
        explaining.not_triggered(verdict),
        explaining.not_triggered(Verdict(demand(1))),
        explaining.triggered([("a", 1, 3, 10), ("b", 0, 1, 5)]),
    ]
    assert got == [
        (
            "scaled up from 4 to 10 machines (max: 10): 1 for the minimum of 1; 7 unschedulable pods, 2 at 1.5 per hour "
            "each, the cheapest that fits; 3 pods of a ProvisioningRequest, 1 at 1.5 per hour each; 2 to keep 2 spare"
        ),
        "scaling down from 4 to 3 machines (min: 1), idle for at least 6m30s: a-1",
        "scaling down from 4 to 0 machines (min: 1), not ready for at least 1m0s: a-0, a-1, a-2, ...",
        "pod didn't trigger scale-up: 2 Insufficient cpu, 1 Insufficient memory",
        "pod didn't trigger scale-up: there are no node pools",
        "pod triggered scale-up: [{a 1->3 (max: 10)} {b 0->1 (max: 5)}]",
    ]
