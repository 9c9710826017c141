"""StatefulSets in virtual time."""

from __future__ import annotations

from argosy.base.types import Object
from argosy.client.resources import (
    CONTROLLER_REVISIONS,
    PERSISTENT_VOLUME_CLAIMS,
    PODS,
    STATEFUL_SETS,
)
from argosy.workloads.apps import add_apps
from tests.behaviour.workloads.apps.bodies import change, pods_of, status_of, template
from tests.fakes.kubelets import kubelets
from tests.fakes.worlds import World, running


def _names(pods: list[Object]) -> list[str]:
    return [pod["metadata"]["name"] for pod in pods]


def test_pods_come_one_after_the_other() -> None:
    async def story(world: World) -> None:
        await world.create(STATEFUL_SETS, pods_of("db", 3, serviceName="svc"))
        seen = []
        for _ in range(3):
            await world.pass_time(0.5)
            seen.append(_names(await world.list(PODS)))
            await world.pass_time(0.6)
        assert seen == [["db-0"], ["db-0", "db-1"], ["db-0", "db-1", "db-2"]]

    running(story, add_apps, kubelets())


def test_a_deleted_pod_is_followed_by_its_namesake_only_after_a_moment() -> None:
    """kubectl, which waits for the pod to go, must not take the new one for it."""

    async def story(world: World) -> None:
        await world.create(STATEFUL_SETS, pods_of("db", 2))
        await world.pass_time(5)
        await world.client.delete(PODS, "db-0", namespace="ns", grace_seconds=0)
        for _ in range(9):
            await world.pass_time(0.1)
            assert _names(await world.list(PODS)) == ["db-1"]
        await world.pass_time(0.5)
        assert _names(await world.list(PODS)) == ["db-0", "db-1"]

    running(story, add_apps, kubelets())


def test_an_update_goes_from_the_highest_to_the_lowest() -> None:
    async def story(world: World) -> None:
        await world.create(STATEFUL_SETS, pods_of("db", 3, podManagementPolicy="Parallel"))
        await world.pass_time(5)
        await change(world, STATEFUL_SETS, "db", template=template("y"))
        updated: list[str] = []
        for _ in range(60):
            await world.pass_time(0.1)
            for pod in await world.list(PODS):
                name = pod["metadata"]["name"]
                if pod["spec"]["containers"][0]["image"] == "y" and name not in updated:
                    updated.append(name)
        assert updated == ["db-2", "db-1", "db-0"]
        status = await status_of(world, STATEFUL_SETS, "db")
        assert status["currentRevision"] == status["updateRevision"]
        revisions = [each["revision"] for each in await world.list(CONTROLLER_REVISIONS)]
        assert sorted(revisions) == [1, 2]

    running(story, add_apps, kubelets())


def test_claims_outlive_their_pods_unless_told_otherwise() -> None:
    async def story(world: World) -> None:
        claim = {
            "metadata": {"name": "data"},
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "resources": {"requests": {"storage": "1Gi"}},
            },
        }
        body = pods_of("db", 2, volumeClaimTemplates=[claim])
        body["spec"]["persistentVolumeClaimRetentionPolicy"] = {
            "whenScaled": "Delete",
            "whenDeleted": "Delete",
        }
        await world.create(STATEFUL_SETS, body)
        await world.pass_time(5)
        await change(world, STATEFUL_SETS, "db", replicas=1)
        await world.pass_time(5)
        owners = {
            each["metadata"]["name"]: each["metadata"]["ownerReferences"][0]["kind"]
            for each in await world.list(PERSISTENT_VOLUME_CLAIMS)
        }
        assert owners == {"data-db-0": "StatefulSet", "data-db-1": "Pod"}
        events = [message for _, _, message in await world.events("db")]
        assert events[:2] == [
            "Create Claim data-db-0 Pod db-0 in StatefulSet db success",
            "Create Pod db-0 in StatefulSet db successful",
        ]

    running(story, add_apps, kubelets())


def test_pods_wait_for_the_one_before_to_be_available() -> None:
    async def story(world: World) -> None:
        await world.create(STATEFUL_SETS, pods_of("db", 2, minReadySeconds=30))
        await world.pass_time(28)
        assert _names(await world.list(PODS)) == ["db-0"]
        await world.pass_time(5)
        assert _names(await world.list(PODS)) == ["db-0", "db-1"]

    running(story, add_apps, kubelets())
