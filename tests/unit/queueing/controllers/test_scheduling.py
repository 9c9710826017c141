"""When cycles run: as long as there is something to decide, but not one right after the other."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import datetime
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import Mock

import pytest

from argosy.base.clock import VirtualClock
from argosy.base.loops import run_virtual
from argosy.base.metrics import Registry
from argosy.queueing.controllers.scheduling import Scheduling
from argosy.queueing.cycles.decisions import Outcome


class Machine(VirtualClock):
    """Virtual time, and work in which nothing else happens."""

    __slots__ = ("worked",)

    def __init__(self) -> None:
        super().__init__()
        self.worked = 0.0

    def monotonic(self) -> float:
        return super().monotonic() + self.worked


class Busy:
    """An engine with so many cycles to do, each of so many seconds of work."""

    def __init__(self, clock: Machine, seconds: list[float]) -> None:
        self.queues = SimpleNamespace(next_time=None)
        self.times: list[float] = []
        self._clock, self._seconds = clock, iter(seconds)
        self._left = len(seconds)

    def has_work(self, _now: float) -> bool:
        return self._left > 0

    def cycle(self, _now: datetime) -> tuple[Outcome, list[object]]:
        self._left -= 1
        self.times.append(asyncio.get_running_loop().time())
        self._clock.worked += next(self._seconds)
        return Outcome(), []


@pytest.mark.parametrize(
    ("seconds", "want"),
    [([0.0, 0.0, 0.0], [0.0, 0.0, 0.0]), ([0.5, 0.25, 1.0], [0.0, 0.5, 0.75])],
    ids=["cycles that take no time follow each other", "others get as long as a cycle took"],
)
def test_cycles_leave_time_to_others(seconds: list[float], want: list[float]) -> None:
    clock = Machine()
    engine = Busy(clock, seconds)
    assembly = Mock(clock=clock, metrics=Registry())
    Scheduling(cast(Any, assembly), cast(Any, engine), Mock())
    tasks = dict(call.args for call in assembly.task.call_args_list)

    async def story() -> None:
        began = asyncio.get_running_loop().time()
        with suppress(TimeoutError):
            async with asyncio.timeout(10):
                await tasks["queueing"]()
        assert [when - began for when in engine.times] == want

    run_virtual(story())
