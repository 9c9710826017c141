"""Workloads from the first look to the last, in virtual time."""

from __future__ import annotations

from argosy.client.resources import CLUSTER_QUEUES, LIMIT_RANGES, LOCAL_QUEUES, WORKLOADS
from argosy.queueing.workloads.decisions import LifeRules, PodsReadyRules
from argosy.queueing.workloads.finishing import finish, set_pods_ready
from tests.behaviour.queueing.lives import Life, living

MINUTE = 60
RULES = LifeRules(PodsReadyRules(5 * MINUTE, 2 * MINUTE, 2, 60, 600), 3600)
NO_RESERVATION = "False NoReservation: The workload has no reservation"


def test_a_new_workload_says_nothing_until_somebody_looks_at_it() -> None:
    async def story(life: Life) -> None:
        await life.queues()
        await life.workload()
        await life.world.pass_time(MINUTE)
        assert await life.says() == {}

    living(story)


def test_a_workload_without_queues_says_which_is_missing_until_it_is_there() -> None:
    async def story(life: Life) -> None:
        await life.workload()
        assert (await life.says())["QuotaReserved"] == (
            "False Misconfigured: LocalQueue lq doesn't exist"
        )
        await life.local_queue()
        assert (await life.says())["QuotaReserved"] == (
            "False Misconfigured: ClusterQueue cq doesn't exist"
        )
        life.facts.inactive.add("cq")
        spec = {"namespaceSelector": {}}
        await life.world.create(CLUSTER_QUEUES, {"metadata": {"name": "cq"}, "spec": spec})
        await life.world.settle()
        assert (await life.says())["QuotaReserved"] == (
            "False Suspended: ClusterQueue cq is inactive"
        )
        life.facts.inactive.clear()
        ready = {"type": "Active", "status": "True", "reason": "Ready", "message": "Can admit"}
        status = {"conditions": [ready | {"lastTransitionTime": "2026-01-01T00:00:00Z"}]}
        await life.patch(CLUSTER_QUEUES, "cq", {"status": status}, subresource="status")
        assert await life.says() == {
            "QuotaReserved": (
                "False PendingEvaluation: Workload is pending evaluation in the scheduling queue"
            ),
            "Admitted": NO_RESERVATION,
        }

    living(story)


def test_a_workload_outside_the_bounds_of_its_namespace_says_so_until_they_change() -> None:
    async def story(life: Life) -> None:
        limit = {"type": "Container", "max": {"cpu": "500m"}}
        body = {"metadata": {"name": "tight"}, "spec": {"limits": [limit]}}
        await life.world.create(LIMIT_RANGES, body)
        await life.queues()
        await life.workload()
        assert (await life.says())["QuotaReserved"] == (
            "False Misconfigured: resources didn't satisfy LimitRange constraints: "
            'spec.podSets[0].template.spec.containers[0]: Invalid value: ["cpu"]: '
            "requests must not be above the limitRange max"
        )
        await life.world.client.delete(LIMIT_RANGES, "tight", namespace="ns")
        await life.world.settle()
        assert (await life.says())["QuotaReserved"] == (
            "False PendingEvaluation: Workload is pending evaluation in the scheduling queue"
        )

    living(story)


def test_quota_and_a_ready_check_make_an_admission() -> None:
    async def story(life: Life) -> None:
        await life.queues("a")
        await life.workload()
        await life.reserve()
        assert [one.state for one in (await life.read()).status.admission_checks] == ["Pending"]
        assert (await life.says())["Admitted"] == (
            "False UnsatisfiedAdmissionChecks: The workload has not all checks ready"
        )
        await life.world.pass_time(42)
        await life.check("Ready")
        assert (await life.says())["Admitted"] == "True Admitted: The workload is admitted"
        assert await life.told() == [
            "Normal Admitted: Admitted by ClusterQueue cq, wait time since reservation was 42s"
        ]

    living(story)


def test_a_retry_evicts_waits_and_lets_the_workload_back() -> None:
    async def story(life: Life) -> None:
        await life.queues("a")
        await life.workload()
        await life.reserve()
        await life.check("Retry", "no machines", requeueAfterSeconds=300)
        # The moment to wait for comes first; the check keeps saying so until the workload is evicted.
        await life.world.pass_time(301)
        text = 'Evicted due to AdmissionCheck in Retry state: "a" (no machines)'
        assert (await life.says())["Evicted"] == f"True AdmissionCheck: {text}"
        state = (await life.read()).status.admission_checks[0]
        assert (state.state, state.retry_count) == ("Pending", 1)
        await life.release()
        assert (await life.says())["Requeued"] == (
            "True BackoffFinished: The workload backoff was finished"
        )
        assert await life.told() == [f"Normal EvictedDueToAdmissionCheck: {text}"]

    living(story)


def test_a_rejection_switches_the_workload_off() -> None:
    async def story(life: Life) -> None:
        await life.queues("a")
        await life.workload()
        await life.reserve()
        await life.check("Rejected", "never")
        told = 'AdmissionCheck in Rejected state: "a" (never)'
        assert (await life.read()).spec.active is False
        says = await life.says()
        assert says["Evicted"] == (
            f"True DeactivatedDueToAdmissionCheck: The workload is deactivated due to {told}"
        )
        assert "DeactivationTarget" not in says
        await life.release()
        assert (await life.says())["QuotaReserved"] == (
            "False Deactivated: The workload is deactivated"
        )
        assert await life.told() == [
            f"Warning AdmissionCheckRejected: Deactivated due to {told}",
            (
                "Normal EvictedDueToDeactivatedDueToAdmissionCheck: "
                f"The workload is deactivated due to {told}"
            ),
        ]
        await life.patch(WORKLOADS, "wl", {"spec": {"active": True}})
        assert (await life.says())["Requeued"] == "True Reactivated: The workload was reactivated"

    living(story)


def test_a_workload_that_is_switched_on_again_is_queued_again() -> None:
    async def story(life: Life) -> None:
        await life.queues()
        await life.workload()
        await life.admit()
        await life.patch(WORKLOADS, "wl", {"spec": {"active": False}})
        assert (await life.says())["Evicted"] == "True Deactivated: The workload is deactivated"
        await life.release()
        await life.patch(WORKLOADS, "wl", {"spec": {"active": True}})
        says = await life.says()
        assert says["Requeued"] == "True Reactivated: The workload was reactivated"
        assert says["QuotaReserved"] == (
            "False PendingEvaluation: Workload is pending evaluation in the scheduling queue"
        )

    living(story)


def test_pods_that_are_too_slow_cost_the_place_then_a_pause_then_the_life() -> None:
    async def story(life: Life) -> None:
        await life.queues()
        await life.workload()
        for pause in (60, 120):
            await life.admit()
            await life.world.pass_time(5 * MINUTE - 2)
            assert (await life.says()).get("Evicted", "False").startswith("False")
            await life.world.pass_time(3)
            assert (await life.says())["Evicted"] == (
                "True PodsReadyTimeout: Exceeded the PodsReady timeout ns/wl"
            )
            await life.release()
            await life.world.pass_time(pause - 5)
            assert (await life.says())["Requeued"].startswith("False PodsReadyTimeout")
            await life.world.pass_time(6)
            assert (await life.says())["Requeued"] == (
                "True BackoffFinished: The workload backoff was finished"
            )
        await life.admit()
        await life.world.pass_time(5 * MINUTE + 1)
        found = await life.read()
        assert found.spec.active is False
        assert found.status.requeue_state is None
        assert (await life.says())["Evicted"] == (
            "True DeactivatedDueToRequeuingLimitExceeded: The workload is deactivated due to "
            "exceeding the maximum number of re-queuing retries"
        )
        stats = found.status.scheduling_stats
        assert stats is not None
        assert [(one.reason, one.underlying_cause, one.count) for one in stats.evictions] == [
            ("PodsReadyTimeout", "WaitForStart", 2),
            ("Deactivated", "RequeuingLimitExceeded", 1),
        ]

    living(story, RULES)


def test_a_lost_pod_has_its_own_time_to_come_back() -> None:
    async def story(life: Life) -> None:
        await life.queues()
        await life.workload()
        await life.admit()
        await life.write(lambda draft: set_pods_ready(draft, are_ready=True))
        await life.world.pass_time(3600)
        assert "Evicted" not in await life.says()
        await life.write(lambda draft: set_pods_ready(draft, are_ready=False))
        await life.world.pass_time(2 * MINUTE - 2)
        assert "Evicted" not in await life.says()
        await life.world.pass_time(3)
        assert (await life.says())["Evicted"].startswith("True PodsReadyTimeout")

    living(story, RULES)


def test_a_workload_runs_no_longer_than_it_may_all_runs_together() -> None:
    async def story(life: Life) -> None:
        await life.queues()
        await life.workload(maximumExecutionTimeSeconds=100)
        await life.admit()
        await life.world.pass_time(60)
        await life.patch(LOCAL_QUEUES, "lq", {"spec": {"stopPolicy": "HoldAndDrain"}})
        assert (await life.says())["Evicted"].startswith("True LocalQueueStopped")
        await life.release()
        assert (await life.read()).status.accumulated_past_execution_time_seconds == 60
        await life.patch(LOCAL_QUEUES, "lq", {"spec": {"stopPolicy": "None"}})
        assert (await life.says())["Requeued"] == (
            "True LocalQueueRestarted: The LocalQueue was restarted after being stopped"
        )
        await life.admit()
        await life.world.pass_time(38)
        assert (await life.read()).spec.active is True
        await life.world.pass_time(3)
        assert (await life.read()).spec.active is False
        assert (await life.told())[-2:] == [
            "Warning MaximumExecutionTimeExceeded: The maximum execution time (100s) exceeded",
            (
                "Normal EvictedDueToDeactivatedDueToMaximumExecutionTimeExceeded: "
                "The workload is deactivated due to exceeding the maximum execution time"
            ),
        ]

    living(story)


def test_a_queue_on_hold_takes_back_quota_of_those_who_do_not_run_yet() -> None:
    async def story(life: Life) -> None:
        await life.queues("a")
        await life.workload()
        await life.reserve()
        await life.patch(CLUSTER_QUEUES, "cq", {"spec": {"stopPolicy": "Hold"}})
        found = await life.read()
        assert found.status.admission is None
        assert (await life.says())["Admitted"] == NO_RESERVATION
        assert "Evicted" not in await life.says()

    living(story)


def test_a_finished_workload_goes_when_its_time_is_over() -> None:
    async def story(life: Life) -> None:
        await life.queues()
        metadata = {"finalizers": ["kueue.x-k8s.io/resource-in-use"]}
        await life.workload(metadata)
        await life.admit()
        await life.write(lambda draft: finish(draft, "Succeeded", "Job finished"))
        await life.world.pass_time(3598)
        assert await life.exists()
        await life.world.pass_time(3)
        assert not await life.exists()
        events = await life.world.events("wl")
        assert events[-1] == (
            "Normal",
            "Deleted",
            "Deleted finished workload due to elapsed retention",
        )

    living(story, RULES)


def test_a_workload_whose_job_is_gone_is_finished_and_can_be_deleted() -> None:
    async def story(life: Life) -> None:
        await life.queues()
        metadata = {
            "labels": {"kueue.x-k8s.io/job-uid": "gone"},
            "finalizers": ["kueue.x-k8s.io/resource-in-use"],
        }
        await life.workload(metadata)
        assert await life.says() == {
            "Finished": "True OwnerNotFound: The workload's owner no longer exists"
        }
        assert (await life.read()).metadata.finalizers == ()

    living(story)


def test_who_is_held_up_by_a_gate_says_by_whom_and_when_it_is_over() -> None:
    async def story(life: Life) -> None:
        await life.queues()
        gate = "kueue.x-k8s.io/admission-gated-by"
        await life.workload({"annotations": {gate: "example.com/budget"}})
        assert (await life.says())["QuotaReserved"] == (
            "False AdmissionGated: Admission is gated by: example.com/budget"
        )
        await life.patch(WORKLOADS, "wl", {"metadata": {"annotations": {gate: None}}})
        assert (await life.says())["QuotaReserved"] == (
            "False PendingEvaluation: AdmissionGatedBy cleared, waiting for quota reservation"
        )
        assert await life.told() == [
            "Normal AdmissionGated: Workload admission is gated by: example.com/budget",
            "Normal AdmissionGateCleared: Admission gate cleared, workload is now admissible",
        ]

    living(story)
