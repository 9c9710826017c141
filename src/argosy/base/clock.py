"""The only source of time: real, or virtual for tests and simulations.

Nothing in the project calls `time.time` or `asyncio.sleep` by itself; it is handed a `Clock`. Under
`run_virtual` a `VirtualClock` follows the loop, so timers and timestamps agree.
"""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime
from typing import Protocol

from argosy.base.loops import VirtualLoop


class Clock(Protocol):
    """What time it is, and waiting."""

    def now(self) -> datetime:
        """The date and time, in UTC."""

    def time(self) -> float:
        """Seconds since the epoch."""

    def monotonic(self) -> float:
        """Seconds since some moment; never goes back. For measuring and for deadlines."""

    async def sleep(self, seconds: float) -> None:
        """Wait."""


class RealClock:
    """The machine's clock."""

    __slots__ = ()

    def now(self) -> datetime:
        return datetime.now(UTC)

    def time(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class VirtualClock:
    """The time of a `VirtualLoop`: of the given one, or of the one that is running."""

    __slots__ = ("_loop",)

    def __init__(self, loop: VirtualLoop | None = None) -> None:
        self._loop = loop

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.time(), UTC)

    def time(self) -> float:
        loop = self._virtual()
        return loop.start + loop.time()

    def monotonic(self) -> float:
        return self._virtual().time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def _virtual(self) -> VirtualLoop:
        loop = self._loop or asyncio.get_running_loop()
        if not isinstance(loop, VirtualLoop):
            raise TypeError(
                "VirtualClock needs a VirtualLoop: start the program with run_virtual(...)"
            )
        return loop
