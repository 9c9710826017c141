"""The fleet seen from outside, over HTTPS: nodes and pods as each member reports them, placements as the hub does.

Pods are counted by their Jobs' statuses (`ready`, `succeeded`), which the members' own controllers keep: to watch
140,000 pods would cost the observer more than the fleet. The hub is asked what somebody with kubectl asks, twice a
second all the way, both as kubectl's request and by running kubectl itself.
"""

from __future__ import annotations

import asyncio
import shutil
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from typing import Final, Self

import msgspec

from argosy.client import kubeconfig
from argosy.client.remote import RemoteClient
from argosy.client.resources import JOBS, MEMBER_CLUSTERS, NODES

_LOOK_SECONDS: Final = 1.0
_PROBE_SECONDS: Final = 0.5


class _Counts(msgspec.Struct):
    ready: int = 0
    succeeded: int = 0


class _Job(msgspec.Struct):
    status: _Counts = msgspec.field(default_factory=_Counts)


class _Properties(msgspec.Struct, rename="camel"):
    properties: dict[str, dict[str, str]] = {}


class _Member(msgspec.Struct):
    status: _Properties = msgspec.field(default_factory=_Properties)


_job = msgspec.json.Decoder(_Job).decode
_member = msgspec.json.Decoder(_Member).decode
_NODE_COUNT: Final = "kubernetes-fleet.io/node-count"


@dataclass(slots=True, frozen=True)
class Pods:
    jobs: int
    running: int
    succeeded: int


@dataclass(slots=True)
class Answers:
    """How long the hub took to answer, in milliseconds."""

    requests: list[float] = field(default_factory=list)
    commands: list[float] = field(default_factory=list)

    def told(self) -> str:
        return (
            f"request {_percentiles(self.requests)}, kubectl process {_percentiles(self.commands)}"
        )


def _percentiles(found: list[float]) -> str:
    if len(found) < 2:
        return "-"
    cuts = quantiles(found, n=100, method="inclusive")
    return f"p50 {cuts[49]:.0f} ms, p99 {cuts[98]:.0f} ms ({len(found)})"


class Observer:
    """Clients of the hub and of every member."""

    def __init__(self, path: Path, members: list[str], namespace: str) -> None:
        self._path = path
        self._names = members
        self._namespace = namespace
        self._stack = AsyncExitStack()
        self.members: dict[str, RemoteClient] = {}

    async def __aenter__(self) -> Self:
        self.hub = await self._stack.enter_async_context(self._client("hub"))
        for name in self._names:
            self.members[name] = await self._stack.enter_async_context(self._client(name))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    def _client(self, context: str) -> RemoteClient:
        return RemoteClient(kubeconfig.load(self._path, context=context))

    async def nodes(self) -> int:
        """As the members say."""
        async with asyncio.TaskGroup() as tasks:
            asked = [tasks.create_task(_count(each)) for each in self.members.values()]
        return sum(each.result() for each in asked)

    async def nodes_at_hub(self) -> int:
        """As the hub says."""
        listed = await self.hub.list_all(MEMBER_CLUSTERS)
        found = [_member(bytes(raw.body)).status.properties for raw in listed.items]
        return sum(int(each.get(_NODE_COUNT, {}).get("value", "0")) for each in found)

    async def pods(self) -> Pods:
        async with asyncio.TaskGroup() as tasks:
            asked = [
                tasks.create_task(each.list_all(JOBS, namespace=self._namespace))
                for each in self.members.values()
            ]
        found = [_job(bytes(raw.body)).status for each in asked for raw in each.result().items]
        running, succeeded = (
            sum(each.ready for each in found),
            sum(each.succeeded for each in found),
        )
        return Pods(len(found), running, succeeded)

    async def writes(self) -> int:
        """How many there have been, on all clusters: every write has a revision."""
        clients = (self.hub, *self.members.values())
        async with asyncio.TaskGroup() as tasks:
            asked = [tasks.create_task(each.list(NODES, limit=1)) for each in clients]
        return sum(int(each.result().revision) for each in asked)

    async def probe(self, answers: Answers) -> None:
        """Ask the hub for its members, over and over, until cancelled."""
        kubectl = shutil.which("kubectl")
        while True:
            began = time.perf_counter()
            await self.hub.list(MEMBER_CLUSTERS)
            answers.requests.append(1000 * (time.perf_counter() - began))
            if kubectl is not None:
                answers.commands.append(1000 * await self._run(kubectl))
            await asyncio.sleep(_PROBE_SECONDS)

    async def _run(self, kubectl: str) -> float:
        began = time.perf_counter()
        arguments = ("--kubeconfig", str(self._path), "--context", "hub", "get", "memberclusters")
        process = await asyncio.create_subprocess_exec(
            kubectl, *arguments, stdout=asyncio.subprocess.DEVNULL
        )
        code = await process.wait()
        if code != 0:
            raise RuntimeError(f"kubectl get memberclusters ended with code {code}")
        return time.perf_counter() - began


async def _count(client: RemoteClient) -> int:
    listed = await client.list(NODES, limit=1)
    return len(listed.items) + (listed.remaining or 0)


async def look() -> None:
    await asyncio.sleep(_LOOK_SECONDS)
