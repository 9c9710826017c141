"""What objects will ask of the cluster they are placed on."""

from __future__ import annotations

import pytest

from argosy.api.needs import needs
from argosy.base.types import Object


def _template(cpu: str = "2", **more: str) -> Object:
    wanted = {"cpu": cpu, **{name.replace("_", "/"): value for name, value in more.items()}}
    return {"spec": {"containers": [{"name": "main", "resources": {"requests": wanted}}]}}


def _of(api_version: str, kind: str, **spec: object) -> Object:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "x"}, "spec": spec}


CASES: dict[str, tuple[Object, dict[str, str]]] = {
    "a Job needs as many pods as run at once": (
        _of("batch/v1", "Job", parallelism=4, completions=10, template=_template(memory="1Gi")),
        {"cpu": "8", "memory": "4Gi"},
    ),
    "and no more than it wants in all": (
        _of("batch/v1", "Job", parallelism=4, completions=3, template=_template()),
        {"cpu": "6"},
    ),
    "a Job that says nothing has one pod": (
        _of("batch/v1", "Job", template=_template()),
        {"cpu": "2"},
    ),
    "a suspended Job will need it once it is let go": (
        _of("batch/v1", "Job", suspend=True, template=_template("500m")),
        {"cpu": "500m"},
    ),
    "a Deployment of none needs none": (
        _of("apps/v1", "Deployment", replicas=0, template=_template()),
        {"cpu": "0"},
    ),
    "a JobSet needs all Jobs of all its parts": (
        _of(
            "jobset.x-k8s.io/v1alpha2",
            "JobSet",
            replicatedJobs=[
                {"replicas": 2, "template": {"spec": {"parallelism": 3, "template": _template()}}},
                {"template": {"spec": {"template": _template("1")}}},
            ],
        ),
        {"cpu": "13"},
    ),
    "a RayJob needs its head and its workers, GPUs too": (
        _of(
            "ray.io/v1",
            "RayJob",
            rayClusterSpec={
                "headGroupSpec": {"template": _template("1")},
                "workerGroupSpecs": [
                    {"replicas": 3, "numOfHosts": 2, "template": _template(nvidia_gpu="4")}
                ],
            },
        ),
        {"cpu": "13", "nvidia/gpu": "24"},
    ),
    "a PyTorchJob needs its roles": (
        _of(
            "kubeflow.org/v1",
            "PyTorchJob",
            pytorchReplicaSpecs={
                "Master": {"template": _template()},
                "Worker": {"replicas": 7, "template": _template()},
            },
        ),
        {"cpu": "16"},
    ),
    "a ConfigMap needs nothing": ({"apiVersion": "v1", "kind": "ConfigMap", "data": {}}, {}),
    "a Job of another group is not a Job": (_of("example.com/v1", "Job", template=_template()), {}),
    "what cannot be read is the member's to refuse": (
        _of("batch/v1", "Job", template=_template("a lot")),
        {},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_needs(case: str) -> None:
    manifest, want = CASES[case]
    assert {name: str(amount) for name, amount in needs(manifest).items()} == want
