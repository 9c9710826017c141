"""Admission checks answered by hand, and the longest time a workload may run, all of queueing together."""

from __future__ import annotations

from argosy.base.types import Object
from argosy.client.resources import CLUSTER_QUEUES, WORKLOADS
from tests.behaviour.queueing.wired import Port, queueing

CHECKED: Object = {"admissionChecksStrategy": {"admissionChecks": [{"name": "budget"}]}}
UNSATISFIED = "False UnsatisfiedAdmissionChecks: The workload has not all checks ready"


async def reserving(port: Port) -> int:
    count: int = (await port.found(CLUSTER_QUEUES, "cq"))["status"]["reservingWorkloads"]
    return count


def test_a_job_holds_quota_until_its_check_is_ready_and_starts_then() -> None:
    async def story(port: Port) -> None:
        await port.check()
        await port.queues(**CHECKED)
        await port.job("a")
        await port.pass_time(10)
        got = await port.conditions("a")
        assert got["QuotaReserved"] == "True QuotaReserved: Quota reserved in ClusterQueue cq"
        assert got["Admitted"] == UNSATISFIED
        assert not await port.runs("a")
        assert await reserving(port) == 1
        await port.tell_check("a", "Ready", "paid for")
        assert await port.is_admitted("a")
        assert await port.runs("a")
        assert (
            "Normal Admitted: Admitted by ClusterQueue cq, wait time since reservation was 10s"
            in (await port.told("a"))
        )

    queueing(story)


def test_a_check_that_wants_a_retry_costs_the_reservation_until_its_time_has_come() -> None:
    async def story(port: Port) -> None:
        await port.check()
        await port.queues(cpu="1", **CHECKED)
        await port.job("a")
        await port.pass_time(5)
        await port.job("b")
        await port.tell_check("a", "Retry", "no money yet", requeueAfterSeconds=120)
        retry = 'Evicted due to AdmissionCheck in Retry state: "budget" (no money yet)'
        got = await port.conditions("a")
        assert got["Evicted"] == f"True AdmissionCheck: {retry}"
        assert got["Requeued"] == f"False AdmissionCheck: {retry}"
        assert got["QuotaReserved"] == f"False PendingEvaluation: {retry}"
        (check,) = (await port.workload("a"))["status"]["admissionChecks"]
        assert check["message"] == "Reset to Pending after eviction. Previously: Retry"
        assert (check["state"], check["retryCount"]) == ("Pending", 1)
        # What it held is free meanwhile.
        assert (await port.conditions("b"))["QuotaReserved"].startswith("True")
        await port.tell_check("b", "Rejected", "never")
        await port.pass_time(100)
        assert (await port.conditions("a"))["Requeued"].startswith("False")
        await port.pass_time(20)
        got = await port.conditions("a")
        assert got["Requeued"] == "True BackoffFinished: The workload backoff was finished"
        assert got["QuotaReserved"].startswith("True")
        await port.tell_check("a", "Ready")
        assert await port.runs("a")

    queueing(story)


def test_a_check_of_a_job_that_runs_can_still_send_it_back() -> None:
    async def story(port: Port) -> None:
        await port.check()
        await port.queues(**CHECKED)
        await port.job("a")
        await port.pass_time(2)
        await port.tell_check("a", "Ready")
        await port.pass_time(10)
        assert await port.runs("a")
        await port.tell_check("a", "Retry", "the budget shrank")
        await port.pass_time(60)
        assert not await port.runs("a")
        got = await port.conditions("a")
        assert got["Admitted"] == UNSATISFIED
        assert got["QuotaReserved"].startswith("True")

    queueing(story)


def test_a_rejected_job_is_switched_off() -> None:
    async def story(port: Port) -> None:
        await port.check()
        await port.queues(**CHECKED)
        await port.job("a")
        await port.pass_time(2)
        await port.tell_check("a", "Rejected", "too dear")
        rejected = 'AdmissionCheck in Rejected state: "budget" (too dear)'
        got = await port.conditions("a")
        assert got["Evicted"] == (
            f"True DeactivatedDueToAdmissionCheck: The workload is deactivated due to {rejected}"
        )
        assert got["QuotaReserved"] == "False Deactivated: The workload is deactivated"
        workload = await port.workload("a")
        assert workload["spec"]["active"] is False
        await port.pass_time(300)
        assert await reserving(port) == 0
        assert not await port.runs("a")
        assert f"Warning AdmissionCheckRejected: Deactivated due to {rejected}" in (
            await port.told("a")
        )
        # Who switches it on again has talked to whoever rejected it.
        await port.patch(WORKLOADS, workload["metadata"]["name"], {"spec": {"active": True}})
        await port.pass_time(5)
        got = await port.conditions("a")
        assert got["Requeued"] == "True Reactivated: The workload was reactivated"
        assert got["QuotaReserved"].startswith("True")

    queueing(story)


def test_a_queue_whose_check_is_missing_is_not_active() -> None:
    async def story(port: Port) -> None:
        await port.queues(**CHECKED)
        missing = "references missing AdmissionCheck(s): budget"
        assert await port.active(CLUSTER_QUEUES, "cq") == (
            f"False AdmissionCheckNotFound: Can't admit new workloads: {missing}."
        )
        await port.job("a")
        await port.pass_time(2)
        assert not (await port.conditions("a"))["QuotaReserved"].startswith("True")
        await port.check()
        await port.pass_time(2)
        assert (await port.conditions("a"))["QuotaReserved"].startswith("True")

    queueing(story)


def test_a_job_that_ran_as_long_as_it_may_is_switched_off_and_may_run_as_long_when_switched_on() -> (
    None
):
    async def story(port: Port) -> None:
        await port.queues()
        await port.job("a", labels={"kueue.x-k8s.io/max-exec-time-seconds": "60"})
        await port.pass_time(50)
        assert await port.runs("a")
        await port.pass_time(50)
        assert not await port.runs("a")
        got = await port.conditions("a")
        why = "The workload is deactivated due to exceeding the maximum execution time"
        assert got["Evicted"] == f"True DeactivatedDueToMaximumExecutionTimeExceeded: {why}"
        assert "DeactivationTarget" not in got
        assert (
            "Warning MaximumExecutionTimeExceeded: The maximum execution time (60s) exceeded"
            in (await port.told("a"))
        )
        workload = await port.workload("a")
        assert workload["spec"]["active"] is False
        await port.patch(WORKLOADS, workload["metadata"]["name"], {"spec": {"active": True}})
        await port.pass_time(50)
        assert await port.runs("a")
        await port.pass_time(50)
        assert not await port.runs("a")

    queueing(story)


def test_time_spent_before_an_eviction_counts() -> None:
    async def story(port: Port) -> None:
        await port.queues()
        await port.job("a", labels={"kueue.x-k8s.io/max-exec-time-seconds": "100"})
        await port.pass_time(60)
        await port.patch(CLUSTER_QUEUES, "cq", {"spec": {"stopPolicy": "HoldAndDrain"}})
        await port.pass_time(60)
        past = (await port.workload("a"))["status"]["accumulatedPastExecutionTimeSeconds"]
        assert 58 <= past <= 65
        await port.patch(CLUSTER_QUEUES, "cq", {"spec": {"stopPolicy": "None"}})
        await port.pass_time(30)
        assert await port.runs("a")
        await port.pass_time(20)
        assert (await port.workload("a"))["spec"]["active"] is False

    queueing(story)
