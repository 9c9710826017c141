"""Pods made from one body are copies of the first: to the byte what the long way makes of the body.

Each story is played twice, with copies and without; uids and generated names come in the same order both times.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from argosy.apiserver.access.identities import ADMIN
from argosy.apiserver.calls import Call
from argosy.apiserver.servers import ClusterServer
from argosy.apiserver.verbs import copying, creating
from argosy.base.clock import VirtualClock
from argosy.base.errors import StatusError
from argosy.base.loops import run_virtual
from argosy.base.types import Json, Object
from argosy.client.local import LocalClient
from argosy.client.objects import decode
from argosy.client.protocol import Propagation
from argosy.client.resources import (
    LIMIT_RANGES,
    NAMESPACES,
    PODS,
    PRIORITY_CLASSES,
    RESOURCE_QUOTAS,
    SERVICE_ACCOUNTS,
)
from tests.fakes.clusters import memory_server


def new_pod(**spec: Any) -> Object:
    owner = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "name": "train",
        "uid": "u",
        "controller": True,
    }
    return {
        "metadata": {
            "generateName": "train-", "namespace": "ns", "labels": {"job-name": "train"},
            "finalizers": ["batch.kubernetes.io/job-tracking"], "ownerReferences": [owner],
        },
        "spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "image"}], **spec},
    }  # fmt: skip


Story = Callable[[LocalClient], Awaitable[list[Json]]]


async def make(client: LocalClient, pod: Object, count: int = 3) -> list[Json]:
    """What comes of so many pods."""
    made: list[Json] = []
    for _ in range(count):
        try:
            made.append(decode(await client.create(PODS, pod, namespace="ns")))
        except StatusError as error:
            made.append(error.to_status())
    return made


async def alike(client: LocalClient) -> list[Json]:
    return await make(client, new_pod(), 5)


async def of_two_kinds(client: LocalClient) -> list[Json]:
    plain, other = new_pod(), new_pod(priority=0)
    return [*await make(client, plain), *await make(client, other), *await make(client, plain)]


async def with_a_name(client: LocalClient) -> list[Json]:
    pod = new_pod()
    pod["metadata"]["name"] = "mine"
    return await make(client, pod)


async def without_a_prefix(client: LocalClient) -> list[Json]:
    pod = new_pod()
    del pod["metadata"]["generateName"]
    return await make(client, pod)


async def with_a_long_prefix(client: LocalClient) -> list[Json]:
    pod = new_pod()
    pod["metadata"]["generateName"] = "a" * 80 + "-"
    return await make(client, pod)


async def refused(client: LocalClient) -> list[Json]:
    return await make(client, new_pod(restartPolicy="Sometimes"))


async def warned_of(client: LocalClient) -> list[Json]:
    return await make(client, new_pod(nodeSelector={"beta.kubernetes.io/os": "linux"}))


async def when_limits_come(client: LocalClient) -> list[Json]:
    before = await make(client, new_pod())
    limit = {"type": "Container", "default": {"cpu": "2"}, "defaultRequest": {"cpu": "1"}}
    await client.create(
        LIMIT_RANGES, {"metadata": {"name": "a", "namespace": "ns"}, "spec": {"limits": [limit]}}
    )
    during = await make(client, new_pod())
    await client.delete(LIMIT_RANGES, "a", namespace="ns")
    return [*before, *during, *await make(client, new_pod())]


async def when_quotas_come(client: LocalClient) -> list[Json]:
    before = await make(client, new_pod())
    quota = {"metadata": {"name": "a", "namespace": "ns"}, "spec": {"hard": {"pods": "5"}}}
    await client.create(RESOURCE_QUOTAS, quota)
    return [*before, *await make(client, new_pod(), 4)]


async def when_a_class_becomes_the_default(client: LocalClient) -> list[Json]:
    before = await make(client, new_pod())
    await client.create(
        PRIORITY_CLASSES, {"metadata": {"name": "high"}, "value": 7, "globalDefault": True}
    )
    return [*before, *await make(client, new_pod())]


async def when_their_account_changes(client: LocalClient) -> list[Json]:
    before = await make(client, new_pod(serviceAccountName="builder"), 1)
    account = {"metadata": {"name": "builder", "namespace": "ns"}}
    await client.create(SERVICE_ACCOUNTS, account)
    during = await make(client, new_pod(serviceAccountName="builder"))
    await client.patch(
        SERVICE_ACCOUNTS, "builder", {"automountServiceAccountToken": False}, namespace="ns"
    )
    return [*before, *during, *await make(client, new_pod(serviceAccountName="builder"))]


async def when_their_namespace_ends(client: LocalClient) -> list[Json]:
    before = await make(client, new_pod())
    await client.delete(NAMESPACES, "ns", propagation=Propagation.BACKGROUND)
    return [*before, *await make(client, new_pod())]


STORIES: dict[str, Story] = {
    "alike": alike,
    "of two kinds in turn": of_two_kinds,
    "with a name of their own": with_a_name,
    "without a prefix for names": without_a_prefix,
    "with a prefix that is cut": with_a_long_prefix,
    "that are refused": refused,
    "that are warned of": warned_of,
    "when limits come and go": when_limits_come,
    "when quotas come": when_quotas_come,
    "when a class becomes the default": when_a_class_becomes_the_default,
    "when their account changes": when_their_account_changes,
    "when their namespace ends": when_their_namespace_ends,
}


async def _played(
    story: Story, server: ClusterServer
) -> tuple[list[Json], list[tuple[str, bytes]]]:
    client = LocalClient(server, ADMIN, agent="jobs")
    await client.create(NAMESPACES, {"metadata": {"name": "ns"}})
    watch = server.cluster.store.watch(None)
    answers = await story(client)
    return answers, [(event.type, event.record.raw) for event in watch.take()]


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES.keys())
def test_pods(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    got = run_virtual(_played(story, memory_server()))
    monkeypatch.setattr(copying, "key_of", lambda *_: None)
    want = run_virtual(_played(story, memory_server()))
    assert got == want


@pytest.fixture
def worked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A word for each object that goes the long way."""
    found: list[str] = []
    create = creating.create

    def spy(cluster: Any, call: Call, obj: Object) -> Any:
        found.append(call.kind.resource)
        return create(cluster, call, obj)

    monkeypatch.setattr(creating, "create", spy)
    return found


def test_only_the_first_of_a_second_goes_the_long_way(worked: list[str]) -> None:
    clock = VirtualClock()

    async def story(client: LocalClient) -> list[Json]:
        first = await make(client, new_pod(), 50)
        await clock.sleep(2)
        return first + await make(client, new_pod(), 50)

    server = memory_server(clock=clock)
    made, _ = run_virtual(_played(story, server))
    assert worked.count("pods") == 2
    assert len({pod["metadata"]["name"] for pod in made}) == 100
    assert len({pod["metadata"]["uid"] for pod in made}) == 100
    stored = server.cluster.store.list("pods").records
    assert all(f'"uid":"{record.meta.uid}"'.encode() in record.raw for record in stored)


def test_names_that_are_taken_are_passed_over() -> None:
    class Few:
        """Ids that repeat."""

        def __init__(self) -> None:
            self._number = 0

        def uid(self) -> str:
            self._number += 1
            return f"00000000-0000-4000-8000-{self._number:012d}"

        def suffix(self) -> str:
            self._number += 1
            return f"{self._number // 6:05d}"

    made, _ = run_virtual(_played(alike, memory_server(ids=Few())))
    assert len({pod["metadata"]["name"] for pod in made}) == 5


def test_pods_that_a_plugin_treats_singly_are_no_copies(worked: list[str]) -> None:
    class Counting:
        """Numbers the pods that ask for it."""

        reads = frozenset[str]()
        singly = b'"example.com/number"'
        pods = 0

        def admit(self, cluster: Any, call: Call, new: Object | None, old: Object | None) -> None:
            annotations = (new or {}).get("metadata", {}).get("annotations") or {}
            if "example.com/number" in annotations:
                self.pods += 1
                annotations["example.com/number"] = str(self.pods)

        def validate(
            self, cluster: Any, call: Call, new: Object | None, old: Object | None
        ) -> None:
            """Nothing to check."""

    server = memory_server()
    server.cluster.admission = (*server.cluster.admission, Counting())

    async def story(client: LocalClient) -> list[Json]:
        pod = new_pod()
        pod["metadata"]["annotations"] = {"example.com/number": "?"}
        return await make(client, pod)

    made, _ = run_virtual(_played(story, server))
    assert worked.count("pods") == 3
    got = [pod["metadata"]["annotations"]["example.com/number"] for pod in made]
    assert got == ["1", "2", "3"]
