"""The short way of a patch ends where the long way ends: the same bytes, the same events, the same refusals.

Stories are played on two clusters at once: one as it is, and one that goes the long way and remembers nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argosy.apiserver.access.identities import ADMIN
from argosy.apiserver.remembering import Memory
from argosy.apiserver.verbs import retouching
from argosy.base.errors import StatusError
from argosy.base.loops import run_virtual
from argosy.base.types import Json, Object
from argosy.client.local import LocalClient
from argosy.client.objects import decode
from argosy.client.protocol import PatchType
from argosy.client.resources import JOBS, NAMESPACES, NODES, PODS, Resource
from argosy.store import Event
from tests.fakes.clusters import memory_server

FINALIZER = "batch.kubernetes.io/job-tracking"
TIMES = ("2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z")


class Forgetful(Memory):
    """A memory that nothing is ever found in."""

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


def new_pod(name: str, index: int = 0, **spec: Any) -> Object:
    return {
        "metadata": {
            "name": name, "namespace": "ns", "finalizers": [FINALIZER], "generateName": "train-",
            "labels": {"job-name": "train", "batch.kubernetes.io/job-completion-index": str(index)},
            "annotations": {"batch.kubernetes.io/job-completion-index": str(index)},
            "ownerReferences": [{
                "apiVersion": "batch/v1", "kind": "Job", "name": "train", "uid": "u", "controller": True,
            }],
        },
        "spec": {
            "hostname": f"train-{index}", "restartPolicy": "Never",
            "containers": [{"name": "main", "image": "image", "resources": {"limits": {"cpu": "1"}}}],
            **spec,
        },
    }  # fmt: skip


async def _outcome(step: Step, client: LocalClient, name: str) -> Json:
    try:
        await step(client, name)
    except StatusError as error:
        return error.to_status()
    return None


async def _both(story: Callable[[LocalClient], Awaitable[list[Json]]]) -> None:
    """Play a story on both clusters and compare all there is to see."""
    seen: list[tuple[list[Json], list[tuple[str, bytes]]]] = []
    retouch = retouching.retouch
    for is_long in (False, True):
        server = memory_server()
        if is_long:
            server.cluster.memory = Forgetful()
            retouching.retouch = lambda *_, **__: None  # type: ignore[assignment]
        try:
            client = LocalClient(server, ADMIN, agent="test")
            await client.create(NAMESPACES, {"metadata": {"name": "ns"}})
            watch = server.cluster.store.watch(None)
            outcomes = await story(client)
            events: list[Event] = watch.take()
            seen.append((outcomes, [(event.type, event.record.raw) for event in events]))
        finally:
            retouching.retouch = retouch
    short, long = seen
    assert short == long


def play(*steps: Step, pods: int = 2) -> None:
    """Two pods that are alike go through the same steps, so that the second finds what is remembered of the first."""

    async def story(client: LocalClient) -> list[Json]:
        names = [f"train-{number}" for number in range(pods)]
        for number, name in enumerate(names):
            await client.create(PODS, new_pod(name, number), namespace="ns")
        return [await _outcome(step, client, name) for step in steps for name in names]

    run_virtual(_both(story))


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


CASES: dict[str, tuple[Step, ...]] = {
    "an object named by uid and revision": (
        named(RUNNING, "uid", "resourceVersion"), named(ENDED, "uid"), named(ENDED, "resourceVersion"),
    ),
    "a status of another uid": (named(RUNNING, "resourceVersion", uid="other"), named(ENDED, uid="other")),
    "an old revision": (named(RUNNING, "uid", resourceVersion="1"), named(ENDED, resourceVersion="999")),
    "a revision that is none": (
        named(RUNNING, resourceVersion=""), named(RUNNING, resourceVersion="x"), named(RUNNING, resourceVersion=None),
        named(RUNNING, resourceVersion=7), named(RUNNING, uid=None),
    ),
    "labels beside a status": (named(RUNNING, "uid", labels={"a": "b"}), named(RUNNING, name="other")),
    "addresses of their own": (
        own(lambda n: {**RUNNING, "podIP": f"10.1.0.{n}", "podIPs": [{"ip": f"10.1.0.{n}"}]}),
        own(lambda n: {**ENDED, "podIP": f"10.1.0.{n}", "podIPs": [{"ip": f"10.1.0.{n}"}]}),
        own(lambda n: {"podIP": f"10.2.0.{n}", "podIPs": [{"ip": f"10.2.0.{n}"}]}),
    ),
    "containers of their own": (ids("containerd://{}"), ids("containerd://{}", "containerd://x{}")),
    "containers of one name": (ids("containerd://{}", "containerd://{}"), ids("containerd://0", "containerd://{}")),
    "containers within each other": (ids("containerd://1", "containerd://1{}"), ids('a://"{}', "a://?0")),
    "containers without a scheme": (ids("{}"), ids("2026-01-01T00:00:0{}Z"), ids("?0"), ids("")),
    "the life of a pod": (
        bind(), status({"status": RUNNING}), status({"status": ENDED}),
        pod({"metadata": {"finalizers": None}}), delete,
    ),
    "finalizers by JSON patch": (
        pod([{"op": "remove", "path": "/metadata/finalizers"}], kind=PatchType.JSON), delete,
    ),
    "finalizers by JSON patch with a test that fails": (
        pod([{"op": "test", "path": "/metadata/uid", "value": "x"},
             {"op": "remove", "path": "/metadata/finalizers"}], kind=PatchType.JSON),
    ),
    "the last finalizer of a deleted pod": (delete, pod({"metadata": {"finalizers": []}})),
    "a new finalizer of a deleted pod": (delete, pod({"metadata": {"finalizers": [FINALIZER, "a/b"]}})),
    "nothing new": (status({"status": RUNNING}), status({"status": RUNNING})),
    "nothing new from another writer": (
        status({"status": RUNNING}), status({"status": RUNNING}, "other"),
    ),
    "nothing new but the order of keys": (
        status({"status": {"conditions": [condition("Ready")]}}),
        status({"status": {"conditions": [dict(reversed(condition("Ready").items()))]}}),
    ),
    "two writers of a status": (
        status({"status": RUNNING}), status({"status": {"conditions": [condition("Ready", "False")]}}, "other"),
        status({"status": ENDED}),
    ),
    "a writer that is called like a placeholder": (
        status({"status": RUNNING}, "k:?"), status({"status": ENDED}, "?0"), status({"status": RUNNING}, "k:?"),
    ),
    "two addresses": (
        status({"status": {"podIP": "10.1.0.1", "podIPs": [{"ip": "10.1.0.1"}, {"ip": "fd00::1"}]}}),
        status({"status": {"podIP": "10.1.0.2", "podIPs": [{"ip": "10.1.0.2"}]}}),
    ),
    "addresses that do not agree": (status({"status": {"podIP": "10.1.0.1", "podIPs": [{"ip": "10.1.0.2"}]}}),),
    "an address that is none": (status({"status": {"podIP": "x", "podIPs": [{"ip": "x"}]}}),),
    "an address that is a step": (status({"status": {"podIP": "k:?", "podIPs": [{"ip": "k:?"}]}}),),
    "a field taken away": (status({"status": RUNNING}), status({"status": {"startTime": None}})),
    "an empty field": (status({"status": RUNNING}), status({"status": {"reason": "", "message": "m"}})),
    "an unknown field": (status({"status": {"colour": "red"}}),),
    "a value of another type": (status({"status": {"phase": 1}}),),
    "a status that is none": (status({"status": []}), status({"status": None}), status([])),
    "more than a status": (status({"status": {"reason": "x"}, "metadata": {"labels": {"a": "b"}}}),),
    "labels through the status": (status({"metadata": {"labels": {"a": "b"}}}),),
    "the spec through the status": (status({"spec": {"nodeName": "x"}}),),
    "the status by JSON patch": (
        status([{"op": "add", "path": "/status/reason", "value": "x"}], kind=PatchType.JSON),
        status([{"op": "replace", "path": "/status/conditions", "value": [condition("Ready")]}], kind=PatchType.JSON),
        status([{"op": "remove", "path": "/status/reason"}], kind=PatchType.JSON),
    ),
    "a terminated container that runs again": (status({"status": ENDED}), status({"status": RUNNING})),
    "the class of service": (status({"status": {"qosClass": "Guaranteed"}}),),
    "labels": (pod({"metadata": {"labels": {"a": "b"}}}), pod({"metadata": {"labels": {"a": None}}})),
    "a bad label": (pod({"metadata": {"labels": {"a": "-"}}}),),
    "a bad label from a binding": (bind(labels={"a": "-"}), status({"status": RUNNING}), pod({"metadata": {"labels": {"c": "d"}}})),
    "a bad node": (bind("Node_1"), pod({"metadata": {"labels": {"c": "d"}}})),
    "an annotation that rules read": (
        pod({"metadata": {"annotations": {"kubernetes.io/config.mirror": "x"}}}),
        pod({"metadata": {"annotations": {"controller.kubernetes.io/pod-deletion-cost": "high"}}}),
        pod({"metadata": {"annotations": {"controller.kubernetes.io/pod-deletion-cost": "1"}}}),
        pod({"metadata": {"annotations": {"batch.kubernetes.io/job-completion-index": "7"}}}),
    ),
    "another uid": (pod({"metadata": {"uid": "x"}}),),
    "another revision": (pod({"metadata": {"resourceVersion": "1"}}),),
    "another name": (pod({"metadata": {"name": "x"}}),),
    "other owners": (pod({"metadata": {"ownerReferences": []}}), pod({"metadata": {"ownerReferences": [{"kind": "x"}]}})),
    "other managers": (pod({"metadata": {"managedFields": []}}), pod({"metadata": {"labels": {"a": "b"}}}), status({"status": RUNNING})),
    "managers by JSON patch": (
        pod([{"op": "remove", "path": "/metadata/managedFields"}], kind=PatchType.JSON),
        pod([{"op": "add", "path": "/metadata/labels", "value": {"a": "b"}}], kind=PatchType.JSON),
    ),
    "a deletion of metadata": (pod([{"op": "remove", "path": "/metadata"}], kind=PatchType.JSON),),
    "what the server sets": (pod({"metadata": {"creationTimestamp": None, "generation": 7, "deletionTimestamp": TIMES[0]}}),),
}  # fmt: skip


@pytest.mark.parametrize("steps", CASES.values(), ids=CASES.keys())
def test_both_ways_end_alike(steps: tuple[Step, ...]) -> None:
    play(*steps)


TEXTS = st.sampled_from(["", "a", "True", "Ready", "10.0.0.1", "null", "k:?", *TIMES])
CONDITIONS = st.lists(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["Ready", "PodScheduled", "Initialized", "a b"])},
        optional={
            "status": TEXTS, "reason": TEXTS | st.none(), "lastProbeTime": st.none() | st.sampled_from(TIMES),
            "lastTransitionTime": st.sampled_from(TIMES) | st.none(), "observedGeneration": st.integers(-1, 2),
            "colour": TEXTS,
        },
    ),
    max_size=3,
)  # fmt: skip
STATUSES = st.fixed_dictionaries(
    {},
    optional={
        "phase": st.sampled_from(["Running", "Succeeded", ""]), "reason": TEXTS | st.none(), "podIP": TEXTS,
        "podIPs": st.lists(st.fixed_dictionaries({"ip": TEXTS}), max_size=2) | st.none(),
        "hostIP": TEXTS, "hostIPs": st.lists(st.fixed_dictionaries({"ip": TEXTS}), max_size=2),
        "startTime": TEXTS | st.none(), "conditions": CONDITIONS | st.none() | st.just({}),
        "containerStatuses": st.sampled_from([RUNNING["containerStatuses"], ENDED["containerStatuses"], [], None, [None]]),
        "observedGeneration": st.integers(-1, 3), "resourceClaimStatuses": st.just([{"name": "x"}]),
        "extendedResourceClaimStatus": st.sampled_from([None, {}, {"resourceClaimName": "a", "requestMappings": None}]),
    },
)  # fmt: skip
METADATA = st.fixed_dictionaries(
    {},
    optional={
        "labels": st.dictionaries(st.sampled_from(["a", "b/c", "job-name", "a b"]), TEXTS | st.none(), max_size=2) | st.none(),
        "annotations": st.dictionaries(
            st.sampled_from(["a", "kubernetes.io/config.mirror", "batch.kubernetes.io/job-completion-index"]),
            TEXTS | st.none(), max_size=2,
        ),
        "finalizers": st.lists(st.sampled_from([FINALIZER, "a/b", "a"]), max_size=2, unique=True) | st.none(),
        "ownerReferences": st.just([]) | st.none(),
    },
)  # fmt: skip


@given(st.lists(
    st.builds(lambda s, who: status({"status": s}, who), STATUSES, st.sampled_from(["kubelet", "other"]))
    | st.builds(lambda m: pod({"metadata": m}), METADATA)
    | st.just(bind()) | st.just(delete),
    max_size=4,
))  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_any_patches_end_alike(steps: list[Step]) -> None:
    play(*steps)


OTHERS: dict[str, tuple[Resource, Object, str, Json]] = {
    "a Job that counts": (
        JOBS,
        {"metadata": {"name": "x", "namespace": "ns"}, "spec": {"template": {"spec": {
            "restartPolicy": "Never", "containers": [{"name": "a", "image": "b"}],
        }}}},
        "status",
        {"status": {"active": 1, "ready": 1, "startTime": TIMES[0], "uncountedTerminatedPods": {"succeeded": ["a"]}}},
    ),
    "a Job with other labels": (
        JOBS,
        {"metadata": {"name": "x", "namespace": "ns"}, "spec": {"template": {"spec": {
            "restartPolicy": "Never", "containers": [{"name": "a", "image": "b"}],
        }}}},
        "",
        {"metadata": {"labels": {"a": "b"}}},
    ),
    "a node that is ready": (
        NODES,
        {"metadata": {"name": "x"}},
        "status",
        {"status": {"conditions": [{"type": "Ready", "status": "True", "lastHeartbeatTime": TIMES[0]}]}},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", OTHERS.values(), ids=OTHERS.keys())
def test_other_kinds_end_alike(case: tuple[Resource, Object, str, Json]) -> None:
    resource, obj, subresource, patch = case

    async def story(client: LocalClient) -> list[Json]:
        await client.create(resource, obj)
        return [
            await _outcome(
                lambda c, n: c.patch(resource, n, patch, namespace="ns", subresource=subresource),
                client,
                "x",
            )
            for _ in range(2)
        ]

    run_virtual(_both(story))
