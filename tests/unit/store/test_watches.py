"""Watches: what they see, where they begin, and how they end."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import msgspec
import pytest

from argosy.store import Bounds, Closed, Compacted, Selection, TooSlow, Watch
from tests.unit.store.writing import delete, key, put, run, selection, told


def test_a_watch_sees_every_change_in_order_with_what_was_before(make) -> None:
    async def scenario() -> None:
        store = make()
        watch = store.watch("pods")
        first = await put(store, key("a"))
        second = await put(store, key("a"))
        await put(store, key("x", resource="services"))
        gone = await delete(store, key("a"))
        got = await watch.next()
        assert told(got) == [("ADDED", "a", 2), ("MODIFIED", "a", 3), ("DELETED", "a", 5)]
        assert [event.record for event in got] == [first, second, gone]
        assert [event.previous for event in got] == [None, first, second]
        await store.close()

    run(scenario())


def test_a_watch_from_a_revision_begins_with_the_history(make) -> None:
    async def scenario() -> None:
        store = make()
        for name in "abc":
            await put(store, key(name))
        watch = store.watch("pods", since=2)
        await put(store, key("d"))
        assert told(await watch.next()) == [("ADDED", "b", 3), ("ADDED", "c", 4), ("ADDED", "d", 5)]
        assert watch.take() == []
        await store.close()

    run(scenario())


def test_a_watch_from_before_the_history_is_refused(make) -> None:
    async def scenario() -> None:
        store = make(Bounds(2, 1 << 20))
        for name in "abcd":
            await put(store, key(name))
        with pytest.raises(Compacted):
            store.watch("pods", since=2)
        assert told(store.watch("pods", since=3).take()) == [("ADDED", "c", 4), ("ADDED", "d", 5)]
        await store.close()

    run(scenario())


def test_a_watch_from_the_future_waits_for_it(make) -> None:
    async def scenario() -> None:
        store = make()
        watch = store.watch("pods", since=3)
        assert watch.revision == 3
        for name in "abc":
            await put(store, key(name))
        assert told(watch.take()) == [("ADDED", "c", 4)]
        await store.close()

    run(scenario())


def test_a_watch_of_all_resources_sees_them_all(make) -> None:
    async def scenario() -> None:
        store = make()
        await put(store, key("a"))
        watch = store.watch(None, Selection("default"), since=1)
        await put(store, key("b", resource="services"))
        await put(store, key("c", "other"))
        assert told(watch.take()) == [("ADDED", "a", 2), ("ADDED", "b", 3)]
        await store.close()

    run(scenario())


@dataclass
class Case:
    select: Selection
    want: list[str]


# Written: web on n1 (job=a), moved to n2, job=b, then n1 again, deleted; db beside it in another namespace.
TRANSITIONS: dict[str, Case] = {
    "everything": Case(
        selection(),
        ["ADDED 2", "ADDED 3", "MODIFIED 4", "MODIFIED 5", "MODIFIED 6", "DELETED 7"],
    ),
    "its namespace": Case(
        selection(namespace="default"),
        ["ADDED 2", "MODIFIED 4", "MODIFIED 5", "MODIFIED 6", "DELETED 7"],
    ),
    "another namespace": Case(selection(namespace="other"), ["ADDED 3"]),
    "its name": Case(
        selection(fields="metadata.name=web"),
        ["ADDED 2", "MODIFIED 4", "MODIFIED 5", "MODIFIED 6", "DELETED 7"],
    ),
    "a node it leaves and comes back to": Case(
        selection(fields="spec.nodeName=n1"), ["ADDED 2", "DELETED 4", "ADDED 6", "DELETED 7"]
    ),
    "a node it visits": Case(
        selection(fields="spec.nodeName=n2"), ["ADDED 4", "MODIFIED 5", "DELETED 6"]
    ),
    "any node but one": Case(
        selection(fields="spec.nodeName!=n1"), ["ADDED 3", "ADDED 4", "MODIFIED 5", "DELETED 6"]
    ),
    "a label it loses": Case(selection("job=a"), ["ADDED 2", "MODIFIED 4", "DELETED 5"]),
    "a label it gains": Case(selection("job=b"), ["ADDED 5", "MODIFIED 6", "DELETED 7"]),
    "a label it never has": Case(selection("job=c"), []),
}


@pytest.mark.parametrize("resumed", [False, True], ids=["live", "from the history"])
@pytest.mark.parametrize("case", TRANSITIONS.values(), ids=TRANSITIONS.keys())
def test_a_selection_has_a_history_of_its_own(make, case: Case, resumed: bool) -> None:
    async def scenario() -> None:
        store = make()
        watch = None if resumed else store.watch("pods", case.select)
        await put(store, key("web"), {"job": "a"}, fields={"spec.nodeName": "n1"})
        await put(store, key("db", "other"))
        await put(store, key("web"), {"job": "a"}, fields={"spec.nodeName": "n2"})
        await put(store, key("web"), {"job": "b"}, fields={"spec.nodeName": "n2"})
        await put(store, key("web"), {"job": "b"}, fields={"spec.nodeName": "n1"})
        await delete(store, key("web"))
        if watch is None:
            watch = store.watch("pods", case.select, since=1)
        got = watch.take()
        assert [f"{event.type} {event.revision}" for event in got] == case.want
        for event in got:
            assert msgspec.json.decode(event.record.raw)["metadata"]["resourceVersion"] == str(
                event.revision
            )
        await store.close()

    run(scenario())


def test_an_object_that_leaves_a_selection_is_shown_as_it_was(make) -> None:
    async def scenario() -> None:
        store = make()
        inside = {"metadata": {"resourceVersion": "2"}}
        await put(store, key("a"), {"job": "a"}, body=inside)
        watches = [store.watch("pods", selection("job=a")) for _ in range(2)]
        await put(store, key("a"), {"job": "b"})
        (event,), (same,) = (watch.take() for watch in watches)
        got = msgspec.json.decode(event.record.raw)
        assert event is same
        assert (event.type, got["metadata"]["labels"]) == ("DELETED", {"job": "a"})
        assert (got["metadata"]["resourceVersion"], got["spec"]["body"]) == ("3", inside)
        await store.close()

    run(scenario())


def test_watchers_share_the_frames_of_an_event(make) -> None:
    async def scenario() -> None:
        store = make()
        one, two = store.watch("pods"), store.watch("pods")
        await put(store, key("a"))
        one.take()[0].frames["json"] = b"encoded"
        assert two.take()[0].frames == {"json": b"encoded"}
        await store.close()

    run(scenario())


def test_a_bookmark_covers_what_was_taken_or_did_not_match(make) -> None:
    async def scenario() -> None:
        store = make()
        watch = store.watch("pods", selection("job=a"))
        assert watch.revision == 1
        await put(store, key("a"), {"job": "b"})
        assert watch.revision == 2
        await put(store, key("b"), {"job": "a"})
        await put(store, key("c"), {"job": "a"})
        assert watch.revision == 2
        watch.take()
        assert watch.revision == 4
        await store.close()

    run(scenario())


def test_next_waits_for_the_first_event(make) -> None:
    async def scenario() -> None:
        store = make()
        watch = store.watch("pods")
        reader = asyncio.create_task(watch.next())
        await asyncio.sleep(0)
        assert not reader.done()
        await put(store, key("a"))
        assert told(await reader) == [("ADDED", "a", 2)]
        await store.close()

    run(scenario())


def test_a_reader_that_gives_up_loses_nothing(make) -> None:
    async def scenario() -> None:
        store = make()
        watch = store.watch("pods")
        reader = asyncio.create_task(watch.next())
        await asyncio.sleep(0)
        reader.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reader
        await put(store, key("a"))
        assert told(await watch.next()) == [("ADDED", "a", 2)]
        await store.close()

    run(scenario())


@pytest.mark.parametrize("bounds", [Bounds(3, 1 << 20), Bounds(100, 1000)], ids=["events", "bytes"])
def test_a_slow_watcher_is_cut_off_and_others_go_on(make, bounds: Bounds) -> None:
    async def scenario() -> None:
        store = make()
        slow, fast = store.watch("pods", buffer=bounds), store.watch("pods", buffer=bounds)
        for name in "abcde":
            await put(store, key(name), body="x" * 200)
            fast.take()
        with pytest.raises(TooSlow):
            await slow.next()
        assert slow.revision == 1
        await put(store, key("f"))
        assert told(fast.take()) == [("ADDED", "f", 7)]
        with pytest.raises(TooSlow):
            slow.take()
        await store.close()

    run(scenario())


def test_the_history_a_watch_begins_with_does_not_count_as_slowness(make) -> None:
    async def scenario() -> None:
        store = make()
        for name in "abcde":
            await put(store, key(name))
        watch = store.watch("pods", since=1, buffer=Bounds(2, 1 << 20))
        await put(store, key("f"))
        assert len(await watch.next()) == 6
        await store.close()

    run(scenario())


def test_a_closed_watch_ends_its_reader(make) -> None:
    async def scenario() -> None:
        store = make()
        watch, other = store.watch("pods"), store.watch("pods", selection(fields="spec.nodeName=n"))
        readers = [asyncio.create_task(w.next()) for w in (watch, other)]
        await asyncio.sleep(0)
        watch.close()
        watch.close()
        await store.close()
        for reader in readers:
            with pytest.raises(Closed):
                await reader

    run(scenario())


def test_an_event_is_offered_only_where_it_may_matter(
    make, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        store = make()
        offered: list[str] = []
        monkeypatch.setattr(Watch, "offer", lambda watch, event: offered.append(watch.route[1]))
        for i in range(100):
            store.watch("pods", selection(fields=f"spec.nodeName=n{i}"))
            store.watch("pods", selection(fields=f"metadata.name=p{i}"))
            store.watch("pods", selection(namespace=f"ns{i}"))
        await put(store, key("p5", "ns7"), fields={"spec.nodeName": "n3"})
        await put(store, key("p5", "ns7"), fields={"spec.nodeName": "n4"})
        assert offered == ["ns7", "p5", "n3", "ns7", "p5", "n4", "n3"]
        await store.close()

    run(scenario())
