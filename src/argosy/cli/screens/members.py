"""The members of a fleet on a screen: what the hub says of each, and its queues, which it is asked for itself.

A member that does not answer is a problem of the picture and asked again every few seconds; its queues are unknown
until then. Members come and go as the hub says.
"""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import Final

import msgspec

from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.kueue.quotas import ClusterQueue
from argosy.api.objects.metadata import decoder
from argosy.api.prices import Prices, prices
from argosy.base.errors import Forbidden, NotFound
from argosy.cli.screens.following import (
    TROUBLES,
    Reader,
    ask_now_and_then,
    follow,
    follow_warnings,
    reason,
    within_patience,
)
from argosy.cli.screens.happenings import Happenings
from argosy.client.objects import Key, Raw
from argosy.client.protocol import Client
from argosy.client.resources import CLUSTER_QUEUES, EVENTS, Resource
from argosy.sdk.clusters import Cluster, read_cluster
from argosy.sdk.connections import Connections
from argosy.sdk.errors import FleetError
from argosy.sdk.queues import Queue, read_queue
from argosy.sdk.sessions import Session, view
from argosy.sdk.sights import can_list

_LOG: Final = logging.getLogger(__name__)
_AGAIN_SECONDS: Final = 5.0
_decode: Final = decoder(MemberCluster)


class Members:
    """Those that the hub of these connections has."""

    def __init__(self, ways: Connections, happenings: Happenings) -> None:
        self._ways = ways
        self._clock = ways.clock
        self._happenings = happenings
        self._objects: dict[str, MemberCluster] = {}
        self._queues: dict[str, dict[str, Queue]] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self.prices: Final[dict[str, Prices]] = {}
        self.clusters: Final[dict[str, Cluster]] = {}
        self.problems: Final[dict[str, str]] = {}
        # Those that have not answered yet, and have not been given up for now.
        self.unseen: Final[set[str]] = set()

    @property
    def queues(self) -> list[Queue]:
        return [queue for queues in self._queues.values() for queue in queues.values()]

    def reader(self) -> Reader:
        """Of the hub's MemberClusters."""
        return Reader(self._retain, self._put, lambda raw: self._forget(raw.name))

    def look_again(self) -> None:
        """A cluster falls silent without a word."""
        for member in list(self._objects.values()):
            self._read(member)

    async def close(self) -> None:
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def problem(self, cluster: str, why: str) -> None:
        """Why it cannot be asked; nothing if it can."""
        had = self.problems.get(cluster, "")
        if had == why:
            return
        if why:
            self.problems[cluster] = why
            # Words may change from try to try; that it does not answer is said once.
            if not had:
                text = f"does not answer: {why}"
                self._happenings.tell(cluster, "cluster", text, is_trouble=True)
        else:
            del self.problems[cluster]
            self._happenings.tell(cluster, "cluster", "answers again")

    # As the hub has them.

    def _retain(self, keys: set[Key]) -> None:
        for name in self._objects.keys() - {key.name for key in keys}:
            self._forget(name)

    def _put(self, raw: Raw) -> None:
        try:
            member = _decode(bytes(raw.body))
        except msgspec.DecodeError as error:
            _LOG.error("%s %s cannot be read: %s", raw.resource.qualified, raw.key, error)
            return
        name = member.metadata.name
        self._objects[name] = member
        self.prices[name] = prices(member.status.properties)
        self._read(member)
        if name not in self._tasks:
            self.unseen.add(name)
            task = self._tasks[name] = asyncio.create_task(self._follow(name))
            task.add_done_callback(_failure)

    def _read(self, member: MemberCluster) -> None:
        cluster = read_cluster(member, self._clock.now())
        had = self.clusters.get(cluster.name)
        if had == cluster:
            return
        self.clusters[cluster.name] = cluster
        if had is not None and had.state != cluster.state:
            text = f"{had.state} -> {cluster.state}"
            text += f": {cluster.message}" if cluster.message else ""
            is_trouble = bool(cluster.message)
            self._happenings.tell(cluster.name, "cluster", text, is_trouble=is_trouble)

    def _forget(self, name: str) -> None:
        if self._objects.pop(name, None) is None:
            return
        del self.prices[name], self.clusters[name]
        self.problems.pop(name, None)
        self._queues.pop(name, None)
        self.unseen.discard(name)
        self._tasks.pop(name).cancel()
        self._happenings.tell(name, "cluster", "has left the fleet", is_trouble=True)

    # As they are themselves.

    async def _follow(self, name: str) -> None:
        while True:
            try:
                await self._watch(name, self._ways.member(name))
            except* TROUBLES as group:
                self._queues.pop(name, None)
                self.problem(name, reason(group))
            await self._ways.drop(name)
            self.unseen.discard(name)
            await self._clock.sleep(_AGAIN_SECONDS)

    async def _watch(self, name: str, client: Client) -> None:
        await within_patience(client, EVENTS)
        resource = await self._queue_resource(client)
        sees_events = await can_list(client, EVENTS)
        async with asyncio.TaskGroup() as tasks:
            # While nothing is wrong this does not end, even if there is nothing to watch.
            tasks.create_task(ask_now_and_then(client, EVENTS, self._clock))
            if sees_events:
                tell = partial(self._happenings.tell_event, name)
                tasks.create_task(follow_warnings(client, tell))
            seen = partial(self.unseen.discard, name)
            if resource is not None:
                reader = self._queue_reader(name)
                tasks.create_task(follow(client, resource, reader, listed=seen))
            else:
                seen()
            self.problem(name, "")

    async def _queue_resource(self, client: Client) -> Resource | None:
        """In the version that the cluster serves; None without Kueue, or without the right to see its queues."""
        session = Session(client, "", self._clock.now())
        try:
            resource = await session.kueue(CLUSTER_QUEUES)
            await client.list(resource, limit=1)
        except (FleetError, NotFound, Forbidden):
            return None
        return resource

    def _queue_reader(self, cluster: str) -> Reader:
        def put(raw: Raw) -> None:
            queue = read_queue(cluster, view(ClusterQueue, raw))
            self._queues.setdefault(cluster, {})[raw.name] = queue

        def remove(raw: Raw) -> None:
            self._queues.get(cluster, {}).pop(raw.name, None)

        def retain(keys: set[Key]) -> None:
            self._queues.pop(cluster, None)

        return Reader(retain, put, remove)


def _failure(task: asyncio.Task[None]) -> None:
    """A defect is to be seen, and not to end what else is shown."""
    if not task.cancelled() and (error := task.exception()) is not None:
        _LOG.error("a member is not followed any more", exc_info=error)
