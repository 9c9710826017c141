"""A whole fleet in one process: a hub and its members, each a cluster of its own with an address, a store and a house.

A member's agent reaches the hub as an identity of its own, with the rights that its MemberCluster gave it, whether both
are in this process or not. What a member looks like (machines, labels) is written when it is new; afterwards it is what
people made of it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from argosy.api.objects.fleet.members import JOINED, MemberCluster
from argosy.api.objects.metadata import decoder, is_true
from argosy.apiserver.access.identities import ADMIN
from argosy.base.clock import RealClock
from argosy.base.errors import AlreadyExists
from argosy.base.ids import RandomIds
from argosy.base.types import Object
from argosy.client.local import LocalClient
from argosy.client.resources import MEMBER_CLUSTERS, NODE_POOLS, Resource
from argosy.control.assemblies import Assembly
from argosy.fleet import kubeconfigs
from argosy.fleet.agents import AGENT, LOCAL_USER, MemberAgent, assemble_agent, hub_user
from argosy.fleet.clusters import Listening, Place, listening, secret_token
from argosy.fleet.controllers import Workplace, assemble
from argosy.fleet.hubs import HubSettings, assemble_hub
from argosy.fleet.serving import Interrupts
from argosy.fleet.shapes import MemberShape
from argosy.member.assembling import MemberSettings
from argosy.queueing.configuration import Configuration

_LOG: Final = logging.getLogger(__name__)
_member: Final = decoder(MemberCluster)
# How long members may take to join before the fleet is called ready without them.
_JOIN_SECONDS: Final = 20.0
_LOOK_SECONDS: Final = 0.02
HUB: Final = "hub"


@dataclass(slots=True, frozen=True)
class FleetSettings:
    """What `argosy up` takes."""

    kubeconfig: Path
    directory: Path
    members: tuple[MemberShape, ...]
    keeps: bool = True
    hub: HubSettings = field(default_factory=HubSettings)
    member: MemberSettings = field(default_factory=MemberSettings)
    queueing: Configuration = field(default_factory=Configuration)


async def up(settings: FleetSettings, ready: Callable[[str], None]) -> None:
    """Run the fleet until SIGTERM or SIGINT; `ready` gets the line that says so."""
    interrupts = Interrupts()
    interrupts.listen()
    async with AsyncExitStack() as stack:
        hub, members = await _listen(settings, stack)
        kubeconfigs.write(
            settings.kubeconfig, [hub.context(), *(each.context() for each in members)]
        )
        async with asyncio.TaskGroup() as tasks:
            running = [tasks.create_task(each.keep_house()) for each in (hub, *members)]
            assemblies = await _assemblies(settings, hub, members)
            running += [tasks.create_task(each.run()) for each in assemblies]
            for each in assemblies:
                if isinstance(each, Assembly):
                    await each.started()
            await _joined(settings, hub)
            ready(_line(settings, hub))
            await interrupts.wanted.wait()
            for task in running:
                task.cancel()


async def _listen(
    settings: FleetSettings, stack: AsyncExitStack
) -> tuple[Listening, list[Listening]]:
    keys = settings.directory / HUB / "members"
    keys.mkdir(parents=True, exist_ok=True, mode=0o700)
    tokens = {
        secret_token(keys / f"{member.name}.token"): hub_user(member.name)
        for member in settings.members
    }
    place = Place(
        HUB, settings.directory / HUB, keeps=settings.keeps, has_nodes=False, tokens=tokens
    )
    hub = await stack.enter_async_context(listening(place))
    members = []
    for shape in settings.members:
        directory = settings.directory / shape.name
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        place = Place(shape.name, directory, keeps=settings.keeps)
        members.append(await stack.enter_async_context(listening(place)))
    return hub, members


async def _assemblies(
    settings: FleetSettings, hub: Listening, members: Iterable[Listening]
) -> list[Assembly | MemberAgent]:
    """Everything that works on the fleet's clusters, ready to run."""
    clock, ids = RealClock(), RandomIds()
    found: list[Assembly | MemberAgent] = [
        await assemble_hub(hub.server, clock=clock, ids=ids, settings=settings.hub)
    ]
    for shape, member in zip(settings.members, members, strict=True):
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
            queueing=settings.queueing,
            pending=member.pending,
        )
        found.append(works.assembly)
        await _found(member, NODE_POOLS, shape.node_pool())
        await _found(hub, MEMBER_CLUSTERS, shape.member_cluster(hub_user(shape.name).name))
        found.append(await _agent(settings, shape.name, hub, member))
    return found


async def _agent(
    settings: FleetSettings, name: str, hub: Listening, member: Listening
) -> MemberAgent:
    return await assemble_agent(
        name,
        hub=LocalClient(hub.server, hub_user(name), agent=AGENT),
        cluster=LocalClient(member.server, LOCAL_USER, agent=AGENT),
        clock=RealClock(),
        ids=RandomIds(),
        settings=settings.member,
        metrics=member.server.metrics,
    )


async def _joined(settings: FleetSettings, hub: Listening) -> None:
    """Wait until every member has told the hub what it has; one that does not is told about, and not waited for."""
    client, clock = LocalClient(hub.server, ADMIN, agent="argosy"), RealClock()
    named = {member.name for member in settings.members}
    waiting, found = set(named), list[MemberCluster]()
    until = clock.monotonic() + _JOIN_SECONDS
    while waiting and clock.monotonic() < until:
        found = [_member(raw.raw) for raw in (await client.list(MEMBER_CLUSTERS)).items]
        waiting -= {each.metadata.name for each in found if is_true(each.status.conditions, JOINED)}
        await clock.sleep(_LOOK_SECONDS)
    if waiting:
        _LOG.warning("not joined yet: %s", ", ".join(sorted(waiting)))
    silent = [each.metadata.name for each in found if each.metadata.name not in named]
    if silent:
        _LOG.warning(
            "members of an earlier start that nobody runs now: %s; "
            "delete their MemberClusters, or start with more members",
            ", ".join(silent),
        )


async def _found(cluster: Listening, resource: Resource, obj: Object) -> None:
    """Create what a new cluster begins with; what is there already is its owner's."""
    try:
        await LocalClient(cluster.server, ADMIN, agent="argosy").create(resource, obj)
    except AlreadyExists:
        return


def _line(settings: FleetSettings, hub: Listening) -> str:
    contexts = ", ".join([HUB, *(member.name for member in settings.members)])
    return (
        f"argosy: the fleet is ready; hub at {hub.address} "
        f"(kubeconfig {settings.kubeconfig}, contexts {contexts})"
    )
