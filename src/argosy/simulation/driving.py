"""Does what a scenario says, each thing at its moment: jobs are submitted, lines go dark, quotas change.

It acts as people do, on the hub, with the verbs they have, and does not know whether the fleet lives in virtual time or
is served by processes (`Stage`). Jobs say how long they are kept after their end, as with `argosy submit --keep`, and
the hub lets go of them.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, Protocol

from argosy.api.objects.fleet.members import MemberCluster
from argosy.base.clock import Clock
from argosy.base.durations import format_duration
from argosy.base.errors import StatusError
from argosy.base.types import Object
from argosy.client.objects import Raw, decode
from argosy.client.protocol import Client
from argosy.client.resources import Resource
from argosy.simulation.arriving import Arrival
from argosy.simulation.ledgers import Ledger
from argosy.simulation.manifests import in_turn, job_of, made, placement_for
from argosy.simulation.plans import Change, Outage, Scenario
from argosy.simulation.watching import amount

_MANAGER: Final = "argosy"


class Refused(Exception):
    """The hub does not take an object of the scenario; the message says which, and why."""


class Stage(Protocol):
    """A fleet, as far as a scenario is played on it."""

    @property
    def hub(self) -> Client: ...

    def member(self, name: str) -> Client: ...

    async def member_clusters(self) -> list[MemberCluster]: ...

    async def jobs(self) -> set[tuple[str, str]]:
        """Namespace and name of every job on the hub."""
        ...

    def resource_of(self, obj: Object) -> Resource:
        """NotFound for a kind that the hub does not serve."""
        ...

    async def darken(self, name: str, *, is_dark: bool) -> None:
        """Cut the line between a member and the hub, or mend it."""
        ...


class Driver:
    """Of one run. `began`: the moment of the loop's clock at which the scenario begins; `lanes`: how many jobs may be
    submitted at once.
    """

    def __init__(
        self,
        scenario: Scenario,
        fleet: Stage,
        ledger: Ledger,
        clock: Clock,
        began: float,
        *,
        lanes: int = 1,
    ) -> None:
        self._scenario = scenario
        self._fleet = fleet
        self._hub = fleet.hub
        self._ledger = ledger
        self._clock = clock
        self._began = began
        self._members: Sequence[MemberCluster] = ()
        self._lanes = lanes
        self._lanes_done = 0
        # How many jobs of a stream there have been.
        self._turns: Counter[str] = Counter()
        self._dark: dict[str, int] = {}
        self._keep = format_duration(scenario.keep)

    async def prepare(self) -> None:
        """What the scenario begins with."""
        await apply(self._fleet, self._scenario.objects)

    async def run(self, jobs: Iterator[Arrival]) -> None:
        """All of it, until cancelled."""
        self._members = await self._fleet.member_clusters()
        async with asyncio.TaskGroup() as tasks:
            for _ in range(self._lanes):
                tasks.create_task(self._submit(jobs), name="arrivals")
            for number, outage in enumerate(self._scenario.outages):
                tasks.create_task(self._darken(outage), name=f"outage-{number}")
            for number, change in enumerate(self._scenario.changes):
                tasks.create_task(self._change(change), name=f"change-{number}")

    @property
    def has_submitted_all(self) -> bool:
        return self._lanes_done == self._lanes

    async def _until(self, moment: float) -> None:
        await self._clock.sleep(max(0.0, self._began + moment - self._clock.monotonic()))

    # Jobs.

    async def _submit(self, jobs: Iterator[Arrival]) -> None:
        """Every lane takes the next one."""
        for arrival in jobs:
            turn = self._turns[arrival.stream.name]
            self._turns[arrival.stream.name] += 1
            await self._until(arrival.at)
            try:
                await self._submit_one(arrival, turn)
            except StatusError as error:
                raise Refused(f"jobs: {arrival.stream.name}: {error.message}") from error
        self._lanes_done += 1

    async def _submit_one(self, arrival: Arrival, turn: int) -> None:
        units = amount(arrival.resources, self._scenario.unit)
        self._ledger.submitted(arrival, units)
        if arrival.stream.manifest:
            await self._submit_made(arrival, turn)
            return
        job = job_of(arrival, self._keep)
        if arrival.stream.cluster:
            await self._create(self._fleet.member(arrival.stream.cluster), job)
            return
        created = decode(await self._create(self._hub, job))
        placement = placement_for(created, arrival, self._members, self._keep)
        await self._create(self._hub, placement)

    async def _submit_made(self, arrival: Arrival, turn: int) -> None:
        stream = arrival.stream
        names = [each.name for each in self._scenario.members]
        there = in_turn(names, stream.spread, turn) if stream.spread > 1 else ()
        for each in made(stream.manifest, arrival.name, arrival.pods, arrival.seconds, there):
            await self._create(self._hub, each)

    async def _create(self, client: Client, obj: Object) -> Raw:
        namespace = obj["metadata"].get("namespace")
        resource = self._fleet.resource_of(obj)
        return await client.create(resource, obj, namespace=namespace, field_manager=_MANAGER)

    # What befalls the fleet.

    async def _darken(self, outage: Outage) -> None:
        await self._until(outage.since)
        self._ledger.note("outage", clusters=list(outage.clusters), until=outage.until)
        await self._turn(outage, 1)
        await self._until(outage.until)
        await self._turn(outage, -1)
        self._ledger.note("outage-over", clusters=list(outage.clusters))

    async def _turn(self, outage: Outage, sign: int) -> None:
        """Two outages may overlap: it is light when both are over."""
        for name in outage.clusters:
            self._dark[name] = self._dark.get(name, 0) + sign
            self._ledger.add("dark", name, sign)
        async with asyncio.TaskGroup() as tasks:
            for name in outage.clusters:
                tasks.create_task(self._fleet.darken(name, is_dark=bool(self._dark[name])))

    async def _change(self, change: Change) -> None:
        await self._until(change.at)
        self._ledger.note("change", what=change.what)
        await apply(self._fleet, change.objects)


async def apply(fleet: Stage, objects: Sequence[Object]) -> None:
    """As `kubectl apply --server-side` on the hub; Refused says which object, and why."""
    for obj in objects:
        name = obj["metadata"]["name"]
        try:
            resource = fleet.resource_of(obj)
            await fleet.hub.apply(
                resource,
                name,
                obj,
                namespace=obj["metadata"].get("namespace"),
                field_manager=_MANAGER,
                force=True,
            )
        except StatusError as error:
            raise Refused(f"objects: {obj['kind']} {name}: {error.message}") from error
