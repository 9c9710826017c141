"""More important pods make room: victims, nominations and what is said about them."""

from __future__ import annotations

from argosy.base.errors import ServiceUnavailable
from argosy.client.local import LocalClient
from argosy.client.resources import PODS
from tests.behaviour.workloads.scheduling.worlds import World, in_world
from tests.fakes.clients import FaultyClient


def test_a_victim_is_told_and_its_place_is_taken() -> None:
    async def story(world: World) -> None:
        await world.priority("high", 1000)
        await world.node("n1", cpu="1")
        await world.pod("low", terminationGracePeriodSeconds=30)
        await world.settle()
        await world.status("low", {"phase": "Running"})
        await world.pod("high", priorityClassName="high")
        await world.settle()
        victim = await world.read("low")
        assert victim["metadata"]["deletionTimestamp"]
        conditions = {each["type"]: each for each in victim["status"]["conditions"]}
        told = conditions["DisruptionTarget"]
        assert list(conditions)[-1] == "DisruptionTarget"
        assert (told["status"], told["reason"], told["message"]) == (
            "True",
            "PreemptionByScheduler",
            "default-scheduler: preempting to accommodate a higher priority pod",
        )
        preemptor = await world.read("high")
        assert preemptor["status"]["nominatedNodeName"] == "n1"
        assert await world.where("high") == (
            "Unschedulable: 0/1 nodes are available: 1 Insufficient cpu."
        )
        event = (await world.events("low"))[-1]
        assert (event["reason"], event["action"], event["message"]) == (
            "Preempted",
            "Preempting",
            f"Preempted by pod {preemptor['metadata']['uid']} on node n1",
        )
        assert event["related"]["name"] == "high"
        # The victim's kubelet has ended it.
        await world.delete("low")
        await world.settle()
        assert await world.where("high") == "n1"

    in_world(story)


def test_the_place_is_held_until_the_victim_has_left() -> None:
    async def story(world: World) -> None:
        await world.priority("high", 1000)
        await world.node("n1", cpu="1")
        await world.pod("low")
        await world.settle()
        await world.status("low", {"phase": "Running"})
        await world.pod("high", priorityClassName="high")
        await world.settle()
        await world.pod("other")
        await world.settle(60)
        await world.delete("low")
        await world.settle()
        assert await world.where("high") == "n1"
        assert (await world.where("other")).startswith("Unschedulable: 0/1 nodes are available")

    in_world(story)


def test_a_pod_that_never_preempts_waits() -> None:
    async def story(world: World) -> None:
        await world.priority("polite", 1000, "Never")
        await world.node("n1", cpu="1")
        await world.pod("low")
        await world.settle()
        await world.pod("polite", priorityClassName="polite")
        await world.settle()
        assert await world.where("polite") == (
            "Unschedulable: 0/1 nodes are available: 1 Insufficient cpu. no new claims to "
            "deallocate, preemption: not eligible due to preemptionPolicy=Never."
        )
        assert await world.where("low") == "n1"

    in_world(story)


def test_preemption_is_tried_again_when_the_server_did_not_answer() -> None:
    faults: list[FaultyClient] = []

    def wrap(client: LocalClient) -> FaultyClient:
        faults.append(FaultyClient(client))
        return faults[0]

    async def story(world: World) -> None:
        await world.priority("high", 1000)
        await world.node("n1", cpu="1")
        await world.pod("low")
        await world.settle()
        await world.status("low", {"phase": "Running"})
        faults[0].fail("delete", ServiceUnavailable("down"))
        await world.pod("high", priorityClassName="high")
        await world.settle(15)
        assert (await world.read("low"))["metadata"]["deletionTimestamp"]
        await world.delete("low")
        await world.settle()
        assert await world.where("high") == "n1"

    in_world(story, wrap)


def test_two_preemptors_do_not_chase_each_other() -> None:
    async def story(world: World) -> None:
        await world.priority("high", 1000)
        await world.node("n1", cpu="1")
        await world.node("n2", cpu="1")
        for name in ("low-1", "low-2"):
            await world.pod(name)
        await world.settle()
        for name in ("low-1", "low-2"):
            await world.status(name, {"phase": "Running"})
        await world.pod("high-1", priorityClassName="high")
        await world.pod("high-2", priorityClassName="high")
        await world.settle(30)
        held = {(await world.read(n))["status"]["nominatedNodeName"] for n in ("high-1", "high-2")}
        assert held == {"n1", "n2"}
        for name in ("low-1", "low-2"):
            await world.delete(name)
        await world.settle()
        got = {await world.where(name) for name in ("high-1", "high-2")}
        assert got == {"n1", "n2"}
        assert len((await world.client.list_all(PODS)).items) == 2

    in_world(story)


async def preempted(
    world: World, name: str, *, has: str, beside: dict[str, str], **spec: object
) -> None:
    """Two pods of a node that has so much have to go for a third."""
    await world.priority("high", 1000)
    await world.node("n1", cpu=has)
    for victim in ("p1", "p2"):
        await world.pod(victim, cpu="2", labels=beside, terminationGracePeriodSeconds=30)
        await world.settle()
        await world.status(victim, {"phase": "Running"})
    await world.pod(name, priorityClassName="high", **spec)  # type: ignore[arg-type]
    await world.settle()


def test_when_one_of_several_victims_has_left_it_is_said_that_others_have_not() -> None:
    async def story(world: World) -> None:
        await preempted(world, "high", has="4", beside={}, cpu="4")
        why = "Unschedulable: 0/1 nodes are available: 1 Insufficient cpu."
        assert await world.where("high") == why
        await world.delete("p1")
        await world.settle()
        assert await world.where("high") == (
            f"{why} no new claims to deallocate, preemption: "
            "not eligible due to a terminating pod on the nominated node."
        )
        await world.delete("p2")
        await world.settle()
        assert await world.where("high") == "n1"

    in_world(story)


def test_a_pod_that_has_victims_is_not_tried_again_because_they_begin_to_leave() -> None:
    async def story(world: World) -> None:
        term = {
            "topologyKey": "kubernetes.io/hostname",
            "labelSelector": {"matchLabels": {"a": "b"}},
        }
        affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
        await preempted(world, "high", has="8", beside={"a": "b"}, affinity=affinity)
        why = "1 node(s) didn't match pod anti-affinity rules."
        assert await world.where("high") == f"Unschedulable: 0/1 nodes are available: {why}"
        assert len(await world.events("high")) == 1
        # A node where it need not wait is taken at once.
        await world.node("n2")
        await world.settle()
        assert await world.where("high") == "n2"

    in_world(story)
