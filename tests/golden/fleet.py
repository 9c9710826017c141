"""The fleet of the golden runs: a hub, `member-1` and `member-2` with two nodes each, nobody queueing, no webhooks.

`python -m tests.golden.fleet DIR` serves the three clusters with their controllers in one process. The agents of the
members are processes of their own, so that they can be frozen: each finds its kubeconfig in DIR/agents.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

from argosy.apiserver.access.identities import ADMIN
from argosy.base.clock import RealClock
from argosy.base.ids import RandomIds
from argosy.base.types import Object
from argosy.client.local import LocalClient
from argosy.client.resources import MEMBER_CLUSTERS, NODE_POOLS
from argosy.fleet import kubeconfigs
from argosy.fleet.agents import hub_user
from argosy.fleet.clusters import Listening, Place, listening, secret_token
from argosy.fleet.controllers import Workplace, assemble
from argosy.fleet.hubs import HubSettings, assemble_hub
from argosy.fleet.installing import install
from argosy.fleet.serving import Interrupts
from argosy.fleet.shapes import MemberShape, machines
from argosy.placement.assembling import PlacementSettings
from argosy.placement.statuses.wordings import HEAD
from argosy.queueing.definitions import definitions as queueing_definitions

HUB: Final = "hub"
SHAPES: Final = (
    MemberShape("member-1", pools=(machines(2, "16", "64Gi"),)),
    MemberShape("member-2", pools=(machines(2, "12", "48Gi"),)),
)


async def serve(directory: Path) -> None:
    interrupts = Interrupts()
    interrupts.listen()
    async with AsyncExitStack() as stack:
        hub, members = await _listen(directory, stack)
        hub_assembly = await assemble_hub(
            hub.server,
            clock=RealClock(),
            ids=RandomIds(),
            settings=HubSettings(PlacementSettings(wording=HEAD), checks=False, has_queues=False),
        )
        async with asyncio.TaskGroup() as tasks:
            running = [tasks.create_task(each.keep_house()) for each in (hub, *members)]
            running.append(tasks.create_task(hub_assembly.run()))
            await hub_assembly.started()
            admin = LocalClient(hub.server, ADMIN, agent="test")
            await install(admin, list(old_queues()))
            for shape, member in zip(SHAPES, members, strict=True):
                works = await assemble(
                    member.server,
                    member.answers,
                    Workplace(member.place.directory, (member.place.host, member.port)),
                    clock=RealClock(),
                    ids=RandomIds(),
                    queueing=None,
                )
                running.append(tasks.create_task(works.assembly.run()))
                await works.assembly.started()
                client = LocalClient(member.server, ADMIN, agent="test")
                await install(client, list(old_queues()))
                for pool in shape.node_pools():
                    await client.create(NODE_POOLS, pool)
                entry = shape.member_cluster(hub_user(shape.name).name)
                await admin.create(MEMBER_CLUSTERS, entry)
            print("ready", flush=True)
            await interrupts.wanted.wait()
            for task in running:
                task.cancel()


async def _listen(directory: Path, stack: AsyncExitStack) -> tuple[Listening, list[Listening]]:
    keys = directory / "keys"
    keys.mkdir(parents=True)
    tokens = {each.name: secret_token(keys / each.name) for each in SHAPES}
    place = Place(
        HUB,
        _made(directory / HUB),
        keeps=True,
        has_nodes=False,
        tokens={tokens[name]: hub_user(name) for name in tokens},
    )
    hub = await stack.enter_async_context(listening(place))
    members = [
        await stack.enter_async_context(listening(Place(each.name, _made(directory / each.name))))
        for each in SHAPES
    ]
    everyone = [hub.context(), *(each.context() for each in members)]
    kubeconfigs.write(directory / "kubeconfig", everyone)
    for member in members:
        name = member.place.name
        at_hub = [hub.context(tokens[name]), member.context()]
        kubeconfigs.write(directory / "agents" / name, at_hub)
    return hub, members


def _made(directory: Path) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    return directory


def old_queues() -> Iterator[Object]:
    """Kueue's kinds as the guide's releases have them: v1beta1 alone."""
    for definition in queueing_definitions():
        versions = [
            {**each, "storage": True}
            for each in definition["spec"]["versions"]
            if each["name"] == "v1beta1"
        ]
        if versions:
            spec = {**definition["spec"], "versions": versions}
            spec.pop("conversion", None)
            yield {**definition, "spec": spec}


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, stream=sys.stderr)
    asyncio.run(serve(Path(sys.argv[1])))
