"""Exclusive placement: every Job has a topology domain of its own."""

from __future__ import annotations

from argosy.base.types import Object
from argosy.client.resources import NODES, PODS
from argosy.workloads.jobsets.names import EXCLUSIVE_TOPOLOGY, NODE_SELECTOR_STRATEGY
from tests.behaviour.workloads.jobsets.worlds import Fleet, replicated, sailing


def racks(pods: list[Object]) -> dict[str, set[str]]:
    """The nodes of each Job; every node is a rack."""
    found: dict[str, set[str]] = {}
    for pod in pods:
        job = pod["metadata"]["labels"]["job-name"]
        found.setdefault(job, set()).add(pod["spec"].get("nodeName", ""))
    return found


def exclusive(name: str, replicas: int = 1) -> Object:
    job = {"completions": 3, "parallelism": 3}
    return replicated(name, duration="forever", job=job, replicas=replicas)


def test_the_pods_of_a_job_share_a_rack_that_no_other_job_has() -> None:
    async def story(fleet: Fleet) -> None:
        metadata = {"annotations": {EXCLUSIVE_TOPOLOGY: "rack"}}
        await fleet.jobset(exclusive("w", replicas=2), metadata=metadata)
        await fleet.pass_time(60)
        pods = await fleet.list(PODS)
        assert len(pods) == 6
        got = racks(pods)
        assert sorted(map(sorted, got.values())) == [["n0"], ["n1"]]
        followers = [pod for pod in pods if not pod["metadata"]["name"].startswith("js-w-0-0")]
        assert all("nodeSelector" in pod["spec"] or "affinity" in pod["spec"] for pod in followers)

    sailing(story)


def test_a_job_without_a_free_rack_waits_with_its_leader_only() -> None:
    async def story(fleet: Fleet) -> None:
        metadata = {"annotations": {EXCLUSIVE_TOPOLOGY: "rack"}}
        await fleet.jobset(exclusive("w", replicas=3), metadata=metadata)
        await fleet.pass_time(60)
        got = racks(await fleet.list(PODS))
        assert sorted(map(sorted, got.values())) == [[""], ["n0"], ["n1"]]
        assert len(await fleet.list(PODS)) == 7

    sailing(story)


def test_followers_sent_after_an_old_leader_are_sent_after_the_new_one() -> None:
    async def story(fleet: Fleet) -> None:
        # A rack has room for one of the two pods, so the follower waits for room beside its leader.
        container = {"name": "m", "image": "x", "resources": {"requests": {"cpu": "5"}}}
        job = {"completions": 2, "parallelism": 2, "backoffLimit": 6}
        tall = replicated("w", duration="forever", job=job, pod={"containers": [container]})
        metadata = {"annotations": {EXCLUSIVE_TOPOLOGY: "rack"}}
        await fleet.jobset(tall, metadata=metadata)
        await fleet.pass_time(30)
        leader, follower = sorted(await fleet.list(PODS), key=lambda pod: pod["metadata"]["name"])
        old = leader["spec"]["nodeName"]
        assert follower["spec"]["nodeSelector"] == {"rack": old.replace("n", "r")}
        await fleet.client.patch(NODES, old, {"spec": {"unschedulable": True}})
        await fleet.client.delete(PODS, leader["metadata"]["name"], namespace="ns")
        await fleet.pass_time(120)
        leader, follower = sorted(await fleet.list(PODS), key=lambda pod: pod["metadata"]["name"])
        new = leader["spec"]["nodeName"]
        assert new != old
        assert follower["spec"]["nodeSelector"] == {"rack": new.replace("n", "r")}

    sailing(story)


def test_the_node_selector_strategy_pins_jobs_to_labeled_nodes() -> None:
    async def story(fleet: Fleet) -> None:
        annotations = {EXCLUSIVE_TOPOLOGY: "rack", NODE_SELECTOR_STRATEGY: "true"}
        await fleet.jobset(exclusive("w"), metadata={"annotations": annotations})
        taint = {"key": "alpha.jobset.sigs.k8s.io/no-schedule", "effect": "NoSchedule"}
        label = {"alpha.jobset.sigs.k8s.io/namespaced-job": "ns_js-w-0"}
        prepared = {"metadata": {"labels": label}, "spec": {"taints": [taint]}}
        await fleet.client.patch(NODES, "n1", prepared)
        await fleet.pass_time(30)
        assert racks(await fleet.list(PODS)) == {"js-w-0": {"n1"}}

    sailing(story)
