"""A hub that keeps house and knows who belongs to its fleet, and clusters that join it, in virtual time.

Every cluster is a real server in memory. Agents reach the hub as the identity their MemberCluster names, so they may
only do what it was granted.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path

from argosy.apiserver.access.identities import ADMIN, User
from argosy.apiserver.bootstrapping import bootstrap
from argosy.apiserver.servers import ClusterServer
from argosy.base.clock import VirtualClock
from argosy.base.errors import NotFound
from argosy.base.ids import SeededIds
from argosy.base.loops import run_virtual
from argosy.base.types import Object
from argosy.client.local import LocalClient
from argosy.client.objects import decode
from argosy.client.protocol import Client
from argosy.client.resources import (
    EVENTS,
    INTERNAL_MEMBER_CLUSTERS,
    MEMBER_CLUSTERS,
    NAMESPACES,
    NODES,
    PODS,
    WORKS,
    Resource,
)
from argosy.control.assemblies import Assembly
from argosy.member.joining import Joining, add_joining
from argosy.placement.membership import Membership
from argosy.placement.views import Views
from argosy.workloads.housekeeping import keep_house
from tests.fakes.clients import FaultyClient
from tests.fakes.clusters import memory_server
from tests.fakes.fleets import GROUPS, install_fleet_kinds

MINUTE = 60.0


class Fleet:
    """What a story can do and see."""

    def __init__(self, server: ClusterServer, clock: VirtualClock) -> None:
        self.server = server
        self.clock = clock
        self.hub = LocalClient(server, ADMIN, agent="test")
        self.tasks: set[asyncio.Task[None]] = set()
        self.failures = Failures()

    async def pass_time(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def settle(self) -> None:
        await asyncio.sleep(0.05)

    async def member(self, name: str, period: int = 15, **spec: Object) -> Object:
        """A MemberCluster as users make one."""
        identity = {
            "kind": "User",
            "name": f"{name}-agent",
            "apiGroup": "rbac.authorization.k8s.io",
        }
        body = {
            "metadata": {"name": name},
            "spec": {"identity": identity, "heartbeatPeriodSeconds": period, **spec},
        }
        return decode(await self.hub.create(MEMBER_CLUSTERS, body))

    async def get(self, resource: Resource, name: str, namespace: str = "") -> Object | None:
        try:
            return decode(await self.hub.get(resource, name, namespace=namespace or None))
        except NotFound:
            return None

    async def found(self, resource: Resource, name: str, namespace: str = "") -> Object:
        found = await self.get(resource, name, namespace)
        assert found is not None, f"no {resource.kind} {name}"
        return found

    async def cluster(self, name: str) -> Object:
        return await self.found(MEMBER_CLUSTERS, name)

    async def internal(self, name: str) -> Object:
        return await self.found(INTERNAL_MEMBER_CLUSTERS, name, f"fleet-member-{name}")

    async def conditions(self, name: str) -> dict[str, str]:
        """Type and `status/reason` of a MemberCluster's conditions, in order."""
        status = (await self.cluster(name)).get("status") or {}
        return {c["type"]: f"{c['status']}/{c['reason']}" for c in status.get("conditions", ())}

    async def work(self, name: str, member: str, *finalizers: str) -> None:
        meta = {"name": name, "finalizers": list(finalizers)}
        body = {"metadata": meta, "spec": {"workload": {"manifests": []}}}
        await self.hub.create(WORKS, body, namespace=f"fleet-member-{member}")

    async def told(self, about: str, component: str) -> list[str]:
        """What a component said about an object, in order."""
        await asyncio.sleep(1)
        found = [
            event
            for event in (decode(raw) for raw in (await self.hub.list(EVENTS)).items)
            if event["involvedObject"]["name"] == about and event["reportingComponent"] == component
        ]
        # Names end in the moment of the first time.
        found.sort(key=lambda event: event["metadata"]["name"])
        return [f"{event['type']} {event['reason']}: {event['message']}" for event in found]

    def start(self, run: Awaitable[None]) -> asyncio.Task[None]:
        task = asyncio.ensure_future(run)
        self.tasks.add(task)  # type: ignore[arg-type]
        return task  # type: ignore[return-value]


class Agent:
    """A cluster with an agent on it. Its ways to the hub and to its own cluster can be made bad."""

    def __init__(self, fleet: Fleet, name: str, client: LocalClient | None = None) -> None:
        self.name = name
        self.fleet = fleet
        self.client = client or LocalClient(memory_server(fleet.clock), ADMIN, agent="test")
        user = LocalClient(fleet.server, User(f"{name}-agent"), agent="member-agent")
        self.to_hub = FaultyClient(user)
        self.to_member = FaultyClient(self.client)
        self.joining: Joining
        self._tasks: list[asyncio.Task[None]] = []

    def start(self, seed: int = 5) -> Agent:
        hub, member = (
            Assembly(
                client,  # type: ignore[arg-type]  # it has every verb
                clock=self.fleet.clock,
                ids=SeededIds(seed + number),
                source=random.Random(seed + number),
            )
            for number, client in enumerate((self.to_hub, self.to_member))
        )
        self.joining = add_joining(hub, member, self.name)
        self._tasks = [self.fleet.start(hub.run()), self.fleet.start(member.run())]
        return self

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks)

    async def node(self, name: str, cpu: str = "16", memory: str = "64Gi", **more: str) -> None:
        amounts = {"cpu": cpu, "memory": memory, "pods": "110", **more}
        body = {"metadata": {"name": name}, "status": {"capacity": amounts, "allocatable": amounts}}
        await self.client.create(NODES, body)

    async def namespace(self, name: str) -> None:
        await self.client.create(NAMESPACES, {"metadata": {"name": name}})

    async def pod(self, name: str, node: str, **requests: str) -> None:
        container = {
            "name": "main",
            "image": "busybox",
            "resources": {"requests": requests, "limits": requests},
        }
        body = {"metadata": {"name": name}, "spec": {"containers": [container], "nodeName": node}}
        await self.client.create(PODS, body, namespace="ns")


def fleeting(
    story: Callable[[Fleet], Awaitable[None]],
    shared: Path,
    *,
    patience: timedelta = timedelta(minutes=15),
    groups: tuple[str, ...] = GROUPS,
    through: Callable[[Client], Client] | None = None,
) -> None:
    """Let a story happen; tracebacks in the log fail it. `through` stands between the hub's controllers and the hub."""

    async def tell() -> None:
        clock = VirtualClock()
        server = memory_server(clock)
        await bootstrap(server.cluster)
        fleet = Fleet(server, clock)
        await install_fleet_kinds(fleet.hub, shared, groups)
        fleet.start(keep_house(server.cluster, ca="CERTIFICATE"))
        await asyncio.sleep(1)
        client: Client = LocalClient(server, ADMIN, agent="hub-agent")
        assembly = Assembly(
            through(client) if through is not None else client,
            clock=clock,
            ids=SeededIds(2),
            source=random.Random(3),
        )
        views = Views(assembly)
        Membership(assembly, views, patience=patience)
        fleet.start(assembly.run())
        logging.getLogger("argosy").addHandler(fleet.failures)
        try:
            await assembly.started()
            await story(fleet)
        finally:
            logging.getLogger("argosy").removeHandler(fleet.failures)
            for task in fleet.tasks:
                task.cancel()
            await asyncio.wait(fleet.tasks)
        assert fleet.failures.seen == []

    run_virtual(tell())


class Failures(logging.Handler):
    """Tracebacks in the log are failures; warnings are counted."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.warnings: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info:
            self.seen.append(f"{record.getMessage()}: {record.exc_info[1]!r}")
        elif record.levelno >= logging.WARNING:
            self.warnings.append(f"{record.name}: {record.getMessage()}")
