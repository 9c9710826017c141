"""A picture that is kept current tells what the SDK tells when it asks for everything."""

from __future__ import annotations

from dataclasses import replace

import pytest

from argosy.base.errors import ServiceUnavailable
from argosy.cli.screens.pictures import Picture
from argosy.cli.screens.screens import beside
from argosy.cli.screens.watching import Watching
from argosy.client.resources import JOBS, MEMBER_CLUSTERS
from argosy.sdk import AsyncFleet
from argosy.sdk.connections import Connections
from argosy.sdk.jobs import FleetJob, JobState
from tests.behaviour.fleet.worlds import Fleet
from tests.behaviour.sdk.fleets import EVERYWHERE, QUEUED, job, told, with_queue


def watching(here: Fleet, *without: str) -> Watching:
    clients = {name: each.client for name, each in here.members.items() if name not in without}
    return Watching(Connections(here.hub.client, clients, clock=here.clock, namespace="app"))


async def same(picture: Picture, fleet: AsyncFleet) -> None:
    """As the SDK has it, but for what only the history knows."""
    assert list(picture.clusters) == await fleet.clusters()
    assert sorted(picture.queues, key=lambda each: each.cluster) == await fleet.queues()
    want = [each for each in await fleet.jobs() if not each.from_history]
    assert _plain(picture.jobs) == _plain(want)
    assert sum(picture.counts.values()) == len(picture.jobs)


def _plain(jobs: list[FleetJob]) -> list[FleetJob]:  # type: ignore[type-arg]
    found = [replace(each, started=None, price_paid=None, price_per_hour=None) for each in jobs]
    return sorted(found, key=lambda each: each.key)


def test_a_picture_follows_a_fleet() -> None:
    async def story(here: Fleet, fleet: AsyncFleet) -> None:
        await with_queue(here)
        await fleet.submit(job("before", 5), queue="main")
        await here.pass_time(60)
        found = watching(here)
        async with beside(found.run()):
            await found.seen()
            await same(found.picture(), fleet)
            # What became of jobs before is told, too.
            assert [
                each.text for each in found.picture().happenings if each.what == "app/before"
            ] == ["Complete"]
            for name in ("a", "b"):
                await fleet.submit(job(name, 30), queue="main")
            await here.hub.create(JOBS, job("stray"), "app")
            for seconds in (0.01, 0.5, 2, 10, 60):
                await here.pass_time(seconds)
                await same(found.picture(), fleet)
            told_of = [each.text for each in found.picture().happenings if each.what == "app/a"]
            assert told_of[0] == "Running -> Complete"
            assert "Queued -> Running" in told_of
            states = {each.name: each.state for each in found.picture().jobs}
            assert states["stray"] is JobState.UNPLACED
            ran = next(each for each in found.picture().jobs if each.name == "a")
            assert ran.run_seconds(here.clock.now()) == pytest.approx(30, abs=3)
            await fleet.cancel("a", timeout=60)
            await here.settle()
            await same(found.picture(), fleet)
            assert "a" not in {each.name for each in found.picture().jobs}

    told(story, QUEUED)


def test_jobs_that_a_namespace_brings_along() -> None:
    async def story(here: Fleet, fleet: AsyncFleet) -> None:
        found = watching(here)
        async with beside(found.run()):
            await found.seen()
            for number in range(5):
                await here.hub.create(JOBS, job(f"job-{number}", 20), "app")
            space = {"group": "", "version": "v1", "kind": "Namespace", "name": "app"}
            await here.remove("everywhere")
            await here.place("whole", space, policy=EVERYWHERE)
            for seconds in (0.1, 1, 20, 60):
                await here.pass_time(seconds)
                await same(found.picture(), fleet)
            await here.remove("whole")
            await here.pass_time(60)
            await same(found.picture(), fleet)

    told(story)


def test_a_member_that_cannot_be_asked_is_a_problem_of_the_picture() -> None:
    async def story(here: Fleet, fleet: AsyncFleet) -> None:
        await with_queue(here)
        found = watching(here, "m2")
        async with beside(found.run()):
            await found.seen()
            picture = found.picture()
            assert picture.problems == {"m2": "no context has its name"}
            assert {each.cluster for each in picture.queues} == {"m1", "m3"}
            assert [each.name for each in picture.clusters] == ["m1", "m2", "m3"]

    told(story, QUEUED)


def test_a_member_that_leaves_is_forgotten_and_one_that_falls_silent_is_told() -> None:
    async def story(here: Fleet, fleet: AsyncFleet) -> None:
        found = watching(here)
        async with beside(found.run()):
            await found.seen()
            await here.members["m2"].kill()
            await here.pass_time(600)
            silent = found.picture()
            assert [str(each.state) for each in silent.clusters] == ["Joined", "Silent", "Joined"]
            assert "Joined -> Silent" in silent.happenings[0].text
            await here.members["m2"].start()
            await here.pass_time(120)
            assert {str(each.state) for each in found.picture().clusters} == {"Joined"}
            await here.hub.delete(MEMBER_CLUSTERS, "m3")
            await here.pass_time(120)
            assert [each.name for each in found.picture().clusters] == ["m1", "m2"]
            assert "has left the fleet" in [each.text for each in found.picture().happenings]

    told(story)


def test_a_hub_that_never_answers_is_raised() -> None:
    class Nobody:
        async def list(self, *_: object, **__: object) -> None:
            raise ServiceUnavailable("nobody is there")

    async def story(here: Fleet, fleet: AsyncFleet) -> None:
        found = Watching(Connections(Nobody(), {}, clock=here.clock))  # type: ignore[arg-type]
        with pytest.raises(ExceptionGroup) as raised:
            await found.run()
        assert raised.group_contains(ServiceUnavailable, match="nobody is there")

    told(story)
