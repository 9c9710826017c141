"""The end of a custom kind: its objects are deleted with it, and it goes when the last of them has gone.

Whoever was refused a name that has become free gets it then: its CRD is judged anew.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from argosy.api.crds import CLEANUP, set_terminating
from argosy.apiserver import encoding
from argosy.apiserver.access.identities import APISERVER_AGENT
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.customs import RESOURCE, judged
from argosy.base.types import Object
from argosy.store import Key
from argosy.workloads.housekeeping.editing import delete, edit, without_finalizer
from argosy.workloads.housekeeping.following import follow

_CONCURRENT: Final = 256
# How the stored bytes of a CRD look whose names were not accepted: keys are sorted and nothing comes between these.
_REFUSED: Final = b'"status":"False","type":"NamesAccepted"'


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
                    await _grant_freed_names(cluster)
                elif (task is None or task.done()) and b'"deletionTimestamp"' in event.record.raw:
                    ending[key] = tasks.create_task(_end(cluster, key), name=f"end of {key.name}")


async def _end(cluster: Cluster, key: Key) -> None:
    kind = cluster.kind("apiextensions.k8s.io", "customresourcedefinitions")
    record = cluster.store.get(key)
    if record is None:
        return
    crd = encoding.from_bytes(kind, record.raw)
    if CLEANUP not in (crd["metadata"].get("finalizers") or ()):
        return
    await _write(cluster, key, lambda obj: _mark(cluster, obj))
    resource = f"{crd['spec']['names']['plural']}.{crd['spec']['group']}"
    async for _ in follow(cluster, resource):
        objects = cluster.store.list(resource).records
        if not objects:
            await edit(cluster, key, without_finalizer(CLEANUP), agent=APISERVER_AGENT)
            return
        fresh = [o for o in objects if b'"deletionTimestamp"' not in o.raw]
        for start in range(0, len(fresh), _CONCURRENT):
            batch = fresh[start : start + _CONCURRENT]
            await asyncio.gather(*(delete(cluster, o.key, uid=o.meta.uid) for o in batch))


async def _grant_freed_names(cluster: Cluster) -> None:
    """CRDs are few and conflicts rare: every refused one is judged again."""
    for record in cluster.store.list(RESOURCE).records:
        if _REFUSED in record.raw:
            await _write(cluster, record.key, lambda crd: _judge(cluster, crd))


async def _write(cluster: Cluster, key: Key, change: Callable[[Object], bool]) -> None:
    await edit(cluster, key, change, subresource="status", agent=APISERVER_AGENT)


def _judge(cluster: Cluster, crd: Object) -> bool:
    status = judged(cluster, crd)
    if crd["metadata"].get("deletionTimestamp") or status == crd.get("status"):
        return False
    crd["status"] = status
    return True


def _mark(cluster: Cluster, crd: Object) -> bool:
    set_terminating(
        crd,
        cluster.now(),
        "InstanceDeletionInProgress",
        "CustomResource deletion is in progress",
    )
    return True
