"""From the end of a job to its record."""

from __future__ import annotations

from argosy.api.objects.history import JobOutcome
from argosy.base.types import Object
from argosy.capacity import NODE_POOLS
from argosy.client.resources import JOB_HISTORIES, JOBS, NAMESPACES, RESOURCE_PLACEMENTS
from tests.behaviour.dispatch.memories import (
    FAILS,
    ONE,
    RUNS,
    deleted,
    guided,
    pages,
    record,
    records,
    space,
    submitted,
)
from tests.behaviour.fleet.worlds import Fleet, job, pick, rolling, told


def template(annotations: Object, cpu: str = "") -> Object:
    container: Object = {"name": "c", "image": "i"}
    if cpu:
        container["resources"] = {"requests": {"cpu": cpu, "memory": "1Gi"}}
    return {
        "metadata": {"labels": {"job": "j"}, "annotations": annotations},
        "spec": {"restartPolicy": "Never", "containers": [container]},
    }


def test_a_job_that_ended_is_recorded_with_where_when_and_how_much() -> None:
    async def story(fleet: Fleet) -> None:
        await space(fleet)
        for member in fleet.members.values():
            # 64 for an hour of 64 cores.
            await member.client.patch(NODE_POOLS, "pool", {"spec": {"pricePerHour": 64}})
        await fleet.pass_time(90)
        labels = {"kueue.x-k8s.io/queue-name": "main"}
        body = job("j", template=template({"argosy.dev/duration": "30s"}, "2"), parallelism=2)
        body["spec"]["completions"] = 2
        body["metadata"]["labels"] = labels
        uid = (await fleet.hub.create(JOBS, body, "app"))["metadata"]["uid"]
        selector = {"group": "batch", "version": "v1", "kind": "Job", "name": "j"}
        await fleet.place("app/p", selector, policy=pick("PickN", 1), strategy=rolling())
        await fleet.pass_time(10)
        assert await records(fleet) == []
        await fleet.pass_time(40)
        found = await record(fleet)
        assert found is not None
        (where,) = (await fleet.clusters("app/p")).keys()
        want = ("Job", "batch/v1", uid, "main", (where,), "rp/p", JobOutcome.COMPLETE)
        got = (
            found.kind,
            found.api_version,
            found.uid,
            found.queue,
            found.clusters,
            found.placement,
            found.outcome,
        )
        assert got == want
        assert (found.pods, found.cpu, found.memory) == (2, "4", "2Gi")
        assert found.message == "2 succeeded, 0 failed, 0 active"
        on_member = (await fleet.members[where].there(JOBS, "j"))["status"]
        assert found.started is not None
        assert found.ended is not None
        assert f"{found.started:%Y-%m-%dT%H:%M:%SZ}" == on_member["startTime"]
        assert f"{found.ended:%Y-%m-%dT%H:%M:%SZ}" == on_member["completionTime"]
        (page,) = await pages(fleet)
        assert page.metadata.name == "jobs-000001"
        assert (page.summary.jobs, page.summary.complete) == (1, 1)
        assert page.summary.last_ended == found.ended
        (raw,) = await fleet.hub.list(JOB_HISTORIES)
        assert raw["summary"]["failed"] == 0
        hours = (found.ended - found.started).total_seconds() / 3600
        assert found.price is not None
        assert abs(found.price - 4 * hours) < 1e-4

    told(story, RUNS)


def test_a_job_that_failed_is_recorded_so_with_why() -> None:
    async def story(fleet: Fleet) -> None:
        await space(fleet)
        await guided(fleet, template=template(FAILS), backoffLimit=0)
        await fleet.pass_time(60)
        found = await record(fleet)
        assert found is not None
        assert found.outcome == JobOutcome.FAILED
        assert "BackoffLimitExceeded" in found.message

    told(story, RUNS)


def test_a_job_deleted_while_it_ran_is_cancelled_and_one_that_was_never_placed_is_not_told_of() -> (
    None
):
    async def story(fleet: Fleet) -> None:
        await space(fleet)
        await guided(fleet, seconds=3600)
        await submitted(fleet, "k", seconds=3600)
        await fleet.job("alone")
        await fleet.pass_time(60)
        for name in ("j", "k", "alone"):
            await deleted(fleet, name)
        await fleet.pass_time(60)
        assert sorted(each.name for each in await records(fleet)) == ["j", "k"]
        for name in ("j", "k"):
            found = await record(fleet, name)
            assert found is not None
            assert found.outcome == JobOutcome.CANCELLED
            assert found.started is not None
            assert found.ended is not None
            assert 40 <= (found.ended - found.started).total_seconds() <= 60
            assert found.message.startswith("it was deleted before its end; ")

    told(story, RUNS)


def test_a_job_on_two_clusters_has_one_record_when_it_has_ended_on_both() -> None:
    async def story(fleet: Fleet) -> None:
        await space(fleet)
        await guided(fleet, clusters=2, seconds=30)
        await fleet.pass_time(10)
        fleet.members["m2"].to_hub.down()
        await fleet.pass_time(60)
        # One is known to have ended; of the other nobody has heard.
        assert await records(fleet) == []
        fleet.members["m2"].to_hub.up()
        await fleet.pass_time(120)
        (found,) = await records(fleet)
        assert found.clusters == ("m1", "m2")
        assert found.message.startswith("m1: ")

    told(story, RUNS)


def test_a_job_that_waits_for_a_second_cluster_is_not_over() -> None:
    async def story(fleet: Fleet) -> None:
        await space(fleet)
        await guided(fleet, clusters=2, keep="1m", keep_placement="1m")
        await fleet.pass_time(600)
        assert await records(fleet) == []
        assert await fleet.hub.get(JOBS, "j", "app") is not None

    told(story, ONE)


def test_a_job_made_again_under_the_same_name_is_another_job() -> None:
    async def story(fleet: Fleet) -> None:
        await space(fleet)
        # With selectors of their own: the second does not take over the pods of the first.
        first = await guided(fleet, manualSelector=None, selector=None)
        await fleet.pass_time(60)
        await deleted(fleet, "j")
        again = job("j", 200, manualSelector=None, selector=None)
        second = (await fleet.hub.create(JOBS, again, "app"))["metadata"]["uid"]
        await fleet.pass_time(60)
        assert [each.uid for each in await records(fleet)] == [first]
        await fleet.pass_time(300)
        assert [each.uid for each in await records(fleet)] == [first, second]

    told(story, RUNS)


def test_jobs_of_one_placement_are_recorded_each_when_it_ends() -> None:
    async def story(fleet: Fleet) -> None:
        await space(fleet)
        await fleet.job("quick", 10)
        await fleet.job("slow", 300)
        selector = {"group": "batch", "version": "v1", "kind": "Job"}
        await fleet.place("app/p", selector, policy=pick("PickN", 1), strategy=rolling())
        await fleet.pass_time(60)
        assert [each.name for each in await records(fleet)] == ["quick"]
        await fleet.pass_time(300)
        assert [each.name for each in await records(fleet)] == ["quick", "slow"]

    told(story, RUNS)


def test_three_hundred_ends_cost_a_few_writes_and_each_is_recorded_once() -> None:
    async def story(fleet: Fleet) -> None:
        await space(fleet)
        for number in range(300):
            await guided(fleet, f"j{number:03d}", seconds=30)
        await fleet.pass_time(1)
        fleet.hub.line.writes()
        await fleet.pass_time(300)
        assert len(await records(fleet)) == 300
        assert [len(each.records) for each in await pages(fleet)] == [200, 100]
        written = fleet.hub.line.writes()
        assert written["create jobhistories"] == 2
        assert written["patch jobhistories"] <= 30
        fleet.hub.line.writes()
        await fleet.pass_time(3600)
        # A history at rest writes nothing.
        assert [each for each in fleet.hub.line.writes() if "jobhist" in each] == []
        counted = fleet.hub.series("argosy_jobs_recorded_total")
        assert counted == {'argosy_jobs_recorded_total{outcome="Complete"}': 300}

    told(story, RUNS)


def test_a_namespace_that_goes_takes_its_history_along_without_an_error() -> None:
    async def story(fleet: Fleet) -> None:
        await space(fleet)
        await guided(fleet, seconds=3600)
        await fleet.pass_time(60)
        await fleet.hub.client.delete(RESOURCE_PLACEMENTS, "j", namespace="app")
        await fleet.hub.client.delete(NAMESPACES, "app")
        await fleet.pass_time(300)
        assert await fleet.hub.list(JOB_HISTORIES) == []
        assert await fleet.hub.get(NAMESPACES, "app", "") is None

    told(story, RUNS)
