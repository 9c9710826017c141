"""Whatever happens in whatever order: pods end as they should, addresses are their own, and nothing is left behind."""

from __future__ import annotations

from typing import TypeAlias

from hypothesis import given, settings
from hypothesis import strategies as st

from argosy.base.errors import NotFound
from argosy.client.resources import LEASES, NODES, PODS
from argosy.control.assemblies import Assembly
from argosy.workloads.runtimes.agents import Agent
from argosy.workloads.runtimes.simulated.running import SimulatedRuntime
from tests.behaviour.workloads.runtimes.simulating import add_node, add_pod, phase
from tests.fakes.worlds import World, running

NODE_NAMES = ("n1", "n2")
Step: TypeAlias = tuple[str, int, float]

COMMANDS = (
    ("sleep", "7"),
    ("sh", "-c", "sleep 3; exit 1"),
    ("sleep", "infinity"),
    ("true",),
)
POLICIES = ("Never", "OnFailure", "Always")
ACTIONS = ("create", "delete", "kill", "vanish", "return", "remove", "add")
steps = st.lists(
    st.tuples(st.sampled_from(ACTIONS), st.integers(0, 11), st.floats(0, 20)), max_size=25
)


async def act(world: World, step: Step) -> None:
    """One thing that somebody does. Impossible ones are refused, as they would be."""
    action, number, wait = step
    pod, node = f"p{number % 4}", NODE_NAMES[number % 2]
    fault = {"vanish": "vanish", "return": None}
    try:
        match action:
            case "create":
                if await world.get(PODS, pod) is None:
                    await add_pod(
                        world, pod, *COMMANDS[number % 4], node=node, policy=POLICIES[number % 3],
                        terminationGracePeriodSeconds=number,
                        annotations={"argosy.dev/termination": f"{number * 2}s"},
                    )  # fmt: skip
            case "delete":
                await world.client.delete(PODS, pod, namespace="ns")
            case "kill":
                await world.client.delete(PODS, pod, namespace="ns", grace_seconds=0)
            case "vanish" | "return":
                annotations = {"argosy.dev/fault": fault[action]}
                await world.client.patch(NODES, node, {"metadata": {"annotations": annotations}})
            case "remove":
                await world.client.delete(NODES, node)
            case "add":
                if await world.get(NODES, node) is None:
                    await add_node(world, node)
    except NotFound:
        return
    finally:
        await world.pass_time(wait)


@settings(max_examples=25)
@given(steps)
def test_nothing_is_left_behind(plan: list[Step]) -> None:
    served: list[SimulatedRuntime] = []

    def add(assembly: Assembly) -> None:
        agent = Agent(assembly)
        runtime = SimulatedRuntime(agent, assembly.clock)
        agent.serve(runtime)
        served.append(runtime)

    async def story(world: World) -> None:
        for name in NODE_NAMES:
            await add_node(world, name)
        for step in plan:
            await act(world, step)
            pods = await world.list(PODS)
            addresses = [pod["status"]["podIP"] for pod in pods if "podIP" in pod["status"]]
            assert len(addresses) == len(set(addresses))
        for number in range(len(NODE_NAMES)):
            await act(world, ("add", number, 0.1))
            await act(world, ("return", number, 0.1))
        await act(world, ("create", 0, 40))
        assert await phase(world, "p0") != "Pending"
        for number in range(4):
            await act(world, ("delete", number, 0.1))
        await world.pass_time(100)
        assert (await world.list(PODS), len(served[0])) == ([], 0)
        assert [one["metadata"]["name"] for one in await world.list(LEASES)] == ["argosy-agent"]

    running(story, add)
