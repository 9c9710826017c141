"""What the hub and its agents tell at /metrics while things are placed, rolled out, evicted and removed."""

from __future__ import annotations

from argosy.base.errors import ServiceUnavailable
from argosy.base.types import Json, Object
from argosy.client.resources import (
    CLUSTER_RESOURCE_PLACEMENT_EVICTIONS,
    CLUSTER_STAGED_UPDATE_RUNS,
    MEMBER_CLUSTERS,
)
from tests.behaviour.fleet.test_stages import approve, prepared, run
from tests.behaviour.fleet.worlds import SELECTS_SPACE, Fleet, Shape, pick, told
from tests.fakes.clients import Fault

PLACEMENT = "fleet_workload_placement_status_last_timestamp_seconds"
RUN = "fleet_workload_update_run_status_last_timestamp_seconds"
EVICTION = "fleet_workload_eviction_complete"
APPROVAL = "fleet_workload_update_run_approval_request_latency_seconds"
STAGE = "fleet_workload_update_run_stage_cluster_updating_duration_seconds"


def standing(name: str, generation: int, *state: str, namespace: str = "") -> str:
    type_, status, reason = state
    return (
        f'{PLACEMENT}{{namespace="{namespace}",name="{name}",generation="{generation}",'
        f'conditionType="{type_}",status="{status}",reason="{reason}"}}'
    )


def done(name: str, generation: int = 1, namespace: str = "") -> str:
    return standing(name, generation, "Completed", "True", "Completed", namespace=namespace)


def latest(series: dict[str, float], part: str) -> str:
    """How something stands: of its series, the one that was told last."""
    return max((each for each in series if part in each), key=lambda each: series[each])


def test_a_placement_is_told_from_its_beginning_to_its_end() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.config_map("c")
        for member in fleet.members.values():
            member.to_hub.down()
        # The namespace alone: what is in it is left to the next placement.
        alone: Object = {**SELECTS_SPACE, "selectionScope": "NamespaceOnly"}
        await fleet.place("p", alone, policy=pick("PickN", 2))
        unapplied = standing("p", 1, "ClusterResourcePlacementApplied", "False", "ApplyFailed")
        assert latest(fleet.hub.series(PLACEMENT), 'name="p"') == unapplied
        for member in fleet.members.values():
            member.to_hub.up()
        await fleet.pass_time(120)
        got = fleet.hub.series(PLACEMENT)
        assert latest(got, 'name="p"') == done("p")
        # Its way there is still to be seen, with the time of each state.
        assert got[unapplied] < got[done("p")] <= fleet.clock.time()

        there: list[Json] = list(await fleet.clusters("p"))
        await fleet.place(
            "app/r",
            {"group": "", "version": "v1", "kind": "ConfigMap", "name": "c"},
            policy=pick("PickFixed", clusterNames=there),
        )
        await fleet.pass_time(30)
        assert latest(fleet.hub.series(PLACEMENT), 'name="r"') == done("r", namespace="app")

        # Four clusters are not to be had.
        await fleet.change("p", policy=pick("PickN", 4))
        await fleet.pass_time(30)
        got = fleet.hub.series(PLACEMENT)
        unfulfilled = standing(
            "p", 2, "ClusterResourcePlacementScheduled", "False", "SchedulingPolicyUnfulfilled"
        )
        assert latest(got, 'name="p"') == unfulfilled
        assert [each for each in got if 'name="p",generation="1"' in each] == []

        await fleet.remove("p")
        await fleet.remove("app/r")
        await fleet.pass_time(60)
        assert fleet.hub.series(PLACEMENT) == {}

    told(story)


def test_a_placement_that_cannot_be_made_is_told_with_its_reason() -> None:
    async def story(fleet: Fleet) -> None:
        # The webhook would refuse it.
        nowhere = {"group": "", "version": "v1", "kind": "Nowhere", "name": "x"}
        await fleet.place("p", nowhere)
        await fleet.pass_time(10)
        assert latest(fleet.hub.series(PLACEMENT), 'name="p"') == standing(
            "p", 1, "ClusterResourcePlacementScheduled", "False", "InvalidResourceSelectors"
        )

    told(story, Shape(checks=False))


def test_series_are_there_again_after_a_restart() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.place("p", policy=pick("PickAll"))
        await fleet.pass_time(30)
        await fleet.hub.kill()
        before = fleet.hub.series(PLACEMENT)[done("p")]
        await fleet.hub.start()
        await fleet.pass_time(10)
        assert fleet.hub.series(PLACEMENT)[done("p")] > before
        active = fleet.hub.series("fleet_workload_active_workers", "controller_runtime_active")
        assert active
        assert set(active.values()) == {0.0}

    told(story)


def test_the_scheduler_and_controllers_are_counted() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.place("p", policy=pick("PickAll"))
        await fleet.pass_time(30)
        got = fleet.hub.series("scheduling_", "fleet_workload_", "workqueue_", "controller_runtime")
        cycles = (
            'scheduling_cycle_duration_milliseconds_count{is_failed="false",needs_requeue="false"}'
        )
        assert got[cycles] >= 1
        assert got["scheduling_active_workers"] == 0
        controller = 'controller="placement-controller"'
        for family in ("fleet_workload", "controller_runtime"):
            assert got[f'{family}_reconcile_total{{{controller},result="success"}}'] > 0
            assert got[f"{family}_reconcile_errors_total{{{controller}}}"] == 0
            assert got[f"{family}_reconcile_time_seconds_count{{{controller}}}"] > 0
            assert got[f"{family}_max_concurrent_reconciles{{{controller}}}"] == 4
            assert got[f"{family}_active_workers{{{controller}}}"] == 0
        queue = 'name="placement-controller"'
        for family in ("queue", "work"):
            assert got[f"workqueue_{family}_duration_seconds_count{{{queue}}}"] > 0
        assert got[f"workqueue_unfinished_work_seconds{{{queue}}}"] == 0

    told(story)


def test_a_write_that_fails_is_a_failed_cycle_and_a_failed_reconciliation() -> None:
    async def story(fleet: Fleet) -> None:
        def creates_fail(verb: str) -> Fault:
            return Fault(ServiceUnavailable("full")) if verb == "create" else Fault()

        await fleet.place("p", policy=pick("PickN", 1))
        fleet.hub.line.fate = creates_fail
        await fleet.change("p", policy=pick("PickN", 2))
        fleet.hub.line.fate = None
        await fleet.pass_time(120)
        got = fleet.hub.series("scheduling_cycle", "controller_runtime_reconcile_errors")
        cycles = (
            'scheduling_cycle_duration_milliseconds_count{is_failed="true",needs_requeue="false"}'
        )
        assert got[cycles] >= 1
        assert got['controller_runtime_reconcile_errors_total{controller="scheduler"}'] >= 1
        assert latest(fleet.hub.series(PLACEMENT), 'name="p"') == done("p", 2)

    told(story)


def test_update_runs_approvals_and_stages_are_told_and_go() -> None:
    async def story(fleet: Fleet) -> None:
        await prepared(fleet)
        await run(fleet, "first")
        got = fleet.hub.series(RUN)
        waiting = 'state="Run",condition="Progressing",status="False",reason="UpdateRunWaiting"'
        assert latest(got, 'name="first"') == (
            f'{RUN}{{namespace="",name="first",{waiting},failureType="none"}}'
        )
        await approve(fleet, "first-after-canary")
        await fleet.pass_time(180)
        got = fleet.hub.series(RUN)
        ended = 'state="Run",condition="Succeeded",status="True",reason="UpdateRunSucceeded"'
        assert latest(got, 'name="first"') == (
            f'{RUN}{{namespace="",name="first",{ended},failureType="none"}}'
        )
        task = 'namespace="",name="first",taskType="afterStage"'
        got = fleet.hub.series(APPROVAL, STAGE)
        assert got[f"{APPROVAL}_count{{{task}}}"] == 1
        assert 20 <= got[f"{APPROVAL}_sum{{{task}}}"] <= 40
        assert got[f'{STAGE}_count{{namespace="",name="first"}}'] == 2
        await fleet.hub.delete(CLUSTER_STAGED_UPDATE_RUNS, "first")
        await fleet.pass_time(30)
        assert fleet.hub.series(RUN, APPROVAL, STAGE) == {}

    told(story)


def test_a_run_that_ends_badly_tells_whose_fault_it_is() -> None:
    async def story(fleet: Fleet) -> None:
        await prepared(fleet)
        await run(fleet, "lost", placementName="nowhere")
        failed = 'condition="Initialized",status="False",reason="UpdateRunInitializedFailed"'
        assert latest(fleet.hub.series(RUN), 'name="lost"') == (
            f'{RUN}{{namespace="",name="lost",state="Run",{failed},failureType="user_error"}}'
        )

    told(story)


def test_evictions_are_told_and_go() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.place("p", policy=pick("PickN", 1))
        for name, placement in (("good", "p"), ("bad", "nowhere")):
            spec = {
                "placementName": placement,
                "clusterName": next(iter(await fleet.clusters("p"))),
            }
            await fleet.hub.create(
                CLUSTER_RESOURCE_PLACEMENT_EVICTIONS, {"metadata": {"name": name}, "spec": spec}
            )
        await fleet.pass_time(10)
        assert sorted(fleet.hub.series(EVICTION)) == [
            f'{EVICTION}{{name="bad",isCompleted="true",isValid="false"}}',
            f'{EVICTION}{{name="good",isCompleted="true",isValid="true"}}',
        ]
        for name in ("good", "bad"):
            await fleet.hub.delete(CLUSTER_RESOURCE_PLACEMENT_EVICTIONS, name)
        await fleet.pass_time(10)
        assert fleet.hub.series(EVICTION) == {}

    told(story)


def test_agents_count_works_and_manifests() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.config_map("c")
        await fleet.place("p", SELECTS_SPACE, policy=pick("PickFixed", clusterNames=["m1"]))
        await fleet.pass_time(30)
        member = fleet.members["m1"]
        statuses = (
            'apply_status="AllManifestsApplied",availability_status="AllManifestsAvailable"'
            ',diff_reporting_status="Skipped"'
        )
        manifests = (
            'apply_status="Applied",availability_status="Available",diff_reporting_status="Skipped"'
            ',drift_detection_status="NotFound",diff_detection_status="NotFound"'
        )
        got = member.series("fleet_", "work_apply")
        passes = got[f"fleet_work_processing_requests_total{{{statuses}}}"]
        assert passes >= 1
        assert got[f"fleet_manifest_processing_requests_total{{{manifests}}}"] == 2 * passes
        assert got['work_apply_time_seconds_count{name="p-work"}'] == 1
        assert got['work_apply_time_seconds_sum{name="p-work"}'] < 10
        # Again after each change of the Work, and no more once it is gone.
        await fleet.edit("c", a="2")
        await fleet.pass_time(30)
        assert member.series("work_apply")['work_apply_time_seconds_count{name="p-work"}'] == 2
        await fleet.remove("p")
        await fleet.pass_time(30)
        assert member.series("work_apply") == {}

    told(story)


def test_reported_differences_are_counted_as_such() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.config_map("c")
        strategy = {"type": "RollingUpdate", "applyStrategy": {"type": "ReportDiff"}}
        await fleet.place("p", policy=pick("PickFixed", clusterNames=["m1"]), strategy=strategy)
        await fleet.pass_time(30)
        got = fleet.members["m1"].series("fleet_manifest_processing_requests_total")
        (series,) = got
        assert series.removeprefix("fleet_manifest_processing_requests_total") == (
            '{apply_status="Skipped",availability_status="Skipped",diff_reporting_status="FoundDiff"'
            ',drift_detection_status="NotFound",diff_detection_status="Found"}'
        )

    told(story)


def test_joining_and_leaving_are_counted_on_both_ends() -> None:
    async def story(fleet: Fleet) -> None:
        success = '{result="success"}'
        names = ("join_result_counter", "leave_result_counter")
        assert fleet.hub.series(*names) == {f"join_result_counter{success}": 3}
        await fleet.hub.delete(MEMBER_CLUSTERS, "m3")
        await fleet.pass_time(120)
        leaves = {f"join_result_counter{success}": 1, f"leave_result_counter{success}": 1}
        assert fleet.members["m3"].series(*names) == leaves
        assert fleet.hub.series(*names) == {
            f"join_result_counter{success}": 3,
            f"leave_result_counter{success}": 1,
        }

    told(story)
