"""Waiting for what a server does soon, and reading watches with an end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Self

from argosy.client.objects import WatchEvent

SECONDS = 20.0


async def eventually(attempt: Callable[[], Awaitable[None]], *expected: type[Exception]) -> None:
    """Try until none of these is raised."""
    async with asyncio.timeout(SECONDS):
        while True:
            try:
                await attempt()
            except expected:
                await asyncio.sleep(0.02)
            else:
                return


class Watcher:
    """Reads a watch in a task, so that a test can write meanwhile."""

    def __init__(self, events: AsyncGenerator[WatchEvent, None]) -> None:
        self._queue: asyncio.Queue[WatchEvent | BaseException] = asyncio.Queue()
        self._task = asyncio.create_task(self._read(events))

    async def _read(self, events: AsyncGenerator[WatchEvent, None]) -> None:
        try:
            async with aclosing(events):
                async for event in events:
                    self._queue.put_nowait(event)
        except Exception as error:  # noqa: BLE001  (handed to the test)
            self._queue.put_nowait(error)

    async def next(self) -> WatchEvent:
        async with asyncio.timeout(SECONDS):
            got = await self._queue.get()
        if isinstance(got, BaseException):
            raise got
        return got

    async def take(self, count: int) -> list[str]:
        """`TYPE name` of the next events."""
        return [f"{e.type} {e.object.name}" for e in [await self.next() for _ in range(count)]]

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        await asyncio.wait({self._task})
