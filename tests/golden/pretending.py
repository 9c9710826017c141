"""Two members that nothing applies on: they joined, are healthy and tell what they have, and that is all.

`fake-000` is in region r0 and has 10 of 64 CPUs and 40Gi of 256Gi free, `fake-001` in region r1 with 17 CPUs and 68Gi
free. Their agents are played here: heartbeats while they stay. When they are told to leave nobody answers for them, as
in the golden runs, so for the cases that follow they are members that are leaving.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from argosy.api.objects.fleet import names
from argosy.base.errors import NotFound
from argosy.base.timestamps import format_time
from argosy.base.types import Object
from argosy.client import kubeconfig
from argosy.client.objects import decode
from argosy.client.remote import RemoteClient
from argosy.client.resources import INTERNAL_MEMBER_CLUSTERS, MEMBER_CLUSTERS
from argosy.fleet.shapes import MemberShape

_FAKES: Final = {
    "fake-000": ("r0", {"cpu": "10", "memory": "40Gi"}),
    "fake-001": ("r1", {"cpu": "17", "memory": "68Gi"}),
}
_TOTAL: Final = {"cpu": "64", "memory": "256Gi"}
_BEAT_SECONDS: Final = 5.0


@asynccontextmanager
async def pretending(config: Path) -> AsyncIterator[None]:
    """The hub has both of them until left."""
    async with RemoteClient(kubeconfig.load(config, context="hub")) as client:
        for name, (region, _) in _FAKES.items():
            shape = MemberShape(name, labels={"region": region, "fake": "true"})
            await client.create(MEMBER_CLUSTERS, shape.member_cluster(f"{name}-agent"))
        beating = asyncio.create_task(_beat(client))
        try:
            yield
        finally:
            beating.cancel()
            await _leave(client)


async def _beat(client: RemoteClient) -> None:
    while True:
        for name, (_, free) in _FAKES.items():
            await _report(client, name, free)
        await asyncio.sleep(0.2 if not await _all_joined(client) else _BEAT_SECONDS)


async def _all_joined(client: RemoteClient) -> bool:
    for name in _FAKES:
        status = decode(await client.get(MEMBER_CLUSTERS, name)).get("status", {})
        if not any(c["type"] == "Joined" for c in status.get("conditions", ())):
            return False
    return True


async def _leave(client: RemoteClient) -> None:
    for name in _FAKES:
        await client.delete(MEMBER_CLUSTERS, name)


async def _report(client: RemoteClient, name: str, free: Object) -> None:
    namespace = names.member_namespace(name)
    try:
        found = decode(await client.get(INTERNAL_MEMBER_CLUSTERS, name, namespace=namespace))
        await client.patch(
            INTERNAL_MEMBER_CLUSTERS,
            name,
            {"status": _status(found, free)},
            namespace=namespace,
            subresource="status",
        )
    except NotFound:
        return


def _status(found: Object, free: Object) -> Object:
    now = format_time(datetime.now(UTC))
    generation = found["metadata"]["generation"]
    before = found.get("status", {}).get("agentStatus") or [{}]
    since = {c["type"]: c["lastTransitionTime"] for c in before[0].get("conditions", ())}

    def condition(type_: str) -> Object:
        return {
            "type": type_,
            "status": "True",
            "reason": f"InternalMemberCluster{type_}",
            "message": "",
            "observedGeneration": generation,
            "lastTransitionTime": since.get(type_, now),
        }

    return {
        "conditions": [],
        "resourceUsage": {
            "capacity": _TOTAL,
            "allocatable": _TOTAL,
            "available": free,
            "observationTime": now,
        },
        "agentStatus": [
            {
                "type": names.MEMBER_AGENT,
                "lastReceivedHeartbeat": now,
                "conditions": [condition("Joined"), condition("Healthy")],
            }
        ],
    }
