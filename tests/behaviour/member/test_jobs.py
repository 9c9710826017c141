"""Jobs on a member: what becomes of them is told, and what has been done is not done again."""

from __future__ import annotations

from argosy.base.types import Json, Object
from argosy.client.resources import JOBS, PODS, WORKS
from argosy.workloads.jobs import add_jobs
from argosy.workloads.retention import add_retention
from argosy.workloads.scheduling import add_scheduler
from tests.behaviour.member.pairs import SPACE, Pair, config_map, paired
from tests.behaviour.workloads.runtimes.simulating import add_agent, add_node

WORKING = (add_agent, add_scheduler, add_jobs, add_retention)
QUEUED = {"argosy.dev/queue-managed": "ignore"}


def job(name: str = "j", *, seconds: int = 60, **spec: Json) -> Object:
    """As a hub selects it: without what the Job controller there has made up."""
    annotations = {"argosy.dev/duration": f"{seconds}s", **spec.pop("annotations", {})}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": "ns"},
        "spec": {
            "selector": {"matchLabels": {}},
            "template": {
                "metadata": {"annotations": annotations},
                "spec": {
                    "restartPolicy": "Never",
                    "containers": [{"name": "main", "image": "busybox"}],
                },
            },
            **spec,
        },
    }


async def uid(pair: Pair, name: str = "j") -> str:
    found: str = (await pair.there(JOBS, name))["metadata"]["uid"]
    return found


async def finished(pair: Pair, place: int = 0) -> str:
    """What is said of a job, without the manifest it ran."""
    return (await pair.said_of(place)).get("Finished", "").partition(" (manifest")[0]


def test_a_job_tells_its_pods_and_its_end() -> None:
    async def story(pair: Pair) -> None:
        await add_node(pair.member)
        await pair.send(job(parallelism=3, completions=3))
        assert "Finished" not in await pair.said_of()
        await pair.pass_time(30)
        assert await finished(pair) == "False JobRunning: 0 succeeded, 0 failed, 3 active"
        await pair.pass_time(60)
        assert await finished(pair) == "True JobComplete: 3 succeeded, 0 failed, 0 active"
        assert list(await pair.said_of()) == ["Applied", "Available", "Finished"]

    paired(story, *WORKING)


def test_a_failed_job_tells_why() -> None:
    async def story(pair: Pair) -> None:
        await add_node(pair.member)
        failing = {"argosy.dev/outcome": "fail:3"}
        await pair.send(job(seconds=10, backoffLimit=0, annotations=failing))
        await pair.pass_time(60)
        assert await finished(pair) == (
            "True JobFailed: 0 succeeded, 1 failed, 0 active: "
            "BackoffLimitExceeded: Job has reached the specified backoff limit"
        )
        assert (await pair.said())["Applied"].startswith("True")

    paired(story, *WORKING)


def test_many_pods_cost_few_writes() -> None:
    async def story(pair: Pair) -> None:
        await add_node(pair.member, cpu="1000")
        await pair.send(job(parallelism=100, completions=100))
        await pair.pass_time(20)
        pair.hub_calls.taken()
        await pair.pass_time(100)
        assert await finished(pair) == "True JobComplete: 100 succeeded, 0 failed, 0 active"
        assert pair.hub_calls.taken().get("patch works status", 0) <= 10

    paired(story, *WORKING)


def test_a_job_that_its_ttl_removed_is_not_run_again() -> None:
    async def story(pair: Pair) -> None:
        await add_node(pair.member)
        await pair.send(job(ttlSecondsAfterFinished=0), config_map(a="1"))
        await pair.pass_time(120)
        assert await pair.member.get(JOBS, "j") is None
        assert await finished(pair) == "True JobComplete: 1 succeeded, 0 failed, 0 active"
        before = await pair.status()
        await pair.pass_time(7200)
        assert await pair.member.get(JOBS, "j") is None
        assert await pair.status() == before
        assert (await pair.said())["Applied"].startswith("True AllManifestsApplied")
        # Neither by a fresh agent, nor by a change of something else in the Work.
        await pair.stop()
        await pair.start()
        await pair.pass_time(60)
        await pair.change(job(ttlSecondsAfterFinished=0), config_map(a="2"))
        await pair.pass_time(60)
        assert await pair.member.get(JOBS, "j") is None
        assert await pair.data() == {"a": "2"}
        applied = await pair.applied()
        assert applied is not None
        assert [each["name"] for each in applied["status"]["appliedResources"]] == ["j", "c"]
        assert all(each["uid"] for each in applied["status"]["appliedResources"])

    paired(story, *WORKING)


def test_another_manifest_is_another_job() -> None:
    async def story(pair: Pair) -> None:
        await add_node(pair.member)
        await pair.send(job(ttlSecondsAfterFinished=10))
        await pair.pass_time(120)
        assert await pair.member.get(JOBS, "j") is None
        await pair.change(job(ttlSecondsAfterFinished=10, parallelism=2, completions=2))
        assert await pair.there(JOBS, "j")
        assert "Finished" not in await pair.said_of()
        await pair.pass_time(120)
        assert await finished(pair) == "True JobComplete: 2 succeeded, 0 failed, 0 active"

    paired(story, *WORKING)


def test_a_job_that_has_not_ended_comes_back_when_deleted() -> None:
    async def story(pair: Pair) -> None:
        await add_node(pair.member)
        await pair.send(job(seconds=3600))
        await pair.pass_time(20)
        before = await uid(pair)
        await pair.member.client.delete(JOBS, "j", namespace="ns")
        await pair.pass_time(120)
        assert await uid(pair) != before

    paired(story, *WORKING)


def test_a_work_made_again_runs_its_job_again() -> None:
    async def story(pair: Pair) -> None:
        await add_node(pair.member)
        await pair.send(job(ttlSecondsAfterFinished=0))
        await pair.pass_time(120)
        await pair.hub.client.delete(WORKS, "w", namespace=SPACE)
        await pair.pass_time(5)
        await pair.send(job(ttlSecondsAfterFinished=0), settle=5)
        assert await pair.there(JOBS, "j")

    paired(story, *WORKING)


# What a queue does to a job once it is admitted.
ADMITTED: Object = {
    "spec": {
        "suspend": False,
        "template": {
            "metadata": {"labels": {"kueue.x-k8s.io/podset": "main"}},
            "spec": {
                "nodeSelector": {"tier": "spot"},
                "tolerations": [{"key": "spot", "operator": "Exists"}],
            },
        },
    }
}


def test_a_queued_job_is_healthy_where_the_queue_has_its_own() -> None:
    async def story(pair: Pair) -> None:
        await pair.send(job(suspend=True), whenToApply="IfNotDrifted", annotations=QUEUED)
        assert (await pair.there(JOBS, "j"))["spec"]["suspend"] is True
        await pair.pass_time(30)
        assert (await pair.said())["Available"].startswith("True")
        await pair.edit(JOBS, "j", ADMITTED)
        await pair.pass_time(120)
        assert (await pair.said())["Available"].startswith("True")
        assert await pair.drifts() == []
        assert (await pair.there(JOBS, "j"))["spec"]["suspend"] is False

    paired(story, add_jobs)


def test_always_does_not_fight_the_queue() -> None:
    async def story(pair: Pair) -> None:
        await pair.send(job(suspend=True), annotations=QUEUED)
        await pair.edit(JOBS, "j", ADMITTED)
        await pair.pass_time(120)
        spec = (await pair.there(JOBS, "j"))["spec"]
        assert spec["suspend"] is False
        assert spec["template"]["spec"]["nodeSelector"] == {"tier": "spot"}
        assert (await pair.said())["Available"].startswith("True")
        # What is the user's is still applied.
        await pair.change(job(suspend=True, activeDeadlineSeconds=600))
        spec = (await pair.there(JOBS, "j"))["spec"]
        assert spec["activeDeadlineSeconds"] == 600
        assert spec["suspend"] is False

    paired(story, add_jobs)


def test_real_drift_is_told_beside_a_queue() -> None:
    async def story(pair: Pair) -> None:
        wanted = job(suspend=True, ttlSecondsAfterFinished=60)
        await pair.send(wanted, whenToApply="IfNotDrifted", annotations=QUEUED)
        await pair.edit(JOBS, "j", {"spec": {"suspend": False, "ttlSecondsAfterFinished": 5}})
        await pair.pass_time(30)
        assert await pair.drifts() == [
            {"path": "/spec/ttlSecondsAfterFinished", "valueInHub": "60", "valueInMember": "5"}
        ]

    paired(story, add_jobs)


def test_without_the_word_a_job_fights_the_queue_as_upstream() -> None:
    async def story(pair: Pair) -> None:
        await pair.send(job(suspend=True))
        await pair.edit(JOBS, "j", {"spec": {"suspend": False}})
        await pair.pass_time(10)
        assert (await pair.there(JOBS, "j"))["spec"]["suspend"] is True
        assert await pair.member.list(PODS) == []

    paired(story, add_jobs)
