"""What of an object stays on the hub."""

from __future__ import annotations

from copy import deepcopy

import pytest

from argosy.base.types import Object
from argosy.placement.selecting.sanitizing import sanitize

UID = {"controller-uid": "u", "batch.kubernetes.io/controller-uid": "u"}
NAMES = {"job-name": "j", "batch.kubernetes.io/job-name": "j"}


def job(**spec: object) -> Object:
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "j", "labels": {**UID, **NAMES}},
        "spec": spec,
    }


def service(**spec: object) -> Object:
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": spec}


def template(**labels: str) -> Object:
    return {"metadata": {"creationTimestamp": None, "labels": labels}, "spec": {}}


CASES: dict[str, tuple[Object, Object]] = {
    "what a server puts in": (
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {
                "name": "a",
                "namespace": "b",
                "uid": "u",
                "resourceVersion": "1",
                "generation": 3,
                "selfLink": "/x",
                "creationTimestamp": "2026-01-01T00:00:00Z",
                "deletionTimestamp": "2026-01-01T00:00:00Z",
                "managedFields": [{}],
                "ownerReferences": [{}],
                "labels": {"l": "1"},
                "finalizers": ["f"],
                "annotations": {
                    "mine": "1",
                    "kubectl.kubernetes.io/last-applied-configuration": "{}",
                    "deployment.kubernetes.io/revision": "2",
                    "argosy.dev/keep-after-end": "10m",
                },
            },
            "data": {"a": "1"},
            "status": {"x": 1},
        },
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {
                "name": "a",
                "namespace": "b",
                "labels": {"l": "1"},
                "finalizers": ["f"],
                "annotations": {"mine": "1"},
            },
            "data": {"a": "1"},
        },
    ),
    "annotations of which none is left": (
        {
            "metadata": {
                "name": "a",
                "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}"},
            }
        },
        {"metadata": {"name": "a"}},
    ),
    "the labels that a server gave a Job's pods, but not the Job's own": (
        job(selector={"matchLabels": UID}, template=template(**UID, **NAMES)),
        job(selector={"matchLabels": {}}, template={"metadata": {"labels": NAMES}, "spec": {}}),
    ),
    "nothing of a Job that selects by hand": (
        job(manualSelector=True, selector={"matchLabels": UID}, template=template(**UID)),
        job(manualSelector=True, selector={"matchLabels": UID}, template=template(**UID)),
    ),
    "nothing where a Job has nothing": (job(), job()),
    "the addresses and ports of a Service": (
        service(
            clusterIP="10.0.0.1",
            clusterIPs=["10.0.0.1"],
            healthCheckNodePort=1,
            ports=[{"port": 80, "nodePort": 30000}],
        ),
        service(ports=[{"port": 80}]),
    ),
    "but not that a Service has none": (
        service(clusterIP="None", clusterIPs=["None"]),
        service(clusterIP="None", clusterIPs=["None"]),
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_left_behind(case: tuple[Object, Object]) -> None:
    given, want = case
    got = deepcopy(given)
    sanitize(got)
    assert got == want
