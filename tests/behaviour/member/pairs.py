"""A hub and a member in memory, with the work applier between them, in virtual time.

The test writes Works as the hub would; everything else is real: both API servers, the member's garbage collector and
Jobs, and, where a story wants them, its nodes. `Counting` counts what the agent asks of a cluster.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from argosy.api.objects.fleet import names
from argosy.apiserver.access.identities import ADMIN
from argosy.base.clock import VirtualClock
from argosy.base.ids import SeededIds
from argosy.base.loops import run_virtual
from argosy.base.types import Json, Object
from argosy.client.local import LocalClient
from argosy.client.protocol import Client
from argosy.client.resources import APPLIED_WORKS, CONFIG_MAPS, NAMESPACES, WORKS, Resource
from argosy.control.assemblies import Assembly
from argosy.member.applying.controllers import Applying
from argosy.workloads.housekeeping import keep_house
from tests.fakes.clusters import memory_server
from tests.fakes.fleets import install_fleet_kinds
from tests.fakes.worlds import Add, World, _Failures

CLUSTER = "member-1"
SPACE = names.member_namespace(CLUSTER)
STRATEGY: Object = {
    "comparisonOption": "PartialComparison",
    "type": "ClientSideApply",
    "whenToApply": "Always",
    "whenToTakeOver": "Always",
}


class Counting:
    """A client that counts the verbs asked of it, and lets a test come in before each."""

    def __init__(self, client: LocalClient) -> None:
        self._client = client
        self.calls: Counter[str] = Counter()
        self.before: Callable[[], Awaitable[None]] | None = None

    def __getattr__(self, verb: str) -> Any:
        found = getattr(self._client, verb)
        if verb in {"watch", "list", "list_all", "close"}:
            return found

        async def call(resource: Resource, *args: Any, **options: Any) -> Any:
            said = [verb, resource.plural, options.get("subresource", "")]
            self.calls[" ".join(filter(None, said))] += 1
            if self.before is not None:
                await self.before()
            return await found(resource, *args, **options)

        return call

    def taken(self) -> dict[str, int]:
        """What was asked since the last time, reads left out."""
        calls = {what: n for what, n in self.calls.items() if not what.startswith("get")}
        self.calls.clear()
        return calls


class Pair:
    """What a story can do and see. `hub` and `member` are worlds of their own, for whoever works there."""

    def __init__(self, hub: LocalClient, member: LocalClient, clock: VirtualClock) -> None:
        self.clock = clock
        self.hub = World(hub, clock)
        self.member = World(member, clock)
        self.hub_calls = Counting(hub)
        self.member_calls = Counting(member)
        self.joined = True
        self.adds: Sequence[Add] = ()
        self._agent: tuple[asyncio.Task[None], ...] = ()

    async def start(self) -> None:
        """A fresh agent, which knows nothing but what is written."""
        hub_client: Client = self.hub_calls  # type: ignore[assignment]  # every verb, by name
        member_client: Client = self.member_calls  # type: ignore[assignment]  # as above
        ids, source = SeededIds(5), random.Random(7)
        hub = Assembly(hub_client, clock=self.clock, ids=ids, source=source)
        member = Assembly(member_client, clock=self.clock, ids=ids, source=source)
        # As upstream, which puts no finalizer on jobs; tests/behaviour/fleet has those that are held.
        Applying(hub, member, CLUSTER, joined=lambda: self.joined, holds_jobs=False)
        self._agent = tuple(asyncio.create_task(each.run()) for each in (hub, member))
        await hub.started()
        await member.started()

    async def stop(self) -> None:
        for task in self._agent:
            assert not task.done(), task
            task.cancel()
        if self._agent:
            await asyncio.wait(self._agent)
        self._agent = ()

    async def pass_time(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def send(
        self, *manifests: Object, name: str = "w", settle: float = 0.5, **more: Json
    ) -> None:
        """A new Work, and a moment for it."""
        meta = {"name": name, "annotations": more.pop("annotations", {})}
        strategy = {**STRATEGY, **more}
        spec = {"workload": {"manifests": list(manifests)}, "applyStrategy": strategy}
        await self.hub.create(WORKS, {"metadata": meta, "spec": spec}, SPACE)
        await self.pass_time(settle)

    async def change(
        self, *manifests: Object, name: str = "w", settle: float = 0.5, **more: Json
    ) -> None:
        """Other manifests in a Work, or another strategy."""
        spec: Object = {"applyStrategy": more} if more else {}
        if manifests:
            spec["workload"] = {"manifests": list(manifests)}
        await self.hub.client.patch(WORKS, name, {"spec": spec}, namespace=SPACE)
        await self.pass_time(settle)

    async def work(self, name: str = "w") -> Object:
        found = await self.hub.get(WORKS, name, SPACE)
        assert found is not None, f"there is no Work {name}"
        return found

    async def status(self, name: str = "w") -> Object:
        found: Object = (await self.work(name)).get("status", {})
        return found

    async def said(self, name: str = "w") -> dict[str, str]:
        """The conditions of a Work: `True Reason: message` by type."""
        return spoken((await self.status(name)).get("conditions", ()))

    async def said_of(self, place: int = 0, name: str = "w") -> dict[str, str]:
        """The conditions of one of its manifests."""
        return spoken((await self.status(name))["manifestConditions"][place]["conditions"])

    async def drifts(self, place: int = 0, name: str = "w") -> list[Object]:
        entry = (await self.status(name))["manifestConditions"][place]
        found: list[Object] = entry.get("driftDetails", {}).get("observedDrifts", [])
        return found

    async def there(self, resource: Resource, name: str, namespace: str = "ns") -> Object:
        found = await self.member.get(resource, name, namespace)
        assert found is not None, f"the member has no {resource.kind} {name}"
        return found

    async def data(self, name: str = "c") -> Object:
        found: Object = (await self.there(CONFIG_MAPS, name))["data"]
        return found

    async def edit(self, resource: Resource, name: str, patch: Object) -> None:
        await self.member.client.patch(resource, name, patch, namespace="ns", field_manager="me")

    async def applied(self, name: str = "w") -> Object | None:
        return await self.member.get(APPLIED_WORKS, name, "")


def spoken(conditions: Sequence[Object]) -> dict[str, str]:
    return {
        each["type"]: f"{each['status']} {each['reason']}: {each['message']}" for each in conditions
    }


def config_map(name: str = "c", **data: str) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "ns"},
        "data": data,
    }


def paired(
    story: Callable[[Pair], Awaitable[None]],
    *adds: Add,
    namespaces: Sequence[str] = ("ns",),
    has_collector: bool = True,
) -> None:
    """Tell a story with an agent. `adds` are controllers of the member, which collects its garbage unless said so."""

    async def tell() -> None:
        clock = VirtualClock()
        servers = memory_server(clock, ids=SeededIds(1)), memory_server(clock, ids=SeededIds(2))
        clients = [LocalClient(each, ADMIN, agent="test") for each in servers]
        for client, spaces in zip(clients, ((SPACE, *namespaces), namespaces), strict=True):
            for name in spaces:
                await client.create(NAMESPACES, {"metadata": {"name": name}})
            await install_fleet_kinds(client)
        pair = Pair(clients[0], clients[1], clock)
        failures = _Failures()
        logging.getLogger("argosy").addHandler(failures)
        member = Assembly(clients[1], clock=clock, ids=SeededIds(3), source=random.Random(3))
        for add in adds:
            add(member)
        tasks = set()
        if has_collector:
            tasks.add(asyncio.create_task(keep_house(servers[1].cluster, ca="CERTIFICATE")))
        if adds:
            tasks.add(asyncio.create_task(member.run()))
            await member.started()
        try:
            await pair.start()
            await story(pair)
        finally:
            await pair.stop()
            for task in tasks:
                assert not task.done(), task
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            logging.getLogger("argosy").removeHandler(failures)
        assert failures.seen == []

    run_virtual(tell())
