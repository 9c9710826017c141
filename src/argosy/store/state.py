"""What readers see: the objects at the visible revision, their indexes, the history and the watchers.

Both stores stand on this. They differ only in how a write gets from its writer to `_show`: the in-memory store
shows it at once, the SQLite store after it is on disk. Since nothing becomes visible but through `_show`, in
the order of revisions and in the event loop, a reader can never see a state that was not committed, nor a list
and a watch that disagree.

Writers hold on to `next_revision`, encode it into the object, and write without awaiting in between: so the
revision in the bytes is the revision of the write. Revisions of failed writes are never used again.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Final, TypeAlias

from argosy.store.describing import Describe, Sharing
from argosy.store.errors import Closed, Mismatch, StoreUnavailable
from argosy.store.histories import Bounds, History
from argosy.store.indexes import Buckets, Indexes
from argosy.store.listing import list_page
from argosy.store.packing import Packing
from argosy.store.records import FIRST_REVISION, Event, Key, Meta, Page, Record, stamp
from argosy.store.selections import EVERYTHING, Selection
from argosy.store.tables import Table
from argosy.store.watches import BUFFER, Watch, Watches

_EMPTY: Final = Table({})

# The class below has a method named list.
_Records: TypeAlias = list[Record]
_Keys: TypeAlias = list[Key]
_Names: TypeAlias = list[str]


class State(ABC):
    """The reading half of a store, and the checks of the writing half."""

    def __init__(self, history: Bounds) -> None:
        self.revision = FIRST_REVISION
        # Why the last write failed, until one succeeds again.
        self.fault: StoreUnavailable | None = None
        self._next = FIRST_REVISION + 1
        # The last revision that a resource was written with, on disk or not, since the start.
        self._changed: dict[str, int] = {}
        self._tables: dict[str, Table] = {}
        self._owners = Buckets()
        self._history = History(history)
        self._watches = Watches(FIRST_REVISION)
        self._sharing = Sharing()
        self._packing = Packing()
        self._closed = False

    # Reading.

    @property
    def compacted(self) -> int:
        """The oldest revision that can be listed and watched from."""
        return self._history.compacted

    def get(self, key: Key) -> Record | None:
        table = self._tables.get(key.resource)
        return None if table is None else table.records.get(key)

    def list(
        self,
        resource: str,
        selection: Selection = EVERYTHING,
        *,
        limit: int = 0,
        after: tuple[str, str] | None = None,
        revision: int | None = None,
    ) -> Page:
        """Records in key order that follow `after`, as of `revision` (None: now)."""
        at = self.revision if revision is None else revision
        changed = {} if at == self.revision else self._history.undo(resource, at, self.revision)
        table = self._tables.get(resource, _EMPTY)
        return list_page(
            resource, table, selection, limit=limit, after=after, changed=changed, revision=at
        )

    def dependents(self, uid: str) -> _Records:
        """Every object that names this uid as an owner, in key order."""
        return [self._tables[key.resource].records[key] for key in self._owners.get(uid)]

    def count(self, resource: str) -> int:
        return len(self._tables.get(resource, _EMPTY).records)

    def resources(self) -> _Names:
        """The resources that have objects."""
        return sorted(self._tables)

    def keys(self, resource: str) -> _Keys:
        """The keys of a resource, in order."""
        return [*self._tables.get(resource, _EMPTY).order]

    def watch(
        self,
        resource: str | None,
        selection: Selection = EVERYTHING,
        *,
        since: int | None = None,
        buffer: Bounds = BUFFER,
    ) -> Watch:
        """Every event after revision `since` (None: from now on), of one resource or of all."""
        if self._closed:
            raise Closed("the store is closed")
        start = self.revision if since is None else since
        backlog = self._history.since(start)
        return self._watches.open(resource, selection, backlog=backlog, start=start, bounds=buffer)

    def redescribe(self, resource: str, describe: Describe) -> None:
        """Read anew what the store knows of a resource's objects, because what can be selected has changed."""
        table = self._tables.get(resource)
        if table is None:
            return
        for key, record in table.records.items():
            meta = self._sharing.meta(describe(resource, record.raw))
            table.records[key] = Record(key, record.revision, record.body, meta)
        table.indexes = Indexes()

    # Writing.

    def next_revision(self) -> int:
        """The revision the next write must carry."""
        return self._next

    def changed(self, resources: Iterable[str]) -> int | None:
        """The revision of the last write to any of some resources since the start, 0 where there was none; None while
        one is on its way to disk.
        """
        known = self._changed
        last = max((known.get(resource, 0) for resource in resources), default=0)
        return last if last <= self.revision else None

    @abstractmethod
    def latest(self, key: Key) -> Record | None:
        """The record including writes that are not visible yet: what a writer compares with."""

    def put(self, key: Key, raw: bytes, meta: Meta, *, expect: int) -> asyncio.Future[Record]:
        """Create (`expect` 0) or replace the record whose latest revision is `expect`."""
        current = self._check(key, raw, expect)
        if current is not None:
            key = current.key
        return self._commit(self._claim(key, raw, self._sharing.meta(meta)), False)

    def delete(self, key: Key, raw: bytes, *, expect: int) -> asyncio.Future[Record]:
        """Delete the record whose latest revision is `expect`; `raw` is its final state."""
        current = self._check(key, raw, expect)
        if current is None:
            raise Mismatch(None)
        return self._commit(self._claim(current.key, raw, current.meta), True)

    def compact(self, revision: int) -> None:
        """Forget the history up to and including a revision."""
        for event in self._history.drop(min(revision, self.revision)):
            self._forget(event)

    @abstractmethod
    async def close(self) -> None:
        """Finish what is on its way to disk, end every watch, give the file free."""

    @abstractmethod
    def _commit(self, record: Record, deleted: bool, /) -> asyncio.Future[Record]:
        """Make a claimed write durable, then show it."""

    def _check(self, key: Key, raw: bytes, expect: int) -> Record | None:
        if self._closed:
            raise Closed("the store is closed")
        current = self.latest(key)
        if (0 if current is None else current.revision) != expect:
            raise Mismatch(current)
        assert stamp(self._next) in raw, f"{key}: the bytes must carry revision {self._next}"
        return current

    def _claim(self, key: Key, raw: bytes, meta: Meta) -> Record:
        revision = self._next
        self._next = revision + 1
        self._changed[key.resource] = revision
        return Record(key, revision, raw, meta)

    def _load(self, objects: dict[str, dict[Key, Record]], revision: int) -> None:
        """Begin with objects from before; the history is filled already."""
        self._tables = {resource: Table(records) for resource, records in objects.items()}
        for records in objects.values():
            for record in records.values():
                self._own(record.key, record.meta.owners, ())
        self.revision = self._watches.revision = revision
        self._next = revision + 1

    def _show(self, record: Record, deleted: bool) -> None:
        """Make one committed write visible."""
        key = record.key
        table = self._tables.get(key.resource)
        if table is None:
            table = self._tables[key.resource] = Table({})
        last = table.records.get(key)
        body = self._packing.pack(record.raw, b"" if last is None else last.body)
        record = Record(key, record.revision, body, record.meta)
        event: Event
        if deleted:
            previous = table.remove(key)
            event = Event("DELETED", record, previous)
            if not table.records:
                del self._tables[key.resource]
            self._own(key, (), previous.meta.owners)
        else:
            replaced = table.put(record)
            event = Event("ADDED" if replaced is None else "MODIFIED", record, replaced)
            self._own(key, record.meta.owners, () if replaced is None else replaced.meta.owners)
        self.revision = record.revision
        for dropped in self._history.append(event):
            self._forget(dropped)
        self._watches.dispatch(event)

    def _own(self, key: Key, now: tuple[str, ...], before: tuple[str, ...]) -> None:
        if now == before:
            return
        for uid in before:
            self._owners.discard(uid, key)
        for uid in now:
            self._owners.add(uid, key)

    @abstractmethod
    def _forget(self, event: Event, /) -> None:
        """An event has left the history."""
