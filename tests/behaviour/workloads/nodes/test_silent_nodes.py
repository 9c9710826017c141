"""Nodes that fall silent, and the pods on them, in virtual time."""

from __future__ import annotations

from argosy.api.wellknown import HEARTBEAT_LEASE
from argosy.base.timestamps import format_time
from argosy.base.types import Object
from argosy.client.resources import NODES, PODS
from argosy.workloads.nodes import add_nodes
from tests.fakes.worlds import World, running

READY = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}


def conditions(obj: Object | None) -> dict[str, tuple[str, str]]:
    assert obj is not None
    return {
        c["type"]: (c["status"], c.get("reason", "")) for c in obj["status"].get("conditions", [])
    }


def taints(node: Object | None) -> list[tuple[str, str]]:
    assert node is not None
    return sorted((t["key"], t["effect"]) for t in node["spec"].get("taints", []))


async def beat(world: World, *names: str, seconds: int) -> None:
    """Only these nodes live, for so long."""
    for _ in range(seconds // 10):
        await world.pass_time(10)
        for name in names:
            await world.heartbeat(name)


def test_a_silent_node_becomes_unknown_and_its_pods_leave_after_five_minutes() -> None:
    async def story(world: World) -> None:
        for name in ("a", "b"):
            await world.node(name)
            await world.heartbeat(name)
        await world.pod("p", node="a")
        await world.status(PODS, "p", READY)
        await beat(world, "b", seconds=50)
        assert conditions(await world.get(NODES, "a"))["Ready"] == ("True", "KubeletReady")
        await beat(world, "b", seconds=10)
        node = await world.get(NODES, "a")
        assert conditions(node) == {
            "Ready": ("Unknown", "NodeStatusUnknown"),
            "MemoryPressure": ("Unknown", "NodeStatusNeverUpdated"),
            "DiskPressure": ("Unknown", "NodeStatusNeverUpdated"),
            "PIDPressure": ("Unknown", "NodeStatusNeverUpdated"),
        }
        assert taints(node) == [
            ("node.kubernetes.io/unreachable", "NoExecute"),
            ("node.kubernetes.io/unreachable", "NoSchedule"),
        ]
        assert conditions(await world.get(PODS, "p"))["Ready"] == ("False", "")
        assert ("Normal", "NodeNotReady", "Node a status is now: NodeNotReady") in (
            await world.events("a")
        )
        await beat(world, "b", seconds=280)
        pod = await world.get(PODS, "p")
        assert pod is not None
        assert "deletionTimestamp" not in pod["metadata"]
        await beat(world, "b", seconds=30)
        pod = await world.get(PODS, "p")
        assert pod is not None
        assert pod["metadata"]["deletionTimestamp"]
        assert conditions(pod)["DisruptionTarget"] == ("True", "DeletionByTaintManager")
        assert await world.events("p") == [
            ("Warning", "NodeNotReady", "Node is not ready"),
            ("Normal", "TaintManagerEviction", "Marking for deletion Pod ns/p"),
        ]

    running(story, add_nodes)


def test_a_node_that_comes_back_in_time_keeps_its_pods() -> None:
    async def story(world: World) -> None:
        for name in ("a", "b"):
            await world.node(name)
            await world.heartbeat(name)
        await world.pod("p", node="a")
        await beat(world, "b", seconds=120)
        assert taints(await world.get(NODES, "a")) != []
        ready = {
            "type": "Ready",
            "status": "True",
            "reason": "KubeletReady",
            "lastHeartbeatTime": "2026-01-01T00:02:00Z",
        }
        await world.status(NODES, "a", {"conditions": [ready]})
        await world.heartbeat("a")
        await beat(world, "a", "b", seconds=400)
        pressures = {
            "type": "MemoryPressure",
            "status": "False",
        }
        await world.status(NODES, "a", {"conditions": [pressures]})
        assert taints(await world.get(NODES, "a")) == []
        pod = await world.get(PODS, "p")
        assert pod is not None
        assert "deletionTimestamp" not in pod["metadata"]
        assert await world.events("p") == [
            ("Normal", "TaintManagerEviction", "Cancelling deletion of Pod ns/p")
        ]

    running(story, add_nodes)


def test_when_all_nodes_are_silent_nobody_is_driven_away() -> None:
    async def story(world: World) -> None:
        for name in ("a", "b", "c"):
            await world.node(name)
        await world.pod("p", node="a")
        await world.pass_time(1000)
        for name in ("a", "b", "c"):
            assert taints(await world.get(NODES, name)) == [
                ("node.kubernetes.io/unreachable", "NoSchedule")
            ]
        assert await world.get(PODS, "p")

    running(story, add_nodes)


def test_one_lease_keeps_many_nodes_alive_until_a_node_has_its_own() -> None:
    async def story(world: World) -> None:
        for number in range(20):
            await world.node(f"n{number}", annotations={HEARTBEAT_LEASE: "agent"})
        await beat(world, "agent", seconds=120)
        assert all(conditions(n)["Ready"][0] == "True" for n in await world.list(NODES))
        await world.heartbeat("n7")
        await beat(world, "agent", seconds=70)
        silent = [
            n["metadata"]["name"]
            for n in await world.list(NODES)
            if conditions(n)["Ready"][0] == "Unknown"
        ]
        assert silent == ["n7"]

    running(story, add_nodes)


def test_silent_nodes_of_a_zone_are_drained_one_every_ten_seconds() -> None:
    async def story(world: World) -> None:
        for number in range(10):
            await world.node(f"n{number}")
            await world.heartbeat(f"n{number}")
        living = [f"n{number}" for number in range(4, 10)]
        await beat(world, *living, seconds=60)
        counts = []
        for _ in range(4):
            nodes = await world.list(NODES)
            counts.append(sum(("NoExecute" in dict(map(reversed, taints(n)))) for n in nodes))
            await beat(world, *living, seconds=10)
        assert counts == [1, 2, 3, 4]

    running(story, add_nodes)


def test_a_cordoned_node_is_tainted_and_an_uncordoned_one_is_not() -> None:
    async def story(world: World) -> None:
        await world.node("a")
        await world.client.patch(NODES, "a", {"spec": {"unschedulable": True}})
        await world.settle()
        assert taints(await world.get(NODES, "a")) == [
            ("node.kubernetes.io/unschedulable", "NoSchedule")
        ]
        await world.client.patch(NODES, "a", {"spec": {"unschedulable": None}})
        await world.settle()
        assert taints(await world.get(NODES, "a")) == []

    running(story, add_nodes)


def test_without_its_lease_a_node_that_posts_its_status_is_not_fought_over() -> None:
    async def story(world: World) -> None:
        await world.node("a", annotations={HEARTBEAT_LEASE: "agent"})
        changes = 0
        for _ in range(30):
            before = await world.get(NODES, "a")
            await world.pass_time(10)
            after = await world.get(NODES, "a")
            assert before is not None
            assert after is not None
            changes += before["metadata"]["resourceVersion"] != after["metadata"]["resourceVersion"]
            stamp = format_time(world.clock.time())
            ready = {"type": "Ready", "status": "True", "lastHeartbeatTime": stamp}
            await world.status(NODES, "a", {"conditions": [ready]})
        assert conditions(await world.get(NODES, "a"))["Ready"][0] == "True"
        assert changes == 0

    running(story, add_nodes)


def test_the_conditions_of_a_silent_node_stay_in_their_order() -> None:
    async def story(world: World) -> None:
        for name in ("a", "b"):
            await world.node(name)
            await world.heartbeat(name)
        order = ["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"]
        await world.client.patch(
            NODES,
            "a",
            {"status": {"conditions": [{"type": type_, "status": "True"} for type_ in order]}},
            subresource="status",
        )
        await beat(world, "b", seconds=70)
        assert list(conditions(await world.get(NODES, "a"))) == order

    running(story, add_nodes)
