"""Evictions on a hub: the binding goes or stays, and the eviction says why."""

from __future__ import annotations

from pathlib import Path

from argosy.base.types import Object
from argosy.client.objects import decode
from argosy.client.protocol import Client
from argosy.client.resources import (
    CLUSTER_RESOURCE_BINDINGS,
    CLUSTER_RESOURCE_PLACEMENT_DISRUPTION_BUDGETS,
    CLUSTER_RESOURCE_PLACEMENT_EVICTIONS,
)
from tests.behaviour.placement.runworlds import Hub, on_hub
from tests.behaviour.placement.test_update_runs_golden import Golden
from tests.fakes.clients import FaultyClient

EVICTIONS = CLUSTER_RESOURCE_PLACEMENT_EVICTIONS
BUDGETS = CLUSTER_RESOURCE_PLACEMENT_DISRUPTION_BUDGETS
PICK_TWO: Object = {"placementType": "PickN", "numberOfClusters": 2}
ROLLING: Object = {"type": "RollingUpdate"}


async def evict(hub: Hub, name: str, cluster: str) -> Object:
    spec = {"placementName": hub.placement, "clusterName": cluster}
    await hub.create(EVICTIONS, {"metadata": {"name": name}, "spec": spec})
    await hub.settle()
    found = await hub.get(EVICTIONS, name)
    assert found is not None
    return found


def executed(eviction: Object) -> tuple[str, str]:
    [said] = [each for each in eviction["status"]["conditions"] if each["type"] == "Executed"]
    return said["status"], said["message"]


async def available(hub: Hub) -> None:
    await hub.placed("member-1", "member-2", policy=PICK_TWO, strategy=ROLLING)
    for cluster in ("member-1", "member-2"):
        name = hub.binding_name(cluster)
        await hub.client.patch(CLUSTER_RESOURCE_BINDINGS, name, {"spec": {"state": "Bound"}})
        await hub.arrive(cluster)


def test_the_blocked_case_comes_out_as_upstream_has_it(shared: Path) -> None:
    golden = Golden(shared / "fixtures" / "kubefleet")

    async def story(hub: Hub) -> None:
        hub.placement = "ev-crp"
        await available(hub)
        budget = {"metadata": {"name": "ev-crp"}, "spec": {"minAvailable": 2}}
        await hub.create(BUDGETS, budget)
        await evict(hub, "ev-blocked", "member-1")
        await hub.client.patch(BUDGETS, "ev-crp", {"spec": {"minAvailable": 1}})
        await hub.pass_time(60)
        found = [decode(raw) for raw in (await hub.client.list(EVICTIONS)).items]
        golden.equal(found, "09-eviction-a-blocked", "evictions")
        assert "deletionTimestamp" not in (await hub.binding("member-1"))["metadata"]

    on_hub(story, shared)


def test_an_allowed_eviction_deletes_the_binding_and_is_never_tried_again(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await available(hub)
        await hub.create(BUDGETS, {"metadata": {"name": "app"}, "spec": {"minAvailable": 1}})
        got = executed(await evict(hub, "first", "member-1"))
        assert got[0] == "True"
        assert got[1].endswith("availablePlacements: 2, totalPlacements: 2")
        assert "deletionTimestamp" in (await hub.binding("member-1"))["metadata"]
        await hub.report("member-1", Available=("False", "ResourceNotAvailableYet"))
        got = executed(await evict(hub, "second", "member-2"))
        assert got == (
            "False",
            (
                "Eviction is blocked by specified ClusterResourcePlacementDisruptionBudget, availablePlacements: 1, "
                "totalPlacements: 2"
            ),
        )
        await hub.client.delete(BUDGETS, "app")
        revision = (await hub.client.list(EVICTIONS)).revision
        await hub.pass_time(600)
        assert (await hub.client.list(EVICTIONS)).revision == revision

    on_hub(story, shared)


def test_a_placement_that_is_not_there(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        [valid] = (await evict(hub, "lost", "member-1"))["status"]["conditions"]
        assert (valid["type"], valid["status"]) == ("Valid", "False")
        assert valid["message"] == "Failed to find ClusterResourcePlacement targeted by eviction"

    on_hub(story, shared)


def test_a_binding_that_changes_at_the_same_moment_is_decided_on_anew(shared: Path) -> None:
    """Between the look and the deletion the binding stops being there: the budget counts what is, not what was."""

    class Meddling(FaultyClient):
        async def delete(self, *args: object, **options: object) -> None:
            if not self.meddled:
                self.meddled = True
                await self.hub.report("member-2", Available=("False", "ResourceNotAvailableYet"))
                await self.hub.report("member-1", Available=("True", "Another"))
            await self.hub.client.delete(*args, **options)

        meddled = False
        hub: Hub

    async def story(hub: Hub) -> None:
        await available(hub)

        def through(client: Client) -> Client:
            meddling = Meddling(client)
            meddling.hub = hub
            return meddling

        await hub.live(through)
        await hub.create(BUDGETS, {"metadata": {"name": "app"}, "spec": {"minAvailable": 1}})
        await evict(hub, "first", "member-1")
        await hub.pass_time(5)
        found = await hub.get(EVICTIONS, "first")
        assert found is not None
        assert executed(found)[0] == "False"
        assert "deletionTimestamp" not in (await hub.binding("member-1"))["metadata"]

    on_hub(story, shared, alive=False)
