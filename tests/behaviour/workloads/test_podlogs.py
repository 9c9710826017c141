"""What `kubectl logs` reads from the files a runtime writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from argosy.apiserver.access.identities import ADMIN
from argosy.apiserver.access.tokens import Signer, load_key
from argosy.apiserver.bootstrapping import bootstrap
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.servers import build
from argosy.apiserver.specials.logs import LogQuery
from argosy.base.clock import VirtualClock
from argosy.base.errors import BadRequest
from argosy.base.ids import SeededIds
from argosy.base.loops import run_virtual
from argosy.base.types import Object
from argosy.client.local import LocalClient
from argosy.client.objects import decode
from argosy.client.resources import PODS
from argosy.store import MemoryStore
from argosy.workloads.podlogs import PodLogs

TEXT = (
    b"2026-01-01T00:00:01.000000001Z stdout F one\n"
    b"2026-01-01T00:00:02.000000000Z stdout P tw\n"
    b"2026-01-01T00:00:02.500000000Z stdout F o\n"
    b"2026-01-01T00:00:03.000000000Z stderr F three\n"
)
ONE = b"2026-01-01T00:00:01.000000001Z one\n"
TWO = b"2026-01-01T00:00:02.000000000Z two\n"
THREE = b"2026-01-01T00:00:03.000000000Z three\n"

QUERIES = {
    "all lines, a line in two parts joined": (LogQuery("main"), [ONE, TWO, THREE]),
    "the last two": (LogQuery("main", tail=2), [TWO, THREE]),
    "none at all": (LogQuery("main", tail=0), []),
    "since a moment": (LogQuery("main", since=1767225602.5), [THREE]),
    "a container that wrote nothing": (LogQuery("other"), []),
}


async def cluster_with_pod() -> tuple[Cluster, LocalClient, Object]:
    clock = VirtualClock()
    server = build(
        MemoryStore(),
        clock=clock,
        ids=SeededIds(1),
        signer=Signer(load_key(None), clock),
        tokens={},
    )
    await bootstrap(server.cluster)
    client = LocalClient(server, ADMIN)
    spec = {
        "nodeName": "n",
        "containers": [{"name": name, "image": "i"} for name in ("main", "other")],
    }
    created = await client.create(
        PODS, {"metadata": {"name": "p", "namespace": "default"}, "spec": spec}
    )
    return server.cluster, client, decode(created)


def write(logs: PodLogs, pod: Object, text: bytes, restart: int = 0) -> Path:
    path = logs.path(pod, "main", restart)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text)
    return path


@pytest.mark.parametrize(("query", "want"), QUERIES.values(), ids=QUERIES.keys())
def test_lines(tmp_path: Path, query: LogQuery, want: list[bytes]) -> None:
    async def main() -> list[bytes]:
        cluster, _, pod = await cluster_with_pod()
        logs = PodLogs(cluster, tmp_path)
        write(logs, pod, TEXT)
        return [line async for line in logs.lines(pod, query)]

    assert run_virtual(main()) == want


def test_following_ends_with_the_container(tmp_path: Path) -> None:
    async def main() -> list[bytes]:
        cluster, client, pod = await cluster_with_pod()
        logs = PodLogs(cluster, tmp_path)
        path = write(logs, pod, TEXT[:44])
        got: list[bytes] = []
        async for line in logs.lines(pod, LogQuery("main", follow=True)):
            got.append(line)
            if len(got) == 1:
                path.write_bytes(TEXT + b"2026-01-01T00:00:04Z stdout F half a li")
            if len(got) == 3:
                patch = {"status": {"phase": "Succeeded"}}
                await client.patch(PODS, "p", patch, namespace="default", subresource="status")
        return got

    assert run_virtual(main()) == [ONE, TWO, THREE]


def test_the_previous_run_has_its_own_file(tmp_path: Path) -> None:
    async def main() -> list[bytes]:
        cluster, _, pod = await cluster_with_pod()
        logs = PodLogs(cluster, tmp_path)
        write(logs, pod, TEXT[:44], restart=0)
        pod["status"]["containerStatuses"] = [{"name": "main", "restartCount": 1}]
        return [line async for line in logs.lines(pod, LogQuery("main", previous=True))]

    assert run_virtual(main()) == [ONE]


def test_without_a_restart_there_is_no_previous_run(tmp_path: Path) -> None:
    async def main() -> None:
        cluster, _, pod = await cluster_with_pod()
        async for _ in PodLogs(cluster, tmp_path).lines(pod, LogQuery("main", previous=True)):
            raise AssertionError("a line")

    with pytest.raises(
        BadRequest, match='previous terminated container "main" in pod "p" not found'
    ):
        run_virtual(main())
