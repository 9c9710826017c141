"""A job's way through a fleet, as the SDK tells it."""

from __future__ import annotations

import pytest

from argosy.sdk import AsyncFleet, FleetJob, JobState
from argosy.sdk.errors import Ambiguous, FleetError, NotFound, WaitTimeout
from tests.behaviour.fleet.worlds import Fleet
from tests.behaviour.sdk.fleets import QUEUED, job, told, with_queue


def test_a_queued_job_is_submitted_waited_for_and_told() -> None:
    async def story(here: Fleet, fleet: AsyncFleet) -> None:
        await with_queue(here)
        done = await fleet.submit(job("a", 30), queue="main")
        assert (done.namespace, done.name, done.kind) == ("app", "a", "Job")
        assert (done.placement, done.queue, done.warnings) == ("a-placement", "main", ())
        await here.settle()
        [running] = await fleet.jobs("app")
        assert running.state is JobState.RUNNING
        assert running.clusters == done.choice.clusters
        assert (running.queue, running.placement, running.pods) == ("main", "rp/a-placement", 1)
        why = await fleet.why("a")
        assert why.startswith(f"Job app/a is Running on {running.clusters[0]}")
        assert "is admitted in ClusterQueue all (LocalQueue main)" in why
        got = await fleet.wait("a", timeout=600)
        assert got.state is JobState.COMPLETE
        assert got.ended is not None
        assert got.run_seconds(got.ended) == pytest.approx(30, abs=3)

    told(story, QUEUED)


def test_states_go_from_placing_to_complete_and_end_there() -> None:
    async def story(here: Fleet, fleet: AsyncFleet) -> None:
        await fleet.submit(job("a", 20))
        seen = [each async for each in fleet.states(await fleet.job("a"))]
        order = list(dict.fromkeys(each.state for each in seen))
        assert order[0] is JobState.PLACING
        assert order[-2:] == [JobState.RUNNING, JobState.COMPLETE]
        assert len(seen) == len(set(map(repr, seen)))

    told(story)


def test_a_job_that_fails_is_told_as_failed() -> None:
    async def story(here: Fleet, fleet: AsyncFleet) -> None:
        bad = job("a", 5, backoffLimit=0)
        bad["spec"]["template"]["metadata"]["annotations"]["argosy.dev/outcome"] = "fail:3"
        await fleet.submit(bad)
        got = await fleet.wait("a", timeout=600)
        assert got.state is JobState.FAILED
        assert got.is_ended

    told(story)


def test_time_runs_out_and_the_job_goes_on() -> None:
    async def story(here: Fleet, fleet: AsyncFleet) -> None:
        await fleet.submit(job("a", 300))
        with pytest.raises(WaitTimeout, match=r"Job app/a has not ended after 20 s: it is Running"):
            await fleet.wait("a", timeout=20)
        assert (await fleet.job("a")).state is JobState.RUNNING

    told(story)


def test_cancelling_leaves_nothing_on_hub_and_members() -> None:
    async def story(here: Fleet, fleet: AsyncFleet) -> None:
        await fleet.submit(job("a", 300))
        await here.settle()
        [cluster] = (await fleet.job("a")).clusters
        assert await fleet.cancel("a", timeout=60) == [
            "resourceplacement.placement.kubernetes-fleet.io/a-placement",
            "job.batch/a",
        ]
        assert [each for each in await fleet.jobs("app") if not each.from_history] == []
        await here.settle()
        from argosy.client.resources import JOBS

        assert (await here.members[cluster].client.list(JOBS, namespace="app")).items == []

    told(story)


def test_a_job_nobody_placed_is_unplaced_and_says_what_to_do() -> None:
    async def story(here: Fleet, fleet: AsyncFleet) -> None:
        from argosy.client.resources import JOBS

        await here.hub.client.create(JOBS, job("alone", suspend=True), namespace="app")
        got = await fleet.job("alone")
        assert (got.state, got.clusters, got.placement) == (JobState.UNPLACED, (), "")
        assert "use argosy submit" in got.message
        with pytest.raises(FleetError, match=r"Job app/alone is Unplaced and on no cluster yet"):
            [line async for line in fleet.logs("alone")]

    told(story)


def test_names_that_mean_nothing_or_too_much() -> None:
    async def story(here: Fleet, fleet: AsyncFleet) -> None:
        for ask in (fleet.job, fleet.why, fleet.wait, fleet.cancel):
            with pytest.raises(NotFound, match=r'no job "nope" in namespace "app"'):
                await ask("nope")
        with pytest.raises(NotFound, match=r'"pod" is no kind of job: there are JAXJob, Job, '):
            await fleet.job("pod/x")
        from argosy.sdk import finding

        twins = [
            FleetJob("app", "x", kind, JobState.QUEUED, uid=kind) for kind in ("Job", "RayJob")
        ]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(finding, "fleet_jobs", lambda _: twins)
            with pytest.raises(Ambiguous, match=r'are called "x": say job/x, rayjob/x'):
                await fleet.job("x")
            assert (await fleet.job("rayjob/x")).kind == "RayJob"

    told(story)


def test_watching_tells_all_jobs_whenever_one_changes() -> None:
    async def story(here: Fleet, fleet: AsyncFleet) -> None:
        await fleet.submit(job("a", 10))
        seen: list[JobState] = []
        async for found in fleet.watch_jobs("app"):
            seen += [each.state for each in found if each.name == "a"]
            if seen[-1:] == [JobState.COMPLETE]:
                break
        assert JobState.RUNNING in seen

    told(story)
