"""Both stores against a model that keeps everything: a list of all events there ever were."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from argosy.store import (
    Bounds,
    Compacted,
    Key,
    MemoryStore,
    Record,
    Selection,
    SQLiteStore,
    Watch,
    open_store,
)
from tests.unit.store.writing import delete, describe, put, selection

HISTORY = Bounds(12, 1 << 20)
KEYS = [Key(r, n, m) for r in ("pods", "jobs.batch") for n in ("x", "y") for m in ("a", "b", "c")]
SELECTIONS = [
    selection(),
    selection(namespace="x"),
    selection("job=1"),
    selection("job!=1", namespace="y"),
    selection(fields="spec.nodeName=n1"),
    selection(fields="metadata.name=b"),
    selection("job=1", "spec.nodeName!=n1"),
]
numbers = st.integers(0, 2).map(str)


def matches(select: Selection, record: Record | None) -> bool:
    if record is None:
        return False
    fields = {
        "metadata.name": record.key.name,
        "metadata.namespace": record.key.namespace,
        **record.meta.fields,
    }
    return (
        (select.namespace is None or select.namespace == record.key.namespace)
        and (select.labels is None or select.labels.matches(record.meta.labels))
        and (select.fields is None or select.fields.matches(fields))
    )


class Follower:
    """A watch, and the objects somebody who reads it believes in."""

    def __init__(
        self, watch: Watch, resource: str, select: Selection, seen: dict[Key, bytes]
    ) -> None:
        self.watch, self.resource, self.select, self.seen = watch, resource, select, seen

    def read(self) -> None:
        for event in self.watch.take():
            key = event.record.key
            assert (event.type == "ADDED") == (key not in self.seen)
            if event.type == "DELETED":
                del self.seen[key]
            else:
                self.seen[key] = event.record.raw


class Machine(RuleBasedStateMachine):
    store: MemoryStore | SQLiteStore

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.past: list[tuple[int, dict[Key, Record]]] = [(1, {})]
        self.followers: list[Follower] = []
        self.folder = tempfile.TemporaryDirectory()
        self.open()

    def open(self) -> None:
        self.store = MemoryStore(history=HISTORY)

    def teardown(self) -> None:
        self.loop.run_until_complete(self.store.close())
        self.loop.close()
        self.folder.cleanup()

    @property
    def now(self) -> dict[Key, Record]:
        return self.past[-1][1]

    def at(self, revision: int) -> dict[Key, Record]:
        """What there was at a revision."""
        return next(objects for r, objects in reversed(self.past) if r <= revision)

    def expected(self, resource: str, select: Selection, revision: int) -> list[Record]:
        objects = self.at(revision)
        found = [objects[key] for key in sorted(objects) if key.resource == resource]
        return [record for record in found if matches(select, record)]

    @rule(
        writes=st.lists(
            st.tuples(st.sampled_from(KEYS), numbers, numbers, st.booleans()),
            min_size=1,
            max_size=4,
        )
    )
    def write(self, writes: list[tuple[Key, str, str, bool]]) -> None:
        """Several writes at once, each a put or, where something is there, perhaps a deletion."""

        async def all_of_them() -> None:
            waiting = []
            for key, job, node, remove in writes:
                if remove and self.store.latest(key) is not None:
                    waiting.append((True, delete(self.store, key)))
                else:
                    done = put(
                        self.store, key, {"job": job}, owners=(f"o{job}",),
                        fields={"spec.nodeName": f"n{node}"},
                    )  # fmt: skip
                    waiting.append((False, done))
            for removed, done in waiting:
                record = await done
                objects = dict(self.now)
                if removed:
                    del objects[record.key]
                else:
                    objects[record.key] = record
                self.past.append((record.revision, objects))

        self.loop.run_until_complete(all_of_them())

    @rule(back=st.integers(0, 15), select=st.sampled_from(SELECTIONS), limit=st.integers(0, 4))
    def page_through_a_revision(self, back: int, select: Selection, limit: int) -> None:
        revision = max(1, self.store.revision - back)
        if revision < self.store.compacted:
            with pytest.raises(Compacted):
                self.store.list("pods", revision=revision)
            return
        want = self.expected("pods", select, revision)
        got: list[Record] = []
        after = None
        while True:
            page = self.store.list("pods", select, limit=limit, after=after, revision=revision)
            got += page.records
            if not select.filters:
                assert page.remaining == len(want) - len(got)
            if not page.more:
                break
            after = page.records[-1].key[1:]
        assert got == want
        assert page.revision == revision

    @rule(
        back=st.integers(0, 15),
        resource=st.sampled_from(["pods", "jobs.batch"]),
        select=st.sampled_from(SELECTIONS),
    )
    def list_and_watch(self, back: int, resource: str, select: Selection) -> None:
        revision = max(1, self.store.revision - back)
        if revision < self.store.compacted:
            with pytest.raises(Compacted):
                self.store.watch(resource, select, since=revision)
            return
        seen = {r.key: r.raw for r in self.expected(resource, select, revision)}
        watch = self.store.watch(resource, select, since=revision)
        self.followers.append(Follower(watch, resource, select, seen))

    @precondition(lambda self: self.followers)
    @rule()
    def read_watches(self) -> None:
        for follower in self.followers:
            follower.read()
            assert follower.watch.revision == self.store.revision
            want = self.expected(follower.resource, follower.select, self.store.revision)
            assert follower.seen == {record.key: record.raw for record in want}

    @rule(back=st.integers(0, 10))
    def compact(self, back: int) -> None:
        revision = max(1, self.store.revision - back)
        before = self.store.compacted
        self.store.compact(revision)
        assert self.store.compacted == max(before, revision)

    @invariant()
    def the_present_is_the_models(self) -> None:
        store, now = self.store, self.now
        assert store.revision == self.past[-1][0] == store.next_revision() - 1
        assert store.compacted <= store.revision
        assert store.resources() == sorted({key.resource for key in now})
        for key in KEYS:
            assert store.get(key) == store.latest(key) == now.get(key)
        for uid in ("o0", "o1", "o2"):
            want = [now[key] for key in sorted(now) if uid in now[key].meta.owners]
            assert store.dependents(uid) == want


class SQLiteMachine(Machine):
    store: SQLiteStore

    def open(self) -> None:
        path = Path(self.folder.name) / "s.db"
        self.store = open_store(path, describe=describe, history=HISTORY)

    @rule()
    def restart(self) -> None:
        """Watchers come back to where they were, if the history still reaches there."""
        compacted = self.store.compacted
        self.loop.run_until_complete(self.store.close())
        self.open()
        assert self.store.compacted <= compacted
        back = []
        for follower in self.followers:
            if follower.watch.revision >= self.store.compacted:
                follower.watch = self.store.watch(
                    follower.resource, follower.select, since=follower.watch.revision
                )
                back.append(follower)
        self.followers = back


_SETTINGS = settings(
    max_examples=40, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
TestMemory = Machine.TestCase
TestMemory.settings = _SETTINGS
TestSQLite = SQLiteMachine.TestCase
TestSQLite.settings = _SETTINGS
