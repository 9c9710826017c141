"""Work queues: no key twice, no key with two workers, failing keys ever more slowly. In virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest

from argosy.base.clock import VirtualClock
from argosy.base.loops import run_virtual
from argosy.base.metrics import Registry
from argosy.control.queues import RateLimit, WorkQueue

T = TypeVar("T")


def drained(queue: WorkQueue[str]) -> Coroutine[Any, Any, list[str]]:
    async def drain() -> list[str]:
        out = []
        while len(queue):
            key = await queue.get()
            queue.done(key)
            out.append(key)
        return out

    return drain()


def test_keys_come_once_and_in_order() -> None:
    async def main() -> list[str]:
        queue: WorkQueue[str] = WorkQueue("q", VirtualClock())
        for key in "abacb":
            queue.add(key)
        return await drained(queue)

    assert run_virtual(main()) == ["a", "b", "c"]


def test_a_key_added_while_it_is_worked_on_comes_again_after_done() -> None:
    async def main() -> tuple[int, int, str]:
        queue: WorkQueue[str] = WorkQueue("q", VirtualClock())
        queue.add("a")
        key = await queue.get()
        queue.add("a")
        queue.add("a")
        waiting = len(queue)
        queue.done(key)
        return waiting, len(queue), await queue.get()

    assert run_virtual(main()) == (0, 1, "a")


def test_delayed_keys_come_when_they_are_due_and_the_earliest_time_counts() -> None:
    async def main() -> list[tuple[float, str]]:
        clock = VirtualClock()
        queue: WorkQueue[str] = WorkQueue("q", clock)
        queue.add_after("slow", 10)
        queue.add_after("fast", 5)
        queue.add_after("slow", 20)
        queue.add_after("fast", 1)
        queue.add_after("now", 0)
        out = []
        for _ in range(3):
            key = await queue.get()
            queue.done(key)
            out.append((clock.monotonic(), key))
        await clock.sleep(100)
        assert len(queue) == 0
        return out

    assert run_virtual(main()) == [(0, "now"), (1, "fast"), (10, "slow")]


def test_a_pause_too_short_for_the_clock_still_passes_time() -> None:
    async def main() -> None:
        clock = VirtualClock()
        queue: WorkQueue[str] = WorkQueue("test", clock)
        due = clock.monotonic() + 7e-8
        # As a controller does that was called a rounding error before its time.
        while (left := due - clock.monotonic()) > 0:
            queue.add_after("a", left)
            queue.done(await queue.get())
        assert clock.monotonic() < due + 1e-4

    run_virtual(main())


def test_failures_double_the_pause_until_forgotten() -> None:
    async def main() -> list[float]:
        clock = VirtualClock()
        queue: WorkQueue[str] = WorkQueue("q", clock, limit=RateLimit(most_seconds=0.03))
        pauses = []
        for number in range(6):
            if number == 5:
                assert queue.retries("a") == 5
                queue.forget("a")
            before = clock.monotonic()
            queue.add_rate_limited("a")
            queue.done(await queue.get())
            pauses.append(round(clock.monotonic() - before, 6))
        return pauses

    assert run_virtual(main()) == [0.005, 0.01, 0.02, 0.03, 0.03, 0.005]


def test_all_keys_together_are_limited_by_a_bucket() -> None:
    async def main() -> float:
        clock = VirtualClock()
        queue: WorkQueue[int] = WorkQueue("q", clock, limit=RateLimit(per_second=2, burst=4))
        for key in range(10):
            queue.add_rate_limited(key)
        for _ in range(10):
            queue.done(await queue.get())
        return clock.monotonic()

    assert run_virtual(main()) == pytest.approx(3.0)


def test_waiting_workers_are_served_in_turn() -> None:
    async def main() -> list[str]:
        queue: WorkQueue[str] = WorkQueue("q", VirtualClock())
        got: list[str] = []

        async def work(name: str) -> None:
            got.append(f"{name}:{await queue.get()}")

        async with asyncio.TaskGroup() as group:
            group.create_task(work("one"))
            group.create_task(work("two"))
            await asyncio.sleep(1)
            queue.add("a")
            queue.add("b")
        return got

    assert run_virtual(main()) == ["one:a", "two:b"]


def test_metrics() -> None:
    async def main() -> list[float]:
        metrics = Registry()
        queue: WorkQueue[str] = WorkQueue("q", VirtualClock(), metrics=metrics)
        queue.add("a")
        queue.add("a")
        queue.add_rate_limited("b")
        queue.close()
        return [
            metrics.gauge("workqueue_depth", "", ("name",)).value(("q",)),
            metrics.counter("workqueue_adds_total", "", ("name",)).value(("q",)),
            metrics.counter("workqueue_retries_total", "", ("name",)).value(("q",)),
        ]

    assert run_virtual(main()) == [1, 1, 1]
