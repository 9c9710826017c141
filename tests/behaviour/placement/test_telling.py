"""How placements tell of themselves elsewhere: external rollouts, copies in namespaces, and bad networks."""

from __future__ import annotations

from pathlib import Path

import pytest

from argosy.api.objects.fleet import names
from argosy.base.errors import NotFound, ServiceUnavailable
from argosy.base.types import Object
from argosy.client.objects import Key
from argosy.client.resources import (
    CLUSTER_RESOURCE_PLACEMENT_STATUSES,
    CONFIG_MAPS,
    NAMESPACES,
)
from argosy.control.assemblies import Assembly
from argosy.placement.placements import Placements
from argosy.placement.scopes import scope_of
from argosy.placement.selecting.terms import InvalidSelectors
from argosy.placement.views import Views
from tests.behaviour.placement.hubs import QUICK, Hub, on_hub
from tests.fakes.fleets import fleet_definitions
from tests.fakes.worlds import World, running

RP = Key("ns", "web")
CRP = Key("", "web")
MAP: Object = {"group": "", "version": "v1", "kind": "ConfigMap", "name": "settings"}
NAMESPACE: Object = {
    "group": "",
    "version": "v1",
    "kind": "Namespace",
    "name": "ns",
    "selectionScope": "NamespaceOnly",
}


def test_an_external_rollout_has_no_snapshot_until_a_run_asks(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.config_map("settings", a="1")
        await hub.place(RP, MAP, strategy={"type": "External"})
        await hub.settle()
        assert await hub.resources(RP) == []
        await hub.schedule(RP, "east", "west")
        await hub.settle()
        conditions = await hub.conditions(RP)
        assert conditions["ResourcePlacementRolloutStarted"] == (
            "Unknown",
            "RolloutControlledByExternalController",
        )
        master = await hub.placements.snapshots.ensure_latest(RP)
        assert master.metadata.name == "web-0-snapshot"
        again = await hub.placements.snapshots.ensure_latest(RP)
        assert again.metadata.uid == master.metadata.uid
        await hub.client.patch(CONFIG_MAPS, "settings", {"data": {"a": "2"}}, namespace="ns")
        await hub.settle()
        assert [each["metadata"]["name"] for each in await hub.resources(RP)] == ["web-0-snapshot"]
        master = await hub.placements.snapshots.ensure_latest(RP)
        assert master.metadata.name == "web-1-snapshot"
        for each in ("east", "west"):
            await hub.bind(RP, each, "web-0-snapshot")
            await hub.report(RP, each)
        await hub.settle()
        placement = await hub.placement(RP)
        assert placement is not None
        assert placement["status"]["observedResourceIndex"] == "0"
        assert placement["status"]["selectedResources"][0]["name"] == "settings"
        assert (await hub.conditions(RP))["ResourcePlacementAvailable"][0] == "True"
        hub.writes()
        await hub.settle(7200)
        assert hub.writes() == []

    on_hub(shared, story)


def test_a_run_hears_what_is_wrong_with_selectors(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        everything = {"group": "", "version": "v1", "kind": "ConfigMap"}
        await hub.config_map("settings")
        await hub.place(RP, MAP, everything, strategy={"type": "External"})
        await hub.settle()
        with pytest.raises(InvalidSelectors, match="found duplicate resource"):
            await hub.placements.snapshots.ensure_latest(RP)
        with pytest.raises(NotFound):
            await hub.placements.snapshots.ensure_latest(Key("ns", "nobody"))

    on_hub(shared, story)


async def copy(hub: Hub, namespace: str = "ns") -> Object | None:
    return await hub.world.get(CLUSTER_RESOURCE_PLACEMENT_STATUSES, "web", namespace)


def test_a_namespace_sees_the_status_of_the_placement_that_selects_it(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.place(CRP, NAMESPACE, statusReportingScope="NamespaceAccessible")
        await hub.settle()
        placement = await hub.placement(CRP)
        assert placement is not None
        assert [each["type"] for each in placement["status"]["conditions"]] == [
            "ClusterResourcePlacementScheduled",
            "ClusterResourcePlacementStatusSynced",
        ]
        synced = placement["status"]["conditions"][1]
        assert (synced["status"], synced["reason"], synced["message"]) == (
            "True",
            "StatusSyncSucceeded",
            "Successfully created or updated ClusterResourcePlacementStatus in namespace 'ns'",
        )
        await hub.finish(CRP, "east")
        await hub.settle()
        placement, found = await hub.placement(CRP), await copy(hub)
        assert placement is not None
        assert found is not None
        want = dict(placement["status"])
        want["conditions"] = [
            each for each in want["conditions"] if "StatusSynced" not in each["type"]
        ]
        assert len(want["conditions"]) == 6
        assert found["sourceStatus"] == want
        (owner,) = found["metadata"]["ownerReferences"]
        assert owner["uid"] == placement["metadata"]["uid"]
        hub.writes()
        await hub.settle(7200)
        assert hub.writes() == []
        # Whoever removes or edits the copy gets it back.
        await hub.client.delete(CLUSTER_RESOURCE_PLACEMENT_STATUSES, "web", namespace="ns")
        await hub.settle()
        assert (await copy(hub) or {})["sourceStatus"] == want
        patch = {"sourceStatus": {"observedResourceIndex": "99"}}
        await hub.client.patch(CLUSTER_RESOURCE_PLACEMENT_STATUSES, "web", patch, namespace="ns")
        await hub.settle()
        assert (await copy(hub) or {})["sourceStatus"] == want

    on_hub(shared, story)


def test_a_placement_whose_status_a_namespace_sees_keeps_to_that_namespace(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.place(CRP, NAMESPACE, statusReportingScope="NamespaceAccessible")
        await hub.settle()
        await hub.respecify(CRP, resourceSelectors=[{**NAMESPACE, "name": "other"}])
        await hub.settle()
        placement = await hub.placement(CRP)
        assert placement is not None
        scheduled = placement["status"]["conditions"][0]
        assert (scheduled["status"], scheduled["reason"]) == ("False", "InvalidResourceSelectors")
        assert scheduled["message"] == (
            "namespace resource selector is choosing a different namespace 'other' from what was originally picked 'ns'."
            " This is not allowed for NamespaceAccessible ClusterResourcePlacement"
        )
        assert await copy(hub, "other") is None
        await hub.respecify(CRP, resourceSelectors=[NAMESPACE])
        await hub.settle()
        assert (await hub.conditions(CRP))["ClusterResourcePlacementScheduled"][0] == "Unknown"

    on_hub(shared, story)


def test_a_copy_without_a_namespace_is_said_and_made_later(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        selector = {**NAMESPACE, "name": "later"}
        await hub.place(CRP, selector, statusReportingScope="NamespaceAccessible")
        await hub.settle()
        conditions = await hub.conditions(CRP)
        assert conditions["ClusterResourcePlacementStatusSynced"] == ("False", "StatusSyncFailed")
        await hub.client.create(NAMESPACES, {"metadata": {"name": "later"}})
        await hub.settle(40)
        conditions = await hub.conditions(CRP)
        assert conditions["ClusterResourcePlacementStatusSynced"] == ("True", "StatusSyncSucceeded")
        assert await copy(hub, "later") is not None

    on_hub(shared, story)


def test_refused_writes_are_tried_again(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.config_map("settings", a="1")
        down = ServiceUnavailable("down")
        hub.network.fail("create", down, down)
        hub.network.fail("patch", down)
        await hub.place(RP, MAP)
        await hub.settle(5)
        await hub.schedule(RP, "east")
        await hub.bind(RP, "east")
        await hub.report(RP, "east")
        hub.network.fail("patch", down, down)
        await hub.settle(5)
        assert (await hub.conditions(RP))["ResourcePlacementAvailable"][0] == "True"
        assert len(await hub.policies(RP)) == 1
        assert len(await hub.resources(RP)) == 1

    on_hub(shared, story)


def test_a_hub_that_was_away_for_an_hour_catches_up(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.config_map("settings", a="1")
        await hub.place(RP, MAP)
        await hub.settle()
        away = [ServiceUnavailable("away")] * 60
        hub.network.fail("watch", *away)
        hub.network.expire()
        await hub.client.patch(CONFIG_MAPS, "settings", {"data": {"a": "2"}}, namespace="ns")
        await hub.settle(3600)
        latest = await hub.latest(RP)
        assert latest["spec"]["selectedResources"][0]["data"] == {"a": "2"}

    on_hub(shared, story)


def test_another_hub_takes_over_in_the_middle(shared: Path) -> None:
    """Half of a group of snapshots was written, and the old policy is unmarked already."""

    def add(assembly: Assembly) -> None:
        Placements(assembly, Views(assembly), QUICK)

    async def story(world: World) -> None:
        hub = Hub(world, None, None)  # type: ignore[arg-type]
        for number in range(3):
            await hub.config_map(f"m{number}", labels={"big": "yes"}, a="x" * 500_000)
        await hub.place(
            RP,
            {
                "group": "",
                "version": "v1",
                "kind": "ConfigMap",
                "labelSelector": {"matchLabels": {"big": "yes"}},
            },
        )
        await hub.settle()
        found = sorted(each["metadata"]["name"] for each in await hub.resources(RP))
        assert found == ["web-0-0", "web-0-1", "web-0-snapshot"]
        scope = scope_of("ns")
        # What a hub leaves behind that dies after the first of three, and after taking a mark away.
        for name in ("web-0-0", "web-0-1"):
            await world.client.delete(scope.resource_snapshots, name, namespace="ns")
        for resource, name in (
            (scope.policy_snapshots, "web-0"),
            (scope.resource_snapshots, "web-0-snapshot"),
        ):
            unmark = {"metadata": {"labels": {names.IS_LATEST: "false"}}}
            await world.client.patch(resource, name, unmark, namespace="ns")
        await hub.settle()
        found = sorted(each["metadata"]["name"] for each in await hub.resources(RP))
        assert found == ["web-0-0", "web-0-1", "web-0-snapshot"]
        assert (await hub.latest(RP))["metadata"]["name"] == "web-0-snapshot"
        placement = await hub.placement(RP)
        assert placement is not None
        selected = [each["name"] for each in placement["status"]["selectedResources"]]
        assert selected == ["m0", "m1", "m2"]

    running(story, add, definitions=fleet_definitions(shared))
