"""Pods that find no node get one, nodes that nobody needs go, and every step says why."""

from __future__ import annotations

from argosy.base.types import Object
from argosy.capacity.occupancy import LEAVING, PROTECTED
from argosy.client.resources import DAEMON_SETS, NODES, PODS
from tests.behaviour.capacity.pools import Pooled, pooled


def test_unschedulable_pods_get_machines_and_are_told() -> None:
    async def story(here: Pooled) -> None:
        await here.pool(pricePerHour=1.5, bootTime="60s")
        await here.pods(5)
        await here.pass_time(10)
        status = await here.status_of()
        assert (status["nodes"], status["booting"], status["pending"]) == (0, 3, 5)
        assert status["costPerHour"] == 4.5
        await here.pass_time(60)
        assert len(await here.nodes()) == 3
        assert all(pod["spec"].get("nodeName") for pod in await here.list(PODS))
        status = await here.status_of()
        assert (status["nodes"], status["ready"], status["booting"], status["pending"]) == (
            3,
            3,
            0,
            0,
        )
        want = ("Normal", "TriggeredScaleUp", "pod triggered scale-up: [{pool 0->3 (max: 10)}]")
        assert want in await here.events("pod-0")
        want = "scaled up from 0 to 3 machines (max: 10): 5 unschedulable pods, 3 at 1.5 per hour each, the cheapest that fits"
        assert await here.events("pool") == [("Normal", "ScaledUp", want)]

    pooled(story)


def test_idle_nodes_go_after_idle_time_and_window_and_busy_ones_stay() -> None:
    async def story(here: Pooled) -> None:
        await here.pool()
        await here.pods(4)
        await here.pass_time(10)
        first, second = await here.nodes()
        bound = {p["metadata"]["name"]: p["spec"]["nodeName"] for p in await here.list(PODS)}
        await here.finish(*(name for name, node in bound.items() if node == first))
        await here.pass_time(299)
        assert await here.nodes() == [first, second]
        await here.pass_time(30)
        assert await here.nodes() == [second]
        want = [
            ("Normal", "ScaleDown", "marked the node as toBeDeleted/unschedulable"),
            ("Normal", "ScaleDown", "node removed by cluster autoscaler"),
        ]
        assert [e for e in await here.events(first) if e[1] == "ScaleDown"] == want
        _, last = await here.events("pool")
        assert last[1] == "ScaledDown"
        why = "scaling down from 2 to 1 machines (min: 0), idle for at least 5m"
        assert last[2].startswith(why)
        assert last[2].endswith(f": {first}")

    pooled(story)


def test_work_that_comes_and_goes_faster_than_the_window_moves_no_nodes() -> None:
    async def story(here: Pooled) -> None:
        await here.pool()
        seen = []
        for number in range(8):
            await here.pods(4, prefix=f"r{number}")
            await here.pass_time(60)
            await here.finish(*(f"r{number}-{pod}" for pod in range(4)))
            await here.pass_time(120)
            seen.append(await here.nodes())
        assert [nodes == seen[0] for nodes in seen] == [True] * 8
        assert len(seen[0]) == 2
        assert [event[1] for event in await here.events("pool")] == ["ScaledUp"]

    pooled(story)


def test_spare_nodes_are_kept_idle_beyond_those_that_work() -> None:
    async def story(here: Pooled) -> None:
        await here.pool(overProvision=2, maximum=4)
        await here.pass_time(5)
        assert len(await here.nodes()) == 2
        await here.pods(1)
        await here.pass_time(30)
        assert len(await here.nodes()) == 3
        await here.pods(6, prefix="more")
        await here.pass_time(30)
        assert len(await here.nodes()) == 4

    pooled(story)


def test_limits_make_a_pool_grow_step_by_step() -> None:
    async def story(here: Pooled) -> None:
        await here.pool(scaling={"maxStepUp": 2, "interval": "1m"})
        await here.pool("dear", pricePerHour=9)
        await here.pods(10)
        counts = []
        await here.pass_time(30)
        for _ in range(4):
            counts.append(len(await here.nodes()))
            await here.pass_time(60)
        assert counts == [2, 4, 5, 5]
        assert (await here.status_of("dear"))["nodes"] == 0

    pooled(story)


def test_a_protected_node_stays_however_idle() -> None:
    async def story(here: Pooled) -> None:
        await here.pool()
        await here.pods(1)
        await here.pass_time(10)
        (name,) = await here.nodes()
        await here.client.patch(NODES, name, {"metadata": {"annotations": {PROTECTED: "true"}}})
        await here.finish("pod-0")
        await here.pass_time(2000)
        assert await here.nodes() == [name]

    pooled(story)


def test_a_pod_bound_while_its_node_was_marked_keeps_the_node() -> None:
    async def story(here: Pooled) -> None:
        await here.pool()
        await here.pods(1)
        await here.pass_time(10)
        (name,) = await here.nodes()
        await here.finish("pod-0")
        while LEAVING not in {
            t["key"] for t in (await _node(here, name))["spec"].get("taints", ())
        }:
            await here.pass_time(0.5)
        await here.pod("late", node=name)
        await here.pass_time(60)
        assert await here.nodes() == [name]
        assert "taints" not in (await _node(here, name))["spec"]

    async def _node(here: Pooled, name: str) -> dict:
        found = await here.get(NODES, name)
        assert found is not None
        return found

    pooled(story)


def test_a_pool_at_its_maximum_says_so() -> None:
    async def story(here: Pooled) -> None:
        await here.pool(maximum=2)
        await here.pods(7)
        await here.pass_time(30)
        assert len(await here.nodes()) == 2
        want = (
            "True",
            "MaximumReached",
            "3 pods would fit, but the pool has its maximum of 2 machines; raise spec.maximum to run them",
        )
        assert await here.condition("AtMaximum") == want
        refused = [
            event
            for number in range(7)
            for event in await here.events(f"pod-{number}")
            if event[1] == "NotTriggerScaleUp"
        ]
        want = "pod didn't trigger scale-up: 1 max node group size reached"
        assert {message for *_, message in refused} == {want}
        assert len(refused) == 3
        assert [e[1] for e in await here.events("pool")].count("AtMaximum") == 1
        await here.edit("pool", maximum=4)
        await here.pass_time(30)
        assert len(await here.nodes()) == 4
        assert await here.condition("AtMaximum") == (
            "True",
            "MaximumReached",
            "4 of at most 4 machines",
        )

    pooled(story)


def test_a_provider_without_stock_makes_the_next_cheapest_pool_grow() -> None:
    async def story(here: Pooled) -> None:
        await here.pool("cheap", pricePerHour=1, stock=1)
        await here.pool("dear", pricePerHour=2)
        await here.pods(6)
        await here.pass_time(20)
        assert (await here.status_of("cheap"))["nodes"] == 1
        assert (await here.status_of("dear"))["nodes"] == 2
        assert (await here.condition("StockOut", "cheap"))[:2] == ("True", "ProviderOutOfStock")
        want = (
            "Warning",
            "StockOut",
            "the provider gave 1 of 3 machines; it is asked again after 5m0s, until then other pools are used",
        )
        assert want in await here.events("cheap")
        await here.pass_time(300)
        assert (await here.condition("StockOut", "cheap"))[:2] == ("False", "InStock")
        await here.edit("cheap", stock=5)
        await here.pods(2, prefix="more")
        await here.pass_time(30)
        assert (await here.status_of("cheap"))["nodes"] == 2

    pooled(story)


def test_pods_that_come_with_every_node_do_not_make_the_cluster_grow_for_ever() -> None:
    daemon = {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "name": "d",
        "uid": "u",
        "controller": True,
    }

    async def story(here: Pooled) -> None:
        await here.pool(bootTime="5s")
        await here.pods(1, cpu="8")
        await here.pass_time(5.5)
        # A DaemonSet takes its part of the new node before the pod can.
        for _ in range(20):
            for name in await here.nodes():
                if await here.get(PODS, f"d-{name}") is None:
                    container = {"resources": {"requests": {"cpu": "1"}}}
                    meta = {"ownerReferences": [daemon]}
                    await here.pod(f"d-{name}", node=name, container=container, metadata=meta)
            await here.pass_time(0.05)
        before = len(await here.nodes())
        await here.pass_time(120)
        assert len(await here.nodes()) == before <= 2

    pooled(story)


def test_ten_thousand_equal_pods_are_told_ten_times() -> None:
    async def story(here: Pooled) -> None:
        await here.pool(maximum=1)
        await here.pods(60)
        await here.pass_time(30)
        told = [e for e in await here.events() if e[1] == "NotTriggerScaleUp"]
        assert len(told) == 10

    pooled(story)


def test_a_job_that_is_still_making_its_pods_gets_all_its_machines_in_one_step() -> None:
    async def story(here: Pooled) -> None:
        await here.pool()
        for number in range(6):
            await here.pods(2, prefix=f"p{number}")
            await here.pass_time(0.5)
        await here.pass_time(2)
        assert len(await here.nodes()) == 6
        assert [event[1] for event in await here.events("pool")] == ["ScaledUp"]

    pooled(story)


def test_a_stream_of_pods_that_never_ends_does_not_put_the_machines_off() -> None:
    async def story(here: Pooled) -> None:
        await here.pool(bootTime="1h")
        for number in range(13):
            await here.pods(1, prefix=f"p{number}")
            await here.pass_time(0.5)
        assert (await here.status_of())["booting"] > 0

    pooled(story)


def test_pods_that_wait_for_the_next_step_get_it_when_the_interval_is_over() -> None:
    async def story(here: Pooled) -> None:
        await here.pool(scaling={"interval": "12s"})
        await here.pods(2, prefix="first")
        await here.pass_time(6)
        await here.pods(2, prefix="second")
        await here.pass_time(6)
        assert len(await here.nodes()) == 1
        await here.pass_time(2)
        assert len(await here.nodes()) == 2

    pooled(story)


def test_what_daemon_sets_take_of_a_new_machine_is_not_offered_to_others() -> None:
    def daemon(name: str, **spec: object) -> Object:
        limits = {"limits": {"cpu": "1"}}
        container = {"name": "main", "image": "busybox", "resources": limits}
        labels = {"matchLabels": {"app": name}}
        pod = {"containers": [container], **spec}
        template = {"metadata": {"labels": {"app": name}}, "spec": pod}
        return {"metadata": {"name": name}, "spec": {"selector": labels, "template": template}}

    async def story(here: Pooled) -> None:
        await here.pool()
        await here.create(DAEMON_SETS, daemon("logs"))
        await here.create(DAEMON_SETS, daemon("elsewhere", nodeSelector={"disk": "ssd"}))
        await here.pass_time(1)
        # Two pods of four CPUs no longer share a machine of eight, and one of eight has no machine at all.
        await here.pods(2)
        await here.pods(1, cpu="8", prefix="large")
        await here.pass_time(5)
        assert len(await here.nodes()) == 2
        text = "pod didn't trigger scale-up: 1 Insufficient cpu"
        assert ("Normal", "NotTriggerScaleUp", text) in await here.events("large-0")
        await here.client.delete(DAEMON_SETS, "logs", namespace="ns")
        await here.pass_time(20)
        assert len(await here.nodes()) == 3

    pooled(story)


def test_events_of_a_stock_out_and_of_a_maximum_tell_the_numbers_as_they_are() -> None:
    async def story(here: Pooled) -> None:
        await here.pool("cheap", pricePerHour=1, stock=2)
        await here.pool("dear", pricePerHour=3, maximum=1)
        await here.pods(8)
        await here.pass_time(30)
        events = [event[2] for event in await here.events("cheap")]
        want = "scaled up from 0 to 2 machines (max: 10), 4 were asked for: 8 unschedulable pods, 4 at 1 per hour each"
        assert any(text.startswith(want) for text in events)
        text = "2 unschedulable pods would fit, but there are 1 of at most 1 machines; raise spec.maximum to run them"
        assert ("Warning", "AtMaximum", text) in await here.events("dear")
        # Only those who get a machine of the second pool are told that they made it grow.
        text = "pod triggered scale-up: [{dear 0->1 (max: 1)}]"
        told = [
            name
            for name in (f"pod-{number}" for number in range(8))
            if ("Normal", "TriggeredScaleUp", text) in await here.events(name)
        ]
        assert len(told) == 2

    pooled(story)


def test_a_cordoned_node_is_no_spare_one_and_goes_first() -> None:
    async def story(here: Pooled) -> None:
        await here.pool(overProvision=1)
        await here.pass_time(5)
        (first,) = await here.nodes()
        await here.client.patch(NODES, first, {"spec": {"unschedulable": True}})
        await here.pass_time(30)
        (other,) = set(await here.nodes()) - {first}
        await here.pass_time(900)
        assert await here.nodes() == [other]
        assert [event[1] for event in await here.events("pool")] == [
            "ScaledUp",
            "ScaledUp",
            "ScaledDown",
        ]

    pooled(story)
