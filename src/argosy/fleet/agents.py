"""A member agent put together: one assembly on the hub, with the rights of its own namespace, and one on its cluster.

It is the same on an embedded fleet, where both are in this process, and on any two Kubernetes API servers.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from argosy.api.objects.fleet import names
from argosy.apiserver.access.identities import AUTHENTICATED, MASTERS, User
from argosy.base.clock import Clock
from argosy.base.errors import Forbidden, NotFound, StatusError
from argosy.base.ids import Ids
from argosy.base.metrics import Registry
from argosy.client.protocol import Client
from argosy.client.resources import INTERNAL_MEMBER_CLUSTERS
from argosy.control.assemblies import UPKEEP, Assembly, Upkeep
from argosy.fleet.hubs import RETRIES
from argosy.fleet.installing import install
from argosy.member.assembling import MemberSettings, add_member
from argosy.member.definitions import definitions

_LOG: Final = logging.getLogger(__name__)
# How soon, and at last how often, an agent asks whether the hub knows it.
_FIRST_LOOK_SECONDS: Final = 0.02
_LAST_LOOK_SECONDS: Final = 5.0

AGENT: Final = "member-agent"
# What the agent is on its own cluster.
LOCAL_USER: Final = User(
    "system:serviceaccount:fleet-system:member-agent", groups=(MASTERS, AUTHENTICATED)
)


async def _at_once() -> None:
    """There is nothing to wait for."""


def hub_user(cluster: str) -> User:
    """What the agent is on the hub: nobody in particular, with the rights its MemberCluster gives it."""
    return User(f"{cluster}-agent", groups=(AUTHENTICATED,))


@dataclass(slots=True, frozen=True)
class MemberAgent:
    """Both halves of an agent; they start and end together."""

    name: str
    hub: Assembly
    cluster: Assembly
    # What the hub is not told anything before.
    prepared: Callable[[], Awaitable[None]] = _at_once

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.cluster.run())
            # What the hub wants is looked at when the cluster is known, and when the hub has let the agent in.
            await self.cluster.started()
            await self.prepared()
            await self._let_in()
            tasks.create_task(self.hub.run())

    async def _let_in(self) -> None:
        """Wait until the hub knows this member and has given its agent its rights."""
        namespace = names.member_namespace(self.name)
        pause = _FIRST_LOOK_SECONDS
        while True:
            try:
                await self.hub.client.get(INTERNAL_MEMBER_CLUSTERS, self.name, namespace=namespace)
            except (Forbidden, NotFound):
                if pause == _LAST_LOOK_SECONDS:
                    _LOG.info("%s: the hub has no MemberCluster of this name for us yet", self.name)
            except StatusError as error:
                _LOG.warning("%s: cannot reach the hub: %s", self.name, error)
            else:
                return
            await self.hub.clock.sleep(pause)
            pause = min(pause * 2, _LAST_LOOK_SECONDS)


async def assemble_agent(
    name: str,
    *,
    hub: Client,
    cluster: Client,
    clock: Clock,
    ids: Ids,
    settings: MemberSettings,
    metrics: Registry | None = None,
    source: random.Random | None = None,
    prepared: Callable[[], Awaitable[None]] = _at_once,
    upkeep: Upkeep = UPKEEP,
) -> MemberAgent:
    """The agent of the member of this name, ready to run. What it needs on its cluster is installed. It is silent until
    `prepared` returns.
    """
    await install(cluster, definitions())
    # One for both halves: what an agent counts is read in one place.
    metrics = metrics if metrics is not None else Registry()

    def assembly(client: Client) -> Assembly:
        return Assembly(
            client,
            clock=clock,
            ids=ids,
            metrics=metrics,
            limit=RETRIES,
            source=source,
            upkeep=upkeep,
        )

    agent = MemberAgent(name, assembly(hub), assembly(cluster), prepared)
    add_member(agent.hub, agent.cluster, name, settings)
    return agent
