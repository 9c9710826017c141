"""A cluster in memory behind a bad network, and an informer on it, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import msgspec

from argosy.base.clock import VirtualClock
from argosy.base.loops import run_virtual
from argosy.client.objects import Raw
from argosy.client.resources import CONFIG_MAPS
from argosy.control.informers import EVERYTHING, Informer, Selection
from tests.fakes.clients import FaultyClient
from tests.fakes.clusters import memory_client


class Meta(msgspec.Struct, frozen=True):
    name: str
    namespace: str = ""
    labels: dict[str, str] = {}


class ConfigMap(msgspec.Struct, frozen=True):
    metadata: Meta
    data: dict[str, str] = {}


class World:
    """A cluster, an informer on it, and what its handler was told."""

    def __init__(self, client: FaultyClient, selection: Selection = EVERYTHING) -> None:
        self.client = client
        self.informer = Informer(
            self.client, CONFIG_MAPS, ConfigMap, clock=VirtualClock(), selection=selection
        )
        self.news: list[str] = []
        self.informer.add_handler(self.note)

    def note(self, old: ConfigMap | None, new: ConfigMap | None) -> None:
        obj = new or old
        assert obj is not None
        mark = "~" if old and new else "+" if new else "-"
        self.news.append(f"{mark}{obj.metadata.name}{obj.data.get('v', '')}")

    async def put(self, name: str, value: str = "", *, namespace: str = "ns", **labels: str) -> Raw:
        body = {"metadata": {"name": name, "labels": labels}, "data": {"v": value}}
        return await self.client.apply(
            CONFIG_MAPS, name, body, field_manager="t", namespace=namespace, force=True
        )

    async def drop(self, name: str) -> None:
        await self.client.delete(CONFIG_MAPS, name, namespace="ns")


def play(story: Callable[[World], Awaitable[None]], selection: Selection = EVERYTHING) -> World:
    async def main() -> World:
        world = World(FaultyClient(await memory_client(("ns", "other"))), selection)
        task = asyncio.create_task(world.informer.run())
        await story(world)
        await asyncio.sleep(60)
        task.cancel()
        return world

    return run_virtual(main())


def contents(world: World) -> dict[str, str]:
    return {key.name: obj.data["v"] for key, obj in world.informer.items()}
