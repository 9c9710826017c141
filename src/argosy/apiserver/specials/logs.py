"""pods/log: what a container wrote, whole, in part, or as it comes.

Where lines come from is a `LogSource`: the runtimes of this cluster's nodes keep them as files, one per container and
restart, each line with its time (`2026-01-02T03:04:05.678901234Z stdout F text`, the form kubelets keep). Which lines
and how they are shown is decided here.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol

from argosy.apiserver import encoding
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.http.messages import Request, Response, Streaming, Writer
from argosy.base import fielderrors
from argosy.base.errors import BadRequest, Invalid
from argosy.base.timestamps import parse_time
from argosy.base.types import Object

_TEXT = "text/plain"


@dataclass(slots=True, frozen=True)
class LogQuery:
    """What `kubectl logs` may ask."""

    container: str
    follow: bool = False
    previous: bool = False
    timestamps: bool = False
    since: float | None = None
    tail: int | None = None
    limit_bytes: int | None = None


class LogSource(Protocol):
    """Lines of a container with their times, oldest first; goes on while `follow` and the container runs."""

    def lines(self, pod: Object, query: LogQuery) -> AsyncIterator[bytes]: ...


class Logs:
    """The log subresource over a source; without one no pod has lines, as when no node runs any."""

    def __init__(self, source: LogSource | None) -> None:
        self._source = source

    async def read(self, cluster: Cluster, call: Call, request: Request) -> Response | Streaming:
        record = cluster.store.get(call.key)
        if record is None:
            raise call.not_found()
        pod = encoding.from_bytes(call.kind, record.raw)
        query = _query(cluster, pod, request.query)
        if self._source is None or not pod["spec"].get("nodeName"):
            return Response(200, b"", _TEXT)
        lines = self._source.lines(pod, query)
        if not query.follow:
            return Response(200, b"".join([line async for line in _shown(lines, query)]), _TEXT)

        async def run(writer: Writer) -> None:
            async for line in _shown(lines, query):
                writer.write(line)
                await writer.drain()

        return Streaming(run, _TEXT)


async def _shown(lines: AsyncIterator[bytes], query: LogQuery) -> AsyncIterator[bytes]:
    """The text of each line, with its time where asked for, up to the limit of bytes."""
    left = query.limit_bytes
    async for line in lines:
        text = line if query.timestamps else line.partition(b" ")[2]
        if left is not None:
            text = text[:left]
            left -= len(text)
        yield text
        if left == 0:
            return


def _query(cluster: Cluster, pod: Object, given: dict[str, str]) -> LogQuery:
    problems = []
    numbers: dict[str, int] = {}
    for name in ("tailLines", "limitBytes", "sinceSeconds"):
        if name in given:
            try:
                numbers[name] = int(given[name])
            except ValueError:
                raise BadRequest(
                    f"strconv.ParseInt: parsing {fielderrors.quote(given[name])}: invalid syntax"
                ) from None
    if numbers.get("tailLines", 0) < 0:
        problems.append(
            fielderrors.invalid(
                "tailLines", numbers["tailLines"], "must be greater than or equal to 0"
            )
        )
    problems += [
        fielderrors.invalid(name, numbers[name], "must be greater than 0")
        for name in ("limitBytes", "sinceSeconds")
        if numbers.get(name, 1) < 1
    ]
    if "sinceSeconds" in given and "sinceTime" in given:
        text = "at most one of `sinceTime` or `sinceSeconds` may be specified"
        problems.append(fielderrors.forbidden("[]", text))
    if problems:
        raise Invalid("PodLogOptions", pod["metadata"]["name"], problems)
    since = None
    if "sinceSeconds" in numbers:
        since = cluster.clock.time() - numbers["sinceSeconds"]
    elif "sinceTime" in given:
        try:
            since = parse_time(given["sinceTime"]).timestamp()
        except ValueError as error:
            raise BadRequest(str(error)) from error
    return LogQuery(
        _container(pod, given.get("container", "")),
        follow=_true(given, "follow"),
        previous=_true(given, "previous"),
        timestamps=_true(given, "timestamps"),
        since=since,
        tail=numbers.get("tailLines"),
        limit_bytes=numbers.get("limitBytes"),
    )


def _container(pod: Object, asked: str) -> str:
    name, spec = pod["metadata"]["name"], pod["spec"]
    names = [c["name"] for c in spec["containers"]]
    init = [c["name"] for c in spec.get("initContainers") or ()]
    if asked:
        if asked not in names and asked not in init:
            raise BadRequest(f"container {asked} is not valid for pod {name}")
        return asked
    if len(names) == 1:
        return str(names[0])
    text = f"a container name must be specified for pod {name}, choose one of: [{' '.join(names)}]"
    if init:
        text += f" or one of the init containers: [{' '.join(init)}]"
    raise BadRequest(text)


def _true(given: dict[str, str], name: str) -> bool:
    return given.get(name, "false").lower() not in {"false", "0"}
