"""Machines that vanish, are taken back or run out: Jobs complete all the same, and everybody is told why."""

from __future__ import annotations

from argosy.api.wellknown import FAULT
from argosy.capacity import NODE_POOLS
from argosy.client.resources import NODES, PODS
from tests.behaviour.faults.wholes import Whole, whole

MINUTE = 60.0


async def strike(here: Whole, node: str, fault: str) -> None:
    await here.client.patch(NODES, node, {"metadata": {"annotations": {FAULT: fault}}})


def test_a_job_completes_though_one_of_two_nodes_vanishes() -> None:
    async def story(here: Whole) -> None:
        await here.pool(minimum=2, maximum=2)
        await here.pass_time(5)
        first, second = await here.nodes()
        await here.job("train", "sleep", "600", parallelism=8, completions=8)
        await here.pass_time(30)
        assert await here.places() == {first: 4, second: 4}
        await strike(here, first, "vanish")
        # 50 s until the node is unreachable, 300 s that pods tolerate it.
        await here.pass_time(40)
        node = await here.get(NODES, first)
        assert node is not None
        ready = {one["type"]: one["status"] for one in node["status"]["conditions"]}["Ready"]
        assert ready == "True"
        await here.pass_time(30)
        node = await here.get(NODES, first)
        assert node is not None
        ready = {one["type"]: one["status"] for one in node["status"]["conditions"]}["Ready"]
        assert ready == "Unknown"
        keys = {taint["key"] for taint in node["spec"]["taints"]}
        assert "node.kubernetes.io/unreachable" in keys
        assert await here.phases() == {"Running": 8}
        await here.pass_time(6 * MINUTE)
        # Pods of a lost node are asked to go; nobody can say that they went, so they are not replaced yet.
        leaving = [p for p in await here.list(PODS) if "deletionTimestamp" in p["metadata"]]
        assert {pod["spec"]["nodeName"] for pod in leaving} == {first}
        await here.client.delete(NODES, first)
        await here.pass_time(20 * MINUTE)
        assert await here.conditions("train") == ["SuccessCriteriaMet", "Complete"]
        active, succeeded, _ = await here.counts("train")
        assert (active, succeeded) == (0, 8)
        done = [p for p in await here.list(PODS) if p["status"]["phase"] == "Succeeded"]
        assert len(done) == 8
        assert first not in {pod["spec"]["nodeName"] for pod in done}
        (event,) = [e for e in await here.events(first) if e[1] == "NodeNotReady"]
        assert event == ("Normal", "NodeNotReady", f"Node {first} status is now: NodeNotReady")

    whole(story)


def test_a_job_on_a_reclaimed_spot_node_completes_on_its_successor() -> None:
    async def story(here: Whole) -> None:
        await here.pool(minimum=1, maximum=2, spot=True, noticeSeconds=30)
        await here.pass_time(5)
        (spot,) = await here.nodes()
        ignoring = {
            "rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]
        }
        await here.job(
            "train", "sleep", "300", parallelism=4, completions=4,
            backoffLimit=0, podFailurePolicy=ignoring,
        )  # fmt: skip
        await here.pass_time(20)
        assert await here.phases() == {"Running": 4}
        await strike(here, spot, "reclaim")
        await here.pass_time(10)
        assert await here.places() == {spot: 4}
        await here.pass_time(9 * MINUTE)
        assert await here.conditions("train") == ["SuccessCriteriaMet", "Complete"]
        # Disruptions are ignored by the policy: with a back-off limit of 0 one counted failure ends the Job.
        assert await here.counts("train") == (0, 4, 0)
        assert spot not in await here.nodes()
        reasons = [e[1] for e in await here.events(spot) if e[0] == "Warning"]
        assert reasons == ["ReclaimNotice", "Reclaimed"]

    whole(story)


def test_a_pool_at_its_maximum_says_so_and_stays_calm() -> None:
    async def story(here: Whole) -> None:
        await here.pool(minimum=0, maximum=2)
        await here.job("train", "sleep", "3600", parallelism=20, completions=20)
        await here.pass_time(2 * MINUTE)
        assert await here.phases() == {"Running": 16, "Pending": 4}
        status, reason, message = await here.pool_condition("AtMaximum")
        assert status == "True"
        assert "2" in message, (reason, message)
        waiting = [p for p in await here.list(PODS) if p["status"]["phase"] == "Pending"]
        told = await here.events(waiting[0]["metadata"]["name"])
        (scheduled,) = waiting[0]["status"]["conditions"]
        assert (scheduled["type"], scheduled["reason"]) == ("PodScheduled", "Unschedulable")
        want = "0/2 nodes are available: 2 Insufficient cpu."
        assert scheduled["message"].startswith(want), scheduled
        said = [e for e in told if e[1] == "FailedScheduling"]
        assert [e[0] for e in said] == ["Warning"] * len(said)
        assert said[-1][2].startswith(want), said
        autoscaler = [e for e in told if e[1] == "NotTriggerScaleUp"]
        assert len(autoscaler) == 1, told
        before = await here.nodes()
        pool = await here.get(NODE_POOLS, "pool")
        pods = {p["metadata"]["name"]: p["metadata"]["uid"] for p in await here.list(PODS)}
        await here.pass_time(30 * MINUTE)
        after = await here.get(NODE_POOLS, "pool")
        assert await here.nodes() == before
        assert pods == {p["metadata"]["name"]: p["metadata"]["uid"] for p in await here.list(PODS)}
        assert pool is not None
        assert after is not None
        # Nothing flaps: nobody wrote the pool in half an hour.
        assert after["metadata"]["resourceVersion"] == pool["metadata"]["resourceVersion"]
        await here.pass_time(120 * MINUTE)
        assert await here.conditions("train") == ["SuccessCriteriaMet", "Complete"]
        assert await here.nodes() == []

    whole(story)
