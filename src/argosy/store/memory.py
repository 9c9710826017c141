"""The store without a disk: tests, simulations and clusters that need not outlive their process."""

from __future__ import annotations

import asyncio

from argosy.store.histories import HISTORY, Bounds
from argosy.store.records import Event, Key, Record
from argosy.store.state import State


class MemoryStore(State):
    """Commits at once: a write is visible when `put` returns, and its future is done."""

    def __init__(self, *, history: Bounds = HISTORY) -> None:
        super().__init__(history)

    def latest(self, key: Key) -> Record | None:
        return self.get(key)

    async def close(self) -> None:
        self._closed = True
        self._watches.close()

    def _commit(self, record: Record, deleted: bool, /) -> asyncio.Future[Record]:
        done: asyncio.Future[Record] = asyncio.get_running_loop().create_future()
        self._show(record, deleted)
        done.set_result(record)
        return done

    def _forget(self, event: Event, /) -> None:
        """Nothing is kept of it."""
