"""An agent with the simulated runtime on a cluster in memory, for stories about its pods."""

from __future__ import annotations

from argosy.base.types import Json, Object
from argosy.client.resources import PODS
from argosy.control.assemblies import Assembly
from argosy.workloads.runtimes.agents import Agent
from argosy.workloads.runtimes.simulated.rules import DEFAULTS, Simulation
from argosy.workloads.runtimes.simulated.running import SimulatedRuntime
from tests.fakes.worlds import World

SIMULATED = {"argosy.dev/runtime": "simulated"}


def add_agent(assembly: Assembly, rules: Simulation = DEFAULTS) -> Agent:
    agent = Agent(assembly)
    agent.serve(SimulatedRuntime(agent, assembly.clock, lambda pool: rules))
    return agent


async def add_node(world: World, name: str = "n1", **more: Json) -> Object:
    """A simulated node as a pool makes it."""
    annotations = {"argosy.dev/heartbeat-lease": "argosy-agent", **more.pop("annotations", {})}
    labels = {**SIMULATED, **more.pop("labels", {})}
    return await world.node(name, labels=labels, annotations=annotations, **more)


async def add_pod(
    world: World, name: str = "p", *command: str, policy: str = "Never", **spec: Json
) -> Object:
    """A pod bound to n1 unless said otherwise."""
    container = {"command": list(command), **spec.pop("container", {})}
    metadata = {"annotations": spec.pop("annotations", {})}
    node = spec.pop("node", "n1")
    return await world.pod(
        name, node=node, container=container, metadata=metadata, restartPolicy=policy, **spec
    )


async def phase(world: World, name: str = "p") -> str:
    """The pod's phase, or that it is gone."""
    pod = await world.get(PODS, name)
    return "gone" if pod is None else str(pod["status"]["phase"])


async def main_status(world: World, name: str = "p") -> Object:
    """The status of the pod's first container."""
    pod = await world.get(PODS, name)
    assert pod is not None
    status: Object = pod["status"]["containerStatuses"][0]
    return status
