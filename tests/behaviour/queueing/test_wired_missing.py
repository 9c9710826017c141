"""What is missing, goes, or contradicts itself, all of queueing together: queues, flavors, cohorts in a circle. Nothing
is stuck, and nothing is counted twice, once that is mended.
"""

from __future__ import annotations

from argosy.client.resources import (
    CLUSTER_QUEUES,
    COHORTS,
    JOBS,
    LOCAL_QUEUES,
    RESOURCE_FLAVORS,
    WORKLOADS,
)
from tests.behaviour.queueing.wired import IN_USE, SUBMIT, Port, queueing

READY = "True Ready: Can admit new workloads"
NO_QUEUE = f"False ClusterQueueDoesNotExist: {SUBMIT}"
INACTIVE = f"False ClusterQueueIsInactive: {SUBMIT}"


async def reserved(port: Port, job: str) -> str:
    return (await port.conditions(job))["QuotaReserved"]


def test_a_queue_with_workloads_goes_when_the_last_of_them_has() -> None:
    async def story(port: Port) -> None:
        await port.queues(cpu="1")
        await port.job("runs", seconds=60)
        await port.pass_time(5)
        await port.job("waits")
        await port.pass_time(5)
        await port.delete(CLUSTER_QUEUES, "cq")
        await port.pass_time(5)
        queue = await port.found(CLUSTER_QUEUES, "cq")
        assert queue["metadata"]["finalizers"] == [IN_USE]
        assert await port.active(CLUSTER_QUEUES, "cq") == (
            "False Terminating: Can't admit new workloads; clusterQueue is terminating"
        )
        assert await port.active(LOCAL_QUEUES, "lq") == INACTIVE
        assert await reserved(port, "waits") == "False Suspended: ClusterQueue cq is inactive"
        assert await port.runs("runs")
        await port.pass_time(90)
        assert await port.get(CLUSTER_QUEUES, "cq") is None
        assert await port.active(LOCAL_QUEUES, "lq") == NO_QUEUE
        assert await reserved(port, "waits") == "False Misconfigured: ClusterQueue cq doesn't exist"
        assert (await port.conditions("runs"))["Finished"].startswith("True Succeeded")
        # One of the same name is another one, and takes up who waits.
        await port.cluster_queue(cpu="1")
        await port.pass_time(5)
        assert await port.admitted() == {"waits"}
        status = (await port.found(CLUSTER_QUEUES, "cq"))["status"]
        assert (status["reservingWorkloads"], status["pendingWorkloads"]) == (1, 0)

    queueing(story)


def test_a_local_queue_that_goes_leaves_what_runs_alone() -> None:
    async def story(port: Port) -> None:
        await port.queues(cpu="1")
        await port.job("runs")
        await port.pass_time(5)
        await port.job("waits")
        await port.pass_time(5)
        await port.delete(LOCAL_QUEUES, "lq")
        await port.pass_time(30)
        assert await port.runs("runs")
        assert await reserved(port, "waits") == "False Misconfigured: LocalQueue lq doesn't exist"
        await port.delete(JOBS, "runs")
        await port.pass_time(10)
        assert await port.admitted() == set()
        await port.local_queue()
        await port.pass_time(5)
        assert await port.admitted() == {"waits"}

    queueing(story)


def test_a_flavor_goes_when_no_queue_names_it() -> None:
    async def story(port: Port) -> None:
        await port.queues()
        await port.delete(RESOURCE_FLAVORS, "default")
        await port.pass_time(5)
        flavor = await port.found(RESOURCE_FLAVORS, "default")
        assert flavor["metadata"]["finalizers"] == [IN_USE]
        await port.delete(CLUSTER_QUEUES, "cq")
        await port.pass_time(5)
        assert await port.get(RESOURCE_FLAVORS, "default") is None

    queueing(story)


def test_a_queue_waits_for_its_flavor() -> None:
    async def story(port: Port) -> None:
        await port.cluster_queue()
        await port.local_queue()
        await port.job("a")
        await port.pass_time(5)
        missing = "references missing ResourceFlavor(s): default"
        assert await port.active(CLUSTER_QUEUES, "cq") == (
            f"False FlavorNotFound: Can't admit new workloads: {missing}."
        )
        assert await port.active(LOCAL_QUEUES, "lq") == INACTIVE
        assert await reserved(port, "a") == "False Suspended: ClusterQueue cq is inactive"
        await port.flavor()
        await port.pass_time(5)
        assert await port.active(CLUSTER_QUEUES, "cq") == READY
        assert await port.admitted() == {"a"}

    queueing(story)


def test_jobs_wait_for_queues_that_are_not_there_yet() -> None:
    async def story(port: Port) -> None:
        await port.flavor()
        await port.local_queue("door", "nobody")
        await port.job("early", queue="later")
        await port.job("at-the-door", queue="door")
        await port.pass_time(5)
        assert (
            await reserved(port, "early") == "False Misconfigured: LocalQueue later doesn't exist"
        )
        assert await reserved(port, "at-the-door") == (
            "False Misconfigured: ClusterQueue nobody doesn't exist"
        )
        assert await port.active(LOCAL_QUEUES, "door") == NO_QUEUE
        await port.cluster_queue("nobody")
        await port.local_queue("later", "nobody")
        await port.pass_time(5)
        assert await port.admitted() == {"early", "at-the-door"}

    queueing(story)


def test_a_namespace_that_is_not_selected_is_told() -> None:
    async def story(port: Port) -> None:
        await port.queues(namespaceSelector={"matchLabels": {"team": "b"}})
        await port.job("a")
        await port.pass_time(5)
        assert await reserved(port, "a") == (
            "False Misconfigured: workload namespace doesn't match ClusterQueue selector"
        )
        await port.patch(
            CLUSTER_QUEUES, "cq", {"spec": {"namespaceSelector": {"matchLabels": None}}}
        )
        await port.pass_time(5)
        assert await port.admitted() == {"a"}

    queueing(story)


def test_cohorts_in_a_circle_admit_nobody_until_it_is_broken_and_count_what_runs() -> None:
    async def story(port: Port) -> None:
        await port.flavor()
        await port.cohort("a", parentName="b")
        await port.cohort("b")
        await port.cluster_queue(cpu="2", cohortName="a")
        await port.cluster_queue("apart", "2", cohortName="c")
        await port.local_queue()
        await port.local_queue("elsewhere", "apart")
        await port.job("runs")
        await port.pass_time(5)
        await port.patch(COHORTS, "b", {"spec": {"parentName": "a"}})
        await port.job("waits", cpu="2")
        await port.job("apart", queue="elsewhere")
        await port.pass_time(30)
        assert await port.active(CLUSTER_QUEUES, "cq") == (
            "False Unknown: Can't admit new workloads: its cohorts form a cycle."
        )
        assert await port.active(CLUSTER_QUEUES, "apart") == READY
        assert await reserved(port, "waits") == "False Suspended: ClusterQueue cq is inactive"
        assert await port.admitted() == {"runs", "apart"}
        assert await port.runs("runs")
        await port.patch(COHORTS, "b", {"spec": {"parentName": None}})
        await port.pass_time(5)
        assert await port.active(CLUSTER_QUEUES, "cq") == READY
        # One of two CPUs is taken, by what ran through it all.
        assert await port.admitted() == {"runs", "apart"}
        assert (await reserved(port, "waits")).startswith("False WaitingForQuota: ")
        await port.delete(JOBS, "runs")
        await port.pass_time(10)
        assert await port.admitted() == {"waits", "apart"}

    queueing(story)


def test_a_workload_whose_job_is_gone_holds_nothing() -> None:
    async def story(port: Port) -> None:
        await port.queues(cpu="1")
        await port.job("a")
        await port.pass_time(5)
        await port.job("b")
        await port.delete(JOBS, "a")
        await port.pass_time(10)
        assert await port.admitted() == {"b"}
        assert len(await port.list(WORKLOADS)) == 1

    queueing(story)
