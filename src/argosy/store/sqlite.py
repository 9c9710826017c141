"""The durable store: SQLite behind a group commit.

A write goes: `put` checks it against the latest write, claims a revision and queues it (in the loop) → a thread
of `writers` takes all that is queued and commits it with one fsync → the loop shows the batch to readers and
watchers, in order, and only then tells the writers. While one fsync runs, the next batch gathers: the busier
the store, the more writes share one.

A batch the disk refuses fails as a whole, and so does everything queued behind it; readers never saw any of it
and go on. The next write tries again, so the store recovers with its disk. (After a failed fsync it is open
whether the batch reaches the disk after all; it can only reappear if the process dies before the next write,
with revisions nobody was shown.)

Garbage, the rows no reader can ask for any more, is deleted by the same thread, a thousand rows at a time,
between batches.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ParamSpec

from argosy.store.describing import Describe, describe
from argosy.store.errors import StoreUnavailable
from argosy.store.faults import Faults, unopenable
from argosy.store.histories import HISTORY, Bounds
from argosy.store.locking import FileLock
from argosy.store.logs import SWEEP_ROWS, Log, Row
from argosy.store.pending import Pending, Write
from argosy.store.records import Event, Key, Record
from argosy.store.restoring import restore, superseded
from argosy.store.state import State
from argosy.store.writers import WRITERS, Writers

_LOG = logging.getLogger(__name__)
_P = ParamSpec("_P")


class SQLiteStore(State):
    """A store whose acknowledged writes survive everything but the loss of the disk."""

    def __init__(
        self, path: Path, *, describe: Describe, history: Bounds, writers: Writers
    ) -> None:
        super().__init__(history)
        self._writers = writers
        self._pending = Pending()
        # Rows nobody can ask for any more. The loop appends, the writer's thread removes from the front.
        self._garbage: list[int] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._shut: asyncio.Future[None] | None = None
        self._faults = Faults(str(path), time.monotonic)
        self._lock = FileLock(path)
        try:
            self._log = Log(path)
            try:
                self._restore(describe)
            except BaseException:
                self._log.close()
                raise
        except BaseException:
            self._lock.release()
            raise

    def latest(self, key: Key) -> Record | None:
        write = self._pending.find(key)
        if write is None:
            return self.get(key)
        return None if write.deleted else write.record

    async def close(self) -> None:
        if self._shut is None:
            self._closed = True
            self._loop = asyncio.get_running_loop()
            self._shut = self._loop.create_future()
            if self._pending.close():
                self._writers.submit(self._work)
        await asyncio.shield(self._shut)

    def _restore(self, describe: Describe) -> None:
        found = restore(self._log, describe, self._sharing, self._packing, self._history)
        self._load(found.objects, found.revision)
        self._garbage = found.garbage

    def _forget(self, event: Event, /) -> None:
        self._garbage += superseded(event)

    def _commit(self, record: Record, deleted: bool, /) -> asyncio.Future[Record]:
        loop = self._loop = asyncio.get_running_loop()
        done: asyncio.Future[Record] = loop.create_future()
        if self._pending.add(Write(record, deleted, done)):
            # Not at once: what this turn of the loop still writes shares the commit.
            loop.call_soon(self._writers.submit, self._work)
        return done

    # In a writer's thread.

    def _work(self) -> bool:
        """Commit one batch; returns whether to be called again."""
        batch = self._pending.take()
        if batch is None:
            self._finish()
            return False
        if not batch:
            return False
        try:
            self._log.append([_row(write) for write in batch])
        except Exception as error:  # noqa: BLE001  the task boundary: a writer left waiting is worse than any error
            self._pending.fail()
            self._tell(self._fail, batch, error)
            return False
        self._tell(self._settle, batch)
        if len(self._garbage) >= SWEEP_ROWS:
            self._sweep()
        return True

    def _sweep(self) -> bool:
        garbage = self._garbage[:SWEEP_ROWS]
        # Read after the garbage: it covers at least all of that.
        compacted = self._history.compacted
        try:
            self._log.sweep(garbage, compacted)
        except StoreUnavailable as error:
            # The next write fails for the same reason, and that is told.
            _LOG.debug("compaction waits: %s", error)
            return False
        del self._garbage[: len(garbage)]
        return True

    def _finish(self) -> None:
        while self._garbage and self._sweep():
            pass
        self._log.close()
        self._lock.release()
        self._tell(self._end)

    def _tell(self, call: Callable[_P, None], *args: _P.args, **kwargs: _P.kwargs) -> None:
        assert self._loop is not None
        try:
            self._loop.call_soon_threadsafe(lambda: call(*args, **kwargs))
        except RuntimeError:
            # The loop was closed under us: nobody waits any more.
            if not self._loop.is_closed():
                raise

    # In the loop again.

    def _settle(self, batch: Sequence[Write]) -> None:
        if self.fault is not None:
            self.fault = None
            self._faults.taken()
        for write in batch:
            self._pending.settle(write)
            self._show(write.record, write.deleted)
        for write in batch:
            if not write.done.done():
                write.done.set_result(write.record)

    def _fail(self, batch: Sequence[Write], error: Exception) -> None:
        if isinstance(error, StoreUnavailable):
            self.fault = error
        else:
            self.fault = StoreUnavailable(str(error))
            _LOG.error("a write failed in an unforeseen way", exc_info=error)
        rest, send = self._pending.abandon()
        self._faults.refused(self.fault, len(batch) + len(rest))
        for write in [*batch, *rest]:
            if not write.done.done():
                write.done.set_exception(self.fault.again())
        if send:
            self._writers.submit(self._work)

    def _end(self) -> None:
        self._watches.close()
        if self._shut is not None and not self._shut.done():
            self._shut.set_result(None)


def _row(write: Write) -> Row:
    record = write.record
    return Row(record.revision, *record.key, write.deleted, record.raw)


def open_store(
    path: Path,
    *,
    describe: Describe = describe,
    history: Bounds = HISTORY,
    writers: Writers = WRITERS,
) -> SQLiteStore:
    """Open the store in a file, which is made if it is not there. Reads it all: see bench/store for how long."""
    try:
        return SQLiteStore(path, describe=describe, history=history, writers=writers)
    except OSError as error:
        raise unopenable(path, error) from error
