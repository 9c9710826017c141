"""CronJobs in virtual time; somebody ends their Jobs by hand."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from argosy.base.errors import Forbidden
from argosy.base.types import Object
from argosy.client.objects import WatchEvent
from argosy.client.protocol import Client, Propagation
from argosy.client.resources import CRON_JOBS, JOBS, Resource
from argosy.workloads.cronjobs import CronJobs
from tests.fakes.clients import Fault, FaultyClient
from tests.fakes.worlds import World, running

# 2026-01-01T00:00:00Z in minutes since the epoch.
EPOCH = 29453760


def cron(**spec: Object) -> Object:
    container = {"name": "main", "image": "busybox"}
    pod = {"restartPolicy": "Never", "containers": [container]}
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"template": {"spec": pod}}}
    return {
        "metadata": {"name": "c"},
        "spec": {"schedule": "*/10 * * * *", "jobTemplate": template, **spec},
    }


async def finish(world: World, name: str, type_: str = "Complete") -> None:
    stamp = "2026-01-01T00:00:00Z"
    done = [{"type": "SuccessCriteriaMet", "status": "True"}] if type_ == "Complete" else []
    if type_ == "Failed":
        done = [{"type": "FailureTarget", "status": "True"}]
    status: Object = {"startTime": stamp, "conditions": [*done, {"type": type_, "status": "True"}]}
    if type_ == "Complete":
        status |= {"completionTime": stamp, "succeeded": 1}
    await world.status(JOBS, name, status)


async def names(world: World) -> list[str]:
    return [job["metadata"]["name"] for job in await world.list(JOBS)]


def test_a_job_is_made_at_each_time_and_followed() -> None:
    async def story(world: World) -> None:
        await world.create(CRON_JOBS, cron())
        await world.pass_time(599)
        assert await names(world) == []
        await world.pass_time(2)
        (job,) = await world.list(JOBS)
        name = f"c-{EPOCH + 10}"
        assert job["metadata"]["name"] == name
        assert job["metadata"]["labels"]["a"] == "b"
        assert job["metadata"]["annotations"] == {
            "batch.kubernetes.io/cronjob-scheduled-timestamp": "2026-01-01T00:10:00Z"
        }
        here = await world.get(CRON_JOBS, "c")
        assert here is not None
        assert [active["name"] for active in here["status"]["active"]] == [name]
        assert here["status"]["lastScheduleTime"] == "2026-01-01T00:10:00Z"
        await finish(world, name)
        await world.settle()
        here = await world.get(CRON_JOBS, "c")
        assert here is not None
        assert here["status"] == {
            "lastScheduleTime": "2026-01-01T00:10:00Z",
            "lastSuccessfulTime": "2026-01-01T00:00:00Z",
        }
        assert await world.events("c") == [
            ("Normal", "SuccessfulCreate", f"Created job {name}"),
            ("Normal", "SawCompletedJob", f"Saw completed job: {name}, condition: Complete"),
        ]

    running(story, CronJobs)


def test_forbid_waits_for_the_run_before() -> None:
    async def story(world: World) -> None:
        await world.create(CRON_JOBS, cron(concurrencyPolicy="Forbid"))
        await world.pass_time(1201)
        assert await names(world) == [f"c-{EPOCH + 10}"]
        text = (
            "Not starting job because prior execution is running and concurrency policy is Forbid"
        )
        assert ("Normal", "JobAlreadyActive", text) in await world.events("c")
        await finish(world, f"c-{EPOCH + 10}")
        await world.settle()
        assert await names(world) == [f"c-{EPOCH + 10}", f"c-{EPOCH + 20}"]

    running(story, CronJobs)


def test_replace_deletes_the_run_before() -> None:
    async def story(world: World) -> None:
        await world.create(CRON_JOBS, cron(concurrencyPolicy="Replace"))
        await world.pass_time(1201)
        assert await names(world) == [f"c-{EPOCH + 20}"]
        assert ("Normal", "SuccessfulDelete", f"Deleted job c-{EPOCH + 10}") in (
            await world.events("c")
        )

    running(story, CronJobs)


def test_finished_jobs_stay_up_to_their_limits() -> None:
    async def story(world: World) -> None:
        await world.create(CRON_JOBS, cron(successfulJobsHistoryLimit=2, failedJobsHistoryLimit=1))
        for number in range(1, 6):
            await world.pass_time(600.5)
            type_ = "Failed" if number in {1, 3} else "Complete"
            await finish(world, f"c-{EPOCH + 10 * number}", type_)
        await world.settle()
        assert await names(world) == [f"c-{EPOCH + number}" for number in (30, 40, 50)]

    running(story, CronJobs)


def test_an_old_job_that_cannot_be_deleted_does_not_keep_the_next_one_away() -> None:
    async def story(world: World) -> None:
        await world.create(CRON_JOBS, cron(successfulJobsHistoryLimit=0))
        await world.pass_time(601)
        await finish(world, f"c-{EPOCH + 10}")
        await world.pass_time(600)
        assert await names(world) == [f"c-{EPOCH + 10}", f"c-{EPOCH + 20}"]
        assert ("Warning", "FailedDelete", "Deleted job: no") in await world.events("c")

    def refusing(client: Client) -> Any:
        return FaultyClient(client, lambda verb: Fault(no if verb == "delete" else None))

    no = Forbidden("no")
    running(story, CronJobs, through=refusing)


def test_a_suspended_cronjob_makes_up_for_the_last_missed_run_only() -> None:
    async def story(world: World) -> None:
        await world.create(CRON_JOBS, cron(suspend=True))
        await world.pass_time(3 * 3600 + 60)
        assert await names(world) == []
        await world.client.patch(CRON_JOBS, "c", {"spec": {"suspend": False}}, namespace="ns")
        await world.settle()
        assert await names(world) == [f"c-{EPOCH + 180}"]

    running(story, CronJobs)


def test_a_run_beyond_its_starting_deadline_is_skipped() -> None:
    async def story(world: World) -> None:
        await world.create(CRON_JOBS, cron(suspend=True, startingDeadlineSeconds=30))
        await world.pass_time(660)
        await world.client.patch(CRON_JOBS, "c", {"spec": {"suspend": False}}, namespace="ns")
        await world.settle()
        assert await names(world) == []
        await world.pass_time(541)
        assert await names(world) == [f"c-{EPOCH + 20}"]

    running(story, CronJobs)


def test_a_job_deleted_by_others_is_missed() -> None:
    async def story(world: World) -> None:
        await world.create(CRON_JOBS, cron())
        await world.pass_time(601)
        name = f"c-{EPOCH + 10}"
        await world.client.delete(JOBS, name, namespace="ns", propagation=Propagation.BACKGROUND)
        await world.settle()
        here = await world.get(CRON_JOBS, "c")
        assert here is not None
        assert "active" not in here["status"]
        assert ("Normal", "MissingJob", f"Active job went missing: c-{EPOCH + 10}") in (
            await world.events("c")
        )

    running(story, CronJobs)


def test_a_new_schedule_starts_with_its_next_time() -> None:
    async def story(world: World) -> None:
        await world.create(CRON_JOBS, cron(schedule="0 0 1 6 *"))
        await world.pass_time(420)
        change = {"spec": {"schedule": "*/5 * * * *"}}
        await world.client.patch(CRON_JOBS, "c", change, namespace="ns")
        # The time five minutes after midnight has passed when the schedule was another one.
        await world.pass_time(179)
        assert await names(world) == []
        await world.pass_time(2)
        assert await names(world) == [f"c-{EPOCH + 10}"]
        await world.client.patch(
            CRON_JOBS, "c", {"spec": {"schedule": "0 0 31 2 *"}}, namespace="ns"
        )
        await world.settle()
        assert "InvalidSchedule" in {reason for _, reason, _ in await world.events("c")}

    running(story, CronJobs)


class SlowNews:
    """A client that hears of CronJobs five seconds late."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    async def watch(self, resource: Resource, **options: Any) -> AsyncGenerator[WatchEvent, None]:
        async with aclosing(self._client.watch(resource, **options)) as events:
            async for event in events:
                if resource == CRON_JOBS:
                    await asyncio.sleep(5)
                yield event


def test_a_job_of_its_own_is_no_surprise_before_the_status_that_names_it_is_seen() -> None:
    async def story(world: World) -> None:
        await world.create(CRON_JOBS, cron())
        await world.pass_time(660)
        assert [reason for _, reason, _ in await world.events("c")] == ["SuccessfulCreate"]

    def late(client: Client) -> Any:
        return SlowNews(client)

    running(story, CronJobs, through=late)


def test_a_schedule_that_never_fires_is_said() -> None:
    async def story(world: World) -> None:
        await world.create(CRON_JOBS, cron(schedule="0 0 31 2 *"))
        await world.pass_time(86400)
        assert await names(world) == []
        text = "invalid schedule: 0 0 31 2 * : time difference between two schedules is less than 1 second"
        assert await world.events("c") == [("Warning", "InvalidSchedule", text)]

    running(story, CronJobs)
