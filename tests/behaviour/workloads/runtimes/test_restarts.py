"""The process ends and starts again: nodes and pods go on where they were."""

from __future__ import annotations

import asyncio
import random

from argosy.base.clock import VirtualClock
from argosy.base.ids import SeededIds
from argosy.base.loops import run_virtual
from argosy.client.resources import NODES, PODS
from argosy.control.assemblies import Assembly
from argosy.workloads.nodes import add_nodes
from tests.behaviour.workloads.runtimes.simulating import (
    add_agent,
    add_node,
    add_pod,
    main_status,
    phase,
)
from tests.behaviour.workloads.runtimes.test_nodes import ready
from tests.fakes.clusters import memory_client
from tests.fakes.worlds import Add, World


async def run_for(
    world: World, seconds: float, adds: tuple[Add, ...] = (add_agent, add_nodes)
) -> None:
    """Let one process live for a while."""
    assembly = Assembly(
        world.client,
        clock=world.clock,
        ids=SeededIds(round(world.clock.time())),
        source=random.Random(1),
    )
    for add in adds:
        add(assembly)
    task = asyncio.create_task(assembly.run())
    await assembly.started()
    await asyncio.sleep(seconds)
    task.cancel()
    await asyncio.wait({task})


async def new_world() -> World:
    client = await memory_client(("ns", "default", "kube-node-lease"))
    return World(client, VirtualClock())


def test_a_pod_goes_on_where_it_was() -> None:
    async def main() -> None:
        world = await new_world()
        await add_node(world)
        await add_pod(world, "p", "sleep", "60")
        await run_for(world, 30)
        address = (await world.get(PODS, "p") or {})["status"]["podIP"]
        await run_for(world, 29)
        assert await phase(world) == "Running"
        await run_for(world, 2)
        assert await phase(world) == "Succeeded"
        pod = await world.get(PODS, "p")
        assert pod is not None
        ended = pod["status"]["containerStatuses"][0]["state"]["terminated"]
        assert (ended["startedAt"], ended["finishedAt"]) == (
            "2026-01-01T00:00:00Z",
            "2026-01-01T00:01:00Z",
        )
        assert pod["status"]["podIP"] == address

    run_virtual(main())


def test_a_pod_whose_time_passed_meanwhile_ends_at_once_and_in_time() -> None:
    async def main() -> None:
        world = await new_world()
        await add_node(world)
        await add_pod(world, "p", "sleep", "60")
        await run_for(world, 30)
        await world.pass_time(600)
        await run_for(world, 0.1)
        ended = (await main_status(world))["state"]["terminated"]
        assert (await phase(world), ended["finishedAt"]) == ("Succeeded", "2026-01-01T00:01:00Z")

    run_virtual(main())


def test_a_restart_writes_nothing_about_pods_that_only_run() -> None:
    async def main() -> None:
        world = await new_world()
        await add_node(world)
        await add_pod(world, "p", "sleep", "600")
        await run_for(world, 1)
        before = (await world.get(PODS, "p") or {})["metadata"]["resourceVersion"]
        await run_for(world, 1)
        after = (await world.get(PODS, "p") or {})["metadata"]["resourceVersion"]
        assert after == before

    run_virtual(main())


def test_a_crash_loop_goes_on() -> None:
    async def main() -> None:
        world = await new_world()
        await add_node(world)
        await add_pod(world, "p", "sh", "-c", "sleep 5; exit 1", policy="Always")
        await run_for(world, 12)
        assert "waiting" in (await main_status(world))["state"]
        await run_for(world, 9)
        got = await main_status(world)
        assert (got["restartCount"], "running" in got["state"]) == (2, True)

    run_virtual(main())


def test_a_pod_that_was_being_deleted_is_removed() -> None:
    async def main() -> None:
        world = await new_world()
        await add_node(world)
        await add_pod(world, "p", "sleep", "600")
        await add_pod(world, "q", "sleep", "1")
        await run_for(world, 2)
        await world.client.delete(PODS, "p", namespace="ns")
        await world.client.patch(PODS, "q", {"metadata": {"finalizers": ["x/y"]}}, namespace="ns")
        await world.client.delete(PODS, "q", namespace="ns")
        await world.pass_time(50)
        await run_for(world, 1)
        await world.client.patch(PODS, "q", {"metadata": {"finalizers": None}}, namespace="ns")
        assert (await phase(world, "p"), await phase(world, "q")) == ("gone", "gone")

    run_virtual(main())


def test_nodes_whose_agent_was_away_are_ready_again() -> None:
    async def main() -> None:
        world = await new_world()
        await add_node(world)
        await run_for(world, 5)
        condition = {
            "type": "Ready",
            "status": "Unknown",
            "reason": "NodeStatusUnknown",
            "message": "Kubelet stopped posting node status.",
            "lastTransitionTime": "2026-01-01T00:01:00Z",
        }
        await world.client.patch(
            NODES, "n1", {"status": {"conditions": [condition]}}, subresource="status"
        )
        await world.pass_time(100)
        await run_for(world, 10)
        assert await ready(world) == "True"

    run_virtual(main())


def test_new_pods_do_not_take_the_addresses_of_old_ones() -> None:
    async def main() -> None:
        world = await new_world()
        await add_node(world)
        await add_pod(world, "z", "sleep", "600")
        await run_for(world, 1)
        await add_pod(world, "a", "sleep", "600")
        await run_for(world, 1)
        addresses = {pod["status"]["podIP"] for pod in await world.list(PODS)}
        assert addresses == {"10.128.0.1", "10.128.0.2"}

    run_virtual(main())


def test_a_pod_that_was_deleted_before_it_ever_started_is_removed() -> None:
    async def main() -> None:
        world = await new_world()
        await add_node(world)
        await add_pod(world, "p", "sleep", "600")
        await world.client.delete(PODS, "p", namespace="ns")
        assert await phase(world) == "Pending"
        await run_for(world, 1)
        assert await phase(world) == "gone"
        assert await world.events("p") == []

    run_virtual(main())


def test_nodes_become_unknown_when_their_agent_dies() -> None:
    async def main() -> None:
        world = await new_world()
        await add_node(world, "n1")
        await add_node(world, "n2")
        await run_for(world, 30)
        await run_for(world, 100, (add_nodes,))
        assert [await ready(world, name) for name in ("n1", "n2")] == ["Unknown", "Unknown"]
        await run_for(world, 20)
        assert [await ready(world, name) for name in ("n1", "n2")] == ["True", "True"]

    run_virtual(main())


def test_a_condition_of_somebody_else_stays_on_a_node_that_comes_back() -> None:
    async def main() -> None:
        world = await new_world()
        await add_node(world)
        odd = {"type": "KernelDeadlock", "status": "False", "reason": "Fine"}
        given_up = {"type": "Ready", "status": "Unknown"}
        await world.client.patch(
            NODES, "n1", {"status": {"conditions": [odd, given_up]}}, subresource="status"
        )
        await run_for(world, 5)
        node = await world.get(NODES, "n1")
        assert node is not None
        got = {one["type"]: one["status"] for one in node["status"]["conditions"]}
        assert (got["KernelDeadlock"], got["Ready"]) == ("False", "True")

    run_virtual(main())


def test_a_node_that_came_back_while_the_agent_was_away_is_ready_again() -> None:
    async def main() -> None:
        world = await new_world()
        await add_node(world, annotations={"argosy.dev/fault": "vanish"})
        await run_for(world, 200)
        assert await ready(world) == "Unknown"
        back = {"metadata": {"annotations": {"argosy.dev/fault": None}}}
        await world.client.patch(NODES, "n1", back)
        await run_for(world, 200)
        assert await ready(world) == "True"

    run_virtual(main())
