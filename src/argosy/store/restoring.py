"""From the log back to the state: one pass over the rows, in the order of revisions.

What every key holds last is the present; the rows after the log's `compacted` are the history, each with the
row it replaced, so a watch can resume as if nothing had happened; what neither needs is garbage that the
process before did not get to sweep.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from sys import intern
from typing import NamedTuple

import msgspec

from argosy.store.describing import Describe, Sharing
from argosy.store.histories import History
from argosy.store.logs import Log
from argosy.store.packing import Packing
from argosy.store.records import Event, Key, Meta, Record


class Restored(NamedTuple):
    """What readers see, the last revision, and rows to sweep."""

    objects: dict[str, dict[Key, Record]]
    revision: int
    garbage: list[int]


def restore(
    log: Log, describe: Describe, sharing: Sharing, packing: Packing, history: History
) -> Restored:
    """Read the log; fills `history`."""
    objects: dict[str, dict[Key, Record]] = {}
    garbage: list[int] = []
    compacted = revision = history.compacted = log.compacted()
    with _collector_paused():
        for revision, resource, namespace, name, deleted, raw in log.rows():
            resource = intern(resource)
            held = objects.get(resource)
            if held is None:
                held = objects[resource] = {}
            key = Key(resource, intern(namespace), name)
            previous = held.get(key)
            if deleted:
                event = _deletion(key, revision, raw, previous)
                if previous is not None:
                    del held[key]
                elif revision > compacted:
                    raise log.damaged(f"revision {revision} deletes what is not there")
            else:
                meta = sharing.meta(_described(log, describe, revision, resource, raw))
                kept = key if previous is None else previous.key
                record = Record(kept, revision, packing.pack(raw), meta)
                held[key] = record
                event = Event("ADDED" if previous is None else "MODIFIED", record, previous)
            if revision > compacted:
                for dropped in history.append(event):
                    garbage += superseded(dropped)
            else:
                garbage += superseded(event)
    present = {resource: held for resource, held in objects.items() if held}
    return Restored(present, max(revision, compacted), garbage)


def superseded(event: Event) -> list[int]:
    """The rows that nobody needs once an event has left the history."""
    rows = [] if event.previous is None else [event.previous.revision]
    if event.type == "DELETED":
        rows.append(event.record.revision)
    return rows


def _deletion(key: Key, revision: int, raw: bytes, previous: Record | None) -> Event:
    meta = Meta() if previous is None else previous.meta
    return Event("DELETED", Record(key, revision, raw, meta), previous)


def _described(log: Log, describe: Describe, revision: int, resource: str, raw: bytes) -> Meta:
    try:
        return describe(resource, raw)
    except (msgspec.MsgspecError, ValueError) as error:
        raise log.damaged(f"revision {revision} of {resource} cannot be read: {error}") from error


@contextmanager
def _collector_paused() -> Iterator[None]:
    """A million new objects and no garbage among them: looking for cycles meanwhile takes half of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
