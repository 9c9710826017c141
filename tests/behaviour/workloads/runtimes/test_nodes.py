"""Nodes that an agent serves live with it, vanish alone when told to, and come back."""

from __future__ import annotations

from argosy.base.types import Object
from argosy.client.resources import LEASES, NODES, PODS
from argosy.workloads.nodes import add_nodes
from tests.behaviour.workloads.runtimes.simulating import (
    SIMULATED,
    add_agent,
    add_node,
    add_pod,
    phase,
)
from tests.fakes.worlds import World, running


async def ready(world: World, name: str = "n1") -> str:
    node = await world.get(NODES, name)
    assert node is not None
    return next(one["status"] for one in node["status"]["conditions"] if one["type"] == "Ready")


async def leases(world: World) -> dict[str, Object]:
    return {one["metadata"]["name"]: one["spec"] for one in await world.list(LEASES)}


def test_one_lease_stands_for_all_nodes_and_is_renewed() -> None:
    async def story(world: World) -> None:
        for number in range(5):
            await add_node(world, f"n{number}")
        await world.pass_time(25)
        assert await leases(world) == {
            "argosy-agent": {
                "holderIdentity": "argosy-agent",
                "leaseDurationSeconds": 40,
                "renewTime": "2026-01-01T00:00:20.000000Z",
            }
        }
        await world.pass_time(600)
        assert [await ready(world, f"n{number}") for number in range(5)] == ["True"] * 5

    running(story, add_agent, add_nodes)


def test_a_node_made_by_hand_is_presented() -> None:
    async def story(world: World) -> None:
        amounts = {"cpu": "4", "memory": "8Gi", "example.com/gpu": "2"}
        body = {"metadata": {"name": "n1", "labels": SIMULATED}, "status": {"capacity": amounts}}
        await world.create(NODES, body)
        await world.pass_time(10)
        node = await world.get(NODES, "n1")
        assert node is not None
        assert node["metadata"]["annotations"] == {"argosy.dev/heartbeat-lease": "argosy-agent"}
        assert node["metadata"]["labels"] == {
            "argosy.dev/runtime": "simulated",
            "beta.kubernetes.io/arch": "amd64",
            "beta.kubernetes.io/os": "linux",
            "kubernetes.io/arch": "amd64",
            "kubernetes.io/hostname": "n1",
            "kubernetes.io/os": "linux",
        }
        status = node["status"]
        assert status["allocatable"] == {**amounts, "pods": "110"}
        assert [one["type"] for one in status["addresses"]] == ["InternalIP", "Hostname"]
        assert status["nodeInfo"]["kubeletVersion"] == "v1.35.4"
        assert {one["type"]: (one["status"], one["reason"]) for one in status["conditions"]} == {
            "MemoryPressure": ("False", "KubeletHasSufficientMemory"),
            "DiskPressure": ("False", "KubeletHasNoDiskPressure"),
            "PIDPressure": ("False", "KubeletHasSufficientPID"),
            "Ready": ("True", "KubeletReady"),
        }
        assert "taints" not in node["spec"]
        await add_pod(world, "p", "sleep", "5")
        await world.settle()
        assert await phase(world) == "Running"

    running(story, add_agent, add_nodes)


def test_a_node_that_vanishes_is_silent_and_becomes_unknown() -> None:
    async def story(world: World) -> None:
        await add_node(world, "n1")
        await add_node(world, "n2")
        await add_pod(world, "p", "sleep", "30")
        await add_pod(world, "q", "sleep", "30", node="n2")
        await world.settle()
        fault = {"metadata": {"annotations": {"argosy.dev/fault": "vanish"}}}
        await world.client.patch(NODES, "n1", fault)
        await world.pass_time(40)
        assert (await phase(world, "p"), await phase(world, "q")) == ("Running", "Succeeded")
        assert sorted(await leases(world)) == ["argosy-agent", "n1"]
        await world.pass_time(60)
        assert (await ready(world, "n1"), await ready(world, "n2")) == ("Unknown", "True")

    running(story, add_agent, add_nodes)


def test_a_node_that_comes_back_tells_what_has_happened() -> None:
    async def story(world: World) -> None:
        await add_node(world)
        forever = [{"operator": "Exists"}]
        await add_pod(world, "p", "sleep", "30", tolerations=forever)
        await world.settle()
        fault = {"metadata": {"annotations": {"argosy.dev/fault": "vanish"}}}
        await world.client.patch(NODES, "n1", fault)
        await world.pass_time(300)
        assert (await ready(world), await phase(world)) == ("Unknown", "Running")
        await world.client.patch(
            NODES, "n1", {"metadata": {"annotations": {"argosy.dev/fault": None}}}
        )
        await world.pass_time(10)
        assert (await ready(world), await phase(world)) == ("True", "Succeeded")
        assert sorted(await leases(world)) == ["argosy-agent"]
        pod = await world.get(PODS, "p")
        assert pod is not None
        ended = pod["status"]["containerStatuses"][0]["state"]["terminated"]
        assert ended["finishedAt"] == "2026-01-01T00:00:30Z"
        node = await world.get(NODES, "n1")
        assert node is not None
        assert "taints" not in node["spec"]

    running(story, add_agent, add_nodes)


def test_a_pod_deleted_while_its_node_is_away_goes_when_it_is_back() -> None:
    async def story(world: World) -> None:
        await add_node(world)
        await add_pod(world, "p", "sleep", "3000")
        await world.settle()
        fault = {"metadata": {"annotations": {"argosy.dev/fault": "vanish"}}}
        await world.client.patch(NODES, "n1", fault)
        await world.settle()
        await world.client.delete(PODS, "p", namespace="ns")
        await world.pass_time(100)
        assert await phase(world) == "Running"
        await world.client.patch(
            NODES, "n1", {"metadata": {"annotations": {"argosy.dev/fault": None}}}
        )
        await world.settle()
        assert await phase(world) == "gone"

    running(story, add_agent)


def test_a_node_that_changes_hands_is_let_go() -> None:
    async def story(world: World) -> None:
        await add_node(world)
        await add_pod(world, "p", "sleep", "5")
        await world.settle()
        other = {"metadata": {"labels": {"argosy.dev/runtime": "process"}}}
        await world.client.patch(NODES, "n1", other)
        await world.pass_time(10)
        assert await phase(world) == "Running"

    running(story, add_agent)
