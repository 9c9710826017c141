"""What users change, on its way through snapshots, bindings and Works to every member."""

from __future__ import annotations

from argosy.base.types import Object
from argosy.client.resources import (
    CLUSTER_RESOURCE_OVERRIDES,
    CLUSTER_RESOURCE_SNAPSHOTS,
    CONFIG_MAPS,
    NAMESPACES,
    PERSISTENT_VOLUME_CLAIMS,
    RESOURCE_ENVELOPES,
    RESOURCE_OVERRIDES,
    SECRETS,
    WORKS,
)
from tests.behaviour.fleet.voyages import is_ready
from tests.behaviour.fleet.worlds import Fleet, Shape, config_map, pick, rolling, told
from tests.fakes.clients import Fault

SIX = Shape(members=("m1", "m2", "m3", "m4", "m5", "m6"))
ONE = Shape(members=("m1",))
SLOW = Shape(members=("m1",), has_delays=True)


def test_a_change_is_gathered_for_a_quarter_of_a_minute() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.config_map("c", a="1")
        await fleet.place("p", strategy=rolling())
        await fleet.pass_time(60)
        await fleet.edit("c", a="2")
        await fleet.pass_time(13)
        assert await fleet.members["m1"].data("c") == {"a": "1"}
        await fleet.edit("c", a="3")
        await fleet.pass_time(4)
        assert await fleet.members["m1"].data("c") == {"a": "3"}
        # The next one keeps its distance from the last: half a minute.
        await fleet.edit("c", a="4")
        await fleet.pass_time(20)
        assert await fleet.members["m1"].data("c") == {"a": "3"}
        assert (await fleet.placement("p"))["status"]["observedResourceIndex"] == "1"
        await fleet.pass_time(11)
        assert await fleet.members["m1"].data("c") == {"a": "4"}
        assert (await fleet.placement("p"))["status"]["observedResourceIndex"] == "2"
        assert len(await fleet.hub.list(CLUSTER_RESOURCE_SNAPSHOTS)) == 3

    told(story, SLOW)


def test_a_change_that_is_taken_back_in_time_never_leaves_the_hub() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.config_map("c", a="1")
        await fleet.place("p", strategy=rolling())
        await fleet.pass_time(60)
        await fleet.edit("c", a="2")
        await fleet.pass_time(5)
        await fleet.edit("c", a="1")
        await fleet.pass_time(120)
        assert len(await fleet.hub.list(CLUSTER_RESOURCE_SNAPSHOTS)) == 1
        assert (await fleet.placement("p"))["status"]["observedResourceIndex"] == "0"

    told(story, SLOW)


async def unready(fleet: Fleet) -> int:
    """How many bindings of `p` are not available as they stand."""
    return sum(not is_ready(binding) for binding in await fleet.bindings("p"))


def test_a_rolling_update_never_has_more_than_one_of_six_members_unready() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.config_map("c", a="1")
        await fleet.place("p", strategy=rolling(1))
        assert (await fleet.said("p"))["Available"].startswith("True")
        fleet.hub.line.fate = lambda verb: Fault(before=0.02, after=0.02)
        worst, done = 0, 0
        await fleet.edit("c", a="2")
        for _ in range(200):
            await fleet.pass_time(0.02)
            worst = max(worst, await unready(fleet))
            having = [await member.data("c") for member in fleet.members.values()]
            assert having.count({"a": "2"}) >= done, "somebody has gone back"
            done = having.count({"a": "2"})
        assert (done, worst) == (6, 1)
        assert (await fleet.said("p"))["Available"].startswith("True")

    told(story, SIX)


def test_what_cannot_be_tracked_is_waited_for_before_the_next_member_is_updated() -> None:
    async def story(fleet: Fleet) -> None:
        claim = {
            "metadata": {"name": "claim"},
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "resources": {"requests": {"storage": "1Gi"}},
            },
        }
        await fleet.hub.create(PERSISTENT_VOLUME_CLAIMS, claim, "app")
        await fleet.config_map("c", a="1")
        await fleet.place("p", strategy=rolling(1, seconds=60))
        await fleet.pass_time(600)
        assert (await fleet.said("p"))["Available"].startswith("True")
        await fleet.edit("c", a="2")
        for number in range(1, 7):
            await fleet.pass_time(20)
            having = [await member.data("c") for member in fleet.members.values()]
            assert having.count({"a": "2"}) == number
            if number < 6:
                assert (await fleet.said("p"))["RolloutStarted"] == (
                    "False RolloutNotStartedYet: "
                    f"The rollout is being blocked by the rollout strategy in {6 - number} cluster(s)"
                )
            await fleet.pass_time(41)
        assert (await fleet.said("p"))["Available"].startswith("True")

    told(story, SIX)


def test_a_hub_killed_in_the_middle_of_a_rollout_goes_on_and_keeps_to_the_budget() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.config_map("c", a="1")
        await fleet.place("p", strategy=rolling(1))
        worst = 0
        fleet.hub.line.fate = lambda verb: Fault(before=0.02, after=0.02)
        await fleet.edit("c", a="2")
        for step in range(200):
            await fleet.pass_time(0.03)
            worst = max(worst, await unready(fleet))
            if step % 17 == 16:
                await fleet.hub.kill()
                await fleet.pass_time(0.1)
                await fleet.hub.start()
        await fleet.pass_time(60)
        assert worst == 1
        assert [await member.data("c") for member in fleet.members.values()] == [{"a": "2"}] * 6
        assert (await fleet.said("p"))["Available"].startswith("True")
        assert len(await fleet.hub.list(CLUSTER_RESOURCE_SNAPSHOTS)) == 2

    told(story, SIX)


def test_a_namespace_goes_with_all_that_is_in_it_and_follows_what_comes_and_goes() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.config_map("c")
        await fleet.hub.create(
            SECRETS, {"metadata": {"name": "s"}, "stringData": {"k": "v"}}, "app"
        )
        await fleet.place("p", strategy=rolling())
        assert await fleet.selected("p") == ["Namespace/app", "Secret/s", "ConfigMap/c"]
        m1 = fleet.members["m1"]
        assert await m1.get(SECRETS, "s", "app") is not None
        await fleet.hub.delete(SECRETS, "s")
        await fleet.config_map("d")
        await fleet.settle()
        assert await fleet.selected("p") == ["Namespace/app", "ConfigMap/c", "ConfigMap/d"]
        assert await m1.get(SECRETS, "s", "app") is None
        assert await m1.data("d") is not None
        # Only the namespace is left, if that is wanted, then nothing.
        only = {
            "group": "",
            "version": "v1",
            "kind": "Namespace",
            "name": "app",
            "selectionScope": "NamespaceOnly",
        }
        await fleet.change("p", resourceSelectors=[only])
        assert await m1.data("c") is None
        assert await m1.get(NAMESPACES, "app") is not None
        await fleet.remove("p")
        await fleet.pass_time(10)
        assert await m1.get(NAMESPACES, "app") is None
        assert await fleet.hub.list(WORKS) == []

    told(story, ONE)


def test_a_namespace_deleted_on_the_hub_goes_from_the_members() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.config_map("c")
        await fleet.place("p", strategy=rolling())
        await fleet.hub.delete(NAMESPACES, "app")
        await fleet.pass_time(60)
        assert await fleet.hub.get(NAMESPACES, "app") is None
        assert await fleet.members["m1"].get(NAMESPACES, "app") is None
        assert await fleet.selected("p") == []
        await fleet.hub.create(NAMESPACES, {"metadata": {"name": "app"}})
        await fleet.config_map("c", a="again")
        await fleet.pass_time(60)
        assert await fleet.members["m1"].data("c") == {"a": "again"}
        assert (await fleet.said("p"))["Available"].startswith("True")

    told(story, ONE)


def override(value: str, *, namespaced: bool = False, placement: str = "p") -> Object:
    term = {"labelSelector": {"matchLabels": {"kubernetes-fleet.io/member-name": "m1"}}}
    rule = {
        "clusterSelector": {"clusterSelectorTerms": [term]},
        "jsonPatchOverrides": [
            {"op": "add", "path": "/metadata/labels", "value": {"who": value}},
        ],
    }
    selector = (
        {"group": "", "version": "v1", "kind": "ConfigMap", "name": "c"}
        if namespaced
        else {"group": "", "version": "v1", "kind": "Namespace", "name": "app"}
    )
    spec: Object = {
        "placement": {"name": placement, "scope": "Cluster"},
        "policy": {"overrideRules": [rule]},
    }
    spec["resourceSelectors" if namespaced else "clusterResourceSelectors"] = [selector]
    return {"metadata": {"name": "o"}, "spec": spec}


async def who(fleet: Fleet, member: str) -> object:
    found = await fleet.members[member].there(CONFIG_MAPS, "c")
    return found["metadata"].get("labels", {}).get("who")


def test_an_override_added_changed_and_removed_later_reaches_its_cluster_only() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.config_map("c", a="1")
        await fleet.place("p", policy=pick("PickAll"), strategy=rolling())
        assert (await fleet.said("p"))["Overridden"].startswith("True NoOverrideSpecified")
        await fleet.hub.create(
            RESOURCE_OVERRIDES, override("${MEMBER-CLUSTER-NAME}", namespaced=True), "app"
        )
        await fleet.settle()
        assert [await who(fleet, each) for each in fleet.members] == ["m1", None, None]
        assert (await fleet.said("p"))["Overridden"] == (
            "True OverriddenSucceeded: "
            "The selected resources are successfully overridden in 3 cluster(s)"
        )
        clusters = await fleet.clusters("p")
        assert clusters["m1"]["applicableResourceOverrides"] == [
            {"name": "o-0", "namespace": "app"}
        ]
        assert "applicableResourceOverrides" not in clusters["m2"]
        spec = {"spec": {"policy": override("second", namespaced=True)["spec"]["policy"]}}
        await fleet.hub.patch(RESOURCE_OVERRIDES, "o", spec)
        await fleet.settle()
        assert await who(fleet, "m1") == "second"
        await fleet.hub.delete(RESOURCE_OVERRIDES, "o")
        await fleet.settle()
        assert [await who(fleet, each) for each in fleet.members] == [None, None, None]
        assert (await fleet.said("p"))["Overridden"].startswith("True NoOverrideSpecified")
        assert (await fleet.said("p"))["Available"].startswith("True")

    told(story)


def test_an_override_that_cannot_be_applied_is_told_and_mended() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.config_map("c", a="1")
        await fleet.place("p", policy=pick("PickAll"), strategy=rolling())
        wrong = override("${MEMBER-CLUSTER-LABEL-KEY-region}")
        await fleet.hub.create(CLUSTER_RESOURCE_OVERRIDES, wrong)
        await fleet.settle()
        assert (await fleet.said("p"))["Overridden"] == (
            "False OverriddenFailed: Failed to override resources in 1 cluster(s)"
        )
        said = (await fleet.said_of("p", "m1"))["Overridden"]
        assert said.startswith(
            "False OverriddenFailed: Failed to apply the override rules on the resources: "
        )
        assert "label key region not found on cluster m1" in said
        # What the member has stays until it is mended.
        assert await fleet.members["m1"].data("c") == {"a": "1"}
        spec = {"spec": {"policy": override("right")["spec"]["policy"]}}
        await fleet.hub.patch(CLUSTER_RESOURCE_OVERRIDES, "o", spec)
        await fleet.settle()
        assert (await fleet.said("p"))["Available"].startswith("True")
        assert [await who(fleet, each) for each in fleet.members] == ["right", None, None]

    told(story)


def test_what_an_envelope_holds_is_unpacked_on_the_members_only() -> None:
    async def story(fleet: Fleet) -> None:
        envelope = {
            "apiVersion": "placement.kubernetes-fleet.io/v1beta1",
            "kind": "ResourceEnvelope",
            "metadata": {"name": "e"},
            "data": {"one.yaml": config_map("inner", a="1")},
        }
        await fleet.hub.create(RESOURCE_ENVELOPES, envelope, "app")
        await fleet.place("p", strategy=rolling())
        m1 = fleet.members["m1"]
        # Waves are of one Work: the envelope's may come before the namespace, and is tried again.
        await fleet.pass_time(5)
        assert await m1.data("inner") == {"a": "1"}
        assert await fleet.hub.get(CONFIG_MAPS, "inner", "app") is None
        works = sorted(each["metadata"]["name"] for each in await fleet.hub.list(WORKS))
        assert len(works) == 2
        assert works[1].startswith("p-work-envelope-")
        await fleet.hub.patch(
            RESOURCE_ENVELOPES, "e", {"data": {"one.yaml": config_map("inner", a="2")}}
        )
        await fleet.settle()
        assert await m1.data("inner") == {"a": "2"}
        stranger = {"data": {"one.yaml": config_map("inner", "elsewhere")}}
        await fleet.hub.patch(RESOURCE_ENVELOPES, "e", stranger)
        await fleet.settle()
        assert (await fleet.said("p"))["WorkSynchronized"].startswith(
            "False WorkNotSynchronizedYet"
        )
        await fleet.hub.delete(RESOURCE_ENVELOPES, "e")
        await fleet.settle()
        assert await m1.data("inner") is None
        assert (await fleet.said("p"))["Available"].startswith("True")
        assert [each["metadata"]["name"] for each in await fleet.hub.list(WORKS)] == ["p-work"]

    told(story, ONE)


def test_a_drift_is_told_where_it_forbids_and_overwritten_where_it_does_not() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.config_map("c", a="1")
        await fleet.place("p", strategy=rolling(whenToApply="IfNotDrifted"))
        m1 = fleet.members["m1"]
        await m1.patch(CONFIG_MAPS, "c", {"data": {"a": "mine"}})
        # A Work at rest is looked at every quarter of an hour.
        await fleet.pass_time(1000)
        assert (await fleet.said("p"))["Applied"].startswith("False ApplyFailed")
        (drifted,) = (await fleet.clusters("p"))["m1"]["driftedPlacements"]
        assert drifted["observedDrifts"] == [
            {"path": "/data/a", "valueInMember": "mine", "valueInHub": "1"}
        ]
        assert await m1.data("c") == {"a": "mine"}
        await fleet.change("p", strategy=rolling(whenToApply="Always"))
        assert await m1.data("c") == {"a": "1"}
        assert (await fleet.said("p"))["Available"].startswith("True")
        assert "driftedPlacements" not in (await fleet.clusters("p"))["m1"]

    told(story, ONE)
