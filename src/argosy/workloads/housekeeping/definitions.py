"""The end of a custom kind: its objects are deleted with it, and it goes when the last of them has gone."""

from __future__ import annotations

import asyncio
from typing import Final

from argosy.apiserver import encoding
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.customs import FINALIZER, RESOURCE
from argosy.base.types import Object
from argosy.store import Key
from argosy.workloads.housekeeping.editing import delete, edit, without_finalizer
from argosy.workloads.housekeeping.following import follow

_CONCURRENT: Final = 256


async def end_definitions(cluster: Cluster) -> None:
    """One task per CRD that is ending."""
    ending: dict[Key, asyncio.Task[None]] = {}
    async with asyncio.TaskGroup() as tasks:
        async for events in follow(cluster, RESOURCE):
            for event in events:
                key = event.record.key
                task = ending.get(key)
                if event.type == "DELETED":
                    if task is not None:
                        del ending[key]
                        task.cancel()
                elif (task is None or task.done()) and b'"deletionTimestamp"' in event.record.raw:
                    ending[key] = tasks.create_task(_end(cluster, key), name=f"end of {key.name}")


async def _end(cluster: Cluster, key: Key) -> None:
    kind = cluster.kind("apiextensions.k8s.io", "customresourcedefinitions")
    record = cluster.store.get(key)
    if record is None:
        return
    crd = encoding.from_bytes(kind, record.raw)
    if FINALIZER not in (crd["metadata"].get("finalizers") or ()):
        return
    await edit(cluster, key, lambda obj: _mark(cluster, obj), subresource="status")
    resource = f"{crd['spec']['names']['plural']}.{crd['spec']['group']}"
    async for _ in follow(cluster, resource):
        objects = cluster.store.list(resource).records
        if not objects:
            await edit(cluster, key, without_finalizer(FINALIZER))
            return
        fresh = [o for o in objects if b'"deletionTimestamp"' not in o.raw]
        for start in range(0, len(fresh), _CONCURRENT):
            batch = fresh[start : start + _CONCURRENT]
            await asyncio.gather(*(delete(cluster, o.key, uid=o.meta.uid) for o in batch))


def _mark(cluster: Cluster, crd: Object) -> bool:
    conditions = crd.setdefault("status", {}).setdefault("conditions", [])
    if any(c["type"] == "Terminating" for c in conditions):
        return False
    conditions.append({
        "type": "Terminating", "status": "True", "lastTransitionTime": cluster.now(),
        "reason": "InstanceDeletionInProgress", "message": "CustomResource deletion is in progress",
    })  # fmt: skip
    return True
