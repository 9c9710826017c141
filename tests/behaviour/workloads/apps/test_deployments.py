"""Deployments in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argosy.api.objects import Pod
from argosy.base.types import Json, Object
from argosy.client.objects import decode
from argosy.client.resources import DEPLOYMENTS, PODS, REPLICA_SETS
from argosy.workloads.apps import add_apps
from argosy.workloads.apps.hashes import template_hash
from tests.behaviour.workloads.apps.bodies import change, pods_of, status_of, template
from tests.fakes.kubelets import kubelets
from tests.fakes.worlds import World, running

SECOND = {"template": template("y")}


def _conditions(status: Object) -> dict[str, tuple[str, str]]:
    return {each["type"]: (each["status"], each["reason"]) for each in status["conditions"]}


async def _watch(world: World, see: Callable[[dict[str, Object]], None]) -> None:
    """Show the pods after each change."""
    pods: dict[str, Object] = {}
    events = world.client.watch(PODS, namespace="ns", initial_events=True)
    async with aclosing(events):
        async for event in events:
            if event.type == "BOOKMARK":
                continue
            pod = decode(event.object)
            if event.type == "DELETED" or "deletionTimestamp" in pod["metadata"]:
                pods.pop(pod["metadata"]["name"], None)
            else:
                pods[pod["metadata"]["name"]] = pod
            see(pods)


def _is_ready(pod: Object) -> bool:
    return any(
        each["type"] == "Ready" and each["status"] == "True"
        for each in pod["status"].get("conditions", ())
    )


@settings(max_examples=15)
@given(
    replicas=st.integers(1, 9),
    surge=st.sampled_from([0, 1, 3, "25%", "100%"]),
    unavailable=st.sampled_from([0, 1, 2, "25%", "60%"]),
    scaled=st.none() | st.integers(1, 9),
)
def test_a_rolling_update_never_leaves_its_limits_and_ends(
    replicas: int, surge: Json, unavailable: Json, scaled: int | None
) -> None:
    if surge == 0 and unavailable == 0:
        unavailable = 1
    seen: list[tuple[int, int]] = []

    async def story(world: World) -> None:
        rolling = {"maxSurge": surge, "maxUnavailable": unavailable}
        strategy = {"type": "RollingUpdate", "rollingUpdate": rolling}
        await world.create(DEPLOYMENTS, pods_of("a", replicas, strategy=strategy))
        await world.pass_time(5)
        watching = asyncio.create_task(
            _watch(world, lambda pods: seen.append((len(pods), sum(map(_is_ready, pods.values())))))
        )
        await world.settle()
        seen.clear()
        await change(world, DEPLOYMENTS, "a", **SECOND)
        if scaled is None:
            await world.pass_time(60)
            most = replicas + _share(surge, replicas, up=True)
            least = replicas - max(
                _share(unavailable, replicas, up=False),
                0 if _share(surge, replicas, up=True) else 1,
            )
            assert max(count for count, _ in seen) <= most
            assert min(ready for _, ready in seen) >= least
        else:
            await world.pass_time(1.5)
            await change(world, DEPLOYMENTS, "a", replicas=scaled)
            await world.pass_time(60)
        watching.cancel()
        wanted = scaled if scaled is not None else replicas
        images = [pod["spec"]["containers"][0]["image"] for pod in await world.list(PODS)]
        assert images == ["y"] * wanted
        conditions = _conditions(await status_of(world, DEPLOYMENTS, "a"))
        assert conditions["Progressing"] == ("True", "NewReplicaSetAvailable")

    running(story, add_apps, kubelets())


def _share(value: Json, whole: int, *, up: bool) -> int:
    if isinstance(value, int):
        return value
    share = int(value.removesuffix("%")) * whole
    return -(-share // 100) if up else share // 100


def test_a_stuck_rollout_is_late_and_makes_up_for_it() -> None:
    cured: list[bool] = []

    def is_broken(pod: Pod) -> bool:
        return not cured and pod.spec.containers[0].image == "y"

    async def story(world: World) -> None:
        await world.create(DEPLOYMENTS, pods_of("a", 2, progressDeadlineSeconds=60))
        await world.pass_time(5)
        await change(world, DEPLOYMENTS, "a", **SECOND)
        await world.pass_time(55)
        status = await status_of(world, DEPLOYMENTS, "a")
        assert _conditions(status)["Progressing"] == ("True", "ReplicaSetUpdated")
        await world.pass_time(10)
        status = await status_of(world, DEPLOYMENTS, "a")
        assert _conditions(status)["Progressing"] == ("False", "ProgressDeadlineExceeded")
        cured.append(True)
        await change(world, DEPLOYMENTS, "a", template=template("z"))
        await world.pass_time(20)
        status = await status_of(world, DEPLOYMENTS, "a")
        assert _conditions(status)["Progressing"] == ("True", "NewReplicaSetAvailable")

    running(story, add_apps, kubelets(broken=is_broken))


def test_a_name_that_is_taken_is_counted_and_avoided() -> None:
    async def story(world: World) -> None:
        body = pods_of("a", 1)
        made = await world.client.create(DEPLOYMENTS, body, namespace="ns", dry_run=True)
        taken = f"a-{template_hash(decode(made)['spec']['template'])}"
        await world.create(
            REPLICA_SETS,
            pods_of(
                taken,
                0,
                selector={"matchLabels": {"b": "c"}},
                template={**template(), "metadata": {"labels": {"b": "c"}}},
            ),
        )
        await world.create(DEPLOYMENTS, body)
        await world.pass_time(5)
        status = await status_of(world, DEPLOYMENTS, "a")
        assert (status["collisionCount"], status["readyReplicas"]) == (1, 1)

    running(story, add_apps, kubelets())


def test_history_is_kept_to_its_limit_and_a_revision_comes_back() -> None:
    async def story(world: World) -> None:
        await world.create(DEPLOYMENTS, pods_of("a", 1, revisionHistoryLimit=2))
        for image in ("b", "c", "d", "e", "c"):
            await world.pass_time(10)
            await change(world, DEPLOYMENTS, "a", template=template(image))
        await world.pass_time(10)
        revisions = {
            each["spec"]["template"]["spec"]["containers"][0]["image"]: each["metadata"][
                "annotations"
            ]["deployment.kubernetes.io/revision"]
            for each in await world.list(REPLICA_SETS)
        }
        assert revisions == {"d": "4", "e": "5", "c": "6"}

    running(story, add_apps, kubelets())


@pytest.mark.parametrize("strategy", ["RollingUpdate", "Recreate"])
def test_scaling_up_and_down_ends_at_the_size_asked_for(strategy: str) -> None:
    async def story(world: World) -> None:
        await world.create(DEPLOYMENTS, pods_of("a", 3, strategy={"type": strategy}))
        for size in (7, 2, 0, 4):
            await change(world, DEPLOYMENTS, "a", replicas=size)
            await world.pass_time(10)
            assert len(await world.list(PODS)) == size

    running(story, add_apps, kubelets())
