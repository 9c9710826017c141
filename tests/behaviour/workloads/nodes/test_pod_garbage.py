"""Pods that nobody else will ever remove."""

from __future__ import annotations

from argosy.client.resources import NODES, PODS
from argosy.control.assemblies import Assembly
from argosy.workloads.nodes import add_nodes
from tests.fakes.worlds import World, running


def test_pods_of_a_deleted_node_fail_and_go_after_a_quarantine() -> None:
    async def story(world: World) -> None:
        await world.node("a")
        held = {"finalizers": ["example.com/look"]}
        await world.pod("p", node="a", metadata=held)
        await world.pod("q", node="a")
        await world.client.delete(NODES, "a")
        await world.pass_time(30)
        assert len(await world.list(PODS)) == 2
        await world.pass_time(30)
        (left,) = await world.list(PODS)
        assert left["metadata"]["name"] == "p"
        assert left["status"]["phase"] == "Failed"
        (target,) = (c for c in left["status"]["conditions"] if c["type"] == "DisruptionTarget")
        assert (target["reason"], target["message"]) == (
            "DeletionByPodGC",
            "PodGC: node no longer exists",
        )

    running(story, add_nodes)


def test_a_node_that_comes_back_within_the_quarantine_keeps_its_pods() -> None:
    async def story(world: World) -> None:
        await world.node("a")
        await world.pod("p", node="a")
        await world.client.delete(NODES, "a")
        await world.pass_time(30)
        await world.node("a")
        await world.pass_time(15)
        assert len(await world.list(PODS)) == 1

    running(story, add_nodes)


def test_deleted_pods_that_were_never_bound_or_are_out_of_service_go_at_once() -> None:
    async def story(world: World) -> None:
        out = {"taints": [{"key": "node.kubernetes.io/out-of-service", "effect": "NoExecute"}]}
        await world.node("a", spec=out)
        await world.status(NODES, "a", {"conditions": [{"type": "Ready", "status": "False"}]})
        tolerant = [{"operator": "Exists"}]
        await world.pod("bound", node="a", tolerations=tolerant)
        await world.pod("stays", node="a", tolerations=tolerant)
        await world.client.delete(PODS, "bound", namespace="ns")
        await world.settle()
        assert [pod["metadata"]["name"] for pod in await world.list(PODS)] == ["stays"]

    running(story, add_nodes)


def test_the_oldest_finished_pods_go_beyond_the_number() -> None:
    def add(assembly: Assembly) -> None:
        add_nodes(assembly, finished_pods=3)

    async def story(world: World) -> None:
        for number in range(6):
            await world.pod(f"p{number}")
            await world.pass_time(1)
        for number in range(5):
            await world.status(PODS, f"p{number}", {"phase": "Succeeded"})
        await world.status(PODS, "p4", {"phase": "Failed", "reason": "Evicted"})
        await world.pass_time(30)
        assert [pod["metadata"]["name"] for pod in await world.list(PODS)] == [
            "p1", "p2", "p3", "p5",
        ]  # fmt: skip

    running(story, add)
