"""The load of Kueue's scheduler benchmark, through the HTTPS API of a cluster in another process.

ClusterQueues of 20 CPUs in cohorts, borrowing limit 100, reclaim Any, within-queue LowerPriority. Each gets small,
medium and large workloads at its own pace; a runner here lets admitted ones run for their time and finishes them, and
gives back the quota of those that were preempted, as the owners of jobs would. Everything is Workload objects: no jobs,
no pods. Wall time is from the first creation to the last workload finished; the quota allows no less than `limit`.
"""

from __future__ import annotations

import asyncio
import heapq
import time
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, Self

import aiohttp
import msgspec

from argosy.api.objects.kueue.workloads import Workload
from argosy.api.objects.metadata import decoder
from argosy.queueing.workloads.drafts import StatusDraft
from argosy.queueing.workloads.finishing import finish
from argosy.queueing.workloads.reserving import release_evicted
from peer.running import ControlPlane

NAMESPACE: Final = "bench"
_API: Final = "/apis/kueue.x-k8s.io/v1beta2"
_CONNECTIONS: Final = 32
_CPUS: Final = 20


@dataclass(frozen=True)
class Class:
    """A class of workloads, as each ClusterQueue gets it."""

    name: str
    count: int
    cpus: int
    run_seconds: float
    priority: int
    every_seconds: float


@dataclass(frozen=True)
class Load:
    name: str
    cohorts: int
    queues: int
    classes: tuple[Class, ...]

    @property
    def all_queues(self) -> int:
        return self.cohorts * self.queues

    @property
    def workloads(self) -> int:
        return self.all_queues * sum(each.count for each in self.classes)

    @property
    def limit_seconds(self) -> float:
        """What the quota alone allows."""
        return sum(each.count * each.cpus * each.run_seconds for each in self.classes) / _CPUS


def classes(small: int, medium: int, large: int) -> tuple[Class, ...]:
    return (
        Class("small", small, 1, 0.2, 50, 0.1),
        Class("medium", medium, 5, 0.5, 100, 0.5),
        Class("large", large, 20, 1.0, 200, 1.2),
    )


BASELINE: Final = Load("baseline", 5, 6, classes(350, 100, 50))
LARGE: Final = Load("large", 10, 100, classes(35, 10, 5))


@dataclass
class Seen:
    """What the runner saw."""

    wall_seconds: float = 0.0
    waits: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    evictions: int = 0
    # CPU seconds of quota that were in use by workloads that finished.
    worked: float = 0.0


class _Event(msgspec.Struct):
    type: str
    object: msgspec.Raw


class Runner:
    """Creates the load, runs what is admitted, and measures."""

    def __init__(self, plane: ControlPlane, load: Load) -> None:
        self._load = load
        self._seen = Seen()
        self._session = aiohttp.ClientSession(
            plane.url,
            connector=aiohttp.TCPConnector(limit=0, ssl=plane.tls()),
            headers={"Authorization": f"Bearer {plane.tokens['admin']}"},
            timeout=aiohttp.ClientTimeout(total=None),
            read_bufsize=2**20,
            raise_for_status=True,
        )
        self._created: dict[str, float] = {}
        self._classes: dict[str, Class] = {}
        # When which admitted workload is over.
        self._running: list[tuple[float, str, Workload]] = []
        self._admissions: dict[str, str] = {}
        self._work: asyncio.Queue[tuple[str, Workload]] = asyncio.Queue()
        self._news = asyncio.Event()
        self._finished: set[str] = set()
        self._done = asyncio.Event()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._session.close()

    async def prepare(self) -> None:
        """Flavor, queues and namespace."""
        await self._post("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
        await self._make("ResourceFlavor", "resourceflavors", "default", {})
        for number in range(self._load.all_queues):
            cohort = f"cohort-{number // self._load.queues}"
            quota = {"name": "cpu", "nominalQuota": str(_CPUS), "borrowingLimit": "100"}
            spec: dict[str, object] = {
                "cohortName": cohort,
                "namespaceSelector": {},
                "preemption": {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"},
                "resourceGroups": [
                    {
                        "coveredResources": ["cpu"],
                        "flavors": [{"name": "default", "resources": [quota]}],
                    }
                ],
            }
            await self._make("ClusterQueue", "clusterqueues", f"cq-{number}", spec)
            local: dict[str, object] = {"clusterQueue": f"cq-{number}"}
            await self._make("LocalQueue", "localqueues", f"lq-{number}", local)

    async def run(self) -> Seen:
        """The whole load, to the end of the last workload."""
        began = time.monotonic()
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._watch()), group.create_task(self._end())]
            tasks += [group.create_task(self._write()) for _ in range(_CONNECTIONS)]
            tasks.append(group.create_task(self._create(began)))
            await self._done.wait()
            self._seen.wall_seconds = time.monotonic() - began
            for task in tasks:
                task.cancel()
        return self._seen

    async def _create(self, began: float) -> None:
        """Create everything when its time has come, or as soon after as the server can take it."""
        plan = sorted(
            (number * each.every_seconds, queue, each.name, number)
            for each in self._load.classes
            for queue in range(self._load.all_queues)
            for number in range(each.count)
        )
        known = {each.name: each for each in self._load.classes}
        waiting = iter(plan)

        async def creator() -> None:
            for due, queue, name, number in waiting:
                delay = began + due - time.monotonic()
                if delay > 0:
                    await asyncio.sleep(delay)
                await self._submit(f"{name}-{queue}-{number}", queue, known[name])

        async with asyncio.TaskGroup() as group:
            for _ in range(_CONNECTIONS):
                group.create_task(creator())

    async def _submit(self, name: str, queue: int, kind: Class) -> None:
        requests = {"cpu": str(kind.cpus)}
        container = {"name": "c", "image": "sleep", "resources": {"requests": requests}}
        template = {"spec": {"containers": [container], "restartPolicy": "Never"}}
        spec: dict[str, object] = {
            "queueName": f"lq-{queue}",
            "priority": kind.priority,
            "podSets": [{"name": "main", "count": 1, "template": template}],
        }
        self._classes[name] = kind
        self._created[name] = time.monotonic()
        await self._make("Workload", "workloads", name, spec)

    async def _watch(self) -> None:
        events, read = msgspec.json.Decoder(_Event), decoder(Workload)
        path = f"{_API}/namespaces/{NAMESPACE}/workloads"
        params = {"watch": "true", "resourceVersion": "0"}
        while True:
            async with self._session.get(path, params=params) as answer:
                async for line in answer.content:
                    event = events.decode(line)
                    if event.type not in ("ADDED", "MODIFIED"):
                        raise RuntimeError(f"the watch told {event.type}: {bytes(event.object)!r}")
                    workload = read(event.object)
                    params["resourceVersion"] = workload.metadata.resource_version
                    self._take(workload)

    def _take(self, workload: Workload) -> None:
        name = workload.metadata.name
        if workload.is_finished:
            self._finished.add(name)
            self._running_over(name)
            if len(self._finished) == self._load.workloads:
                self._done.set()
        elif workload.is_evicted and workload.has_quota_reservation:
            self._admissions.pop(name, None)
            self._seen.evictions += 1
            self._work.put_nowait(("release", workload))
        elif workload.is_admitted and name not in self._admissions:
            kind = self._classes[name]
            now = time.monotonic()
            self._seen.waits[kind.name].append(now - self._created[name])
            self._admissions[name] = workload.metadata.resource_version
            heapq.heappush(self._running, (now + kind.run_seconds, name, workload))
            self._news.set()

    def _running_over(self, name: str) -> None:
        kind = self._classes[name]
        self._seen.worked += kind.cpus * kind.run_seconds

    async def _end(self) -> None:
        """Finish what has run for its time, unless it was evicted meanwhile."""
        while True:
            self._news.clear()
            now = time.monotonic()
            while self._running and self._running[0][0] <= now:
                _, name, workload = heapq.heappop(self._running)
                if self._admissions.get(name) == workload.metadata.resource_version:
                    self._work.put_nowait(("finish", workload))
            delay = self._running[0][0] - now if self._running else None
            try:
                async with asyncio.timeout(delay):
                    await self._news.wait()
            except TimeoutError:
                continue

    async def _write(self) -> None:
        while True:
            what, workload = await self._work.get()
            draft = StatusDraft(workload, datetime.now(UTC))
            if what == "finish":
                finish(draft, "Succeeded", "By the runner")
            else:
                release_evicted(draft)
            patch = draft.patch()
            if patch is None:
                continue
            patch["metadata"] = {"resourceVersion": workload.metadata.resource_version}
            await self._patch(workload.metadata.name, patch)

    async def _patch(self, name: str, patch: dict[str, object]) -> None:
        path = f"{_API}/namespaces/{NAMESPACE}/workloads/{name}/status"
        async with self._session.patch(
            path,
            data=msgspec.json.encode(patch),
            headers={"Content-Type": "application/merge-patch+json"},
            raise_for_status=False,
        ) as answer:
            text = await answer.read()
            # It was evicted, or told of, meanwhile: the watch brings the newer state.
            if answer.status == 409:
                self._admissions.pop(name, None)
            elif answer.status >= 400:
                raise RuntimeError(f"{name}: {answer.status} {text!r}")

    async def _make(self, kind: str, plural: str, name: str, spec: dict[str, object]) -> None:
        """Create an object of Kueue's."""
        namespaced = kind in ("LocalQueue", "Workload")
        place = f"namespaces/{NAMESPACE}/" if namespaced else ""
        body: dict[str, object] = {
            "apiVersion": "kueue.x-k8s.io/v1beta2",
            "kind": kind,
            "metadata": {"name": name},
            "spec": spec,
        }
        await self._post(f"{_API}/{place}{plural}", body)

    async def _post(self, path: str, body: dict[str, object]) -> None:
        data, headers = msgspec.json.encode(body), {"Content-Type": "application/json"}
        async with self._session.post(path, data=data, headers=headers) as answer:
            await answer.read()
