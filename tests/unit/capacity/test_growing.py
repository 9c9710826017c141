"""When machines are added, to which pool, and how many."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from argosy.api.objects import Taint
from argosy.api.objects.pods import Toleration
from argosy.capacity.deciding import decide
from argosy.capacity.snapshots import (
    Cause,
    Demand,
    Growth,
    Limits,
    PoolState,
    Request,
    Room,
    Snapshot,
)
from tests.unit.capacity.builders import busy, demand, idle, pool

NOW = 1000.0
GPU = Taint(key="gpu", value="true", effect="NoSchedule")


@dataclass(frozen=True)
class Case:
    pools: tuple[PoolState, ...]
    want: dict[str, int]
    demands: tuple[Demand, ...] = ()
    rooms: tuple[Room, ...] = ()
    booked: tuple[Demand, ...] = ()
    waiting: bool = False
    refusals: dict[str, tuple[str, ...]] = field(default_factory=dict)


CASES: dict[str, Case] = {
    "nothing is wanted and nothing happens": Case((pool(),), {}),
    "an empty pool is brought to its minimum": Case((pool(minimum=3),), {"a": 3}),
    "machines that boot count for the minimum": Case(
        (pool(minimum=3, machines=2, booting=2),), {"a": 1}
    ),
    "the minimum takes no notice of steps": Case(
        (pool(minimum=9, limits=Limits(step_up=2), last_up=NOW),), {"a": 9}
    ),
    "four pods of one CPU share a machine of four": Case((pool(),), {"a": 1}, (demand(4),)),
    "five of them need two": Case((pool(),), {"a": 2}, (demand(5),)),
    "pods that avoid each other need a machine each": Case(
        (pool(),), {"a": 3}, (demand(3, per_node=1),)
    ),
    "what was promised is kept on other machines before spare ones": Case(
        (pool("a", machines=1, booting=1, spare=1), pool("b", machines=1, booting=1)),
        {},
        booked=(demand(4),),
    ),
    "pods that fit onto existing room add nothing": Case(
        (pool(machines=1),), {}, (demand(4),), (idle(0.0),)
    ),
    "pods that fit onto booting machines add nothing": Case(
        (pool(machines=2, booting=2),), {}, (demand(8),)
    ),
    "only what does not fit onto existing room gets machines": Case(
        (pool(machines=2),), {"a": 1}, (demand(5),), (busy(1, "1"),)
    ),
    "sociable pods do not count on nodes where others run": Case(
        (pool(machines=1),), {"a": 1}, (demand(1, is_sociable=True),), (busy(1, "4"),)
    ),
    "the cheapest pool is taken": Case(
        (pool("a", price=2.0), pool("b", price=1.0)), {"b": 1}, (demand(1),)
    ),
    "one large machine is cheaper than three small ones": Case(
        (pool("large", "12", price=2.5), pool("small", "4", price=1.0)),
        {"large": 1},
        (demand(12),),
    ),
    "one small machine is cheaper than a large one for little": Case(
        (pool("large", "12", price=2.5), pool("small", "4", price=1.0)),
        {"small": 1},
        (demand(2),),
    ),
    "at the same price the machine with less waste is taken": Case(
        (pool("a", "8"), pool("b", "4")), {"b": 1}, (demand(4),)
    ),
    "at the same price and waste the name decides": Case(
        (pool("b"), pool("a")), {"a": 1}, (demand(4),)
    ),
    "machines with GPUs are not wasted on pods without": Case(
        (pool("gpu", gpus=8), pool("plain")), {"plain": 1}, (demand(1),)
    ),
    "pods with GPUs get machines with GPUs": Case(
        (pool("gpu", gpus=8, price=9.0), pool("plain")),
        {"gpu": 1},
        (demand(2, gpus=4),),
        refusals={"plain": ("Insufficient nvidia.com/gpu",)},
    ),
    "a pool at its maximum is passed over": Case(
        (pool("a", machines=2, maximum=2), pool("b", price=5.0)),
        {"b": 1},
        (demand(1),),
        refusals={"a": ("max node group size reached",)},
    ),
    "what the maximum leaves goes to the next cheapest": Case(
        (pool("a", maximum=1), pool("b", price=5.0)),
        {"a": 1, "b": 2},
        (demand(10),),
        refusals={"a": ("max node group size reached",)},
    ),
    "a pool whose provider had no machines is passed over": Case(
        (pool("a", cooling_until=NOW + 1), pool("b", price=5.0)),
        {"b": 1},
        (demand(1),),
        refusals={"a": ("in backoff after failed scale-up",)},
    ),
    "after the cooldown it is asked again": Case(
        (pool("a", cooling_until=NOW), pool("b", price=5.0)), {"a": 1}, (demand(1),)
    ),
    "a step is the most at a time, and the rest waits for the same pool": Case(
        (pool("a", limits=Limits(step_up=2)), pool("b", price=5.0)),
        {"a": 2},
        (demand(40),),
        waiting=True,
    ),
    "within the interval a pool waits and no dearer one is taken": Case(
        (pool("a", last_up=NOW - 9), pool("b", price=5.0)), {}, (demand(1),), waiting=True
    ),
    "pods that no machine can hold change nothing": Case(
        (pool("a"), pool("b", "8")),
        {},
        (demand(1, "16"),),
        refusals={"a": ("Insufficient cpu",), "b": ("Insufficient cpu",)},
    ),
    "taints and selectors keep pods out": Case(
        (pool("a", taints=(GPU,)), pool("b", labels={"disk": "hdd"})),
        {},
        (demand(1, selector={"disk": "ssd"}),),
        refusals={
            "a": ("node(s) had untolerated taint {gpu: true}",),
            "b": ("node(s) didn't match Pod's node affinity/selector",),
        },
    ),
    "a pod that tolerates the taint gets in": Case(
        (pool("a", taints=(GPU,)),),
        {"a": 1},
        (demand(1, tolerations=(Toleration(key="gpu", operator="Exists"),)),),
    ),
    "spare machines are kept beyond what is needed": Case(
        (pool(machines=1, spare=2),), {"a": 2}, rooms=(busy(1),)
    ),
    "idle machines are spare already": Case(
        (pool(machines=3, spare=2),), {}, rooms=(busy(1), idle(0.0, 0.0))
    ),
    "spare machines never exceed the maximum": Case(
        (pool(machines=9, spare=5),), {"a": 1}, rooms=(busy(9),)
    ),
    "pods that take the spare machine make room for another": Case(
        (pool(machines=2, spare=1),), {"a": 1}, (demand(4),), (busy(1), idle(0.0))
    ),
    "what is booked is not given away": Case(
        (pool(machines=1),), {"a": 1}, (demand(4),), (idle(0.0),), (demand(4, key="ns/r#0"),)
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_growing(case: Case) -> None:
    plan = decide(Snapshot(NOW, case.pools, case.rooms, case.demands, case.booked))
    got: dict[str, int] = {}
    for growth in plan.growths:
        got[growth.pool] = got.get(growth.pool, 0) + growth.count
    assert got == case.want
    for verdict in plan.verdicts:
        assert verdict.is_waiting == case.waiting
        assert verdict.refusals == case.refusals


def test_large_pods_are_placed_before_small_ones_so_that_small_ones_fill_the_gaps() -> None:
    demands = (demand(4, "1", key="ns/small"), demand(2, "3", key="ns/large"))
    plan = decide(Snapshot(NOW, (pool(),), (), demands))
    want = [Growth("a", 2, Cause.PODS, 2), Growth("a", 1, Cause.PODS, 2)]
    assert plan.growths == want


def test_pods_that_a_maximum_keeps_out_are_counted_as_refused_and_pending() -> None:
    state = pool(maximum=2, machines=2)
    plan = decide(Snapshot(NOW, (state,), (busy(2),), (demand(7),)))
    assert (plan.refused, plan.pending) == ({"a": 7}, {"a": 7})


REQUESTS: dict[str, tuple[bool, int, bool, int]] = {
    # sentence: may machines be added, machines that are there, is it found, machines added
    "room that is there is found": (False, 2, True, 0),
    "a check adds no machines": (False, 1, False, 0),
    "an atomic request adds what is missing, in one step": (True, 1, True, 1),
    "an atomic request that the maximum forbids adds nothing": (True, 0, False, 0),
}


@pytest.mark.parametrize("case", REQUESTS.values(), ids=REQUESTS.keys())
def test_requests(case: tuple[bool, int, bool, int]) -> None:
    may_grow, there, is_found, want = case
    most = 1 if not there else 2
    state = pool(machines=there, maximum=most, limits=Limits(step_up=1), last_up=NOW)
    request = Request("ns/r", (demand(4), demand(4, "0.5", key="ns/b")), may_grow)
    rooms = (idle(*[0.0] * there),) if there else ()
    plan = decide(Snapshot(NOW, (state,), rooms, requests=(request,)))
    assert plan.found == {"ns/r": is_found}
    assert sum(growth.count for growth in plan.growths) == want


def test_a_booking_without_room_is_revoked() -> None:
    plan = decide(Snapshot(NOW, (pool(),), booked=(demand(1, key="ns/r#0"),)))
    assert plan.revoked == ["ns/r#0"]
