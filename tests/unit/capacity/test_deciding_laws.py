"""What holds for every pool and every demand: bounds, rest, and the cheapest choice."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from argosy.capacity.deciding import decide
from argosy.capacity.snapshots import Limits, PoolState, Snapshot
from tests.unit.capacity.builders import demand, pool
from tests.unit.capacity.toys import TICK, WINDOW, ToyCluster

# After this many ticks everything that boots has booted, and idle time and window are over.
_QUIET = int((WINDOW + 300) / TICK) + 30


@st.composite
def pools(draw: st.DrawFn) -> tuple[PoolState, ...]:
    made = []
    for number in range(draw(st.integers(1, 3))):
        minimum = draw(st.integers(0, 4))
        made.append(
            pool(
                f"p{number}",
                str(draw(st.sampled_from([1, 2, 4, 16]))),
                price=draw(st.sampled_from([0.0, 0.5, 1.0, 3.0])),
                minimum=minimum,
                maximum=minimum + draw(st.integers(0, 12)),
                spare=draw(st.integers(0, 2)),
                limits=Limits(step_up=draw(st.integers(1, 8)), step_down=draw(st.integers(1, 4))),
            )
        )
    return tuple(made)


def _check_bounds(cluster: ToyCluster) -> None:
    counts = cluster.counts()
    for one in cluster.pools:
        assert one.minimum <= counts[one.name] <= one.maximum


@settings(max_examples=60, deadline=None)
@given(pools(), st.lists(st.integers(0, 60), min_size=1, max_size=25))
def test_never_above_the_maximum_and_never_below_the_minimum(
    made: tuple[PoolState, ...], wants: list[int]
) -> None:
    cluster = ToyCluster(made)
    for want in wants:
        cluster.want(want)
        cluster.tick()
        _check_bounds(cluster)


@settings(max_examples=40, deadline=None)
@given(pools(), st.integers(0, 60), st.integers(0, 60))
def test_with_constant_demand_the_number_of_machines_comes_to_rest(
    made: tuple[PoolState, ...], before: int, want: int
) -> None:
    cluster = ToyCluster(made)
    for _ in range(20):
        cluster.want(before)
        cluster.tick()
    cluster.changes = 0
    for _ in range(_QUIET):
        cluster.want(want)
        cluster.tick()
    # Steps up while machines boot, steps down once: at most one change per machine either way.
    assert cluster.changes <= 2 * sum(one.maximum for one in made)
    settled = cluster.history[-1]
    for _ in range(2 * _QUIET):
        cluster.want(want)
        cluster.tick()
    assert set(cluster.history[-2 * _QUIET :]) == {settled}


@settings(max_examples=30, deadline=None)
@given(pools(), st.integers(0, 40), st.integers(0, 40), st.integers(1, 14))
def test_demand_that_alternates_faster_than_the_window_moves_nothing(
    made: tuple[PoolState, ...], low: int, high: int, ticks: int
) -> None:
    cluster = ToyCluster(made)
    for number in range(2 * _QUIET):
        cluster.want(high if number // ticks % 2 else low)
        cluster.tick()
    after = cluster.history[_QUIET:]
    # It may still grow to what the higher demand needs, and never goes back and forth.
    assert after == sorted(after)


@settings(max_examples=60, deadline=None)
@given(pools(), st.integers(1, 60))
def test_the_cheapest_pool_that_fits_is_taken(made: tuple[PoolState, ...], count: int) -> None:
    wide = tuple(
        pool(one.name, str(one.free["cpu"] // 1000), price=one.price, maximum=100) for one in made
    )
    plan = decide(Snapshot(0.0, wide, demands=(demand(count),)))
    (growth,) = plan.growths
    costs = {
        one.name: -(-count // (one.free["cpu"] // 1000)) * one.price
        for one in wide
    }  # fmt: skip
    assert costs[growth.pool] == min(costs.values())


@settings(max_examples=60, deadline=None)
@given(pools(), st.integers(0, 60))
def test_the_same_snapshot_gives_the_same_plan(made: tuple[PoolState, ...], count: int) -> None:
    snapshot = Snapshot(0.0, made, demands=(demand(count),))
    assert decide(snapshot) == decide(snapshot)
