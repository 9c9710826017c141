"""What a fleet is made of: a hub and its members, each a cluster of its own with an address, a store and a house.

A member's agent reaches the hub as an identity of its own, with the rights that its MemberCluster gave it, whether both
are in one process or not. What a member looks like (machines, labels) is brought by `founding`. Who runs these parts,
and in how many processes, is said in `running`, `processes` and `children`.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec

from argosy.api.objects.fleet.members import JOINED, MemberCluster
from argosy.api.objects.metadata import decoder, is_true
from argosy.apiserver.access.identities import ADMIN
from argosy.base.clock import RealClock
from argosy.base.ids import RandomIds
from argosy.client.local import LocalClient
from argosy.client.protocol import Client
from argosy.client.resources import MEMBER_CLUSTERS
from argosy.control.assemblies import Assembly
from argosy.fleet.agents import AGENT, LOCAL_USER, MemberAgent, assemble_agent, hub_user
from argosy.fleet.clusters import Listening, Place, listening, secret_token
from argosy.fleet.controllers import Workplace, assemble
from argosy.fleet.founding import Founding, found_pools
from argosy.fleet.hubs import HubSettings
from argosy.fleet.shapes import MemberShape
from argosy.fleet.stocking import Stock
from argosy.member.assembling import MemberSettings
from argosy.queueing.configuration import Configuration, decode
from argosy.store import StoreInUse

_LOG: Final = logging.getLogger(__name__)
_member: Final = decoder(MemberCluster)
# How long no member may join before the fleet is called ready without those that are missing.
_JOIN_SECONDS: Final = 20.0
# The hub knows already what these have; a disk that is full may keep them from telling it again.
_HEAR_SECONDS: Final = 3.0
_LOOK_SECONDS: Final = 0.02
_MOST_LOOK_SECONDS: Final = 0.2
# How long a process of a run that was killed may need to be gone.
_LEFT_SECONDS: Final = 5.0
HUB: Final = "hub"


@dataclass(slots=True, frozen=True)
class MembersSettings:
    """Members that one process runs, and how."""

    kubeconfig: Path
    directory: Path
    members: tuple[MemberShape, ...]
    keeps: bool = True
    member: MemberSettings = field(default_factory=MemberSettings)
    queueing: Configuration = field(default_factory=Configuration)
    founding: Founding = field(default_factory=Founding)

    def settled(self) -> MembersSettings:
        """The same for the next start of a process: what is new has been brought."""
        return replace(self, founding=Founding())

    def queueing_of(self, shape: MemberShape) -> Configuration:
        """How jobs are queued on a member."""
        if shape.queueing is None:
            return self.queueing
        return decode(msgspec.json.encode(shape.queueing), name=f"queueing of {shape.name}")


@dataclass(slots=True, frozen=True)
class FleetSettings:
    """What `argosy up` takes. `port` is the hub's (0: a free one, remembered); `merged` a kubeconfig of the user's that
    gets the contexts too; `processes` how many there are in all; `founding` how members come to their shapes.
    """

    kubeconfig: Path
    directory: Path
    members: tuple[MemberShape, ...]
    keeps: bool = True
    hub: HubSettings = field(default_factory=HubSettings)
    member: MemberSettings = field(default_factory=MemberSettings)
    queueing: Configuration = field(default_factory=Configuration)
    port: int = 0
    merged: Path | None = None
    processes: int = 1
    log_format: str = "text"
    founding: Founding = field(default_factory=Founding)

    def part(self, members: Sequence[MemberShape]) -> MembersSettings:
        return MembersSettings(
            self.kubeconfig,
            self.directory,
            tuple(members),
            self.keeps,
            self.member,
            self.queueing,
            self.founding,
        )

    def parts(self) -> list[MembersSettings]:
        """The members spread over the processes beside the hub's."""
        others = min(self.processes - 1, len(self.members))
        return [self.part(self.members[number::others]) for number in range(others)]


def hub_token(directory: Path, member: str) -> str:
    """What a member's agent shows to the hub."""
    keys = directory / HUB / "members"
    for each in (keys.parent, keys):
        each.mkdir(parents=True, exist_ok=True, mode=0o700)
    return secret_token(keys / f"{member}.token")


def hub_place(settings: FleetSettings) -> Place:
    return Place(
        HUB,
        settings.directory / HUB,
        keeps=settings.keeps,
        has_nodes=False,
        port=settings.port,
        tokens={
            hub_token(settings.directory, member.name): hub_user(member.name)
            for member in settings.members
        },
    )


def member_place(settings: MembersSettings, shape: MemberShape) -> Place:
    directory = settings.directory / shape.name
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    return Place(shape.name, directory, keeps=settings.keeps)


async def listen(stack: AsyncExitStack, place: Place) -> Listening:
    """Serve a cluster. If a process of a run that was just killed still holds its store, that one is waited for."""
    clock = RealClock()
    until = clock.monotonic() + _LEFT_SECONDS
    while True:
        try:
            return await stack.enter_async_context(listening(place))
        except StoreInUse:
            if clock.monotonic() > until:
                raise
        await clock.sleep(_LOOK_SECONDS)


async def assemble_member(
    settings: MembersSettings, shape: MemberShape, member: Listening, hub: Client
) -> tuple[Assembly, MemberAgent]:
    """What works on one member, ready to run: its own controllers, and its agent, which is itself at the hub."""
    clock, ids = RealClock(), RandomIds()
    workplace = Workplace(
        member.place.directory,
        (member.place.host, member.port),
        hidden=(settings.kubeconfig.resolve(),),
    )
    works = await assemble(
        member.server,
        member.answers,
        workplace,
        clock=clock,
        ids=ids,
        queueing=settings.queueing_of(shape),
        pending=member.pending,
    )
    await found_pools(member, shape, settings.founding)
    agent = await assemble_agent(
        shape.name,
        hub=hub,
        cluster=LocalClient(member.server, LOCAL_USER, agent=AGENT),
        clock=clock,
        ids=ids,
        settings=settings.member,
        metrics=member.server.metrics,
        prepared=Stock(works.assembly, shape.name).complete,
    )
    return works.assembly, agent


async def joined(hub: Listening, named: Collection[str], begun: datetime) -> None:
    """Wait until every member has told the hub what it has, in this run; those that do not are told about, and not
    waited for.
    """
    client, clock = LocalClient(hub.server, ADMIN, agent="argosy"), RealClock()
    waiting, found = set(named), list[MemberCluster]()
    since, pause = clock.monotonic(), _LOOK_SECONDS
    while True:
        found = [_member(raw.raw) for raw in (await client.list(MEMBER_CLUSTERS)).items]
        heard = {each.metadata.name for each in found if _has_told(each, begun)}
        if waiting & heard:
            waiting -= heard
            since, pause = clock.monotonic(), _LOOK_SECONDS
        known = {each.metadata.name for each in found if is_true(each.status.conditions, JOINED)}
        patience = _HEAR_SECONDS if waiting <= known else _JOIN_SECONDS
        if not waiting or clock.monotonic() - since > patience:
            break
        await clock.sleep(pause)
        pause = min(2 * pause, _MOST_LOOK_SECONDS)
    if waiting:
        _LOG.warning("not heard of yet: %s", ", ".join(sorted(waiting)))
    silent = [each.metadata.name for each in found if each.metadata.name not in named]
    if silent:
        _LOG.warning(
            "members of earlier starts that are not run now: %s; they keep what they have, and the hub takes them for "
            "lost: name them in the fleet file (or ask for more --members) to have them back, or have them leave with "
            "`kubectl --context hub delete membercluster NAME`",
            ", ".join(silent),
        )


def _has_told(member: MemberCluster, begun: datetime) -> bool:
    beats = [each.last_received_heartbeat for each in member.status.agent_status]
    last = max((each for each in beats if each is not None), default=None)
    # Heartbeats are told by the second.
    is_new = last is not None and last >= begun.replace(microsecond=0)
    return is_new and is_true(member.status.conditions, JOINED)
