"""Which clusters a placement has, as its policy, the fleet and the taints of clusters change."""

from __future__ import annotations

from argosy.base.errors import ServiceUnavailable
from argosy.client.resources import (
    CLUSTER_RESOURCE_BINDINGS,
    CLUSTER_SCHEDULING_POLICY_SNAPSHOTS,
    CONFIG_MAPS,
    MEMBER_CLUSTERS,
    WORKS,
)
from tests.behaviour.fleet.worlds import Fleet, Shape, pick, rolling, spoken, told
from tests.fakes.clients import Fault

FIVE = Shape(members=("m1", "m2", "m3", "m4", "m5"))
TAINT = {"key": "k", "value": "v", "effect": "NoSchedule"}


async def placed(fleet: Fleet, policy: dict[str, object]) -> None:
    await fleet.config_map("c", a="1")
    await fleet.place("p", policy=policy, strategy=rolling())


def test_a_taint_keeps_new_placements_away_and_moves_nothing() -> None:
    async def story(fleet: Fleet) -> None:
        await placed(fleet, pick("PickAll"))
        await fleet.taint("m1", TAINT)
        await fleet.pass_time(60)
        assert await fleet.where(CONFIG_MAPS, "c") == ["m1", "m2", "m3"]
        await fleet.place("q", policy=pick("PickN", 3))
        assert (await fleet.said("q"))["Scheduled"] == (
            "False SchedulingPolicyUnfulfilled: could not find all clusters needed as specified "
            "by the scheduling policy, found 2 cluster(s) instead"
        )
        clusters = await fleet.clusters("q")
        assert sorted(clusters) == ["", "m2", "m3"]
        assert spoken(clusters[""]["conditions"])["Scheduled"] == (
            "False ScheduleFailed: ClusterUnschedulable, "
            "taint &{Key:k Value:v Effect:NoSchedule} cannot be tolerated"
        )
        # Taken away, the cluster is found at once.
        await fleet.taint("m1")
        await fleet.settle()
        assert sorted(await fleet.clusters("q")) == ["m1", "m2", "m3"]
        assert (await fleet.said("q"))["Scheduled"].startswith("True SchedulingPolicyFulfilled")

    told(story)


def test_a_toleration_added_later_opens_a_tainted_cluster() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.taint("m1", TAINT)
        await placed(fleet, pick("PickAll"))
        assert await fleet.where(CONFIG_MAPS, "c") == ["m2", "m3"]
        await fleet.change("p", policy={"tolerations": [{"key": "k", "operator": "Exists"}]})
        assert await fleet.where(CONFIG_MAPS, "c") == ["m1", "m2", "m3"]

    told(story)


def test_a_pick_of_some_is_scaled_up_and_down_without_a_new_policy_snapshot() -> None:
    async def story(fleet: Fleet) -> None:
        await placed(fleet, pick("PickN", 2))
        assert await fleet.where(CONFIG_MAPS, "c") == ["m4", "m5"]
        await fleet.change("p", policy={"numberOfClusters": 4})
        assert await fleet.where(CONFIG_MAPS, "c") == ["m2", "m3", "m4", "m5"]
        assert (await fleet.said("p"))["Available"] == (
            "True ResourceAvailable: The selected resources in 4 cluster(s) are available now"
        )
        await fleet.change("p", policy={"numberOfClusters": 1})
        await fleet.pass_time(60)
        # The first names are given up first.
        assert await fleet.where(CONFIG_MAPS, "c") == ["m5"]
        assert len(await fleet.hub.list(CLUSTER_RESOURCE_BINDINGS)) == 1
        assert len(await fleet.hub.list(WORKS)) == 1
        (snapshot,) = await fleet.hub.list(CLUSTER_SCHEDULING_POLICY_SNAPSHOTS)
        assert snapshot["metadata"]["annotations"]["kubernetes-fleet.io/number-of-clusters"] == "1"
        await fleet.change("p", policy={"numberOfClusters": 0})
        await fleet.pass_time(60)
        assert await fleet.where(CONFIG_MAPS, "c") == []
        assert await fleet.hub.list(CLUSTER_RESOURCE_BINDINGS) == []
        await fleet.change("p", policy={"numberOfClusters": 5})
        assert len(await fleet.where(CONFIG_MAPS, "c")) == 5

    told(story, FIVE)


def test_a_pick_of_more_than_there_are_is_completed_by_whoever_joins() -> None:
    async def story(fleet: Fleet) -> None:
        await placed(fleet, pick("PickN", 4))
        assert (await fleet.said("p"))["Scheduled"].startswith("False SchedulingPolicyUnfulfilled")
        assert await fleet.where(CONFIG_MAPS, "c") == ["m1", "m2", "m3"]
        await fleet.join("m4")
        await fleet.pass_time(60)
        assert (await fleet.said("p"))["Scheduled"].startswith("True")
        assert (await fleet.said("p"))["Available"].startswith("True")
        assert await fleet.where(CONFIG_MAPS, "c") == ["m1", "m2", "m3", "m4"]
        # Satisfied, it does not care who else comes.
        await fleet.join("m5")
        assert await fleet.where(CONFIG_MAPS, "c") == ["m1", "m2", "m3", "m4"]

    told(story)


def test_a_policy_that_asks_for_others_moves_the_placement() -> None:
    async def story(fleet: Fleet) -> None:
        for name, region in zip(
            fleet.members, ("east", "east", "west", "west", "west"), strict=True
        ):
            await fleet.hub.patch(
                MEMBER_CLUSTERS, name, {"metadata": {"labels": {"region": region}}}
            )

        def only(region: str) -> dict[str, object]:
            term = {"labelSelector": {"matchLabels": {"region": region}}}
            required = {"clusterSelectorTerms": [term]}
            return {"clusterAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}

        await placed(fleet, pick("PickN", 2, affinity=only("east")))
        assert await fleet.where(CONFIG_MAPS, "c") == ["m1", "m2"]
        await fleet.change("p", policy={"affinity": only("west")})
        await fleet.pass_time(60)
        assert await fleet.where(CONFIG_MAPS, "c") == ["m4", "m5"]
        assert sorted(await fleet.clusters("p")) == ["m4", "m5"]
        assert (await fleet.said("p"))["Available"].startswith("True")
        assert len(await fleet.hub.list(CLUSTER_SCHEDULING_POLICY_SNAPSHOTS)) == 2
        # A label that changes moves nothing.
        await fleet.hub.patch(MEMBER_CLUSTERS, "m5", {"metadata": {"labels": {"region": "east"}}})
        await fleet.pass_time(60)
        assert await fleet.where(CONFIG_MAPS, "c") == ["m4", "m5"]

    told(story, FIVE)


def test_clusters_named_are_taken_in_spite_of_taints_and_given_up_when_not_named_any_more() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.taint("m1", TAINT)
        policy = {"placementType": "PickFixed", "clusterNames": ["m1", "m2", "nobody"]}
        await placed(fleet, policy)
        assert await fleet.where(CONFIG_MAPS, "c") == ["m1", "m2"]
        unnamed = (await fleet.clusters("p"))[""]
        assert spoken(unnamed["conditions"])["Scheduled"] == (
            'False ScheduleFailed: Specified cluster "nobody" is not found'
        )
        await fleet.change("p", policy={"clusterNames": ["m3"]})
        await fleet.pass_time(60)
        assert await fleet.where(CONFIG_MAPS, "c") == ["m3"]
        assert (await fleet.said("p"))["Available"].startswith("True")

    told(story)


def test_a_cluster_gets_one_binding_even_if_nobody_heard_that_it_was_made() -> None:
    async def story(fleet: Fleet) -> None:
        line = fleet.hub.line
        lost: list[str] = []

        def fate(verb: str) -> Fault:
            if line.client.calls[-1] != ("create", "clusterresourcebindings") or len(lost) > 1:
                return Fault()
            lost.append(verb)
            # The watch is gone, too, for a while.
            line.client.cut(ServiceUnavailable("the watch"))
            return Fault(ServiceUnavailable("no answer"), lost=True)

        line.fate = fate
        await placed(fleet, pick("PickN", 2))
        assert len(lost) == 2
        await fleet.pass_time(60)
        found = await fleet.bindings("p")
        assert sorted(each["spec"]["targetCluster"] for each in found) == ["m2", "m3"]
        assert await fleet.where(CONFIG_MAPS, "c") == ["m2", "m3"]
        assert (await fleet.said("p"))["Available"].startswith("True")

    told(story)
