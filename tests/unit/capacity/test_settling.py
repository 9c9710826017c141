"""Where machines are added for pods that care which pods are near them."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from argosy.capacity.deciding import decide
from argosy.capacity.neighbors import Bound, Rule
from argosy.capacity.snapshots import Demand, Limits, PoolState, Room, Snapshot, Stage
from tests.unit.capacity.builders import demand, machine, node, pool

ZONE = "topology.kubernetes.io/zone"


def zoned(name: str, **more: object) -> PoolState:
    """A pool in the zone of its name."""
    return pool(name, labels={ZONE: name}, **more)  # type: ignore[arg-type]


def room(zone: str, cpu: str, count: int = 1) -> Room:
    return Room(node({ZONE: zone}), machine(cpu), count, Stage.BUSY, zone)


def even(skew: int = 1, min_domains: int = 1, **counts: int) -> Bound:
    return Bound(Rule.EVEN, ZONE, counts, skew=skew, min_domains=min_domains)


def together(**counts: int) -> Bound:
    return Bound(Rule.TOGETHER, ZONE, counts)


def apart(**counts: int) -> Bound:
    return Bound(Rule.APART, ZONE, counts)


def pods(count: int, *bounds: Bound, cpu: str = "4") -> Demand:
    return demand(count, cpu, bounds=bounds)


@dataclass(frozen=True)
class Case:
    demand: Demand
    pools: tuple[PoolState, ...]
    want: dict[str, int]
    rooms: tuple[Room, ...] = ()
    placed: int | None = None
    refusals: dict[str, tuple[str, ...]] = field(default_factory=dict)


A, B, C = zoned("a", price=1.0), zoned("b", price=2.0), zoned("c", price=3.0)
SPREAD = "node(s) didn't match pod topology spread constraints"

CASES: dict[str, Case] = {
    "an even spread gets machines in every zone, however dear": Case(
        pods(6, even(a=0, b=0, c=0)), (A, B, C), {"a": 2, "b": 2, "c": 2}
    ),
    "the zone that lags behind gets the machine, not the cheapest": Case(
        pods(1, even(a=1, b=0)), (A, B), {"b": 1}
    ),
    "a zone without a pool holds the others back": Case(
        pods(5, even(a=1, z=1)), (A,), {"a": 1}, placed=1, refusals={"a": (SPREAD,)}
    ),
    "a zone that opens the way for another is filled first": Case(
        pods(3, even(a=2, b=1)), (A, B), {"a": 1, "b": 2}
    ),
    "room on a node that runs others counts": Case(
        pods(2, even(a=1, b=1)), (A, B), {"b": 1}, (room("a", "4"),)
    ),
    "a new zone counts as an empty one": Case(
        pods(4, even(a=2)), (A, B), {"a": 1, "b": 3}
    ),
    "a wider skew lets the first zones go ahead": Case(
        pods(2, even(skew=2, a=1, z=1)), (A,), {"a": 2}
    ),
    "fewer zones than asked for count as an empty one more": Case(
        pods(3, even(min_domains=3, a=0, b=0)), (A, B), {"a": 1, "b": 1}, placed=2,
        refusals={"a": (SPREAD,), "b": (SPREAD,)},
    ),
    "pods that stay together follow those that are there": Case(
        pods(3, together(a=0, b=2)), (A, B), {"b": 3}
    ),
    "pods that stay together begin in the cheapest zone that takes all": Case(
        pods(3, together()), (B, C, zoned("a", price=1.0, maximum=2)), {"b": 3}
    ),
    "steps do not make a zone look small": Case(
        pods(3, together()), (zoned("a", limits=Limits(step_up=1)), B), {"a": 1}, placed=1
    ),
    "pods that follow others wait while these are nowhere": Case(
        pods(1, Bound(Rule.TOGETHER, ZONE, {"a": 0}, counts_itself=False)),
        (A, B),
        {},
        placed=0,
        refusals=dict.fromkeys("ab", ("node(s) didn't match pod affinity rules",)),
    ),
    "pods that avoid each other take a zone each": Case(
        pods(3, apart(a=0)), (A, B), {"a": 1, "b": 1}, placed=2,
        refusals=dict.fromkeys("ab", ("node(s) didn't match pod anti-affinity rules",)),
    ),
    "pods avoid the zones of others": Case(
        pods(2, Bound(Rule.APART, ZONE, {"a": 1}, counts_itself=False)), (A, B), {"b": 2}
    ),
    "machines without a zone take none that are spread by zone": Case(
        pods(1, even(a=0)), (pool("bare"),), {}, placed=0, refusals={"bare": (SPREAD,)}
    ),
    "machines without a zone are near to nobody": Case(
        pods(1, apart(a=1)), (A, pool("bare", price=9.0)), {"bare": 1}
    ),
    "a zone at its maximum says so": Case(
        pods(4, even(a=0, b=0)), (zoned("a", maximum=1), B), {"a": 1, "b": 2}, placed=3,
        refusals={"a": ("max node group size reached",), "b": (SPREAD,)},
    ),
    "thousands are spread in few rounds, and evenly": Case(
        pods(6000, even(a=0, b=0, c=0), cpu="1"),
        tuple(zoned(name, maximum=9999, limits=Limits(step_up=9999)) for name in "abc"),
        {"a": 500, "b": 500, "c": 500},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_settling(case: Case) -> None:
    plan = decide(Snapshot(1000.0, case.pools, case.rooms, (case.demand,)))
    got: dict[str, int] = {}
    for growth in plan.growths:
        got[growth.pool] = got.get(growth.pool, 0) + growth.count
    (verdict,) = plan.verdicts
    want = case.demand.count if case.placed is None else case.placed
    assert (got, verdict.placed, verdict.grown) == (case.want, want, case.want)
    if verdict.left and not verdict.is_waiting:
        assert verdict.refusals == case.refusals
