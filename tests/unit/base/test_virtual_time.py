"""Virtual time jumps, keeps order, never hangs."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from argosy.base.clock import RealClock, VirtualClock
from argosy.base.loops import START, Stuck, VirtualLoop, run_virtual


def test_sleeping_costs_nothing_and_the_clock_follows() -> None:
    async def main() -> tuple[datetime, float]:
        clock = VirtualClock()
        await clock.sleep(400 * 86400)
        return clock.now(), clock.monotonic()

    assert run_virtual(main()) == (START + timedelta(days=400), 400 * 86400)


def test_time_starts_where_it_is_told() -> None:
    start = datetime(2030, 5, 6, tzinfo=UTC)

    async def main() -> datetime:
        return VirtualClock().now()

    assert run_virtual(main(), start=start) == start


def test_timers_fire_in_order_of_their_time() -> None:
    async def main() -> list[int]:
        seen: list[int] = []

        async def note(delay: int) -> None:
            await asyncio.sleep(delay)
            seen.append(delay)

        async with asyncio.TaskGroup() as group:
            for delay in (3, 1, 2):
                group.create_task(note(delay))
        return seen

    assert run_virtual(main()) == [1, 2, 3]


def test_timeouts_work() -> None:
    async def main() -> float:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(5):
                await asyncio.Event().wait()
        return VirtualClock().monotonic()

    assert run_virtual(main()) == 5


def test_waiting_for_nothing_is_an_error_that_names_the_waiter() -> None:
    async def main() -> None:
        task = asyncio.create_task(asyncio.Event().wait(), name="waits-for-godot")
        await task

    with pytest.raises(Stuck, match=r"waits-for-godot: Event\.wait \(locks\.py:\d+\)"):
        run_virtual(main())


def test_work_for_threads_runs_in_place() -> None:
    async def main() -> tuple[int, list[str]]:
        seen: list[str] = []
        asyncio.get_running_loop().call_soon_threadsafe(seen.append, "called")
        number = await asyncio.to_thread(lambda: 3)
        await asyncio.sleep(0)
        with pytest.raises(ZeroDivisionError):
            await asyncio.to_thread(lambda: 1 // 0)
        return number, seen

    assert run_virtual(main()) == (3, ["called"])


def test_what_main_leaves_behind_is_cancelled() -> None:
    ended: list[str] = []

    async def background() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")

    async def main() -> None:
        main.task = asyncio.create_task(background())  # type: ignore[attr-defined]
        await asyncio.sleep(1)

    run_virtual(main())
    assert ended == ["cancelled"]


def test_a_clock_can_read_a_loop_that_is_not_running() -> None:
    loop = VirtualLoop(100.0)
    assert VirtualClock(loop).time() == 100.0
    loop.close()


def test_a_virtual_clock_refuses_a_real_loop() -> None:
    async def main() -> None:
        VirtualClock().now()

    with pytest.raises(TypeError, match="run_virtual"):
        asyncio.run(main())


def test_the_real_clock_is_in_utc_and_goes_forward() -> None:
    clock = RealClock()
    assert clock.now().tzinfo is UTC
    assert clock.monotonic() <= clock.monotonic()
    assert abs(clock.time() - clock.now().timestamp()) < 5
    assert asyncio.run(clock.sleep(0)) is None
