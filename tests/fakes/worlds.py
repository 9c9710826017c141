"""A cluster in memory with chosen controllers on it, in virtual time.

`running(story, add...)` starts the controllers, lets the story happen and fails if anybody logged a traceback.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager

from argosy.apiserver.access.identities import ADMIN
from argosy.base.clock import VirtualClock
from argosy.base.errors import NotFound
from argosy.base.ids import SeededIds
from argosy.base.loops import run_virtual
from argosy.base.timestamps import format_time
from argosy.base.types import Object
from argosy.client.local import LocalClient
from argosy.client.objects import decode
from argosy.client.protocol import Client, PatchType
from argosy.client.resources import (
    CUSTOM_RESOURCE_DEFINITIONS,
    EVENTS,
    LEASES,
    NAMESPACES,
    NODES,
    PODS,
    Resource,
)
from argosy.control.assemblies import Assembly
from tests.fakes.clusters import memory_server

Add = Callable[[Assembly], object]


class World:
    """What a story can do and see."""

    def __init__(self, client: LocalClient, clock: VirtualClock) -> None:
        self.client = client
        self.clock = clock

    async def pass_time(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def settle(self) -> None:
        """Let everything happen that happens at once."""
        await asyncio.sleep(0.01)

    async def get(self, resource: Resource, name: str, namespace: str = "ns") -> Object | None:
        try:
            return decode(await self.client.get(resource, name, namespace=namespace))
        except NotFound:
            return None

    async def list(self, resource: Resource, selector: str = "") -> list[Object]:
        found = await self.client.list(resource, label_selector=selector)
        return [decode(raw) for raw in found.items]

    async def create(self, resource: Resource, obj: Object, namespace: str = "ns") -> Object:
        return decode(await self.client.create(resource, obj, namespace=namespace))

    async def status(self, resource: Resource, name: str, status: Object) -> Object:
        """Patch a status as its owner would."""
        raw = await self.client.patch(
            resource,
            name,
            {"status": status},
            kind=PatchType.STRATEGIC if resource.group != "custom" else PatchType.MERGE,
            namespace="ns",
            subresource="status",
        )
        return decode(raw)

    async def events(self, about: str = "") -> list[tuple[str, str, str]]:
        """(type, reason, message) in the order they were first seen."""
        found = sorted(
            (decode(raw) for raw in (await self.client.list(EVENTS)).items),
            key=lambda event: int(event["metadata"]["resourceVersion"]),
        )
        return [
            (event["type"], event["reason"], event["message"])
            for event in found
            if not about or event["involvedObject"]["name"] == about
        ]

    async def node(
        self, name: str, *, cpu: str = "8", labels: dict[str, str] | None = None, **more: Object
    ) -> Object:
        """A ready node, as a kubelet registers it."""
        amounts = {"cpu": cpu, "memory": "32Gi", "pods": "110"}
        ready = {
            "type": "Ready",
            "status": "True",
            "reason": "KubeletReady",
            "message": "kubelet is posting ready status",
            "lastHeartbeatTime": format_time(self.clock.time()),
            "lastTransitionTime": format_time(self.clock.time()),
        }
        meta = {
            "name": name,
            "labels": {"kubernetes.io/hostname": name, **(labels or {})},
            "annotations": more.pop("annotations", {}),
        }
        status = {
            "capacity": amounts,
            "allocatable": amounts,
            "conditions": [ready],
            "addresses": [{"type": "InternalIP", "address": "10.0.0.1"}],
        }
        return await self.create(NODES, {"metadata": meta, "status": status, **more})

    async def heartbeat(self, name: str) -> None:
        """Renew a node's lease."""
        renew = {"renewTime": format_time(self.clock.time())[:-1] + ".000000Z"}
        try:
            await self.client.patch(LEASES, name, {"spec": renew}, namespace="kube-node-lease")
        except NotFound:
            body = {"metadata": {"name": name}, "spec": {"holderIdentity": name, **renew}}
            await self.client.create(LEASES, body, namespace="kube-node-lease")

    async def pod(self, name: str, *, node: str = "", **spec: Object) -> Object:
        """A pod with one container, bound where a node is named."""
        container = {"name": "main", "image": "busybox", **spec.pop("container", {})}
        body: Object = {
            "metadata": {"name": name, **spec.pop("metadata", {})},
            "spec": {"containers": [container], **spec},
        }
        if node:
            body["spec"]["nodeName"] = node
        return await self.create(PODS, body)


def running(
    story: Callable[[World], Coroutine[None, None, None]],
    *adds: Add,
    namespaces: tuple[str, ...] = ("ns", "default", "kube-system", "kube-node-lease"),
    definitions: Iterable[Object] = (),
    through: Callable[[Client], Client] | None = None,
) -> None:
    """Let a story happen on a cluster where these controllers run, with these custom resources. `through` puts something
    between the controllers and the cluster.
    """

    async def main() -> None:
        async with world(
            *adds, namespaces=namespaces, definitions=definitions, through=through
        ) as here:
            await story(here)

    run_virtual(main())


@asynccontextmanager
async def world(
    *adds: Add,
    namespaces: tuple[str, ...],
    definitions: Iterable[Object] = (),
    through: Callable[[Client], Client] | None = None,
) -> AsyncIterator[World]:
    clock = VirtualClock()
    server = memory_server(clock)
    client = LocalClient(server, ADMIN, agent="kube-controller-manager")
    for name in namespaces:
        await client.create(NAMESPACES, {"metadata": {"name": name}})
    for definition in definitions:
        await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition)
    failures = _Failures()
    logging.getLogger("argosy").addHandler(failures)
    used: Client = client if through is None else through(client)
    assembly = Assembly(used, clock=clock, ids=SeededIds(2), source=random.Random(3))
    for add in adds:
        add(assembly)
    task = asyncio.create_task(assembly.run())
    try:
        await assembly.started()
        yield World(client, clock)
    finally:
        task.cancel()
        await asyncio.wait({task})
        logging.getLogger("argosy").removeHandler(failures)
    assert failures.seen == []


class _Failures(logging.Handler):
    """Tracebacks in the log are failures."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info:
            self.seen.append(f"{record.getMessage()}: {record.exc_info[1]!r}")
