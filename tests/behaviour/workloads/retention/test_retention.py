"""Finished Jobs, pods and claims go by time and number, in virtual time."""

from __future__ import annotations

from typing import Any

from argosy.base.errors import InternalError
from argosy.base.types import Object
from argosy.client.protocol import Client
from argosy.client.resources import JOBS, NAMESPACES, PERSISTENT_VOLUME_CLAIMS, PODS, Resource
from argosy.control.assemblies import Assembly
from argosy.workloads.jobsets import definitions
from argosy.workloads.jobsets.names import JOB_SETS
from argosy.workloads.retention import Rule, add_jobset_retention, add_retention
from tests.fakes.clients import FaultyClient
from tests.fakes.worlds import World, running

CONTAINER = {"name": "main", "image": "busybox"}
DAY = 86400


def job(name: str, **spec: Object) -> Object:
    template = {"spec": {"restartPolicy": "Never", "containers": [CONTAINER]}}
    return {"metadata": {"name": name}, "spec": {"template": template, **spec}}


async def finish(world: World, name: str) -> None:
    stamp = f"2026-01-{1 + int(world.clock.time() - 1767225600) // DAY:02}T00:00:00Z"
    conditions = [
        {"type": "SuccessCriteriaMet", "status": "True", "lastTransitionTime": stamp},
        {"type": "Complete", "status": "True", "lastTransitionTime": stamp},
    ]
    status = {"startTime": stamp, "completionTime": stamp, "succeeded": 1, "conditions": conditions}
    await world.status(JOBS, name, status)


async def leaving(world: World, resource: Resource = JOBS) -> list[str]:
    """Jobs that are gone for their owner: deleted in the foreground, which the garbage collector ends."""
    return sorted(
        job["metadata"]["name"]
        for job in await world.list(resource)
        if "deletionTimestamp" in job["metadata"]
    )


def test_a_job_without_a_time_to_live_is_warned_about_and_goes_after_a_day() -> None:
    async def story(world: World) -> None:
        await world.create(JOBS, job("plain"))
        await world.create(JOBS, job("own", ttlSecondsAfterFinished=10**6))
        await world.create(JOBS, job("runs"))
        await finish(world, "plain")
        await finish(world, "own")
        await world.settle()
        what = (
            "Job sets no spec.ttlSecondsAfterFinished: it is deleted 24h0m0s after it finished, or earlier when its "
            "namespace has more than 1000 finished Jobs; set the field to choose"
        )
        assert await world.events() == [("Warning", "DefaultTTLApplies", what)]
        await world.pass_time(DAY - 60)
        assert await leaving(world) == []
        await world.pass_time(120)
        assert await leaving(world) == ["plain"]

    running(story, add_retention)


def test_a_namespace_has_its_own_rule() -> None:
    async def story(world: World) -> None:
        annotations = {"argosy.dev/finished-job-ttl": "1h"}
        await world.client.patch(NAMESPACES, "ns", {"metadata": {"annotations": annotations}})
        await world.create(JOBS, job("plain"))
        await finish(world, "plain")
        await world.pass_time(3500)
        assert await leaving(world) == []
        await world.pass_time(200)
        assert await leaving(world) == ["plain"]
        annotations = {"argosy.dev/finished-job-ttl": "soon"}
        await world.client.patch(NAMESPACES, "ns", {"metadata": {"annotations": annotations}})
        await world.settle()
        reasons = [message for _, reason, message in await world.events("ns")]
        want = (
            'argosy.dev/finished-job-ttl: invalid value "soon": time: invalid duration "soon"; '
            'give a duration such as "30m" or "24h"'
        )
        assert reasons == [want]

    running(story, add_retention)


def test_a_negative_time_deletes_nothing_and_is_told() -> None:
    async def story(world: World) -> None:
        annotations = {"argosy.dev/finished-job-ttl": "-1h"}
        await world.client.patch(NAMESPACES, "ns", {"metadata": {"annotations": annotations}})
        await world.create(JOBS, job("plain"))
        await finish(world, "plain")
        await world.pass_time(60)
        assert await leaving(world) == []
        want = (
            'argosy.dev/finished-job-ttl: invalid value "-1h": must not be negative; '
            'give a duration such as "30m" or "24h"'
        )
        assert want in [message for _, _, message in await world.events("ns")]

    running(story, add_retention)


def test_numbers_nobody_can_count_to_are_told() -> None:
    many = "9" * 5000

    async def story(world: World) -> None:
        annotations = {"argosy.dev/finished-job-limit": many}
        await world.client.patch(NAMESPACES, "ns", {"metadata": {"annotations": annotations}})
        body = claim("c", **{"ttl-seconds-after-completed": many})
        await world.create(PERSISTENT_VOLUME_CLAIMS, body)
        await world.pass_time(60)
        told = [(reason, message[:40]) for _, reason, message in await world.events()]
        assert told == [
            ("InvalidRetention", "argosy.dev/finished-job-limit: invalid v"),
            ("InvalidRetention", "argosy.dev/ttl-seconds-after-completed: "),
        ]

    running(story, add_retention)


def test_beyond_the_number_the_oldest_jobs_go() -> None:
    def add(assembly: Assembly) -> None:
        add_retention(assembly, jobs=Rule(10**9, 2))

    async def story(world: World) -> None:
        for number in range(4):
            await world.create(JOBS, job(f"j{number}"))
            await finish(world, f"j{number}")
            await world.pass_time(DAY)
        assert await leaving(world) == ["j0", "j1"]

    running(story, add)


def test_what_could_not_be_deleted_is_tried_again() -> None:
    def add(assembly: Assembly) -> None:
        add_retention(assembly, jobs=Rule(10**9, 0))

    async def story(world: World) -> None:
        await world.create(JOBS, job("j"))
        await finish(world, "j")
        await world.pass_time(60)
        assert await leaving(world) == ["j"]

    def through(client: Client) -> Any:
        faulty = FaultyClient(client)
        faulty.fail("delete", InternalError("later"))
        return faulty

    running(story, add, through=through)


def test_a_finished_jobset_goes_as_a_job_does() -> None:
    def add(assembly: Assembly) -> None:
        add_jobset_retention(assembly, jobsets=Rule(3600, 2))

    async def story(world: World) -> None:
        for name, more in (
            ("plain", {}),
            ("own", {"ttlSecondsAfterFinished": 10**6}),
            ("runs", {}),
        ):
            template = {"spec": {"template": {"spec": {"containers": [CONTAINER]}}}}
            jobs = [{"name": "a", "template": template}]
            body = {"metadata": {"name": name}, "spec": {"replicatedJobs": jobs, **more}}
            await world.create(JOB_SETS, body)
            if name != "runs":
                done = {
                    "type": "Completed", "status": "True", "reason": "AllJobsCompleted", "message": "done",
                    "lastTransitionTime": "2026-01-01T00:00:00Z",
                }  # fmt: skip
                await world.client.patch(
                    JOB_SETS,
                    name,
                    {"status": {"restarts": 0, "conditions": [done]}},
                    namespace="ns",
                    subresource="status",
                )
        await world.pass_time(3500)
        what = (
            "JobSet sets no spec.ttlSecondsAfterFinished: it is deleted 1h0m0s after it finished, or earlier when its "
            "namespace has more than 2 finished JobSets; set the field to choose"
        )
        assert await world.events() == [("Warning", "DefaultTTLApplies", what)]
        await world.pass_time(200)
        assert await leaving(world, JOB_SETS) == ["plain"]

    running(story, add, definitions=definitions())


def test_pods_that_nobody_manages_go_and_others_stay() -> None:
    async def story(world: World) -> None:
        owner = await world.create(JOBS, job("j"))
        reference = {
            "apiVersion": "batch/v1", "kind": "Job", "name": "j", "controller": True,
            "uid": owner["metadata"]["uid"],
        }  # fmt: skip
        await world.pod("bare")
        await world.pod("owned", metadata={"ownerReferences": [reference]})
        await world.pod("running")
        for name in ("bare", "owned"):
            await world.status(PODS, name, {"phase": "Succeeded"})
        await world.pass_time(DAY + 1)
        assert [pod["metadata"]["name"] for pod in await world.list(PODS)] == ["owned", "running"]

    running(story, add_retention)


def claim(name: str, **annotations: str) -> Object:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    meta = {"name": name, "annotations": {f"argosy.dev/{k}": v for k, v in annotations.items()}}
    return {"metadata": meta, "spec": spec}


def test_a_claim_goes_only_when_it_asked_for_it_and_its_last_pod_has_ended() -> None:
    ttl = "ttl-seconds-after-completed"

    async def story(world: World) -> None:
        await world.create(PERSISTENT_VOLUME_CLAIMS, claim("asked", **{ttl: "600"}))
        await world.create(PERSISTENT_VOLUME_CLAIMS, claim("unused", **{ttl: "600"}))
        await world.create(PERSISTENT_VOLUME_CLAIMS, claim("silent"))
        for number, name in enumerate(("asked", "asked", "silent")):
            volume = {"name": "v", "persistentVolumeClaim": {"claimName": name}}
            await world.pod(f"p{number}", volumes=[volume])
        await world.status(PODS, "p0", {"phase": "Succeeded"})
        await world.status(PODS, "p2", {"phase": "Succeeded"})
        await world.pass_time(3600)
        await world.status(PODS, "p1", {"phase": "Failed"})
        await world.settle()
        found = await world.get(PERSISTENT_VOLUME_CLAIMS, "asked")
        assert found is not None
        assert "argosy.dev/completed-at" in found["metadata"]["annotations"]
        await world.pass_time(700)
        left = await world.list(PERSISTENT_VOLUME_CLAIMS)
        names = [c["metadata"]["name"] for c in left if "deletionTimestamp" not in c["metadata"]]
        assert names == ["silent", "unused"]

    running(story, add_retention)
