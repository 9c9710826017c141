"""Every namespace has its `default` service account and the certificate its pods trust (`kube-root-ca.crt`).

The namespaces a cluster cannot do without are made again when somebody deletes them.
"""

from __future__ import annotations

import asyncio
from typing import Final

from argosy.apiserver.bootstrapping import NAMESPACES, ensure
from argosy.apiserver.clusters import Cluster
from argosy.base.errors import Forbidden, NotFound
from argosy.base.selectors import fields
from argosy.base.types import Object
from argosy.store import Key, Selection
from argosy.workloads.housekeeping.following import follow

ROOT_CA: Final = "kube-root-ca.crt"


async def keep_accounts(cluster: Cluster, ca: str) -> None:
    """Make what is missing, and make it again when it is deleted."""
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(_follow_namespaces(cluster, ca), name="new namespaces")
        for resource, name in (("serviceaccounts", "default"), ("configmaps", ROOT_CA)):
            tasks.create_task(
                _follow_deleted(cluster, resource, name, ca), name=f"deleted {resource}"
            )


async def furnish(cluster: Cluster, ca: str) -> None:
    """Make what is missing in any namespace, once."""
    names = [key.name for key in cluster.store.keys("namespaces")]
    await asyncio.gather(*(_furnish(cluster, name, ca) for name in names))


async def _follow_namespaces(cluster: Cluster, ca: str) -> None:
    async for events in follow(cluster, "namespaces"):
        for event in events:
            name = event.record.key.name
            if event.type == "ADDED":
                await _furnish(cluster, name, ca)
            elif event.type == "DELETED" and name in NAMESPACES:
                await ensure(cluster, "", "v1", "namespaces", {"metadata": {"name": name}})


async def _follow_deleted(cluster: Cluster, resource: str, name: str, ca: str) -> None:
    named = Selection(fields=fields.parse(f"metadata.name={name}"))
    async for events in follow(cluster, resource, named):
        for event in events:
            if event.type == "DELETED":
                await _furnish(cluster, event.record.key.namespace, ca)


async def _furnish(cluster: Cluster, namespace: str, ca: str) -> None:
    record = cluster.store.get(Key("namespaces", "", namespace))
    if record is None or b'"deletionTimestamp"' in record.raw:
        return
    wanted: list[tuple[str, Object]] = [
        ("serviceaccounts", {"metadata": {"name": "default", "namespace": namespace}})
    ]
    if ca:
        wanted.append(("configmaps", {
            "metadata": {
                "name": ROOT_CA, "namespace": namespace,
                "annotations": {"kubernetes.io/description":
                    "Contains the CA certificate that pods of this namespace check the API server with."},
            },
            "data": {"ca.crt": ca},
        }))  # fmt: skip
    for plural, obj in wanted:
        try:
            await ensure(cluster, "", "v1", plural, obj)
        except (NotFound, Forbidden):
            # The namespace has ended meanwhile.
            return
