"""The Jobs of the guides with the times they name: how long they run, and when they are gone."""

from __future__ import annotations

from pathlib import Path

import yaml

from argosy.base.types import Object
from argosy.client.resources import (
    CLUSTER_QUEUES,
    JOBS,
    LOCAL_QUEUES,
    NAMESPACES,
    PODS,
    RESOURCE_FLAVORS,
)
from tests.behaviour.faults.wholes import Whole, whole

# The four hundred pods of the first guide, without what is for its queue.
DEMO: Object = {
    "metadata": {"name": "kubecon-demo-jobs", "namespace": "kubecon-demo"},
    "spec": {
        "ttlSecondsAfterFinished": 60,
        "parallelism": 400,
        "completions": 400,
        "suspend": True,
        "manualSelector": True,
        "selector": {"matchLabels": {"job-name": "kubecon-demo-jobs"}},
        "template": {
            "metadata": {"labels": {"job-name": "kubecon-demo-jobs"}},
            "spec": {
                "restartPolicy": "Never",
                "containers": [
                    {
                        "name": "dummy-job",
                        "image": "gcr.io/k8s-staging-perf-tests/sleep:latest",
                        "args": ["2400s"],
                        "resources": {
                            "requests": {
                                "cpu": "1",
                                "memory": "1Gi",
                                "ephemeral-storage": "1Gi",
                            },
                            "limits": {"cpu": "1", "memory": "2Gi", "ephemeral-storage": "2Gi"},
                        },
                    }
                ],
            },
        },
    },
}


async def unsuspend(here: Whole, name: str, namespace: str) -> None:
    """What a queue does when it admits a Job."""
    await here.client.patch(JOBS, name, {"spec": {"suspend": False}}, namespace=namespace)


def test_four_hundred_pods_run_forty_minutes_and_are_gone_a_minute_later() -> None:
    async def story(here: Whole) -> None:
        await here.client.create(NAMESPACES, {"metadata": {"name": "kubecon-demo"}})
        await here.pool(maximum=60)
        await here.create(JOBS, DEMO, namespace="kubecon-demo")
        await here.pass_time(600)
        assert (await here.list(PODS), await here.nodes()) == ([], [])
        await unsuspend(here, "kubecon-demo-jobs", "kubecon-demo")
        await here.pass_time(60)
        assert await here.phases() == {"Running": 400}
        assert len(await here.nodes()) == 50
        await here.pass_time(2300)
        assert await here.phases() == {"Running": 400}
        await here.pass_time(90)
        job = await here.get(JOBS, "kubecon-demo-jobs", "kubecon-demo")
        assert job is not None
        assert job["status"]["succeeded"] == 400
        types = [one["type"] for one in job["status"]["conditions"] if one["status"] == "True"]
        assert types == ["SuccessCriteriaMet", "Complete"]
        await here.pass_time(61)
        assert await here.get(JOBS, "kubecon-demo-jobs", "kubecon-demo") is None
        assert await here.list(PODS) == []

    whole(story)


async def open_the_queue(here: Whole) -> None:
    """The guide's flavor and queues."""
    await here.create(RESOURCE_FLAVORS, {"metadata": {"name": "default-flavor"}}, namespace="")
    quotas = [("cpu", "32"), ("memory", "128Gi")]
    flavor = {
        "name": "default-flavor",
        "resources": [{"name": name, "nominalQuota": quota} for name, quota in quotas],
    }
    group = {"coveredResources": ["cpu", "memory"], "flavors": [flavor]}
    spec = {
        "cohortName": "compute-workload",
        "namespaceSelector": {},
        "queueingStrategy": "BestEffortFIFO",
        "resourceGroups": [group],
    }
    queue = {"metadata": {"name": "cluster-queue"}, "spec": spec}
    await here.create(CLUSTER_QUEUES, queue, namespace="")
    local = {"metadata": {"name": "local-queue"}, "spec": {"clusterQueue": "cluster-queue"}}
    await here.create(LOCAL_QUEUES, local, namespace="compute-jobs")


def test_the_guides_two_jobs_are_gone_a_minute_after_they_completed(shared: Path) -> None:
    text = (shared / "fixtures" / "kubefleet" / "guide-2-jobs.yaml").read_text()
    jobs = [one for one in yaml.safe_load_all(text) if one["kind"] == "Job"]

    async def story(here: Whole) -> None:
        await here.client.create(NAMESPACES, {"metadata": {"name": "compute-jobs"}})
        await here.pool(minimum=2, maximum=2)
        for job in jobs:
            await here.create(JOBS, job, namespace="compute-jobs")
        await here.pass_time(60)
        assert await here.list(PODS) == []
        await open_the_queue(here)
        await here.pass_time(25)
        # One script sleeps 30 s, the other 15 s.
        done = {
            job["metadata"]["name"]: job["status"].get("succeeded", 0)
            for job in await here.list(JOBS)
        }
        assert done == {"mock-workload": 0, "model-evaluation": 3}
        await here.pass_time(15)
        assert [job["status"]["succeeded"] for job in await here.list(JOBS)] == [3, 3]
        await here.pass_time(90)
        assert (await here.list(JOBS), await here.list(PODS)) == ([], [])

    whole(story)
