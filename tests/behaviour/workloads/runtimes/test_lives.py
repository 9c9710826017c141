"""Pods on simulated nodes live as on any node: they start, run, end, are restarted, deleted and refused."""

from __future__ import annotations

from argosy.client.resources import NODES, PODS
from tests.behaviour.workloads.runtimes.simulating import (
    add_agent,
    add_node,
    add_pod,
    main_status,
    phase,
)
from tests.fakes.worlds import World, running


def test_a_pod_runs_and_succeeds() -> None:
    async def story(world: World) -> None:
        await add_node(world)
        await add_pod(world, "p", "sleep", "30")
        await world.settle()
        assert await phase(world) == "Running"
        await world.pass_time(29)
        assert await phase(world) == "Running"
        await world.pass_time(1)
        assert await phase(world) == "Succeeded"

    running(story, add_agent)


def test_the_status_is_a_kubelets() -> None:
    async def story(world: World) -> None:
        await add_node(world)
        made = await add_pod(world, "p", "sleep", "30")
        await world.pass_time(31)
        pod = await world.get(PODS, "p")
        assert pod is not None
        status = pod["status"]
        container = status["containerStatuses"][0]
        volume = pod["spec"]["volumes"][0]["name"]
        identity = container.pop("containerID")
        assert identity.startswith("simulated://")
        assert len(identity) == len("simulated://") + 64
        assert container.pop("imageID").startswith("busybox@sha256:")
        at, later = "2026-01-01T00:00:00Z", "2026-01-01T00:00:30Z"
        assert status == {
            "phase": "Succeeded",
            "observedGeneration": 1,
            "conditions": [
                _condition("PodReadyToStartContainers", "False", later),
                _condition("Initialized", "True", at, "PodCompleted"),
                _condition("Ready", "False", later, "PodCompleted"),
                _condition("ContainersReady", "False", later, "PodCompleted"),
                _condition("PodScheduled", "True", at),
            ],
            "hostIP": "10.0.0.1",
            "hostIPs": [{"ip": "10.0.0.1"}],
            "podIP": "10.128.0.1",
            "podIPs": [{"ip": "10.128.0.1"}],
            "startTime": at,
            "containerStatuses": [
                {
                    "name": "main",
                    "image": "busybox",
                    "lastState": {},
                    "ready": False,
                    "resources": {},
                    "restartCount": 0,
                    "started": False,
                    "state": {
                        "terminated": {
                            "containerID": identity,
                            "exitCode": 0,
                            "reason": "Completed",
                            "startedAt": at,
                            "finishedAt": later,
                        }
                    },
                    "volumeMounts": [
                        {
                            "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
                            "name": volume,
                            "readOnly": True,
                            "recursiveReadOnly": "Disabled",
                        }
                    ],
                }
            ],
            "qosClass": "BestEffort",
        }
        managers = {
            (one["manager"], one.get("subresource", "")) for one in pod["metadata"]["managedFields"]
        }
        assert ("kubelet", "status") in managers
        assert made["metadata"]["uid"] == pod["metadata"]["uid"]

    running(story, add_agent)


def _condition(type_: str, status: str, since: str, reason: str = "") -> dict[str, object]:
    one: dict[str, object] = {
        "type": type_,
        "status": status,
        "lastProbeTime": None,
        "lastTransitionTime": since,
        "observedGeneration": 1,
    }
    return {**one, "reason": reason} if reason else one


def test_the_events_are_a_kubelets() -> None:
    async def story(world: World) -> None:
        await add_node(world)
        await add_pod(world, "p", "sleep", "300")
        await world.pass_time(1)
        await world.client.delete(PODS, "p", namespace="ns")
        await world.settle()
        image = "already present on machine and can be accessed by the pod"
        assert await world.events("p") == [
            ("Normal", "Pulled", f'Container image "busybox" {image}'),
            ("Normal", "Created", "Container created"),
            ("Normal", "Started", "Container started"),
            ("Normal", "Killing", "Stopping container main"),
        ]

    running(story, add_agent)


def test_each_pod_has_an_address_of_its_own_until_it_is_gone() -> None:
    async def story(world: World) -> None:
        await add_node(world)
        for number in range(20):
            await add_pod(world, f"p{number}", "sleep", "300")
        await world.settle()
        addresses = {pod["status"]["podIP"] for pod in await world.list(PODS)}
        assert len(addresses) == 20

    running(story, add_agent)


def test_a_pod_on_the_hosts_network_has_the_nodes_address() -> None:
    async def story(world: World) -> None:
        await add_node(world)
        await add_pod(world, "p", "sleep", "300", hostNetwork=True)
        await world.settle()
        pod = await world.get(PODS, "p")
        assert pod is not None
        assert pod["status"]["podIP"] == pod["status"]["hostIP"] == "10.0.0.1"

    running(story, add_agent)


def test_a_pod_that_crashes_is_held_back() -> None:
    async def story(world: World) -> None:
        await add_node(world)
        await add_pod(world, "p", "sh", "-c", "sleep 5; exit 3", policy="Always")
        await world.pass_time(6)
        got = await main_status(world)
        assert (got["restartCount"], "running" in got["state"]) == (1, True)
        assert got["lastState"]["terminated"]["exitCode"] == 3
        await world.pass_time(5)
        got = await main_status(world)
        assert got["state"]["waiting"]["reason"] == "CrashLoopBackOff"
        assert got["state"]["waiting"]["message"].startswith(
            "back-off 10s restarting failed container=main"
        )
        assert await phase(world) == "Running"
        await world.pass_time(10)
        got = await main_status(world)
        assert (got["restartCount"], "running" in got["state"]) == (2, True)

    running(story, add_agent)


def test_a_pod_that_hangs_runs_until_it_is_deleted() -> None:
    async def story(world: World) -> None:
        await add_node(world)
        await add_pod(world, "p", "sleep", "5", annotations={"argosy.dev/outcome": "hang"})
        await world.pass_time(3_000)
        assert await phase(world) == "Running"
        await world.client.delete(PODS, "p", namespace="ns")
        await world.settle()
        assert await phase(world) == "gone"

    running(story, add_agent)


def test_a_deleted_pod_ends_in_order_before_it_is_removed() -> None:
    async def story(world: World) -> None:
        await add_node(world)
        await add_pod(
            world, "p", "sleep", "300",
            annotations={"argosy.dev/termination": "8s"}, terminationGracePeriodSeconds=20,
        )  # fmt: skip
        await world.client.patch(
            PODS, "p", {"metadata": {"finalizers": ["test/keep"]}}, namespace="ns"
        )
        await world.settle()
        await world.client.delete(PODS, "p", namespace="ns")
        await world.pass_time(7)
        assert await phase(world) == "Running"
        await world.pass_time(2)
        pod = await world.get(PODS, "p")
        assert pod is not None
        assert pod["status"]["phase"] == "Failed"
        ended = pod["status"]["containerStatuses"][0]["state"]["terminated"]
        assert (ended["exitCode"], ended["finishedAt"]) == (143, "2026-01-01T00:00:08Z")
        await world.client.patch(PODS, "p", {"metadata": {"finalizers": None}}, namespace="ns")
        await world.settle()
        assert await phase(world) == "gone"

    running(story, add_agent)


def test_a_pod_that_ignores_sigterm_is_killed_after_its_grace() -> None:
    async def story(world: World) -> None:
        await add_node(world)
        await add_pod(
            world, "p", "sleep", "300",
            annotations={"argosy.dev/termination": "never"}, terminationGracePeriodSeconds=20,
        )  # fmt: skip
        await world.settle()
        await world.client.delete(PODS, "p", namespace="ns")
        await world.pass_time(19)
        assert await phase(world) == "Running"
        await world.pass_time(2)
        assert await phase(world) == "gone"

    running(story, add_agent)


def test_a_forced_deletion_frees_the_node() -> None:
    async def story(world: World) -> None:
        await add_node(world, cpu="1")
        needs = {"resources": {"requests": {"cpu": "1"}}}
        await add_pod(world, "p", "sleep", "300", container=needs)
        await world.settle()
        await world.client.delete(PODS, "p", namespace="ns", grace_seconds=0)
        await add_pod(world, "q", "sleep", "300", container=needs)
        await world.settle()
        assert (await phase(world, "p"), await phase(world, "q")) == ("gone", "Running")

    running(story, add_agent)


def test_a_pod_that_does_not_fit_is_refused() -> None:
    async def story(world: World) -> None:
        await add_node(world, cpu="2")
        needs = {"resources": {"requests": {"cpu": "1500m"}}}
        await add_pod(world, "p", "sleep", "60", container=needs)
        await add_pod(world, "q", "sleep", "60", container=needs)
        await world.settle()
        pod = await world.get(PODS, "q")
        assert pod is not None
        text = "Node didn't have enough resource: cpu, requested: 1500, used: 1500, capacity: 2000"
        got = {name: pod["status"].get(name) for name in ("phase", "reason", "message")}
        assert got == {
            "phase": "Failed",
            "reason": "OutOfcpu",
            "message": f"Pod was rejected: {text}",
        }
        assert await world.events("q") == [("Warning", "OutOfcpu", text)]
        await world.pass_time(61)
        await add_pod(world, "r", "sleep", "60", container=needs)
        await world.settle()
        assert await phase(world, "r") == "Running"
        await world.client.delete(PODS, "q", namespace="ns")
        await world.settle()
        assert await phase(world, "q") == "gone"

    running(story, add_agent)


def test_a_bad_annotation_is_told_and_the_pod_runs_without_it() -> None:
    async def story(world: World) -> None:
        await add_node(world)
        await add_pod(world, "p", "sleep", "5", annotations={"argosy.dev/duration": "60"})
        await world.pass_time(6)
        assert await phase(world) == "Succeeded"
        text = 'annotation argosy.dev/duration: time: missing unit in duration "60"; write one such as 90s'
        assert ("Warning", "InvalidSimulation", text) in await world.events("p")

    running(story, add_agent)


def test_pods_of_other_nodes_are_left_alone() -> None:
    async def story(world: World) -> None:
        await world.node("other")
        await world.node("process", labels={"argosy.dev/runtime": "process"})
        await add_pod(world, "p", "sleep", "5", node="other")
        await add_pod(world, "q", "sleep", "5", node="process")
        await add_pod(world, "r", "sleep", "5", node="")
        await world.pass_time(10)
        assert [await phase(world, name) for name in "pqr"] == ["Pending"] * 3

    running(story, add_agent)


def test_a_pod_bound_before_its_node_is_there_starts_with_it() -> None:
    async def story(world: World) -> None:
        await add_pod(world, "p", "sleep", "5")
        await world.pass_time(10)
        assert await phase(world) == "Pending"
        await add_node(world)
        await world.settle()
        assert await phase(world) == "Running"

    running(story, add_agent)


def test_pods_of_a_node_that_is_deleted_are_forgotten() -> None:
    async def story(world: World) -> None:
        await add_node(world)
        await add_pod(world, "p", "sleep", "5")
        await world.settle()
        await world.client.delete(NODES, "n1")
        await world.pass_time(10)
        assert await phase(world) == "Running"

    running(story, add_agent)


def test_a_condition_that_somebody_else_adds_stays() -> None:
    async def story(world: World) -> None:
        await add_node(world)
        await add_pod(world, "p", "sleep", "5")
        await world.settle()
        mark = {"type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI"}
        await world.status(PODS, "p", {"conditions": [mark]})
        await world.pass_time(6)
        pod = await world.get(PODS, "p")
        assert pod is not None
        types = [one["type"] for one in pod["status"]["conditions"]]
        assert (pod["status"]["phase"], "DisruptionTarget" in types) == ("Succeeded", True)

    running(story, add_agent)


def test_a_namesake_is_another_pod() -> None:
    async def story(world: World) -> None:
        await add_node(world)
        await add_pod(world, "p", "sleep", "50")
        await world.settle()
        await world.client.delete(PODS, "p", namespace="ns", grace_seconds=0)
        await add_pod(world, "p", "sleep", "20")
        await world.settle()
        assert await phase(world) == "Running"
        await world.pass_time(21)
        assert await phase(world) == "Succeeded"

    running(story, add_agent)


def test_a_pod_is_ready_when_its_gates_are() -> None:
    async def story(world: World) -> None:
        await add_node(world)
        gates = [{"conditionType": "example.com/open"}]
        await add_pod(world, "p", "sleep", "300", readinessGates=gates)
        await world.settle()
        assert await ready_condition(world) == ("False", "ReadinessGatesNotReady")
        await world.status(
            PODS, "p", {"conditions": [{"type": "example.com/open", "status": "True"}]}
        )
        await world.settle()
        assert await ready_condition(world) == ("True", "")

    running(story, add_agent)


async def ready_condition(world: World) -> tuple[str, str]:
    pod = await world.get(PODS, "p")
    assert pod is not None
    found = next(one for one in pod["status"]["conditions"] if one["type"] == "Ready")
    return found["status"], found.get("reason", "")


def test_a_deadline_that_is_set_later_counts() -> None:
    async def story(world: World) -> None:
        await add_node(world)
        await add_pod(world, "p", "sleep", "300")
        await world.pass_time(5)
        await world.client.patch(PODS, "p", {"spec": {"activeDeadlineSeconds": 20}}, namespace="ns")
        await world.settle()
        pod = await world.get(PODS, "p")
        assert pod is not None
        assert pod["status"]["observedGeneration"] == pod["metadata"]["generation"] == 2
        await world.pass_time(16)
        pod = await world.get(PODS, "p")
        assert pod is not None
        got = {name: pod["status"].get(name) for name in ("phase", "reason", "message")}
        assert got == {
            "phase": "Failed",
            "reason": "DeadlineExceeded",
            "message": "Pod was active on the node longer than the specified deadline",
        }

    running(story, add_agent)
