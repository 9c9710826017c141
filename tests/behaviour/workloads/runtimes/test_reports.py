"""Statuses reach the server whatever happens on the way, and no oftener than they must."""

from __future__ import annotations

import asyncio
import random

import pytest

from argosy.api.objects import Pod, decoder
from argosy.base.clock import VirtualClock
from argosy.base.errors import Forbidden, ServiceUnavailable, stale
from argosy.base.ids import SeededIds
from argosy.base.loops import run_virtual
from argosy.client.objects import Key, decode
from argosy.client.resources import EVENTS, PODS
from argosy.control.correlating import Reference
from argosy.workloads.runtimes.recording import BURST, KubeletEvents
from argosy.workloads.runtimes.reporting import PodReports
from tests.fakes.clients import Fault, FaultyClient
from tests.fakes.clusters import memory_client


class Writer:
    """Reports on a cluster in memory behind a bad network; `pods` is what an informer would know."""

    def __init__(self, client: FaultyClient) -> None:
        self.client = client
        self.pods: dict[Key, Pod] = {}
        self.reports = PodReports(client, VirtualClock(), self._get, source=random.Random(1))

    def _get(self, namespace: str, name: str) -> Pod | None:
        return self.pods.get(Key(namespace, name))

    async def make(self, name: str) -> Pod:
        container = {"name": "main", "image": "x"}
        body = {"metadata": {"name": name}, "spec": {"nodeName": "n", "containers": [container]}}
        await self.client.create(PODS, body, namespace="ns")
        return await self.see(name)

    async def see(self, name: str) -> Pod:
        """What an informer would see by now."""
        raw = await self.client.get(PODS, name, namespace="ns")
        pod = self.pods[raw.key] = decoder(Pod)(bytes(raw.body))
        return pod

    async def status(self, name: str) -> dict[str, object]:
        raw = await self.client.get(PODS, name, namespace="ns")
        got: dict[str, object] = decode(raw)["status"]
        return got

    def patches(self) -> int:
        return self.client.calls.count(("patch", "pods"))


def writing(story: object) -> None:
    async def main() -> None:
        writer = Writer(FaultyClient(await memory_client()))
        task = asyncio.create_task(writer.reports.run())
        try:
            await story(writer)  # type: ignore[operator]  # a coroutine function
        finally:
            task.cancel()
            await asyncio.wait({task})

    run_virtual(main())


def test_only_the_last_status_is_written() -> None:
    async def story(writer: Writer) -> None:
        pod = await writer.make("p")
        for number in range(5):
            writer.reports.status(pod, {"phase": "Running", "message": str(number)})
        await asyncio.sleep(1)
        assert (await writer.status("p"))["message"] == "4"
        assert (writer.patches(), len(writer.reports)) == (1, 0)

    writing(story)


def test_what_comes_while_a_write_is_under_way_is_written_after_it() -> None:
    async def story(writer: Writer) -> None:
        pod = await writer.make("p")
        writer.client.fault("patch", Fault(before=1.0))
        writer.reports.status(pod, {"phase": "Running", "message": "first"})
        await asyncio.sleep(0.5)
        writer.reports.status(pod, {"phase": "Running", "message": "second"})
        await asyncio.sleep(2)
        assert (await writer.status("p"))["message"] == "second"
        assert writer.patches() == 2

    writing(story)


def test_a_server_that_is_away_is_tried_again() -> None:
    async def story(writer: Writer) -> None:
        pod = await writer.make("p")
        writer.client.fail("patch", *(ServiceUnavailable("away") for _ in range(4)))
        writer.reports.status(pod, {"phase": "Running"})
        await asyncio.sleep(10)
        assert (await writer.status("p"))["phase"] == "Running"
        assert writer.patches() == 5

    writing(story)


def test_a_status_that_is_refused_is_dropped(caplog: pytest.LogCaptureFixture) -> None:
    async def story(writer: Writer) -> None:
        pod = await writer.make("p")
        writer.client.fail("patch", Forbidden("no"))
        writer.reports.status(pod, {"phase": "Running"})
        await asyncio.sleep(100)
        assert ((await writer.status("p"))["phase"], writer.patches()) == ("Pending", 1)

    writing(story)
    assert "refused: no" in caplog.text


def test_what_others_have_written_meanwhile_stays() -> None:
    async def story(writer: Writer) -> None:
        pod = await writer.make("p")
        mark = {"type": "DisruptionTarget", "status": "True"}
        await writer.client.patch(
            PODS, "p", {"status": {"conditions": [mark]}}, namespace="ns", subresource="status"
        )
        ready = {"type": "Ready", "status": "True"}
        writer.reports.status(pod, {"phase": "Running", "conditions": [ready]})
        await asyncio.sleep(0.005)
        assert (await writer.status("p"))["phase"] == "Pending"
        await writer.see("p")
        await asyncio.sleep(1)
        status = await writer.status("p")
        conditions = status["conditions"]
        assert isinstance(conditions, list)
        assert [one["type"] for one in conditions] == ["DisruptionTarget", "Ready"]
        assert status["phase"] == "Running"

    writing(story)


def test_the_kubelets_own_word_on_a_disruption_stays_too() -> None:
    async def story(writer: Writer) -> None:
        pod = await writer.make("p")
        theirs = {"type": "DisruptionTarget", "status": "False", "reason": "PreemptionByScheduler"}
        await writer.client.patch(
            PODS, "p", {"status": {"conditions": [theirs]}}, namespace="ns", subresource="status"
        )
        await writer.see("p")
        own = {"type": "DisruptionTarget", "status": "True", "reason": "TerminationByKubelet"}
        writer.reports.status(pod, {"phase": "Failed", "conditions": [own]})
        await asyncio.sleep(1)
        conditions = (await writer.status("p"))["conditions"]
        assert isinstance(conditions, list)
        assert [one["reason"] for one in conditions] == ["TerminationByKubelet"]

    writing(story)


def test_a_status_without_conditions_leaves_them_alone() -> None:
    async def story(writer: Writer) -> None:
        pod = await writer.make("p")
        scheduled = {"type": "PodScheduled", "status": "True"}
        await writer.client.patch(
            PODS, "p", {"status": {"conditions": [scheduled]}}, namespace="ns", subresource="status"
        )
        await writer.see("p")
        writer.reports.status(pod, {"phase": "Failed", "reason": "OutOfcpu"})
        await asyncio.sleep(1)
        status = await writer.status("p")
        conditions = status["conditions"]
        assert isinstance(conditions, list)
        assert (status["phase"], conditions[0]["type"]) == ("Failed", "PodScheduled")

    writing(story)


def test_two_writes_in_a_row_do_not_wait_for_the_informer() -> None:
    async def story(writer: Writer) -> None:
        pod = await writer.make("p")
        writer.client.fault("patch", Fault(after=0.1))
        writer.reports.status(pod, {"phase": "Running"})
        await asyncio.sleep(0.05)
        writer.reports.status(pod, {"phase": "Succeeded"})
        await asyncio.sleep(0.06)
        assert (await writer.status("p"))["phase"] == "Succeeded"
        assert writer.patches() == 2

    writing(story)


def test_an_old_reason_is_taken_away() -> None:
    async def story(writer: Writer) -> None:
        pod = await writer.make("p")
        writer.reports.status(pod, {"phase": "Pending", "reason": "Odd", "message": "it is"})
        await asyncio.sleep(0.1)
        writer.reports.status(await writer.see("p"), {"phase": "Running"})
        await asyncio.sleep(0.1)
        assert {"reason", "message"}.isdisjoint(await writer.status("p"))

    writing(story)


def test_a_pod_is_removed_after_its_last_status() -> None:
    async def story(writer: Writer) -> None:
        pod = await writer.make("p")
        await writer.client.delete(PODS, "p", namespace="ns")
        pod = await writer.see("p")
        writer.reports.ended(pod)
        writer.reports.status(pod, {"phase": "Succeeded"})
        await asyncio.sleep(1)
        assert [call for call in writer.client.calls if call[0] in {"patch", "delete"}][-2:] == [
            ("patch", "pods"),
            ("delete", "pods"),
        ]
        assert len(writer.reports) == 0

    writing(story)


def test_a_pod_that_is_gone_is_forgotten() -> None:
    async def story(writer: Writer) -> None:
        pod = await writer.make("p")
        await writer.client.delete(PODS, "p", namespace="ns", grace_seconds=0)
        writer.pods.clear()
        writer.reports.status(pod, {"phase": "Running"})
        writer.reports.ended(pod)
        await asyncio.sleep(1)
        assert len(writer.reports) == 0
        await writer.make("p")
        writer.reports.status(pod, {"phase": "Running"})
        await asyncio.sleep(1)
        assert ((await writer.status("p"))["phase"], len(writer.reports)) == ("Pending", 0)

    writing(story)


def test_many_pods_are_written_a_few_at_a_time() -> None:
    async def story(writer: Writer) -> None:
        pods = [await writer.make(f"p{number}") for number in range(30)]
        writer.reports = PodReports(writer.client, VirtualClock(), writer._get, concurrent=7)
        task = asyncio.create_task(writer.reports.run())
        writer.client.fault("patch", *(Fault(before=1.0) for _ in pods))
        await asyncio.sleep(0)
        for pod in pods:
            writer.reports.status(pod, {"phase": "Running"})
        left = []
        for _ in range(5):
            await asyncio.sleep(1.01)
            left.append(len(writer.reports))
        assert left == [23, 16, 9, 2, 0]
        task.cancel()
        await asyncio.wait({task})

    writing(story)


def test_a_conflict_with_nobody_is_tried_again() -> None:
    async def story(writer: Writer) -> None:
        pod = await writer.make("p")
        writer.client.fail("patch", stale("", "pods", "p"), stale("", "pods", "p"))
        writer.reports.status(pod, {"phase": "Running"})
        await asyncio.sleep(1)
        assert (await writer.status("p"))["phase"] == "Running"

    writing(story)


def test_events_have_their_nodes_as_hosts_and_a_limit() -> None:
    async def main() -> None:
        client = await memory_client()
        events = KubeletEvents(
            client, lambda about: f"node-of-{about.name}",
            clock=VirtualClock(), ids=SeededIds(1), source=random.Random(1),
        )  # fmt: skip
        task = asyncio.create_task(events.run())
        allowed = [events.may_write("Normal") for _ in range(BURST + 50)]
        assert sum(allowed) == BURST
        assert events.may_write("Warning")
        await asyncio.sleep(0.1)
        assert sum(events.may_write("Normal") for _ in range(50)) == 5
        events.event(Reference("Pod", "p", "ns", "u"), "Normal", "Started", "Container started")
        await events.flush()
        event = decode((await client.list(EVENTS)).items[0])
        assert event["source"] == {"component": "kubelet", "host": "node-of-p"}
        assert event["reportingInstance"] == "node-of-p"
        task.cancel()

    run_virtual(main())
