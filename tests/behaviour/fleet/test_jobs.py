"""Jobs on a fleet: they run on members, once, and what became of them is seen from the hub."""

from __future__ import annotations

from pathlib import Path

import yaml

from argosy.base.types import Object
from argosy.client.resources import (
    CLUSTER_QUEUES,
    CLUSTER_RESOURCE_PLACEMENTS,
    JOBS,
    LOCAL_QUEUES,
    NAMESPACES,
    PODS,
    RESOURCE_FLAVORS,
    RESOURCE_PLACEMENTS,
    Resource,
)
from tests.behaviour.fleet.worlds import Fleet, Shape, pick, rolling, spoken, told

RUNS = Shape(members=("m1", "m2"), runs=True)
QUEUES = Shape(members=("m1", "m2", "m3"), runs=True, has_queues=True)
SELECTS_JOB: Object = {"group": "batch", "version": "v1", "kind": "Job", "name": "j"}
BURST = Path(__file__).parents[3] / "examples" / "fleet" / "burst" / "burst.yaml"


async def finished(fleet: Fleet, name: str = "app/p") -> str:
    return (await fleet.said(name)).get("Finished", "")


async def submitted(fleet: Fleet, **spec: object) -> None:
    for member in fleet.members.values():
        await member.create(NAMESPACES, {"metadata": {"name": "app"}})
    await fleet.job("j", **spec)
    await fleet.place("app/p", SELECTS_JOB, policy=pick("PickN", 1), strategy=rolling())


def test_a_job_that_its_ttl_removed_is_not_run_a_second_time() -> None:
    async def story(fleet: Fleet) -> None:
        await submitted(fleet, seconds=30, ttlSecondsAfterFinished=60, completions=2, parallelism=2)
        m2 = fleet.members["m2"]
        before = (await m2.there(JOBS, "j"))["metadata"]["uid"]
        await fleet.pass_time(60)
        (status,) = (await fleet.clusters("app/p")).values()
        assert spoken(status["conditions"])["Finished"].startswith("True JobComplete: ")
        await fleet.pass_time(120)
        assert await m2.get(JOBS, "j", "app") is None
        await fleet.pass_time(2 * 3600)
        # Neither by the next pass, nor by an agent that starts anew, nor hours later.
        assert await m2.get(JOBS, "j", "app") is None
        await m2.kill()
        await m2.start()
        await fleet.pass_time(4 * 3600)
        assert await m2.get(JOBS, "j", "app") is None
        said = await fleet.said("app/p")
        assert said["Available"].startswith("True ResourceAvailable")
        assert "2 succeeded" in said["Finished"]
        (manifest,) = (await m2.work("app.p-work"))["status"]["manifestConditions"]
        assert spoken(manifest["conditions"])["Finished"].startswith(
            "True JobComplete: 2 succeeded"
        )
        # Another job of that name is another job.
        await fleet.hub.delete(JOBS, "j")
        await fleet.pass_time(10)
        await fleet.job("j", seconds=45)
        await fleet.pass_time(20)
        after = (await m2.there(JOBS, "j"))["metadata"]["uid"]
        assert after != before

    told(story, RUNS)


def test_a_job_that_has_ended_is_not_run_again_because_its_cluster_could_not_be_reached() -> None:
    async def story(fleet: Fleet) -> None:
        await submitted(fleet, seconds=30, ttlSecondsAfterFinished=60)
        m2 = fleet.members["m2"]
        await fleet.pass_time(300)
        assert await m2.get(JOBS, "j", "app") is None
        m2.to_self.down()
        # The next pass finds nothing; nor does a new agent remember anything.
        await fleet.pass_time(1000)
        await m2.kill()
        m2.to_self.up()
        m2.to_self.writes()
        await m2.start()
        await fleet.pass_time(3600)
        assert m2.to_self.writes()["create jobs"] == 0
        assert (await finished(fleet)).startswith("True JobComplete")

    told(story, RUNS)


def test_a_job_that_failed_is_seen_from_the_hub() -> None:
    async def story(fleet: Fleet) -> None:
        template = {
            "metadata": {
                "labels": {"job": "j"},
                "annotations": {"argosy.dev/duration": "5s", "argosy.dev/outcome": "fail:3"},
            },
            "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]},
        }
        await submitted(fleet, template=template, backoffLimit=0)
        await fleet.pass_time(60)
        assert (await finished(fleet)).startswith("True JobFailed: ")

    told(story, RUNS)


def test_a_job_whose_placement_is_deleted_is_gone_with_its_pods() -> None:
    async def story(fleet: Fleet) -> None:
        await submitted(fleet, seconds=3600, parallelism=3, completions=3)
        await fleet.pass_time(30)
        m2 = fleet.members["m2"]
        assert len(await m2.list(PODS)) == 3
        await fleet.remove("app/p")
        await fleet.pass_time(120)
        assert await m2.get(JOBS, "j", "app") is None
        assert await m2.list(PODS) == []

    told(story, RUNS)


def test_the_burst_reaches_every_member_and_runs_its_400_pods_there() -> None:
    async def story(fleet: Fleet) -> None:
        kinds = {
            "ResourceFlavor": RESOURCE_FLAVORS,
            "ClusterQueue": CLUSTER_QUEUES,
            "LocalQueue": LOCAL_QUEUES,
            "Namespace": NAMESPACES,
            "Job": JOBS,
            "ClusterResourcePlacement": CLUSTER_RESOURCE_PLACEMENTS,
        }
        for document in yaml.safe_load_all(BURST.read_text()):
            namespace = document["metadata"].get("namespace", "")
            group, _, version = document["apiVersion"].rpartition("/")
            kind = kinds[document["kind"]]
            resource = Resource(group, version, kind.plural, kind.kind, kind.namespaced)
            await fleet.hub.create(resource, document, namespace)
        await fleet.pass_time(300)
        for member in fleet.members.values():
            job = await member.there(JOBS, "kubecon-demo-jobs", "kubecon-demo")
            assert job["status"]["active"] == 400
            # Started by its queue, which is all that the hub finds different.
            (drifted,) = (await fleet.clusters("sample-jobs-crp"))[member.name]["driftedPlacements"]
            assert [each["path"] for each in drifted["observedDrifts"]] == ["/spec/suspend"]
        # Nobody runs anything on the hub.
        assert await fleet.hub.list(PODS) == []

    told(story, QUEUES)


def test_a_job_that_a_queue_has_started_does_not_drift_where_the_queue_is_left_to_it() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.job("j", seconds=3600, suspend=True)
        for member in fleet.members.values():
            await member.create(NAMESPACES, {"metadata": {"name": "app"}})
        await fleet.place(
            "app/p",
            SELECTS_JOB,
            policy=pick("PickN", 1),
            strategy=rolling(whenToApply="IfNotDrifted"),
            annotations={"argosy.dev/queue-managed": "ignore"},
        )
        m2 = fleet.members["m2"]
        # As a queue does.
        await m2.patch(JOBS, "j", {"spec": {"suspend": False}})
        await fleet.pass_time(3000)
        assert (await m2.there(JOBS, "j"))["spec"]["suspend"] is False
        said = await fleet.said("app/p")
        assert said["Applied"].startswith("True ApplySucceeded")
        assert said["Available"].startswith("True ResourceAvailable")
        # Without that word it is upstream's: a drift.
        await fleet.hub.patch(
            RESOURCE_PLACEMENTS,
            "p",
            {"metadata": {"annotations": {"argosy.dev/queue-managed": None}}},
        )
        await fleet.pass_time(1000)
        assert (await fleet.said("app/p"))["Applied"].startswith("False ApplyFailed")
        (drifted,) = (await fleet.clusters("app/p"))["m2"]["driftedPlacements"]
        assert [each["path"] for each in drifted["observedDrifts"]] == ["/spec/suspend"]

    told(story, RUNS)
