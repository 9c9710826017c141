"""Objects that members refuse, have already, or are asked for by two placements: said in upstream's words, and the rest
of the placement goes on.
"""

from __future__ import annotations

from argosy.client.resources import (
    APPLIED_WORKS,
    CONFIG_MAPS,
    CUSTOM_RESOURCE_DEFINITIONS,
    NAMESPACES,
    RESOURCE_QUOTAS,
    WORKS,
    Resource,
)
from tests.behaviour.fleet.worlds import Fleet, Shape, config_map, pick, rolling, told

TWO = Shape(members=("m1", "m2"))
SELECTS_MAP = {"group": "", "version": "v1", "kind": "ConfigMap", "name": "c"}
WIDGET = Resource("example.com", "v1", "widgets", "Widget", namespaced=False)
WIDGETS = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.example.com"},
    "spec": {
        "group": "example.com",
        "names": {
            "plural": "widgets",
            "singular": "widget",
            "kind": "Widget",
            "listKind": "WidgetList",
        },
        "scope": "Cluster",
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "x-kubernetes-preserve-unknown-fields": True,
                    }
                },
            }
        ],
    },
}


def test_an_object_that_a_member_rejects_is_told_and_the_others_are_applied() -> None:
    async def story(fleet: Fleet) -> None:
        # One member has a quota that forbids what the hub wants.
        m1 = fleet.members["m1"]
        await m1.create(NAMESPACES, {"metadata": {"name": "app"}})
        quota = {"metadata": {"name": "none"}, "spec": {"hard": {"count/configmaps": "1"}}}
        await m1.create(RESOURCE_QUOTAS, quota, "app")
        await fleet.settle()
        await fleet.config_map("c")
        await fleet.place("p", strategy=rolling())
        said = await fleet.said("p")
        assert said["Applied"] == (
            "False ApplyFailed: Failed to apply resources to 1 cluster(s), "
            "please check the `failedPlacements` status"
        )
        assert "Available" not in said
        assert (await fleet.said_of("p", "m1"))["Applied"] == (
            "False NotAllWorkHaveBeenApplied: Work object p-work has failed to apply"
        )
        failure = await fleet.failure("p", "m1")
        assert failure.startswith(
            "ConfigMap c ManifestApplyFailed: Failed to apply the manifest (error: "
        )
        assert "exceeded quota: none" in failure
        assert (await fleet.said_of("p", "m2"))["Available"].startswith("True AllWorkAreAvailable")
        # It is tried again, without anybody asking.
        await m1.delete(RESOURCE_QUOTAS, "none")
        await fleet.pass_time(30)
        assert (await fleet.said("p"))["Available"] == (
            "True ResourceAvailable: The selected resources in 2 cluster(s) are available now"
        )
        assert "failedPlacements" not in (await fleet.clusters("p"))["m1"]

    told(story, TWO)


def test_a_kind_that_a_member_does_not_serve_is_applied_once_it_does() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.hub.create(CUSTOM_RESOURCE_DEFINITIONS, WIDGETS)
        await fleet.settle()
        await fleet.hub.create(
            WIDGET, {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}}
        )
        await fleet.members["m2"].create(CUSTOM_RESOURCE_DEFINITIONS, WIDGETS)
        # Kinds that come later are known to the hub within half a minute.
        await fleet.pass_time(40)
        selector = {"group": "example.com", "version": "v1", "kind": "Widget", "name": "w"}
        await fleet.place("p", selector, strategy=rolling())
        failure = await fleet.failure("p", "m1")
        assert failure.startswith("Widget w DecodingErred: ")
        assert await fleet.members["m2"].get(WIDGET, "w") is not None
        await fleet.members["m1"].create(CUSTOM_RESOURCE_DEFINITIONS, WIDGETS)
        await fleet.settle()
        assert (await fleet.said("p"))["Available"].startswith("True ResourceAvailable")
        assert await fleet.members["m1"].get(WIDGET, "w") is not None

    told(story, TWO)


async def occupied(fleet: Fleet, when_to_take_over: str, **there: str) -> None:
    """A member has the object that the hub is about to place."""
    m1 = fleet.members["m1"]
    await m1.create(NAMESPACES, {"metadata": {"name": "app"}})
    await fleet.members["m2"].create(NAMESPACES, {"metadata": {"name": "app"}})
    await m1.create(CONFIG_MAPS, config_map("c", **there), "app")
    await fleet.config_map("c", a="hub")
    await fleet.place("app/p", SELECTS_MAP, strategy=rolling(whenToTakeOver=when_to_take_over))


def test_an_object_that_is_there_already_is_taken_over_by_default() -> None:
    async def story(fleet: Fleet) -> None:
        await occupied(fleet, "Always", a="mine", b="too")
        assert (await fleet.said("app/p"))["Available"].startswith("True ResourceAvailable")
        assert await fleet.members["m1"].data("c") == {"a": "hub", "b": "too"}

    told(story, TWO)


def test_an_object_that_is_there_already_and_differs_is_left_alone_if_no_diff_is_allowed() -> None:
    async def story(fleet: Fleet) -> None:
        await occupied(fleet, "IfNoDiff", a="mine")
        assert (await fleet.said("app/p"))["Applied"].startswith("False ApplyFailed")
        assert await fleet.failure("app/p", "m1") == (
            "ConfigMap c FailedToTakeOver: Failed to apply the manifest (error: "
            "cannot take over object: configuration differences are found between the manifest object "
            "and the corresponding object in the member cluster)"
        )
        (diffed,) = (await fleet.clusters("app/p"))["m1"]["diffedPlacements"]
        assert diffed["observedDiffs"] == [
            {"path": "/data/a", "valueInMember": "mine", "valueInHub": "hub"}
        ]
        assert await fleet.members["m1"].data("c") == {"a": "mine"}
        # Once it is what the hub wants, it is taken.
        await fleet.members["m1"].patch(CONFIG_MAPS, "c", {"data": {"a": "hub"}})
        await fleet.pass_time(30)
        assert (await fleet.said("app/p"))["Available"].startswith("True ResourceAvailable")

    told(story, TWO)


def test_an_object_that_is_there_already_is_never_touched_if_that_is_wanted() -> None:
    async def story(fleet: Fleet) -> None:
        await occupied(fleet, "Never", a="mine")
        assert await fleet.failure("app/p", "m1") == (
            "ConfigMap c NotTakenOver: Failed to apply the manifest (error: "
            "no ownership of the object in the member cluster; takeover is needed)"
        )
        await fleet.remove("app/p")
        assert await fleet.members["m1"].data("c") == {"a": "mine"}
        assert await fleet.where(CONFIG_MAPS, "c") == ["m1"]

    told(story, TWO)


def test_two_placements_cannot_have_one_object_and_the_second_gets_it_when_the_first_goes() -> None:
    async def story(fleet: Fleet) -> None:
        for member in fleet.members.values():
            await member.create(NAMESPACES, {"metadata": {"name": "app"}})
        await fleet.config_map("c")
        await fleet.place("app/first", SELECTS_MAP, policy=pick("PickAll"))
        await fleet.place(
            "app/second",
            SELECTS_MAP,
            policy=pick("PickAll"),
            strategy=rolling(allowCoOwnership=True),
        )
        assert (await fleet.said("app/first"))["Available"].startswith("True")
        for cluster in ("m1", "m2"):
            assert await fleet.failure("app/second", cluster) == (
                "ConfigMap c FailedToTakeOver: Failed to apply the manifest (error: "
                "failed to take over a pre-existing object: "
                "the object is already owned by another Fleet AppliedWork object)"
            )
        uids = [
            (await m.there(CONFIG_MAPS, "c"))["metadata"]["uid"] for m in fleet.members.values()
        ]
        assert len(uids) == 2
        await fleet.remove("app/first")
        await fleet.pass_time(60)
        assert (await fleet.said("app/second"))["Available"].startswith("True ResourceAvailable")
        assert await fleet.where(CONFIG_MAPS, "c") == ["m1", "m2"]
        for member in fleet.members.values():
            assert len(await member.list(APPLIED_WORKS)) == 1
        await fleet.remove("app/second")
        assert await fleet.where(CONFIG_MAPS, "c") == []
        assert await fleet.hub.list(WORKS) == []

    told(story, TWO)


def test_a_placement_of_a_namespace_needs_that_namespace_on_its_members() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.config_map("c")
        await fleet.place("app/p", SELECTS_MAP, policy=pick("PickAll"))
        failure = await fleet.failure("app/p", "m1")
        assert failure.startswith(
            "ConfigMap c ManifestApplyFailed: Failed to apply the manifest (error: "
        )
        assert 'namespaces "app" not found' in failure
        # The placement that brings the namespace may come later.
        only = {
            "group": "",
            "version": "v1",
            "kind": "Namespace",
            "name": "app",
            "selectionScope": "NamespaceOnly",
        }
        await fleet.place("space", only, policy=pick("PickAll"))
        await fleet.pass_time(60)
        assert (await fleet.said("app/p"))["Available"].startswith("True")
        assert await fleet.where(CONFIG_MAPS, "c") == ["m1", "m2"]

    told(story, TWO)
