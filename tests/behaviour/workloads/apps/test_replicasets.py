"""ReplicaSets in virtual time."""

from __future__ import annotations

from argosy.client.resources import PODS, REPLICA_SETS, REPLICATION_CONTROLLERS
from argosy.workloads.apps import add_apps
from tests.behaviour.workloads.apps.bodies import change, pods_of, status_of, template
from tests.fakes.kubelets import kubelets
from tests.fakes.worlds import World, running


def test_a_large_set_comes_and_goes_in_bursts() -> None:
    async def story(world: World) -> None:
        await world.create(REPLICA_SETS, pods_of("a", 1200))
        await world.pass_time(5)
        want = {
            "replicas": 1200,
            "fullyLabeledReplicas": 1200,
            "readyReplicas": 1200,
            "availableReplicas": 1200,
            "terminatingReplicas": 0,
            "observedGeneration": 1,
        }
        assert await status_of(world, REPLICA_SETS, "a") == want
        await change(world, REPLICA_SETS, "a", replicas=10)
        await world.pass_time(5)
        assert len(await world.list(PODS)) == 10

    running(story, add_apps, kubelets())


def test_pods_are_available_after_their_time_and_not_before() -> None:
    async def story(world: World) -> None:
        await world.create(REPLICA_SETS, pods_of("a", 2, minReadySeconds=30))
        await world.pass_time(20)
        status = await status_of(world, REPLICA_SETS, "a")
        assert (status["readyReplicas"], status.get("availableReplicas")) == (2, None)
        await world.pass_time(15)
        status = await status_of(world, REPLICA_SETS, "a")
        assert (status["readyReplicas"], status["availableReplicas"]) == (2, 2)

    running(story, add_apps, kubelets())


def test_nothing_is_written_when_nothing_changes() -> None:
    async def story(world: World) -> None:
        await world.create(REPLICA_SETS, pods_of("a", 2))
        await world.pass_time(5)
        before = await world.get(REPLICA_SETS, "a")
        (pod, *_) = await world.list(PODS)
        await world.client.patch(
            PODS, pod["metadata"]["name"], {"metadata": {"annotations": {"a": "b"}}}, namespace="ns"
        )
        await world.pass_time(600)
        assert await world.get(REPLICA_SETS, "a") == before

    running(story, add_apps, kubelets())


def test_a_set_that_is_deleted_while_others_go_on() -> None:
    async def story(world: World) -> None:
        await world.create(REPLICA_SETS, pods_of("a", 3))
        await world.client.delete(REPLICA_SETS, "a", namespace="ns")
        other = pods_of("a", 1, selector={"matchLabels": {"app": "b"}})
        other["spec"]["template"] = {
            **template(),
            "metadata": {"labels": {"app": "b"}},
        }
        await world.create(REPLICA_SETS, other)
        await world.pass_time(5)
        assert (await status_of(world, REPLICA_SETS, "a"))["readyReplicas"] == 1

    running(story, add_apps, kubelets())


def test_replication_controllers_too() -> None:
    async def story(world: World) -> None:
        body = {
            "metadata": {"name": "a"},
            "spec": {"replicas": 2, "selector": {"app": "a"}, "template": template()},
        }
        await world.create(REPLICATION_CONTROLLERS, body)
        await world.pass_time(5)
        want = {
            "replicas": 2,
            "fullyLabeledReplicas": 2,
            "readyReplicas": 2,
            "availableReplicas": 2,
            "observedGeneration": 1,
        }
        assert await status_of(world, REPLICATION_CONTROLLERS, "a") == want
        (event, _) = await world.events("a")
        assert event[:2] == ("Normal", "SuccessfulCreate")

    running(story, add_apps, kubelets())
