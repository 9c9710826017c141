"""A hub, three members and everything between them, in virtual time: lines that can be cut, agents and a hub that can be
killed and started anew.

Every cluster is a real server in memory that keeps its house, so what loses its owner goes. A watcher follows the jobs of
all members and notes who has a live one when: there and not being deleted. Two at once fail the story, whatever it is
about.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from argosy.api.objects.fleet import names
from argosy.apiserver.access.identities import ADMIN
from argosy.apiserver.bootstrapping import bootstrap
from argosy.base.clock import VirtualClock
from argosy.base.errors import ServiceUnavailable
from argosy.base.ids import SeededIds
from argosy.base.loops import run_virtual
from argosy.base.timestamps import format_time
from argosy.base.types import Json, Object
from argosy.client.local import LocalClient
from argosy.client.objects import decode
from argosy.client.resources import (
    EVENTS,
    INTERNAL_MEMBER_CLUSTERS,
    JOBS,
    MEMBER_CLUSTERS,
    NAMESPACES,
    RESOURCE_BINDINGS,
    RESOURCE_PLACEMENTS,
    WORKS,
)
from argosy.control.assemblies import Assembly
from argosy.fleet.agents import AGENT, LOCAL_USER, MemberAgent, hub_user
from argosy.fleet.hubs import install
from argosy.member.assembling import MemberSettings, add_member
from argosy.member.definitions import definitions as member_kinds
from argosy.placement.assembling import PlacementSettings, add_placement
from argosy.placement.definitions import definitions as fleet_kinds
from argosy.placement.snapshotting.resources import NO_DELAYS
from argosy.workloads.housekeeping import keep_house
from tests.fakes.clients import Fault, FaultyClient
from tests.fakes.clusters import memory_server
from tests.fakes.worlds import World, _Failures

MEMBERS = ("m1", "m2", "m3")
SPACE = "app"
PICK_ONE: Object = {"placementType": "PickN", "numberOfClusters": 1}


@dataclass(frozen=True, slots=True)
class Turn:
    """A job became live on a member, or ceased to be."""

    time: float
    member: str
    job: str
    is_live: bool


class Line:
    """The way to a cluster; `lag` seconds long. `is_deaf`: whoever is there can ask, but hears of nothing by himself."""

    def __init__(self, client: LocalClient) -> None:
        self.is_down = False
        self.is_deaf = False
        self.lag = 0.0
        self.client = FaultyClient(client, self._fault)

    def _fault(self, verb: str) -> Fault:
        if self.is_down or (self.is_deaf and verb == "watch"):
            return Fault(ServiceUnavailable("the line is down"))
        return Fault(before=self.lag, after=self.lag)

    def cut(self) -> None:
        self.is_down = True
        self.client.cut()

    def mend(self) -> None:
        self.is_down = False


class Member:
    """A cluster with an agent."""

    def __init__(self, fleet: Fleet, name: str, number: int) -> None:
        self.name = name
        self.fleet = fleet
        self.server = memory_server(fleet.clock, ids=SeededIds(number))
        self.world = World(LocalClient(self.server, ADMIN, agent="kubectl"), fleet.clock)
        self.to_hub = Line(LocalClient(fleet.server, hub_user(name), agent=AGENT))
        self.running: asyncio.Task[None] | None = None

    async def put_up(self) -> None:
        await bootstrap(self.server.cluster)
        self.fleet.keep(keep_house(self.server.cluster, ca="CERTIFICATE"))
        await asyncio.sleep(1)
        await self.world.client.create(NAMESPACES, {"metadata": {"name": SPACE}})
        await install(self.world.client, member_kinds())
        self.fleet.keep(self._follow())

    async def _follow(self) -> None:
        live: set[str] = set()
        async for event in self.world.client.watch(JOBS):
            meta = decode(event.object)["metadata"]
            name = meta.get("name", "")
            is_live = event.type in {"ADDED", "MODIFIED"} and "deletionTimestamp" not in meta
            if event.type != "BOOKMARK" and is_live != (name in live):
                live.add(name) if is_live else live.discard(name)
                self.fleet.note(self.name, name, is_live=is_live)

    def start(self) -> None:
        assert self.running is None
        hub, cluster = (
            self.fleet.assembly(client)
            for client in (
                self.to_hub.client,
                LocalClient(self.server, LOCAL_USER, agent=AGENT),
            )
        )
        add_member(hub, cluster, self.name, MemberSettings())
        self.running = asyncio.create_task(MemberAgent(self.name, hub, cluster).run())

    async def kill(self) -> None:
        assert self.running is not None
        assert not self.running.done(), self.running
        self.running.cancel()
        await asyncio.wait({self.running})
        self.running = None

    async def restart(self, pause: float = 0.0) -> None:
        await self.kill()
        await asyncio.sleep(pause)
        self.start()

    async def job(self, name: str = "train") -> Object | None:
        return await self.world.get(JOBS, name, SPACE)


class Fleet:
    """What a story can do and see."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.clock = VirtualClock()
        self.server = memory_server(self.clock, ids=SeededIds(1))
        self.hub = World(LocalClient(self.server, ADMIN, agent="kubectl"), self.clock)
        self.line = Line(LocalClient(self.server, ADMIN, agent="hub-agent"))
        self.members: dict[str, Member] = {}
        self.turns: list[Turn] = []
        self.twice: list[str] = []
        self._live: dict[str, set[str]] = {}
        self._kept: set[asyncio.Task[None]] = set()
        self._running: asyncio.Task[None] | None = None
        self._starts = 0

    # Putting it up.

    def keep(self, run: Awaitable[None]) -> None:
        self._kept.add(asyncio.ensure_future(run))  # type: ignore[arg-type]

    def assembly(self, client: object) -> Assembly:
        self._starts += 1
        seed = self.seed * 1000 + self._starts
        return Assembly(
            client,  # type: ignore[arg-type]  # it has every verb
            clock=self.clock,
            ids=SeededIds(seed),
            source=random.Random(seed),
        )

    async def start(self) -> None:
        assembly = self.assembly(self.line.client)
        add_placement(assembly, PlacementSettings(delays=NO_DELAYS))
        self._running = asyncio.create_task(assembly.run())
        await assembly.started()

    async def restart(self, pause: float = 0.0) -> None:
        """The hub's controllers end without a word, and begin anew."""
        await self.kill()
        await asyncio.sleep(pause)
        await self.start()

    async def kill(self) -> None:
        assert self._running is not None
        assert not self._running.done(), self._running
        self._running.cancel()
        await asyncio.wait({self._running})

    async def put_up(self, period: int) -> None:
        await bootstrap(self.server.cluster)
        self.keep(keep_house(self.server.cluster, ca="CERTIFICATE"))
        await install(self.hub.client, fleet_kinds())
        await self.hub.client.create(NAMESPACES, {"metadata": {"name": SPACE}})
        await self.start()
        for number, name in enumerate(MEMBERS):
            member = self.members[name] = Member(self, name, number + 2)
            await member.put_up()
            member.start()
            identity = {"kind": "User", "name": hub_user(name).name}
            spec: Object = {"identity": identity, "heartbeatPeriodSeconds": period}
            await self.hub.create(MEMBER_CLUSTERS, {"metadata": {"name": name}, "spec": spec})
        await asyncio.sleep(5)

    async def end(self) -> None:
        for member in self.members.values():
            if member.running is not None:
                await member.kill()
        await self.kill()
        for task in self._kept:
            assert not task.done(), task
            task.cancel()
        await asyncio.wait(self._kept)

    # What happens.

    async def pass_time(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def now(self) -> float:
        return self.clock.monotonic()

    def note(self, member: str, job: str, *, is_live: bool) -> None:
        self.turns.append(Turn(self.now(), member, job, is_live))
        holders = self._live.setdefault(job, set())
        holders.add(member) if is_live else holders.discard(member)
        if len(holders) > 1:
            self.twice.append(f"{job} runs on {sorted(holders)} at {self.now()}")

    def holders(self, job: str = "train") -> list[str]:
        """Who has it live now."""
        return sorted(self._live.get(job, ()))

    def when(self, member: str, *, is_live: bool, job: str = "train") -> list[float]:
        """When a job became live on a member, or ceased to be."""
        wanted = (member, job, is_live)
        return [each.time for each in self.turns if (each.member, each.job, each.is_live) == wanted]

    async def place(
        self, name: str = "train", *, after: str = "after=1m", policy: Json = None, **spec: Json
    ) -> None:
        """A job, and a placement of its name for it."""
        template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}
        await self.hub.create(
            JOBS, {"metadata": {"name": name}, "spec": {"template": template}}, SPACE
        )
        selector = {"group": "batch", "version": "v1", "kind": "Job", "name": name}
        meta: Object = {"name": name, "annotations": {names.RESCHEDULE: after} if after else {}}
        body = {"resourceSelectors": [selector], "policy": policy or PICK_ONE, **spec}
        await self.hub.create(RESOURCE_PLACEMENTS, {"metadata": meta, "spec": body}, SPACE)
        await asyncio.sleep(5)

    async def annotate(self, after: str | None, name: str = "train") -> None:
        patch: Object = {"metadata": {"annotations": {names.RESCHEDULE: after}}}
        await self.hub.client.patch(RESOURCE_PLACEMENTS, name, patch, namespace=SPACE)

    async def finish(self, member: str, job: str) -> None:
        """Have a job end well, as its member would tell."""
        now = format_time(self.clock.now())
        conditions = [
            {"type": each, "status": "True", "lastTransitionTime": now}
            for each in ("SuccessCriteriaMet", "Complete")
        ]
        status: Object = {
            "succeeded": 1,
            "startTime": now,
            "completionTime": now,
            "conditions": conditions,
        }
        await self.members[member].world.client.patch(
            JOBS, job, {"status": status}, namespace=SPACE, subresource="status"
        )

    async def bindings(self, name: str = "train") -> dict[str, Object]:
        """By cluster."""
        found = await self.hub.list(RESOURCE_BINDINGS, f"{names.PARENT}={name}")
        return {each["spec"]["targetCluster"]: each for each in found}

    async def work(self, member: str, name: str = "app.train-work") -> Object | None:
        return await self.hub.get(WORKS, name, names.member_namespace(member))

    async def status(self, name: str = "train") -> list[tuple[str, dict[str, str]]]:
        """By cluster, the conditions a placement tells."""
        placement = await self.hub.get(RESOURCE_PLACEMENTS, name, SPACE)
        assert placement is not None
        return [
            (
                each.get("clusterName", ""),
                {said["type"]: said["status"] for said in each.get("conditions", ())},
            )
            for each in placement["status"].get("placementStatuses", ())
        ]

    async def is_marked(self, member: str) -> bool:
        """Whether the hub is giving up what a member has."""
        space = names.member_namespace(member)
        internal = await self.hub.get(INTERNAL_MEMBER_CLUSTERS, member, space)
        assert internal is not None
        return names.LOST in internal["metadata"].get("annotations", {})

    async def told(self, reason: str) -> list[str]:
        await asyncio.sleep(1)
        events = [decode(raw) for raw in (await self.hub.client.list(EVENTS)).items]
        return [each["message"] for each in events if each["reason"] == reason]


def losing(story: Callable[[Fleet], Awaitable[None]], *, seed: int = 1, period: int = 60) -> None:
    """Let a story happen. Tracebacks in the log and a job that runs twice fail it."""

    async def tell() -> None:
        fleet = Fleet(seed)
        failures = _Failures()
        logging.getLogger("argosy").addHandler(failures)
        try:
            await fleet.put_up(period)
            await story(fleet)
        finally:
            logging.getLogger("argosy").removeHandler(failures)
            await fleet.end()
        assert failures.seen == []
        assert fleet.twice == []

    run_virtual(tell())
