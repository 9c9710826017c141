"""Rollouts that somebody else leads, stage by stage, and evictions under a budget, from the hub to the members."""

from __future__ import annotations

from argosy.base.timestamps import format_time
from argosy.base.types import Object
from argosy.client.resources import (
    CLUSTER_APPROVAL_REQUESTS,
    CLUSTER_RESOURCE_PLACEMENT_DISRUPTION_BUDGETS,
    CLUSTER_RESOURCE_PLACEMENT_EVICTIONS,
    CLUSTER_STAGED_UPDATE_RUNS,
    CLUSTER_STAGED_UPDATE_STRATEGIES,
    CONFIG_MAPS,
    MEMBER_CLUSTERS,
)
from tests.behaviour.fleet.worlds import Fleet, pick, rolling, spoken, told

STAGES: list[Object] = [
    {
        "name": "canary",
        "labelSelector": {"matchLabels": {"env": "canary"}},
        "afterStageTasks": [{"type": "Approval"}, {"type": "TimedWait", "waitTime": "30s"}],
    },
    {"name": "prod", "labelSelector": {"matchLabels": {"env": "prod"}}, "maxConcurrency": 1},
]


async def prepared(fleet: Fleet) -> None:
    for name in fleet.members:
        env = "canary" if name == "m1" else "prod"
        await fleet.hub.patch(MEMBER_CLUSTERS, name, {"metadata": {"labels": {"env": env}}})
    await fleet.config_map("c", a="1")
    await fleet.place("p", policy=pick("PickAll"), strategy={"type": "External"})
    await fleet.hub.create(
        CLUSTER_STAGED_UPDATE_STRATEGIES, {"metadata": {"name": "s"}, "spec": {"stages": STAGES}}
    )


async def run(fleet: Fleet, name: str, **spec: str) -> None:
    body: Object = {
        "metadata": {"name": name},
        "spec": {
            "placementName": "p",
            "stagedRolloutStrategyName": "s",
            "state": "Run",
            **spec,
        },
    }
    await fleet.hub.create(CLUSTER_STAGED_UPDATE_RUNS, body)
    await fleet.pass_time(30)


async def approve(fleet: Fleet, name: str) -> None:
    found = await fleet.hub.there(CLUSTER_APPROVAL_REQUESTS, name)
    approved = {
        "type": "Approved",
        "status": "True",
        "reason": "ClusterApprovalRequestApproved",
        "message": "approved",
        "observedGeneration": found["metadata"]["generation"],
        "lastTransitionTime": format_time(fleet.clock.now()),
    }
    await fleet.hub.client.patch(
        CLUSTER_APPROVAL_REQUESTS,
        name,
        {"status": {"conditions": [approved]}},
        subresource="status",
    )


async def said(fleet: Fleet, name: str) -> dict[str, str]:
    found = await fleet.hub.there(CLUSTER_STAGED_UPDATE_RUNS, name)
    return spoken(found["status"]["conditions"])


async def having(fleet: Fleet) -> list[object]:
    return [await member.data("c") for member in fleet.members.values()]


def test_a_staged_run_brings_a_change_to_the_canary_then_to_the_others_and_back() -> None:
    async def story(fleet: Fleet) -> None:
        await prepared(fleet)
        assert (await fleet.said("p"))["RolloutStarted"].startswith(
            "Unknown RolloutControlledByExternalController: Rollout is controlled by an external "
            "controller and no resource snapshot name is observed across clusters."
        )
        assert await having(fleet) == [None, None, None]

        await run(fleet, "first")
        assert await having(fleet) == [{"a": "1"}, None, None]
        assert (await said(fleet, "first"))["Progressing"] == (
            "False UpdateRunWaiting: "
            "The updateRun is waiting for after-stage tasks in stage canary to complete"
        )
        await approve(fleet, "first-after-canary")
        await fleet.pass_time(120)
        assert await having(fleet) == [{"a": "1"}] * 3
        assert (await said(fleet, "first"))["Succeeded"] == (
            "True UpdateRunSucceeded: All stages are completed successfully"
        )
        assert (await fleet.said("p"))["Available"].startswith("True ResourceAvailable")

        # A change waits for somebody to run it.
        await fleet.edit("c", a="2")
        await fleet.pass_time(120)
        assert await having(fleet) == [{"a": "1"}] * 3
        await run(fleet, "second")
        assert await having(fleet) == [{"a": "2"}, {"a": "1"}, {"a": "1"}]
        assert (await fleet.said("p"))["RolloutStarted"] == (
            "Unknown RolloutControlledByExternalController: Rollout is controlled by an external "
            "controller and different resource snapshot versions are observed across clusters"
        )
        await approve(fleet, "second-after-canary")
        await fleet.pass_time(120)
        assert await having(fleet) == [{"a": "2"}] * 3

        # Back to what was.
        await run(fleet, "third", resourceSnapshotIndex="0")
        await approve(fleet, "third-after-canary")
        await fleet.pass_time(120)
        assert await having(fleet) == [{"a": "1"}] * 3
        assert (await fleet.placement("p"))["status"]["observedResourceIndex"] == "0"
        assert (await fleet.said("p"))["Available"].startswith("True ResourceAvailable")

    told(story)


def test_a_run_survives_the_end_of_its_hub() -> None:
    async def story(fleet: Fleet) -> None:
        await prepared(fleet)
        await run(fleet, "first")
        await fleet.hub.kill()
        await approve(fleet, "first-after-canary")
        await fleet.pass_time(600)
        assert await having(fleet) == [{"a": "1"}, None, None]
        await fleet.hub.start()
        await fleet.pass_time(120)
        assert await having(fleet) == [{"a": "1"}] * 3
        assert (await said(fleet, "first"))["Succeeded"].startswith("True UpdateRunSucceeded")

    told(story)


def test_a_run_whose_member_is_away_is_stuck_until_it_is_back() -> None:
    async def story(fleet: Fleet) -> None:
        await prepared(fleet)
        fleet.members["m1"].to_hub.down()
        await run(fleet, "first")
        await fleet.pass_time(600)
        assert (await said(fleet, "first"))["Progressing"] == (
            "False UpdateRunStuck: The updateRun is stuck waiting for m1 cluster(s) in stage canary "
            "to finish updating, please check placement status for potential errors"
        )
        fleet.members["m1"].to_hub.up()
        await fleet.pass_time(120)
        assert (await said(fleet, "first"))["Progressing"].startswith("False UpdateRunWaiting")

    told(story)


async def evict(fleet: Fleet, name: str, cluster: str) -> dict[str, str]:
    body = {"metadata": {"name": name}, "spec": {"placementName": "p", "clusterName": cluster}}
    await fleet.hub.create(CLUSTER_RESOURCE_PLACEMENT_EVICTIONS, body)
    await fleet.settle()
    found = await fleet.hub.there(CLUSTER_RESOURCE_PLACEMENT_EVICTIONS, name)
    return spoken(found["status"]["conditions"])


def test_evictions_keep_to_the_budget_and_the_taint_keeps_the_placement_away() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.config_map("c")
        await fleet.place("p", policy=pick("PickN", 2), strategy=rolling())
        assert await fleet.where(CONFIG_MAPS, "c") == ["m2", "m3"]
        budget = {"metadata": {"name": "p"}, "spec": {"minAvailable": 2}}
        await fleet.hub.create(CLUSTER_RESOURCE_PLACEMENT_DISRUPTION_BUDGETS, budget)
        said = await evict(fleet, "one", "m3")
        assert said["Valid"] == "True ClusterResourcePlacementEvictionValid: Eviction is valid"
        assert said["Executed"].startswith("False ClusterResourcePlacementEvictionNotExecuted: ")
        assert said["Executed"].endswith("availablePlacements: 2, totalPlacements: 2")
        assert await fleet.where(CONFIG_MAPS, "c") == ["m2", "m3"]
        await fleet.hub.patch(
            CLUSTER_RESOURCE_PLACEMENT_DISRUPTION_BUDGETS, "p", {"spec": {"minAvailable": 1}}
        )
        await fleet.taint("m3", {"key": "k", "value": "v", "effect": "NoSchedule"})
        said = await evict(fleet, "two", "m3")
        assert said["Executed"].startswith("True ClusterResourcePlacementEvictionExecuted: ")
        await fleet.pass_time(60)
        assert await fleet.where(CONFIG_MAPS, "c") == ["m1", "m2"]
        assert sorted(await fleet.clusters("p")) == ["m1", "m2"]
        assert (await fleet.said("p"))["Available"].startswith("True")
        said = await evict(fleet, "three", "m3")
        assert said["Valid"].startswith("False ClusterResourcePlacementEvictionInvalid: ")

    told(story)
