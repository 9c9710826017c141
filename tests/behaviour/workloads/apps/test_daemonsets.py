"""DaemonSets in virtual time."""

from __future__ import annotations

from argosy.base.types import Object
from argosy.client.resources import CONTROLLER_REVISIONS, DAEMON_SETS, NODES, PODS
from argosy.workloads.apps import add_apps
from tests.behaviour.workloads.apps.bodies import change, pods_of, status_of, template
from tests.fakes.kubelets import kubelets
from tests.fakes.worlds import World, running


def _nodes(pods: list[Object]) -> list[str]:
    return sorted(pod["spec"]["nodeName"] for pod in pods)


def test_every_node_gets_one_also_those_that_come_later() -> None:
    async def story(world: World) -> None:
        await world.node("n1")
        await world.create(DAEMON_SETS, pods_of("agent"))
        await world.pass_time(5)
        await world.node("n2")
        await world.node("n3", spec={"taints": [{"key": "x", "effect": "NoSchedule"}]})
        await world.pass_time(5)
        assert _nodes(await world.list(PODS)) == ["n1", "n2"]
        want = {
            "currentNumberScheduled": 2,
            "desiredNumberScheduled": 2,
            "numberAvailable": 2,
            "numberMisscheduled": 0,
            "numberReady": 2,
            "observedGeneration": 1,
            "updatedNumberScheduled": 2,
        }
        assert await status_of(world, DAEMON_SETS, "agent") == want

    running(story, add_apps, kubelets())


def test_taints_keep_new_pods_away_and_drive_others_off() -> None:
    async def story(world: World) -> None:
        for name in ("n1", "n2"):
            await world.node(name)
        await world.create(DAEMON_SETS, pods_of("agent"))
        await world.pass_time(5)
        for name, effect in (("n1", "NoSchedule"), ("n2", "NoExecute")):
            spec = {"taints": [{"key": "x", "effect": effect}]}
            await world.client.patch(NODES, name, {"spec": spec})
        await world.pass_time(5)
        assert _nodes(await world.list(PODS)) == ["n1"]
        status = await status_of(world, DAEMON_SETS, "agent")
        assert (status["desiredNumberScheduled"], status["numberMisscheduled"]) == (0, 1)

    running(story, add_apps, kubelets())


def test_an_update_takes_one_node_at_a_time() -> None:
    async def story(world: World) -> None:
        for number in range(4):
            await world.node(f"n{number}")
        await world.create(DAEMON_SETS, pods_of("agent"))
        await world.pass_time(5)
        await change(world, DAEMON_SETS, "agent", template=template("y"))
        least = 4
        for _ in range(200):
            await world.pass_time(0.1)
            ready = [
                pod
                for pod in await world.list(PODS)
                if pod["status"].get("conditions") and "deletionTimestamp" not in pod["metadata"]
            ]
            least = min(least, len(ready))
        assert least == 3
        images = {pod["spec"]["containers"][0]["image"] for pod in await world.list(PODS)}
        assert images == {"y"}
        revisions = [each["revision"] for each in await world.list(CONTROLLER_REVISIONS)]
        assert sorted(revisions) == [1, 2]

    running(story, add_apps, kubelets())


def test_with_surge_no_node_is_ever_without() -> None:
    async def story(world: World) -> None:
        for number in range(3):
            await world.node(f"n{number}")
        rolling = {"maxSurge": 1, "maxUnavailable": 0}
        strategy = {"type": "RollingUpdate", "rollingUpdate": rolling}
        await world.create(DAEMON_SETS, pods_of("agent", updateStrategy=strategy))
        await world.pass_time(5)
        await change(world, DAEMON_SETS, "agent", template=template("y"))
        for _ in range(100):
            await world.pass_time(0.1)
            ready = {
                pod["spec"].get("nodeName")
                for pod in await world.list(PODS)
                if pod["status"]["phase"] == "Running"
                and "deletionTimestamp" not in pod["metadata"]
            }
            assert len(ready) == 3
        pods = await world.list(PODS)
        assert [pod["spec"]["containers"][0]["image"] for pod in pods] == ["y"] * 3
        # Each old pod is deleted once, although both placing and rolling would.
        reasons = [reason for _, reason, _ in await world.events()]
        assert reasons.count("SuccessfulDelete") == 3

    running(story, add_apps, kubelets())


def test_pods_that_fail_are_made_again_ever_more_slowly() -> None:
    async def story(world: World) -> None:
        await world.node("n1")
        await world.create(DAEMON_SETS, pods_of("agent"))
        seen: list[str] = []
        for _ in range(40):
            await world.pass_time(1)
            for pod in await world.list(PODS):
                if pod["metadata"]["name"] not in seen:
                    seen.append(pod["metadata"]["name"])
                if pod["status"]["phase"] == "Running":
                    await world.status(PODS, pod["metadata"]["name"], {"phase": "Failed"})
        assert 5 <= len(seen) <= 7
        events = [
            message for _, reason, message in await world.events() if reason == "FailedDaemonPod"
        ]
        assert events[0] == f"Found failed daemon pod ns/{seen[0]} on node n1, will try to kill it"

    running(story, add_apps, kubelets(seconds=0.1))
