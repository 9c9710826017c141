"""Seats, queues and who is next."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argosy.apiserver.access.identities import ADMIN, User
from argosy.apiserver.flows import Flows, Seat
from argosy.base.errors import TooManyRequests
from argosy.base.loops import run_virtual

ALICE, BOB = User("alice"), User("bob")


async def enter(flows: Flows, user: User) -> Seat:
    return flows.try_enter(user) or await flows.enter(user)


async def serve(flows: Flows, user: User, done: list[str], seconds: float = 1.0) -> None:
    seat = await enter(flows, user)
    try:
        await asyncio.sleep(seconds)
        done.append(user.name)
    finally:
        seat.leave()


def test_one_user_s_flood_costs_another_one_place() -> None:
    async def story() -> list[str]:
        flows, done = Flows(seats=1, max_wait_seconds=100), list[str]()
        async with asyncio.TaskGroup() as tasks:
            for _ in range(10):
                tasks.create_task(serve(flows, ALICE, done))
            await asyncio.sleep(0.5)
            tasks.create_task(serve(flows, BOB, done))
        return done

    assert run_virtual(story()).index("bob") <= 2


def test_a_full_queue_is_refused_at_once_with_a_time_to_come_back() -> None:
    async def story() -> TooManyRequests:
        flows, done = Flows(seats=1, queue_length=2), list[str]()
        async with asyncio.TaskGroup() as tasks:
            for _ in range(3):
                tasks.create_task(serve(flows, ALICE, done))
            await asyncio.sleep(0.1)
            with pytest.raises(TooManyRequests) as got:
                await enter(flows, ALICE)
            tasks.create_task(serve(flows, BOB, done))
        assert sorted(done) == ["alice"] * 3 + ["bob"]
        return got.value

    refused = run_virtual(story())
    assert (refused.code, refused.retry_after_seconds) == (429, 1)


def test_who_waits_too_long_is_refused_and_leaves_no_trace() -> None:
    async def story() -> None:
        flows = Flows(seats=1, max_wait_seconds=15)
        seat = await enter(flows, ALICE)
        started = asyncio.get_running_loop().time()
        with pytest.raises(TooManyRequests):
            await enter(flows, BOB)
        assert asyncio.get_running_loop().time() - started == 15
        assert flows.waiting == 0
        seat.leave()
        assert flows.try_enter(BOB) is not None

    run_virtual(story())


def test_who_goes_away_while_waiting_takes_no_seat() -> None:
    async def story() -> None:
        flows = Flows(seats=1)
        seat = await enter(flows, ALICE)
        waiting = asyncio.create_task(enter(flows, BOB))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.sleep(0)
        assert flows.waiting == 0
        seat.leave()
        assert flows.try_enter(ALICE) is not None

    run_virtual(story())


def test_who_is_given_a_seat_and_cancelled_in_the_same_moment_gives_it_back() -> None:
    async def story() -> None:
        flows = Flows(seats=1)
        seat = await enter(flows, ALICE)
        waiting = asyncio.create_task(enter(flows, BOB))
        await asyncio.sleep(0)
        seat.leave()
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        assert flows.try_enter(ALICE) is not None

    run_virtual(story())


def test_admins_never_wait() -> None:
    async def story() -> None:
        flows = Flows(seats=1)
        await enter(flows, ALICE)
        for _ in range(100):
            assert flows.try_enter(ADMIN) is not None

    run_virtual(story())


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 5)), max_size=40))
def test_never_more_run_than_there_are_seats_and_all_seats_come_back(
    requests: list[tuple[str, int]],
) -> None:
    async def story() -> int:
        flows, running, most = Flows(seats=3, max_wait_seconds=1e6), 0, 0

        async def one(name: str, seconds: int) -> None:
            nonlocal running, most
            seat = await enter(flows, User(name))
            running += 1
            most = max(most, running)
            await asyncio.sleep(seconds)
            running -= 1
            seat.leave()

        async with asyncio.TaskGroup() as tasks:
            for name, seconds in requests:
                tasks.create_task(one(name, seconds))
        assert flows.waiting == 0
        free = 0
        while flows.try_enter(ALICE) is not None:
            free += 1
        assert free == 3
        return most

    assert run_virtual(story()) <= 3
