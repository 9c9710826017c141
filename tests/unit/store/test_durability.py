"""The SQLite store and its disk: what is visible when, restarts, failures, compaction."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import stat
from pathlib import Path

import pytest

from argosy.store import Bounds, Compacted, Meta, SQLiteStore, StoreUnavailable, open_store
from argosy.store.logs import SWEEP_ROWS
from argosy.store.writers import Job, Writers
from tests.unit.store.writing import delete, describe, key, names, put, run, told


class Held(Writers):
    """Commits only when told to."""

    def __init__(self) -> None:
        super().__init__()
        self.jobs: list[Job] = []

    def submit(self, job: Job) -> None:
        self.jobs.append(job)

    async def commit(self) -> None:
        """One round of what is waiting."""
        await asyncio.sleep(0)
        jobs, self.jobs = self.jobs, []
        self.jobs += [job for job in jobs if job()]
        await asyncio.sleep(0)

    async def close(self, store: SQLiteStore) -> None:
        closing = asyncio.create_task(store.close())
        await self.commit()
        if self.jobs:
            await self.commit()
        await closing


ROOMY = Bounds(1000, 1 << 20)


def reopen(path: Path, history: Bounds = ROOMY) -> SQLiteStore:
    return open_store(path, describe=describe, history=history)


def rows(path: Path) -> list[int]:
    connection = sqlite3.connect(path)
    found = [row[0] for row in connection.execute("SELECT revision FROM log ORDER BY 1")]
    connection.close()
    return found


def limit_pages(store: SQLiteStore, pages: int) -> None:
    """A disk with room for so many pages: SQLite's own SQLITE_FULL."""
    store._log._connection.execute(f"PRAGMA max_page_count = {pages}")


def test_nobody_sees_a_write_before_it_is_on_disk(tmp_path: Path) -> None:
    async def scenario() -> None:
        held = Held()
        store = open_store(tmp_path / "s.db", writers=held)
        watch = store.watch("pods")
        waiting = asyncio.ensure_future(put(store, key("a")))
        await asyncio.sleep(0)
        assert (store.get(key("a")), store.revision, watch.take()) == (None, 1, [])
        assert store.latest(key("a")) is not None
        assert not waiting.done()
        await held.commit()
        assert waiting.done()
        assert store.get(key("a")) == store.latest(key("a")) == await waiting
        assert told(watch.take()) == [("ADDED", "a", 2)]
        await held.close(store)

    run(scenario())


def test_what_is_written_together_is_committed_together(tmp_path: Path) -> None:
    async def scenario() -> None:
        held = Held()
        store = open_store(tmp_path / "s.db", writers=held)
        waiting = [asyncio.ensure_future(put(store, key(f"p{i}"))) for i in range(100)]
        await held.commit()
        assert all(write.done() for write in waiting)
        assert store.revision == 101
        await held.close(store)

    run(scenario())


def test_a_write_on_its_way_outlives_the_one_before_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        held = Held()
        store = open_store(tmp_path / "s.db", writers=held)
        first = asyncio.ensure_future(put(store, key("a")))
        await asyncio.sleep(0)
        held.jobs[0]()
        # On disk, but the loop has not heard of it yet.
        second = asyncio.ensure_future(put(store, key("a")))
        await first
        assert [r.revision for r in (store.get(key("a")), store.latest(key("a"))) if r] == [2, 3]
        await held.commit()
        assert (await second).revision == store.revision == 3
        await held.close(store)

    run(scenario())


def test_a_restart_brings_back_objects_revision_and_history(tmp_path: Path) -> None:
    path = tmp_path / "s.db"

    async def before() -> tuple[list[object], list[object]]:
        store = reopen(path)
        await put(store, key("a"), {"job": "x"}, owners=("o",), fields={"spec.nodeName": "n"})
        await put(store, key("a"), {"job": "y"}, owners=("o",), fields={"spec.nodeName": "n"})
        await put(store, key("b", "other", "services"))
        await put(store, key("c"))
        await delete(store, key("c"))
        state = [store.list("pods"), store.list("services"), store.dependents("o")]
        events = store.watch(None, since=1).take()
        await store.close()
        return state, [(e.type, e.record, e.previous) for e in events]

    async def after() -> tuple[list[object], list[object]]:
        store = reopen(path)
        assert (store.revision, store.next_revision(), store.compacted) == (6, 7, 1)
        state = [store.list("pods"), store.list("services"), store.dependents("o")]
        # The list is labelled with the revision of the store, as it was.
        assert names(store.list("pods", revision=5).records) == ["a", "c"]
        events = store.watch(None, since=1).take()
        await store.close()
        return state, [(e.type, e.record, e.previous) for e in events]

    want = run(before())
    assert run(after()) == want


def test_the_file_is_private(tmp_path: Path) -> None:
    async def scenario() -> None:
        store = reopen(tmp_path / "s.db")
        await put(store, key("a"))
        modes = {f.name: stat.S_IMODE(f.stat().st_mode) for f in os.scandir(tmp_path)}
        assert modes == {"s.db": 0o600, "s.db-wal": 0o600, "s.db.lock": 0o600}
        await store.close()

    run(scenario())


def test_compaction_leaves_what_a_restart_needs_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "s.db"

    async def scenario() -> None:
        store = reopen(path, Bounds(3, 1 << 20))
        await put(store, key("keep"))  # 2
        for _ in range(5):
            await put(store, key("busy"))  # 3..7
        await put(store, key("gone"))  # 8
        await delete(store, key("gone"))  # 9
        await put(store, key("late"))  # 10
        await put(store, key("busy"))  # 11, replaces 7
        await put(store, key("last"))  # 12
        assert store.compacted == 9
        await store.close()
        assert rows(path) == [2, 7, 10, 11, 12]
        store = reopen(path, Bounds(3, 1 << 20))
        assert (store.revision, store.compacted) == (12, 9)
        assert names(store.list("pods").records) == ["busy", "keep", "last", "late"]
        with pytest.raises(Compacted):
            store.watch("pods", since=8)
        assert told(store.watch("pods", since=9).take()) == [
            ("ADDED", "late", 10),
            ("MODIFIED", "busy", 11),
            ("ADDED", "last", 12),
        ]
        await store.close()

    run(scenario())


def test_the_revision_does_not_go_back_when_everything_is_deleted_and_compacted(
    tmp_path: Path,
) -> None:
    path = tmp_path / "s.db"

    async def scenario() -> None:
        store = reopen(path)
        await put(store, key("a"))
        await delete(store, key("a"))
        store.compact(store.revision)
        await store.close()
        store = reopen(path)
        assert (store.revision, store.compacted, store.resources()) == (3, 3, [])
        await put(store, key("a"))
        await store.close()
        assert rows(path) == [4]

    run(scenario())


def test_a_busy_file_is_swept_while_it_is_open(tmp_path: Path) -> None:
    path = tmp_path / "s.db"

    async def scenario() -> None:
        held = Held()
        store = open_store(path, history=Bounds(10, 1 << 20), writers=held)
        left = []
        for _ in range(12):
            waiting = [put(store, key("a")) for _ in range(100)]
            await held.commit()
            await asyncio.gather(*waiting)
            (count,) = store._log._connection.execute("SELECT count(*) FROM log").fetchone()
            left.append(count)
        assert left == [*range(100, 1200, 100), 1200 - SWEEP_ROWS]
        await held.close(store)

    run(scenario())
    assert rows(path) == [*range(1191, 1202)]


def test_a_full_disk_fails_writes_keeps_reads_and_is_forgotten_when_there_is_room(
    tmp_path: Path,
) -> None:
    path = tmp_path / "s.db"

    async def scenario() -> None:
        store = reopen(path)
        first = await put(store, key("a"), body="old")
        watch = store.watch("pods")
        limit_pages(store, 1)
        big = "x" * 50_000
        waiting = [put(store, key("a"), body=big), put(store, key("a")), put(store, key("b"))]
        failed = await asyncio.gather(*waiting, return_exceptions=True)
        assert [type(error) for error in failed] == [StoreUnavailable] * 3
        assert str(failed[0]).startswith(
            f"the disk is full: no room for s.db in the state directory {tmp_path}: reads go on"
        )
        assert str(store.fault) == str(failed[0])
        assert store.get(key("a")) == store.latest(key("a")) == first
        assert (store.latest(key("b")), store.revision, watch.take()) == (None, 2, [])
        limit_pages(store, 1_000_000)
        again = await put(store, key("a"), body=big)
        assert again.revision == 6
        assert store.fault is None
        assert told(watch.take()) == [("MODIFIED", "a", 6)]
        await store.close()
        store = reopen(path)
        assert store.list("pods").records == [again]
        assert told(store.watch("pods", since=1).take()) == [
            ("ADDED", "a", 2),
            ("MODIFIED", "a", 6),
        ]
        await store.close()

    run(scenario())


def test_writes_queued_behind_a_failed_batch_fail_with_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        held = Held()
        store = open_store(tmp_path / "s.db", writers=held)
        limit_pages(store, 1)
        first = asyncio.ensure_future(put(store, key("a"), body="x" * 50_000))
        await asyncio.sleep(0)
        (job,) = held.jobs
        assert job() is False
        # The loop does not know yet, and goes on building on what has failed.
        limit_pages(store, 1_000_000)
        second = asyncio.ensure_future(put(store, key("a")))
        assert job() is False
        for write in (first, second):
            with pytest.raises(StoreUnavailable):
                await write
        assert store.latest(key("a")) is None
        held.jobs.clear()
        third = asyncio.ensure_future(put(store, key("a")))
        await held.commit()
        assert (await third).revision == 4
        await held.close(store)

    run(scenario())


def test_closing_while_a_batch_fails_still_closes(tmp_path: Path) -> None:
    path = tmp_path / "s.db"

    async def scenario() -> None:
        store = reopen(path)
        limit_pages(store, 1)
        waiting = asyncio.ensure_future(put(store, key("a"), body="x" * 50_000))
        await store.close()
        with pytest.raises(StoreUnavailable):
            await waiting
        await reopen(path).close()

    run(scenario())


def test_an_unforeseen_error_reaches_the_writer(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> None:
        store = reopen(tmp_path / "s.db")
        with pytest.raises(StoreUnavailable, match="surrogates not allowed"):
            await store.put(key("\ud800"), b'"resourceVersion":"2"', Meta(), expect=0)
        assert "unforeseen" in caplog.text
        await put(store, key("a"))
        await store.close()

    run(scenario())


def test_many_stores_share_few_threads(tmp_path: Path) -> None:
    async def scenario() -> None:
        stores = [reopen(tmp_path / f"{i}.db") for i in range(20)]
        await asyncio.gather(*[put(s, key(f"p{i}")) for s in stores for i in range(10)])
        assert {s.revision for s in stores} == {11}
        await asyncio.gather(*[s.close() for s in stores])

    run(scenario())
