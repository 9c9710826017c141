"""The event recorder on a cluster in memory behind a bad network, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from argosy.base.clock import VirtualClock
from argosy.base.errors import Forbidden, ServiceUnavailable
from argosy.base.ids import SeededIds
from argosy.base.loops import run_virtual
from argosy.base.types import Object
from argosy.client.objects import Raw
from argosy.client.resources import EVENTS, Resource
from argosy.control.correlating import Reference
from argosy.control.recorders import LANES, EventRecorder
from tests.fakes.clients import FaultyClient
from tests.fakes.clusters import memory_client

POD = Reference(kind="Pod", name="web", namespace="ns", uid="1", apiVersion="v1")
NODE = Reference(kind="Node", name="node-1", apiVersion="v1")


def play(
    story: Callable[[EventRecorder, FaultyClient], Awaitable[None]], **limits: Any
) -> list[Object]:
    async def main() -> list[Object]:
        client = FaultyClient(await memory_client(("ns", "default")))
        recorder = EventRecorder(
            client, "tester", clock=VirtualClock(), host="h1", ids=SeededIds(1), **limits
        )
        task = asyncio.create_task(recorder.run())
        await story(recorder, client)
        await recorder.flush()
        task.cancel()
        return await client.objects(EVENTS)

    return run_virtual(main())


def test_an_event_has_every_field_kubectl_shows() -> None:
    async def story(recorder: EventRecorder, _: FaultyClient) -> None:
        recorder.event(POD, "Normal", "Started", "Started container main")

    want = {
        "kind": "Event",
        "apiVersion": "v1",
        "involvedObject": {"kind": "Pod", "name": "web", "namespace": "ns", "uid": "1", "apiVersion": "v1"},
        "reason": "Started",
        "message": "Started container main",
        "type": "Normal",
        "count": 1,
        "eventTime": None,
        "firstTimestamp": "2026-01-01T00:00:00Z",
        "lastTimestamp": "2026-01-01T00:00:00Z",
        "source": {"component": "tester", "host": "h1"},
        "reportingComponent": "tester",
        "reportingInstance": "h1",
    }  # fmt: skip
    (got,) = play(story)
    meta = got.pop("metadata")
    assert got == want
    assert (meta["name"], meta["namespace"]) == (f"web.{1767225600 * 10**9:x}", "ns")


def test_repetitions_raise_the_count() -> None:
    async def story(recorder: EventRecorder, _: FaultyClient) -> None:
        for _number in range(3):
            recorder.event(POD, "Warning", "BackOff", "again")
            await asyncio.sleep(10)

    (got,) = play(story)
    assert [got[k] for k in ("count", "firstTimestamp", "lastTimestamp")] == [
        3,
        "2026-01-01T00:00:00Z",
        "2026-01-01T00:00:20Z",
    ]


def test_similar_events_are_combined() -> None:
    async def story(recorder: EventRecorder, _: FaultyClient) -> None:
        for number in range(12):
            recorder.event(POD, "Warning", "Failed", f"attempt {number}")
            await asyncio.sleep(1)

    got = play(story)
    assert len(got) == 10
    assert (got[-1]["message"], got[-1]["count"]) == (
        "(combined from similar events): attempt 11",
        3,
    )


def test_an_event_that_was_deleted_is_written_anew_with_its_count() -> None:
    async def story(recorder: EventRecorder, client: FaultyClient) -> None:
        recorder.event(POD, "Normal", "R", "m")
        await recorder.flush()
        await client.delete_collection(EVENTS, namespace="ns")
        await asyncio.sleep(1)
        recorder.event(POD, "Normal", "R", "m")

    (got,) = play(story)
    assert (got["count"], got["firstTimestamp"], got["lastTimestamp"]) == (
        2,
        "2026-01-01T00:00:00Z",
        "2026-01-01T00:00:01Z",
    )
    assert got["metadata"]["name"] == f"web.{1767225600 * 10**9:x}"


def test_events_of_cluster_scoped_objects_live_in_default() -> None:
    async def story(recorder: EventRecorder, _: FaultyClient) -> None:
        recorder.event(NODE, "Normal", "Ready", "m")

    assert [e["metadata"]["namespace"] for e in play(story)] == ["default"]


def test_an_outage_delays_events(caplog: pytest.LogCaptureFixture) -> None:
    async def story(recorder: EventRecorder, client: FaultyClient) -> None:
        client.fail("create", *[ServiceUnavailable("down")] * 3)
        recorder.event(POD, "Normal", "R", "m")

    assert len(play(story)) == 1
    assert [r.getMessage() for r in caplog.records] == ["tester: cannot write event: down"] * 3


def test_a_long_outage_drops_an_event(caplog: pytest.LogCaptureFixture) -> None:
    async def story(recorder: EventRecorder, client: FaultyClient) -> None:
        client.fail("create", *[ServiceUnavailable("down")] * 12)
        recorder.event(POD, "Normal", "R", "m")

    assert play(story) == []
    assert caplog.records[-1].getMessage() == "tester: event R given up"


def test_a_refused_event_is_dropped_and_others_go_on(caplog: pytest.LogCaptureFixture) -> None:
    async def story(recorder: EventRecorder, client: FaultyClient) -> None:
        client.fail("create", Forbidden("you may not"))
        recorder.event(POD, "Normal", "R", "one")
        recorder.event(POD, "Normal", "R", "two")

    assert [e["message"] for e in play(story)] == ["two"]
    assert [r.getMessage() for r in caplog.records] == ["tester: event refused: you may not"]


def test_a_name_that_cannot_be_an_event_name_is_replaced() -> None:
    async def story(recorder: EventRecorder, _: FaultyClient) -> None:
        recorder.event(Reference(kind="X", name="Not_A_Name"), "Normal", "R", "m")

    assert [e["metadata"]["name"] for e in play(story)] == [SeededIds(1).uid()]


def test_a_long_message_is_shortened() -> None:
    async def story(recorder: EventRecorder, _: FaultyClient) -> None:
        recorder.event(POD, "Normal", "R", "é" * 1000)

    (got,) = play(story)
    assert (len(got["message"].encode()) <= 1024, got["message"][-4:]) == (True, "é...")


def test_a_full_queue_drops_events_and_says_how_many(caplog: pytest.LogCaptureFixture) -> None:
    async def story(recorder: EventRecorder, client: FaultyClient) -> None:
        for number in range(7):
            recorder.event(NODE, "Normal", "R", str(number))

    got = play(story, queued=3)
    assert [e["message"] for e in got] == ["0", "1", "2"]
    assert [r.getMessage() for r in caplog.records] == [
        "tester: too many events, dropped 1",
        "tester: too many events, dropped 3",
    ]


def test_drops_are_told_once_in_ten_seconds(caplog: pytest.LogCaptureFixture) -> None:
    async def story(recorder: EventRecorder, client: FaultyClient) -> None:
        client.fail("create", *[ServiceUnavailable("down")] * 3)
        for _second in range(25):
            recorder.event(NODE, "Normal", "R", "m")
            await asyncio.sleep(1)

    (got,) = play(story, queued=1)
    told = [r.getMessage() for r in caplog.records if "too many" in r.getMessage()]
    dropped = [int(text.rpartition(" ")[2]) for text in told]
    # Every one is written or told of as dropped, in a line at the first drop, every ten seconds, and at the end.
    assert (sum(dropped) + got["count"], dropped[0], len(dropped) <= 4) == (25, 1, True)


def test_a_burst_is_written_side_by_side_and_in_order_for_each_object() -> None:
    written: list[tuple[str, str]] = []

    async def story(recorder: EventRecorder, client: FaultyClient) -> None:
        create = client.create

        async def slow(resource: Resource, obj: Object, **options: Any) -> Raw:
            await asyncio.sleep(1)
            written.append((obj["involvedObject"].name, obj["reason"]))
            return await create(resource, obj, **options)

        client.create = slow  # type: ignore[method-assign]
        for number in range(LANES * 8):
            pod = Reference(kind="Pod", name=f"web-{number}", namespace="ns")
            for reason in ("Scheduled", "Pulled", "Started"):
                recorder.event(pod, "Normal", reason, "m")
        start = VirtualClock().monotonic()
        await recorder.flush()
        # One after the other it would take a second each.
        assert VirtualClock().monotonic() - start < LANES * 8 * 3 / 4

    got = play(story)
    assert len(got) == len(written) == LANES * 8 * 3
    for number in range(LANES * 8):
        reasons = [reason for name, reason in written if name == f"web-{number}"]
        assert reasons == ["Scheduled", "Pulled", "Started"]


def test_events_of_one_moment_are_all_written() -> None:
    async def story(recorder: EventRecorder, _: FaultyClient) -> None:
        for reason in ("Pulled", "Created", "Started"):
            recorder.event(POD, "Normal", reason, "m")

    assert sorted(e["reason"] for e in play(story)) == ["Created", "Pulled", "Started"]


def test_a_budget_slows_writing_down() -> None:
    async def story(recorder: EventRecorder, _: FaultyClient) -> None:
        for number in range(25):
            pod = Reference(kind="Pod", name=f"web-{number}", namespace="ns")
            recorder.event(pod, "Normal", "R", "m")
        start = VirtualClock().monotonic()
        await recorder.flush()
        # Five at once, then two a second.
        assert VirtualClock().monotonic() - start == 10.0

    assert len(play(story, per_second=2, burst=5)) == 25


def test_a_try_that_was_not_answered_is_not_written_twice() -> None:
    async def story(recorder: EventRecorder, client: FaultyClient) -> None:
        create = client.create
        answers = iter([False, True])

        async def unanswered(resource: Resource, obj: Object, **options: Any) -> Raw:
            raw = await create(resource, obj, **options)
            if next(answers):
                return raw
            raise ServiceUnavailable("lost on the way back")

        client.create = unanswered  # type: ignore[method-assign]
        recorder.event(POD, "Normal", "R", "m")

    assert len(play(story)) == 1


def test_what_was_noted_before_is_written_by_the_next_run() -> None:
    async def main() -> list[Object]:
        client = FaultyClient(await memory_client(("ns",)))
        recorder = EventRecorder(client, "tester", clock=VirtualClock())
        client.fail("create", ServiceUnavailable("down"))
        first = asyncio.create_task(recorder.run())
        for number in range(3):
            recorder.event(POD, "Normal", "R", str(number))
        await asyncio.sleep(0.001)
        first.cancel()
        await asyncio.wait([first])
        second = asyncio.create_task(recorder.run())
        await recorder.flush()
        second.cancel()
        return await client.objects(EVENTS)

    # The one that was being written is lost.
    assert [e["message"] for e in run_virtual(main())] == ["1", "2"]
