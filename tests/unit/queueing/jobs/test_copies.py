"""Pods made from one body are copies of the first, also where jobs are queued: to the byte what the long way makes.

Each story is played twice, with copies and without, as in tests/unit/apiserver/test_copying.py.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from argosy.apiserver.access.identities import ADMIN
from argosy.apiserver.verbs import copying
from argosy.base.errors import StatusError
from argosy.base.loops import run_virtual
from argosy.base.types import Json, Object
from argosy.client.local import LocalClient
from argosy.client.objects import decode
from argosy.client.resources import (
    CUSTOM_RESOURCE_DEFINITIONS,
    JOBS,
    LOCAL_QUEUES,
    NAMESPACES,
    PODS,
    WORKLOAD_PRIORITY_CLASSES,
)
from argosy.queueing.configuration import Configuration
from argosy.queueing.definitions import definitions
from argosy.queueing.jobs import add_admission
from tests.fakes.clusters import memory_server

QUEUE = "kueue.x-k8s.io/queue-name"
CONTAINER = {"name": "main", "image": "image"}


def _pod(labels: dict[str, str] | None = None, owner: Object | None = None) -> Object:
    meta: Object = {"generateName": "p-", "namespace": "ns", "labels": labels or {}}
    if owner is not None:
        meta["ownerReferences"] = [owner]
    return {"metadata": meta, "spec": {"restartPolicy": "Never", "containers": [CONTAINER]}}


async def _make(client: LocalClient, pod: Object, count: int = 3) -> list[Json]:
    made: list[Json] = []
    for _ in range(count):
        try:
            made.append(decode(await client.create(PODS, pod, namespace="ns")))
        except StatusError as error:
            made.append(error.to_status())
    return made


async def plain(client: LocalClient) -> list[Json]:
    return await _make(client, _pod())


async def queued(client: LocalClient) -> list[Json]:
    return await _make(client, _pod({QUEUE: "lq"}))


async def refused(client: LocalClient) -> list[Json]:
    return await _make(client, _pod({"kueue.x-k8s.io/pod-group-name": "g"}))


async def when_a_default_queue_comes_and_goes(client: LocalClient) -> list[Json]:
    before = await _make(client, _pod())
    queue = {
        "metadata": {"name": "default", "namespace": "ns"},
        "spec": {"clusterQueue": "cq"},
    }
    await client.create(LOCAL_QUEUES, queue)
    during = await _make(client, _pod())
    await client.delete(LOCAL_QUEUES, "default", namespace="ns")
    return [*before, *during, *await _make(client, _pod())]


async def when_a_default_class_comes(client: LocalClient) -> list[Json]:
    before = await _make(client, _pod({QUEUE: "lq"}))
    await client.create(WORKLOAD_PRIORITY_CLASSES, {"metadata": {"name": "default"}, "value": 1})
    return [*before, *await _make(client, _pod({QUEUE: "lq"}))]


async def when_their_namespace_is_left_alone(client: LocalClient) -> list[Json]:
    before = await _make(client, _pod({QUEUE: "lq"}))
    await client.patch(NAMESPACES, "ns", {"metadata": {"labels": {"free": "yes"}}})
    return [*before, *await _make(client, _pod({QUEUE: "lq"}))]


async def of_a_job(client: LocalClient) -> list[Json]:
    made: list[Json] = []
    for name, labels in (("held", {QUEUE: "lq"}), ("free", {})):
        spec = {"template": {"spec": {"restartPolicy": "Never", "containers": [CONTAINER]}}}
        meta = {"name": name, "namespace": "ns", "labels": labels}
        job = decode(await client.create(JOBS, {"metadata": meta, "spec": spec}))
        owner = {
            "apiVersion": "batch/v1", "kind": "Job", "name": name, "uid": job["metadata"]["uid"],
            "controller": True,
        }  # fmt: skip
        made += await _make(client, _pod({QUEUE: "lq"}, owner))
    return made


Story = Callable[[LocalClient], Awaitable[list[Json]]]
STORIES: dict[str, Story] = {
    "that nobody queues": plain,
    "with a queue": queued,
    "that are refused": refused,
    "when a default queue comes and goes": when_a_default_queue_comes_and_goes,
    "when a default class comes": when_a_default_class_comes,
    "when their namespace is left alone": when_their_namespace_is_left_alone,
    "of jobs, one of them queued": of_a_job,
}
LEFT_ALONE = {"matchExpressions": [{"key": "free", "operator": "DoesNotExist"}]}


async def _played(story: Story) -> tuple[list[Json], list[tuple[str, bytes]]]:
    server = memory_server()
    add_admission(server.cluster, Configuration(managed_jobs_namespace_selector=LEFT_ALONE))
    client = LocalClient(server, ADMIN, agent="jobs")
    await client.create(NAMESPACES, {"metadata": {"name": "ns"}})
    for definition in definitions():
        await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition)
    watch = server.cluster.store.watch(None)
    answers = await story(client)
    return answers, [(event.type, event.record.raw) for event in watch.take()]


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES.keys())
def test_pods(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    got = run_virtual(_played(story))
    monkeypatch.setattr(copying, "key_of", lambda *_: None)
    want = run_virtual(_played(story))
    assert got == want


def test_a_default_queue_holds_the_next_copy() -> None:
    made, _ = run_virtual(_played(when_a_default_queue_comes_and_goes))
    held = ["schedulingGates" in pod["spec"] for pod in made]
    assert held == [False] * 3 + [True] * 3 + [False] * 3


def test_pods_of_a_queued_job_are_left_to_it_and_others_are_held() -> None:
    made, _ = run_virtual(_played(of_a_job))
    assert ["schedulingGates" in pod["spec"] for pod in made] == [False] * 3 + [True] * 3
