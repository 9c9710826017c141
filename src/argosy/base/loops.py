"""An asyncio event loop in virtual time: sleeping costs nothing.

When no callback is ready, the loop's clock jumps to the next timer instead of waiting for it. A day of
leases, back-offs and heartbeats passes in milliseconds, and always in the same order, because nothing outside
the process can interfere: there are no sockets, and work meant for a thread runs in place.

Where a real loop would wait forever (nothing ready, nothing scheduled, the main task not done) this one
raises `Stuck` and names the tasks that wait, so a test never hangs.
"""

from __future__ import annotations

import asyncio
from asyncio.base_events import BaseEventLoop
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor
from datetime import UTC, datetime
from typing import Any, Final, TypeVar, TypeVarTuple

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

# Where virtual time starts unless a test says otherwise.
START: Final = datetime(2026, 1, 1, tzinfo=UTC)


class Stuck(RuntimeError):
    """Every task waits for something that can never happen."""


class VirtualLoop(BaseEventLoop):
    """`time()` counts virtual seconds since `start`."""

    # asyncio's heap of timers, earliest first.
    _scheduled: list[asyncio.TimerHandle]

    def __init__(self, start: datetime | float = START) -> None:
        super().__init__()
        self.start: Final = start.timestamp() if isinstance(start, datetime) else start
        self._now = 0.0
        self._selector = _Jumping(self._jump)
        # asyncio fires what is due before now + resolution; it has to exceed a float's step after a century.
        self._clock_resolution = 1e-6

    def time(self) -> float:
        return self._now

    def _jump(self, seconds: float | None) -> None:
        """Called by asyncio between rounds of callbacks, with the time it would wait."""
        if seconds is None:
            raise Stuck(_describe(asyncio.all_tasks(self)))
        # The timer's own time, not now + seconds: rounding must not wake it early. One that is due within the
        # resolution fires in this round even if something else is ready; if time stood still for that, two who wait
        # for the same moment would wake each other before it for ever.
        if self._scheduled:
            first = self._scheduled[0].when()
            if seconds > 0 or first <= self._now + self._clock_resolution:
                self._now = max(self._now, first)

    def run_in_executor(
        self,
        executor: Executor | None,
        func: Callable[[*Ts], T],
        *args: *Ts,
    ) -> asyncio.Future[T]:
        """Call `func` here and now: a thread would run outside virtual time."""
        future: asyncio.Future[T] = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:  # noqa: BLE001  (handed to whoever awaits it)
            future.set_exception(error)
        return future

    def _process_events(self, event_list: list[object]) -> None:
        """There are no sockets, so there is never an event."""

    def _write_to_self(self) -> None:
        """Nobody else can be waiting in a system call, so nothing has to be woken."""


class _Jumping:
    """Stands where asyncio keeps its selector; turns waiting into a jump."""

    __slots__ = ("_jump",)

    def __init__(self, jump: Callable[[float | None], None]) -> None:
        self._jump = jump

    def select(self, timeout: float | None) -> list[object]:
        self._jump(timeout)
        return []


def run_virtual(main: Coroutine[Any, Any, T], *, start: datetime | float = START) -> T:
    """Run `main` in a fresh virtual loop, cancel what it left behind, and return its result."""
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(start)) as runner:
        return runner.run(main)


def _describe(tasks: set[asyncio.Task[Any]]) -> str:
    lines = sorted(f"{task.get_name()}: {_place(task)}" for task in tasks if not task.done())
    waiting = "; ".join(lines) or "no task at all"
    return (
        "virtual time stands still: no timer is set and nothing is ready, but these wait: "
        f"{waiting}. Something has to set the event, fill the queue or cancel the task they wait for."
    )


def _place(task: asyncio.Task[Any]) -> str:
    """`coroutine (file:line)` of the innermost frame."""
    coroutine = task.get_coro()
    name = getattr(coroutine, "__qualname__", repr(coroutine))
    while (inner := getattr(coroutine, "cr_await", None)) is not None and hasattr(
        inner, "cr_await"
    ):
        coroutine = inner
    frame = getattr(coroutine, "cr_frame", None)
    if frame is None:
        return name
    return f"{name} ({frame.f_code.co_filename.rsplit('/', 1)[-1]}:{frame.f_lineno})"
