"""A picture of a fleet that stays current by watches: of the hub for members, jobs and placements, of every member for
its ClusterQueues (`members`), and of all for Warnings (`happenings`).

Nothing is asked for twice, so an idle fleet costs nothing and a busy one what changes. Jobs are read again a few
milliseconds at a time (`tracking`), and as long as that took, everybody else has the loop. A hub that has answered once
and does not any more is a problem of the picture, which stays as it was last.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Final

from argosy.cli.screens.following import (
    TROUBLES,
    Reader,
    ask_now_and_then,
    follow,
    follow_warnings,
    reason,
)
from argosy.cli.screens.happenings import Happenings
from argosy.cli.screens.members import Members
from argosy.cli.screens.pictures import Picture, job_order, natural
from argosy.cli.screens.tracking import Jobs
from argosy.client.objects import Key, Raw
from argosy.client.protocol import Client
from argosy.client.resources import (
    CLUSTER_RESOURCE_PLACEMENTS,
    EVENTS,
    MEMBER_CLUSTERS,
    RESOURCE_PLACEMENTS,
    Resource,
)
from argosy.control.informers import EVERYTHING, Selection
from argosy.sdk import kinds
from argosy.sdk.connections import HUB, Connections
from argosy.sdk.jobs import FleetJob
from argosy.sdk.sights import can_list, range_of

# How long jobs are read before others get the loop.
_SLICE_SECONDS: Final = 0.004
_AGAIN_SECONDS: Final = 5.0
_SILENCE_SECONDS: Final = 10.0
# How long the first picture waits for members, and how often it looks.
_FIRST_SECONDS: Final = 6.0
_LOOK_SECONDS: Final = 0.02


class Watching:
    """Runs with `run`; `picture` tells how things stand. Only jobs of a `namespace` are seen, where one is given."""

    def __init__(self, ways: Connections, *, namespace: str | None = None) -> None:
        self._ways = ways
        self.clock: Final = ways.clock
        self._namespace = namespace
        self.happenings: Final = Happenings(ways.clock)
        self._members: Final = Members(ways, self.happenings)
        self._jobs: Final = Jobs(self._members.prices, self._job_changed)
        self._ordered: tuple[int, list[FleetJob]] = (-1, [])
        self._is_first = True
        self._has_seen_hub = asyncio.Event()
        self._work = asyncio.Event()

    # Looking.

    def picture(self) -> Picture:
        version, ordered = self._ordered
        if version != self._jobs.version:
            ordered = sorted(self._jobs, key=job_order)
            self._ordered = (self._jobs.version, ordered)
        members = self._members
        return Picture(
            sorted(members.clusters.values(), key=lambda each: natural(each.name)),
            members.queues,
            ordered,
            self.happenings.newest_first(),
            dict(members.problems),
            +self._jobs.counts,
        )

    async def seen(self) -> None:
        """Wait for the first picture: all of the hub, and members as far as they answer in time."""
        await self._has_seen_hub.wait()
        until = self.clock.monotonic() + _FIRST_SECONDS
        while self._is_first or (self._members.unseen and self.clock.monotonic() < until):
            await self.clock.sleep(_LOOK_SECONDS)

    # Following.

    async def run(self) -> None:
        """Until cancelled. A hub that never answers is raised."""
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._settle())
                tasks.create_task(self._notice_silence())
                tasks.create_task(self._follow_hub())
        finally:
            await self._members.close()

    async def _follow_hub(self) -> None:
        while True:
            try:
                await self._watch_hub()
            except* TROUBLES as group:
                if not self._has_seen_hub.is_set():
                    raise
                self._members.problem(HUB, reason(group))
            await self.clock.sleep(_AGAIN_SECONDS)

    async def _watch_hub(self) -> None:
        hub = self._ways.hub
        async with asyncio.TaskGroup() as tasks:
            # Members first: jobs are read with their prices.
            await _begun(tasks, hub, MEMBER_CLUSTERS, self._members.reader(), EVERYTHING)
            for resource, reader, chosen in await self._kinds():
                await _begun(tasks, hub, resource, reader, chosen)
            if await can_list(hub, EVENTS):
                tell = partial(self.happenings.tell_event, HUB)
                tasks.create_task(follow_warnings(hub, tell))
            tasks.create_task(ask_now_and_then(hub, MEMBER_CLUSTERS, self.clock))
            self._members.problem(HUB, "")
            self._has_seen_hub.set()
            self._work.set()

    async def _kinds(self) -> list[tuple[Resource, Reader, Selection]]:
        """What there is to follow of jobs, as far as the user may; placements first, so that jobs are read once."""
        hub, jobs = self._ways.hub, self._jobs
        where = Selection(await range_of(self._ways, self._namespace))
        found: list[tuple[Resource, Reader, Selection]] = []
        for resource, chosen in (
            (RESOURCE_PLACEMENTS, where),
            (CLUSTER_RESOURCE_PLACEMENTS, EVERYTHING),
        ):
            if await can_list(hub, resource, chosen.namespace):
                retain = partial(jobs.retain_placements, resource)
                reader = self._reader(retain, jobs.put_placement, jobs.remove_placement)
                found.append((resource, reader, chosen))
        for resource in kinds.ALL:
            if await can_list(hub, resource, where.namespace):
                reader = self._reader(partial(jobs.retain, resource), jobs.put, jobs.remove)
                found.append((resource, reader, where))
        return found

    def _reader(
        self,
        retain: Callable[[set[Key]], None],
        put: Callable[[Raw], None],
        remove: Callable[[Raw], None],
    ) -> Reader:
        """One that has jobs read again."""

        def came(raw: Raw) -> None:
            put(raw)
            self._work.set()

        def went(raw: Raw) -> None:
            remove(raw)
            self._work.set()

        return Reader(retain, came, went)

    async def _settle(self) -> None:
        """Read jobs that something has changed about, and leave others as much time as it took."""
        while True:
            await self._work.wait()
            self._work.clear()
            while not self._jobs.is_settled:
                until = self.clock.monotonic() + _SLICE_SECONDS
                self._jobs.settle(partial(self._is_before, until))
                await self.clock.sleep(_SLICE_SECONDS)
            if self._has_seen_hub.is_set():
                self._is_first = False

    def _is_before(self, moment: float) -> bool:
        return self.clock.monotonic() < moment

    def _job_changed(self, had: FleetJob | None, job: FleetJob) -> None:
        if self._is_first:
            self.happenings.tell_past(job)
        else:
            self.happenings.tell_job(had, job)

    async def _notice_silence(self) -> None:
        while True:
            await self.clock.sleep(_SILENCE_SECONDS)
            self._members.look_again()


async def _begun(
    tasks: asyncio.TaskGroup, hub: Client, resource: Resource, reader: Reader, chosen: Selection
) -> None:
    """Follow from now on; all there are have been told."""
    listed = asyncio.Event()
    tasks.create_task(follow(hub, resource, reader, listed=listed.set, chosen=chosen))
    await listed.wait()
