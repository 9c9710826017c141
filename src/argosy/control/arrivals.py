"""Informers of resources that a cluster may not serve yet: their definition is applied later, or never.

An assembly waits for its informers before anybody works, so one for a resource that is not there would hold up all.
Here the informer begins to follow when the CustomResourceDefinition is Established with the version asked for, and
rests when that goes; nobody waits for it. `is_synced` tells readers whether an empty cache means anything.
"""

from __future__ import annotations

import asyncio
from typing import Final, TypeVar

from argosy.api.crds.ranking import version_rank
from argosy.api.objects import Condition, ObjectMeta, View, is_true
from argosy.client.resources import Resource
from argosy.control.informers import Informer

T = TypeVar("T")


class DefinitionNames(View, frozen=True):
    plural: str = ""
    kind: str = ""


class DefinitionVersion(View, frozen=True):
    name: str = ""
    served: bool = False


class DefinitionSpec(View, frozen=True):
    group: str = ""
    scope: str = ""
    names: DefinitionNames = DefinitionNames()
    versions: tuple[DefinitionVersion, ...] = ()


class DefinitionStatus(View, frozen=True):
    conditions: tuple[Condition, ...] = ()


class Definition(View, frozen=True):
    """What is read of a CustomResourceDefinition."""

    metadata: ObjectMeta = ObjectMeta()
    spec: DefinitionSpec = DefinitionSpec()
    status: DefinitionStatus = DefinitionStatus()

    @property
    def resources(self) -> tuple[Resource, ...]:
        """Every version that is served now, the preferred one first."""
        spec = self.spec
        if not is_true(self.status.conditions, "Established"):
            return ()
        served = sorted((each.name for each in spec.versions if each.served), key=version_rank)
        return tuple(
            Resource(
                spec.group,
                version,
                spec.names.plural,
                spec.names.kind,
                namespaced=spec.scope == "Namespaced",
            )
            for version in served
        )

    def serves(self, resource: Resource) -> bool:
        return (
            self.spec.group == resource.group
            and self.spec.names.plural == resource.plural
            and any(each.name == resource.version and each.served for each in self.spec.versions)
            and is_true(self.status.conditions, "Established")
        )


class Arrival:
    """Follows one resource while it is served."""

    def __init__(
        self, definitions: Informer[Definition], informer: Informer[T], resource: Resource
    ) -> None:
        self._definitions: Final = definitions
        self._resource: Final = resource
        self._follow = informer.run
        self._changed = asyncio.Event()
        definitions.add_handler(self._note)

    def _note(self, old: Definition | None, new: Definition | None) -> None:
        for each in (old, new):
            if each is not None and each.metadata.name == self._resource.qualified:
                self._changed.set()

    @property
    def is_served(self) -> bool:
        found = self._definitions.get("", self._resource.qualified)
        return found is not None and found.serves(self._resource)

    async def run(self) -> None:
        """Follow whenever there is something to follow, until cancelled."""
        while True:
            await self._until(is_served=True)
            following = asyncio.create_task(
                self._follow(), name=f"informer:{self._resource.qualified}"
            )
            leaving = asyncio.create_task(self._until(is_served=False))
            try:
                await asyncio.wait({following, leaving}, return_when=asyncio.FIRST_COMPLETED)
                if following.done():
                    # It never ends by itself: this raises what ended it.
                    await following
            finally:
                await _ended(following, leaving)

    async def _until(self, *, is_served: bool) -> None:
        while self.is_served != is_served:
            self._changed.clear()
            await self._changed.wait()


async def _ended(*tasks: asyncio.Task[None]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
