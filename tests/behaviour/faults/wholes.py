"""A whole cluster in virtual time: everything `argosy serve` runs, on a store in memory.

`kill` ends all of it without a word, as kill -9 does; `start` begins anew on what the store holds. Whatever logs a
traceback fails the story.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path

from argosy.apiserver.access.identities import ADMIN
from argosy.apiserver.bootstrapping import bootstrap
from argosy.apiserver.servers import ClusterServer
from argosy.base.clock import VirtualClock
from argosy.base.ids import SeededIds
from argosy.base.loops import run_virtual
from argosy.base.types import Json, Object
from argosy.capacity import NODE_POOLS
from argosy.client.local import LocalClient
from argosy.client.resources import JOBS, NAMESPACES, NODES, PODS
from argosy.fleet.controllers import Workplace, assemble
from argosy.workloads.housekeeping import keep_house, prepare_house
from argosy.workloads.runtimes.answering import Answers
from tests.fakes.clusters import memory_server
from tests.fakes.worlds import World, _Failures

MACHINE: Object = {"cpu": "8", "memory": "32Gi", "pods": 110}
# Never written to: without processes there is nothing to keep.
NOWHERE = Path("/nonexistent")


class Whole(World):
    """What a story can do to a cluster where everything runs."""

    def __init__(self, server: ClusterServer, clock: VirtualClock) -> None:
        super().__init__(LocalClient(server, ADMIN, agent="kubectl"), clock)
        self._server = server
        self._clock = clock
        self._running: asyncio.Task[None] | None = None
        self._starts = 0

    async def start(self) -> None:
        self._starts += 1
        works = await assemble(
            self._server,
            Answers(),
            Workplace(NOWHERE, ("127.0.0.1", 6443)),
            clock=self._clock,
            ids=SeededIds(self._starts),
        )
        assembly = works.assembly

        async def everything() -> None:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(keep_house(self._server.cluster, ca="CERTIFICATE"))
                tasks.create_task(assembly.run())

        self._running = asyncio.create_task(everything())
        await assembly.started()

    async def kill(self) -> None:
        assert self._running is not None
        self._running.cancel()
        await asyncio.wait({self._running})

    async def pool(self, name: str = "pool", **spec: Json) -> Object:
        """A pool of simulated machines that are there at once."""
        body = {"metadata": {"name": name}, "spec": {"machine": MACHINE, "bootTime": "0s", **spec}}
        return await self.create(NODE_POOLS, body)

    async def job(self, name: str, *command: str, **spec: Json) -> Object:
        """A Job of one container that asks for a CPU; `annotations` go to its pods."""
        container = {
            "name": "main",
            "image": "x",
            "command": list(command),
            "resources": {"requests": {"cpu": spec.pop("cpu", "1")}},
        }
        template = {
            "metadata": {"annotations": spec.pop("annotations", {})},
            "spec": {"restartPolicy": "Never", "containers": [container]},
        }
        body = {"metadata": {"name": name}, "spec": {**spec, "template": template}}
        return await self.create(JOBS, body)

    async def edit_job(self, name: str, **spec: Json) -> None:
        await self.client.patch(JOBS, name, {"spec": spec}, namespace="ns")

    async def counts(self, name: str) -> tuple[int, int, int]:
        """How many pods of a Job are active, have succeeded and have failed, as its status says."""
        found = await self.get(JOBS, name)
        assert found is not None
        status = found.get("status") or {}
        active, succeeded, failed = (
            status.get(one, 0) for one in ("active", "succeeded", "failed")
        )
        return active, succeeded, failed

    async def conditions(self, name: str) -> list[str]:
        """The conditions of a Job that hold."""
        found = await self.get(JOBS, name)
        assert found is not None
        conditions = (found.get("status") or {}).get("conditions") or ()
        return [one["type"] for one in conditions if one["status"] == "True"]

    async def phases(self) -> dict[str, int]:
        return dict(Counter(pod["status"]["phase"] for pod in await self.list(PODS)))

    async def places(self) -> dict[str, int]:
        """How many pods are on each node; unscheduled ones under an empty name."""
        return dict(Counter(pod["spec"].get("nodeName", "") for pod in await self.list(PODS)))

    async def nodes(self) -> list[str]:
        return sorted(node["metadata"]["name"] for node in await self.list(NODES))

    async def pool_condition(self, type_: str, name: str = "pool") -> tuple[str, str, str]:
        found = await self.get(NODE_POOLS, name)
        assert found is not None
        (one,) = (c for c in found["status"]["conditions"] if c["type"] == type_)
        return one["status"], one["reason"], one["message"]


def whole(story: Callable[[Whole], Coroutine[None, None, None]]) -> None:
    """Let a story happen on a whole cluster with the namespace `ns`."""

    async def main() -> None:
        async with _cluster() as here:
            await story(here)

    run_virtual(main())


@asynccontextmanager
async def _cluster() -> AsyncIterator[Whole]:
    clock = VirtualClock()
    server = memory_server(clock)
    await bootstrap(server.cluster)
    await prepare_house(server.cluster, ca="CERTIFICATE")
    failures = _Failures()
    logging.getLogger("argosy").addHandler(failures)
    here = Whole(server, clock)
    try:
        await here.start()
        await here.client.create(NAMESPACES, {"metadata": {"name": "ns"}})
        await here.settle()
        yield here
    finally:
        await here.kill()
        logging.getLogger("argosy").removeHandler(failures)
    assert failures.seen == []
