"""Pools as the autoscaler knows them: what is on its way, what providers give, what counts."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from argosy.api.nodefit import PodClasses, Resources
from argosy.api.objects import Node, ObjectMeta
from argosy.api.objects.nodepools import (
    Boot,
    MachineShape,
    NodePool,
    NodePoolSpec,
    NodePoolStatus,
    PoolScaling,
)
from argosy.base.ids import SeededIds
from argosy.capacity.occupancy import Occupancy
from argosy.capacity.pools import Pool, Pools
from tests.unit.capacity.test_following import At, node

NOW = 100.0


def no_daemons(machine: Node) -> Resources:
    return {}


def view(*, status: NodePoolStatus | None = None, **spec: object) -> NodePool:
    return NodePool(
        metadata=ObjectMeta(name="a", uid="u"),
        spec=NodePoolSpec(machine=MachineShape(cpu=8, memory="32Gi"), **spec),  # type: ignore[arg-type]
        status=status or NodePoolStatus(),
    )


def made(clock: At | None = None, **spec: object) -> tuple[Pools, Pool, Occupancy]:
    book = Occupancy(clock or At(), PodClasses())
    pools = Pools(book, SeededIds(1), no_daemons, allow_processes=False)
    return pools, pools.put(view(**spec)), book


GRANTS: dict[str, tuple[int | None, int, int, int]] = {
    # sentence: stock, asked for, of these for requests, given
    "without a stock there is no end": (None, 500, 0, 500),
    "a stock that suffices gives all": (5, 5, 5, 5),
    "what is there is given": (2, 5, 0, 2),
    "a part is of no use to a request": (2, 5, 5, 0),
    "others get theirs although a request does not": (3, 5, 4, 1),
}


@pytest.mark.parametrize("case", GRANTS.values(), ids=GRANTS.keys())
def test_what_providers_give(case: tuple[int | None, int, int, int]) -> None:
    stock, count, atomic, want = case
    pools, pool, _ = made(stock=stock)
    assert pools.grant(pool, count, NOW, atomic=atomic) == want
    assert pools.booting(pool) == want
    # Less than asked for makes the pool cool down for five minutes.
    assert (pool.cooling_until == NOW + 300) is (want < count)


def test_names_are_never_given_twice() -> None:
    pools, pool, _ = made()
    for _ in range(20):
        pools.grant(pool, 50, NOW)
    names = [name for boot in pool.boots for name in boot.names]
    assert len(set(names)) == len(names) == 1000


def test_a_machine_that_boots_was_made_and_is_seen_counts_once() -> None:
    pools, pool, book = made()
    pools.grant(pool, 2, NOW)
    first, second = pool.boots[0].names
    pool.made.add(first)
    (state,) = pools.states(NOW)
    assert (state.machines, state.booting) == (2, 2)
    book.node_changed(None, node(first))
    book.node_changed(None, node(second))
    (state,) = pools.states(NOW)
    assert (state.machines, state.booting) == (2, 0)


def test_what_was_on_its_way_is_read_from_the_status_once() -> None:
    boot = Boot(datetime.fromtimestamp(160, UTC), ("a-x", "a-y"))
    book = Occupancy(At(), PodClasses())
    pools = Pools(book, SeededIds(1), no_daemons, allow_processes=False)
    pool = pools.put(view(status=NodePoolStatus(boots=(boot,))))
    assert [(one.ready_at, one.names, one.is_saved) for one in pool.boots] == [
        (160.0, ["a-x", "a-y"], True)
    ]
    pool.boots.clear()
    assert pools.put(view(status=NodePoolStatus(boots=(boot,)))).boots == []


def test_a_node_that_fell_silent_a_moment_ago_is_expected_back() -> None:
    clock = At()
    pools, _, book = made(clock)
    book.node_changed(None, node("n"))
    book.node_changed(node("n"), node("n", ready="Unknown"))
    (state,) = pools.states(NOW + 59)
    assert (state.machines, state.booting, state.unready) == (1, 1, 0)
    (state,) = pools.states(NOW + 60)
    assert (state.machines, state.booting, state.unready) == (1, 0, 1)
    assert [one.name for one in state.silent] == ["n"]


OUT: dict[str, NodePool] = {
    "a pool that would run processes": view(runtime="process"),
    "a pool that is being deleted": NodePool(
        metadata=ObjectMeta(name="a", deletion_timestamp=datetime.fromtimestamp(1, UTC))
    ),
}


@pytest.mark.parametrize("out", OUT.values(), ids=OUT.keys())
def test_who_takes_no_part(out: NodePool) -> None:
    pools = Pools(Occupancy(At(), PodClasses()), SeededIds(1), no_daemons, allow_processes=False)
    pools.put(out)
    assert pools.states(NOW) == ()


def test_a_duration_that_cannot_be_read_is_a_year_and_ends_nobody() -> None:
    _, pool, _ = made(boot_time="99999999h", scaling=PoolScaling(interval="soon"))
    assert (pool.boot_seconds, pool.limits.interval) == (31_536_000.0, 31_536_000.0)
