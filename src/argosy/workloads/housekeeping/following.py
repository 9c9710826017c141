"""Following the store: everything that is there, then every change, for as long as it takes.

The first batch shows each present object as ADDED. A follower that was cut off (it was too slow, or the history
was compacted under it) starts over the same way, so followers must take an ADDED as "look at this", not as "this is
new".
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from functools import partial

from argosy.apiserver.clusters import Cluster
from argosy.control.persisting import until_done
from argosy.store import EVERYTHING, Bounds, Compacted, Event, Key, Record, Selection, TooSlow

# Housekeeping may fall behind a burst, but never holds more than this.
_BUFFER = Bounds(events=200_000, size=512 * 1024 * 1024)


async def follow(
    cluster: Cluster, resource: str | None, selection: Selection = EVERYTHING
) -> AsyncIterator[list[Event]]:
    """Batches of events of one resource, or of all (None)."""
    store = cluster.store
    while True:
        names = store.resources() if resource is None else [resource]
        present = [
            Event("ADDED", record, None)
            for name in names
            for record in store.list(name, selection).records
        ]
        try:
            watch = store.watch(resource, selection, since=store.revision, buffer=_BUFFER)
        except Compacted:
            continue
        try:
            # Even an empty beginning is told, for followers that act on absence.
            yield present
            while True:
                yield await watch.next()
        except TooSlow:
            continue
        finally:
            watch.close()


async def attend(
    cluster: Cluster,
    resource: str,
    is_due: Callable[[Record], bool],
    work: Callable[[Key], Coroutine[None, None, None]],
) -> None:
    """One task for every object that is due, until its work is done or the object is gone."""
    attended: dict[Key, asyncio.Task[None]] = {}
    async with asyncio.TaskGroup() as tasks:
        async for events in follow(cluster, resource):
            for event in events:
                key = event.record.key
                task = attended.get(key)
                if event.type == "DELETED":
                    if task is not None:
                        del attended[key]
                        task.cancel()
                elif (task is None or task.done()) and is_due(event.record):
                    named = f"{resource} {key.name}"
                    attended[key] = tasks.create_task(
                        until_done(f"housekeeping of {named}", partial(work, key), cluster.clock),
                        name=named,
                    )


def is_leaving(record: Record) -> bool:
    """Whether an object was deleted and waits for its finalizers."""
    return b'"deletionTimestamp"' in record.raw
