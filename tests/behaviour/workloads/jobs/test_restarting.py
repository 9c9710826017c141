"""A controller that was away, and Jobs that are gone."""

from __future__ import annotations

from argosy.api.wellknown import JOB_TRACKING
from argosy.client.protocol import Propagation
from argosy.client.resources import JOBS, PODS
from tests.behaviour.workloads.jobs.worlds import World, living


def test_what_happened_meanwhile_is_counted() -> None:
    async def story(world: World) -> None:
        await world.create(completions=4, parallelism=4)
        await world.stop()
        first, second, third, _ = await world.names()
        await world.succeed(first, second)
        await world.fail(third)
        await world.start()
        await world.settle()
        assert await world.status() == {
            "active": 2, "ready": 0, "terminating": 0, "succeeded": 2, "failed": 1,
        }  # fmt: skip

    living(story)


def test_pods_of_a_job_that_is_gone_can_go() -> None:
    async def story(world: World) -> None:
        await world.create(completions=2, parallelism=2)
        await world.stop()
        await world.delete_job()
        assert {tuple(each) for each in (await world.finalizers()).values()} == {(JOB_TRACKING,)}
        await world.start()
        await world.settle()
        assert await world.names() == []

    living(story)


def test_pods_that_were_left_behind_lose_the_finalizer_and_stay() -> None:
    async def story(world: World) -> None:
        await world.create()
        await world.stop()
        await world.delete_job(how=Propagation.ORPHAN)
        await world.start()
        await world.settle()
        assert list((await world.finalizers()).values()) == [[]]

    living(story)


def test_a_job_made_anew_under_the_same_name_starts_from_nothing() -> None:
    async def story(world: World) -> None:
        await world.create(completions=2, parallelism=1)
        await world.succeed(*await world.names())
        await world.client.delete(JOBS, "job", namespace="ns", propagation=Propagation.BACKGROUND)
        await world.create(completions=2, parallelism=2)
        assert await world.status() == {"active": 2, "ready": 0, "terminating": 0}
        assert len(await world.names()) == 2

    living(story)


def test_a_pod_that_lost_its_labels_is_let_go_and_replaced() -> None:
    async def story(world: World) -> None:
        await world.create()
        (name,) = await world.names()
        await world.client.patch(PODS, name, {"metadata": {"labels": None}}, namespace="ns")
        await world.settle()
        pods = {pod["metadata"]["name"]: pod["metadata"] for pod in await world.pods()}
        assert len(pods) == 2
        assert "ownerReferences" not in pods[name]
        assert "finalizers" not in pods[name]

    living(story)


def test_an_expired_job_goes_after_a_restart_too() -> None:
    async def story(world: World) -> None:
        await world.create(ttlSecondsAfterFinished=60)
        await world.succeed(*await world.names())
        await world.stop()
        await world.settle(30)
        await world.start()
        await world.settle(20)
        assert await world.names() != []
        await world.settle(10)
        assert await world.names() == []
        assert (await world.client.list_all(JOBS)).items == []

    living(story)


def test_a_time_to_live_that_is_made_longer_counts() -> None:
    async def story(world: World) -> None:
        await world.create(ttlSecondsAfterFinished=20)
        await world.succeed(*await world.names())
        await world.change(ttlSecondsAfterFinished=100)
        await world.settle(60)
        assert len((await world.client.list_all(JOBS)).items) == 1
        await world.settle(60)
        assert (await world.client.list_all(JOBS)).items == []

    living(story)


def test_an_orphan_is_adopted_by_the_job_that_selects_it_now() -> None:
    async def story(world: World) -> None:
        spec = {"containers": [{"name": "main", "image": "x"}], "restartPolicy": "Never"}
        body = {"metadata": {"name": "stray", "labels": {"app": "other"}}, "spec": spec}
        await world.client.create(PODS, body, namespace="ns")
        template = {"metadata": {"labels": {"app": "mine"}}, "spec": spec}
        selector = {"matchLabels": {"app": "mine"}}
        await world.create(manualSelector=True, selector=selector, template=template, parallelism=0)
        await world.client.patch(
            PODS, "stray", {"metadata": {"labels": {"app": "mine"}}}, namespace="ns"
        )
        await world.succeed("stray")
        assert (await world.status())["succeeded"] == 1
        (pod,) = await world.pods()
        assert [owner["name"] for owner in pod["metadata"]["ownerReferences"]] == ["job"]

    living(story)
