"""A job's way through a fleet, as the SDK tells it."""

from __future__ import annotations

from argosy.sdk import AsyncFleet
from tests.behaviour.fleet.worlds import Fleet
from tests.behaviour.sdk.fleets import QUEUED, job, told, with_queue


def test_a_queued_job_is_submitted_waited_for_and_told() -> None:
    async def story(here: Fleet, fleet: AsyncFleet) -> None:
        await with_queue(here)
        done = await fleet.submit(job("a", 30), queue="main")
        print(done)
        print(await fleet.clusters())
        print(await fleet.jobs())
        await here.settle()
        print(await fleet.jobs())
        print(await fleet.why("a"))
        print(await fleet.queues())
        async for line in fleet.logs("a", follow=True):
            print(line)
        got = await fleet.wait("a", timeout=600)
        print(got)
        print([line async for line in fleet.logs("a")])
        events = [each async for each in fleet.events()]
        print(len(events), events[:3])
        print(await fleet.cancel("a", timeout=60))
        print(await fleet.jobs())

    told(story, QUEUED)
