"""Rolling updates at work: what goes out when, in which order, and what wakes a rollout up."""

from __future__ import annotations

from pathlib import Path

import pytest

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.placements import NamespacedName
from argosy.base.timestamps import format_time
from argosy.base.types import Object
from argosy.client.resources import (
    CLUSTER_RESOURCE_BINDINGS,
    CLUSTER_RESOURCE_OVERRIDE_SNAPSHOTS,
    CLUSTER_RESOURCE_PLACEMENTS,
    RESOURCE_OVERRIDE_SNAPSHOTS,
)
from argosy.placement.picks import Picked
from argosy.placement.scopes import scope_of
from tests.behaviour.placement.placingworlds import Counts, Hub, playing
from tests.support.placing import pick_n

ALL = {"placementType": "PickAll"}


def rolling(**more: object) -> Object:
    return {"rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0, **more}}


async def _placed(hub: Hub, strategy: Object, clusters: str = "abc") -> None:
    """A placement on these clusters, available everywhere."""
    for name in clusters:
        await hub.join(name)
    await hub.world.settle()
    await hub.place("web", ALL, strategy)
    await hub.world.settle()
    await hub.fares("web", *clusters)


def test_resources_go_out_one_cluster_after_the_other(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await _placed(hub, rolling())
        assert await hub.bound_to("web") == {"a": "0", "b": "0", "c": "0"}
        await hub.resources("web", 1)
        await hub.world.settle()
        assert await hub.bound_to("web") == {"a": "1", "b": "0-", "c": "0-"}
        waiting = (await hub.bindings("web"))[1]["status"]["conditions"]
        assert [each for each in waiting if each["type"] == "RolloutStarted"] == [
            {
                "type": "RolloutStarted",
                "status": "False",
                "reason": "RolloutNotStartedYet",
                "message": "The resources cannot be updated to the latest because of the rollout strategy",
                "observedGeneration": 3,
                "lastTransitionTime": waiting[0]["lastTransitionTime"],
            }
        ]
        await hub.world.pass_time(600)
        assert await hub.bound_to("web") == {"a": "1", "b": "0-", "c": "0-"}
        await hub.fares("web", "a")
        assert await hub.bound_to("web") == {"a": "1", "b": "1", "c": "0-"}
        await hub.fares("web", "b")
        assert await hub.bound_to("web") == {"a": "1", "b": "1", "c": "1"}

    playing(shared, story)


def test_what_nobody_can_track_is_waited_for(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await _placed(hub, rolling(unavailablePeriodSeconds=30), "ab")
        await hub.resources("web", 1)
        await hub.world.settle()
        await hub.fares("web", "a", reason="NotAllWorkAreAvailabilityTrackable")
        await hub.world.pass_time(28)
        assert await hub.bound_to("web") == {"a": "1", "b": "0-"}
        await hub.world.pass_time(4)
        assert await hub.bound_to("web") == {"a": "1", "b": "1"}

    playing(shared, story)


def test_what_failed_is_updated_at_once(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await _placed(hub, rolling(maxUnavailable=0))
        await hub.resources("web", 1)
        await hub.world.settle()
        assert await hub.bound_to("web") == {"a": "0-", "b": "0-", "c": "0-"}
        meta = (await hub.bindings("web"))[1]["metadata"]
        failed = {
            "type": "Applied",
            "status": "False",
            "reason": "NotAllWorkHaveBeenApplied",
            "message": "",
            "observedGeneration": meta["generation"],
            "lastTransitionTime": format_time(hub.world.clock.time()),
        }
        status = {"status": {"conditions": [failed]}}
        await hub.client.patch(
            CLUSTER_RESOURCE_BINDINGS, meta["name"], status, subresource="status"
        )
        await hub.world.settle()
        assert await hub.bound_to("web") == {"a": "0-", "b": "1", "c": "0-"}

    playing(shared, story)


def test_another_way_to_apply_goes_everywhere_at_once(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await _placed(hub, rolling(maxUnavailable=0))
        strategy = {"spec": {"strategy": {"applyStrategy": {"whenToApply": "IfNotDrifted"}}}}
        await hub.client.patch(CLUSTER_RESOURCE_PLACEMENTS, "web", strategy)
        await hub.world.settle()
        found = await hub.bindings("web")
        assert [each["spec"]["applyStrategy"]["whenToApply"] for each in found] == [
            "IfNotDrifted"
        ] * 3
        assert [each["metadata"]["generation"] for each in found] == [4, 4, 4]
        # And the rollout says that it stands by that generation, so that works follow.
        assert await hub.bound_to("web") == {"a": "0", "b": "0", "c": "0"}

    playing(shared, story)


def test_a_strategy_that_leaves_room_again_lets_the_rollout_go_on(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await _placed(hub, rolling(maxUnavailable=0), "ab")
        await hub.resources("web", 1)
        await hub.world.settle()
        assert await hub.bound_to("web") == {"a": "0-", "b": "0-"}
        more = {"spec": {"strategy": {"rollingUpdate": {"maxUnavailable": 2}}}}
        await hub.client.patch(CLUSTER_RESOURCE_PLACEMENTS, "web", more)
        await hub.world.settle()
        assert await hub.bound_to("web") == {"a": "1", "b": "1"}

    playing(shared, story)


def test_bindings_wait_for_resources(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.join("a")
        await hub.world.settle()
        await hub.place("web", ALL, resources=False)
        await hub.world.settle()
        (found,) = await hub.bindings("web")
        assert (found["spec"]["state"], found["metadata"]["generation"]) == ("Scheduled", 2)
        assert "status" not in found
        await hub.resources("web")
        await hub.world.settle()
        assert await hub.bound_to("web") == {"a": "0"}

    playing(shared, story)


def test_bindings_wait_for_all_shards(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.join("a")
        await hub.world.settle()
        await hub.place("web", ALL, resources=False)
        await hub.resources("web", shards=3)
        await hub.shard("web", 0, 0)
        await hub.world.settle()
        assert await hub.states("web") == {"a": "Scheduled"}
        await hub.shard("web", 0, 1)
        await hub.world.settle()
        assert await hub.states("web") == {"a": "Bound"}

    playing(shared, story)


def test_what_was_given_up_is_removed_when_its_replacement_is_there(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        for name in "abc":
            await hub.join(name)
        await hub.world.settle()
        fixed = {"placementType": "PickFixed", "clusterNames": ["a", "b"]}
        await hub.place("web", fixed, rolling(maxUnavailable=0, maxSurge=1))
        await hub.world.settle()
        await hub.fares("web", "a", "b")
        now = {"placementType": "PickFixed", "clusterNames": ["b", "c"]}
        await hub.client.patch(CLUSTER_RESOURCE_PLACEMENTS, "web", {"spec": {"policy": now}})
        await hub.outdate_policy("web")
        await hub.policy("web", now, index=1, generation=2)
        await hub.world.settle()
        assert await hub.states("web") == {"a": "Unscheduled", "b": "Bound", "c": "Bound"}
        # Its state is another now, and so is its generation: the work generator says again how it fares.
        await hub.fares("web", "a", "b")
        assert await hub.states("web") == {"a": "Unscheduled", "b": "Bound", "c": "Bound"}
        await hub.fares("web", "c")
        assert await hub.states("web") == {"b": "Bound", "c": "Bound"}

    playing(shared, story)


def test_a_new_binding_waits_until_the_old_one_of_its_cluster_has_gone(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.join("a")
        await hub.world.settle()
        await hub.place("web", pick_n(1), rolling())
        await hub.world.settle()
        old = (await hub.bindings("web"))[0]["metadata"]["name"]
        keep = {"metadata": {"finalizers": [names.BINDING_CLEANUP, names.WORK_CLEANUP]}}
        await hub.client.patch(CLUSTER_RESOURCE_BINDINGS, old, keep)
        await hub.client.delete(CLUSTER_RESOURCE_BINDINGS, old)
        await hub.world.pass_time(30)
        found = {each["metadata"]["name"]: each for each in await hub.bindings("web")}
        assert found.pop(old)["metadata"]["finalizers"] == [names.WORK_CLEANUP]
        ((name, new),) = found.items()
        assert new["spec"]["state"] == "Scheduled"
        await hub.client.patch(CLUSTER_RESOURCE_BINDINGS, old, {"metadata": {"finalizers": None}})
        await hub.world.settle()
        assert [
            (each["metadata"]["name"], each["spec"]["state"]) for each in await hub.bindings("web")
        ] == [(name, "Bound")]

    playing(shared, story)


def _override(name: str, selectors: str, placement: Object) -> Object:
    """A snapshot of an override that names a placement."""
    selected = {"group": "", "version": "v1", "kind": "ConfigMap", "name": "x"}
    spec = {
        "placement": placement,
        selectors: [selected],
        "policy": {"overrideRules": [{"overrideType": "Delete"}]},
    }
    meta = {"name": name, "labels": {names.IS_LATEST: "true"}}
    return {"metadata": meta, "spec": {"overrideSpec": spec, "overrideHash": "aGFzaA=="}}


async def _overridden(hub: Hub) -> dict[str, list[str] | None]:
    return {
        each["spec"]["targetCluster"]: each["spec"].get("clusterResourceOverrideSnapshots")
        for each in await hub.bindings("web")
    }


def test_overrides_go_out_as_resources_do(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await _placed(hub, rolling(), "ab")
        picked = Picked(("cro-0",), (NamespacedName("ro-0", "ns"),))
        hub.overrides.update(a=picked, b=picked)
        await hub.client.create(
            CLUSTER_RESOURCE_OVERRIDE_SNAPSHOTS,
            _override("cro-0", "clusterResourceSelectors", {"name": "web"}),
        )
        await hub.world.settle()
        first, second = await hub.bindings("web")
        assert first["spec"]["clusterResourceOverrideSnapshots"] == ["cro-0"]
        assert first["spec"]["resourceOverrideSnapshots"] == [{"name": "ro-0", "namespace": "ns"}]
        assert "clusterResourceOverrideSnapshots" not in second["spec"]
        assert (await hub.bound_to("web"))["b"] == "0-"
        await hub.fares("web", "a")
        assert await _overridden(hub) == {"a": ["cro-0"], "b": ["cro-0"]}
        hub.overrides.clear()
        await hub.client.delete(CLUSTER_RESOURCE_OVERRIDE_SNAPSHOTS, "cro-0")
        await hub.world.settle()
        assert await _overridden(hub) == {"a": ["cro-0"], "b": ["cro-0"]}
        await hub.fares("web", "b")
        assert await _overridden(hub) == {"a": None, "b": ["cro-0"]}
        await hub.fares("web", "a")
        assert await _overridden(hub) == {"a": None, "b": None}

    playing(shared, story)


@pytest.mark.parametrize(("scope", "namespace"), [("Namespaced", "ns"), ("Cluster", "")])
def test_an_override_of_a_namespace_wakes_the_placement_it_names(
    shared: Path, scope: str, namespace: str
) -> None:
    async def story(hub: Hub) -> None:
        await hub.join("a")
        await hub.world.settle()
        for each in ("", "ns"):
            await hub.place("web", ALL, rolling(maxUnavailable="100%"), namespace=each)
        await hub.world.settle()
        for each in ("", "ns"):
            await _available(hub, each)
        hub.overrides["a"] = Picked((), (NamespacedName("ro-0", "ns"),))
        await hub.client.create(
            RESOURCE_OVERRIDE_SNAPSHOTS,
            _override("ro-0", "resourceSelectors", {"name": "web", "scope": scope}),
            namespace="ns",
        )
        await hub.world.settle()
        woken = {
            each: "resourceOverrideSnapshots" in (await hub.bindings("web", each))[0]["spec"]
            for each in ("", "ns")
        }
        assert woken == {"": namespace == "", "ns": namespace == "ns"}

    playing(shared, story)


async def _available(hub: Hub, namespace: str) -> None:
    (found,) = await hub.bindings("web", namespace)
    meta = found["metadata"]
    condition = {
        "type": "Available",
        "status": "True",
        "reason": "AllWorkAreAvailable",
        "message": "",
        "observedGeneration": meta["generation"],
        "lastTransitionTime": format_time(hub.world.clock.time()),
    }
    status = {"status": {"conditions": [*found["status"]["conditions"], condition]}}
    await hub.client.patch(
        scope_of(namespace).bindings,
        meta["name"],
        status,
        namespace=namespace or None,
        subresource="status",
    )
    await hub.world.settle()


def test_at_rest_nothing_is_written(shared: Path) -> None:
    counts = Counts()

    async def story(hub: Hub) -> None:
        await _placed(hub, rolling(maxUnavailable=0))
        await hub.resources("web", 1)
        await hub.world.settle()
        assert counts.writes() > 0
        await hub.fares("web", "a", "b", "c")
        await hub.world.pass_time(3600)
        assert counts.writes() == 0

    playing(shared, story, through=counts)


def test_a_placement_that_is_going_is_left_alone(shared: Path) -> None:
    counts = Counts()

    async def story(hub: Hub) -> None:
        await _placed(hub, rolling(), "ab")
        await hub.client.patch(
            CLUSTER_RESOURCE_PLACEMENTS,
            "web",
            {"metadata": {"finalizers": [names.PLACEMENT_CLEANUP]}},
        )
        await hub.client.delete(CLUSTER_RESOURCE_PLACEMENTS, "web")
        await hub.world.settle()
        counts.writes()
        await hub.resources("web", 1)
        await hub.world.settle()
        assert await hub.bound_to("web") == {"a": "0", "b": "0"}
        assert counts.writes() == 0

    playing(shared, story, through=counts)
