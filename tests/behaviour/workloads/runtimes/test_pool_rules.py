"""Pods behave by the rules of their node's pool, as they are when the pod starts."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable

from argosy.base.clock import VirtualClock
from argosy.base.ids import SeededIds
from argosy.base.loops import run_virtual
from argosy.client.resources import CUSTOM_RESOURCE_DEFINITIONS
from argosy.control.assemblies import Assembly
from argosy.workloads.runtimes.agents import Agent
from argosy.workloads.runtimes.simulated import add_simulated
from argosy.workloads.runtimes.simulated.pools import NODE_POOLS
from tests.behaviour.workloads.runtimes.simulating import add_node, add_pod, main_status, phase
from tests.fakes.clusters import memory_client
from tests.fakes.worlds import World

CRD = {
    "metadata": {"name": "nodepools.argosy.dev"},
    "spec": {
        "group": "argosy.dev",
        "names": {"kind": "NodePool", "plural": "nodepools"},
        "scope": "Cluster",
        "versions": [
            {
                "name": "v1alpha1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "x-kubernetes-preserve-unknown-fields": True,
                    }
                },
            }
        ],
    },
}


def pooled(story: Callable[[World], Awaitable[None]]) -> None:
    """Let a story happen where there are pools: their kind has to be there before the agent."""

    async def main() -> None:
        client = await memory_client(("ns", "default", "kube-node-lease"))
        await client.create(CUSTOM_RESOURCE_DEFINITIONS, CRD)
        assembly = Assembly(client, clock=VirtualClock(), ids=SeededIds(2), source=random.Random(3))
        add_simulated(assembly, Agent(assembly))
        task = asyncio.create_task(assembly.run())
        await assembly.started()
        await story(World(client, VirtualClock()))
        task.cancel()
        await asyncio.wait({task})

    run_virtual(main())


def test_pods_behave_by_the_rules_of_their_pool() -> None:
    async def story(world: World) -> None:
        rules = {"duration": {"value": "40s"}, "startup": {"value": "3s"}, "failureRate": 1.0}
        await world.create(
            NODE_POOLS, {"metadata": {"name": "slow"}, "spec": {"simulation": rules}}
        )
        await add_node(world, "n1", labels={"argosy.dev/nodepool": "slow"})
        await add_pod(world, "p", "python", "train.py")
        await world.pass_time(2)
        assert await phase(world) == "Pending"
        assert (await main_status(world))["state"] == {"waiting": {"reason": "ContainerCreating"}}
        await world.pass_time(2)
        assert await phase(world) == "Running"
        await world.pass_time(40)
        assert await phase(world) == "Failed"
        easier = {"spec": {"simulation": {"failureRate": None, "startup": None}}}
        await world.client.patch(NODE_POOLS, "slow", easier)
        await world.settle()
        await add_pod(world, "q", "python", "train.py")
        await world.pass_time(41)
        assert await phase(world, "q") == "Succeeded"

    pooled(story)


def test_rules_that_cannot_be_read_are_told_and_the_last_good_ones_stay() -> None:
    async def story(world: World) -> None:
        good = {"duration": {"value": "40s"}}
        await world.create(NODE_POOLS, {"metadata": {"name": "a"}, "spec": {"simulation": good}})
        await add_node(world, "n1", labels={"argosy.dev/nodepool": "a"})
        await world.settle()
        bad = {"spec": {"simulation": {"duration": {"value": "soon"}}}}
        await world.client.patch(NODE_POOLS, "a", bad)
        await world.settle()
        await add_pod(world, "p", "python")
        await world.pass_time(39)
        assert await phase(world) == "Running"
        await world.pass_time(2)
        assert await phase(world) == "Succeeded"
        text = 'spec.simulation.duration.value: time: invalid duration "soon"; write a duration such as 90s or 1h30m'
        assert await world.events("a") == [("Warning", "InvalidSimulation", text)]

    pooled(story)
