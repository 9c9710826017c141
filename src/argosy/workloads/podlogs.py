"""Logs of containers as files, in the place and form kubelets keep them.

    DIR/NAMESPACE_POD_UID/CONTAINER/RESTART.log
    2026-01-02T03:04:05.678901234Z stdout F text of the line

Somebody puts them there, where no runtime of Argosy's does; `PodLogs` finds the file of a run and has it read as the
process runtime's are (see `runtimes.process.reading`). Following ends when the container has ended or its pod is gone.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

from argosy.apiserver.clusters import Cluster
from argosy.apiserver.specials.logs import LogQuery
from argosy.base.errors import BadRequest
from argosy.base.types import Object
from argosy.workloads.runtimes.process.reading import read_log


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

        def is_running() -> bool:
            return self._is_running(pod, query.container)

        async for line in read_log(path, query, self._cluster.clock, is_running):
            yield line

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
