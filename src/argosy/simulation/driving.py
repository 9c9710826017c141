"""Does what a scenario says, each thing at its moment: jobs are submitted, lines go dark, quotas change.

It acts as people do, on the hub, with the verbs they have. Jobs say how long they are kept after their end, as with
`argosy submit --keep`, and the hub lets go of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Final

from argosy.api.objects.fleet.members import MemberCluster
from argosy.base.clock import Clock
from argosy.base.durations import format_duration
from argosy.base.errors import StatusError
from argosy.base.types import Object
from argosy.client.objects import decode
from argosy.client.resources import RESOURCE_PLACEMENTS
from argosy.sdk import kinds
from argosy.simulation.arriving import Arrival
from argosy.simulation.fleets import VirtualFleet
from argosy.simulation.ledgers import Ledger
from argosy.simulation.manifests import job_of, placement_for
from argosy.simulation.plans import Change, Outage, Scenario
from argosy.simulation.watching import amount

_MANAGER: Final = "argosy"


class Refused(Exception):
    """The hub does not take an object of the scenario; the message says which, and why."""


class Driver:
    """Of one run. `began`: the moment of the loop's clock at which the scenario begins."""

    def __init__(
        self, scenario: Scenario, fleet: VirtualFleet, ledger: Ledger, clock: Clock, began: float
    ) -> None:
        self._scenario = scenario
        self._fleet = fleet
        self._hub = fleet.hub
        self._ledger = ledger
        self._clock = clock
        self._began = began
        self._members: Sequence[MemberCluster] = ()
        self._dark: dict[str, int] = {}
        self._keep = format_duration(scenario.keep)

    async def prepare(self) -> None:
        """What the scenario begins with."""
        await apply(self._fleet, self._scenario.objects)

    async def run(self, jobs: Iterator[Arrival]) -> None:
        """All of it, until cancelled."""
        self._members = await self._fleet.member_clusters()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._submit(jobs), name="arrivals")
            for number, outage in enumerate(self._scenario.outages):
                tasks.create_task(self._darken(outage), name=f"outage-{number}")
            for number, change in enumerate(self._scenario.changes):
                tasks.create_task(self._change(change), name=f"change-{number}")

    async def _until(self, moment: float) -> None:
        await self._clock.sleep(max(0.0, self._began + moment - self._clock.monotonic()))

    # Jobs.

    async def _submit(self, jobs: Iterator[Arrival]) -> None:
        for arrival in jobs:
            await self._until(arrival.at)
            await self._submit_one(arrival)

    async def _submit_one(self, arrival: Arrival) -> None:
        units = amount(arrival.resources, self._scenario.unit)
        self._ledger.submitted(arrival, units)
        job = job_of(arrival, self._keep)
        group, _, version = job["apiVersion"].rpartition("/")
        resource = kinds.resource_of(group, job["kind"], version)
        namespace = arrival.stream.namespace
        try:
            created = decode(
                await self._hub.create(resource, job, namespace=namespace, field_manager=_MANAGER)
            )
            placement = placement_for(created, arrival, self._members, self._keep)
            await self._hub.create(
                RESOURCE_PLACEMENTS, placement, namespace=namespace, field_manager=_MANAGER
            )
        except StatusError as error:
            raise Refused(f"jobs: {arrival.stream.name}: {error.message}") from error

    # What befalls the fleet.

    async def _darken(self, outage: Outage) -> None:
        await self._until(outage.since)
        self._ledger.note("outage", clusters=list(outage.clusters), until=outage.until)
        self._turn(outage, 1)
        await self._until(outage.until)
        self._turn(outage, -1)
        self._ledger.note("outage-over", clusters=list(outage.clusters))

    def _turn(self, outage: Outage, sign: int) -> None:
        """Two outages may overlap: it is light when both are over."""
        for name in outage.clusters:
            self._dark[name] = self._dark.get(name, 0) + sign
            self._fleet.members[name].line.is_dark = bool(self._dark[name])
            self._ledger.add("dark", name, sign)

    async def _change(self, change: Change) -> None:
        await self._until(change.at)
        self._ledger.note("change", what=change.what)
        await apply(self._fleet, change.objects)


async def apply(fleet: VirtualFleet, objects: Sequence[Object]) -> None:
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
