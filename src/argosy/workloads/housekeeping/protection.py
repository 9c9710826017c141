"""Claims and volumes that were deleted while in use go when nothing uses them any more.

A claim is in use while a pod that has not ended mounts it; a volume while it is bound to a claim. Deleted ones are
few, so each is looked at again when a pod of its namespace changes, or when the volume itself does.
"""

from __future__ import annotations

import asyncio
from typing import Final

import msgspec

from argosy.apiserver.admission.protection import FINALIZERS
from argosy.apiserver.clusters import Cluster
from argosy.base.types import Object
from argosy.store import Key, Record, Selection
from argosy.workloads.housekeeping.editing import edit, without_finalizer
from argosy.workloads.housekeeping.following import attend, follow, is_leaving

CLAIMS: Final = "persistentvolumeclaims"
VOLUMES: Final = "persistentvolumes"
_ENDED: Final = frozenset({"Succeeded", "Failed"})


async def release_storage(cluster: Cluster) -> None:
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(_release_volumes(cluster), name="deleted volumes")
        claims = attend(cluster, CLAIMS, _is_held, lambda key: _release(cluster, key))
        tasks.create_task(claims, name="deleted claims")


async def _release_volumes(cluster: Cluster) -> None:
    async for events in follow(cluster, VOLUMES):
        for event in events:
            record = event.record
            if event.type != "DELETED" and _is_held(record):
                volume = msgspec.json.decode(record.raw)
                if (volume.get("status") or {}).get("phase") != "Bound":
                    await edit(cluster, record.key, without_finalizer(FINALIZERS[VOLUMES]))


async def _release(cluster: Cluster, key: Key) -> None:
    async for _ in follow(cluster, "pods", Selection(namespace=key.namespace)):
        if not _is_used(cluster, key):
            await edit(cluster, key, without_finalizer(FINALIZERS[CLAIMS]))
            return


def _is_held(record: Record) -> bool:
    return is_leaving(record) and b"-protection" in record.raw


def _is_used(cluster: Cluster, claim: Key) -> bool:
    for record in cluster.store.list("pods", Selection(namespace=claim.namespace)).records:
        if b'"persistentVolumeClaim"' not in record.raw and b'"ephemeral"' not in record.raw:
            continue
        pod = msgspec.json.decode(record.raw)
        if (pod.get("status") or {}).get("phase") in _ENDED:
            continue
        if claim.name in _claims(pod):
            return True
    return False


def _claims(pod: Object) -> set[str]:
    """The claims a pod uses, those of its ephemeral volumes included, which are named after both."""
    volumes = pod["spec"].get("volumes") or ()
    named = {
        v["persistentVolumeClaim"]["claimName"] for v in volumes if "persistentVolumeClaim" in v
    }
    own = {f"{pod['metadata']['name']}-{v['name']}" for v in volumes if "ephemeral" in v}
    return named | own
