"""Deployments and StatefulSets under queueing, in virtual time."""

from __future__ import annotations

import pytest

from argosy.base.errors import Forbidden
from argosy.base.types import Object
from argosy.client.protocol import Propagation
from argosy.client.resources import DEPLOYMENTS, PODS, STATEFUL_SETS, WORKLOADS
from tests.behaviour.queueing.jobworlds import QUEUE, Harbor, queueing


def _serving(replicas: int, **more: object) -> Object:
    container = {"name": "main", "image": "nginx", "resources": {"requests": {"cpu": "1"}}}
    return {
        "metadata": {"name": "web", "labels": {QUEUE: "lq"}},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {
                    "labels": {"app": "web"},
                    "annotations": {"argosy.dev/duration": "forever"},
                },
                "spec": {"containers": [container]},
            },
            **more,
        },
    }


async def _admit_all(harbor: Harbor) -> None:
    for workload in await harbor.list(WORKLOADS):
        if not workload.get("status", {}).get("admission"):
            await harbor.admit(workload)


def test_each_pod_of_a_deployment_is_a_workload_of_its_own() -> None:
    async def story(harbor: Harbor) -> None:
        made = await harbor.make(DEPLOYMENTS, _serving(2))
        meta = made["spec"]["template"]["metadata"]
        assert meta["labels"] == {"app": "web", QUEUE: "lq", "kueue.x-k8s.io/managed": "true"}
        assert meta["annotations"]["kueue.x-k8s.io/pod-suspending-parent"] == "deployment"
        await harbor.pass_time(5)
        workloads = await harbor.list(WORKLOADS)
        assert [len(each["spec"]["podSets"]) for each in workloads] == [1, 1]
        pods = await harbor.pods()
        assert all(pod["spec"]["schedulingGates"] for pod in pods)
        await harbor.admit(workloads[0])
        await harbor.pass_time(10)
        deployment = await harbor.found(DEPLOYMENTS, "web")
        assert deployment["status"]["readyReplicas"] == 1
        with pytest.raises(Forbidden) as refused:
            await harbor.client.patch(DEPLOYMENTS, "web", {"metadata": {"labels": {QUEUE: "x"}}})
        assert str(refused.value) == (
            'admission webhook "vdeployment.kb.io" denied the request: '
            'metadata.labels[kueue.x-k8s.io/queue-name]: Invalid value: "x": field is immutable'
        )
        await _admit_all(harbor)
        await harbor.pass_time(10)
        assert (await harbor.found(DEPLOYMENTS, "web"))["status"]["readyReplicas"] == 2
        await harbor.client.patch(DEPLOYMENTS, "web", {"spec": {"replicas": 0}})
        await harbor.pass_time(60)
        assert await harbor.list(WORKLOADS) == []

    queueing(story)


def test_a_statefulset_is_admitted_as_one_group() -> None:
    async def story(harbor: Harbor) -> None:
        await harbor.make(STATEFUL_SETS, _serving(2, serviceName="web"))
        await harbor.pass_time(5)
        workload = await harbor.workload()
        name = workload["metadata"]["name"]
        assert name.startswith("statefulset-web-")
        (pods,) = workload["spec"]["podSets"]
        assert (pods["name"], pods["count"]) == ("main", 2)
        (pod,) = await harbor.pods()
        assert pod["spec"]["schedulingGates"]
        assert pod["metadata"]["labels"]["kueue.x-k8s.io/pod-group-name"] == name
        await harbor.admit()
        await harbor.pass_time(30)
        assert (await harbor.found(STATEFUL_SETS, "web"))["status"]["readyReplicas"] == 2
        assert (await harbor.conditions())["PodsReady"].startswith("True Started")

    queueing(story)


def test_a_statefulset_scaled_to_zero_is_on_hold_and_comes_back() -> None:
    async def story(harbor: Harbor) -> None:
        await harbor.make(STATEFUL_SETS, _serving(2, serviceName="web"))
        await harbor.admit()
        await harbor.pass_time(30)
        with pytest.raises(Forbidden) as refused:
            await harbor.client.patch(STATEFUL_SETS, "web", {"spec": {"replicas": 3}})
        assert str(refused.value) == (
            'admission webhook "vstatefulset.kb.io" denied the request: '
            "spec.replicas: Invalid value: 3: field is immutable"
        )
        await harbor.client.patch(STATEFUL_SETS, "web", {"spec": {"replicas": 0}})
        await harbor.pass_time(90)
        assert await harbor.pods() == []
        held = "False OnHold: StatefulSet scaled to zero; workload on hold"
        assert (await harbor.conditions())["QuotaReserved"] == held
        await harbor.client.patch(STATEFUL_SETS, "web", {"spec": {"replicas": 3}})
        await harbor.pass_time(5)
        freed = "False PendingEvaluation: Workload no longer on hold; waiting for quota reservation"
        assert (await harbor.conditions())["QuotaReserved"] == freed
        assert (await harbor.workload())["spec"]["podSets"][0]["count"] == 3
        await harbor.admit()
        await harbor.pass_time(60)
        assert (await harbor.found(STATEFUL_SETS, "web"))["status"]["readyReplicas"] == 3

    queueing(story)


def test_an_evicted_statefulset_comes_back_gated() -> None:
    async def story(harbor: Harbor) -> None:
        await harbor.make(STATEFUL_SETS, _serving(2, serviceName="web"))
        await harbor.admit()
        await harbor.pass_time(30)
        await harbor.evict()
        await harbor.pass_time(90)
        conditions = await harbor.conditions()
        assert conditions["QuotaReserved"] == "False PendingEvaluation: Preempted for another"
        assert "WaitingForReplacementPods" not in conditions
        assert [bool(pod["spec"].get("schedulingGates")) for pod in await harbor.pods()] == [True]
        await harbor.admit()
        await harbor.pass_time(60)
        assert (await harbor.found(STATEFUL_SETS, "web"))["status"]["readyReplicas"] == 2

    queueing(story)


def test_a_deleted_statefulset_takes_pods_and_workload_along() -> None:
    async def story(harbor: Harbor) -> None:
        await harbor.make(STATEFUL_SETS, _serving(2, serviceName="web"))
        await harbor.admit()
        await harbor.pass_time(30)
        await harbor.client.delete(STATEFUL_SETS, "web", propagation=Propagation.BACKGROUND)
        await harbor.pass_time(90)
        assert (await harbor.list(PODS), await harbor.list(WORKLOADS)) == ([], [])

    queueing(story)
