"""Budgets over pods of controllers that are not Kubernetes' own sets, in virtual time."""

from __future__ import annotations

from argosy.base.types import Object
from argosy.client.resources import (
    CUSTOM_RESOURCE_DEFINITIONS,
    POD_DISRUPTION_BUDGETS,
    PODS,
    Resource,
)
from argosy.workloads.disruption import Disruption
from tests.fakes.worlds import World, running

FARMS = Resource("a.dev", "v1", "farms", "Farm")
SCALE = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}


def farms(subresources: Object) -> Object:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {
        "name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema},
        "subresources": subresources,
    }  # fmt: skip
    names = {"plural": "farms", "kind": "Farm"}
    spec = {"group": "a.dev", "names": names, "scope": "Namespaced", "versions": [version]}
    return {"metadata": {"name": "farms.a.dev"}, "spec": spec}


async def herd(world: World, owner: Object, *, kind: str = "Farm") -> Object:
    """A ready pod with a budget of half of what its controller wants; gives the budget's status."""
    reference = {
        "apiVersion": "a.dev/v1", "kind": kind, "name": "f", "controller": True,
        "uid": owner["metadata"]["uid"],
    }  # fmt: skip
    await world.pod("p", metadata={"labels": {"app": "cow"}, "ownerReferences": [reference]})
    ready = {"type": "Ready", "status": "True"}
    await world.status(PODS, "p", {"phase": "Running", "conditions": [ready]})
    spec = {"minAvailable": "50%", "selector": {"matchLabels": {"app": "cow"}}}
    await world.create(POD_DISRUPTION_BUDGETS, {"metadata": {"name": "b"}, "spec": spec})
    await world.settle()
    found = await world.get(POD_DISRUPTION_BUDGETS, "b")
    assert found is not None
    status: Object = found["status"]
    return status


async def farm(world: World, subresources: Object) -> Object:
    await world.create(CUSTOM_RESOURCE_DEFINITIONS, farms(subresources))
    await world.pass_time(1)
    body = {
        "apiVersion": "a.dev/v1", "kind": "Farm", "metadata": {"name": "f"},
        "spec": {"replicas": 3},
    }  # fmt: skip
    return await world.create(FARMS, body)


def test_a_custom_resource_says_by_its_scale_how_many_pods_it_wants() -> None:
    async def story(world: World) -> None:
        status = await herd(world, await farm(world, {"scale": SCALE}))
        assert (status["expectedPods"], status["desiredHealthy"]) == (3, 2)

    running(story, Disruption)


def test_a_custom_resource_without_scale_cannot_say_it() -> None:
    async def story(world: World) -> None:
        status = await herd(world, await farm(world, {}))
        assert status["conditions"][0]["reason"] == "SyncFailed"
        want = "farms.a.dev does not implement the scale subresource"
        assert status["conditions"][0]["message"] == want

    running(story, Disruption)


def test_a_controller_of_a_kind_that_nobody_knows() -> None:
    async def story(world: World) -> None:
        owner = {"metadata": {"uid": "5b1a4d6e-0000-4000-8000-000000000000"}}
        status = await herd(world, owner, kind="Barn")
        want = 'no matches for kind "Barn" in version "a.dev/v1"'
        assert status["conditions"][0]["message"] == want

    running(story, Disruption)
