"""The short way of a patch ends where the long way ends (`ways` plays both)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argosy.base.types import Json, Object
from argosy.client.local import LocalClient
from argosy.client.protocol import PatchType
from argosy.client.resources import JOBS, NODES, Resource
from tests.unit.apiserver.ways import (
    ENDED,
    FINALIZER,
    RUNNING,
    TIMES,
    Step,
    bind,
    both,
    condition,
    delete,
    ids,
    later,
    named,
    outcome,
    own,
    play,
    pod,
    status,
)

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
    "writers at other times": (
        status({"status": RUNNING}), later, status({"status": {"reason": "x"}}, "other"), later, status({"status": ENDED}),
        later, status({"status": {"reason": "y"}}, "other"), status({"status": {"message": "z"}}, "another"),
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
    | st.just(bind()) | st.just(delete) | st.just(later),
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
            await outcome(
                lambda c, n: c.patch(resource, n, patch, namespace="ns", subresource=subresource),
                client,
                "x",
            )
            for _ in range(2)
        ]

    both(story)
