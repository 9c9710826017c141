"""What users get wrong, and what a whole fleet says to it. Nothing of it reaches a member."""

from __future__ import annotations

import pytest

from argosy.base.errors import StatusError
from argosy.base.types import Object
from argosy.client.resources import (
    CLUSTER_RESOURCE_SNAPSHOTS,
    CONFIG_MAPS,
    NAMESPACES,
    WORKS,
)
from tests.behaviour.fleet.worlds import Fleet, Shape, config_map, pick, rolling, told

UNCHECKED = Shape(members=("m1",), checks=False)
ONE = Shape(members=("m1",))


def selector(kind: str, name: str = "", group: str = "", version: str = "v1") -> Object:
    found = {"group": group, "version": version, "kind": kind}
    return {**found, "name": name} if name else found


WRONG: dict[str, tuple[Object, str]] = {
    "too few clusters asked for": (
        {"policy": {"placementType": "PickN"}},
        "clusterNames cannot be set and numberOfClusters must be set when placementType is PickN",
    ),
    "a number of clusters where all are picked": (
        {"policy": {"placementType": "PickAll", "numberOfClusters": 2}},
        "numberOfClusters",
    ),
    "a way to pick that there is not": (
        {"policy": {"placementType": "PickSome"}},
        'Unsupported value: "PickSome": supported values: "PickAll", "PickN", "PickFixed"',
    ),
    "a share of more than all": (
        {"strategy": rolling("101%")},
        "spec.strategy.rollingUpdate.maxUnavailable",
    ),
    "a name and labels at once": (
        {
            "resourceSelectors": [
                {**selector("Namespace", "app"), "labelSelector": {"matchLabels": {"a": "b"}}}
            ]
        },
        "name and labelSelector are mutually exclusive in a resource selector",
    ),
    "no selector at all": ({"resourceSelectors": []}, "spec.resourceSelectors"),
    "a kind of a namespace": (
        {"resourceSelectors": [selector("ConfigMap", "c")]},
        "the resource is not found in schema (please retry) or it is not a cluster scoped resource",
    ),
    "a kind that nobody knows": (
        {"resourceSelectors": [selector("Sloop", "s", "boats.example.com")]},
        'no matches for kind "Sloop" in version "boats.example.com/v1"',
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_refused_at_the_door(what: str) -> None:
    spec, error = WRONG[what]

    async def story(fleet: Fleet) -> None:
        with pytest.raises(StatusError) as caught:
            await fleet.place("p", **spec)
        assert error in caught.value.message
        assert await fleet.hub.list(WORKS) == []

    told(story, ONE)


def test_what_a_hub_without_checks_lets_in_is_said_in_the_status() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.place("p", selector("Sloop", "s", "boats.example.com"))
        said = await fleet.said("p")
        assert list(said) == ["Scheduled"]
        assert said["Scheduled"].startswith(
            "False InvalidResourceSelectors: The resource selectors are invalid: "
        )
        await fleet.place("app/q", selector("Namespace", "app"))
        assert (await fleet.said("app/q"))["Scheduled"] == (
            "False InvalidResourceSelectors: The resource selectors are invalid: "
            "failed to process the request due to a client error: invalid placement app/q: "
            "cannot select cluster-scoped resource Namespace in a resourcePlacement"
        )
        assert await fleet.hub.list(WORKS) == []

    told(story, UNCHECKED)


def test_a_placement_with_a_wrong_selector_recovers_when_it_is_mended() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.config_map("c")
        await fleet.place("app/p", selector("Sloop", "s", "boats.example.com"))
        assert (await fleet.said("app/p"))["Scheduled"].startswith("False InvalidResourceSelectors")
        await fleet.members["m1"].create(NAMESPACES, {"metadata": {"name": "app"}})
        await fleet.change("app/p", resourceSelectors=[selector("ConfigMap", "c")])
        assert (await fleet.said("app/p"))["Available"].startswith("True ResourceAvailable")
        assert await fleet.where(CONFIG_MAPS, "c") == ["m1"]

    told(story, ONE)


FINAL: dict[str, tuple[Object, str]] = {
    "how to pick": (
        {"policy": {"placementType": "PickAll", "numberOfClusters": None, "tolerations": None}},
        "placement type is immutable",
    ),
    # A policy that is left out is filled in, with the default.
    "no policy any more": ({"policy": None}, "placement type is immutable"),
    "fewer tolerations": (
        {"policy": {"tolerations": []}},
        "tolerations have been updated/deleted, only additions to tolerations are allowed",
    ),
    "whose status is told where": (
        {"statusReportingScope": "NamespaceAccessible"},
        "statusReportingScope is immutable",
    ),
}


@pytest.mark.parametrize("what", FINAL)
def test_what_cannot_change_stays_as_it_is(what: str) -> None:
    change, error = FINAL[what]

    async def story(fleet: Fleet) -> None:
        tolerations = [{"key": "k", "operator": "Exists"}]
        await fleet.place("p", policy=pick("PickN", 1, tolerations=tolerations))
        before = (await fleet.placement("p"))["spec"]
        with pytest.raises(StatusError) as caught:
            await fleet.change("p", **change)
        assert error in caught.value.message
        assert (await fleet.placement("p"))["spec"] == before

    told(story, ONE)


def test_a_policy_cannot_be_removed_from_a_hub_without_checks() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.place("p", policy=pick("PickN", 1))
        with pytest.raises(StatusError) as caught:
            await fleet.change("p", policy=None)
        assert "policy cannot be removed once set" in caught.value.message

    told(story, UNCHECKED)


def test_a_placement_that_updates_from_outside_cannot_go_back() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.place("p", strategy={"type": "External"})
        with pytest.raises(StatusError) as caught:
            await fleet.change("p", strategy={"type": "RollingUpdate"})
        assert (
            "cannot change rollout strategy type from 'External' to other types"
            in caught.value.message
        )

    told(story, ONE)


def test_a_selector_of_nothing_is_no_error() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.place("p", selector("Namespace", "nowhere"))
        said = await fleet.said("p")
        assert said["Available"].startswith("True")
        assert await fleet.selected("p") == []
        (work,) = await fleet.hub.list(WORKS)
        assert work["spec"]["workload"].get("manifests", []) == []

    told(story, ONE)


def test_more_than_a_snapshot_holds_comes_in_several_works() -> None:
    async def story(fleet: Fleet) -> None:
        for number in range(4):
            await fleet.config_map(f"big-{number}", text="x" * 500_000)
        await fleet.place("p")
        snapshots = await fleet.hub.list(CLUSTER_RESOURCE_SNAPSHOTS)
        assert sorted(each["metadata"]["name"] for each in snapshots) == [
            "p-0-0",
            "p-0-1",
            "p-0-2",
            "p-0-snapshot",
        ]
        assert sorted(each["metadata"]["name"] for each in await fleet.hub.list(WORKS)) == [
            "p-0",
            "p-1",
            "p-2",
            "p-work",
        ]
        assert (await fleet.said("p"))["Available"].startswith("True ResourceAvailable")
        for number in range(4):
            assert await fleet.where(CONFIG_MAPS, f"big-{number}") == ["m1"]
        # With three of them gone, their Works go, and their objects.
        for number in range(1, 4):
            await fleet.hub.delete(CONFIG_MAPS, f"big-{number}")
        await fleet.settle()
        assert [each["metadata"]["name"] for each in await fleet.hub.list(WORKS)] == ["p-work"]
        assert await fleet.where(CONFIG_MAPS, "big-0") == ["m1"]
        for number in range(1, 4):
            assert await fleet.where(CONFIG_MAPS, f"big-{number}") == []
        assert (await fleet.said("p"))["Available"].startswith("True ResourceAvailable")

    told(story, ONE)


def test_an_object_that_fits_no_work_is_told_and_harms_nobody_else() -> None:
    async def story(fleet: Fleet) -> None:
        # On the hub it is just small enough; a snapshot or a Work adds to it.
        text = "x" * 1_048_000
        await fleet.hub.create(CONFIG_MAPS, {**config_map("huge"), "data": {"text": text}}, "app")
        for number in range(2):
            await fleet.config_map(f"more-{number}", text="y" * 300_000)
        await fleet.place("p")
        said = await fleet.said("p")
        assert said["Available"].startswith("True"), said
        member = fleet.members["m1"]
        assert len((await member.there(CONFIG_MAPS, "huge"))["data"]["text"]) == len(text)
        live = (await member.there(CONFIG_MAPS, "huge"))["metadata"]["annotations"]
        assert live["kubernetes-fleet.io/last-applied-configuration"] == ""

    told(story, ONE)
