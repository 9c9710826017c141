"""Machines taken back, controllers killed, pools deleted: nothing is lost and nothing is bought twice."""

from __future__ import annotations

from argosy.api.wellknown import FAULT
from argosy.capacity import add_capacity
from argosy.client.resources import NODES, POD_DISRUPTION_BUDGETS, PODS
from argosy.workloads.nodes import add_nodes
from tests.behaviour.capacity.pools import NODE_POOLS, Pooled, pooled
from tests.fakes.kubelets import Kubelets


def test_a_reclaimed_spot_node_ends_its_pods_after_the_notice_and_is_replaced() -> None:
    async def story(here: Pooled) -> None:
        await here.pool(minimum=1, spot=True, noticeSeconds=30)
        await here.pass_time(3)
        (name,) = await here.nodes()
        await here.pods(1)
        await here.pass_time(3)
        await here.client.patch(NODES, name, {"metadata": {"annotations": {FAULT: "reclaim"}}})
        await here.pass_time(5)
        node = await here.get(NODES, name)
        assert node is not None
        (taint,) = node["spec"]["taints"]
        assert (taint["key"], taint["effect"]) == ("argosy.dev/reclaimed", "NoSchedule")
        await here.pass_time(30)
        pod = await here.get(PODS, "pod-0")
        assert pod is not None
        assert (pod["status"]["phase"], pod["status"]["reason"]) == ("Failed", "Terminated")
        (target,) = [c for c in pod["status"]["conditions"] if c["type"] == "DisruptionTarget"]
        text = "Pod was terminated in response to imminent node shutdown."
        assert (target["status"], target["reason"], target["message"]) == (
            "True",
            "TerminationByKubelet",
            text,
        )
        (other,) = await here.nodes()
        assert other != name
        want = ["ReclaimNotice", "Reclaimed"]
        assert [e[1] for e in await here.events(name) if e[0] == "Warning"] == want

    pooled(story)


def test_machines_that_boot_while_argosy_is_killed_arrive_once_and_in_time() -> None:
    async def story(here: Pooled) -> None:
        await here.pool(bootTime="2m")
        await here.pods(4)
        await here.pass_time(10)
        boots = (await here.status_of())["boots"]
        await here.kill()
        await here.pass_time(20)
        await here.start()
        await here.pass_time(30)
        assert await here.nodes() == []
        assert (await here.status_of())["boots"] == boots
        await here.pass_time(75)
        assert await here.nodes() == sorted(name for boot in boots for name in boot["names"])
        await here.pass_time(600)
        assert len(await here.nodes()) == 2
        assert "boots" not in await here.status_of()

    pooled(story)


def test_nodes_that_were_made_before_a_kill_are_not_made_again() -> None:
    async def story(here: Pooled) -> None:
        await here.pool(minimum=3, bootTime="60s")
        await here.pass_time(5)
        (boot,) = (await here.status_of())["boots"]
        await here.kill()
        # One of the three exists already, as if we had been killed in the middle of creating them.
        await here.node(boot["names"][0], labels={"argosy.dev/nodepool": "pool"})
        await here.pass_time(120)
        await here.start()
        await here.pass_time(60)
        assert await here.nodes() == sorted(boot["names"])

    pooled(story)


def test_a_deleted_pool_drains_its_nodes_and_goes() -> None:
    async def story(here: Pooled) -> None:
        await here.pool(minimum=2)
        await here.pods(2)
        await here.pass_time(10)
        await here.client.delete(NODE_POOLS, "pool")
        await here.pass_time(60)
        assert await here.nodes() == []
        assert await here.list(PODS) == []
        assert await here.get(NODE_POOLS, "pool") is None

    pooled(story, Kubelets, add_nodes)


def test_a_pool_that_would_run_processes_is_refused_unless_allowed() -> None:
    async def story(here: Pooled) -> None:
        await here.pool(minimum=2, runtime="process")
        await here.pass_time(30)
        assert await here.nodes() == []
        status, reason, message = await here.condition("Ready")
        assert (status, reason) == ("False", "ProcessRuntimeNotAllowed")
        assert "--allow-processes" in message

    pooled(story)

    async def allowed(here: Pooled) -> None:
        await here.pool(minimum=2, runtime="process")
        await here.pass_time(30)
        assert len(await here.nodes()) == 2

    pooled(allowed, with_capacity=lambda assembly: add_capacity(assembly, allow_processes=True))


def test_a_node_deleted_by_hand_is_replaced() -> None:
    async def story(here: Pooled) -> None:
        await here.pool(minimum=2)
        await here.pass_time(5)
        before = await here.nodes()
        await here.client.delete(NODES, before[0])
        await here.pass_time(15)
        after = await here.nodes()
        assert len(after) == 2
        assert before[1] in after

    pooled(story)


def test_a_reclaimed_pod_is_not_shown_as_ready_with_running_containers() -> None:
    async def story(here: Pooled) -> None:
        await here.pool(minimum=1, spot=True, noticeSeconds=5)
        await here.pass_time(3)
        (name,) = await here.nodes()
        await here.pods(1)
        await here.pass_time(3)
        running = {"startedAt": "2026-01-01T00:00:00Z"}
        await here.status(
            PODS,
            "pod-0",
            {
                "phase": "Running",
                "conditions": [{"type": "Ready", "status": "True"}],
                "containerStatuses": [
                    {
                        "name": "main",
                        "image": "i",
                        "imageID": "i",
                        "ready": True,
                        "restartCount": 0,
                        "state": {"running": running},
                    }
                ],
            },
        )
        await here.client.patch(NODES, name, {"metadata": {"annotations": {FAULT: "reclaim"}}})
        await here.pass_time(10)
        pod = await here.get(PODS, "pod-0")
        assert pod is not None
        (container,) = pod["status"]["containerStatuses"]
        want = {
            "exitCode": 137,
            "reason": "ContainerStatusUnknown",
            "message": "The container could not be located when the pod was terminated",
        }
        got = {key: container["state"]["terminated"][key] for key in want}
        assert (got, set(container["state"]), container["ready"]) == (want, {"terminated"}, False)
        (ready,) = [c for c in pod["status"]["conditions"] if c["type"] == "Ready"]
        assert (ready["status"], ready["reason"]) == ("False", "PodFailed")

    pooled(story)


def test_a_deleted_pool_says_which_pod_its_budget_holds_back() -> None:
    async def story(here: Pooled) -> None:
        await here.pool()
        await here.pods(1, metadata={"labels": {"app": "web"}})
        await here.pass_time(5)
        (name,) = await here.nodes()
        ready = [{"type": "Ready", "status": "True"}]
        await here.status(PODS, "pod-0", {"phase": "Running", "conditions": ready})
        spec = {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}}
        budget = await here.create(
            POD_DISRUPTION_BUDGETS, {"metadata": {"name": "web"}, "spec": spec}
        )
        status = {
            "disruptionsAllowed": 0,
            "currentHealthy": 1,
            "desiredHealthy": 1,
            "expectedPods": 1,
            "observedGeneration": budget["metadata"]["generation"],
        }
        await here.status(POD_DISRUPTION_BUDGETS, "web", status)
        await here.client.delete(NODE_POOLS, "pool")
        await here.pass_time(20)
        why = f"pod ns/pod-0 stays on {name}: Cannot evict pod as it would violate the pod's disruption budget."
        want = ("False", "Draining", f"the pool is being deleted and 1 nodes are left; {why}")
        assert await here.condition("Ready") == want
        assert [e for e in await here.events("pool") if e[0] == "Warning"] == [
            ("Warning", "DrainBlocked", why)
        ]
        await here.client.delete(POD_DISRUPTION_BUDGETS, "web", namespace="ns")
        await here.pass_time(10)
        await here.client.delete(PODS, "pod-0", namespace="ns", grace_seconds=0)
        await here.pass_time(20)
        assert await here.get(NODE_POOLS, "pool") is None

    pooled(story)
