"""Controllers: retries, requeues, one worker per key. In virtual time."""

from __future__ import annotations

import asyncio
import logging

import pytest

from argosy.base.clock import VirtualClock
from argosy.base.errors import InternalError, stale
from argosy.base.loops import run_virtual
from argosy.base.metrics import Registry
from argosy.control.reconcilers import DONE, Controller, Result


def test_errors_are_retried_and_logged_and_other_keys_go_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def main() -> list[str]:
        seen: list[str] = []

        async def reconcile(key: str) -> Result:
            seen.append(key)
            if key == "bad" and seen.count("bad") == 1:
                raise InternalError("the disk is full")
            if key == "bad" and seen.count("bad") == 2:
                raise ZeroDivisionError
            if key == "busy" and seen.count("busy") == 1:
                raise stale("", "pods", "busy")
            return DONE

        controller = Controller("test", reconcile, clock=VirtualClock())
        for key in ("bad", "good", "busy"):
            controller.queue.add(key)
        task = asyncio.create_task(controller.run())
        await asyncio.sleep(5)
        task.cancel()
        return seen

    with caplog.at_level(logging.INFO):
        assert run_virtual(main()) == ["bad", "good", "busy", "bad", "busy", "bad"]
    got = [(r.levelname, r.getMessage()) for r in caplog.records]
    assert got == [
        ("WARNING", "test: bad: the disk is full"),
        ("ERROR", "test: bad: reconciling failed"),
    ]


def test_a_result_can_ask_for_another_look() -> None:
    async def main() -> list[float]:
        clock = VirtualClock()
        times: list[float] = []

        async def reconcile(key: str) -> Result:
            times.append(clock.monotonic())
            return Result(requeue_after=30)

        controller = Controller("test", reconcile, clock=clock)
        controller.queue.add("a")
        task = asyncio.create_task(controller.run())
        await clock.sleep(70)
        task.cancel()
        return times

    assert run_virtual(main()) == [0, 30, 60]


def test_many_workers_never_share_a_key_and_the_last_change_is_seen() -> None:
    async def main() -> tuple[int, dict[str, int]]:
        active: dict[str, int] = {}
        most = 0
        last: dict[str, int] = {}
        version = 0

        async def reconcile(key: str) -> Result:
            nonlocal most
            active[key] = active.get(key, 0) + 1
            most = max(most, active[key])
            last[key] = version
            await asyncio.sleep(0.3)
            active[key] -= 1
            return DONE

        controller = Controller("test", reconcile, clock=VirtualClock(), workers=4)
        task = asyncio.create_task(controller.run())
        for version in range(20):  # noqa: B007  (read by reconcile)
            for key in "abc":
                controller.queue.add(key)
            await asyncio.sleep(0.1)
        await asyncio.sleep(5)
        task.cancel()
        return most, last

    assert run_virtual(main()) == (1, {"a": 19, "b": 19, "c": 19})


def test_metrics_count_results() -> None:
    async def main() -> dict[str, float]:
        metrics = Registry()

        async def reconcile(key: str) -> Result:
            if key == "bad":
                raise InternalError("no")
            return Result(requeue_after=100) if key == "later" else DONE

        controller = Controller("test", reconcile, clock=VirtualClock(), metrics=metrics)
        for key in ("good", "later"):
            controller.queue.add(key)
        task = asyncio.create_task(controller.run())
        await asyncio.sleep(1)
        task.cancel()
        counter = metrics.counter(
            "controller_runtime_reconcile_total", "", ("controller", "result")
        )
        return {r: counter.value(("test", r)) for r in ("success", "requeue_after", "error")}

    assert run_virtual(main()) == {"success": 1, "requeue_after": 1, "error": 0}
