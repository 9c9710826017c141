"""Informers on a cluster in memory: what they hold and whom they tell, in virtual time."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from argosy.base.clock import VirtualClock
from argosy.base.loops import run_virtual
from argosy.client.resources import CONFIG_MAPS, PODS
from argosy.control.informers import Informer, Informers, Selection
from tests.behaviour.control.watched import ConfigMap, Meta, World, contents, play
from tests.fakes.clients import FaultyClient
from tests.fakes.clusters import memory_client


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


def test_a_handler_that_fails_stops_nobody(caplog: pytest.LogCaptureFixture) -> None:
    def fail(old: ConfigMap | None, new: ConfigMap | None) -> None:
        if new is not None and new.data["v"] == "bad":
            raise OverflowError("too much")

    async def story(world: World) -> None:
        world.informer.add_handler(fail)
        seen = world.news
        world.informer.add_handler(lambda old, new: seen.append("then"))
        await world.put("a", "bad")
        await world.put("b", "1")

    world = play(story)
    assert world.news == ["+abad", "then", "+b1", "then"]
    assert "configmaps ns/a: a handler failed" in caplog.text


def test_an_empty_selection_is_synced() -> None:
    async def story(world: World) -> None:
        async with asyncio.timeout(1):
            await world.informer.synced()

    assert play(story).informer.is_synced


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


def test_it_learns_what_was_written_and_the_watch_stays_the_authority() -> None:
    async def story(world: World) -> None:
        await world.informer.synced()
        first = await world.put("a", "1")
        await asyncio.sleep(1)
        second = await world.put("a", "2")
        world.informer.learn(second)
        assert contents(world) == {"a": "2"}
        # The watch is further already: nothing of before comes back.
        await world.drop("a")
        await asyncio.sleep(1)
        world.informer.learn(first)
        world.informer.learn(second)
        assert contents(world) == {}

    assert play(story).news == ["+a1", "~a2", "-a2"]
