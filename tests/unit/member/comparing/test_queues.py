"""What is left to a queue."""

from __future__ import annotations

import copy

import pytest

from argosy.base.types import Object
from argosy.member.comparing.queues import as_the_queue_has_it

POD: Object = {"containers": [{"name": "main", "image": "x"}]}
STARTED: Object = {
    **POD,
    "nodeSelector": {"tier": "spot"},
    "tolerations": [{"key": "spot"}],
    "schedulingGates": [],
    "dnsPolicy": "ClusterFirst",
}


def obj(api_version: str, kind: str, spec: Object, **meta: object) -> Object:
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": "j", **meta},
        "spec": spec,
    }


CASES: dict[str, tuple[Object, Object, Object]] = {
    "a Job's switch, selector, labels and nodes": (
        obj(
            "batch/v1", "Job",
            {"suspend": True, "selector": {"matchLabels": {}}, "backoffLimit": 3,
             "template": {"metadata": {"labels": {"app": "j"}}, "spec": {**POD, "nodeSelector": {"old": "x"}}}},
            labels={"controller-uid": "hub", "kueue.x-k8s.io/queue-name": "mine"},
        ),
        obj(
            "batch/v1", "Job",
            {"suspend": False, "selector": {"matchLabels": {"u": "1"}}, "manualSelector": False, "backoffLimit": 9,
             "template": {"metadata": {"labels": {"controller-uid": "1", "kueue.x-k8s.io/podset": "main"}}, "spec": STARTED}},
            labels={"controller-uid": "1", "kueue.x-k8s.io/queue-name": "other"},
        ),
        obj(
            "batch/v1", "Job",
            {"suspend": False, "selector": {"matchLabels": {"u": "1"}}, "manualSelector": False, "backoffLimit": 3,
             "template": {
                 "metadata": {"labels": {"app": "j", "controller-uid": "1", "kueue.x-k8s.io/podset": "main"}},
                 "spec": {**POD, "nodeSelector": {"tier": "spot"}, "tolerations": [{"key": "spot"}], "schedulingGates": []},
             }},
            labels={"controller-uid": "1", "kueue.x-k8s.io/queue-name": "mine"},
        ),
    ),
    "a Job that may be started with fewer pods": (
        obj("batch/v1", "Job", {"parallelism": 5}, annotations={"kueue.x-k8s.io/job-min-parallelism": "2"}),
        obj("batch/v1", "Job", {"parallelism": 3}, annotations={"kueue.x-k8s.io/job-min-parallelism": "2"}),
        obj("batch/v1", "Job", {"parallelism": 3}, annotations={"kueue.x-k8s.io/job-min-parallelism": "2"}),
    ),
    "the groups of a Ray cluster": (
        obj("ray.io/v1", "RayJob", {"suspend": True, "rayClusterSpec": {
            "headGroupSpec": {"template": {"spec": POD}},
            "workerGroupSpecs": [{"replicas": 2, "template": {"spec": POD}}]}}),
        obj("ray.io/v1", "RayJob", {"suspend": False, "rayClusterSpec": {
            "headGroupSpec": {"template": {"spec": POD}},
            "workerGroupSpecs": [{"replicas": 4, "template": {"spec": {**POD, "nodeSelector": {"a": "b"}}}}]}}),
        obj("ray.io/v1", "RayJob", {"suspend": False, "rayClusterSpec": {
            "headGroupSpec": {"template": {"spec": POD}},
            "workerGroupSpecs": [{"replicas": 2, "template": {"spec": {**POD, "nodeSelector": {"a": "b"}}}}]}}),
    ),
    "a kubeflow job's switch is in its policy": (
        obj("kubeflow.org/v1", "PyTorchJob", {"runPolicy": {"suspend": True, "ttl": 1}}),
        obj("kubeflow.org/v1", "PyTorchJob", {"runPolicy": {"suspend": False, "ttl": 2}}),
        obj("kubeflow.org/v1", "PyTorchJob", {"runPolicy": {"suspend": False, "ttl": 1}}),
    ),
    "a Deployment is no queue's": (
        obj("apps/v1", "Deployment", {"selector": {"a": "1"}, "template": {"spec": POD}}),
        obj("apps/v1", "Deployment", {"selector": {"a": "2"}, "template": {"spec": STARTED}}),
        obj("apps/v1", "Deployment", {"selector": {"a": "1"}, "template": {"spec": POD}}),
    ),
    "a group that the member has not yet": (
        obj("jobset.x-k8s.io/v1alpha2", "JobSet", {"replicatedJobs": [{"template": {"spec": POD}}]}),
        obj("jobset.x-k8s.io/v1alpha2", "JobSet", {"replicatedJobs": []}),
        obj("jobset.x-k8s.io/v1alpha2", "JobSet", {"replicatedJobs": [{"template": {"spec": POD}}]}),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_manifest_as_the_queue_has_it(case: str) -> None:
    manifest, live, want = CASES[case]
    kept = copy.deepcopy((manifest, live))
    assert as_the_queue_has_it(manifest, live) == want
    assert (manifest, live) == kept


def test_what_is_not_there_yet_is_as_the_user_wants_it() -> None:
    manifest = obj("batch/v1", "Job", {"suspend": True})
    assert as_the_queue_has_it(manifest, None) is manifest
