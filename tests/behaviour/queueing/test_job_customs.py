"""Jobs of kinds that others bring (Ray, Kubeflow, MPI): queued where their definitions are, in virtual time."""

from __future__ import annotations

import pytest

from argosy.base.errors import Forbidden
from argosy.base.types import Object
from argosy.client.resources import Resource
from argosy.queueing.jobs.integrations.rayjobs import RayJobs
from argosy.queueing.jobs.integrations.replicas import REPLICA_JOBS
from tests.behaviour.queueing.jobworlds import QUEUE, TEMPLATE, Harbor, queueing

RAY_JOBS = RayJobs.resource
PYTORCH = next(each.resource for each in REPLICA_JOBS if each.resource.kind == "PyTorchJob")


def _crd(resource: Resource) -> Object:
    """Takes everything, as far as queueing can tell."""
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {
        "name": resource.version,
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": schema},
    }
    return {
        "metadata": {"name": resource.qualified},
        "spec": {
            "group": resource.group,
            "scope": "Namespaced",
            "names": {"plural": resource.plural, "kind": resource.kind},
            "versions": [version],
        },
    }


async def _report(harbor: Harbor, resource: Resource, status: Object) -> None:
    """What the kind's own operator says."""
    await harbor.client.patch(
        resource, "train", {"status": status}, namespace="ns", subresource="status"
    )
    await harbor.pass_time(2)


def test_a_rayjob_waits_runs_is_evicted_and_finishes() -> None:
    async def story(harbor: Harbor) -> None:
        spec = {
            "shutdownAfterJobFinishes": True,
            "rayClusterSpec": {
                "headGroupSpec": {"template": TEMPLATE},
                "workerGroupSpecs": [
                    {"groupName": "Small", "replicas": 2, "numOfHosts": 2, "template": TEMPLATE}
                ],
            },
        }
        body = {"metadata": {"name": "train", "labels": {QUEUE: "lq"}}, "spec": spec}
        made = await harbor.make(RAY_JOBS, body)
        assert made["spec"]["suspend"] is True
        counts = [
            (each["name"], each["count"]) for each in (await harbor.workload())["spec"]["podSets"]
        ]
        assert counts == [("head", 1), ("small", 4), ("submitter", 1)]
        await harbor.admit()
        job = await harbor.found(RAY_JOBS, "train")
        assert job["spec"]["suspend"] is False
        head = job["spec"]["rayClusterSpec"]["headGroupSpec"]["template"]["spec"]
        assert head["nodeSelector"] == {"tier": "spot"}
        await _report(
            harbor,
            RAY_JOBS,
            {"jobDeploymentStatus": "Running", "rayClusterStatus": {"state": "ready"}},
        )
        assert (await harbor.conditions())["PodsReady"].startswith("True Started")
        await harbor.evict()
        job = await harbor.found(RAY_JOBS, "train")
        assert {**job["spec"], "suspend": True} == made["spec"]
        assert (await harbor.conditions())["QuotaReserved"].startswith("True")
        await _report(harbor, RAY_JOBS, {"jobDeploymentStatus": "Suspended"})
        assert (await harbor.conditions())["QuotaReserved"].startswith("False PendingEvaluation")
        await harbor.admit()
        status = {"jobDeploymentStatus": "Complete", "jobStatus": "SUCCEEDED", "message": "done"}
        await _report(harbor, RAY_JOBS, status)
        assert (await harbor.conditions())["Finished"] == "True Succeeded: done"

    queueing(story, crds=[_crd(RAY_JOBS)])


def test_a_queued_rayjob_must_clean_up_and_others_need_not() -> None:
    async def story(harbor: Harbor) -> None:
        spec = {"rayClusterSpec": {"headGroupSpec": {"template": TEMPLATE}}}
        made = await harbor.make(RAY_JOBS, {"metadata": {"name": "free"}, "spec": spec})
        assert "suspend" not in made["spec"]
        body = {"metadata": {"name": "train", "labels": {QUEUE: "lq"}}, "spec": spec}
        with pytest.raises(Forbidden) as refused:
            await harbor.create(RAY_JOBS, body)
        assert str(refused.value) == (
            'admission webhook "vrayjob.kb.io" denied the request: spec.shutdownAfterJobFinishes: '
            "Invalid value: false: a kueue managed job should delete the cluster after finishing"
        )

    queueing(story, crds=[_crd(RAY_JOBS)])


def test_a_pytorchjob_is_a_pod_set_per_role() -> None:
    async def story(harbor: Harbor) -> None:
        spec = {
            "pytorchReplicaSpecs": {
                "Worker": {"replicas": 3, "template": TEMPLATE},
                "Master": {"replicas": 1, "template": TEMPLATE},
            }
        }
        body = {"metadata": {"name": "train", "labels": {QUEUE: "lq"}}, "spec": spec}
        made = await harbor.make(PYTORCH, body)
        assert made["spec"]["runPolicy"] == {"suspend": True}
        workload = await harbor.workload()
        counts = [(each["name"], each["count"]) for each in workload["spec"]["podSets"]]
        assert counts == [("master", 1), ("worker", 3)]
        await harbor.admit()
        job = await harbor.found(PYTORCH, "train")
        assert job["spec"]["runPolicy"] == {"suspend": False}
        await _report(
            harbor,
            PYTORCH,
            {"conditions": [{"type": "Failed", "status": "True", "message": "a pod failed"}]},
        )
        assert (await harbor.conditions())["Finished"] == "True Failed: a pod failed"

    queueing(story, crds=[_crd(PYTORCH)])
