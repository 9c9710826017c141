"""A bad network, a restart, pods that go in the middle of it: nothing is overcommitted, nobody is forgotten."""

from __future__ import annotations

import asyncio
import logging
import random
from collections import Counter
from collections.abc import Sequence

import pytest

from argosy.base.clock import VirtualClock
from argosy.base.errors import Conflict, NotFound, ServiceUnavailable
from argosy.client.local import LocalClient
from argosy.client.objects import decode
from argosy.client.resources import NODES, PODS
from argosy.control.assemblies import Assembly
from argosy.workloads.scheduling import add_scheduler
from argosy.workloads.scheduling.deciding import Assigned, Candidate, Refused
from tests.behaviour.workloads.scheduling.worlds import World, in_world
from tests.fakes.clients import Fault, FaultyClient


async def placed(world: World) -> Counter[str]:
    pods = [decode(raw) for raw in (await world.client.list_all(PODS)).items]
    return Counter(pod["spec"].get("nodeName", "") for pod in pods)


@pytest.mark.parametrize("seed", range(4))
def test_the_cluster_is_filled_and_never_overfilled_behind_a_bad_network(seed: int) -> None:
    source = random.Random(seed)
    calm: list[bool] = []
    faulty: list[FaultyClient] = []

    def luck(_: str) -> Fault:
        if calm or source.random() > 0.3:
            return Fault()
        return source.choice([
            Fault(ServiceUnavailable("down")),
            Fault(ServiceUnavailable("answer lost"), lost=True),
            Fault(before=2.0),
            Fault(Conflict("late")),
        ])  # fmt: skip

    def wrap(client: LocalClient) -> FaultyClient:
        faulty.append(FaultyClient(client, luck))
        return faulty[0]

    async def story(world: World) -> None:
        for number in range(5):
            await world.node(f"n{number}", cpu="4")
        made = 0
        for _ in range(30):
            match source.choice(["make", "make", "make", "end", "cut"]):
                case "make":
                    await world.pod(f"p{made}")
                    made += 1
                case "end" if made:
                    try:
                        await world.delete(f"p{source.randrange(made)}")
                    except NotFound:
                        continue
                case _:
                    source.choice([faulty[0].cut, faulty[0].expire])()
            await asyncio.sleep(source.uniform(0, 2))
            counts = await placed(world)
            counts.pop("", None)
            assert all(count <= 4 for count in counts.values())
        calm.append(True)
        for number in range(40):
            await world.pod(f"late{number}")
        await asyncio.sleep(600)
        counts = await placed(world)
        counts.pop("", None)
        assert counts == {f"n{number}": 4 for number in range(5)}
        ledger = world.scheduler.decider.ledger
        assert Counter(one.node for one in ledger.placements.values()) == counts

    logging.disable(logging.WARNING)
    try:
        in_world(story, wrap)
    finally:
        logging.disable(logging.NOTSET)


def test_a_new_scheduler_knows_what_the_old_one_did() -> None:
    async def story(world: World) -> None:
        await world.priority("high", 1000)
        await world.node("n1", cpu="2")
        await world.pod("low", cpu="2")
        await world.settle()
        await world.status("low", {"phase": "Running"})
        await world.pod("high", cpu="2", priorityClassName="high")
        await world.settle()
        second = Assembly(world.client, clock=VirtualClock())
        scheduler = add_scheduler(second)
        task = asyncio.create_task(second.run())
        await second.started()
        await world.settle()
        nominations = {one.name: one.node for one in scheduler.decider.nominations.values()}
        assert nominations == {"high": "n1"}
        assert [one.name for one in scheduler.decider.ledger.placements.values()] == ["low"]
        await world.delete("low")
        await world.settle()
        assert await world.where("high") == "n1"
        task.cancel()
        await asyncio.wait({task})

    in_world(story)


def test_a_pod_nobody_can_decide_on_keeps_no_other_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They wait for the same, and it is the oldest of them."""

    async def story(world: World) -> None:
        decide = world.scheduler.decider.decide

        def failing(batch: Sequence[Candidate]) -> list[Assigned | Refused]:
            if any(one.pod.metadata.name == "odd" for one in batch):
                raise ArithmeticError("nobody expected this")
            return decide(batch)

        await world.node("n1", cpu="1")
        await world.pod("first")
        await world.settle()
        monkeypatch.setattr(world.scheduler.decider, "decide", failing)
        for name in ("odd", "b", "c"):
            await world.pod(name)
        await world.settle()
        for last, next_ in (("first", "b"), ("b", "c")):
            await world.delete(last)
            await world.settle(20)
            assert await world.where(next_) == "n1"

    in_world(story)


def test_a_deleted_pod_that_a_finalizer_keeps_is_left_alone() -> None:
    async def story(world: World) -> None:
        await world.pod("a")
        await world.settle()
        patch = {"metadata": {"finalizers": ["x.io/keep"]}}
        await world.client.patch(PODS, "a", patch, namespace="ns")
        await world.delete("a")
        await world.node("n1")
        await world.settle(60)
        assert "nodeName" not in (await world.read("a"))["spec"]
        assert len(world.scheduler.queue) == 0

    in_world(story)


def test_pods_of_a_node_that_is_gone_do_not_count_elsewhere() -> None:
    async def story(world: World) -> None:
        await world.node("n1", cpu="1")
        await world.pod("a")
        await world.settle()
        await world.client.delete(NODES, "n1")
        await world.pod("b")
        await world.settle()
        assert await world.where("b") == "Unschedulable: no nodes available to schedule pods"
        await world.node("n2", cpu="1")
        await world.settle()
        assert (await world.where("a"), await world.where("b")) == ("n1", "n2")

    in_world(story)
