"""A cluster in memory whose Jobs are kept, in virtual time. Whoever tells the story is its kubelet."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from argosy.apiserver.access.identities import ADMIN
from argosy.apiserver.bootstrapping import bootstrap
from argosy.apiserver.servers import ClusterServer
from argosy.base.clock import VirtualClock
from argosy.base.ids import SeededIds
from argosy.base.loops import run_virtual
from argosy.base.types import Object
from argosy.client.local import LocalClient
from argosy.client.objects import decode
from argosy.client.protocol import Propagation
from argosy.client.resources import EVENTS, JOBS, NAMESPACES, PODS
from argosy.control.assemblies import Assembly
from argosy.workloads.housekeeping import keep_house
from argosy.workloads.jobs import add_jobs
from tests.fakes.clients import FaultyClient
from tests.fakes.clusters import memory_server

RUNNING = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}


class World:
    """One cluster. `controller` runs the Job controller; `settle` lets it finish what it can do now."""

    def __init__(self, server: ClusterServer) -> None:
        self.server = server
        self.client = LocalClient(server, ADMIN, agent="test", namespace="ns")
        self.faulty = FaultyClient(self.client)
        self._running: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start the controller, with an empty memory."""
        assembly = Assembly(self.faulty, clock=VirtualClock(), ids=SeededIds(2))
        add_jobs(assembly)
        self._running = asyncio.create_task(assembly.run())
        await assembly.started()

    async def stop(self) -> None:
        """End the controller wherever it is."""
        assert self._running is not None
        self._running.cancel()
        await asyncio.wait({self._running})

    async def settle(self, seconds: float = 5) -> None:
        await asyncio.sleep(seconds)

    # Jobs.

    async def create(self, name: str = "job", **spec: Any) -> Object:
        template = {
            "spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "x"}]}
        }
        body = {"metadata": {"name": name}, "spec": {"template": template, **spec}}
        made = decode(await self.client.create(JOBS, body, namespace="ns"))
        await self.settle()
        return made

    async def change(self, name: str = "job", **spec: Any) -> None:
        await self.client.patch(JOBS, name, {"spec": spec}, namespace="ns")
        await self.settle()

    async def job(self, name: str = "job") -> Object:
        return decode(await self.client.get(JOBS, name, namespace="ns"))

    async def status(self, name: str = "job") -> Object:
        """The status without times and without the empty list of uncounted pods."""
        status: Object = (await self.job(name)).get("status", {})
        for field in ("startTime", "completionTime"):
            status.pop(field, None)
        if status.get("uncountedTerminatedPods") == {}:
            del status["uncountedTerminatedPods"]
        conditions = status.pop("conditions", [])
        if conditions:
            status["conditions"] = [
                f"{each['type']}={each['status']} {each['reason']}: {each['message']}"
                for each in conditions
            ]
        return status

    async def events(self) -> list[str]:
        found = [decode(raw) for raw in (await self.client.list_all(EVENTS)).items]
        found.sort(key=lambda event: event["metadata"]["creationTimestamp"])
        return [f"{event['type']} {event['reason']}: {event['message']}" for event in found]

    async def delete_job(
        self, name: str = "job", how: Propagation = Propagation.BACKGROUND
    ) -> None:
        await self.client.delete(JOBS, name, namespace="ns", propagation=how)
        await self.settle()

    # Pods.

    async def pods(self) -> list[Object]:
        return [decode(raw) for raw in (await self.client.list_all(PODS)).items]

    async def names(self, phase: str = "") -> list[str]:
        return [
            pod["metadata"]["name"]
            for pod in await self.pods()
            if not phase or pod["status"].get("phase") == phase
        ]

    async def report(self, pod: str, status: Object) -> None:
        await self.client.patch(PODS, pod, {"status": status}, namespace="ns", subresource="status")

    async def run_all(self) -> None:
        for name in await self.names("Pending"):
            await self.report(name, RUNNING)
        await self.settle()

    async def succeed(self, *pods: str) -> None:
        for pod in pods:
            await self.report(pod, {"phase": "Succeeded", "conditions": []})
        await self.settle()

    async def fail(self, *pods: str, code: int = 1, **status: Any) -> None:
        for pod in pods:
            await self.report(pod, failure(code) | status)
        await self.settle()

    async def finalizers(self) -> dict[str, list[str]]:
        return {
            pod["metadata"]["name"]: pod["metadata"].get("finalizers", [])
            for pod in await self.pods()
        }


def failure(code: int) -> Object:
    terminated = {"exitCode": code, "reason": "Error"}
    status = {"name": "main", "image": "x", "imageID": "", "ready": False, "restartCount": 0}
    return {
        "phase": "Failed",
        "containerStatuses": [status | {"state": {"terminated": terminated}}],
    }


def living(story: Callable[[World], Awaitable[None]], *, starts: bool = True) -> None:
    """Tell a story in a fresh cluster with the namespace `ns`."""

    async def tell() -> None:
        server = memory_server(tokens={"t": ADMIN})
        await bootstrap(server.cluster)
        chores = asyncio.create_task(keep_house(server.cluster, ca="CERTIFICATE"))
        world = World(server)
        await world.client.create(NAMESPACES, {"metadata": {"name": "ns"}})
        await world.settle()
        if starts:
            await world.start()
        await story(world)
        if world._running is not None:
            await world.stop()
        chores.cancel()

    run_virtual(tell())
