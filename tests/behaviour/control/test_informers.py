"""Informers on a cluster in memory behind a bad network, in virtual time."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argosy.apiserver.access.identities import ADMIN
from argosy.base.clock import VirtualClock
from argosy.base.errors import Invalid, ServiceUnavailable
from argosy.base.loops import run_virtual
from argosy.client.local import LocalClient
from argosy.client.resources import CONFIG_MAPS, PODS
from argosy.control.informers import EVERYTHING, Informer, Informers, Selection
from argosy.store import Key, Store
from argosy.store import Meta as Facts
from tests.fakes.clients import FaultyClient
from tests.fakes.clusters import memory_client, memory_server


class Meta(msgspec.Struct, frozen=True):
    name: str
    namespace: str = ""
    labels: dict[str, str] = {}


class ConfigMap(msgspec.Struct, frozen=True):
    metadata: Meta
    data: dict[str, str] = {}


class World:
    """A cluster, an informer on it, and what its handler was told."""

    def __init__(self, client: FaultyClient, selection: Selection = EVERYTHING) -> None:
        self.client = client
        self.informer = Informer(
            self.client, CONFIG_MAPS, ConfigMap, clock=VirtualClock(), selection=selection
        )
        self.news: list[str] = []
        self.informer.add_handler(self.note)

    def note(self, old: ConfigMap | None, new: ConfigMap | None) -> None:
        obj = new or old
        assert obj is not None
        mark = "~" if old and new else "+" if new else "-"
        self.news.append(f"{mark}{obj.metadata.name}{obj.data.get('v', '')}")

    async def put(
        self, name: str, value: str = "", *, namespace: str = "ns", **labels: str
    ) -> None:
        body = {"metadata": {"name": name, "labels": labels}, "data": {"v": value}}
        await self.client.apply(
            CONFIG_MAPS, name, body, field_manager="t", namespace=namespace, force=True
        )

    async def drop(self, name: str) -> None:
        await self.client.delete(CONFIG_MAPS, name, namespace="ns")


def play(story: Callable[[World], Awaitable[None]], selection: Selection = EVERYTHING) -> World:
    async def main() -> World:
        world = World(FaultyClient(await memory_client(("ns", "other"))), selection)
        task = asyncio.create_task(world.informer.run())
        await story(world)
        await asyncio.sleep(60)
        task.cancel()
        return world

    return run_virtual(main())


def contents(world: World) -> dict[str, str]:
    return {key.name: obj.data["v"] for key, obj in world.informer.items()}


def test_it_lists_then_follows() -> None:
    async def story(world: World) -> None:
        await world.put("a", "1")
        await world.informer.synced()
        await world.put("b", "1")
        await world.put("a", "2")
        await asyncio.sleep(1)
        await world.drop("b")

    world = play(story)
    assert (world.news, contents(world)) == (["+a1", "+b1", "~a2", "-b1"], {"a": "2"})


def test_an_empty_selection_is_synced() -> None:
    async def story(world: World) -> None:
        async with asyncio.timeout(1):
            await world.informer.synced()

    assert play(story).informer.is_synced


def test_it_goes_on_after_a_cut_without_listing_again() -> None:
    async def story(world: World) -> None:
        await world.put("a", "1")
        await world.informer.synced()
        await asyncio.sleep(1)
        world.client.cut()
        await world.put("b", "1")

    world = play(story)
    assert world.news == ["+a1", "+b1"]
    assert ("list_all", "configmaps") not in world.client.calls


def test_after_an_expiry_it_reports_what_was_missed() -> None:
    async def story(world: World) -> None:
        for name in ("gone", "kept", "changed"):
            await world.put(name, "1")
        await world.informer.synced()
        await asyncio.sleep(1)
        world.client.cut()
        await world.drop("gone")
        await world.put("changed", "2")
        await world.put("new", "1")
        world.client.expire()

    world = play(story)
    assert world.news[:3] == ["+gone1", "+kept1", "+changed1"]
    assert sorted(world.news[3:]) == ["+new1", "-gone1", "~changed2"]
    assert contents(world) == {"kept": "1", "changed": "2", "new": "1"}


def test_a_server_that_streams_no_lists_is_listed() -> None:
    async def story(world: World) -> None:
        world.client.fail("watch", Invalid("ListOptions", "", [], group="meta.k8s.io"))
        await world.put("a", "1")
        await world.informer.synced()
        await world.put("b", "1")

    world = play(story)
    assert world.news == ["+a1", "+b1"]
    assert ("list_all", "configmaps") in world.client.calls


def test_it_outlives_an_outage(caplog: pytest.LogCaptureFixture) -> None:
    async def story(world: World) -> None:
        world.client.fail("watch", ServiceUnavailable("down"), ServiceUnavailable("still down"))
        await world.put("a", "1")

    world = play(story)
    assert world.news == ["+a1"]
    assert [r.getMessage() for r in caplog.records] == [
        "configmaps: cannot list or watch: down",
        "configmaps: cannot list or watch: still down",
    ]


def test_a_watch_that_always_ends_is_asked_ever_more_rarely() -> None:
    async def story(world: World) -> None:
        await world.informer.synced()
        world.client.calls.clear()
        for _ in range(600):
            world.client.cut()
            await asyncio.sleep(1)

    assert 10 <= len(play(story).client.calls) <= 40


def test_it_sees_its_selection_only() -> None:
    async def story(world: World) -> None:
        await world.put("a", "1", tier="front")
        await world.put("b", "1", tier="back")
        await world.put("c", "1", namespace="other", tier="front")

    world = play(story, Selection(namespace="ns", label_selector="tier=front"))
    assert world.news == ["+a1"]


def test_indexes_follow_changes() -> None:
    async def story(world: World) -> None:
        world.informer.add_index("value", lambda obj: [obj.data["v"]])
        for name, value in (("b", "x"), ("a", "x"), ("c", "y"), ("c", "x"), ("b", "z")):
            await world.put(name, value)
        await asyncio.sleep(1)
        await world.drop("b")

    informer = play(story).informer
    got = {v: [o.metadata.name for o in informer.by_index("value", v)] for v in "xyz"}
    assert got == {"x": ["a", "c"], "y": [], "z": []}
    informer.add_index("late", lambda obj: [obj.metadata.name])
    assert [o.metadata.name for o in informer.by_index("late", "c")] == ["c"]


def test_an_event_is_decoded_once_and_unchanged_objects_not_again() -> None:
    async def story(world: World) -> None:
        await world.put("a", "1")
        await world.informer.synced()
        first = world.informer.get("ns", "a")
        world.client.expire()
        await asyncio.sleep(60)
        assert world.informer.get("ns", "a") is first

    assert play(story).news == ["+a1"]


def test_many_handlers_and_indexes_share_one_decoding(monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[bytes] = []

    async def story(world: World) -> None:
        decode = world.informer._decode
        monkeypatch.setattr(
            world.informer, "_decode", lambda body: decoded.append(body) or decode(body)
        )
        for number in range(5):
            world.informer.add_handler(world.note)
            world.informer.add_index(str(number), lambda obj: obj.data.values())
        await world.put("a", "1")
        await world.put("a", "2")
        await world.put("b", "1")

    world = play(story)
    assert (len(decoded), len(world.news)) == (3, 18)


def test_a_late_handler_hears_of_what_is_there() -> None:
    world = play(lambda world: world.put("a", "1"))
    late: list[str] = []
    world.informer.add_handler(lambda old, new: late.append(new.metadata.name if new else ""))
    assert (late, len(world.informer), [o.metadata.name for o in world.informer]) == (
        ["a"],
        1,
        ["a"],
    )


def test_informers_are_shared() -> None:
    async def main() -> tuple[bool, bool, int]:
        client = FaultyClient(await memory_client())
        informers = Informers(client, VirtualClock())
        one = informers.informer(CONFIG_MAPS, ConfigMap)
        two = informers.informer(CONFIG_MAPS, ConfigMap)
        other = informers.informer(CONFIG_MAPS, ConfigMap, Selection(namespace="ns"))
        task = asyncio.create_task(informers.run())
        await informers.synced()
        task.cancel()
        with pytest.raises(RuntimeError, match="ask for pods before"):
            informers.informer(PODS, ConfigMap)
        return one is two, one is other, client.calls.count(("watch", "configmaps"))

    assert run_virtual(main()) == (True, False, 2)


def test_an_object_of_another_shape_is_logged_and_the_others_go_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Strict(msgspec.Struct, frozen=True):
        metadata: Meta
        immutable: bool

    async def main() -> list[str]:
        client = FaultyClient(await memory_client())
        informer = Informer(client, CONFIG_MAPS, Strict, clock=VirtualClock())
        task = asyncio.create_task(informer.run())
        for name, more in (("a", {"immutable": True}), ("b", {}), ("c", {"immutable": False})):
            await client.create(CONFIG_MAPS, {"metadata": {"name": name}, **more}, namespace="ns")
        await asyncio.sleep(1)
        await client.delete(CONFIG_MAPS, "b", namespace="ns")
        await asyncio.sleep(1)
        task.cancel()
        return [obj.metadata.name for obj in informer]

    assert run_virtual(main()) == ["a", "c"]
    assert [r.getMessage() for r in caplog.records] == [
        "configmaps ns/b cannot be read: Object missing required field `immutable`"
    ]


def bare(store: Store, name: str) -> tuple[Key, bytes, int]:
    """A config map as the store takes it: key, bytes of the next revision, the revision it replaces."""
    key = Key("configmaps", "ns", name)
    raw = b'{"data":{"v":"1"},"metadata":{"name":"%b","namespace":"ns","resourceVersion":"%d"}}'
    found = store.latest(key)
    return key, raw % (name.encode(), store.next_revision()), found.revision if found else 0


def test_one_that_is_too_slow_is_cut_off_and_reads_again() -> None:
    async def main() -> tuple[int, list[str], int]:
        server = memory_server()
        store = server.cluster.store

        def put(name: str) -> None:
            key, raw, expect = bare(store, name)
            store.put(key, raw, Facts(), expect=expect)

        client = FaultyClient(LocalClient(server, ADMIN))
        informer = Informer(client, CONFIG_MAPS, ConfigMap, clock=VirtualClock())
        task = asyncio.create_task(informer.run())
        put("early")
        put("kept")
        await informer.synced()
        gone: list[str] = []
        informer.add_handler(lambda old, new: None if new else gone.append(old.metadata.name))  # type: ignore[union-attr]
        # More events than a watch may leave unread, and no turn for the informer in between.
        for number in range(8200):
            put(f"n{number % 100}")
        key, raw, expect = bare(store, "early")
        store.delete(key, raw, expect=expect)
        await asyncio.sleep(60)
        put("last")
        await asyncio.sleep(1)
        task.cancel()
        return len(informer), gone, client.calls.count(("watch", "configmaps"))

    assert run_virtual(main()) == (102, ["early"], 2)


LETTERS = "abcdef"


@given(
    seed=st.integers(0, 2**32),
    steps=st.lists(
        st.tuples(
            st.sampled_from(["put", "drop", "cut", "expire", "down", "wait"]),
            st.sampled_from(LETTERS),
        ),
        max_size=40,
    ),
)
@settings(max_examples=60)
def test_whatever_happens_the_cache_and_the_handlers_end_with_the_truth(
    seed: int, steps: list[tuple[str, str]]
) -> None:
    """Law: after the last fault, what handlers were told adds up to the cache, and the cache to the cluster."""

    async def main() -> None:
        client = FaultyClient(await memory_client())
        informer = Informer(
            client, CONFIG_MAPS, ConfigMap, clock=VirtualClock(), source=random.Random(seed)
        )
        informer.add_index("value", lambda obj: [obj.data["v"]])
        told: dict[str, str] = {}

        def note(old: ConfigMap | None, new: ConfigMap | None) -> None:
            name = (new or old).metadata.name  # type: ignore[union-attr]
            assert (name in told) == (old is not None)
            if new is None:
                del told[name]
            else:
                told[name] = new.data["v"]

        informer.add_handler(note)
        task = asyncio.create_task(informer.run())
        truth: dict[str, str] = {}
        for number, (step, name) in enumerate(steps):
            if step == "put":
                truth[name] = str(number)
                body = {"data": {"v": truth[name]}}
                await client.apply(CONFIG_MAPS, name, body, field_manager="t", namespace="ns")
            elif step == "drop" and truth.pop(name, None):
                await client.delete(CONFIG_MAPS, name, namespace="ns")
            elif step == "cut":
                client.cut()
            elif step == "expire":
                client.expire()
            elif step == "down":
                client.fail("watch", ServiceUnavailable("down"))
                client.cut()
            elif step == "wait":
                await asyncio.sleep(random.Random(number).random() * 3)
        await asyncio.sleep(600)
        task.cancel()
        cache = {key.name: obj.data["v"] for key, obj in informer.items()}
        indexed = {
            obj.metadata.name: value
            for value in set(cache.values())
            for obj in informer.by_index("value", value)
        }
        assert (told, cache, indexed) == (truth, truth, truth)

    logging.disable(logging.WARNING)
    try:
        run_virtual(main())
    finally:
        logging.disable(logging.NOTSET)
