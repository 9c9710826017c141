"""Stories of pods, played on two clusters at once: one as it is, and one that goes the long way and remembers nothing.

Both must end alike: the same bytes, the same events, the same refusals.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from argosy.apiserver.access.identities import ADMIN
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.remembering import Memory, Steadies
from argosy.apiserver.verbs import patching, repeating, retouching
from argosy.base.errors import StatusError
from argosy.base.loops import run_virtual
from argosy.base.types import Json, Object
from argosy.client.local import LocalClient
from argosy.client.objects import decode
from argosy.client.protocol import PatchType
from argosy.client.resources import NAMESPACES, PODS
from argosy.store import Event
from tests.fakes.clusters import memory_server

FINALIZER = "batch.kubernetes.io/job-tracking"
TIMES = ("2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z")


class Nothing(Steadies):
    """What is put here is gone."""

    def __setitem__(self, *_: Any) -> None:
        return


class Forgetful(Memory):
    """A memory that nothing is ever found in."""

    def __init__(self) -> None:
        super().__init__()
        self.steadies = Nothing()

    def key(self, *_: Any) -> None:
        return None

    def update_key(self, *_: Any) -> None:
        return None

    def spared(self, obj: Object) -> Object:
        return obj


# One step: (client, a name) -> the answer.
Step = Callable[[LocalClient, str], Awaitable[object]]


def status(patch: Json, agent: str = "kubelet", kind: PatchType = PatchType.MERGE) -> Step:
    return lambda client, name: client.patch(
        PODS, name, patch, kind=kind, namespace="ns", subresource="status", field_manager=agent
    )


def pod(patch: Json, agent: str = "jobs", kind: PatchType = PatchType.MERGE) -> Step:
    return lambda client, name: client.patch(
        PODS, name, patch, kind=kind, namespace="ns", field_manager=agent
    )


def bind(node: str = "node-1", **metadata: Any) -> Step:
    def step(client: LocalClient, name: str) -> Awaitable[object]:
        body = {
            "kind": "Binding", "apiVersion": "v1", "metadata": {"name": name, **metadata},
            "target": {"kind": "Node", "name": node},
        }  # fmt: skip
        return client.create(PODS, body, namespace="ns", name=name, subresource="binding")

    return step


async def delete(client: LocalClient, name: str) -> None:
    await client.delete(PODS, name, namespace="ns")


async def later(client: LocalClient, name: str) -> None:
    """Time goes on, by more than a second for every other object."""
    await asyncio.sleep(0.7)


def slowly(step: Step) -> Step:
    """A step that the next object takes a second later."""

    async def slow(client: LocalClient, name: str) -> None:
        await step(client, name)
        await asyncio.sleep(1.2)

    return slow


def new_pod(name: str, index: int = 0, **spec: Any) -> Object:
    return {
        "metadata": {
            "name": name, "namespace": "ns", "finalizers": [FINALIZER], "generateName": "train-",
            "labels": {"job-name": "train", "batch.kubernetes.io/job-completion-index": str(index)},
            "annotations": {"batch.kubernetes.io/job-completion-index": str(index)},
            "ownerReferences": [{
                "apiVersion": "batch/v1", "kind": "Job", "name": "train", "controller": True,
                "uid": f"00000000-0000-4000-8000-{index:012x}",
            }],
        },
        "spec": {
            "hostname": f"train-{index}", "restartPolicy": "Never",
            "containers": [{"name": "main", "image": "image", "resources": {"limits": {"cpu": "1"}}}],
            **spec,
        },
    }  # fmt: skip


async def outcome(step: Step, client: LocalClient, name: str) -> Json:
    try:
        await step(client, name)
    except StatusError as error:
        return error.to_status()
    return None


def both(story: Callable[[LocalClient], Awaitable[list[Json]]]) -> None:
    """Play a story on both clusters, which start at the same time, and compare all there is to see."""
    short, long = (run_virtual(_played(story, is_long=is_long)) for is_long in (False, True))
    assert short == long


async def _played(
    story: Callable[[LocalClient], Awaitable[list[Json]]], *, is_long: bool
) -> tuple[list[Json], list[tuple[str, bytes]], list[list[str]]]:
    """What became of each step, each write, and what was warned of."""
    retouch, repeat, patch = retouching.retouch, repeating.repeat, patching.patch
    server = memory_server()
    warned: list[list[str]] = []
    patching.patch = _overheard(warned)
    if is_long:
        server.cluster.memory = Forgetful()
        retouching.retouch = lambda *_, **__: None  # type: ignore[assignment]
        repeating.repeat = lambda *_, **__: None  # type: ignore[assignment]
    try:
        client = LocalClient(server, ADMIN, agent="test")
        await client.create(NAMESPACES, {"metadata": {"name": "ns"}})
        watch = server.cluster.store.watch(None)
        outcomes = await story(client)
        events: list[Event] = watch.take()
        return outcomes, [(event.type, event.record.raw) for event in events], warned
    finally:
        retouching.retouch, repeating.repeat, patching.patch = retouch, repeat, patch


def _overheard(warned: list[list[str]]) -> Any:
    """Patches whose warnings are written down."""
    patch = patching.patch

    async def overheard(cluster: Cluster, call: Call, *args: Any, **more: Any) -> Any:
        warned.append(call.warnings)
        return await patch(cluster, call, *args, **more)

    return overheard


def play(*steps: Step, pods: int = 2) -> None:
    """Two pods that are alike go through the same steps, so that the second finds what is remembered of the first."""

    async def story(client: LocalClient) -> list[Json]:
        names = [f"train-{number}" for number in range(pods)]
        for number, name in enumerate(names):
            await client.create(PODS, new_pod(name, number), namespace="ns")
        return [await outcome(step, client, name) for step in steps for name in names]

    both(story)


def condition(kind: str, value: str = "True", **more: Any) -> Object:
    return {
        "type": kind,
        "status": value,
        "lastProbeTime": None,
        "lastTransitionTime": TIMES[0],
    } | more


RUNNING: Object = {
    "phase": "Running", "startTime": TIMES[0], "hostIP": "10.0.0.1", "hostIPs": [{"ip": "10.0.0.1"}],
    "podIP": "10.1.0.1", "podIPs": [{"ip": "10.1.0.1"}],
    "conditions": [condition("Initialized"), condition("Ready"), condition("PodScheduled")],
    "containerStatuses": [{
        "name": "main", "image": "image", "imageID": "", "ready": True, "started": True, "restartCount": 0,
        "containerID": "containerd://a", "lastState": {}, "state": {"running": {"startedAt": TIMES[0]}},
    }],
}  # fmt: skip
ENDED: Object = {
    "phase": "Succeeded",
    "conditions": [condition("Initialized"), condition("Ready", "False", reason="PodCompleted")],
    "containerStatuses": [{
        "name": "main", "image": "image", "imageID": "", "ready": False, "restartCount": 0,
        "state": {"terminated": {"exitCode": 0, "reason": "Completed", "finishedAt": TIMES[1]}},
    }],
}  # fmt: skip


def own(make: Callable[[int], Object]) -> Step:
    """A report of a status that each pod has for itself."""

    def step(client: LocalClient, name: str) -> Awaitable[object]:
        return status({"status": make(int(name.rpartition("-")[2]))})(client, name)

    return step


def ids(*texts: str) -> Step:
    """Statuses of containers with these IDs, which may speak of the number of the pod."""

    def make(number: int) -> Object:
        names = [text.format(number) for text in texts]
        ended = {"exitCode": 1, "containerID": names[0], "startedAt": TIMES[0]}
        return {"containerStatuses": [
            {"name": f"c{index}", "image": names[0], "imageID": "", "ready": True, "restartCount": 0,
             "containerID": name, "lastState": {"terminated": ended}}
            for index, name in enumerate(names)
        ]}  # fmt: skip

    return own(make)


def named(patch: Object, *fields: str, **other: Json) -> Step:
    """A report that says which object it means: by these fields of its metadata, or by other values."""

    async def step(client: LocalClient, name: str) -> object:
        meta = decode(await client.get(PODS, name, namespace="ns"))["metadata"]
        said = {**{field: meta[field] for field in fields}, **other}
        return await status({"metadata": said, "status": patch})(client, name)

    return step
