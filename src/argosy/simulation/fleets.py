"""A whole fleet in virtual time: a hub and its members on stores in memory, in one loop whose clock jumps.

It is put together by the same builders as a served fleet (`argosy.fleet`), without addresses, certificates and files.
Every agent reaches the hub as itself, over a line that can go dark. Ids and randomness come from the seed, one source
per cluster and part, so that what one cluster does changes no name in another.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from argosy.api.objects.fleet.members import JOINED, MemberCluster
from argosy.api.objects.metadata import decoder, is_true
from argosy.apiserver.access.identities import ADMIN
from argosy.apiserver.access.tokens import Signer
from argosy.apiserver.bootstrapping import bootstrap
from argosy.apiserver.servers import ClusterServer, build
from argosy.base.clock import Clock
from argosy.base.errors import NotFound
from argosy.base.ids import SeededIds
from argosy.base.types import Object
from argosy.client.local import LocalClient
from argosy.client.resources import JOBS, MEMBER_CLUSTERS, NODE_POOLS, Resource
from argosy.control.assemblies import UPKEEP, Assembly, Upkeep
from argosy.fleet.agents import AGENT, LOCAL_USER, assemble_agent, hub_user
from argosy.fleet.controllers import Workplace, assemble
from argosy.fleet.hubs import HubSettings, assemble_hub
from argosy.fleet.shapes import MemberShape
from argosy.fleet.stocking import Stock
from argosy.member.assembling import MemberSettings
from argosy.queueing.configuration import Configuration
from argosy.simulation.lines import Line
from argosy.store import Bounds, MemoryStore
from argosy.workloads.housekeeping import keep_house, prepare_house
from argosy.workloads.jobsets.names import JOB_SETS
from argosy.workloads.runtimes.answering import Answers

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

# Nobody in a simulated fleet keeps files.
_NOWHERE: Final = Path("/nonexistent")
_API: Final = ("127.0.0.1", 6443)
_CA: Final = "CERTIFICATE"
# A watch in this process is at most a moment behind.
_HISTORY: Final = Bounds(4_000, 16 * 1024 * 1024)
_USER_AGENT: Final = "argosy"
_JOIN_SECONDS: Final = 300.0
_LOOK_SECONDS: Final = 1.0
_member: Final = decoder(MemberCluster)


@dataclass(slots=True, frozen=True)
class FleetSettings:
    """How the fleet is built, as `argosy up` would be told."""

    seed: int
    hub: HubSettings = field(default_factory=HubSettings)
    member: MemberSettings = field(default_factory=MemberSettings)
    queueing: Configuration = field(default_factory=Configuration)
    upkeep: Upkeep = UPKEEP


@dataclass(slots=True, frozen=True)
class MemberFleet:
    """One member as the simulation has it: `line` is its agent's way to the hub, `assembly` what works on it."""

    plan: MemberShape
    client: LocalClient
    assembly: Assembly
    line: Line


class VirtualFleet:
    """The fleet. Build it, `run` it beside whatever drives it."""

    def __init__(self, settings: FleetSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._tasks: list[tuple[str, Callable[[], Coroutine[Any, Any, None]]]] = []
        self._hub: ClusterServer | None = None
        self._servers: list[ClusterServer] = []
        self.members: dict[str, MemberFleet] = {}

    def member(self, name: str) -> LocalClient:
        """A member, as its administrator."""
        return self.members[name].client

    async def darken(self, name: str, *, is_dark: bool) -> None:
        """Cut the line between a member and the hub, or mend it."""
        self.members[name].line.is_dark = is_dark

    @property
    def hub(self) -> LocalClient:
        """The hub, as its administrator."""
        assert self._hub is not None
        return LocalClient(self._hub, ADMIN, agent=_USER_AGENT)

    async def build_hub(self) -> Assembly:
        server = await self._server("hub")
        self._hub = server
        assembly = await assemble_hub(
            server,
            clock=self._clock,
            ids=self._ids("hub-controllers"),
            settings=self._settings.hub,
            source=self._source("hub"),
            upkeep=self._settings.upkeep,
        )
        self._tasks.append(("hub", assembly.run))
        return assembly

    async def build_member(self, plan: MemberShape) -> MemberFleet:
        answers = Answers()
        server = await self._server(plan.name)
        works = await assemble(
            server,
            answers,
            Workplace(_NOWHERE, _API),
            clock=self._clock,
            ids=self._ids(f"{plan.name}-controllers"),
            queueing=self._settings.queueing,
            source=self._source(plan.name),
            upkeep=self._settings.upkeep,
        )
        client = LocalClient(server, ADMIN, agent=_USER_AGENT)
        for pool in plan.node_pools():
            await client.create(NODE_POOLS, pool)
        assert self._hub is not None
        line = Line(LocalClient(self._hub, hub_user(plan.name), agent=AGENT), "the hub")
        agent = await assemble_agent(
            plan.name,
            hub=line,
            cluster=LocalClient(server, LOCAL_USER, agent=AGENT),
            clock=self._clock,
            ids=self._ids(f"{plan.name}-agent"),
            settings=self._settings.member,
            metrics=server.metrics,
            source=self._source(f"{plan.name}-agent"),
            prepared=Stock(works.assembly, plan.name).complete,
            upkeep=self._settings.upkeep,
        )
        self._tasks.append((plan.name, works.assembly.run))
        self._tasks.append((f"{plan.name}-agent", agent.run))
        await self.hub.create(MEMBER_CLUSTERS, plan.member_cluster(hub_user(plan.name).name))
        built = MemberFleet(plan, client, works.assembly, line)
        self.members[plan.name] = built
        return built

    async def run(self) -> None:
        """Everything that works, until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for name, run in self._tasks:
                tasks.create_task(run(), name=name)

    async def joined(self) -> None:
        """Wait until every member has told the hub what it has."""
        for _ in range(int(_JOIN_SECONDS / _LOOK_SECONDS)):
            found = await self.member_clusters()
            if all(is_true(each.status.conditions, JOINED) for each in found):
                return
            await self._clock.sleep(_LOOK_SECONDS)
        raise RuntimeError("not every member has joined the hub")

    async def member_clusters(self) -> list[MemberCluster]:
        return [_member(raw.raw) for raw in (await self.hub.list(MEMBER_CLUSTERS)).items]

    async def jobs(self) -> set[tuple[str, str]]:
        """Namespace and name of every job on the hub."""
        found: set[tuple[str, str]] = set()
        for resource in (JOBS, JOB_SETS):
            for raw in (await self.hub.list(resource)).items:
                found.add((raw.key.namespace, raw.key.name))
        return found

    def resource_of(self, obj: Object) -> Resource:
        """Which resource of the hub an object is of; NotFound."""
        assert self._hub is not None
        group, _, version = str(obj["apiVersion"]).rpartition("/")
        kind = self._hub.cluster.scheme.by_kind(group, obj["kind"])
        if kind is None or version not in kind.versions:
            raise NotFound(
                f'no matches for kind "{obj["kind"]}" in version "{obj["apiVersion"]}" on the hub'
            )
        return Resource(group, version, kind.plural, kind.kind, kind.namespaced)

    def writes(self) -> int:
        """How many writes there have been, on all clusters."""
        return sum(each.cluster.store.revision for each in self._servers)

    async def _server(self, name: str) -> ClusterServer:
        """A cluster without nodes, whose house is kept."""
        server = build(
            MemoryStore(history=_HISTORY),
            clock=self._clock,
            ids=self._ids(name),
            signer=Signer(_key(), self._clock),
            tokens={},
        )
        self._servers.append(server)
        await bootstrap(server.cluster)
        await prepare_house(server.cluster, ca=_CA)
        self._tasks.append((f"{name}-house", lambda: keep_house(server.cluster, ca=_CA)))
        return server

    def _ids(self, part: str) -> SeededIds:
        return SeededIds(f"{self._settings.seed}/{part}/ids")

    def _source(self, part: str) -> random.Random:
        return random.Random(f"{self._settings.seed}/{part}")


@cache
def _key() -> EllipticCurvePrivateKey:
    """Signs tokens that nobody asks for."""
    from cryptography.hazmat.primitives.asymmetric import ec

    return ec.generate_private_key(ec.SECP256R1())
