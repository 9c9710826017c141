"""watch: types, order, initial events, selections, resuming, expiry."""

from __future__ import annotations

import pytest

from argosy.apiserver.verbs import watching as serving
from argosy.base.errors import BadRequest, Expired
from argosy.client.objects import WatchEvent, decode
from argosy.client.resources import SECRETS
from tests.behaviour.clients.conftest import Place
from tests.behaviour.clients.waiting import Watcher
from tests.behaviour.clients.widgets import WIDGETS, establish


async def now(place: Place) -> str:
    return (await place.client.list(SECRETS, namespace=place.namespace, limit=1)).revision


async def secret(place: Place, name: str, **labels: str) -> None:
    body = {"metadata": {"name": name, "labels": labels}}
    await place.client.create(SECRETS, body, namespace=place.namespace)


async def label(place: Place, name: str, **labels: str | None) -> None:
    patch = {"metadata": {"labels": labels}}
    await place.client.patch(SECRETS, name, patch, namespace=place.namespace)


async def test_changes_come_in_order_with_their_types(place: Place) -> None:
    since = await now(place)
    client, where = place.client, place.namespace
    async with Watcher(client.watch(SECRETS, namespace=where, since=since)) as watcher:
        await secret(place, "a")
        await label(place, "a", x="1")
        await secret(place, "b")
        await client.delete(SECRETS, "a", namespace=where)
        got = [await watcher.next() for _ in range(4)]
    assert [f"{e.type} {e.object.name}" for e in got] == [
        "ADDED a",
        "MODIFIED a",
        "ADDED b",
        "DELETED a",
    ]
    revisions = [int(e.object.revision) for e in got]
    assert revisions == sorted(set(revisions))
    for event in got:
        obj = decode(event.object)
        assert (obj["kind"], obj["metadata"]["resourceVersion"]) == (
            "Secret",
            event.object.revision,
        )
    # A deleted object is shown in its last state, at the revision of the deletion.
    assert decode(got[3].object)["metadata"]["labels"] == {"x": "1"}


async def test_a_change_that_changes_nothing_is_no_event(place: Place) -> None:
    await secret(place, "a", x="1")
    client, where = place.client, place.namespace
    async with Watcher(client.watch(SECRETS, namespace=where, since=await now(place))) as watcher:
        await label(place, "a", x="1")
        await secret(place, "b")
        assert await watcher.take(1) == ["ADDED b"]


async def test_without_a_revision_what_is_there_comes_first(place: Place) -> None:
    await secret(place, "a")
    await secret(place, "b")
    for since in ("", "0"):
        async with Watcher(
            place.client.watch(SECRETS, namespace=place.namespace, since=since)
        ) as watcher:
            assert sorted(await watcher.take(2)) == ["ADDED a", "ADDED b"]
            await secret(place, f"c{since}")
            assert await watcher.take(1) == [f"ADDED c{since}"]
        await place.client.delete(SECRETS, f"c{since}", namespace=place.namespace)


async def test_initial_events_end_with_a_bookmark(place: Place) -> None:
    await secret(place, "a", tier="front")
    await secret(place, "b", tier="back")
    watch = place.client.watch(
        SECRETS, namespace=place.namespace, label_selector="tier=front", initial_events=True
    )
    async with Watcher(watch) as watcher:
        first, end = await watcher.next(), await watcher.next()
        assert (first.type, first.object.name, first.initial_end) == ("ADDED", "a", False)
        assert (end.type, end.object.name, end.initial_end) == ("BOOKMARK", "", True)
        assert int(end.object.revision) >= int(first.object.revision)
        await secret(place, "c", tier="front")
        assert await watcher.take(1) == ["ADDED c"]
    # The bookmark's revision is where another watch can go on.
    since = end.object.revision
    async with Watcher(
        place.client.watch(SECRETS, namespace=place.namespace, since=since)
    ) as watcher:
        assert await watcher.take(1) == ["ADDED c"]


async def test_initial_events_of_nothing(place: Place) -> None:
    watch = place.client.watch(SECRETS, namespace=place.namespace, initial_events=True)
    async with Watcher(watch) as watcher:
        got = await watcher.next()
    assert (got.type, got.initial_end) == ("BOOKMARK", True)


async def test_objects_enter_and_leave_a_selection(place: Place) -> None:
    await secret(place, "a", tier="back")
    watch = place.client.watch(
        SECRETS, namespace=place.namespace, label_selector="tier=front", since=await now(place)
    )
    async with Watcher(watch) as watcher:
        await label(place, "a", tier="front")
        await label(place, "a", more="1")
        await label(place, "a", tier="back")
        await label(place, "a", tier="front")
        await place.client.delete(SECRETS, "a", namespace=place.namespace)
        got = [await watcher.next() for _ in range(5)]
    assert [e.type for e in got] == ["ADDED", "MODIFIED", "DELETED", "ADDED", "DELETED"]
    # What leaves is shown as it was when it still belonged, at the revision of the change.
    left = decode(got[2].object)["metadata"]
    assert left["labels"] == {"tier": "front", "more": "1"}
    assert (left["resourceVersion"], int(got[2].object.revision) > int(got[1].object.revision)) == (
        got[2].object.revision,
        True,
    )


async def test_one_object_by_its_name(place: Place) -> None:
    watch = place.client.watch(
        SECRETS, namespace=place.namespace, field_selector="metadata.name=b", since=await now(place)
    )
    async with Watcher(watch) as watcher:
        for name in "abc":
            await secret(place, name)
        await place.client.delete(SECRETS, "b", namespace=place.namespace)
        assert await watcher.take(2) == ["ADDED b", "DELETED b"]


async def test_a_watch_over_all_namespaces(place: Place) -> None:
    watch = place.client.watch(
        SECRETS, label_selector=f"of={place.namespace}", since=await now(place)
    )
    async with Watcher(watch) as watcher:
        await secret(place, "a", of=place.namespace)
        got = await watcher.next()
    assert got.object.key == (place.namespace, "a")


async def test_resuming_from_a_revision_loses_nothing_and_repeats_nothing(place: Place) -> None:
    since = await now(place)
    seen: list[str] = []
    for number in range(6):
        await secret(place, f"n{number}")
    # Three watches, each going on where the one before was closed.
    for _ in range(3):
        async with Watcher(
            place.client.watch(SECRETS, namespace=place.namespace, since=since)
        ) as watcher:
            for _ in range(2):
                event: WatchEvent = await watcher.next()
                seen.append(event.object.name)
                since = event.object.revision
    assert seen == [f"n{i}" for i in range(6)]


async def test_a_revision_that_has_left_the_history(place: Place) -> None:
    await establish(place.client)
    for name in "ab":
        await place.client.create(WIDGETS, {"metadata": {"name": name}}, namespace=place.namespace)
    since = await place.world.expire()
    async with Watcher(
        place.client.watch(WIDGETS, namespace=place.namespace, since=since)
    ) as watcher:
        with pytest.raises(Expired) as got:
            await watcher.next()
    assert got.value.message.startswith(f"too old resource version: {since} (")
    assert (got.value.code, got.value.reason) == (410, "Expired")


async def test_a_bad_selector(place: Place) -> None:
    watch = place.client.watch(
        SECRETS, namespace=place.namespace, label_selector="a in (b", since="5"
    )
    async with Watcher(watch) as watcher:
        with pytest.raises(BadRequest, match="unable to parse requirement"):
            await watcher.next()


async def test_a_quiet_watch_over_http_gets_bookmarks(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    if place.world.name != "https":
        pytest.skip(
            "a local watch never breaks and has no bookmarks; kube-apiserver's take a minute"
        )
    monkeypatch.setattr(serving, "BOOKMARK_SECONDS", 0.05)
    async with Watcher(
        place.client.watch(SECRETS, namespace=place.namespace, since=await now(place))
    ) as watcher:
        written = await place.put("elsewhere")
        while int((got := await watcher.next()).object.revision) < int(written.revision):
            assert got.type == "BOOKMARK"
    assert (got.type, got.initial_end, got.object.name) == ("BOOKMARK", False, "")
    watch = place.client.watch(
        SECRETS, namespace=place.namespace, since=await now(place), bookmarks=False
    )
    async with Watcher(watch) as watcher:
        await secret(place, "a")
        assert await watcher.take(1) == ["ADDED a"]
