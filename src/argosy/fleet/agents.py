"""A member agent put together: one assembly on the hub, with the rights of its own namespace, and one on its cluster.

It is the same on an embedded fleet, where both are in this process, and on any two Kubernetes API servers.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final

from argosy.apiserver.access.identities import AUTHENTICATED, MASTERS, User
from argosy.base.clock import Clock
from argosy.base.ids import Ids
from argosy.base.metrics import Registry
from argosy.client.protocol import Client
from argosy.control.assemblies import Assembly
from argosy.fleet.hubs import RETRIES, install
from argosy.member.assembling import MemberSettings, add_member
from argosy.member.definitions import definitions

AGENT: Final = "member-agent"
# What the agent is on its own cluster.
LOCAL_USER: Final = User(
    "system:serviceaccount:fleet-system:member-agent", groups=(MASTERS, AUTHENTICATED)
)


def hub_user(cluster: str) -> User:
    """What the agent is on the hub: nobody in particular, with the rights its MemberCluster gives it."""
    return User(f"{cluster}-agent", groups=(AUTHENTICATED,))


@dataclass(slots=True, frozen=True)
class MemberAgent:
    """Both halves of an agent; they start and end together."""

    hub: Assembly
    cluster: Assembly

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.cluster.run())
            # What the hub wants is looked at when the cluster is known.
            await self.cluster.started()
            tasks.create_task(self.hub.run())


async def assemble_agent(
    name: str,
    *,
    hub: Client,
    cluster: Client,
    clock: Clock,
    ids: Ids,
    settings: MemberSettings,
    metrics: Registry | None = None,
) -> MemberAgent:
    """The agent of the member of this name, ready to run. What it needs on its cluster is installed."""
    await install(cluster, definitions())
    agent = MemberAgent(
        Assembly(hub, clock=clock, ids=ids, metrics=metrics, limit=RETRIES),
        Assembly(cluster, clock=clock, ids=ids, metrics=metrics, limit=RETRIES),
    )
    add_member(agent.hub, agent.cluster, name, settings)
    return agent
