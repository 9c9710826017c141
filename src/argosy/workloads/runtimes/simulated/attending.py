"""Serves those who look into a simulated pod: logs as they come, commands, and its own output."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Final

import msgspec

from argosy.api.objects import Container, ContainerStatus, Pod
from argosy.apiserver.specials.logs import LogQuery
from argosy.apiserver.specials.streams import ExecRequest, Streams, container_not_found
from argosy.base.clock import Clock
from argosy.base.types import Object
from argosy.workloads.runtimes.simulated.behaviors import KILLED
from argosy.workloads.runtimes.simulated.execs import execute
from argosy.workloads.runtimes.simulated.logs import Line, Span, lines, past, span_of
from argosy.workloads.runtimes.simulated.processes import Process
from argosy.workloads.runtimes.simulated.rules import Simulation

# How often those who follow a log look whether its container has ended.
_LOOK_SECONDS: Final = 1.0
_SOON: Final = 0.001


class Attendant:
    """For one runtime; `process_of` gives a container of a pod that is not over yet."""

    def __init__(
        self,
        clock: Clock,
        rules_of: Callable[[Pod], Simulation],
        process_of: Callable[[Pod, str], Process | None],
    ) -> None:
        self._clock = clock
        self._rules_of = rules_of
        self._process = process_of

    async def logs(self, pod: Pod, query: LogQuery) -> AsyncIterator[bytes]:
        container, status = container_of(pod, query.container), status_of(pod, query.container)
        span = span_of(status, previous=query.previous) if status is not None else None
        if container is None or span is None:
            return
        now = self._clock.time()
        written = lines(pod, container, span, now, self._rules_of(pod).log_interval)
        chosen, upcoming = past(written, now, since=query.since, tail=query.tail)
        for line in chosen:
            yield line.encoded
        if query.follow:
            async for line in self._follow(pod, query.container, span, upcoming, written):
                yield line.encoded

    async def _follow(
        self, pod: Pod, container: str, span: Span, upcoming: Line | None, written: Iterator[Line]
    ) -> AsyncIterator[Line]:
        """Lines as they come, until the run ends."""
        while True:
            end = self._end_of(pod, container, span)
            until = min(self._clock.time() + _SOON, end)
            while upcoming is not None and upcoming.time <= until:
                if upcoming.text is not None:
                    yield upcoming
                upcoming = next(written, None)
            if not math.isinf(end):
                return
            wait = _LOOK_SECONDS if upcoming is None else upcoming.time - self._clock.time()
            await self._clock.sleep(min(max(wait, 0.0), _LOOK_SECONDS))

    def _end_of(self, pod: Pod, container: str, span: Span) -> float:
        """When a run ended; infinity while it goes on."""
        now, process = self._clock.time(), self._process(pod, container)
        if process is None or not math.isinf(span.end):
            return min(span.end, now)
        goes_on = process.is_running and process.restarts == span.number
        return math.inf if goes_on else min(process.ends_at, now)

    async def exec(self, pod: Object, request: ExecRequest, streams: Streams) -> int:
        view, container = self._running(pod, request.container)
        return await execute(view, container, request, streams, self._clock)

    async def attach(self, pod: Object, request: ExecRequest, streams: Streams) -> int:
        view, _ = self._running(pod, request.container)
        # It tells how it ended also when its pod is over.
        process = self._process(view, request.container)
        query = LogQuery(request.container, follow=True, tail=0)
        async for line in self.logs(view, query):
            text = line.partition(b" ")[2]
            await streams.write_stdout(text.replace(b"\n", b"\r\n") if request.tty else text)
        ended = process.ended if process is not None else None
        return ended.exit_code if ended is not None else KILLED

    def _running(self, pod: Object, container: str) -> tuple[Pod, Container]:
        """The container, if it runs."""
        view = msgspec.convert(pod, Pod)
        status, found = status_of(view, container), container_of(view, container)
        if status is None or status.state.running is None or found is None:
            raise container_not_found(container)
        return view, found


def container_of(pod: Pod, name: str) -> Container | None:
    for one in (*pod.spec.containers, *pod.spec.init_containers):
        if one.name == name:
            return one
    return None


def status_of(pod: Pod, container: str) -> ContainerStatus | None:
    for one in (*pod.status.container_statuses, *pod.status.init_container_statuses):
        if one.name == container:
            return one
    return None
