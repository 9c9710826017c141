"""An agent that dies anywhere leaves nothing behind that the next one does not put right."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from argosy.base.errors import ServiceUnavailable
from argosy.client.resources import CONFIG_MAPS
from tests.behaviour.member.pairs import Pair, config_map, paired


class _Dies:
    """Calls of the agent, of which the last one's answer never comes."""

    def __init__(self, pair: Pair, calls: int) -> None:
        self._left = calls
        self.dead = asyncio.Event()
        for counting in (pair.hub_calls, pair.member_calls):
            counting.before = self._before

    async def _before(self) -> None:
        self._left -= 1
        if self._left < 0:
            self.dead.set()
            await asyncio.Event().wait()


@pytest.mark.parametrize("calls", range(14))
def test_an_agent_that_dies_between_two_calls_is_followed_by_one_that_ends_its_work(
    calls: int, shared: Path
) -> None:
    """The Work changes while nobody is there, too: what was applied and never told goes all the same."""

    async def story(pair: Pair) -> None:
        await pair.stop()
        await pair.send(config_map("one", a="1"), config_map("two", a="1"))
        dying = _Dies(pair, calls)
        await pair.start()
        await asyncio.wait_for(dying.dead.wait(), 60)
        await pair.stop()
        for counting in (pair.hub_calls, pair.member_calls):
            counting.before = None
        before = await pair.member.get(CONFIG_MAPS, "two")
        await pair.change(config_map("two", a="1"), config_map("three", a="1"))
        await pair.start()
        await pair.pass_time(2)
        assert await pair.member.get(CONFIG_MAPS, "one") is None
        assert await pair.data("three") == {"a": "1"}
        after = await pair.there(CONFIG_MAPS, "two")
        if before is not None:
            assert after["metadata"]["uid"] == before["metadata"]["uid"]
        assert len(after["metadata"]["ownerReferences"]) == 1
        assert (await pair.said())["Applied"].startswith("True")

    paired(story)


def test_a_fresh_agent_finds_a_work_at_rest_and_writes_nothing() -> None:
    async def story(pair: Pair) -> None:
        await pair.send(config_map(a="1"))
        await pair.pass_time(60)
        pair.hub_calls.taken()
        pair.member_calls.taken()
        await pair.stop()
        await pair.start()
        await pair.pass_time(3600)
        assert pair.hub_calls.taken() == {}
        assert pair.member_calls.taken() == {}

    paired(story)


def test_a_hub_that_cannot_be_reached_stops_no_member() -> None:
    async def unreachable() -> None:
        raise ServiceUnavailable("the hub is away")

    async def story(pair: Pair) -> None:
        await pair.send(config_map(a="1"))
        pair.hub_calls.before = unreachable
        await pair.edit(CONFIG_MAPS, "c", {"data": {"a": "2"}})
        await pair.pass_time(10)
        assert await pair.data() == {"a": "1"}
        await pair.change(config_map(a="3"))
        await pair.pass_time(3600)
        pair.hub_calls.before = None
        await pair.pass_time(1100)
        assert await pair.data() == {"a": "3"}
        assert (await pair.status())["conditions"][0]["observedGeneration"] == 2

    paired(story)
