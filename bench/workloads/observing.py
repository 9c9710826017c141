"""One Job on fake nodes, seen from outside: when all its pods ran, and when it was complete.

It speaks plain HTTP to any Kubernetes API server, so every rival is asked and watched in the same
way. The clock starts when the request that creates the Job is sent. Two watches do the observing:
the Job's own status trails its pods by up to a second, so the pods are counted one by one. The
observer shares the cores with what it observes; it decodes each event once, some 10 µs a pod event.

A busy kube-apiserver closes the watch of a client that falls behind. The observer then resumes
after the last event that it has seen, so nothing is missed; a time is only ever taken when the
event that it stands for has arrived, and a watch that cannot be resumed is an error.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Iterable
from dataclasses import dataclass
from typing import Self

import aiohttp
import msgspec

from peer.running import ControlPlane

NAMESPACE = "bench"
CONNECTIONS = 16
POLL_SECONDS = 0.25
NODE_RESOURCES = {"cpu": "8", "memory": "32Gi", "pods": "110"}


class Condition(msgspec.Struct):
    type: str
    status: str


class Status(msgspec.Struct):
    phase: str = ""
    conditions: list[Condition] = []


class Metadata(msgspec.Struct, rename="camel"):
    name: str = ""
    resource_version: str = ""


class Watched(msgspec.Struct):
    """What is read of a pod, a node or a Job."""

    metadata: Metadata
    status: Status = msgspec.field(default_factory=Status)

    def has(self, condition: str) -> bool:
        return any(c.type == condition and c.status == "True" for c in self.status.conditions)


class Event(msgspec.Struct):
    type: str
    object: msgspec.Raw


class Listed(msgspec.Struct):
    items: list[Watched]


class WatchError(Exception):
    """The server ended a watch with an error, so what happened since is unknown."""


class JobFailedError(Exception):
    """The Job ended in another way than with all its pods succeeded."""


@dataclass(slots=True, frozen=True)
class Seen:
    """Seconds from the request that creates the Job until its pods all ran, and until the end.

    `lost` counts the pods that ran and were gone at the end: a Job that needs all its pods deletes
    none, so a run that lost some was disturbed.
    """

    running_seconds: float
    complete_seconds: float
    lost: int


def job(name: str, pods: int, annotations: dict[str, str]) -> dict[str, object]:
    """Return a Job that runs all its pods at once; the annotations tell its pods when to end."""
    container = {
        "name": "main",
        "image": "registry.example.com/team/trainer:1.2.3",
        "resources": {"requests": {"cpu": "100m", "memory": "100Mi"}},
    }
    template = {
        "metadata": {"annotations": annotations},
        "spec": {"restartPolicy": "Never", "containers": [container]},
    }
    spec = {"completions": pods, "parallelism": pods, "template": template}
    return {"metadata": {"name": name}, "spec": spec}


def node(name: str) -> dict[str, object]:
    """Return a node that somebody fake will keep ready."""
    labels = {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux"}
    status = {"capacity": NODE_RESOURCES, "allocatable": NODE_RESOURCES}
    return {"metadata": {"name": name, "labels": labels}, "status": status}


class Observer:
    """A client of one server; use it as a context manager."""

    def __init__(self, plane: ControlPlane) -> None:
        self._session = aiohttp.ClientSession(
            plane.url,
            connector=aiohttp.TCPConnector(limit=0, ssl=plane.tls()),
            headers={"Authorization": f"Bearer {plane.tokens['admin']}"},
            timeout=aiohttp.ClientTimeout(total=None),
            read_bufsize=2**20,
            raise_for_status=True,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._session.close()

    async def add_nodes(self, count: int) -> None:
        """Create nodes and wait until all are ready and nothing keeps pods away from them."""
        names = [f"node-{number:05}" for number in range(count)]
        await _few_at_a_time(self._post("/api/v1/nodes", node(name)) for name in names)
        while not await self._are_ready(count):  # noqa: ASYNC110  # another process is awaited
            await asyncio.sleep(POLL_SECONDS)

    async def add_namespace(self) -> None:
        """Create the namespace and wait for the service account that its pods will use."""
        await self._post("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
        path = f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts"
        while b'"default"' not in await self._get(path):  # noqa: ASYNC110
            await asyncio.sleep(POLL_SECONDS)

    async def add_pool(self, count: int) -> None:
        """Have Argosy's own pool make the nodes, and wait until all are ready."""
        machine = {"cpu": "8", "memory": "32Gi", "pods": 110}
        spec = {
            "minimum": count,
            "maximum": count,
            "machine": machine,
            "runtime": "simulated",
            "bootTime": "0s",
        }
        kind = {"apiVersion": "argosy.dev/v1alpha1", "kind": "NodePool"}
        body: dict[str, object] = {**kind, "metadata": {"name": "bench"}, "spec": spec}
        await self._post("/apis/argosy.dev/v1alpha1/nodepools", body)
        while not await self._are_ready(count):  # noqa: ASYNC110
            await asyncio.sleep(POLL_SECONDS)

    async def run_jobs(self, bodies: list[dict[str, object]], pods: int) -> Seen:
        """Create many Jobs at once and watch until all of their pods ran and all are complete."""
        jobs = f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs"
        pods_path = f"/api/v1/namespaces/{NAMESPACE}/pods"
        ran: set[str] = set()
        async with asyncio.TaskGroup() as group:
            running = group.create_task(self._all_running(pods_path, pods, ran))
            complete = group.create_task(self._completed(jobs, len(bodies)))
            began = time.monotonic()
            await _few_at_a_time(self._post(jobs, body) for body in bodies)
        return Seen(running.result() - began, complete.result() - began, 0)

    async def run_job(self, body: dict[str, object], pods: int) -> Seen:
        """Create a Job in the namespace and watch it to its end."""
        jobs = f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs"
        pods_path = f"/api/v1/namespaces/{NAMESPACE}/pods"
        ran: set[str] = set()
        async with asyncio.TaskGroup() as group:
            running = group.create_task(self._all_running(pods_path, pods, ran))
            complete = group.create_task(self._completed(jobs))
            began = time.monotonic()
            await self._post(jobs, body)
        left = msgspec.json.decode(await self._get(pods_path), type=Listed).items
        lost = len(ran - {pod.metadata.name for pod in left})
        return Seen(running.result() - began, complete.result() - began, lost)

    async def _all_running(self, path: str, pods: int, ran: set[str]) -> float:
        async for pod in self._watch(path):
            if pod.status.phase in {"Running", "Succeeded"}:
                ran.add(pod.metadata.name)
                if len(ran) == pods:
                    return time.monotonic()
        raise WatchError(f"the watch of {path} ended after {len(ran)} of {pods} pods ran")

    async def _completed(self, path: str, count: int = 1) -> float:
        done: set[str] = set()
        async for each in self._watch(path):
            if each.has("Complete"):
                done.add(each.metadata.name)
                if len(done) == count:
                    return time.monotonic()
            if each.has("Failed"):
                raise JobFailedError(f"the Job {each.metadata.name} failed")
        raise WatchError(f"the watch of {path} ended before the Job was complete")

    async def _watch(self, path: str) -> AsyncIterator[Watched]:
        """Yield what changes from an empty collection on, through as many requests as it takes."""
        events, objects = msgspec.json.Decoder(Event), msgspec.json.Decoder(Watched)
        params = {"watch": "true"}
        while True:
            async with self._session.get(path, params=params) as answer:
                async for line in answer.content:
                    event = events.decode(line)
                    if event.type == "ERROR":
                        raise WatchError(f"the watch of {path} ended: {bytes(event.object)!r}")
                    watched = objects.decode(event.object)
                    params["resourceVersion"] = watched.metadata.resource_version
                    yield watched

    async def _are_ready(self, count: int) -> bool:
        content = await self._get("/api/v1/nodes")
        ready = sum(each.has("Ready") for each in msgspec.json.decode(content, type=Listed).items)
        return ready == count and b'"node.kubernetes.io/not-ready"' not in content

    async def _post(self, path: str, body: dict[str, object]) -> None:
        async with self._session.post(path, json=body) as answer:
            await answer.read()

    async def _get(self, path: str) -> bytes:
        async with self._session.get(path) as answer:
            return await answer.read()


async def _few_at_a_time(work: Iterable[Awaitable[None]]) -> None:
    waiting = iter(work)

    async def worker() -> None:
        for each in waiting:
            await each

    async with asyncio.TaskGroup() as group:
        for _ in range(CONNECTIONS):
            group.create_task(worker())
