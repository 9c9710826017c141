"""What changes under way, all of queueing together: quotas that grow and shrink, jobs that are edited, requests that
no quota will ever hold.
"""

from __future__ import annotations

import pytest

from argosy.base.errors import Forbidden
from argosy.base.types import Object
from argosy.client.resources import CLUSTER_QUEUES, JOBS, PODS, WORKLOADS
from tests.behaviour.queueing.wired import QUEUE, Port, queueing, quotas


async def give(port: Port, cpu: str, queue: str = "cq", **limits: str) -> None:
    """Change a quota."""
    await port.patch(CLUSTER_QUEUES, queue, {"spec": {"resourceGroups": quotas(cpu, **limits)}})


async def used(port: Port, queue: str = "cq") -> str:
    (flavor,) = (await port.found(CLUSTER_QUEUES, queue))["status"]["flavorsUsage"]
    total: str = flavor["resources"][0]["total"]
    return total


async def pods_of(port: Port, job: str) -> list[Object]:
    return await port.list(PODS, f"batch.kubernetes.io/job-name={job}")


def test_a_quota_that_grows_admits_who_waits() -> None:
    async def story(port: Port) -> None:
        await port.queues(cpu="2")
        await port.job("a", cpu="2")
        await port.pass_time(5)
        await port.job("b", cpu="2")
        await port.pass_time(60)
        assert await port.admitted() == {"a"}
        await give(port, "4")
        await port.pass_time(2)
        assert await port.admitted() == {"a", "b"}

    queueing(story)


def test_a_borrowing_limit_that_grows_admits_who_waits() -> None:
    async def story(port: Port) -> None:
        await port.flavor()
        limited = quotas("2", borrowingLimit="0")
        await port.cluster_queue(cohortName="all", resourceGroups=limited)
        await port.cluster_queue("idle", "4", cohortName="all")
        await port.local_queue()
        await port.job("a", cpu="3")
        await port.pass_time(10)
        most = "previously considered podsets requests (0) + current podset request (3) > maximum"
        assert most in (await port.conditions("a"))["QuotaReserved"]
        await give(port, "2", borrowingLimit="1")
        await port.pass_time(2)
        assert await port.admitted() == {"a"}

    queueing(story)


def test_a_quota_below_what_is_used_lets_run_what_runs_and_admits_again_below_it() -> None:
    async def story(port: Port) -> None:
        await port.queues(cpu="4")
        for name in ("a", "b"):
            await port.job(name, cpu="2")
        await port.pass_time(5)
        await give(port, "2")
        await port.job("c", cpu="1")
        await port.pass_time(60)
        assert await port.admitted() == {"a", "b"}
        assert await port.runs("a")
        assert await port.runs("b")
        assert await used(port) == "4"
        short = "insufficient unused quota for cpu in flavor default, 1 more needed"
        assert (await port.conditions("c"))["QuotaReserved"] == (
            f"False WaitingForQuota: couldn't assign flavors to pod set main: {short}"
        )
        await port.delete(JOBS, "a")
        await port.pass_time(10)
        assert await port.admitted() == {"b"}
        await port.delete(JOBS, "b")
        await port.pass_time(10)
        assert await port.admitted() == {"c"}
        assert await used(port) == "1"

    queueing(story)


def test_a_job_that_is_made_larger_while_it_runs_stops_and_waits_for_the_larger_quota() -> None:
    async def story(port: Port) -> None:
        await port.queues(cpu="3")
        await port.job("a", pods=2, completions=10)
        await port.pass_time(5)
        await port.patch(JOBS, "a", {"spec": {"parallelism": 3}})
        await port.pass_time(60)
        assert await used(port) == "3"
        assert len(await pods_of(port, "a")) == 3
        await port.patch(JOBS, "a", {"spec": {"parallelism": 4}})
        await port.pass_time(60)
        assert await pods_of(port, "a") == []
        assert (await port.found(JOBS, "a"))["spec"]["suspend"] is True
        assert await used(port) == "0"
        assert (await port.conditions("a"))["QuotaReserved"].startswith("False ExceedsMaxQuota: ")
        await port.patch(JOBS, "a", {"spec": {"parallelism": 1}})
        await port.pass_time(5)
        assert await used(port) == "1"
        assert len(await port.list(WORKLOADS)) == 1
        told = [reason for _, reason, _ in await port.events("a")]
        assert {"Stopped", "DeletedWorkload", "CreatedWorkload", "UpdatedWorkload"} <= set(told)

    queueing(story)


def test_a_job_that_runs_stays_in_its_queue() -> None:
    async def story(port: Port) -> None:
        await port.queues()
        await port.local_queue("other")
        await port.job("a")
        await port.pass_time(5)
        with pytest.raises(Forbidden, match="field is immutable"):
            await port.patch(JOBS, "a", {"metadata": {"labels": {QUEUE: "other"}}})

    queueing(story)


def test_a_job_that_waits_may_change_its_queue() -> None:
    async def story(port: Port) -> None:
        await port.queues(cpu="1")
        await port.cluster_queue("wide", "9")
        await port.local_queue("other", "wide")
        await port.job("a", cpu="4")
        await port.pass_time(5)
        assert await port.admitted() == set()
        await port.patch(JOBS, "a", {"metadata": {"labels": {QUEUE: "other"}}})
        await port.pass_time(5)
        assert await port.admitted() == {"a"}
        queue = await port.found(CLUSTER_QUEUES, "cq")
        assert (queue["status"]["pendingWorkloads"], await used(port, "wide")) == (0, "4")

    queueing(story)


def test_requests_above_every_quota_say_so_and_do_not_stand_in_the_way() -> None:
    async def story(port: Port) -> None:
        await port.flavor()
        limited = quotas("4", borrowingLimit="2")
        await port.cluster_queue(cohortName="all", resourceGroups=limited)
        await port.cluster_queue("other", "4", cohortName="all")
        await port.local_queue()
        await port.pass_time(1)
        await port.job("huge", cpu="7")
        await port.pass_time(2)
        await port.job("small", cpu="1")
        await port.pass_time(5)
        most = (
            "insufficient quota for cpu in flavor default, previously considered podsets requests (0) + current podset "
            "request (7) > maximum capacity (6)"
        )
        want = f"ExceedsMaxQuota: couldn't assign flavors to pod set main: {most}"
        assert (await port.conditions("huge"))["QuotaReserved"] == f"False {want}"
        assert await port.told("huge") == [f"Warning {want}"]
        assert await port.admitted() == {"small"}

    queueing(story)


def test_a_resource_that_no_quota_covers_is_told() -> None:
    async def story(port: Port) -> None:
        await port.queues()
        amounts = {"cpu": "1", "nvidia.com/gpu": "1"}
        container = {
            "name": "c",
            "image": "i",
            "resources": {"requests": amounts, "limits": amounts},
        }
        await port.job("a", template={"containers": [container]})
        await port.pass_time(5)
        assert (await port.conditions("a"))["QuotaReserved"] == (
            "False NoMatchingFlavor: couldn't assign flavors to pod set main: resource nvidia.com/gpu unavailable in "
            "ClusterQueue"
        )

    queueing(story)
