"""What a cluster has before anybody has created anything: namespaces, priority classes, roles, the API's own service.

Runs at every start and only adds what is missing; what an admin has changed stays changed. Objects are written
through the verbs, so they look like everybody's.
"""

from __future__ import annotations

import asyncio
from typing import Final

from argosy.apiserver.access.bootstrap import role_objects
from argosy.apiserver.access.identities import APISERVER, APISERVER_AGENT
from argosy.apiserver.bodies import accept
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.verbs import creating
from argosy.base.errors import AlreadyExists
from argosy.base.types import Object

NAMESPACES: Final = ("default", "kube-system", "kube-public", "kube-node-lease")


async def bootstrap(cluster: Cluster) -> None:
    """Idempotent."""
    await _all(cluster, [("", "v1", "namespaces", _named(name)) for name in NAMESPACES])
    await _all(cluster, [
        *(("scheduling.k8s.io", "v1", "priorityclasses", obj) for obj in _priority_classes()),
        ("", "v1", "services", _kubernetes_service()),
        *(("rbac.authorization.k8s.io", "v1", plural, obj) for plural, obj in role_objects()),
    ])  # fmt: skip


async def _all(cluster: Cluster, wanted: list[tuple[str, str, str, Object]]) -> None:
    """All at once: they share a few fsyncs."""
    await asyncio.gather(*(ensure(cluster, *one) for one in wanted))


async def ensure(cluster: Cluster, group: str, version: str, plural: str, obj: Object) -> None:
    """Create an object unless one of its name is there."""
    kind = cluster.kind(group, plural)
    meta = obj["metadata"]
    call = Call(
        APISERVER,
        "create",
        kind,
        version,
        meta.get("namespace", ""),
        meta["name"],
        agent=APISERVER_AGENT,
    )
    if cluster.store.latest(call.key) is not None:
        return
    obj |= {"apiVersion": kind.api_version(version), "kind": kind.kind}
    try:
        await creating.create(cluster, call, accept(call, obj))
    except AlreadyExists:
        return


def _priority_classes() -> list[Object]:
    return [
        {
            **_named("system-cluster-critical"),
            "value": 2_000_000_000,
            "description": (
                "Used for system critical pods that must run in the cluster, "
                "but can be moved to another node if necessary."
            ),
        },
        {
            **_named("system-node-critical"),
            "value": 2_000_001_000,
            "description": "Used for system critical pods that must not be moved from their current node.",
        },
    ]


def _named(name: str) -> Object:
    return {"metadata": {"name": name}}


def _kubernetes_service() -> Object:
    return {
        "metadata": {
            "name": "kubernetes",
            "namespace": "default",
            "labels": {"component": "apiserver", "provider": "kubernetes"},
        },
        "spec": {
            "type": "ClusterIP",
            "clusterIP": "10.96.0.1",
            "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443}],
        },
    }
