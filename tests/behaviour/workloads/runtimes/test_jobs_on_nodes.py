"""Whole Jobs: made, scheduled, run on simulated nodes, and done."""

from __future__ import annotations

from collections import Counter

from argosy.base.types import Json, Object
from argosy.client.resources import JOBS, NODES, PODS
from argosy.workloads.jobs import add_jobs
from argosy.workloads.nodes import add_nodes
from argosy.workloads.scheduling import add_scheduler
from tests.behaviour.workloads.runtimes.simulating import add_agent, add_node
from tests.fakes.worlds import World, running

EVERYBODY = (add_agent, add_nodes, add_scheduler, add_jobs)


def job(name: str, container: Object, **spec: Json) -> Object:
    pod = {"containers": [{"name": "main", **container}], "restartPolicy": "Never"}
    template = {"metadata": spec.pop("metadata", {}), "spec": {**pod, **spec.pop("pod", {})}}
    return {"metadata": {"name": name}, "spec": {**spec, "template": template}}


async def conditions(world: World, name: str = "demo") -> list[str]:
    found = await world.get(JOBS, name)
    assert found is not None
    return [
        one["type"] for one in found["status"].get("conditions") or () if one["status"] == "True"
    ]


async def phases(world: World) -> dict[str, int]:
    return dict(Counter(pod["status"]["phase"] for pod in await world.list(PODS)))


def test_the_demo_job_of_400_pods() -> None:
    async def story(world: World) -> None:
        for number in range(60):
            await add_node(world, f"n{number}")
        amounts = {"cpu": "1", "memory": "1Gi"}
        container = {
            "image": "gcr.io/k8s-staging-perf-tests/sleep:latest",
            "args": ["2400s"],
            "resources": {"requests": amounts, "limits": {"cpu": "1", "memory": "2Gi"}},
        }
        await world.create(JOBS, job("demo", container, parallelism=400, completions=400))
        await world.pass_time(30)
        assert await phases(world) == {"Running": 400}
        addresses = {pod["status"]["podIP"] for pod in await world.list(PODS)}
        assert len(addresses) == 400
        await world.pass_time(2440)
        assert await phases(world) == {"Succeeded": 400}
        assert await conditions(world) == ["SuccessCriteriaMet", "Complete"]

    running(story, *EVERYBODY)


def test_a_suspended_job_ends_its_pods_and_starts_over() -> None:
    async def story(world: World) -> None:
        await add_node(world)
        slow = {"annotations": {"argosy.dev/termination": "5s"}}
        body = job(
            "demo",
            {"image": "x", "command": ["sleep", "60"]},
            parallelism=3,
            completions=3,
            metadata=slow,
        )
        await world.create(JOBS, body)
        await world.pass_time(20)
        assert await phases(world) == {"Running": 3}
        await world.client.patch(JOBS, "demo", {"spec": {"suspend": True}}, namespace="ns")
        await world.pass_time(2)
        assert await phases(world) == {"Running": 3}
        await world.pass_time(10)
        assert (await phases(world), await conditions(world)) == ({}, ["Suspended"])
        await world.client.patch(JOBS, "demo", {"spec": {"suspend": False}}, namespace="ns")
        await world.pass_time(59)
        assert await phases(world) == {"Running": 3}
        await world.pass_time(10)
        assert await conditions(world) == ["SuccessCriteriaMet", "Complete"]

    running(story, *EVERYBODY)


def test_an_indexed_job_whose_third_pod_fails() -> None:
    async def story(world: World) -> None:
        await add_node(world)
        script = 'echo "index $JOB_COMPLETION_INDEX"; sleep 5; if [ "$JOB_COMPLETION_INDEX" = 2 ]; then exit 42; fi'
        body = job(
            "demo", {"image": "x", "command": ["bash", "-c", script]},
            parallelism=4, completions=4, completionMode="Indexed", backoffLimitPerIndex=0,
        )  # fmt: skip
        await world.create(JOBS, body)
        await world.pass_time(60)
        found = await world.get(JOBS, "demo")
        assert found is not None
        status = found["status"]
        assert (status["completedIndexes"], status["failedIndexes"]) == ("0,1,3", "2")
        assert await conditions(world) == ["FailureTarget", "Failed"]

    running(story, *EVERYBODY)


def test_pods_that_restart_in_place_use_up_the_backoff_limit() -> None:
    async def story(world: World) -> None:
        await add_node(world)
        body = job(
            "demo", {"image": "x", "command": ["sh", "-c", "sleep 1; exit 1"]},
            backoffLimit=2, pod={"restartPolicy": "OnFailure"},
        )  # fmt: skip
        await world.create(JOBS, body)
        await world.pass_time(120)
        assert await conditions(world) == ["FailureTarget", "Failed"]
        assert await phases(world) == {}

    running(story, *EVERYBODY)


def test_pods_of_a_node_that_vanishes_are_made_again_elsewhere() -> None:
    async def story(world: World) -> None:
        await add_node(world, "n1")
        body = job(
            "demo", {"image": "x", "command": ["sleep", "900"]}, parallelism=2, completions=2
        )
        await world.create(JOBS, body)
        await world.pass_time(10)
        await add_node(world, "n2")
        await world.client.patch(
            NODES, "n1", {"metadata": {"annotations": {"argosy.dev/fault": "vanish"}}}
        )
        await world.pass_time(500)
        where = sorted(
            (pod["spec"].get("nodeName", ""), "deletionTimestamp" in pod["metadata"])
            for pod in await world.list(PODS)
        )
        assert where == [("n1", True), ("n1", True), ("n2", False), ("n2", False)]
        await world.client.delete(NODES, "n1")
        await world.pass_time(1000)
        assert await conditions(world) == ["SuccessCriteriaMet", "Complete"]

    running(story, *EVERYBODY)
