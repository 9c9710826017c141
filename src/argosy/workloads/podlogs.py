"""Logs of containers as files, in the place and form kubelets keep them.

    DIR/NAMESPACE_POD_UID/CONTAINER/RESTART.log
    2026-01-02T03:04:05.678901234Z stdout F text of the line

A runtime appends lines; `PodLogs` reads them for `kubectl logs`. A line that was too long for one write is marked `P`
(partial) and goes on in the next; readers get it joined. Following a log looks at the file several times a second and
ends when the container has ended or its pod is gone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import BinaryIO, Final

from argosy.apiserver.clusters import Cluster
from argosy.apiserver.specials.logs import LogQuery
from argosy.base.errors import BadRequest
from argosy.base.timestamps import parse_time
from argosy.base.types import Object

POLL_SECONDS: Final = 0.2


class PodLogs:
    """The `LogSource` of one cluster."""

    def __init__(self, cluster: Cluster, directory: Path) -> None:
        self._cluster = cluster
        self._directory = directory

    def path(self, pod: Object, container: str, restart: int) -> Path:
        meta = pod["metadata"]
        folder = f"{meta['namespace']}_{meta['name']}_{meta['uid']}"
        return self._directory / folder / container / f"{restart}.log"

    async def lines(self, pod: Object, query: LogQuery) -> AsyncIterator[bytes]:
        """`TIME text` lines, oldest first, as the query wants them."""
        restart = _restart(pod, query)
        path = self.path(pod, query.container, restart)
        try:
            file = path.open("rb")
        except FileNotFoundError:
            return
        with file:
            for line in _chosen(file, query):
                yield line
            while query.follow:
                ended = not self._is_running(pod, query.container)
                for line in _read(file):
                    yield line
                if ended:
                    return
                await self._cluster.clock.sleep(POLL_SECONDS)

    def _is_running(self, pod: Object, container: str) -> bool:
        meta = pod["metadata"]
        kind = self._cluster.kind("", "pods")
        now = self._cluster.latest(kind, meta["namespace"], meta["name"])
        if now is None or now["metadata"]["uid"] != meta["uid"]:
            return False
        if (now.get("status") or {}).get("phase") in {"Succeeded", "Failed"}:
            return False
        state = (_status(now, container) or {}).get("state") or {}
        return "terminated" not in state


def _chosen(file: BinaryIO, query: LogQuery) -> Iterator[bytes]:
    lines = _read(file)
    if query.since is not None:
        lines = (line for line in lines if _time(line) >= (query.since or 0))
    return iter(deque(lines, maxlen=query.tail)) if query.tail is not None else lines


def _read(file: BinaryIO) -> Iterator[bytes]:
    """Whole lines from where the file stands; a line still being written is left for the next time."""
    time, text = b"", b""
    while True:
        start = file.tell()
        raw = file.readline()
        if not raw.endswith(b"\n"):
            file.seek(start)
            return
        stamp, _, rest = raw.partition(b" ")
        _, _, rest = rest.partition(b" ")
        tag, _, piece = rest.partition(b" ")
        time = time or stamp
        if tag == b"P":
            text += piece.rstrip(b"\n")
            continue
        yield time + b" " + text + piece
        time, text = b"", b""


def _time(line: bytes) -> float:
    try:
        return parse_time(line.partition(b" ")[0].decode("ascii", "replace")).timestamp()
    except ValueError:
        return 0.0


def _restart(pod: Object, query: LogQuery) -> int:
    """Which of the container's runs is asked for."""
    count = int((_status(pod, query.container) or {}).get("restartCount", 0))
    if not query.previous:
        return count
    if count == 0:
        name = pod["metadata"]["name"]
        raise BadRequest(
            f'previous terminated container "{query.container}" in pod "{name}" not found'
        )
    return count - 1


def _status(pod: Object, container: str) -> Object | None:
    status = pod.get("status") or {}
    for field in ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"):
        for one in status.get(field) or ():
            if one.get("name") == container:
                found: Object = one
                return found
    return None
