"""The recount of quotas: what deleted and ended objects used is given back.

Namespaces without a quota cost nothing. A namespace with one is counted again after something in it has changed, at
most ten times a second, and only at a moment when no write is on its way to disk, because such a write may be charged
already and not be seen yet.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Final

from argosy.apiserver.admission import quotas
from argosy.apiserver.clusters import Cluster
from argosy.base.types import Object
from argosy.store import Key, Selection
from argosy.workloads.housekeeping.editing import edit
from argosy.workloads.housekeeping.following import follow

PAUSE_SECONDS: Final = 0.1


async def count_quotas(cluster: Cluster) -> None:
    """One task per namespace that has a quota."""
    counting: dict[str, asyncio.Task[None]] = {}
    async with asyncio.TaskGroup() as tasks:
        async for events in follow(cluster, "resourcequotas"):
            for event in events:
                namespace = event.record.key.namespace
                task = counting.get(namespace)
                if event.type != "DELETED" and (task is None or task.done()):
                    counting[namespace] = tasks.create_task(
                        _recount(cluster, namespace), name=f"quota of {namespace}"
                    )


async def _recount(cluster: Cluster, namespace: str) -> None:
    """Until the namespace has no quota any more."""
    async for _ in follow(cluster, None, Selection(namespace=namespace)):
        while cluster.store.next_revision() != cluster.store.revision + 1:
            await cluster.clock.sleep(PAUSE_SECONDS / 10)
        found = quotas.in_namespace(cluster, namespace)
        if not found:
            return
        for record, quota in found:
            used = {name: str(amount) for name, amount in quotas.count(cluster, quota).items()}
            await edit(cluster, Key(*record.key), partial(_set, used), subresource="status")
        await cluster.clock.sleep(PAUSE_SECONDS)


def _set(used: dict[str, str], quota: Object) -> bool:
    wanted = {"hard": quota["spec"].get("hard") or {}, "used": used}
    if (quota.get("status") or {}) == wanted:
        return False
    quota["status"] = wanted
    return True
