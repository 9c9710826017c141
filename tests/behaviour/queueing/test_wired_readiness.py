"""waitForPodsReady, all of queueing together: one at a time, out of time, back again, and at last switched off."""

from __future__ import annotations

from argosy.base.types import Object
from argosy.client.resources import WORKLOADS
from argosy.queueing.configuration import decode
from tests.behaviour.queueing.wired import Port, queueing

HEADER = b"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
ONE_AT_A_TIME = decode(HEADER + b"waitForPodsReady: {timeout: 5m, blockAdmission: true}\n")
RETRIES = decode(
    HEADER
    + b"""
waitForPodsReady:
  timeout: 5m
  requeuingStrategy: {backoffBaseSeconds: 60, backoffLimitCount: 2}
"""
)
# No node has this label, so pods stay pending.
NOWHERE: Object = {"nodeSelector": {"no": "such"}}
WAITS = "False WaitingForPodsReady: waiting for all admitted workloads to be in PodsReady condition"


def test_nobody_is_admitted_before_the_pods_of_the_last_one_are_ready() -> None:
    async def story(port: Port) -> None:
        await port.queues(cpu="100")
        for name in ("a", "b", "c"):
            await port.job(name, pods=4)
        seen = []
        for _ in range(100):
            await port.pass_time(0.1)
            ready = {
                each["metadata"]["name"]
                for each in await port.list(WORKLOADS)
                if any(
                    one["type"] == "PodsReady" and one["status"] == "True"
                    for one in each["status"]["conditions"]
                )
            }
            admitted = await port.admitted()
            assert len(admitted) <= len(ready) + 1
            seen.append(len(admitted))
        assert sorted(set(seen)) == [1, 2, 3]
        assert await port.admitted() == {"a", "b", "c"}

    queueing(story, configuration=ONE_AT_A_TIME)


def test_who_waits_for_the_pods_of_another_says_so_and_goes_on_when_that_is_out_of_time() -> None:
    async def story(port: Port) -> None:
        await port.queues(cpu="100")
        await port.job("stuck", template=NOWHERE)
        await port.pass_time(2)
        await port.job("next")
        await port.pass_time(60)
        assert await port.admitted() == {"stuck"}
        assert (await port.conditions("next"))["QuotaReserved"] == WAITS
        assert await port.told("next") == [f"Warning {WAITS.removeprefix('False ')}"]
        await port.pass_time(250)
        assert await port.admitted() == {"next"}
        assert await port.runs("next")

    queueing(story, configuration=ONE_AT_A_TIME)


def test_pods_that_do_not_get_ready_cost_the_place_then_longer_and_longer_waits_then_the_life() -> (
    None
):
    async def story(port: Port) -> None:
        await port.queues(cpu="2")
        await port.job("stuck", template=NOWHERE)
        await port.pass_time(2)
        key = f"ns/{(await port.workload('stuck'))['metadata']['name']}"
        timeout = f"Exceeded the PodsReady timeout {key}"
        for count, wait in ((1, 60), (2, 120)):
            assert await port.is_admitted("stuck")
            await port.pass_time(300)
            assert not await port.runs("stuck")
            got = await port.conditions("stuck")
            assert got["QuotaReserved"] == f"False PendingEvaluation: {timeout}"
            assert got["Admitted"] == "False NoReservation: The workload has no reservation"
            assert got["Evicted"] == f"True PodsReadyTimeout: {timeout}"
            assert got["Requeued"] == f"False PodsReadyTimeout: {timeout}"
            assert (await port.workload("stuck"))["status"]["requeueState"]["count"] == count
            await port.pass_time(wait - 5)
            assert not await port.is_admitted("stuck")
            await port.pass_time(5)
            got = await port.conditions("stuck")
            assert got["Requeued"] == "True BackoffFinished: The workload backoff was finished"
            assert got["Evicted"] == f"False QuotaReserved: Previously: {timeout}"
            assert await port.is_admitted("stuck")
        await port.pass_time(300)
        got = await port.conditions("stuck")
        ended = (
            "The workload is deactivated due to exceeding the maximum number of re-queuing retries"
        )
        assert got["Evicted"] == f"True DeactivatedDueToRequeuingLimitExceeded: {ended}"
        assert got["QuotaReserved"] == "False Deactivated: The workload is deactivated"
        workload = await port.workload("stuck")
        assert workload["spec"]["active"] is False
        assert "requeueState" not in workload["status"]
        await port.pass_time(3600)
        assert not await port.is_admitted("stuck")
        why = 'cluster_queue="cq",reason="{}",underlying_cause="{}",priority_class=""'
        late, off = (
            why.format(*each)
            for each in (
                ("PodsReadyTimeout", "WaitForStart"),
                ("Deactivated", "RequeuingLimitExceeded"),
            )
        )
        assert await port.metrics("kueue_evicted_workloads_total") == {
            f"evicted_workloads_total{{{late}}}": "2",
            f"evicted_workloads_total{{{off}}}": "1",
        }

    queueing(story, configuration=RETRIES)


def test_who_is_out_of_time_leaves_its_quota_to_others_while_it_waits() -> None:
    async def story(port: Port) -> None:
        await port.queues(cpu="1")
        await port.job("stuck", template=NOWHERE)
        await port.pass_time(2)
        await port.job("next", seconds=30)
        await port.pass_time(299)
        assert await port.admitted() == {"next"}
        await port.pass_time(70)
        assert await port.admitted() == {"stuck"}

    queueing(story, configuration=RETRIES)
