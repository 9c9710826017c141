"""Clusters with node pools, in virtual time."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager

from argosy.apiserver.access.identities import ADMIN
from argosy.base.clock import VirtualClock
from argosy.base.ids import SeededIds
from argosy.base.loops import run_virtual
from argosy.base.types import Object
from argosy.capacity import NODE_POOLS, PROVISIONING_REQUESTS, add_capacity, definitions
from argosy.client.local import LocalClient
from argosy.client.resources import CUSTOM_RESOURCE_DEFINITIONS, NAMESPACES, NODES, PODS
from argosy.control.assemblies import Assembly
from argosy.workloads.scheduling import add_scheduler
from tests.fakes.clusters import memory_server
from tests.fakes.worlds import Add, World, _Failures

__all__ = ["NODE_POOLS", "PROVISIONING_REQUESTS", "Pooled", "capacity", "pooled"]

CPU8: Object = {"cpu": "8", "memory": "32Gi"}


class Pooled(World):
    """A world with pools. `restart` ends the controllers and starts new ones on the same store."""

    def __init__(self, client: LocalClient, clock: VirtualClock, adds: tuple[Add, ...]) -> None:
        super().__init__(client, clock)
        self._adds = adds
        self._task: asyncio.Task[None] | None = None
        self._starts = 0

    async def start(self) -> None:
        self._starts += 1
        assembly = Assembly(
            self.client, clock=self.clock, ids=SeededIds(self._starts), source=random.Random(3)
        )
        for add in self._adds:
            add(assembly)
        self._task = asyncio.create_task(assembly.run())
        await assembly.started()

    async def kill(self) -> None:
        assert self._task is not None
        self._task.cancel()
        await asyncio.wait({self._task})

    async def pool(self, name: str = "pool", **spec: object) -> Object:
        body = {"metadata": {"name": name}, "spec": {"machine": CPU8, "bootTime": "0s", **spec}}
        return await self.create(NODE_POOLS, body)

    async def edit(self, name: str, **spec: object) -> None:
        await self.client.patch(NODE_POOLS, name, {"spec": spec})

    async def status_of(self, name: str = "pool") -> Object:
        found = await self.get(NODE_POOLS, name)
        assert found is not None
        return found.get("status") or {}

    async def nodes(self) -> list[str]:
        return sorted(node["metadata"]["name"] for node in await self.list(NODES))

    async def pods(self, count: int, cpu: str = "4", prefix: str = "pod", **spec: object) -> None:
        for number in range(count):
            requests = {"resources": {"requests": {"cpu": cpu, "memory": "1Gi"}}}
            await self.pod(f"{prefix}-{number}", container=requests, **spec)

    async def finish(self, *names: str) -> None:
        """Have pods end well, as a kubelet reports it."""
        for name in names:
            await self.status(PODS, name, {"phase": "Succeeded"})

    async def condition(self, type_: str, name: str = "pool") -> tuple[str, str, str]:
        conditions = (await self.status_of(name)).get("conditions") or ()
        found = next(one for one in conditions if one["type"] == type_)
        return found["status"], found["reason"], found["message"]


def capacity(assembly: Assembly) -> None:
    add_capacity(assembly)


def pooled(
    story: Callable[[Pooled], Coroutine[None, None, None]],
    *adds: Add,
    with_capacity: Add = capacity,
) -> None:
    """Let a story happen on a cluster with the scheduler, the autoscaler and whoever else."""

    async def main() -> None:
        async with _world((add_scheduler, with_capacity, *adds)) as here:
            await story(here)

    run_virtual(main())


@asynccontextmanager
async def _world(adds: tuple[Add, ...]) -> AsyncIterator[Pooled]:
    clock = VirtualClock()
    client = LocalClient(memory_server(clock), ADMIN, agent="kube-controller-manager")
    for name in ("ns", "default", "kube-system", "kube-node-lease"):
        await client.create(NAMESPACES, {"metadata": {"name": name}})
    for definition in definitions():
        await client.apply(
            CUSTOM_RESOURCE_DEFINITIONS,
            definition["metadata"]["name"],
            definition,
            field_manager="argosy",
        )
    failures = _Failures()
    logging.getLogger("argosy").addHandler(failures)
    here = Pooled(client, clock, adds)
    try:
        await here.start()
        yield here
    finally:
        await here.kill()
        logging.getLogger("argosy").removeHandler(failures)
    assert failures.seen == []
