"""Events live for an hour after they were last written, as in Kubernetes, and a cluster keeps a bounded number of them.

The order in which they were written is the order in which they end, so a queue of (when, which, revision) is
enough: whoever was written again since is found further back.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

import msgspec

from argosy.apiserver.clusters import Cluster
from argosy.base.timestamps import parse_time
from argosy.store import Key, Record
from argosy.workloads.housekeeping.editing import delete
from argosy.workloads.housekeeping.following import follow

TTL_SECONDS: Final = 3600.0
# A flood of events must not fill the store: beyond this many the oldest go before their hour is over.
MOST: Final = 50_000
# How often the queue is looked at; an event may live this much longer.
SWEEP_SECONDS: Final = 30.0
_CONCURRENT: Final = 256


async def expire_events(cluster: Cluster) -> None:
    written: deque[tuple[float, Key, int]] = deque()
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(_note(cluster, written), name="written events")
        tasks.create_task(_sweep(cluster, written), name="event sweep")


async def _note(cluster: Cluster, written: deque[tuple[float, Key, int]]) -> None:
    began = cluster.store.revision
    async for events in follow(cluster, "events"):
        now = cluster.clock.time()
        present = [e for e in events if e.type != "DELETED"]
        # What is there when following begins was written some time ago; everything else has been written just now.
        notes = [
            (
                min(now, _time_of(e.record, now)) if e.record.revision <= began else now,
                e.record.key,
                e.record.revision,
            )
            for e in present
        ]
        written.extend(sorted(notes, key=lambda note: note[0]))


async def _sweep(cluster: Cluster, written: deque[tuple[float, Key, int]]) -> None:
    while True:
        await cluster.clock.sleep(SWEEP_SECONDS)
        oldest = cluster.clock.time() - TTL_SECONDS
        ended: list[Record] = []
        surplus = cluster.store.count("events") - MOST
        while written and (written[0][0] <= oldest or len(ended) < surplus):
            _, key, revision = written.popleft()
            record = cluster.store.get(key)
            if record is not None and record.revision == revision:
                ended.append(record)
        for start in range(0, len(ended), _CONCURRENT):
            batch = ended[start : start + _CONCURRENT]
            await asyncio.gather(*(delete(cluster, r.key, uid=r.meta.uid) for r in batch))


def _time_of(record: Record, now: float) -> float:
    """When an event was last written, as far as the server's own marks tell (after a restart)."""
    meta = msgspec.json.decode(record.raw)["metadata"]
    texts = [
        meta.get("creationTimestamp"),
        *(e.get("time") for e in meta.get("managedFields") or ()),
    ]
    return max((parse_time(text).timestamp() for text in texts if text), default=now)
