"""Jobs of all kinds on one quota, with the whole of queueing around them, in virtual time."""

from __future__ import annotations

from argosy.base.types import Object
from argosy.client.resources import (
    CLUSTER_QUEUES,
    JOBS,
    PODS,
    STATEFUL_SETS,
    WORKLOAD_PRIORITY_CLASSES,
    WORKLOADS,
)
from argosy.workloads.jobsets import definitions
from argosy.workloads.jobsets.names import JOB_SETS
from tests.behaviour.queueing.jobworlds import QUEUE, TEMPLATE, Harbor, queueing


def _queue(cpu: str, **more: object) -> Object:
    flavor = {"name": "spot", "resources": [{"name": "cpu", "nominalQuota": cpu}]}
    return {
        "metadata": {"name": "cq"},
        "spec": {
            "namespaceSelector": {},
            "resourceGroups": [{"coveredResources": ["cpu"], "flavors": [flavor]}],
            **more,
        },
    }


async def _states(harbor: Harbor) -> dict[str, str]:
    """The phase of each Workload, by the name of its owner."""
    found = {}
    for workload in await harbor.list(WORKLOADS):
        true = {
            each["type"]
            for each in workload.get("status", {}).get("conditions", ())
            if each["status"] == "True"
        }
        owner = workload["metadata"]["ownerReferences"][0]["name"]
        found[owner] = next(
            (each for each in ("Finished", "Admitted", "QuotaReserved") if each in true), "Pending"
        )
    return found


def test_the_guides_jobs_run_one_after_the_other_on_a_quota_for_one() -> None:
    async def story(harbor: Harbor) -> None:
        await harbor.make(CLUSTER_QUEUES, _queue("3"))
        for name in ("mock-workload", "model-evaluation"):
            await harbor.make(
                JOBS,
                {
                    "metadata": {"name": name, "annotations": {QUEUE: "lq"}},
                    "spec": {
                        "parallelism": 3, "completions": 3, "suspend": True, "template": TEMPLATE,
                        "backoffLimit": 3,
                    },
                },
            )  # fmt: skip
        assert await _states(harbor) == {"mock-workload": "Admitted", "model-evaluation": "Pending"}
        await harbor.pass_time(30)
        assert len(await harbor.pods()) == 3
        await harbor.pass_time(60)
        states = await _states(harbor)
        assert states == {"mock-workload": "Finished", "model-evaluation": "Admitted"}
        await harbor.pass_time(120)
        assert set((await _states(harbor)).values()) == {"Finished"}

    queueing(story, is_whole=True)


def test_all_kinds_share_a_quota_and_all_get_their_turn() -> None:
    async def story(harbor: Harbor) -> None:
        await harbor.make(CLUSTER_QUEUES, _queue("2"))
        await harbor.job("batch", parallelism=2, completions=2)
        await harbor.make(
            JOB_SETS,
            {
                "metadata": {"name": "set", "labels": {QUEUE: "lq"}},
                "spec": {
                    "replicatedJobs": [
                        {"name": "w", "replicas": 2, "template": {"spec": {"template": TEMPLATE}}}
                    ]
                },
            },
        )
        await harbor.make(
            PODS,
            {
                **TEMPLATE,
                "metadata": {**TEMPLATE["metadata"], "name": "lone", "labels": {QUEUE: "lq"}},
            },
        )
        for name in ("a", "b"):
            await harbor.make(
                PODS,
                {
                    "metadata": {
                        "name": name,
                        "labels": {QUEUE: "lq", "kueue.x-k8s.io/pod-group-name": "pair"},
                        "annotations": {
                            "argosy.dev/duration": "60s",
                            "kueue.x-k8s.io/pod-group-total-count": "2",
                        },
                    },
                    "spec": TEMPLATE["spec"],
                },
            )  # fmt: skip
        used = 0
        for _ in range(60):
            await harbor.pass_time(10)
            running = [
                pod
                for pod in await harbor.pods()
                if pod["spec"].get("nodeName") and pod["status"]["phase"] in {"Pending", "Running"}
            ]
            used = max(used, len(running))
            assert len(running) <= 2
        assert used == 2
        assert await _states(harbor) == {
            "batch": "Finished", "set": "Finished", "lone": "Finished", "a": "Finished",
        }  # fmt: skip

    queueing(story, is_whole=True, crds=definitions())


def test_what_serves_gives_way_to_what_is_more_important_and_comes_back() -> None:
    async def story(harbor: Harbor) -> None:
        await harbor.make(
            CLUSTER_QUEUES, _queue("2", preemption={"withinClusterQueue": "LowerPriority"})
        )
        for name, value in (("low", 1), ("high", 9)):
            body = {"metadata": {"name": name}, "value": value}
            await harbor.make(WORKLOAD_PRIORITY_CLASSES, body)
        labels = {QUEUE: "lq", "kueue.x-k8s.io/priority-class": "low"}
        await harbor.make(
            STATEFUL_SETS,
            {
                "metadata": {"name": "web", "labels": labels},
                "spec": {
                    "replicas": 2,
                    "serviceName": "web",
                    "selector": {"matchLabels": {"app": "web"}},
                    "template": {
                        "metadata": {
                            "labels": {"app": "web"},
                            "annotations": {"argosy.dev/duration": "forever"},
                        },
                        "spec": {"containers": TEMPLATE["spec"]["containers"]},
                    },
                },
            },
        )
        await harbor.pass_time(60)
        assert (await harbor.found(STATEFUL_SETS, "web"))["status"]["readyReplicas"] == 2
        high = {"labels": {"kueue.x-k8s.io/priority-class": "high"}}
        await harbor.job(parallelism=2, completions=2, metadata=high)
        await harbor.pass_time(40)
        assert await _states(harbor) == {"web": "Pending", "train": "Admitted"}
        await harbor.pass_time(300)
        assert await _states(harbor) == {"web": "Admitted", "train": "Finished"}
        assert (await harbor.found(STATEFUL_SETS, "web"))["status"]["readyReplicas"] == 2

    queueing(story, is_whole=True)


def test_an_elastic_job_that_shrinks_leaves_room_for_the_next() -> None:
    async def story(harbor: Harbor) -> None:
        await harbor.make(CLUSTER_QUEUES, _queue("3"))
        slow = {**TEMPLATE, "metadata": {"annotations": {"argosy.dev/duration": "600s"}}}
        elastic = {"annotations": {"kueue.x-k8s.io/elastic-job": "true"}}
        await harbor.job("first", parallelism=3, template=slow, metadata=elastic)
        await harbor.job("second", parallelism=1)
        await harbor.pass_time(10)
        assert await _states(harbor) == {"first": "Admitted", "second": "Pending"}
        await harbor.client.patch(JOBS, "first", {"spec": {"parallelism": 2}}, namespace="ns")
        await harbor.pass_time(30)
        assert await _states(harbor) == {"first": "Admitted", "second": "Admitted"}
        assert (await harbor.found(JOBS, "first"))["spec"]["suspend"] is False

    queueing(story, is_whole=True)
