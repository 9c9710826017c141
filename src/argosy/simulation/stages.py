"""A fleet that is served by processes, as a scenario is played on it: everything goes over HTTPS, as users go.

A region goes dark by shutting the doors of its members to the hub (`argosy.fleet.doors`): their connections are cut and
refused, while whatever runs on them goes on, and can be looked at with kubectl.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Final, Self

from argosy.api.objects import View
from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.metadata import Condition, ObjectMeta, decoder, is_true
from argosy.base.clock import Clock
from argosy.base.errors import NotFound
from argosy.base.types import Object
from argosy.client import kubeconfig
from argosy.client.protocol import Client
from argosy.client.remote import RemoteClient
from argosy.client.resources import (
    CLUSTER_RESOURCE_PLACEMENTS,
    CUSTOM_RESOURCE_DEFINITIONS,
    JOBS,
    MEMBER_CLUSTERS,
    NODES,
    RESOURCE_PLACEMENTS,
    Resource,
)
from argosy.control.arrivals import Definition
from argosy.fleet.doors import Doors
from argosy.placement.selecting.catalogs import Catalog
from argosy.workloads.jobsets.names import JOB_SETS

_HUB: Final = "hub"
_AGENT: Final = "argosy-simulate"
_LOOK_SECONDS: Final = 0.2
_member: Final = decoder(MemberCluster)
_definition: Final = decoder(Definition)


class _Status(View, frozen=True):
    conditions: tuple[Condition, ...] = ()


class _Placement(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    status: _Status = _Status()


_placement: Final = decoder(_Placement)
_PLACEMENTS: Final = {
    each.kind: (each, f"{each.kind}Available")
    for each in (CLUSTER_RESOURCE_PLACEMENTS, RESOURCE_PLACEMENTS)
}


class LiveFleet:
    """An async context manager. `path` is the fleet's kubeconfig."""

    def __init__(self, path: Path, doors: Doors, clock: Clock) -> None:
        self._path = path
        self._doors = doors
        self._clock = clock
        self._clients: dict[str, RemoteClient] = {}
        self._catalog = Catalog()

    async def __aenter__(self) -> Self:
        listed = await self.hub.list_all(CUSTOM_RESOURCE_DEFINITIONS)
        for raw in listed.items:
            self._catalog.put(_definition(raw.raw))
        return self

    async def __aexit__(self, *_: object) -> None:
        for client in self._clients.values():
            await client.close()

    @property
    def hub(self) -> Client:
        return self._client(_HUB)

    def member(self, name: str) -> Client:
        return self._client(name)

    def _client(self, context: str) -> Client:
        found = self._clients.get(context)
        if found is None:
            connection = kubeconfig.load(self._path, context=context)
            found = self._clients[context] = RemoteClient(connection, user_agent=_AGENT)
        return found

    async def member_clusters(self) -> list[MemberCluster]:
        return [_member(raw.raw) for raw in (await self.hub.list_all(MEMBER_CLUSTERS)).items]

    async def jobs(self) -> set[tuple[str, str]]:
        """Namespace and name of every job on the hub."""
        found: set[tuple[str, str]] = set()
        for resource in (JOBS, JOB_SETS):
            listed = await self.hub.list_all(resource)
            found |= {(raw.key.namespace, raw.key.name) for raw in listed.items}
        return found

    def resource_of(self, obj: Object) -> Resource:
        group, _, version = str(obj["apiVersion"]).rpartition("/")
        found = self._catalog.find(group, version, obj["kind"])
        if found is None:
            raise NotFound(
                f'no matches for kind "{obj["kind"]}" in version "{obj["apiVersion"]}" on the hub'
            )
        return found

    async def darken(self, name: str, *, is_dark: bool) -> None:
        await (self._doors.shut(name) if is_dark else self._doors.open(name))

    async def settled(self, objects: Iterable[Object], seconds: float) -> bool:
        """Wait until what these placements select is there, everywhere it is to be, but not for ever."""
        waiting = [each for each in objects if each["kind"] in _PLACEMENTS]
        until = self._clock.monotonic() + seconds
        while True:
            waiting = [each for each in waiting if not await self._is_available(each)]
            if not waiting or self._clock.monotonic() > until:
                return not waiting
            await self._clock.sleep(_LOOK_SECONDS)

    async def _is_available(self, obj: Object) -> bool:
        resource, condition = _PLACEMENTS[obj["kind"]]
        meta = obj["metadata"]
        raw = await self.hub.get(resource, meta["name"], namespace=meta.get("namespace"))
        return is_true(_placement(raw.raw).status.conditions, condition)

    async def writes(self, names: Iterable[str]) -> int:
        """How many there have been on the hub and these members: every write has a revision."""
        clients = [self._client(each) for each in (_HUB, *names)]
        async with asyncio.TaskGroup() as tasks:
            asked = [tasks.create_task(each.list(NODES, limit=1)) for each in clients]
        return sum(int(each.result().revision) for each in asked)
