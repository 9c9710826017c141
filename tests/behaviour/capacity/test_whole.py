"""Pools, scheduler, agent, simulated runtime and Jobs together: machines come for a Job and go after it."""

from __future__ import annotations

from argosy.api.wellknown import FAULT
from argosy.base.types import Object
from argosy.client.resources import JOBS, NODES, PODS
from argosy.control.assemblies import Assembly
from argosy.workloads.jobs import add_jobs
from argosy.workloads.nodes import add_nodes
from argosy.workloads.runtimes.agents import Agent
from argosy.workloads.runtimes.simulated import add_simulated
from tests.behaviour.capacity.pools import Pooled, pooled


def agent(assembly: Assembly) -> None:
    add_simulated(assembly, Agent(assembly))


def job(pods: int, duration: str = "5m") -> Object:
    container = {
        "name": "main",
        "image": "busybox",
        "resources": {"requests": {"cpu": "4", "memory": "1Gi"}},
    }
    template = {
        "metadata": {"annotations": {"argosy.dev/duration": duration}},
        "spec": {"restartPolicy": "Never", "containers": [container]},
    }
    spec = {"completions": pods, "parallelism": pods, "template": template}
    # What the cluster does to a pod is no failure of the Job.
    ignore = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}
    return {
        "metadata": {"name": "job"},
        "spec": {**spec, "backoffLimit": 0, "podFailurePolicy": {"rules": [ignore]}},
    }


def test_machines_come_for_a_job_and_go_after_it() -> None:
    async def story(here: Pooled) -> None:
        await here.pool(bootTime="30s")
        await here.create(JOBS, job(6))
        await here.pass_time(60)
        assert len(await here.nodes()) == 3
        running = [pod["status"]["phase"] for pod in await here.list(PODS)]
        assert running == ["Running"] * 6
        # Nodes are complete when they are made: nobody has written them since.
        for node in await here.list(NODES):
            assert {one["manager"] for one in node["metadata"]["managedFields"]} == {"argosy"}
        await here.pass_time(320)
        found = await here.get(JOBS, "job")
        assert found is not None
        assert found["status"]["succeeded"] == 6
        await here.pass_time(330)
        assert await here.nodes() == []
        status = await here.status_of()
        assert (status["nodes"], status["costPerHour"]) == (0, 0)

    pooled(story, agent, add_jobs, add_nodes)


def test_a_job_survives_the_reclaim_of_its_spot_node() -> None:
    async def story(here: Pooled) -> None:
        await here.pool(bootTime="30s", spot=True)
        await here.create(JOBS, job(2))
        await here.pass_time(60)
        (name,) = await here.nodes()
        await here.client.patch(NODES, name, {"metadata": {"annotations": {FAULT: "reclaim"}}})
        await here.pass_time(120)
        (other,) = await here.nodes()
        assert other != name
        await here.pass_time(330)
        found = await here.get(JOBS, "job")
        assert found is not None
        # Ignored pods are counted neither as failed nor against the backoff limit.
        assert (found["status"]["succeeded"], found["status"].get("failed", 0)) == (2, 0)

    pooled(story, agent, add_jobs, add_nodes)


def test_a_node_that_vanishes_is_replaced_and_removed_in_the_end() -> None:
    async def story(here: Pooled) -> None:
        await here.pool(minimum=2)
        await here.pass_time(10)
        name, _ = await here.nodes()
        await here.client.patch(NODES, name, {"metadata": {"annotations": {FAULT: "vanish"}}})
        await here.pass_time(120)
        assert (await here.status_of())["ready"] == 1
        await here.pass_time(1200)
        nodes = await here.nodes()
        assert len(nodes) == 2
        assert name not in nodes
        assert (await here.status_of())["ready"] == 2

    pooled(story, agent, add_nodes)
