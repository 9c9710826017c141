"""The hub dies at any of its writes, done or not, and a new one finishes the run as if nothing had been."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from argosy.base.types import Object
from argosy.client.protocol import Client
from tests.behaviour.placement.runworlds import Hub, on_hub
from tests.behaviour.placement.test_update_runs import CANARY, PROD

WRITES = frozenset({"create", "patch", "delete", "delete_collection"})
# Seconds; an undisturbed run takes ten.
LONGEST = 200
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


class Mortal:
    """A client whose owner dies at its n-th write, before it is done or right after."""

    def __init__(self, client: Client, last: int, *, is_done: bool) -> None:
        self.writes = 0
        self.died = asyncio.Event()
        self._client = client
        self._last = last
        self._is_done = is_done

    def __getattr__(self, verb: str) -> Callable[..., Any]:
        call = getattr(self._client, verb)
        if verb not in WRITES:
            return call

        async def write(*args: Any, **options: Any) -> Any:
            self.writes += 1
            if self.writes < self._last:
                return await call(*args, **options)
            if self._is_done and self.writes == self._last:
                await call(*args, **options)
            self.died.set()
            return await asyncio.Event().wait()

        return write


def test_a_hub_that_dies_at_any_write_finishes_the_run_when_it_is_back(shared: Path) -> None:
    want, writes = _played(shared, 10_000, is_done=True)
    assert writes > 12
    for last in range(1, writes + 1):
        for is_done in (True, False):
            got, _ = _played(shared, last, is_done=is_done)
            assert got == want, f"died at write {last}, which was {'' if is_done else 'not '}done"


def test_the_undisturbed_run_is_worth_comparing(shared: Path) -> None:
    want, _ = _played(shared, 10_000, is_done=True)
    assert "UpdateRunSucceeded" in want
    assert want.count("ClusterUpdatingSucceeded") == 4


def _played(shared: Path, last: int, *, is_done: bool) -> tuple[str, int]:
    """How everything looks in the end, and how many writes there were."""
    ended: list[str] = []
    mortals: list[Mortal] = []

    def through(client: Client) -> Client:
        mortals.append(Mortal(client, last, is_done=is_done))
        return mortals[0]

    async def story(hub: Hub) -> None:
        await hub.member("one", env="canary")
        await hub.member("two", env="prod")
        await hub.member("three", env="prod")
        await hub.placed("one", "two", "three")
        await hub.bind("gone", state="Unscheduled")
        await hub.strategy("stages", CANARY, PROD)
        await hub.live(through)
        await hub.run()
        for _ in range(LONGEST):
            if await _is_over(hub):
                break
            if mortals[0].died.is_set():
                await hub.die()
                mortals[0].died.clear()
                await hub.live()
            await _others(hub)
            await hub.pass_time(1)
        assert await _is_over(hub), "the run does not end"
        ended.append(await _picture(hub))

    on_hub(story, shared, alive=False)
    return ended[0], mortals[0].writes


async def _is_over(hub: Hub) -> bool:
    return (await hub.said("Succeeded"))[0] != ""


async def _others(hub: Hub) -> None:
    """Members apply what they get, people approve what they are asked, and what is deleted goes."""
    for binding in await hub.list(hub.scope.bindings):
        meta, cluster = binding["metadata"], binding["spec"]["targetCluster"]
        if "deletionTimestamp" in meta:
            patch: Object = {"metadata": {"finalizers": None}}
            await hub.client.patch(hub.scope.bindings, meta["name"], patch)
        elif _is_rolling(binding):
            await hub.arrive(cluster)
    for request in await hub.list(hub.scope.approval_requests):
        if not request.get("status"):
            await hub.approve(request["metadata"]["name"])


def _is_rolling(binding: Object) -> bool:
    said = {
        each["type"]: each["observedGeneration"]
        for each in binding.get("status", {}).get("conditions", [])
    }
    generation = binding["metadata"]["generation"]
    return said.get("RolloutStarted") == generation and said.get("Available") != generation


async def _picture(hub: Hub) -> str:
    status = await hub.status()
    bindings = [
        {
            "spec": each["spec"],
            "generation": each["metadata"]["generation"],
            # A condition that is said again goes last; which is which is what counts.
            "conditions": sorted(one["type"] for one in each["status"]["conditions"]),
        }
        for each in await hub.list(hub.scope.bindings)
    ]
    text = json.dumps({"run": status, "bindings": bindings}, indent=1, sort_keys=True)
    return TIME.sub("<time>", text)


@pytest.mark.parametrize("moment", [0.5, 3.0, 61.0])
def test_a_wait_goes_on_counting_while_nobody_looks(shared: Path, moment: float) -> None:
    async def story(hub: Hub) -> None:
        await hub.member("one", env="canary")
        await hub.placed("one")
        wait = {**CANARY, "afterStageTasks": [{"type": "TimedWait", "waitTime": "1m"}]}
        await hub.strategy("stages", wait)
        await hub.run()
        await hub.arrive("one")
        await hub.die()
        await hub.pass_time(moment)
        await hub.live()
        await hub.settle()
        assert await _is_over(hub) == (moment > 60)
        await hub.pass_time(61 - min(moment, 61))
        assert (await hub.said("Succeeded"))[0] == "True"

    on_hub(story, shared)
