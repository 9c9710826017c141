"""A server that refuses, and a server that is slow."""

from __future__ import annotations

from argosy.base.errors import Forbidden, InternalError
from argosy.base.timestamps import parse_time
from tests.behaviour.workloads.jobs.worlds import World, living
from tests.fakes.clients import Fault


def test_creation_stops_with_the_first_failure_and_is_tried_again() -> None:
    async def story(world: World) -> None:
        world.faulty.fail("create", Forbidden("no"))
        await world.create(completions=9, parallelism=9)
        creations = [call for call in world.faulty.calls if call == ("create", "pods")]
        assert len(creations) == 1 + 9
        assert await world.status() == {"active": 9, "ready": 0, "terminating": 0}
        assert "Warning FailedCreate: Error creating: no" in await world.events()

    living(story)


def test_a_finalizer_that_could_not_be_removed_is_counted_later() -> None:
    async def story(world: World) -> None:
        await world.create(completions=2, parallelism=2)
        # The status is written, then the finalizers of two pods fail to go.
        error = InternalError("later")
        names = await world.names()
        await world.report(names[0], {"phase": "Succeeded"})
        await world.report(names[1], {"phase": "Succeeded"})
        world.faulty.fault("patch", Fault(), Fault(error), Fault(error))
        await world.settle(0.5)
        status = await world.status()
        assert "succeeded" not in status
        assert len(status["uncountedTerminatedPods"]["succeeded"]) == 2
        await world.settle()
        status = await world.status()
        assert status["succeeded"] == 2
        assert "uncountedTerminatedPods" not in status

    living(story)


def test_the_clock_of_a_deadline_starts_anew_when_a_job_is_resumed() -> None:
    async def story(world: World) -> None:
        await world.create(activeDeadlineSeconds=30)
        await world.change(suspend=True)
        await world.settle(100)
        before = (await world.job())["status"]["startTime"]
        await world.change(suspend=False)
        after = (await world.job())["status"]["startTime"]
        assert (parse_time(after) - parse_time(before)).total_seconds() == 110
        await world.settle(20)
        assert "conditions" in await world.status()
        assert (await world.status())["active"] == 1
        await world.settle(10)
        assert (await world.status())["conditions"] == [
            "Suspended=False JobResumed: Job resumed",
            "FailureTarget=True DeadlineExceeded: Job was active longer than specified deadline",
            "Failed=True DeadlineExceeded: Job was active longer than specified deadline",
        ]

    living(story)


def test_a_deadline_is_kept_while_pods_cannot_be_made() -> None:
    async def story(world: World) -> None:
        # Tried after 0, 1, 3, 7, 15 and 31 seconds; the next time would be too late.
        world.faulty.fail("create", *(Forbidden("exceeded quota") for _ in range(100)))
        await world.create(activeDeadlineSeconds=40)
        await world.settle(34)
        assert "conditions" not in await world.status()
        await world.settle(2)
        assert (await world.status())["conditions"] == [
            "FailureTarget=True DeadlineExceeded: Job was active longer than specified deadline",
            "Failed=True DeadlineExceeded: Job was active longer than specified deadline",
        ]

    living(story)


def test_twelve_hundred_pods_end_together() -> None:
    async def story(world: World) -> None:
        await world.create(completions=1200, parallelism=1200)
        world.faulty.calls.clear()
        await world.succeed(*await world.names())
        status = await world.status()
        assert status["succeeded"] == 1200
        assert status["conditions"][1].startswith("Complete=True CompletionsReached")
        writes = [call for call in world.faulty.calls if call == ("patch", "jobs")]
        assert len(writes) == 4

    living(story)
