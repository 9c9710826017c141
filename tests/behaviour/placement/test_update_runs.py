"""Staged update runs from beginning to end: what people see at every turn."""

from __future__ import annotations

from pathlib import Path

import pytest

from argosy.api.objects.fleet.placements import NamespacedName
from argosy.base.types import Object
from argosy.placement.picks import Picked
from argosy.placement.scopes import CLUSTER, NAMESPACE, Scope
from tests.behaviour.placement.runworlds import Hub, on_hub

SCOPES = {"of the cluster": CLUSTER, "of a namespace": NAMESPACE}
ALL: Object = {"name": "all", "labelSelector": {}, "maxConcurrency": 10}
CANARY: Object = {
    "name": "canary",
    "labelSelector": {"matchLabels": {"env": "canary"}},
    "afterStageTasks": [{"type": "Approval"}, {"type": "TimedWait", "waitTime": "5s"}],
}
PROD: Object = {
    "name": "prod",
    "labelSelector": {"matchLabels": {"env": "prod"}},
    "beforeStageTasks": [{"type": "Approval"}],
}


async def fleet(hub: Hub) -> None:
    await hub.member("one", env="canary")
    await hub.member("two", env="prod")
    await hub.placed("one", "two")
    await hub.strategy("stages", CANARY, PROD)


@pytest.mark.parametrize("scope", SCOPES.values(), ids=SCOPES)
def test_stages_wait_for_people_and_time_and_nothing_waits_for_a_poll(
    shared: Path, scope: Scope
) -> None:
    async def story(hub: Hub) -> None:
        await fleet(hub)
        begun = hub.clock.time()
        await hub.run(state="Initialize")
        assert (await hub.said("Initialized"))[0] == "True"
        assert hub.asked == [(hub.namespace, "app")]
        assert await hub.states() == {"one": "Scheduled", "two": "Scheduled"}

        await hub.turn("Run")
        assert await hub.states() == {"one": "Bound app-0-snapshot", "two": "Scheduled"}
        assert await hub.said("Progressing") == (
            "True",
            "UpdateRunProgressing",
            "The update run is making progress",
        )
        await hub.arrive("one")
        assert await hub.approvals() == ["run-after-canary"]
        waiting = "The updateRun is waiting for after-stage tasks in stage canary to complete"
        assert await hub.said("Progressing") == ("False", "UpdateRunWaiting", waiting)
        await hub.approve("run-after-canary")
        assert await hub.said("Progressing") == ("False", "UpdateRunWaiting", waiting)
        await hub.pass_time(5)
        assert await hub.approvals() == ["run-after-canary", "run-before-prod"]
        assert await hub.said("Progressing") == (
            "False",
            "UpdateRunWaiting",
            "The updateRun is waiting for before-stage tasks in stage prod to complete",
        )
        assert (await hub.states())["two"] == "Scheduled"
        await hub.approve("run-before-prod")
        assert (await hub.states())["two"] == "Bound app-0-snapshot"
        await hub.arrive("two")
        assert await hub.said("Succeeded") == (
            "True",
            "UpdateRunSucceeded",
            "All stages are completed successfully",
        )
        assert hub.clock.time() - begun < 7

    on_hub(story, shared, scope)


def test_a_run_at_rest_writes_nothing(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await fleet(hub)
        await hub.run()
        await hub.arrive("one")
        await hub.pass_time(10)
        before = (await hub.client.list(hub.scope.update_runs)).revision
        await hub.pass_time(600)
        assert (await hub.client.list(hub.scope.update_runs)).revision == before
        assert (await hub.said("Progressing"))[1] == "UpdateRunWaiting"

    on_hub(story, shared)


def test_so_many_clusters_at_once_as_the_stage_says_in_order_of_their_label(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        for name, place in (("a", "30"), ("b", "10"), ("c", "20"), ("d", "40")):
            await hub.member(name, place=place)
        await hub.placed("a", "b", "c", "d")
        stage = {**ALL, "sortingLabelKey": "place", "maxConcurrency": "70%"}
        await hub.strategy("stages", stage)
        await hub.run()

        async def bound() -> str:
            return "".join(
                name for name, state in (await hub.states()).items() if state[:5] == "Bound"
            )

        assert await bound() == "bc"
        await hub.arrive("c")
        assert await bound() == "abc"
        await hub.arrive("a", "b")
        assert await bound() == "abcd"
        await hub.arrive("d")
        assert (await hub.said("Succeeded"))[0] == "True"

    on_hub(story, shared)


def test_a_cluster_that_does_not_get_ready_is_named_and_goes_on_when_it_does(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        names = [f"c{number}" for number in range(4)]
        for name in names:
            await hub.member(name)
        await hub.placed(*names)
        await hub.strategy("stages", ALL)
        await hub.run()
        await hub.report("c0", Applied=("False", "NotAllWorkHaveBeenApplied"))
        await hub.pass_time(290)
        assert (await hub.said("Progressing"))[1] == "UpdateRunProgressing"
        await hub.pass_time(30)
        assert await hub.said("Progressing") == (
            "False",
            "UpdateRunStuck",
            (
                "The updateRun is stuck waiting for c0, c1, c2... cluster(s) in stage all to finish updating, "
                "please check placement status for potential errors"
            ),
        )
        await hub.arrive(*names[1:])
        assert "waiting for c0 cluster(s)" in (await hub.said("Progressing"))[2]
        await hub.arrive("c0")
        assert (await hub.said("Succeeded"))[0] == "True"

    on_hub(story, shared)


def test_a_stopped_run_lets_the_updating_finish_and_can_be_resumed(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.member("one")
        await hub.member("two")
        await hub.placed("one", "two")
        await hub.strategy("stages", {**ALL, "maxConcurrency": 1})
        await hub.run()
        await hub.turn("Stop")
        assert await hub.said("Progressing") == (
            "Unknown",
            "UpdateRunStopping",
            (
                "The update run is the process of stopping, waiting for all the updating clusters to finish updating "
                "before completing the stop process"
            ),
        )
        await hub.arrive("one")
        stopped = ("False", "UpdateRunStopped", "The update run has been stopped")
        assert await hub.said("Progressing") == stopped
        await hub.pass_time(300)
        assert await hub.states() == {"one": "Bound app-0-snapshot", "two": "Scheduled"}
        assert await hub.said("Progressing") == stopped
        await hub.turn("Run")
        await hub.arrive("two")
        assert (await hub.said("Succeeded"))[0] == "True"
        generations = {
            condition["observedGeneration"] for condition in (await hub.status())["conditions"]
        }
        assert generations == {4}

    on_hub(story, shared)


def test_bindings_that_were_given_up_are_deleted_last(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.member("one")
        await hub.placed("one")
        await hub.bind("gone", state="Unscheduled")
        await hub.strategy("stages", ALL)
        await hub.run()
        assert "deletionTimestamp" not in (await hub.binding("gone"))["metadata"]
        await hub.arrive("one")
        assert "deletionTimestamp" in (await hub.binding("gone"))["metadata"]
        assert (await hub.said("Succeeded"))[0] == ""
        name = hub.binding_name("gone")
        await hub.client.patch(hub.scope.bindings, name, {"metadata": {"finalizers": None}})
        await hub.settle()
        assert (await hub.said("Succeeded"))[0] == "True"
        stage = (await hub.status())["deletionStageStatus"]
        assert [one["type"] for one in stage["clusters"][0]["conditions"]] == [
            "Started",
            "Succeeded",
        ]

    on_hub(story, shared)


def test_two_runs_of_one_placement_and_the_one_that_was_overtaken_ends(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.member("one")
        await hub.placed("one")
        await hub.snapshot(0)
        await hub.snapshot(1)
        await hub.strategy("stages", ALL)
        await hub.run("first", resourceSnapshotIndex="0")
        await hub.run("second", resourceSnapshotIndex="1")
        assert await hub.states() == {"one": "Bound app-1-snapshot"}
        text = (
            "failed to process the request due to a client error: the binding of the updating cluster `one` in the "
            f"stage `all` is not up-to-date with the desired status, please check the status of binding "
            f"`{hub.binding_name('one')}` and see if there is a concurrent updateRun referencing the same placement "
            "and updating the same cluster"
        )
        assert await hub.said("Succeeded", "first") == (
            "False",
            "UpdateRunFailed",
            f"cannot continue the updateRun: {text}",
        )
        stage = (await hub.status("first"))["stagesStatus"][0]
        assert stage["clusters"][0]["conditions"][-1]["message"] == text
        await hub.arrive("one")
        assert (await hub.said("Succeeded", "second"))[0] == "True"

    on_hub(story, shared)


def test_an_older_version_can_be_rolled_back_to(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.member("one")
        await hub.placed("one")
        await hub.snapshot(0)
        await hub.snapshot(1)
        await hub.strategy("stages", ALL)
        await hub.run("forth", resourceSnapshotIndex="1")
        await hub.arrive("one")
        await hub.run("back", resourceSnapshotIndex="0")
        await hub.arrive("one")
        assert (await hub.said("Succeeded", "back"))[0] == "True"
        assert await hub.states() == {"one": "Bound app-0-snapshot"}
        started = (await hub.binding("one"))["status"]["conditions"]
        messages = [each["message"] for each in started if each["type"] == "RolloutStarted"]
        assert messages == [
            (
                "Detected the new changes on the resources and started the rollout process, "
                "resourceSnapshotIndex: 0, updateRun: back"
            )
        ]

    on_hub(story, shared)


def test_a_run_for_what_is_there_already_succeeds_at_once(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.member("one")
        await hub.member("two")
        await hub.placed("one", "two")
        await hub.strategy("stages", {**ALL, "maxConcurrency": 1})
        await hub.run("first")
        await hub.arrive("one")
        await hub.arrive("two")
        await hub.run("second")
        assert (await hub.said("Succeeded", "second"))[0] == "True"

    on_hub(story, shared)


def test_an_unanswered_request_that_vanishes_is_made_again(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await fleet(hub)
        await hub.run()
        await hub.arrive("one")
        requests = hub.scope.approval_requests
        await hub.client.delete(requests, "run-after-canary")
        await hub.settle()
        assert await hub.approvals() == ["run-after-canary"]

    on_hub(story, shared)


def test_an_approval_of_another_generation_does_not_count(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await fleet(hub)
        await hub.run()
        await hub.arrive("one")
        await hub.pass_time(10)
        approved = hub.condition("Approved", "True", "lgtm", generation=7)
        requests = hub.scope.approval_requests
        await hub.report_on(requests, "run-after-canary", {"conditions": [approved]})
        assert await hub.approvals() == ["run-after-canary"]

    on_hub(story, shared)


def test_a_deleted_run_takes_its_requests_along_and_leaves_what_it_rolled_out(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await fleet(hub)
        await hub.run()
        await hub.arrive("one")
        assert await hub.approvals() == ["run-after-canary"]
        await hub.client.delete(hub.scope.update_runs, "run")
        await hub.settle()
        assert await hub.get(hub.scope.update_runs, "run") is None
        assert await hub.approvals() == []
        assert (await hub.states())["one"] == "Bound app-0-snapshot"

    on_hub(story, shared)


def test_a_cluster_that_joins_without_a_stage_ends_the_run(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await fleet(hub)
        await hub.run()
        await hub.bind("three")
        await hub.settle()
        assert await hub.said("Succeeded") == (
            "False",
            "UpdateRunFailed",
            (
                "cannot continue the updateRun: failed to validate the updateRun: failed to process the request due to a "
                "client error: some clusters are not placed in any stage, total 1, showing up to 10: three"
            ),
        )
        assert (await hub.said("Progressing"))[2] == (
            "The stages are aborted due to a non-recoverable error"
        )
        before = await hub.status()
        await hub.arrive("one")
        assert await hub.status() == before

    on_hub(story, shared)


def test_a_run_that_is_only_initialized_is_not_disturbed_by_what_changes(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await fleet(hub)
        await hub.run(state="Initialize")
        before = await hub.status()
        await hub.bind("three")
        await hub.pass_time(120)
        assert await hub.status() == before

    on_hub(story, shared)


def test_bindings_on_their_way_to_a_new_policy_are_waited_for(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.member("one")
        await hub.placed("one")
        await hub.bind("two", schedulingPolicySnapshotName="app-old")
        await hub.strategy("stages", ALL)
        await hub.run()
        assert await hub.said("Initialized") == ("", "", "")
        name = hub.binding_name("two")
        await hub.client.patch(hub.scope.bindings, name, {"spec": {"state": "Unscheduled"}})
        await hub.settle()
        assert (await hub.said("Initialized"))[0] == "True"

    on_hub(story, shared)


def test_forbidden_turns_of_a_run_are_refused_by_its_kind(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await fleet(hub)
        await hub.run(state="Initialize")
        with pytest.raises(Exception, match="cannot transition from Initialize to Stop"):
            await hub.turn("Stop")
        await hub.turn("Run")
        with pytest.raises(Exception, match="cannot transition from Run to Initialize"):
            await hub.turn("Initialize")

    on_hub(story, shared)


def test_a_placement_whose_resources_cannot_be_selected_ends_the_run(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await fleet(hub)
        hub.unselectable = "there is no such kind"
        await hub.run()
        assert await hub.said("Initialized") == (
            "False",
            "UpdateRunInitializedFailed",
            (
                "cannot continue the updateRun: failed to validate the updateRun: failed to process the request due "
                "to a client error: there is no such kind"
            ),
        )
        await hub.pass_time(600)
        assert len(hub.asked) == 1

    on_hub(story, shared)


def test_overrides_of_a_namespaced_placement_reach_its_bindings(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        hub.overrides = lambda placement, _shards, member: Picked(
            (f"{placement}-{member.metadata.name}".replace("/", "."),),
            (NamespacedName("ro-0", "ns"),),
        )
        await hub.live()
        await fleet(hub)
        await hub.run()
        spec = (await hub.binding("one"))["spec"]
        assert spec["clusterResourceOverrideSnapshots"] == ["ns.app-one"]
        assert spec["resourceOverrideSnapshots"] == [{"name": "ro-0", "namespace": "ns"}]
        await hub.arrive("one")
        assert (await hub.said("Progressing"))[1] == "UpdateRunWaiting"

    on_hub(story, shared, NAMESPACE, alive=False)
