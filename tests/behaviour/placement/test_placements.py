"""The life of a placement on the hub, in virtual time; the test plays the scheduler and those after it."""

from __future__ import annotations

from pathlib import Path

import pytest

from argosy.api.objects.fleet import names
from argosy.client.objects import Key
from argosy.client.resources import CONFIG_MAPS, JOBS
from argosy.placement.placements import Settings
from argosy.placement.scopes import scope_of
from tests.behaviour.placement.hubs import Hub, on_hub

RP = Key("ns", "web")
CRP = Key("", "web")
MAP = {"group": "", "version": "v1", "kind": "ConfigMap", "name": "settings"}
ROLE = {"group": "rbac.authorization.k8s.io", "version": "v1", "kind": "ClusterRole"}


@pytest.mark.parametrize("key", [RP, CRP], ids=["of a namespace", "of the cluster"])
def test_from_a_placement_to_available(shared: Path, key: Key) -> None:
    selector = MAP if key.namespace else {**ROLE, "labelSelector": {"matchLabels": {"a": "b"}}}

    async def story(hub: Hub) -> None:
        await hub.config_map("settings", a="1")
        await hub.place(key, selector)
        await hub.settle()
        prefix = scope_of(key.namespace).placements.kind
        placement = await hub.placement(key)
        assert placement is not None
        assert placement["metadata"]["finalizers"] == [names.PLACEMENT_CLEANUP]
        assert await hub.conditions(key) == {f"{prefix}Scheduled": ("Unknown", "SchedulePending")}
        (policy,) = await hub.policies(key)
        assert policy["metadata"]["name"] == "web-0"
        assert policy["metadata"]["annotations"] == {names.PLACEMENT_GENERATION: "1"}
        (owner,) = policy["metadata"]["ownerReferences"]
        assert owner["uid"] == placement["metadata"]["uid"]
        assert (await hub.latest(key))["metadata"]["name"] == "web-0-snapshot"
        assert await hub.selected(key) == (["settings"] if key.namespace else [])
        await hub.finish(key, "east", "west")
        await hub.settle()
        assert {each: told for each, (told, _) in (await hub.conditions(key)).items()} == {
            f"{prefix}{stage}": "True"
            for stage in (
                "Scheduled",
                "RolloutStarted",
                "Overridden",
                "WorkSynchronized",
                "Applied",
                "Available",
            )
        }
        assert [reason for _, reason, _ in await hub.world.events("web")] == [
            "PlacementRolloutStarted",
            "PlacementOverriddenSucceeded",
            "PlacementWorkSynchronized",
            "PlacementApplied",
            "PlacementAvailable",
            "PlacementRolloutCompleted",
        ]

    on_hub(shared, story)


def test_a_placement_costs_few_writes_and_at_rest_none(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.config_map("settings", a="1")
        await hub.place(RP, MAP)
        await hub.settle(0.01)
        assert hub.writes() == [
            ("patch", "resourceplacements"),
            ("create", "schedulingpolicysnapshots"),
            ("create", "resourcesnapshots"),
        ]
        await hub.finish(RP, *(f"c{number}" for number in range(20)))
        await hub.settle()
        assert hub.writes() == [("patch", "resourceplacements")]
        await hub.settle(7 * 24 * 3600)
        assert hub.writes() == []

    on_hub(shared, story)


def test_one_that_waits_for_its_scheduler_writes_nothing_meanwhile(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.place(RP, MAP)
        await hub.settle()
        hub.writes()
        await hub.settle(24 * 3600)
        assert hub.writes() == []

    on_hub(shared, story)


def test_news_of_bindings_cost_no_selection(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from argosy.placement.selecting import sources

    selections: list[Key] = []
    pick = sources.pick

    def counted(key: Key, *more: object) -> object:
        selections.append(key)
        return pick(key, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(sources, "pick", counted)

    async def story(hub: Hub) -> None:
        await hub.config_map("settings", a="1")
        await hub.place(RP, MAP)
        await hub.settle()
        assert selections == [RP]
        await hub.finish(RP, "east")
        await hub.settle()
        assert selections == [RP]
        await hub.config_map("others", a="1")
        await hub.settle()
        assert selections == [RP]

    on_hub(shared, story)


def test_a_changed_object_is_gathered_for_a_while_and_snapshots_keep_their_distance(
    shared: Path,
) -> None:
    async def story(hub: Hub) -> None:
        async def change(value: str) -> None:
            await hub.client.patch(CONFIG_MAPS, "settings", {"data": {"a": value}}, namespace="ns")

        await hub.config_map("settings", a="1")
        await hub.place(RP, MAP)
        await hub.settle()
        await hub.finish(RP, "east")
        await hub.settle(60)
        await change("2")
        await hub.settle(10)
        await change("3")
        latest = await hub.latest(RP)
        assert latest["metadata"]["name"] == "web-0-snapshot"
        assert names.NEXT_CANDIDATE in latest["metadata"]["annotations"]
        await hub.settle(6)
        latest = await hub.latest(RP)
        assert latest["metadata"]["name"] == "web-1-snapshot"
        assert latest["spec"]["selectedResources"][0]["data"] == {"a": "3"}
        # The next one comes half a minute after this one, however long changes were gathered.
        await change("4")
        await hub.settle(20)
        assert (await hub.latest(RP))["metadata"]["name"] == "web-1-snapshot"
        await hub.report(RP, "east", Applied="False")
        await hub.settle(12)
        assert (await hub.latest(RP))["metadata"]["name"] == "web-2-snapshot"

    on_hub(shared, story, Settings())


def test_a_status_on_the_hub_is_no_change_of_what_is_selected(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.job("train", suspend=True)
        await hub.place(RP, {"group": "batch", "version": "v1", "kind": "Job", "name": "train"})
        await hub.settle()
        hub.writes()
        await hub.client.patch(
            JOBS, "train", {"status": {"active": 1}}, namespace="ns", subresource="status"
        )
        await hub.settle()
        assert hub.writes() == []
        (job,) = (await hub.latest(RP))["spec"]["selectedResources"]
        assert "status" not in job
        assert job["spec"]["selector"] == {"matchLabels": {}}

    on_hub(shared, story)


def test_scaling_keeps_the_policy_snapshot_and_another_policy_makes_a_new_one(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.place(RP, MAP, policy={"placementType": "PickN", "numberOfClusters": 1})
        await hub.settle()
        await hub.respecify(RP, policy={"placementType": "PickN", "numberOfClusters": 3})
        await hub.settle()
        (policy,) = await hub.policies(RP)
        assert policy["metadata"]["annotations"] == {
            names.PLACEMENT_GENERATION: "2",
            names.NUMBER_OF_CLUSTERS: "3",
        }
        spread = [{"topologyKey": "region"}]
        await hub.respecify(
            RP,
            policy={
                "placementType": "PickN",
                "numberOfClusters": 3,
                "topologySpreadConstraints": spread,
            },
        )
        await hub.settle()
        marks = {
            each["metadata"]["name"]: each["metadata"]["labels"][names.IS_LATEST]
            for each in await hub.policies(RP)
        }
        assert marks == {"web-0": "false", "web-1": "true"}

    on_hub(shared, story)


def test_history_is_limited(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.config_map("settings", a="0")
        await hub.place(RP, MAP, revisionHistoryLimit=2)
        await hub.settle()
        for number in range(1, 5):
            patch = {"data": {"a": str(number)}}
            await hub.client.patch(CONFIG_MAPS, "settings", patch, namespace="ns")
            await hub.settle()
        found = sorted(each["metadata"]["name"] for each in await hub.resources(RP))
        assert found == ["web-3-snapshot", "web-4-snapshot"]

    on_hub(shared, story)


def test_a_deleted_placement_takes_its_snapshots_along(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.config_map("settings", a="1")
        await hub.place(RP, MAP)
        await hub.settle()
        await hub.client.delete(scope_of("ns").placements, "web", namespace="ns")
        await hub.settle()
        assert await hub.placement(RP) is None
        assert await hub.policies(RP) == []
        assert await hub.resources(RP) == []
        assert (await hub.world.events("web"))[-1] == (
            "Normal",
            "PlacementCleanupFinalizerRemoved",
            "Deleted the snapshots and removed the placement cleanup finalizer",
        )
        # One of the same name begins anew.
        await hub.place(RP, MAP)
        await hub.settle()
        assert (await hub.latest(RP))["metadata"]["name"] == "web-0-snapshot"

    on_hub(shared, story)


def test_snapshots_that_somebody_deletes_are_made_again(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.config_map("settings", a="1")
        await hub.place(RP, MAP)
        await hub.settle()
        await hub.client.delete(scope_of("ns").policy_snapshots, "web-0", namespace="ns")
        await hub.client.delete(scope_of("ns").resource_snapshots, "web-0-snapshot", namespace="ns")
        await hub.settle()
        assert [each["metadata"]["name"] for each in await hub.policies(RP)] == ["web-0"]
        assert await hub.selected(RP) == ["settings"]

    on_hub(shared, story)
