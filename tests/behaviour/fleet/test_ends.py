"""A job that has ended is told of before it goes, whoever is away when its TTL takes it, and never run again."""

from __future__ import annotations

from collections import Counter

import pytest

from argosy.api.objects.fleet import names
from argosy.client.resources import APPLIED_WORKS, JOBS, MEMBER_CLUSTERS, NAMESPACES, PODS
from argosy.fleet.installing import install
from argosy.member.availability.outcomes import JOB_SETS
from argosy.workloads.jobsets import definitions
from tests.behaviour.fleet.test_jobs import RUNS, finished, submitted
from tests.behaviour.fleet.voyages import events
from tests.behaviour.fleet.worlds import Fleet, Member, pick, rolling, told

TTLS = (0, 5)


class Made:
    """Counts the Jobs that a member makes, by uid."""

    def __init__(self, fleet: Fleet, member: Member) -> None:
        self.uids: Counter[str] = Counter()
        fleet.keep(self._watch(member))

    async def _watch(self, member: Member) -> None:
        async for change, obj in events(member, JOBS):
            if change == "ADDED":
                self.uids[obj["metadata"]["uid"]] += 1


async def is_over(fleet: Fleet, member: Member, made: Made) -> None:
    """The job ran once, the hub knows, and the member has nothing of it, now and hours later."""
    for seconds in (60, 2 * 3600):
        await fleet.pass_time(seconds)
        assert (await finished(fleet)).startswith("True JobComplete: Job j: 1 succeeded")
        assert await member.get(JOBS, "j", "app") is None
        assert await member.list(PODS) == []
    assert len(made.uids) == 1


@pytest.mark.parametrize("ttl", TTLS)
def test_a_job_that_ended_and_was_removed_while_its_agent_was_dead_is_not_run_again(
    ttl: int,
) -> None:
    async def story(fleet: Fleet) -> None:
        m2 = fleet.members["m2"]
        made = Made(fleet, m2)
        await submitted(fleet, seconds=30, ttlSecondsAfterFinished=ttl)
        await m2.kill()
        await fleet.pass_time(300)
        # Its TTL has taken it; it waits for somebody who tells.
        held = await m2.there(JOBS, "j")
        assert held["metadata"]["finalizers"] == [names.OUTCOME]
        assert "deletionTimestamp" in held["metadata"]
        assert await m2.list(PODS) == []
        await m2.start()
        await is_over(fleet, m2, made)

    told(story, RUNS)


@pytest.mark.parametrize("ttl", TTLS)
def test_a_job_that_ended_and_was_removed_while_the_hub_was_away_is_not_run_again(ttl: int) -> None:
    async def story(fleet: Fleet) -> None:
        m2 = fleet.members["m2"]
        made = Made(fleet, m2)
        await submitted(fleet, seconds=30, ttlSecondsAfterFinished=ttl)
        m2.to_hub.down()
        await fleet.pass_time(300)
        # The agent that saw it end dies without having told.
        await m2.kill()
        await m2.start()
        await fleet.pass_time(300)
        m2.to_hub.up()
        await is_over(fleet, m2, made)

    told(story, RUNS)


@pytest.mark.parametrize("ttl", TTLS)
def test_a_job_that_ended_and_was_removed_behind_a_broken_watch_is_not_run_again(ttl: int) -> None:
    async def story(fleet: Fleet) -> None:
        m2 = fleet.members["m2"]
        made = Made(fleet, m2)
        await submitted(fleet, seconds=30, ttlSecondsAfterFinished=ttl)
        m2.to_self.down()
        await fleet.pass_time(300)
        m2.to_self.up()
        await is_over(fleet, m2, made)

    told(story, RUNS)


def test_a_job_that_ended_goes_with_its_placement_even_if_nobody_was_told() -> None:
    async def story(fleet: Fleet) -> None:
        m2 = fleet.members["m2"]
        await submitted(fleet, seconds=30, ttlSecondsAfterFinished=5)
        m2.to_hub.down()
        await fleet.pass_time(300)
        assert await m2.get(JOBS, "j", "app") is not None
        await fleet.remove("app/p")
        m2.to_hub.up()
        await fleet.pass_time(120)
        assert await m2.get(JOBS, "j", "app") is None
        assert await m2.list(APPLIED_WORKS) == []

    told(story, RUNS)


def test_a_cluster_that_has_left_the_fleet_keeps_no_job_back() -> None:
    async def story(fleet: Fleet) -> None:
        m2 = fleet.members["m2"]
        await submitted(fleet, seconds=600, ttlSecondsAfterFinished=5)
        await fleet.hub.delete(MEMBER_CLUSTERS, "m2")
        await fleet.pass_time(300)
        assert (await m2.there(JOBS, "j"))["status"]["active"] == 1
        await fleet.pass_time(600)
        assert await m2.get(JOBS, "j", "app") is None

    told(story, RUNS)


def test_a_job_that_somebody_deletes_while_it_runs_goes_at_once_and_is_made_again() -> None:
    async def story(fleet: Fleet) -> None:
        m2 = fleet.members["m2"]
        made = Made(fleet, m2)
        await submitted(fleet, seconds=600)
        await fleet.pass_time(60)
        before = (await m2.there(JOBS, "j"))["metadata"]["uid"]
        await m2.delete(JOBS, "j")
        await fleet.pass_time(1)
        found = await m2.get(JOBS, "j", "app")
        assert found is None or found["metadata"]["uid"] != before
        await fleet.pass_time(1800)
        assert len(made.uids) == 2

    told(story, RUNS)


def test_a_job_that_has_ended_is_not_run_again_because_somebody_asked_for_diffs_meanwhile() -> None:
    async def story(fleet: Fleet) -> None:
        m2 = fleet.members["m2"]
        made = Made(fleet, m2)
        await submitted(fleet, seconds=30, ttlSecondsAfterFinished=5)
        await fleet.pass_time(300)
        await fleet.change("app/p", strategy=rolling(type="ReportDiff"))
        await fleet.pass_time(1000)
        await fleet.change("app/p", strategy=rolling(type="ClientSideApply"))
        await is_over(fleet, m2, made)

    told(story, RUNS)


def test_finalizers_that_others_put_on_a_job_of_a_custom_kind_stay() -> None:
    async def story(fleet: Fleet) -> None:
        m2 = fleet.members["m2"]
        pod = {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}
        template = {"metadata": {"annotations": {"argosy.dev/duration": "1h"}}, "spec": pod}
        body = {
            "metadata": {"name": "s", "namespace": "app"},
            "spec": {
                "replicatedJobs": [{"name": "w", "template": {"spec": {"template": template}}}]
            },
        }
        await install(fleet.hub.client, definitions())
        await m2.create(NAMESPACES, {"metadata": {"name": "app"}})
        await fleet.hub.create(JOB_SETS, body, "app")
        selects = {"group": JOB_SETS.group, "version": "v1alpha2", "kind": "JobSet", "name": "s"}
        await fleet.place("app/p", selects, policy=pick("PickN", 1), strategy=rolling())
        await m2.patch(
            JOB_SETS, "s", {"metadata": {"finalizers": ["example.com/theirs", names.OUTCOME]}}
        )
        await fleet.hub.patch(JOB_SETS, "s", {"metadata": {"labels": {"a": "b"}}})
        await fleet.pass_time(60)
        found = (await m2.there(JOB_SETS, "s"))["metadata"]
        assert found["labels"] == {"a": "b"}
        assert sorted(found["finalizers"]) == [names.OUTCOME, "example.com/theirs"]

    told(story, RUNS)
