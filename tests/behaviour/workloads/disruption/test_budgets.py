"""Pod disruption budgets and evictions, in virtual time."""

from __future__ import annotations

from typing import Any

import pytest

from argosy.base.errors import TooManyRequests
from argosy.base.types import Object
from argosy.client.resources import POD_DISRUPTION_BUDGETS, PODS, REPLICA_SETS
from argosy.workloads.disruption import Disruption, budgets
from tests.fakes.worlds import World, running

READY = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}


def budget(**spec: Object) -> Object:
    return {
        "metadata": {"name": "b"},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, **spec},
    }


async def web(world: World, count: int, *, owner: Object | None = None) -> None:
    for number in range(count):
        meta: Object = {"labels": {"app": "web"}}
        if owner is not None:
            reference = {
                "apiVersion": "apps/v1", "kind": "ReplicaSet", "controller": True,
                "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"],
            }  # fmt: skip
            meta["ownerReferences"] = [reference]
        await world.pod(f"p{number}", metadata=meta)
        await world.status(PODS, f"p{number}", READY)
    await world.settle()


async def numbers(world: World) -> tuple[int, int, int, int]:
    found = await world.get(POD_DISRUPTION_BUDGETS, "b")
    assert found is not None
    status = found["status"]
    return (
        status["currentHealthy"],
        status["desiredHealthy"],
        status["expectedPods"],
        status["disruptionsAllowed"],
    )


async def evict(world: World, name: str) -> None:
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}}
    await world.client.create(PODS, body, name=name, namespace="ns", subresource="eviction")


def test_a_number_of_pods_has_to_stay() -> None:
    async def story(world: World) -> None:
        await world.create(POD_DISRUPTION_BUDGETS, budget(minAvailable=2))
        await world.settle()
        assert await numbers(world) == (0, 2, 0, 0)
        assert ("Normal", "NoPods", "No matching pods found") in await world.events("b")
        await web(world, 3)
        assert await numbers(world) == (3, 2, 3, 1)
        await evict(world, "p0")
        with pytest.raises(TooManyRequests, match="disruption budget"):
            await evict(world, "p1")
        await world.settle()
        assert await numbers(world) == (2, 2, 2, 0)

    running(story, Disruption)


def test_a_share_counts_against_what_the_controller_wants() -> None:
    async def story(world: World) -> None:
        template = {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "main", "image": "busybox"}]},
        }
        spec = {"replicas": 10, "selector": {"matchLabels": {"app": "web"}}, "template": template}
        owner = await world.create(REPLICA_SETS, {"metadata": {"name": "r"}, "spec": spec})
        await world.create(POD_DISRUPTION_BUDGETS, budget(maxUnavailable="25%"))
        await web(world, 9, owner=owner)
        assert await numbers(world) == (9, 7, 10, 2)
        await world.status(PODS, "p3", {"conditions": [{"type": "Ready", "status": "False"}]})
        await world.settle()
        assert await numbers(world) == (8, 7, 10, 1)

    running(story, Disruption)


def test_pods_nobody_manages_make_a_share_meaningless_and_that_is_said() -> None:
    async def story(world: World) -> None:
        await world.create(POD_DISRUPTION_BUDGETS, budget(maxUnavailable=1))
        await web(world, 2)
        assert await numbers(world) == (2, 0, 0, 0)
        reasons = {reason for _, reason, _ in await world.events("b")}
        assert "UnmanagedPods" in reasons

    running(story, Disruption)


def test_a_granted_eviction_that_does_not_happen_is_given_up_after_two_minutes() -> None:
    async def story(world: World) -> None:
        await world.create(POD_DISRUPTION_BUDGETS, budget(minAvailable=1))
        await web(world, 2)
        stamp = "2026-01-01T00:00:00Z"
        await world.status(
            POD_DISRUPTION_BUDGETS, "b", {"disruptedPods": {"p0": stamp}, "disruptionsAllowed": 0}
        )
        await world.settle()
        assert await numbers(world) == (1, 1, 2, 0)
        await world.pass_time(121)
        assert await numbers(world) == (2, 1, 2, 1)
        what = "Pod was expected by PDB ns/ns to be deleted but it wasn't"
        assert await world.events("p0") == [("Warning", "NotDeleted", what)]

    running(story, Disruption)


def test_labels_that_change_move_a_pod_out_of_the_budget() -> None:
    async def story(world: World) -> None:
        await world.create(POD_DISRUPTION_BUDGETS, budget(minAvailable=1))
        await web(world, 2)
        await world.client.patch(PODS, "p0", {"metadata": {"labels": {"app": "x"}}}, namespace="ns")
        await world.settle()
        assert await numbers(world) == (1, 1, 1, 0)

    running(story, Disruption)


def test_news_of_many_pods_are_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = 0
    counted = budgets.counts

    def counts(*given: Any) -> Any:
        nonlocal looks
        looks += 1
        return counted(*given)

    async def story(world: World) -> None:
        nonlocal looks
        await web(world, 300)
        await world.create(POD_DISRUPTION_BUDGETS, budget(minAvailable=2))
        await world.settle()
        monkeypatch.setattr(budgets, "counts", counts)
        for number in range(100):
            await world.status(PODS, f"p{number}", {"phase": "Running", "conditions": None})
            await world.pass_time(0.001)
        await world.pass_time(1)
        assert await numbers(world) == (200, 2, 300, 198)
        assert looks < 30

    running(story, Disruption)
