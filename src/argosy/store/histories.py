"""The recent past: every event, in order, up to a bound.

The history answers three questions: which events came after a revision (a watch that resumes), what a resource
looked like at a revision (a list's next page), and from where on both are possible (`compacted`).

`compacted` is the revision of the newest event that has been dropped: a watch from there misses nothing. Events
stand in it at a flat cost besides their bytes, so that many small ones are bounded too; the `previous` record
of an event is nearly always the record of an older one and is not counted again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Final, NamedTuple

from argosy.store.errors import Compacted, FutureRevision
from argosy.store.records import FIRST_REVISION, Event, Key, Record

# What an event weighs besides its bytes: the event, record, key and their share of the deque.
_OVERHEAD: Final = 256


class Bounds(NamedTuple):
    """How much may wait in a history or a watcher's buffer."""

    events: int
    size: int  # bytes


HISTORY: Final = Bounds(10_000, 64 * 1024 * 1024)


class History:
    """A bounded queue of events."""

    __slots__ = ("_bounds", "_events", "_size", "compacted")

    def __init__(self, bounds: Bounds = HISTORY, compacted: int = FIRST_REVISION) -> None:
        self._events: deque[Event] = deque()
        self._bounds = bounds
        self._size = 0
        self.compacted = compacted

    def __len__(self) -> int:
        return len(self._events)

    def append(self, event: Event) -> Iterable[Event]:
        """Add the newest event; returns those that had to leave for it."""
        self._events.append(event)
        self._size += event.record.size + _OVERHEAD
        if len(self._events) > self._bounds.events or self._size > self._bounds.size:
            return self._shrink()
        return ()

    def drop(self, revision: int) -> list[Event]:
        """Forget everything up to and including `revision`; returns what was forgotten."""
        dropped: list[Event] = []
        while self._events and self._events[0].revision <= revision:
            dropped.append(self._leave())
        return dropped

    def since(self, revision: int) -> list[Event]:
        """The events after a revision, oldest first. O(their number)."""
        if revision < self.compacted:
            raise Compacted(revision, self.compacted)
        found: list[Event] = []
        for event in reversed(self._events):
            if event.revision <= revision:
                break
            found.append(event)
        found.reverse()
        return found

    def undo(self, resource: str, revision: int, current: int) -> dict[Key, Record | None]:
        """What the keys of a resource held at a revision, for those that have changed since; None for nothing.
        O(events since).
        """
        if revision > current:
            raise FutureRevision(revision, current)
        held: dict[Key, Record | None] = {}
        for event in reversed(self.since(revision)):
            if event.record.key.resource == resource:
                held[event.record.key] = event.previous
        return held

    def _shrink(self) -> list[Event]:
        events, size = self._bounds
        dropped: list[Event] = []
        while self._events and (len(self._events) > events or self._size > size):
            dropped.append(self._leave())
        return dropped

    def _leave(self) -> Event:
        event = self._events.popleft()
        self._size -= event.record.size + _OVERHEAD
        self.compacted = event.revision
        return event
