"""JobSets under queueing: their Jobs run when the set is admitted, in virtual time."""

from __future__ import annotations

from argosy.base.types import Object
from argosy.client.resources import JOBS, WORKLOADS
from argosy.workloads.jobsets import definitions
from argosy.workloads.jobsets.names import JOB_SETS
from tests.behaviour.queueing.jobworlds import QUEUE, TEMPLATE, Harbor, queueing


def _set(**more: object) -> Object:
    def replicated(name: str, replicas: int, pods: int) -> Object:
        spec = {"parallelism": pods, "completions": pods, "template": TEMPLATE, "backoffLimit": 0}
        return {"name": name, "replicas": replicas, "template": {"spec": spec}}

    return {
        "metadata": {"name": "js", "labels": {QUEUE: "lq"}},
        "spec": {
            "replicatedJobs": [replicated("driver", 1, 1), replicated("workers", 2, 2)],
            **more,
        },
    }


def test_a_jobset_is_one_workload_and_its_jobs_follow_it() -> None:
    async def story(harbor: Harbor) -> None:
        made = await harbor.make(JOB_SETS, _set())
        assert made["spec"]["suspend"] is True
        workload = await harbor.workload()
        assert workload["metadata"]["name"].startswith("jobset-js-")
        counts = [(each["name"], each["count"]) for each in workload["spec"]["podSets"]]
        assert counts == [("driver", 1), ("workers", 4)]
        jobs = await harbor.list(JOBS)
        assert all(job["spec"]["suspend"] for job in jobs)
        before = (await harbor.found(JOB_SETS, "js"))["spec"]

        await harbor.admit()
        await harbor.pass_time(20)
        assert len(await harbor.list(WORKLOADS)) == 1
        pods = await harbor.pods()
        assert len(pods) == 5
        assert {pod["spec"]["nodeSelector"]["tier"] for pod in pods} == {"spot"}
        assert (await harbor.conditions())["PodsReady"].startswith("True Started")

        await harbor.evict()
        await harbor.pass_time(40)
        assert await harbor.pods() == []
        assert (await harbor.found(JOB_SETS, "js"))["spec"] == before
        conditions = await harbor.conditions()
        assert conditions["QuotaReserved"] == "False PendingEvaluation: Preempted for another"

        await harbor.admit()
        await harbor.pass_time(120)
        finished = "True Succeeded: jobset completed successfully"
        assert (await harbor.conditions())["Finished"] == finished

    queueing(story, crds=definitions())


def test_a_child_job_that_somebody_unsuspends_waits_for_the_set() -> None:
    async def story(harbor: Harbor) -> None:
        await harbor.make(JOB_SETS, _set())
        jobs = await harbor.list(JOBS)
        if not jobs:
            body = {
                "metadata": {
                    "name": "child",
                    "ownerReferences": [
                        {
                            "apiVersion": JOB_SETS.api_version,
                            "kind": "JobSet",
                            "name": "js",
                            "uid": (await harbor.found(JOB_SETS, "js"))["metadata"]["uid"],
                            "controller": True,
                        }
                    ],
                },
                "spec": {"template": TEMPLATE},
            }
            await harbor.make(JOBS, body)
            name = "child"
        else:
            name = jobs[0]["metadata"]["name"]
            await harbor.client.patch(JOBS, name, {"spec": {"suspend": False}})
        await harbor.pass_time(5)
        assert (await harbor.found(JOBS, name))["spec"]["suspend"] is True
        assert "Normal Suspended: Kueue managed child job suspended" in await harbor.told(name)
        assert len(await harbor.list(WORKLOADS)) == 1

    queueing(story, crds=definitions())


def test_replicas_that_have_succeeded_give_their_quota_back() -> None:
    async def story(harbor: Harbor) -> None:
        body = _set()
        slow = {**TEMPLATE, "metadata": {"annotations": {"argosy.dev/duration": "600s"}}}
        body["spec"]["replicatedJobs"][0]["template"]["spec"]["template"] = slow
        await harbor.make(JOB_SETS, body)
        await harbor.admit()
        await harbor.pass_time(120)
        workload = await harbor.workload()
        assert workload["status"]["reclaimablePods"] == [{"name": "workers", "count": 4}]

    queueing(story, crds=definitions())


def test_a_kind_whose_definition_comes_later_is_queued_from_then_on() -> None:
    async def story(harbor: Harbor) -> None:
        await harbor.pass_time(60)
        from argosy.client.resources import CUSTOM_RESOURCE_DEFINITIONS

        for definition in definitions():
            await harbor.make(CUSTOM_RESOURCE_DEFINITIONS, definition)
        made = await harbor.make(JOB_SETS, _set())
        assert made["spec"]["suspend"] is True
        await harbor.admit()
        assert (await harbor.found(JOB_SETS, "js"))["spec"]["suspend"] is False

    queueing(story)
