"""Watches: who is told of which event, and how much may wait for a slow reader.

An event is offered only to watchers it may concern. Each stands in one bucket of its resource's routes: under
the name, the field value (spec.nodeName=x) or the namespace its selection is tied to, or among those who see
everything. So an event among seventy thousand watchers, one per node, reaches one of them, and costs as much.

A watcher sees its selection's own history, as in Kubernetes: an object that begins to match is ADDED, one that
stops matching is DELETED. Unread events wait in a buffer with a bound; past it the watcher is cut off, because
it can list and watch again and memory can't. Events from the history that a resumed watch begins with are
shared with the history and don't count.

Everything runs in the event loop, synchronously with the visible state: after a change is visible, every watch
that it concerns holds it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Final

from argosy.store.errors import Closed, StoreError, TooSlow
from argosy.store.histories import Bounds
from argosy.store.records import Event, Record
from argosy.store.selections import NAME, NAMESPACE, Selection, compile_selection

BUFFER: Final = Bounds(8192, 32 * 1024 * 1024)

# Where a watch stands: a field and the value it must have; ("", "") for everybody else.
_Route = tuple[str, str]
_EVERYONE: Final[_Route] = ("", "")


class Watch:
    """A stream of batches of events. One task reads it."""

    __slots__ = (
        "_bounds", "_buffer", "_ended", "_last", "_matches", "_nudged", "_size", "_start", "_unread", "_waiter",
        "_watches", "resource", "route",
    )  # fmt: skip

    def __init__(
        self,
        watches: Watches,
        resource: str | None,
        selection: Selection,
        backlog: Iterable[Event],
        start: int,
        bounds: Bounds,
    ) -> None:
        self.resource = resource
        self.route = _route(selection)
        self._watches = watches
        self._matches = compile_selection(selection)
        self._start = start
        self._bounds = bounds
        self._unread = 0
        self._size = 0
        self._ended: StoreError | None = None
        self._last = start
        self._waiter: asyncio.Future[None] | None = None
        self._nudged = False
        self._buffer = [
            seen
            for event in backlog
            if resource is None or event.record.key.resource == resource
            if (seen := self._see(event)) is not None
        ]

    @property
    def revision(self) -> int:
        """Everything up to here was returned or did not match: what a bookmark may say."""
        if self._ended is not None:
            return self._last
        if self._buffer:
            return self._buffer[0].revision - 1
        return max(self._start, self._watches.revision)

    async def next(self) -> list[Event]:
        """The events that have come since the last call: at least one, unless it was nudged. Cancelling it loses
        nothing.
        """
        while not self._buffer and self._ended is None and not self._nudged:
            assert self._waiter is None, "a watch has one reader"
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        if not self._buffer:
            self._nudged = False
        return self.take()

    def nudge(self) -> None:
        """Let a waiting `next` return with nothing, for a reader that has something else to do."""
        self._nudged = True
        self._wake()

    def take(self) -> list[Event]:
        """What is there now, perhaps nothing."""
        if self._ended is not None:
            raise self._ended
        taken, self._buffer = self._buffer, []
        self._unread = self._size = 0
        return taken

    def close(self) -> None:
        """End the watch; a waiting `next` raises Closed."""
        self.end(Closed("the watch was closed"))

    def end(self, error: StoreError) -> None:
        if self._ended is not None:
            return
        self._last = self.revision
        self._ended = error
        self._buffer = []
        self._watches.remove(self)
        self._wake()

    def offer(self, event: Event) -> None:
        """Take note of an event, if it is any of this watcher's business."""
        if event.revision <= self._start:
            return
        seen = self._see(event)
        if seen is None:
            return
        self._buffer.append(seen)
        self._unread += 1
        self._size += seen.record.size
        if self._unread > self._bounds.events or self._size > self._bounds.size:
            self.end(TooSlow(self._unread, self._size))
        else:
            self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _see(self, event: Event) -> Event | None:
        """The event as this selection sees it."""
        matches, previous = self._matches, event.previous
        if matches is None:
            return event
        if previous is None:
            return event if matches(event.record) else None
        if event.type == "DELETED":
            return event if matches(previous) else None
        now = matches(event.record)
        if _matches_alike(event.record, previous) or matches(previous) == now:
            return event if now else None
        return event.entering() if now else event.leaving()


def _matches_alike(record: Record, previous: Record) -> bool:
    """Whether no selection can tell the two apart: labels and fields are shared, so mostly one look tells."""
    was, now = previous.meta, record.meta
    return was.labels is now.labels and was.fields is now.fields


def _route(selection: Selection) -> _Route:
    if selection.name is not None:
        return (NAME, selection.name)
    for term in sorted(selection.exact_fields().items()):
        return term
    return _EVERYONE if selection.scope is None else (NAMESPACE, selection.scope)


class _Routes:
    """The watchers of one resource."""

    __slots__ = ("_fields", "_standing")

    def __init__(self) -> None:
        # Ordered sets: who came first is told first.
        self._standing: dict[_Route, dict[Watch, None]] = {}
        # Fields besides name and namespace by which anybody stands, with the number of routes.
        self._fields: dict[str, int] = {}

    def add(self, watch: Watch) -> None:
        standing = self._standing.get(watch.route)
        if standing is None:
            standing = self._standing[watch.route] = {}
            field = watch.route[0]
            if field not in {"", NAME, NAMESPACE}:
                self._fields[field] = self._fields.get(field, 0) + 1
        standing[watch] = None

    def remove(self, watch: Watch) -> bool:
        """Whether nobody is left."""
        standing = self._standing[watch.route]
        del standing[watch]
        if not standing:
            del self._standing[watch.route]
            field = watch.route[0]
            if field in self._fields:
                self._fields[field] -= 1
                if not self._fields[field]:
                    del self._fields[field]
        return not self._standing

    def dispatch(self, event: Event) -> None:
        key, standing = event.record.key, self._standing
        self._tell(standing.get(_EVERYONE), event)
        self._tell(standing.get((NAMESPACE, key.namespace)), event)
        self._tell(standing.get((NAME, key.name)), event)
        for field in list(self._fields):
            now = event.record.meta.fields.get(field, "")
            self._tell(standing.get((field, now)), event)
            if event.previous is not None:
                before = event.previous.meta.fields.get(field, "")
                if before != now:
                    self._tell(standing.get((field, before)), event)

    @staticmethod
    def _tell(watches: dict[Watch, None] | None, event: Event) -> None:
        if watches:
            for watch in tuple(watches):
                watch.offer(event)

    def everybody(self) -> list[Watch]:
        return [watch for standing in self._standing.values() for watch in standing]


class Watches:
    """All watchers of a store."""

    __slots__ = ("_routes", "revision")

    def __init__(self, revision: int) -> None:
        self._routes: dict[str | None, _Routes] = {}
        # The newest revision everybody has been offered.
        self.revision = revision

    def open(
        self,
        resource: str | None,
        selection: Selection,
        *,
        backlog: Iterable[Event],
        start: int,
        bounds: Bounds,
    ) -> Watch:
        watch = Watch(self, resource, selection, backlog, start, bounds)
        self._routes.setdefault(resource, _Routes()).add(watch)
        return watch

    def remove(self, watch: Watch) -> None:
        if self._routes[watch.resource].remove(watch):
            del self._routes[watch.resource]

    def dispatch(self, event: Event) -> None:
        """Offer an event to those it may concern."""
        self.revision = event.revision
        for resource in (event.record.key.resource, None):
            routes = self._routes.get(resource)
            if routes is not None:
                routes.dispatch(event)

    def close(self) -> None:
        """End every watch."""
        for routes in list(self._routes.values()):
            for watch in routes.everybody():
                watch.end(Closed("the store was closed"))
