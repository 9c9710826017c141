"""Numbers that are allowed and that nobody means: one such object must not harm the others."""

from __future__ import annotations

from argosy.client.protocol import PatchType
from argosy.client.resources import CRON_JOBS, NODES, PODS
from argosy.workloads.cronjobs import CronJobs
from argosy.workloads.nodes import add_nodes
from argosy.workloads.scheduling import add_scheduler
from tests.fakes.worlds import World, running

HUGE = 2**63 - 1


def test_a_node_and_a_pod_beyond_all_measure_leave_the_others_their_nodes() -> None:
    async def story(world: World) -> None:
        await world.node("a")
        await world.node("vast", cpu="1e30")
        await world.client.patch(
            NODES, "vast", {"spec": {"unschedulable": True}}, kind=PatchType.MERGE
        )
        await world.pod("vast", container={"resources": {"requests": {"cpu": "1e30"}}})
        for number in range(5):
            await world.pod(f"p{number}", container={"resources": {"requests": {"cpu": "1"}}})
        await world.pass_time(5)
        placed = {p["metadata"]["name"]: p["spec"].get("nodeName") for p in await world.list(PODS)}
        assert placed == {"vast": None, **{f"p{number}": "a" for number in range(5)}}
        (event,) = await world.events("vast-pod") or await world.events("vast")
        assert "Insufficient cpu" in event[2]

    running(story, add_scheduler)


def test_a_deadline_of_all_eternity_is_none() -> None:
    async def story(world: World) -> None:
        pod = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "busybox"}]}
        spec = {
            "schedule": "*/10 * * * *",
            "startingDeadlineSeconds": HUGE,
            "jobTemplate": {"spec": {"template": {"spec": pod}}},
        }
        await world.create(CRON_JOBS, {"metadata": {"name": "c"}, "spec": spec})
        await world.pass_time(601)
        assert [reason for _, reason, _ in await world.events("c")] == ["SuccessfulCreate"]

    running(story, CronJobs)


def test_a_pod_with_endless_grace_can_be_deleted() -> None:
    async def story(world: World) -> None:
        await world.node("a")
        await world.pod("p", node="a", terminationGracePeriodSeconds=HUGE)
        await world.client.delete(PODS, "p", namespace="ns")
        leaving = await world.get(PODS, "p")
        assert leaving is not None
        assert leaving["metadata"]["deletionGracePeriodSeconds"] == HUGE
        assert leaving["metadata"]["deletionTimestamp"].startswith("2318-")
        await world.client.delete(PODS, "p", namespace="ns", grace_seconds=0)
        assert await world.get(PODS, "p") is None

    running(story, add_nodes)
