"""Logs and events of a fleet, from wherever they are."""

from __future__ import annotations

import pytest

from argosy.sdk import AsyncFleet
from argosy.sdk.connections import HUB
from argosy.sdk.errors import FleetError
from tests.behaviour.fleet.worlds import Fleet
from tests.behaviour.sdk.fleets import job, told


def test_logs_are_followed_from_before_the_start_to_the_end() -> None:
    async def story(here: Fleet, fleet: AsyncFleet) -> None:
        await fleet.submit(job("a", 20, parallelism=2, completions=2))
        lines = [line async for line in fleet.logs("a", follow=True)]
        [cluster] = (await fleet.job("a")).clusters
        assert {line.cluster for line in lines} == {cluster}
        assert len({line.pod for line in lines}) == 2
        again = [line async for line in fleet.logs("a")]
        assert sorted(map(repr, again)) == sorted(map(repr, lines))
        last = [line async for line in fleet.logs("a", tail=1, timestamps=True)]
        assert len(last) == 2
        assert all(line.time for line in last)

    told(story)


def test_events_of_hub_and_members_are_merged_and_chosen() -> None:
    async def story(here: Fleet, fleet: AsyncFleet) -> None:
        await fleet.submit(job("a", 10))
        await fleet.submit(job("b", 10))
        await fleet.wait("a", timeout=600)
        found = [each async for each in fleet.events("app")]
        [cluster] = (await fleet.job("a")).clusters
        assert {HUB, cluster} <= {each.cluster for each in found}
        times = [each.time for each in found if each.time is not None]
        assert times == sorted(times)
        of_a = [each async for each in fleet.events("app", about="job/a")]
        objects = {each.object.partition("/")[0] for each in of_a}
        assert {"job", "pod", "resourceplacement"} <= objects
        assert not any("/b" in each.object for each in of_a)
        warnings = [each async for each in fleet.events("app", types=("Warning",))]
        assert {each.type for each in warnings} <= {"Warning"}
        with pytest.raises(FleetError, match=r'"a" is no object: say KIND/NAME'):
            [each async for each in fleet.events("app", about="a")]

    told(story)


def test_followed_events_go_on_with_what_comes() -> None:
    async def story(here: Fleet, fleet: AsyncFleet) -> None:
        await here.settle()
        seen = fleet.events("app", follow=True, about="job/late")
        await fleet.submit(job("late", 10))
        async for event in seen:
            if event.object == "job/late" and event.reason == "Completed":
                break
        else:
            raise AssertionError("the end of the job was not told")
        await seen.aclose()

    told(story)
