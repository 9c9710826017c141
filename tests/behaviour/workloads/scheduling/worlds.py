"""A cluster in memory and virtual time with nothing in it but the scheduler."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from argosy.base.clock import VirtualClock
from argosy.base.errors import NotFound
from argosy.base.ids import SeededIds
from argosy.base.loops import run_virtual
from argosy.base.types import Object
from argosy.client.local import LocalClient
from argosy.client.objects import decode
from argosy.client.protocol import Client, PatchType
from argosy.client.resources import EVENTS, NODES, PODS, PRIORITY_CLASSES
from argosy.control.assemblies import Assembly
from argosy.workloads.scheduling import Scheduler, add_scheduler
from tests.fakes.clusters import memory_client

HAS = {"cpu": "4", "memory": "8Gi", "pods": "10"}


class World:
    """Shorthands for what a user and a kubelet do."""

    def __init__(self, client: LocalClient, scheduler: Scheduler) -> None:
        self.client = client
        self.scheduler = scheduler

    async def node(
        self,
        name: str,
        *,
        taints: list[Object] | None = None,
        labels: dict[str, str] | None = None,
        **has: str,
    ) -> None:
        gives = {**HAS, **{key.replace("_", "-"): value for key, value in has.items()}}
        body = {
            "metadata": {
                "name": name,
                "labels": {"kubernetes.io/hostname": name, **(labels or {})},
            },
            "spec": {"taints": taints or []},
            "status": {"capacity": gives, "allocatable": gives},
        }
        await self.client.create(NODES, body)
        # New nodes are tainted as not ready until the node controller has seen them; here there is none.
        await self.client.patch(NODES, name, {"spec": {"taints": taints or None}})

    async def pod(
        self, name: str, *, cpu: str = "1", labels: dict[str, str] | None = None, **spec: object
    ) -> None:
        container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
        body = {
            "metadata": {"name": name, "labels": labels or {}},
            "spec": {"containers": [container], **spec},
        }
        await self.client.create(PODS, body, namespace="ns")

    async def priority(self, name: str, value: int, policy: str = "PreemptLowerPriority") -> None:
        body = {"metadata": {"name": name}, "value": value, "preemptionPolicy": policy}
        await self.client.create(PRIORITY_CLASSES, body)

    async def read(self, name: str) -> Object:
        return decode(await self.client.get(PODS, name, namespace="ns"))

    async def status(self, name: str, status: Object) -> None:
        await self.client.patch(
            PODS,
            name,
            {"status": status},
            kind=PatchType.STRATEGIC,
            namespace="ns",
            subresource="status",
        )

    async def delete(self, name: str) -> None:
        await self.client.delete(PODS, name, namespace="ns", grace_seconds=0)

    async def where(self, name: str) -> str:
        """The node of a pod, or why it has none."""
        try:
            pod = await self.read(name)
        except NotFound:
            return "(gone)"
        for condition in pod["status"].get("conditions") or ():
            if condition["type"] == "PodScheduled" and condition["status"] == "False":
                return f"{condition['reason']}: {condition['message']}"
        return str(pod["spec"].get("nodeName", ""))

    async def events(self, name: str) -> list[Object]:
        items = (await self.client.list_all(EVENTS, namespace="ns")).items
        found = [decode(raw) for raw in items]
        mine = [event for event in found if event["involvedObject"]["name"] == name]
        return sorted(mine, key=lambda event: event["metadata"]["resourceVersion"].zfill(9))

    async def settle(self, seconds: float = 0.2) -> None:
        await asyncio.sleep(seconds)


@asynccontextmanager
async def running(wrap: Callable[[LocalClient], Client] | None = None) -> AsyncIterator[World]:
    client = await memory_client()
    seen = wrap(client) if wrap is not None else client
    assembly = Assembly(seen, clock=VirtualClock(), ids=SeededIds(2))
    scheduler = add_scheduler(assembly)
    task = asyncio.create_task(assembly.run())
    await assembly.started()
    try:
        yield World(client, scheduler)
    finally:
        task.cancel()
        await asyncio.wait({task})


def in_world(
    story: Callable[[World], Awaitable[None]], wrap: Callable[[LocalClient], Client] | None = None
) -> None:
    """Play a story in virtual time."""

    async def main() -> None:
        async with running(wrap) as world:
            await story(world)

    run_virtual(main())
