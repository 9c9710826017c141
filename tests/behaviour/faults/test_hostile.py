"""What an admin may do to a cluster and regret: it stands, and comes back to order by itself."""

from __future__ import annotations

import pytest

from argosy.base.types import Object
from argosy.capacity import NODE_POOLS
from argosy.client.resources import (
    CUSTOM_RESOURCE_DEFINITIONS,
    LEASES,
    NAMESPACES,
    NODES,
    PODS,
)
from tests.behaviour.faults.wholes import Whole, whole

MINUTE = 60.0


def is_ready(node: Object) -> bool:
    return any(
        one["type"] == "Ready" and one["status"] == "True" for one in node["status"]["conditions"]
    )


def test_nodes_stay_ready_when_their_heartbeats_are_deleted() -> None:
    async def story(here: Whole) -> None:
        await here.pool(minimum=3)
        await here.pass_time(30)
        for one in await here.list(LEASES):
            if one["metadata"]["namespace"] == "kube-node-lease":
                await here.client.delete(
                    LEASES, one["metadata"]["name"], namespace="kube-node-lease"
                )
        await here.pass_time(10 * MINUTE)
        assert [is_ready(node) for node in await here.list(NODES)] == [True] * 3

    whole(story)


# Two that undid each other's writes without a pause would never let virtual time pass.
@pytest.mark.timeout(20)
def test_nodes_stay_ready_when_the_namespace_of_their_heartbeats_is_deleted() -> None:
    async def story(here: Whole) -> None:
        await here.pool(minimum=3)
        await here.pass_time(30)
        before = await here.nodes()
        await here.client.delete(NAMESPACES, "kube-node-lease")
        await here.pass_time(10 * MINUTE)
        # Kubernetes makes its own namespaces again within a minute.
        assert await here.get(NAMESPACES, "kube-node-lease") is not None
        assert await here.nodes() == before
        assert [is_ready(node) for node in await here.list(NODES)] == [True] * 3

    whole(story)


def test_a_job_completes_though_its_pods_are_deleted_again_and_again() -> None:
    async def story(here: Whole) -> None:
        await here.pool(minimum=1)
        await here.job("train", "sleep", "60", parallelism=3, completions=3)
        for _ in range(5):
            await here.pass_time(20)
            for pod in await here.list(PODS):
                await here.client.delete(PODS, pod["metadata"]["name"], namespace="ns")
        await here.pass_time(30 * MINUTE)
        assert await here.conditions("train") == ["SuccessCriteriaMet", "Complete"]
        active, succeeded, _ = await here.counts("train")
        assert (active, succeeded) == (0, 3)

    whole(story)


def test_without_the_kind_of_pools_their_nodes_go_and_the_rest_works_on() -> None:
    async def story(here: Whole) -> None:
        await here.pool(minimum=2)
        await here.pass_time(30)
        await here.client.delete(CUSTOM_RESOURCE_DEFINITIONS, "nodepools.argosy.dev")
        await here.pass_time(2 * MINUTE)
        assert await here.nodes() == []
        # The next start installs it again.
        await here.kill()
        await here.start()
        assert await here.list(NODE_POOLS) == []
        await here.pool(minimum=1)
        await here.job("train", "sleep", "60")
        await here.pass_time(2 * MINUTE)
        assert await here.conditions("train") == ["SuccessCriteriaMet", "Complete"]

    whole(story)


def test_a_node_made_by_hand_that_nobody_runs_gets_no_pods_and_is_no_harm() -> None:
    async def story(here: Whole) -> None:
        await here.pool(minimum=1)
        # Nobody reports for it: it is unreachable from the first minute on.
        await here.node("stranger", cpu="1000")
        await here.pass_time(5 * MINUTE)
        await here.job("train", "sleep", "60", parallelism=8, completions=8)
        await here.pass_time(5 * MINUTE)
        assert await here.conditions("train") == ["SuccessCriteriaMet", "Complete"]
        assert "stranger" not in await here.places()

    whole(story)
