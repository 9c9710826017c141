"""stopPolicy of ClusterQueues and LocalQueues, all of queueing together: hold, drain, resume."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from argosy.client.resources import CLUSTER_QUEUES, LOCAL_QUEUES, Resource
from tests.behaviour.queueing.wired import SUBMIT, Port, queueing

READY = "True Ready: Can admit new workloads"
OPEN = "True Ready: Can submit new workloads to localQueue"


@dataclass
class Case:
    resource: Resource
    name: str
    # The conditions Active of the ClusterQueue and of the LocalQueue, and what a workload is told, while stopped.
    cluster_queue: str
    local_queue: str
    told: str

    @property
    def kind(self) -> str:
        return self.resource.kind


CASES = {
    "a ClusterQueue": Case(
        CLUSTER_QUEUES,
        "cq",
        "False Stopped: Can't admit new workloads: is stopped.",
        f"False ClusterQueueIsInactive: {SUBMIT}",
        "False Suspended: ClusterQueue cq is inactive",
    ),
    "a LocalQueue": Case(
        LOCAL_QUEUES,
        "lq",
        READY,
        "False Stopped: LocalQueue is stopped",
        "False Suspended: LocalQueue lq is inactive",
    ),
}
each_queue = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())


async def stop(port: Port, case: Case, policy: str) -> None:
    await port.patch(case.resource, case.name, {"spec": {"stopPolicy": policy}})


@each_queue
def test_what_holds_admits_nobody_and_lets_run_what_runs(case: Case) -> None:
    async def story(port: Port) -> None:
        await port.queues()
        await port.job("runs")
        await port.pass_time(5)
        await stop(port, case, "Hold")
        await port.job("waits")
        await port.pass_time(120)
        assert await port.active(CLUSTER_QUEUES, "cq") == case.cluster_queue
        assert await port.active(LOCAL_QUEUES, "lq") == case.local_queue
        assert (await port.conditions("waits"))["QuotaReserved"] == case.told
        assert await port.admitted() == {"runs"}
        assert await port.runs("runs")
        await stop(port, case, "None")
        await port.pass_time(5)
        assert await port.active(CLUSTER_QUEUES, "cq") == READY
        assert await port.active(LOCAL_QUEUES, "lq") == OPEN
        assert await port.admitted() == {"runs", "waits"}

    queueing(story)


@each_queue
def test_what_drains_stops_what_runs_and_runs_it_again_when_it_resumes(case: Case) -> None:
    async def story(port: Port) -> None:
        await port.queues()
        await port.job("runs")
        await port.pass_time(5)
        await stop(port, case, "HoldAndDrain")
        await port.pass_time(60)
        got = await port.conditions("runs")
        stopped = f"{case.kind}Stopped: The {case.kind} is stopped"
        assert got["Evicted"] == f"True {stopped}"
        assert got["Requeued"] == f"False {stopped}"
        assert got["QuotaReserved"] == case.told
        assert not await port.runs("runs")
        queue = await port.found(CLUSTER_QUEUES, "cq")
        # What is stopped with a LocalQueue waits in no line.
        pending = 1 if case.resource == CLUSTER_QUEUES else 0
        assert (queue["status"]["pendingWorkloads"], queue["status"]["reservingWorkloads"]) == (
            pending,
            0,
        )
        await stop(port, case, "None")
        await port.pass_time(5)
        got = await port.conditions("runs")
        restarted = f"The {case.kind} was restarted after being stopped"
        assert got["Requeued"] == f"True {case.kind}Restarted: {restarted}"
        assert got["Evicted"] == f"False QuotaReserved: Previously: The {case.kind} is stopped"
        assert await port.runs("runs")
        assert f"Normal EvictedDueTo{stopped}" in await port.told("runs")

    queueing(story)


@each_queue
def test_who_waits_for_checks_gives_its_reservation_back_to_a_queue_that_holds(case: Case) -> None:
    async def story(port: Port) -> None:
        await port.check()
        await port.queues(
            admissionChecksStrategy={"admissionChecks": [{"name": "budget"}]},
        )
        await port.job("checked")
        await port.pass_time(5)
        assert (await port.conditions("checked"))["QuotaReserved"].startswith("True")
        await stop(port, case, "Hold")
        await port.pass_time(5)
        got = await port.conditions("checked")
        assert got["QuotaReserved"].startswith("False Suspended: ")
        assert "Evicted" not in got
        assert (await port.found(CLUSTER_QUEUES, "cq"))["status"]["reservingWorkloads"] == 0
        await stop(port, case, "None")
        await port.pass_time(5)
        assert (await port.conditions("checked"))["QuotaReserved"].startswith("True")

    queueing(story)
