"""How far the placements of a hub are, seen through one watch of each half."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from contextlib import aclosing
from typing import Final

from argosy.api.objects.fleet.placements import Placement
from argosy.api.objects.metadata import decoder
from argosy.client.objects import Key
from argosy.client.remote import RemoteClient
from argosy.client.resources import CLUSTER_RESOURCE_PLACEMENTS, RESOURCE_PLACEMENTS, Resource

_decode: Final = decoder(Placement)


class Observer:
    """The placements of a hub as they stand, and waiting for them."""

    def __init__(self, client: RemoteClient) -> None:
        self._client = client
        self._placements: dict[Key, Placement] = {}
        self._changed = asyncio.Event()

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            for resource in (CLUSTER_RESOURCE_PLACEMENTS, RESOURCE_PLACEMENTS):
                tasks.create_task(self._follow(resource))

    async def _follow(self, resource: Resource) -> None:
        async with aclosing(self._client.watch(resource)) as events:
            async for event in events:
                if event.type in {"ADDED", "MODIFIED"}:
                    self._placements[event.object.key] = _decode(bytes(event.object.body))
                    self._changed.set()

    def by_cluster(self, prefix: str) -> list[int]:
        """How many placements whose name begins so each cluster has."""
        counts = Counter(
            status.cluster_name
            for key, placement in self._placements.items()
            if key.name.startswith(prefix)
            for status in placement.status.placement_statuses
        )
        return [counts[name] for name in sorted(counts)]

    async def until(self, number: int, holds: Callable[[Key, Placement], bool]) -> float:
        """Wait until it holds for so many placements; the moment is given back."""
        while True:
            if sum(holds(key, each) for key, each in self._placements.items()) >= number:
                return time.monotonic()
            self._changed.clear()
            await self._changed.wait()
            # Many come at once; looking at all of them after each would be the benchmark itself.
            await asyncio.sleep(0.02)


def has(condition: str, prefix: str = "", index: str = "0") -> Callable[[Key, Placement], bool]:
    """Whether a placement whose name begins so has the condition for its generation and this resource index."""

    def holds(key: Key, placement: Placement) -> bool:
        return (
            key.name.startswith(prefix)
            and placement.status.observed_resource_index == index
            and any(
                each.type.endswith(condition)
                and each.status == "True"
                and each.observed_generation == placement.metadata.generation
                for each in placement.status.conditions
            )
        )

    return holds
