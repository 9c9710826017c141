"""A whole fleet in virtual time: a hub that places, members with agents, and everything that keeps their houses.

Every cluster is a real server in memory. The hub's controllers and every agent stand on lines that can be made bad: cut
for an hour, slow, or losing a write or its answer now and then. Each of them can be killed, in the middle of what it
does, and started anew, knowing nothing but what is written. Agents reach the hub as the identity of their
MemberCluster, with the rights it gives them and no others.

Whatever logs a traceback fails the story.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from argosy.api.objects.fleet import names
from argosy.apiserver.access.identities import ADMIN, User
from argosy.apiserver.bootstrapping import bootstrap
from argosy.apiserver.servers import ClusterServer
from argosy.base.clock import VirtualClock
from argosy.base.errors import ServiceUnavailable
from argosy.base.ids import SeededIds
from argosy.base.loops import run_virtual
from argosy.base.types import Json, Object
from argosy.capacity import NODE_POOLS
from argosy.client.local import LocalClient
from argosy.client.objects import Key, decode
from argosy.client.protocol import Client
from argosy.client.resources import (
    CONFIG_MAPS,
    JOBS,
    MEMBER_CLUSTERS,
    NAMESPACES,
    WORKS,
    Resource,
)
from argosy.control.assemblies import Assembly
from argosy.dispatch.assembling import HistorySettings, add_history
from argosy.fleet.agents import AGENT, LOCAL_USER, MemberAgent, hub_user
from argosy.fleet.controllers import Workplace, assemble
from argosy.fleet.hubs import RETRIES, hub_kinds, install, own_kinds
from argosy.fleet.shapes import MemberShape, machines
from argosy.member.assembling import MemberSettings, add_member
from argosy.member.definitions import definitions as member_kinds
from argosy.placement.admission import add_admission
from argosy.placement.assembling import PlacementSettings, add_placement
from argosy.placement.scopes import scope_of
from argosy.placement.snapshotting.resources import DEFAULT_DELAYS, NO_DELAYS
from argosy.queueing.configuration import Configuration
from argosy.queueing.conversion import add_versions
from argosy.workloads.housekeeping import keep_house, prepare_house
from argosy.workloads.runtimes.answering import Answers
from tests.fakes.clients import Fault, FaultyClient
from tests.fakes.clusters import memory_server
from tests.fakes.worlds import World, _Failures
from tests.support.expositions import checked

HUB_USER = User("system:serviceaccount:fleet-system:hub-agent", groups=ADMIN.groups)
NOWHERE = Path("/nonexistent")
MACHINE: Object = {"cpu": "64", "memory": "256Gi", "pods": 500}
SELECTS_SPACE: Object = {"group": "", "version": "v1", "kind": "Namespace", "name": "app"}
READS = frozenset({"get", "list", "list_all", "watch"})


@dataclass(frozen=True, slots=True)
class Shape:
    """What a fleet is like. `runs`: members have nodes and run jobs. `has_delays`: changes are gathered for a while
    before they are snapshotted, as hubs do by default. `remembers`: the hub keeps a history of jobs, in this way.
    `nodes`: so many machines of eight cores, and no more, where a member is named.
    """

    members: Sequence[str] = ("m1", "m2", "m3")
    runs: bool = False
    has_delays: bool = False
    has_queues: bool = False
    checks: bool = True
    seed: int = 1
    remembers: HistorySettings | None = None
    nodes: Mapping[str, int] = field(default_factory=dict)


class Line:
    """The way to a cluster: open, or down, or as bad as `fate` says of each verb."""

    def __init__(self, client: Client) -> None:
        self.is_down = False
        self.fate: Callable[[str], Fault] | None = None
        self.client = FaultyClient(client, self._fault)

    def _fault(self, verb: str) -> Fault:
        if self.is_down:
            return Fault(ServiceUnavailable("the line is down"))
        return self.fate(verb) if self.fate is not None else Fault()

    def down(self) -> None:
        self.is_down = True
        self.client.cut()

    def up(self) -> None:
        self.is_down = False

    def writes(self) -> Counter[str]:
        """What was written since the last time, by kind, but for events and trials."""
        calls, self.client.calls = self.client.calls, []
        return Counter(
            f"{verb} {what}" for verb, what in calls if verb not in READS and what != "events"
        )


class Cluster(World):
    """A cluster with its house kept."""

    def __init__(self, server: ClusterServer, clock: VirtualClock, fleet: Fleet) -> None:
        super().__init__(LocalClient(server, ADMIN, agent="kubectl"), clock)
        self.server = server
        self.fleet = fleet
        self._running: asyncio.Task[None] | None = None
        self._starts = 0

    async def put_up(self) -> None:
        await bootstrap(self.server.cluster)
        await prepare_house(self.server.cluster, ca="CERTIFICATE")
        self.fleet.keep(keep_house(self.server.cluster, ca="CERTIFICATE"))
        await asyncio.sleep(0)

    async def kill(self) -> None:
        """End whoever works here for the fleet, without a word."""
        assert self._running is not None
        self._running.cancel()
        await asyncio.wait({self._running})
        self._running = None

    async def have(self, resource: Resource, obj: Object, namespace: str = "app") -> Object:
        return await self.create(resource, obj, namespace)

    async def there(self, resource: Resource, name: str, namespace: str = "app") -> Object:
        found = await self.get(resource, name, namespace)
        assert found is not None, f"there is no {resource.kind} {namespace}/{name}"
        return found

    async def patch(
        self, resource: Resource, name: str, patch: Object, namespace: str = "app"
    ) -> Object:
        raw = await self.client.patch(
            resource, name, patch, namespace=namespace if resource.namespaced else None
        )
        return decode(raw)

    async def delete(self, resource: Resource, name: str, namespace: str = "app") -> None:
        await self.client.delete(
            resource, name, namespace=namespace if resource.namespaced else None
        )

    async def data(self, name: str, namespace: str = "app") -> Json:
        """What a ConfigMap has; None if it is not there."""
        found = await self.get(CONFIG_MAPS, name, namespace)
        return found.get("data") if found is not None else None

    def _assembly(self, client: FaultyClient) -> Assembly:
        self._starts += 1
        seed = self.fleet.shape.seed * 1000 + self._starts
        return Assembly(
            client,  # type: ignore[arg-type]  # it has every verb
            clock=self.clock,
            ids=SeededIds(seed),
            source=random.Random(seed),
            metrics=self.server.metrics,
            limit=RETRIES,
        )

    def series(self, *prefixes: str) -> dict[str, float]:
        """What /metrics tells of families that begin so, by series; without buckets."""
        samples = checked(self.server.metrics.exposition().decode())
        return {
            series: value
            for series, value in samples.items()
            if series.startswith(prefixes) and "_bucket{" not in series
        }


class Hub(Cluster):
    """The hub; `line` is between its controllers and itself."""

    def __init__(self, server: ClusterServer, clock: VirtualClock, fleet: Fleet) -> None:
        super().__init__(server, clock, fleet)
        self.line = Line(LocalClient(server, HUB_USER, agent="hub-agent"))

    async def put_up(self) -> None:
        await super().put_up()
        shape = self.fleet.shape
        if shape.has_queues:
            add_versions(self.server.cluster)
        if shape.checks:
            add_admission(self.server.cluster)
        await install(self.client, hub_kinds() if shape.has_queues else own_kinds())
        await self.client.create(NAMESPACES, {"metadata": {"name": "app"}})

    async def start(self) -> None:
        assembly = self._assembly(self.line.client)
        delays = DEFAULT_DELAYS if self.fleet.shape.has_delays else NO_DELAYS
        add_placement(assembly, PlacementSettings(delays=delays))
        if self.fleet.shape.remembers is not None:
            add_history(assembly, self.fleet.shape.remembers)
        self._running = asyncio.create_task(assembly.run())
        await assembly.started()


class Member(Cluster):
    """A member; `to_hub` and `to_self` are its agent's lines."""

    def __init__(
        self,
        name: str,
        server: ClusterServer,
        clock: VirtualClock,
        fleet: Fleet,
        answers: Answers,
    ) -> None:
        super().__init__(server, clock, fleet)
        self.name = name
        self.answers = answers
        self.to_hub = Line(LocalClient(fleet.hub.server, hub_user(name), agent=AGENT))
        self.to_self = Line(LocalClient(server, LOCAL_USER, agent=AGENT))

    async def put_up(self) -> None:
        await super().put_up()
        shape = self.fleet.shape
        if shape.runs:
            works = await assemble(
                self.server,
                self.answers,
                Workplace(NOWHERE, ("127.0.0.1", 6443)),
                clock=self.clock,
                ids=SeededIds(shape.seed),
                queueing=Configuration() if shape.has_queues else None,
            )
            self.fleet.keep(works.assembly.run())
            await works.assembly.started()
            pool: Object = {"machine": MACHINE, "bootTime": "0s", "minNodes": 1, "maxNodes": 20}
            if self.name in shape.nodes:
                few = MemberShape(self.name, pools=(machines(shape.nodes[self.name], "8", "32Gi"),))
                pool = dict(few.node_pools()[0]["spec"])
            await self.client.create(NODE_POOLS, {"metadata": {"name": "pool"}, "spec": pool})
        await install(self.client, member_kinds())

    async def start(self) -> None:
        hub, cluster = self._assembly(self.to_hub.client), self._assembly(self.to_self.client)
        add_member(hub, cluster, self.name, MemberSettings())
        agent = MemberAgent(self.name, hub, cluster)
        self._running = asyncio.create_task(agent.run())

    async def work(self, name: str) -> Object:
        """A Work the hub has for this member."""
        return await self.fleet.hub.there(WORKS, name, names.member_namespace(self.name))


@dataclass
class Fleet:
    """What a story can do and see."""

    clock: VirtualClock
    shape: Shape
    hub: Hub = field(init=False)
    members: dict[str, Member] = field(default_factory=dict)
    kept: set[asyncio.Task[None]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.hub = Hub(memory_server(self.clock, ids=SeededIds(1)), self.clock, self)

    def keep(self, run: Coroutine[Any, Any, None]) -> None:
        """Have something run until the end."""
        self.kept.add(asyncio.create_task(run))

    async def pass_time(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def settle(self) -> None:
        """Until everything that needs no long wait is done."""
        await asyncio.sleep(5)

    # Members.

    async def build(self, name: str) -> Member:
        """A cluster with an agent that nobody has asked to join."""
        number = len(self.members) + 2
        answers = Answers()
        server = memory_server(self.clock, ids=SeededIds(number), logs=lambda _: answers)
        member = Member(name, server, self.clock, self, answers)
        self.members[name] = member
        await member.put_up()
        await member.start()
        return member

    async def invite(self, name: str, labels: Object | None = None, **spec: Json) -> None:
        identity = {
            "kind": "User",
            "name": hub_user(name).name,
            "apiGroup": "rbac.authorization.k8s.io",
        }
        await self.hub.create(
            MEMBER_CLUSTERS,
            {
                "metadata": {"name": name, "labels": labels or {}},
                "spec": {"identity": identity, "heartbeatPeriodSeconds": 60, **spec},
            },
        )

    async def join(self, name: str, labels: Object | None = None, **spec: Json) -> Member:
        member = await self.build(name)
        await self.invite(name, labels, **spec)
        await self.settle()
        return member

    async def taint(self, name: str, *taints: Object) -> None:
        await self.hub.patch(MEMBER_CLUSTERS, name, {"spec": {"taints": list(taints)}})

    async def end(self) -> None:
        for cluster in (*self.members.values(), self.hub):
            if cluster._running is not None:
                assert not cluster._running.done(), cluster._running
                await cluster.kill()
        for task in self.kept:
            assert not task.done(), task
            task.cancel()
        await asyncio.wait(self.kept)

    # Placements; of the cluster, or with a slash in the name, of a namespace.

    async def place(self, name: str, *selectors: Object, **spec: Json) -> None:
        key = key_of(name)
        body: Object = {
            "metadata": {"name": key.name},
            "spec": {"resourceSelectors": list(selectors) or [SELECTS_SPACE], **spec},
        }
        if "annotations" in spec:
            body["metadata"]["annotations"] = body["spec"].pop("annotations")
        await self.hub.create(scope_of(key.namespace).placements, body, key.namespace)
        await self.settle()

    async def change(self, name: str, **spec: Json) -> None:
        key = key_of(name)
        await self.hub.patch(
            scope_of(key.namespace).placements, key.name, {"spec": spec}, key.namespace
        )
        await self.settle()

    async def remove(self, name: str) -> None:
        key = key_of(name)
        await self.hub.delete(scope_of(key.namespace).placements, key.name, key.namespace)
        await self.settle()

    async def placement(self, name: str) -> Object:
        key = key_of(name)
        return await self.hub.there(scope_of(key.namespace).placements, key.name, key.namespace)

    async def said(self, name: str) -> dict[str, str]:
        """The conditions of a placement as `True Reason: message`, by type without the kind's name."""
        placement = await self.placement(name)
        prefix = scope_of(key_of(name).namespace).placements.kind
        conditions = spoken(placement.get("status", {}).get("conditions", ()))
        return {type_.removeprefix(prefix): text for type_, text in conditions.items()}

    async def clusters(self, name: str) -> dict[str, Object]:
        """What a placement says of each cluster it has picked."""
        status = (await self.placement(name)).get("status", {})
        return {each.get("clusterName", ""): each for each in status.get("placementStatuses", ())}

    async def said_of(self, name: str, cluster: str) -> dict[str, str]:
        return spoken((await self.clusters(name))[cluster]["conditions"])

    async def failure(self, name: str, cluster: str) -> str:
        """The only failed object of a placement on a cluster, and why."""
        (found,) = (await self.clusters(name))[cluster]["failedPlacements"]
        condition = found["condition"]
        return f"{found['kind']} {found['name']} {condition['reason']}: {condition['message']}"

    async def selected(self, name: str) -> list[str]:
        status = (await self.placement(name)).get("status", {})
        return [f"{each['kind']}/{each['name']}" for each in status.get("selectedResources", ())]

    async def bindings(self, name: str) -> list[Object]:
        key = key_of(name)
        found = await self.hub.list(scope_of(key.namespace).bindings, f"{names.PARENT}={key.name}")
        return [each for each in found if each["metadata"].get("namespace", "") == key.namespace]

    async def where(self, resource: Resource, name: str, namespace: str = "app") -> list[str]:
        """The members that have an object."""
        return [
            member.name
            for member in self.members.values()
            if await member.get(resource, name, namespace) is not None
        ]

    async def config_map(self, name: str, namespace: str = "app", **data: str) -> None:
        await self.hub.create(CONFIG_MAPS, config_map(name, namespace, **data), namespace)

    async def edit(self, name: str, **data: str) -> None:
        await self.hub.patch(CONFIG_MAPS, name, {"data": data})

    async def job(self, name: str, seconds: int = 10, **spec: Json) -> None:
        await self.hub.create(JOBS, job(name, seconds, **spec), "app")


def key_of(name: str) -> Key:
    namespace, _, rest = name.rpartition("/")
    return Key(namespace, rest)


def spoken(conditions: Iterable[Object]) -> dict[str, str]:
    return {
        each["type"]: f"{each['status']} {each['reason']}: {each['message']}" for each in conditions
    }


def config_map(name: str, namespace: str = "app", **data: str) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": namespace},
        "data": data or {"a": "1"},
    }


def job(name: str, seconds: int = 10, **spec: Json) -> Object:
    """A Job with a selector of its own, so that it does not drift, whose pods take so long."""
    labels = {"job": name}
    template: Object = {
        "metadata": {"labels": labels, "annotations": {"argosy.dev/duration": f"{seconds}s"}},
        "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]},
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": "app"},
        "spec": {
            "manualSelector": True,
            "selector": {"matchLabels": labels},
            "template": template,
            **spec,
        },
    }


def pick(how: str, number: int | None = None, **more: Json) -> Object:
    policy: Object = {"placementType": how, **more}
    if number is not None:
        policy["numberOfClusters"] = number
    return policy


def rolling(unavailable: int | str = "100%", *, seconds: int = 0, **apply: Json) -> Object:
    """A rolling update in which this many may be missing, and what is untracked is ready after some seconds."""
    update = {
        "maxUnavailable": unavailable,
        "maxSurge": "25%",
        "unavailablePeriodSeconds": seconds,
    }
    return {"type": "RollingUpdate", "rollingUpdate": update, "applyStrategy": apply or {}}


def told(story: Callable[[Fleet], Coroutine[None, None, None]], shape: Shape | None = None) -> None:
    """Let a story happen in a fleet of this shape, whose members have joined."""

    async def main() -> None:
        async with fleet(shape or Shape()) as here:
            await story(here)

    run_virtual(main())


@asynccontextmanager
async def fleet(shape: Shape) -> AsyncIterator[Fleet]:
    here = Fleet(VirtualClock(), shape)
    failures = _Failures()
    logging.getLogger("argosy").addHandler(failures)
    try:
        await here.hub.put_up()
        await here.hub.start()
        for name in shape.members:
            await here.build(name)
            await here.invite(name)
        await asyncio.sleep(20)
        yield here
        await here.end()
    finally:
        logging.getLogger("argosy").removeHandler(failures)
    assert failures.seen == []
