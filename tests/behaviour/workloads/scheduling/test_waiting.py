"""Pods that wait: woken whenever a node takes one of them, told the truth meanwhile, at a bounded number of writes."""

from __future__ import annotations

import asyncio
from collections import Counter

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from argosy.api.objects import Node, ObjectMeta
from argosy.client.local import LocalClient
from argosy.client.objects import decode
from argosy.client.resources import EVENTS, PODS
from argosy.workloads.scheduling.announcing import News
from tests.behaviour.workloads.scheduling.test_volumes import bound, claim, mounting, volume
from tests.behaviour.workloads.scheduling.worlds import World, in_world
from tests.fakes.clients import FaultyClient

NO_NODES = "Unschedulable: no nodes available to schedule pods"


async def where(world: World) -> dict[str, str]:
    items = [decode(raw) for raw in (await world.client.list_all(PODS)).items]
    return {pod["metadata"]["name"]: pod["spec"].get("nodeName", "") for pod in items}


portions = st.lists(
    st.tuples(
        st.sampled_from(["nodes", "nodes", "small", "large", "end"]),
        st.integers(1, 12),
        st.sampled_from([0.0, 0.001, 0.3, 1.5, 12.0]),
    ),
    min_size=2,
    max_size=8,
)


@settings(max_examples=15, deadline=None)
@given(portions)
def test_in_the_end_no_pod_waits_beside_a_node_with_room(
    changes: list[tuple[str, int, float]],
) -> None:
    """Nodes of 4 CPUs and pods of 1 or 3 come in portions, with any time in between; some pods end."""

    async def story(world: World) -> None:
        needs: dict[str, int] = {}
        nodes, made = 0, 0
        for what, number, seconds in changes:
            match what:
                case "nodes":
                    await asyncio.gather(*(world.node(f"n{nodes + n}") for n in range(number)))
                    nodes += number
                case "end":
                    for name in sorted(needs)[:number]:
                        del needs[name]
                        await world.delete(name)
                case _:
                    size = 1 if what == "small" else 3
                    names = [f"{what}{made + n:03}" for n in range(number)]
                    made += number
                    needs.update(dict.fromkeys(names, size))
                    await asyncio.gather(*(world.pod(name, cpu=str(size)) for name in names))
            await world.settle(seconds)
        await world.settle(15)
        free = Counter({f"n{number}": 4 for number in range(nodes)})
        placed = await where(world)
        for name, node in placed.items():
            if node:
                free[node] -= needs[name]
        roomiest = max(free.values(), default=0)
        assert min(free.values(), default=0) >= 0
        assert [name for name, node in placed.items() if not node and needs[name] <= roomiest] == []

    in_world(story)


def test_all_who_wait_hear_that_nodes_came_and_are_full() -> None:
    async def story(world: World) -> None:
        for number in range(150):
            await world.pod(f"p{number}")
        await world.settle()
        assert await world.where("p149") == NO_NODES
        for number in range(4):
            await world.node(f"n{number}")
        await world.settle(10)
        told = Counter([await world.where(f"p{number}") for number in range(150)])
        waiting = {text: count for text, count in told.items() if text.startswith("Unsched")}
        (message,) = waiting
        assert message.startswith("Unschedulable: 0/4 nodes are available: 4 Insufficient cpu. ")
        assert waiting[message] == 134

    in_world(story)


def test_nodes_that_come_one_by_one_do_not_rewrite_everybody_each_time() -> None:
    faulty: list[FaultyClient] = []

    def wrap(client: LocalClient) -> FaultyClient:
        faulty.append(FaultyClient(client))
        return faulty[0]

    async def story(world: World) -> None:
        for number in range(300):
            await world.pod(f"p{number}")
        await world.settle()
        faulty[0].calls.clear()
        for number in range(30):
            await world.node(f"n{number}", cpu="2")
            await world.settle(0.5)
        rewritten = faulty[0].calls.count(("patch", "pods"))
        # In 15 seconds, at a hundred a second and a first round; not 30 nodes times 240 pods.
        assert 240 <= rewritten <= 1800
        await world.settle(20)
        assert (await world.where("p299")).startswith("Unschedulable: 0/30 nodes are available: ")
        faulty[0].calls.clear()
        await world.settle(3600)
        assert faulty[0].calls.count(("patch", "pods")) == 0

    in_world(story, wrap)


def test_a_change_nobody_noticed_is_found_after_five_minutes() -> None:
    async def story(world: World) -> None:
        await world.pod("a")
        await world.settle()
        hidden = {"metadata": {"name": "n1"}, "status": {"allocatable": {"cpu": "4", "pods": "9"}}}
        world.scheduler.decider.ledger.put_node(msgspec.convert(hidden, Node))
        await world.settle(290)
        assert await world.where("a") == NO_NODES
        await world.settle(50)
        assert await world.where("a") == "n1"

    in_world(story)


def test_a_pod_hears_what_becomes_of_its_claim() -> None:
    async def story(world: World) -> None:
        await world.node("n1")
        await world.pod("a", volumes=mounting("data"))
        await world.pod("b", volumes=[{"name": "v", "ephemeral": {"volumeClaimTemplate": {
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
        }}}])  # fmt: skip
        await world.settle()
        text = "Unschedulable: 0/1 nodes are available: {}. not found"
        assert [await world.where("a"), await world.where("b")] == [
            text.format('persistentvolumeclaim "data" not found'),
            text.format(
                'waiting for ephemeral volume controller to create the persistentvolumeclaim "b-v"'
            ),
        ]
        for name in ("data", "b-v"):
            await claim(world, name, volume=f"pv-{name}")
        await world.settle()
        unbound = text.format("pod has unbound immediate PersistentVolumeClaims")
        assert [await world.where("a"), await world.where("b")] == [unbound, unbound]
        reasons = [event["reason"] for event in await world.events("a")]
        assert reasons == ["FailedScheduling", "FailedScheduling"]
        for name in ("data", "b-v"):
            await volume(world, f"pv-{name}", "n1")
            await bound(world, name)
        await world.settle()
        assert [await world.where("a"), await world.where("b")] == ["n1", "n1"]

    in_world(story)


def test_events_beyond_a_burst_are_dropped_warnings_apart() -> None:
    async def story(world: World) -> None:
        for number in range(3000):
            meta = ObjectMeta(name=f"p{number}", namespace="ns", uid=f"u{number}")
            world.scheduler._announcing.say(News(meta, "Normal", "Scheduled", "Binding", "m"))
        meta = ObjectMeta(name="p", namespace="ns", uid="u")
        world.scheduler._announcing.say(News(meta, "Warning", "FailedScheduling", "x", "m"))
        await world.settle(1)
        events = [decode(raw) for raw in (await world.client.list_all(EVENTS)).items]
        assert Counter(event["type"] for event in events) == {"Normal": 500, "Warning": 1}

    in_world(story)


def test_rounding_does_not_keep_leftovers_from_being_due() -> None:
    """Else the loop would turn on the spot until the clock moves."""

    async def story(world: World) -> None:
        flushed = 240.88900160650783
        assert (flushed + 30.0) - flushed < 30.0
        world.scheduler._flushed = flushed
        world.scheduler._wake(flushed + 30.0)
        assert world.scheduler._flushed == flushed + 30.0

    in_world(story)
