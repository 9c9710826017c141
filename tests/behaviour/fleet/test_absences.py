"""Hubs and members that cannot reach each other, come back, leave, or are tampered with: nothing is lost, nothing is
applied twice.
"""

from __future__ import annotations

import pytest

from argosy.api.objects.fleet import names
from argosy.base.errors import AlreadyExists
from argosy.client.resources import (
    APPLIED_WORKS,
    CLUSTER_RESOURCE_BINDINGS,
    CLUSTER_RESOURCE_PLACEMENTS,
    CONFIG_MAPS,
    INTERNAL_MEMBER_CLUSTERS,
    MEMBER_CLUSTERS,
    NAMESPACES,
    WORKS,
)
from tests.behaviour.fleet.worlds import SELECTS_SPACE, Fleet, Shape, pick, rolling, spoken, told
from tests.fakes.clients import Fault

HOUR = 3600.0
TWO = Shape(members=("m1", "m2"))


async def placed(fleet: Fleet) -> None:
    await fleet.config_map("c", a="1")
    await fleet.place("p", policy=pick("PickAll"), strategy=rolling())
    assert (await fleet.said("p"))["Available"].startswith("True")


async def uid(fleet: Fleet, member: str, name: str = "c") -> str:
    found = await fleet.members[member].there(CONFIG_MAPS, name)
    return str(found["metadata"]["uid"])


def test_a_member_that_cannot_reach_the_hub_for_an_hour_keeps_what_it_has_and_catches_up() -> None:
    async def story(fleet: Fleet) -> None:
        await placed(fleet)
        m1 = fleet.members["m1"]
        before = await uid(fleet, "m1")
        m1.to_hub.down()
        await fleet.pass_time(HOUR / 2)
        await fleet.edit("c", a="2")
        await fleet.config_map("d")
        # What somebody breaks on the member is mended meanwhile, as far as its agent knows.
        await m1.delete(CONFIG_MAPS, "c")
        await fleet.pass_time(HOUR / 2)
        assert await m1.data("c") == {"a": "1"}
        assert await fleet.members["m2"].data("c") == {"a": "2"}
        said = await fleet.said("p")
        assert said["Applied"] == (
            "False ApplyFailed: Failed to apply resources to 1 cluster(s), "
            "please check the `failedPlacements` status"
        )
        assert (await fleet.said_of("p", "m1"))["Applied"] == (
            "False NotAllWorkHaveBeenApplied: Work object p-work has not yet completed the apply op"
        )
        m1.to_hub.up()
        await fleet.pass_time(90)
        assert await m1.data("c") == {"a": "2"}
        assert await m1.data("d") is not None
        assert (await fleet.said("p"))["Available"].startswith("True")
        cluster = await fleet.hub.there(MEMBER_CLUSTERS, "m1")
        assert spoken(cluster["status"]["conditions"])["Joined"].startswith("True")
        assert before != await uid(fleet, "m1")

    told(story, TWO)


def test_a_silent_member_is_not_picked_until_it_is_back() -> None:
    async def story(fleet: Fleet) -> None:
        fleet.members["m1"].to_hub.down()
        await fleet.pass_time(HOUR)
        await placed(fleet)
        assert list(await fleet.clusters("p")) == ["m2"]
        await fleet.place("fixed", policy={"placementType": "PickFixed", "clusterNames": ["m1"]})
        (only,) = (await fleet.placement("fixed"))["status"]["placementStatuses"]
        assert "clusterName" not in only
        assert spoken(only["conditions"])["Scheduled"].startswith(
            'False ScheduleFailed: Cluster "m1" is not eligible for resource placement yet: '
            "cluster is not connected to the fleet: no recent heartbeat signals (last received "
        )
        await fleet.remove("fixed")
        fleet.members["m1"].to_hub.up()
        await fleet.pass_time(90)
        assert sorted(await fleet.clusters("p")) == ["m1", "m2"]
        assert await fleet.where(CONFIG_MAPS, "c") == ["m1", "m2"]

    told(story, TWO)


def test_a_hub_that_cannot_reach_its_own_store_for_an_hour_goes_on_afterwards() -> None:
    async def story(fleet: Fleet) -> None:
        await placed(fleet)
        fleet.hub.line.down()
        await fleet.edit("c", a="2")
        await fleet.pass_time(HOUR)
        assert await fleet.members["m1"].data("c") == {"a": "1"}
        fleet.hub.line.up()
        await fleet.pass_time(120)
        for member in fleet.members.values():
            assert await member.data("c") == {"a": "2"}
        assert (await fleet.said("p"))["Available"].startswith("True")

    told(story, TWO)


def test_a_placement_deleted_while_a_member_is_away_is_cleaned_up_when_it_is_back() -> None:
    async def story(fleet: Fleet) -> None:
        await placed(fleet)
        m1 = fleet.members["m1"]
        m1.to_hub.down()
        await fleet.remove("p")
        await fleet.pass_time(HOUR)
        # The placement is gone, its binding waits for the member.
        assert await fleet.hub.get(CLUSTER_RESOURCE_PLACEMENTS, "p") is None
        (binding,) = await fleet.hub.list(CLUSTER_RESOURCE_BINDINGS)
        assert binding["spec"]["targetCluster"] == "m1"
        assert binding["metadata"]["finalizers"] == [names.WORK_CLEANUP]
        assert await fleet.where(CONFIG_MAPS, "c") == ["m1"]
        m1.to_hub.up()
        await fleet.pass_time(120)
        assert await fleet.where(CONFIG_MAPS, "c") == []
        assert await m1.get(NAMESPACES, "app") is None
        assert await m1.list(APPLIED_WORKS) == []
        assert await fleet.hub.list(WORKS) == []
        assert await fleet.hub.list(CLUSTER_RESOURCE_BINDINGS) == []

    told(story, TWO)


def test_a_placement_made_anew_while_a_member_is_away_gets_there_in_the_end() -> None:
    async def story(fleet: Fleet) -> None:
        await placed(fleet)
        m1 = fleet.members["m1"]
        m1.to_hub.down()
        await fleet.remove("p")
        await fleet.pass_time(600)
        await fleet.edit("c", a="2")
        await fleet.place("p", policy=pick("PickAll"), strategy=rolling())
        await fleet.pass_time(600)
        assert await fleet.members["m2"].data("c") == {"a": "2"}
        m1.to_hub.up()
        await fleet.pass_time(180)
        assert await m1.data("c") == {"a": "2"}
        assert (await fleet.said("p"))["Available"].startswith("True")
        assert len(await fleet.hub.list(CLUSTER_RESOURCE_BINDINGS)) == 2

    told(story, TWO)


def test_a_member_that_leaves_keeps_its_objects_and_is_forgotten() -> None:
    async def story(fleet: Fleet) -> None:
        await placed(fleet)
        await fleet.hub.delete(MEMBER_CLUSTERS, "m1")
        await fleet.pass_time(60)
        assert await fleet.hub.get(MEMBER_CLUSTERS, "m1") is None
        assert await fleet.hub.get(NAMESPACES, "fleet-member-m1") is None
        assert list(await fleet.clusters("p")) == ["m2"]
        assert (await fleet.said("p"))["Scheduled"] == (
            "True SchedulingPolicyFulfilled: "
            "found all cluster needed as specified by the scheduling policy, found 1 cluster(s)"
        )
        assert len(await fleet.hub.list(CLUSTER_RESOURCE_BINDINGS)) == 1
        assert await fleet.where(CONFIG_MAPS, "c") == ["m1", "m2"]

    told(story, TWO)


def test_a_member_that_leaves_and_joins_again_takes_its_objects_up_as_they_are() -> None:
    async def story(fleet: Fleet) -> None:
        await placed(fleet)
        before = await uid(fleet, "m1")
        await fleet.hub.delete(MEMBER_CLUSTERS, "m1")
        await fleet.pass_time(60)
        await fleet.edit("c", a="2")
        await fleet.pass_time(60)
        assert await fleet.members["m1"].data("c") == {"a": "1"}
        await fleet.invite("m1")
        await fleet.pass_time(120)
        assert sorted(await fleet.clusters("p")) == ["m1", "m2"]
        assert await fleet.members["m1"].data("c") == {"a": "2"}
        assert await uid(fleet, "m1") == before
        assert (await fleet.said("p"))["Available"].startswith("True")

    told(story, TWO)


def test_a_pick_of_one_moves_to_another_member_when_its_own_leaves() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.config_map("c")
        await fleet.place("p", policy=pick("PickN", 1), strategy=rolling())
        # Equals go to the last name.
        assert list(await fleet.clusters("p")) == ["m2"]
        await fleet.hub.delete(MEMBER_CLUSTERS, "m2")
        await fleet.pass_time(60)
        assert list(await fleet.clusters("p")) == ["m1"]
        assert (await fleet.said("p"))["Available"].startswith("True")
        assert "m1" in await fleet.where(CONFIG_MAPS, "c")
        assert len(await fleet.hub.list(CLUSTER_RESOURCE_BINDINGS)) == 1

    told(story, TWO)


def test_a_member_cannot_join_twice_and_a_second_agent_changes_nothing() -> None:
    async def story(fleet: Fleet) -> None:
        await placed(fleet)
        with pytest.raises(AlreadyExists):
            await fleet.invite("m1")
        before = await uid(fleet, "m1")
        m1 = fleet.members["m1"]
        first = m1._running
        # The same agent once more, as a Deployment of two would have it.
        await m1.start()
        await fleet.pass_time(600)
        m1.to_self.writes()
        await fleet.edit("c", a="2")
        await fleet.pass_time(600)
        assert await m1.data("c") == {"a": "2"}
        assert await uid(fleet, "m1") == before
        assert m1.to_self.writes()["create configmaps"] == 0
        assert len(await fleet.hub.list(INTERNAL_MEMBER_CLUSTERS)) == 2
        assert (await fleet.said("p"))["Available"].startswith("True")
        await m1.kill()
        m1._running = first

    told(story, TWO)


def test_a_work_edited_by_hand_is_applied_as_it_says_until_its_placement_changes() -> None:
    async def story(fleet: Fleet) -> None:
        await placed(fleet)
        m1 = fleet.members["m1"]
        work = await m1.work("p-work")
        manifests = work["spec"]["workload"]["manifests"]
        for each in manifests:
            if each["kind"] == "ConfigMap":
                each["data"] = {"a": "by hand"}
        spec = {"spec": {"workload": {"manifests": manifests}}}
        await fleet.hub.patch(WORKS, "p-work", spec, "fleet-member-m1")
        await fleet.settle()
        assert await m1.data("c") == {"a": "by hand"}
        await fleet.edit("c", a="2")
        await fleet.settle()
        assert await m1.data("c") == {"a": "2"}
        assert (await fleet.said("p"))["Available"].startswith("True")

    told(story, TWO)


def test_a_work_whose_labels_are_taken_away_is_put_right() -> None:
    async def story(fleet: Fleet) -> None:
        await placed(fleet)
        before = (await fleet.members["m1"].work("p-work"))["metadata"]
        labels = {"metadata": {"labels": dict.fromkeys(before["labels"])}}
        await fleet.hub.patch(WORKS, "p-work", labels, "fleet-member-m1")
        await fleet.pass_time(60)
        after = (await fleet.members["m1"].work("p-work"))["metadata"]
        assert after["labels"] == before["labels"]
        assert (await fleet.said("p"))["Available"].startswith("True")
        await fleet.remove("p")
        assert await fleet.hub.list(WORKS) == []
        assert await fleet.where(CONFIG_MAPS, "c") == []

    told(story, TWO)


def test_a_work_deleted_by_hand_is_made_again() -> None:
    async def story(fleet: Fleet) -> None:
        await placed(fleet)
        before = (await fleet.members["m1"].work("p-work"))["metadata"]["uid"]
        await fleet.hub.delete(WORKS, "p-work", "fleet-member-m1")
        await fleet.pass_time(60)
        assert (await fleet.members["m1"].work("p-work"))["metadata"]["uid"] != before
        assert await fleet.members["m1"].data("c") == {"a": "1"}
        assert (await fleet.said("p"))["Available"].startswith("True")

    told(story, TWO)


def test_a_binding_deleted_by_hand_is_made_again() -> None:
    async def story(fleet: Fleet) -> None:
        await placed(fleet)
        (binding,) = [
            each for each in await fleet.bindings("p") if each["spec"]["targetCluster"] == "m1"
        ]
        await fleet.hub.delete(CLUSTER_RESOURCE_BINDINGS, binding["metadata"]["name"])
        await fleet.pass_time(120)
        assert sorted(each["spec"]["targetCluster"] for each in await fleet.bindings("p")) == [
            "m1",
            "m2",
        ]
        assert await fleet.members["m1"].data("c") == {"a": "1"}
        assert (await fleet.said("p"))["Available"].startswith("True")

    told(story, TWO)


def test_an_applied_work_deleted_on_a_member_comes_back_with_its_objects() -> None:
    async def story(fleet: Fleet) -> None:
        await placed(fleet)
        m1 = fleet.members["m1"]
        await m1.delete(APPLIED_WORKS, "p-work")
        await fleet.pass_time(60)
        assert await m1.data("c") == {"a": "1"}
        assert (await fleet.said("p"))["Available"].startswith("True")

    told(story, TWO)


def test_an_object_that_could_not_be_seen_last_time_goes_all_the_same_when_it_is_not_wanted() -> (
    None
):
    async def story(fleet: Fleet) -> None:
        await placed(fleet)
        await fleet.config_map("d")
        await fleet.settle()
        m1 = fleet.members["m1"]
        m1.to_self.down()
        await fleet.pass_time(HOUR)
        assert (await fleet.said_of("p", "m1"))["Applied"].startswith("False")
        await fleet.hub.delete(CONFIG_MAPS, "d")
        await fleet.pass_time(60)
        m1.to_self.up()
        await fleet.pass_time(120)
        assert await fleet.where(CONFIG_MAPS, "d") == []
        assert (await fleet.said("p"))["Available"].startswith("True")

    told(story, TWO)


def test_a_placement_deleted_while_its_member_begins_leaves_nothing_behind() -> None:
    async def story(fleet: Fleet) -> None:
        m1 = fleet.members["m1"]
        await fleet.config_map("c")
        # Every step of the agent takes a moment, and the end comes in each of them.
        for line in (m1.to_hub, m1.to_self):
            line.fate = lambda verb: Fault(before=0.05, after=0.05) if verb != "watch" else Fault()
        for tenths in range(12):
            body = {"metadata": {"name": "p"}, "spec": {"resourceSelectors": [SELECTS_SPACE]}}
            await fleet.hub.create(CLUSTER_RESOURCE_PLACEMENTS, body)
            await fleet.pass_time(tenths / 10)
            await fleet.hub.delete(CLUSTER_RESOURCE_PLACEMENTS, "p")
            await fleet.pass_time(60)
            assert await fleet.hub.list(WORKS) == []
            assert await m1.list(APPLIED_WORKS) == [], f"after {tenths / 10} s"
            assert await m1.get(NAMESPACES, "app") is None

    told(story, TWO)
