"""The hub's jobs as they change: a `Sight` that is kept current by watches.

Nothing is polled. `changes` says when there is something new to see; what comes within a moment is seen together, since
a job's way through the hub is a dozen writes.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final, TypeVar

from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.placements import Placement
from argosy.api.objects.history import JobHistory
from argosy.base.types import Object
from argosy.client.objects import decode
from argosy.client.resources import (
    CLUSTER_RESOURCE_PLACEMENTS,
    JOB_HISTORIES,
    MEMBER_CLUSTERS,
    RESOURCE_PLACEMENTS,
    Resource,
)
from argosy.control.informers import Informer, Selection
from argosy.sdk import kinds
from argosy.sdk.connections import Connections
from argosy.sdk.sights import Sight, can_list, range_of

T = TypeVar("T")

# One thing that happens to a job is several writes.
_MOMENT_SECONDS: Final = 0.05


class Following:
    """What is watched of the hub."""

    def __init__(self, ways: Connections) -> None:
        self._ways = ways
        self._jobs: list[Informer[Object]] = []
        self._placements: list[Informer[Placement]] = []
        self._histories: list[Informer[JobHistory]] = []
        self._members: list[Informer[MemberCluster]] = []
        self._news = asyncio.Event()

    def sight(self) -> Sight:
        """How things stand now."""
        return Sight(
            [job for each in self._jobs for job in each],
            [placement for each in self._placements for placement in each],
            [history for each in self._histories for history in each],
            [member for each in self._members for member in each],
        )

    async def changes(self, pause_seconds: float = _MOMENT_SECONDS) -> AsyncGenerator[None, None]:
        """Once at first, then after every change, however many come within a pause."""
        while True:
            self._news.clear()
            yield
            await self._news.wait()
            await self._ways.clock.sleep(pause_seconds)

    async def follow_jobs(self, resources: Iterable[Resource], chosen: Selection) -> None:
        for each in resources:
            if await can_list(self._ways.hub, each, chosen.namespace):
                self._jobs.append(self._informer(each, dict, chosen, reads=True))

    async def follow_placements(self, namespace: str | None, name: str = "") -> None:
        """Of a namespace, or the one of that name; and those of the cluster."""
        chosen = Selection(namespace, "", f"metadata.name={name}" if name else "")
        if await can_list(self._ways.hub, RESOURCE_PLACEMENTS, namespace):
            self._placements.append(self._informer(RESOURCE_PLACEMENTS, Placement, chosen))
        if await can_list(self._ways.hub, CLUSTER_RESOURCE_PLACEMENTS):
            self._placements.append(
                self._informer(CLUSTER_RESOURCE_PLACEMENTS, Placement, Selection())
            )

    async def follow_history(self, namespace: str | None) -> None:
        if await can_list(self._ways.hub, JOB_HISTORIES, namespace):
            self._histories.append(self._informer(JOB_HISTORIES, JobHistory, Selection(namespace)))

    async def follow_members(self) -> None:
        """For their prices. A heartbeat is no news of jobs."""
        if await can_list(self._ways.hub, MEMBER_CLUSTERS):
            self._members.append(
                self._informer(MEMBER_CLUSTERS, MemberCluster, Selection(), is_news=False)
            )

    def _informer(
        self,
        resource: Resource,
        kind: type[T],
        chosen: Selection,
        *,
        reads: bool = False,
        is_news: bool = True,
    ) -> Informer[T]:
        informer = Informer(
            self._ways.hub,
            resource,
            kind,
            clock=self._ways.clock,
            selection=chosen,
            read=decode if reads else None,  # type: ignore[arg-type]  # then T is Object
        )
        if is_news:
            informer.add_handler(lambda _old, _new: self._news.set())
        return informer

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None, None]:
        """Follow, from when everything has been seen once."""
        informers: list[Informer[Any]] = [*self._jobs, *self._placements]
        informers += [*self._histories, *self._members]
        async with AsyncExitStack() as stack:
            tasks = [asyncio.create_task(each.run()) for each in informers]
            stack.push_async_callback(_end, tasks)
            for each in informers:
                await each.synced()
            yield


async def _end(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)


@asynccontextmanager
async def following_all(
    ways: Connections, namespace: str | None, *, selector: str = "", history: bool = True
) -> AsyncGenerator[Following, None]:
    """Everything that `sights.look` would see, but for kinds whose definition is installed later."""
    where = await range_of(ways, namespace)
    found = Following(ways)
    await found.follow_jobs(kinds.ALL, Selection(where, selector))
    await found.follow_placements(where)
    if history:
        await found.follow_history(where)
    await found.follow_members()
    async with found.running():
        yield found
