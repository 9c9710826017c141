"""Informers behind a bad network: cuts, expiries, outages and slowness, in virtual time."""

from __future__ import annotations

import asyncio
import logging
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argosy.apiserver.access.identities import ADMIN
from argosy.base.clock import VirtualClock
from argosy.base.errors import Invalid, ServiceUnavailable
from argosy.base.loops import run_virtual
from argosy.client.local import LocalClient
from argosy.client.resources import CONFIG_MAPS
from argosy.control.informers import Informer
from argosy.store import Key, Store
from argosy.store import Meta as Facts
from tests.behaviour.control.watched import ConfigMap, World, contents, play
from tests.fakes.clients import FaultyClient
from tests.fakes.clusters import memory_client, memory_server


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
        down, still = ServiceUnavailable("down"), ServiceUnavailable("still down")
        world.client.fail("watch", down, down, still, still)
        await world.put("a", "1")

    world = play(story)
    assert world.news == ["+a1"]
    # What lasts is said once.
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
