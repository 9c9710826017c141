"""A whole controller on a cluster in memory: informers, queue, reconciler, recorder, behind a bad network."""

from __future__ import annotations

import asyncio
import logging
import random

import msgspec
import pytest

from argosy.base.clock import VirtualClock
from argosy.base.errors import AlreadyExists, ServiceUnavailable, stale
from argosy.base.ids import SeededIds
from argosy.base.loops import run_virtual
from argosy.client.objects import Key
from argosy.client.resources import CONFIG_MAPS, EVENTS
from argosy.control.correlating import Reference
from argosy.control.informers import Informers, Selection
from argosy.control.reconcilers import DONE, Controller, Result
from argosy.control.recorders import EventRecorder
from tests.fakes.clients import Fault, FaultyClient
from tests.fakes.clusters import memory_client


class Meta(msgspec.Struct, frozen=True):
    name: str
    namespace: str = ""


class ConfigMap(msgspec.Struct, frozen=True):
    metadata: Meta
    data: dict[str, str] = {}


class Mirror:
    """Keeps a copy in namespace `to` of every config map labeled mirror=yes."""

    def __init__(self, client: FaultyClient) -> None:
        clock = VirtualClock()
        self.client = client
        self.informers = Informers(client, clock, random.Random(1))
        self.sources = self.informers.informer(
            CONFIG_MAPS, ConfigMap, Selection(namespace="ns", label_selector="mirror=yes")
        )
        self.copies = self.informers.informer(CONFIG_MAPS, ConfigMap, Selection(namespace="to"))
        self.recorder = EventRecorder(
            client, "mirror", clock=clock, ids=SeededIds(1), source=random.Random(1)
        )
        self.controller = Controller("mirror", self.reconcile, clock=clock, workers=3)
        for informer in (self.sources, self.copies):
            informer.add_handler(self._enqueue)

    def _enqueue(self, old: ConfigMap | None, new: ConfigMap | None) -> None:
        self.controller.queue.add((new or old).metadata.name)  # type: ignore[union-attr]

    async def reconcile(self, name: str) -> Result:
        source, copy = self.sources.get("ns", name), self.copies.get("to", name)
        if source is None:
            if copy is not None:
                await self.client.delete(CONFIG_MAPS, name, namespace="to")
            return DONE
        if copy is None:
            body = {"metadata": {"name": name}, "data": source.data}
            await self.client.create(CONFIG_MAPS, body, namespace="to")
            about = Reference("ConfigMap", name, "ns", apiVersion="v1")
            self.recorder.event(about, "Normal", "Copied", f"Copied to {Key('to', name)}")
        elif copy.data != source.data:
            await self.client.patch(CONFIG_MAPS, name, {"data": source.data}, namespace="to")
        return DONE

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            for part in (self.informers.run(), self.controller.run(), self.recorder.run()):
                group.create_task(part)


def luck(source: random.Random) -> Fault:
    if source.random() > 0.3:
        return Fault()
    return source.choice([
        Fault(ServiceUnavailable("down")),
        Fault(ServiceUnavailable("answer lost"), lost=True),
        Fault(before=2.0),
        Fault(stale("", "configmaps", "x")),
        Fault(AlreadyExists("late news")),
    ])  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
def test_the_world_becomes_what_is_wanted(seed: int) -> None:
    async def main() -> tuple[dict[str, str], dict[str, str], int]:
        inner = await memory_client(("ns", "to"))
        source = random.Random(seed)
        calm = False
        mirror = Mirror(FaultyClient(inner, lambda _: Fault() if calm else luck(source)))
        task = asyncio.create_task(mirror.run())
        want: dict[str, str] = {}
        for number in range(60):
            name = source.choice("abcdef")
            if source.random() < 0.3:
                if want.pop(name, None) is not None:
                    await inner.delete(CONFIG_MAPS, name, namespace="ns")
            else:
                want[name] = str(number)
                body = {"metadata": {"labels": {"mirror": "yes"}}, "data": {"v": want[name]}}
                await inner.apply(CONFIG_MAPS, name, body, field_manager="t", namespace="ns")
            if source.random() < 0.2:
                source.choice([mirror.client.cut, mirror.client.expire])()
            await asyncio.sleep(source.uniform(0, 4))
        calm = True
        await asyncio.sleep(3600)
        task.cancel()
        await asyncio.wait({task})
        copies = {
            o["metadata"]["name"]: o["data"]["v"]
            for o in await mirror.client.objects(CONFIG_MAPS)
            if o["metadata"]["namespace"] == "to"
        }
        return copies, want, len(await mirror.client.objects(EVENTS))

    logging.disable(logging.WARNING)
    try:
        copies, want, events = run_virtual(main())
    finally:
        logging.disable(logging.NOTSET)
    assert copies == want
    assert events > 0
