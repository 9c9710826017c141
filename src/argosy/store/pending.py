"""Writes on their way to disk.

Writers compare with the latest write of a key, durable or not: so two updates in a row need not wait for each
other's fsync, and both can share one. `Pending` is that overlay, and the queue a writer's thread takes batches
from.

The loop appends; a thread takes. At most one thread is sent at a time: `add` and `close` say when one is
needed, `take` says when it may go. A batch that fails dooms everything behind it, because any of that may build
on it: after `fail` nothing more is handed out until the loop has cleared the queue with `abandon`.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from typing import Final, NamedTuple

from argosy.store.logs import MAX_ROWS
from argosy.store.records import Key, Record

# A transaction stops growing here: one fsync of this much is no longer cheaper per byte.
_MAX_BYTES: Final = 4 * 1024 * 1024


class Write(NamedTuple):
    """One write and who waits for it."""

    record: Record
    deleted: bool
    done: asyncio.Future[Record]


class Pending:
    """The queue of one store, and the newest write per key in it."""

    def __init__(self) -> None:
        self._newest: dict[Key, Write] = {}
        self._lock = threading.Lock()
        # Under the lock:
        self._queue: deque[Write] = deque()
        self._sent = False
        self._failed = False
        self._closing = False

    # In the loop. Where these return True, the caller sends a thread.

    def find(self, key: Key) -> Write | None:
        return self._newest.get(key)

    def add(self, write: Write) -> bool:
        self._newest[write.record.key] = write
        with self._lock:
            self._queue.append(write)
            return self._send()

    def close(self) -> bool:
        """Let a thread finish the queue and close the file; nothing may be added any more."""
        with self._lock:
            self._closing = True
            return self._send()

    def settle(self, write: Write) -> None:
        """A write is visible and needs no overlay any more."""
        if self._newest.get(write.record.key) is write:
            del self._newest[write.record.key]

    def abandon(self) -> tuple[list[Write], bool]:
        """Clear up after a failure: returns everything that was still queued."""
        self._newest.clear()
        with self._lock:
            rest = list(self._queue)
            self._queue.clear()
            self._failed = self._sent = False
            return rest, self._closing and self._send()

    def _send(self) -> bool:
        send = not self._sent
        self._sent = True
        return send

    # In the thread.

    def take(self) -> list[Write] | None:
        """The next batch. An empty one means: go, you will be sent for. None means: all is written, close up."""
        batch: list[Write] = []
        size = 0
        with self._lock:
            if self._failed:
                return batch
            while self._queue and len(batch) < MAX_ROWS and size < _MAX_BYTES:
                write = self._queue.popleft()
                size += len(write.record.raw)
                batch.append(write)
            if batch:
                return batch
            if self._closing:
                return None
            self._sent = False
            return batch

    def fail(self) -> None:
        """The last batch failed: hand out nothing until `abandon`."""
        with self._lock:
            self._failed = True
