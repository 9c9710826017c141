"""Logs of a job, from wherever it runs: every pod on every cluster it is on.

Without `follow`, what there is: cluster by cluster, pod by pod, each in the order of their names. With it, pods are
read from their start, as they come, all at once, until the job has ended and every log was read to its end; a job that
waits is waited for. A container that is started again in its pod is read again.

A cluster that cannot be asked is among the problems of the connections, and an error if no other is left.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final, NamedTuple

from argosy.base.errors import BadRequest, StatusError
from argosy.base.errors import NotFound as NoObject
from argosy.base.types import Object
from argosy.client.objects import decode
from argosy.client.protocol import Client, StreamingClient
from argosy.client.resources import PODS
from argosy.control.informers import Informer, Selection
from argosy.sdk import kinds
from argosy.sdk.connections import Connections
from argosy.sdk.errors import FleetError, NotFound, Unreachable
from argosy.sdk.finding import find_job
from argosy.sdk.jobs import FleetJob
from argosy.sdk.lines import LogLine
from argosy.sdk.tasks import together
from argosy.sdk.waiting import states

_DEFAULT_CONTAINER: Final = "kubectl.kubernetes.io/default-container"
# Lines that wait for a slow reader; whoever writes more waits with them.
_MOST_LINES: Final = 1000


class Asked(NamedTuple):
    """What `kubectl logs` takes."""

    container: str = ""
    tail: int | None = None
    timestamps: bool = False
    previous: bool = False
    since_seconds: int | None = None

    def query(self, container: str, *, follow: bool) -> dict[str, str]:
        asked = {
            "container": container,
            "follow": "true" if follow else "",
            "timestamps": "true" if self.timestamps else "",
            "previous": "true" if self.previous else "",
            "tailLines": "" if self.tail is None else str(self.tail),
            "sinceSeconds": "" if self.since_seconds is None else str(self.since_seconds),
        }
        return {name: value for name, value in asked.items() if value}


async def read_logs(
    ways: Connections, name: str, namespace: str, asked: Asked, *, follow: bool = False
) -> AsyncGenerator[LogLine, None]:
    job = await find_job(ways, name, namespace)
    if job.from_history:
        raise NotFound(
            f"{job.kind} {namespace}/{job.name} has ended ({job.state}) and is gone, and its logs with it; "
            "submit with a longer time to keep it"
        )
    if not follow and not job.clusters:
        raise FleetError(
            f"{job.kind} {namespace}/{job.name} is {job.state} and on no cluster yet: {job.message}"
        )
    selector = kinds.pods_of(await _manifest(ways, job))
    lines = (
        _followed(ways, job, selector, asked) if follow else _written(ways, job, selector, asked)
    )
    async with aclosing(lines) as found:
        async for line in found:
            yield line


async def _manifest(ways: Connections, job: FleetJob) -> Object:
    group, _, version = job.api_version.rpartition("/")
    resource = kinds.resource_of(group, job.kind, version)
    return decode(await ways.hub.get(resource, job.name, namespace=job.namespace))


# What there is.


async def _written(
    ways: Connections, job: FleetJob, selector: str, asked: Asked
) -> AsyncGenerator[LogLine, None]:
    lost: list[Unreachable] = []
    for cluster in job.clusters:
        try:
            pods = await ways.ask(cluster, lambda client: _pods(client, job, selector))
        except Unreachable as error:
            lost.append(error)
            continue
        for pod in pods:
            async with aclosing(_lines(ways.member(cluster), cluster, pod, asked)) as lines:
                async for line in lines:
                    yield line
    if lost and len(lost) == len(job.clusters):
        raise lost[0]


async def _pods(client: Client, job: FleetJob, selector: str) -> list[Object]:
    found = await client.list_all(PODS, namespace=job.namespace, label_selector=selector)
    return sorted(
        (decode(raw) for raw in found.items), key=lambda each: str(each["metadata"]["name"])
    )


async def _lines(
    client: Client, cluster: str, pod: Object, asked: Asked, *, follow: bool = False
) -> AsyncGenerator[LogLine, None]:
    """The lines of one container. A pod that has not started, or that is gone, has none."""
    if not isinstance(client, StreamingClient):
        raise FleetError(f"cluster {cluster}: logs cannot be read through this client")
    meta, container = pod["metadata"], asked.container or _default(pod)
    chunks = client.stream(
        PODS,
        meta["name"],
        namespace=meta["namespace"],
        subresource="log",
        query=asked.query(container, follow=follow),
    )
    rest = b""
    async with aclosing(chunks):
        try:
            async for chunk in chunks:
                *whole, rest = (rest + chunk).split(b"\n")
                for text in whole:
                    yield _line(cluster, meta["name"], container, text, asked)
        except NoObject:
            return
        except BadRequest:
            # Waiting to start; one that has no such container is told.
            if asked.container and asked.container not in _containers(pod):
                raise
    if rest:
        yield _line(cluster, meta["name"], container, rest, asked)


def _line(cluster: str, pod: str, container: str, text: bytes, asked: Asked) -> LogLine:
    said, time = text.decode(errors="replace"), ""
    if asked.timestamps:
        time, _, said = said.partition(" ")
    return LogLine(cluster, pod, container, said, time)


def _default(pod: Object) -> str:
    """As kubectl chooses: by annotation, else the first."""
    named = (pod["metadata"].get("annotations") or {}).get(_DEFAULT_CONTAINER, "")
    names = _containers(pod)
    return named if named in names else names[0]


def _containers(pod: Object) -> list[str]:
    spec = pod["spec"]
    return [
        str(each["name"]) for each in (*spec["containers"], *(spec.get("initContainers") or ()))
    ]


# As it comes.


async def _followed(
    ways: Connections, job: FleetJob, selector: str, asked: Asked
) -> AsyncGenerator[LogLine, None]:
    lines: asyncio.Queue[LogLine] = asyncio.Queue(_MOST_LINES)
    directing = asyncio.create_task(_direct(ways, job, selector, asked, lines))
    getting: asyncio.Task[LogLine] | None = None
    try:
        while not (directing.done() and lines.empty()):
            if lines.empty():
                getting = asyncio.create_task(lines.get())
                await asyncio.wait({getting, directing}, return_when=asyncio.FIRST_COMPLETED)
                if getting.done():
                    yield getting.result()
                else:
                    getting.cancel()
            else:
                yield lines.get_nowait()
        await directing
    finally:
        going = [each for each in (getting, directing) if each is not None]
        for each in going:
            each.cancel()
        await asyncio.wait(going)


async def _direct(
    ways: Connections,
    job: FleetJob,
    selector: str,
    asked: Asked,
    lines: asyncio.Queue[LogLine],
) -> None:
    """Have every cluster that the job comes to followed, until the job has ended."""
    ended = asyncio.Event()
    clusters: dict[str, asyncio.Task[FleetError | None]] = {}
    async with together() as tasks, aclosing(states(ways, job)) as seen:
        async for now in seen:
            for cluster in now.clusters:
                if cluster not in clusters:
                    one = _Cluster(ways, cluster, now, selector, asked, lines)
                    clusters[cluster] = tasks.create_task(one.follow(ended))
        ended.set()
    lost = [error for each in clusters.values() if (error := each.result()) is not None]
    if lost and len(lost) == len(clusters):
        raise lost[0]


class _Cluster:
    """The pods of a job on one cluster."""

    def __init__(
        self,
        ways: Connections,
        cluster: str,
        job: FleetJob,
        selector: str,
        asked: Asked,
        lines: asyncio.Queue[LogLine],
    ) -> None:
        self._ways = ways
        self._cluster = cluster
        self._job = job
        self._selector = selector
        self._asked = asked
        self._lines = lines
        # By pod, which run of its container was read last.
        self._runs: dict[str, int] = {}
        self._mistake: FleetError | None = None

    async def follow(self, ended: asyncio.Event) -> FleetError | None:
        """Read every pod until all is over; what kept it from that is told."""
        try:
            client = self._ways.member(self._cluster)
            await self._ways.ask(self._cluster, lambda each: _pods(each, self._job, self._selector))
        except Unreachable as error:
            return error
        except StatusError as error:
            return Unreachable(self._cluster, error.message)
        reading: list[asyncio.Task[None]] = []
        chosen = Selection(self._job.namespace, self._selector)
        informer: Informer[Object] = Informer(
            client, PODS, dict, clock=self._ways.clock, selection=chosen, read=decode
        )
        async with together() as tasks:

            def changed(_old: Object | None, new: Object | None) -> None:
                if new is not None and self._is_new_run(new):
                    reading.append(tasks.create_task(self._read(client, new)))

            informer.add_handler(changed)
            watching = tasks.create_task(informer.run())
            await informer.synced()
            await ended.wait()
            # Those that ended with the job may have started a moment before.
            for pod in await _pods(client, self._job, self._selector):
                changed(None, pod)
            await asyncio.gather(*reading)
            watching.cancel()
        return self._mistake

    def _is_new_run(self, pod: Object) -> bool:
        """Whether its container has begun a run that nobody reads yet."""
        name = self._asked.container or _default(pod)
        if name not in _containers(pod):
            there = ", ".join(_containers(pod))
            self._mistake = FleetError(
                f'container "{name}" is not in the pods of the job: they have {there}'
            )
        status = _status(pod, name)
        state = status.get("state") or {}
        if not state.get("running") and not state.get("terminated"):
            return False
        uid, number = str(pod["metadata"]["uid"]), int(status.get("restartCount") or 0)
        if self._runs.get(uid, -1) >= number:
            return False
        self._runs[uid] = number
        return True

    async def _read(self, client: Client, pod: Object) -> None:
        try:
            async with aclosing(
                _lines(client, self._cluster, pod, self._asked, follow=True)
            ) as found:
                async for line in found:
                    await self._lines.put(line)
        except StatusError:
            # The line broke, or the pod went: there is no more of it.
            return


def _status(pod: Object, container: str) -> Object:
    status = pod.get("status") or {}
    every = (*(status.get("containerStatuses") or ()), *(status.get("initContainerStatuses") or ()))
    found: Object = next((each for each in every if each["name"] == container), {})
    return found
