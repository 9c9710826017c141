"""Pods get nodes: bindings, conditions and events as kubectl shows them."""

from __future__ import annotations

import pytest

from argosy.base.errors import ServiceUnavailable
from argosy.client.local import LocalClient
from argosy.client.resources import NODES, PODS
from tests.behaviour.workloads.scheduling.worlds import World, in_world
from tests.fakes.clients import Fault, FaultyClient


def test_a_pod_is_bound_and_the_event_says_so() -> None:
    async def story(world: World) -> None:
        await world.node("n1")
        await world.pod("a")
        await world.settle()
        assert await world.where("a") == "n1"
        (event,) = await world.events("a")
        got = {key: event[key] for key in ("type", "reason", "action", "message")}
        assert got == {
            "type": "Normal",
            "reason": "Scheduled",
            "action": "Binding",
            "message": "Successfully assigned ns/a to n1",
        }
        assert event["reportingComponent"] == "default-scheduler"
        assert event["eventTime"]

    in_world(story)


def test_a_pod_without_a_node_says_why_and_goes_when_there_is_one() -> None:
    async def story(world: World) -> None:
        await world.pod("a")
        await world.settle()
        assert await world.where("a") == "Unschedulable: no nodes available to schedule pods"
        await world.node("n1", cpu="500m")
        await world.settle()
        # It is not true any more that there are none.
        assert (await world.where("a")).startswith(
            "Unschedulable: 0/1 nodes are available: 1 Insufficient cpu. "
        )
        before = await world.read("a")
        await world.node("n2", cpu="600m")
        await world.settle()
        # A node that is too small helps nobody, so nobody tries.
        assert await world.read("a") == before
        await world.node("n3")
        await world.settle()
        assert await world.where("a") == "n3"
        reasons = [event["reason"] for event in await world.events("a")]
        assert reasons == ["FailedScheduling", "FailedScheduling", "Scheduled"]

    in_world(story)


def test_the_condition_is_the_one_kube_scheduler_writes() -> None:
    async def story(world: World) -> None:
        await world.node("n1")
        await world.pod("a", cpu="100")
        await world.settle()
        (condition,) = (await world.read("a"))["status"]["conditions"]
        assert condition.pop("lastTransitionTime")
        assert condition == {
            "type": "PodScheduled",
            "status": "False",
            "reason": "Unschedulable",
            "message": "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, "
            "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
            "observedGeneration": 1,
            "lastProbeTime": None,
        }
        (event,) = await world.events("a")
        assert (event["type"], event["reason"], event["action"]) == (
            "Warning",
            "FailedScheduling",
            "Scheduling",
        )
        assert event["message"] == condition["message"]

    in_world(story)


def test_room_that_a_finished_pod_leaves_is_taken() -> None:
    async def story(world: World) -> None:
        await world.node("n1", cpu="1")
        await world.pod("a")
        await world.settle()
        await world.pod("b")
        await world.pod("c")
        await world.settle()
        assert (await world.where("b")).startswith("Unschedulable: 0/1 nodes are available: 1 Insu")
        await world.status("a", {"phase": "Succeeded"})
        await world.settle()
        assert await world.where("b") == "n1"
        assert (await world.where("c")).startswith("Unschedulable")

    in_world(story)


def test_gated_pods_and_pods_of_other_schedulers_are_left_alone() -> None:
    async def story(world: World) -> None:
        await world.node("n1")
        await world.pod("gated", schedulingGates=[{"name": "g"}])
        await world.pod("other", schedulerName="mine")
        await world.settle()
        gated = "SchedulingGated: Scheduling is blocked due to non-empty scheduling gates"
        assert await world.where("gated") == gated
        assert await world.where("other") == ""
        await world.client.patch(PODS, "gated", {"spec": {"schedulingGates": None}}, namespace="ns")
        await world.settle()
        assert await world.where("gated") == "n1"
        assert await world.where("other") == ""

    in_world(story)


def test_higher_priority_goes_first() -> None:
    async def story(world: World) -> None:
        await world.priority("high", 1000)
        for number in range(4):
            await world.pod(f"low-{number}")
        await world.pod("high", priorityClassName="high")
        await world.settle()
        await world.node("n1", cpu="1")
        await world.settle()
        assert await world.where("high") == "n1"

    in_world(story)


def test_an_uncordoned_node_and_a_removed_taint_help() -> None:
    async def story(world: World) -> None:
        taint = {"key": "k", "value": "v", "effect": "NoSchedule"}
        await world.node("n1", taints=[taint])
        await world.pod("a")
        await world.settle()
        assert (await world.where("a")).startswith(
            "Unschedulable: 0/1 nodes are available: 1 node(s) had untolerated taint(s). "
        )
        await world.client.patch(NODES, "n1", {"spec": {"taints": None, "unschedulable": True}})
        await world.settle()
        await world.client.patch(NODES, "n1", {"spec": {"unschedulable": None}})
        await world.settle()
        assert await world.where("a") == "n1"

    in_world(story)


@pytest.mark.parametrize("lost", [False, True], ids=["refused", "done, but the answer is lost"])
def test_a_failed_binding_is_rolled_back_and_tried_again(lost: bool) -> None:
    def wrap(client: LocalClient) -> FaultyClient:
        faulty = FaultyClient(client)
        faulty.fault("create", Fault(ServiceUnavailable("down"), lost=lost))
        return faulty

    async def story(world: World) -> None:
        await world.node("n1")
        await world.pod("a")
        await world.settle(5)
        assert await world.where("a") == "n1"
        assert [p.node for p in world.scheduler.decider.ledger.placements.values()] == ["n1"]
        assert len(world.scheduler.queue) == 0

    in_world(story, wrap)


def test_a_thousand_pods_fill_the_cluster_and_no_more() -> None:
    async def story(world: World) -> None:
        for number in range(20):
            await world.node(f"n{number}", cpu="10", pods="110")
        for number in range(220):
            await world.pod(f"p{number}")
        await world.settle(30)
        placed = [await world.where(f"p{number}") for number in range(220)]
        counts = {node: placed.count(node) for node in set(placed) if node.startswith("n")}
        assert counts == {f"n{number}": 10 for number in range(20)}
        assert world.scheduler.queue.waiting() == 20

    in_world(story)
