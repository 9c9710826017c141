"""batch Jobs under queueing: held, admitted, run, evicted, finished, in virtual time."""

from __future__ import annotations

import pytest

from argosy.base.errors import Forbidden
from argosy.base.types import Object
from argosy.client.protocol import Propagation
from argosy.client.resources import (
    JOBS,
    LOCAL_QUEUES,
    WORKLOAD_PRIORITY_CLASSES,
    WORKLOADS,
)
from argosy.queueing.configuration import Configuration
from tests.behaviour.queueing.jobworlds import QUEUE, TEMPLATE, Harbor, queueing

NOT_READY = "False WaitForStart: Not all pods are ready or succeeded"


def _template(job: Object) -> Object:
    """Without what the Job controller adds."""
    spec, meta = job["spec"]["template"]["spec"], job["spec"]["template"]["metadata"]
    return {
        "selector": spec.get("nodeSelector"),
        "tolerations": spec.get("tolerations"),
        "labels": {key for key in meta["labels"] if key.startswith("kueue")},
        "annotations": meta["annotations"],
    }


def test_a_job_waits_runs_where_it_was_admitted_and_finishes() -> None:
    async def story(harbor: Harbor) -> None:
        made = await harbor.job(parallelism=2, completions=2)
        assert made["spec"]["suspend"] is True
        workload = await harbor.workload()
        name = workload["metadata"]["name"]
        assert name.startswith("job-train-")
        assert workload["metadata"]["finalizers"] == ["kueue.x-k8s.io/resource-in-use"]
        assert workload["metadata"]["labels"] == {"kueue.x-k8s.io/job-uid": made["metadata"]["uid"]}
        (owner,) = workload["metadata"]["ownerReferences"]
        assert (owner["kind"], owner["name"], owner["controller"]) == ("Job", "train", True)
        assert workload["spec"]["queueName"] == "lq"
        (pods,) = workload["spec"]["podSets"]
        assert (pods["name"], pods["count"]) == ("main", 2)
        assert "labels" not in pods["template"]["metadata"]
        assert await harbor.conditions() == {"PodsReady": NOT_READY}
        assert await harbor.pods() == []

        await harbor.admit()
        job = await harbor.found(JOBS, "train")
        assert job["spec"]["suspend"] is False
        assert _template(job) == {
            "selector": {"tier": "spot"},
            "tolerations": [{"key": "spot", "operator": "Exists", "effect": "NoSchedule"}],
            "labels": {
                "kueue.x-k8s.io/podset",
                "kueue.x-k8s.io/local-queue-name",
                "kueue.x-k8s.io/cluster-queue-name",
            },
            "annotations": {"argosy.dev/duration": "60s", "kueue.x-k8s.io/workload": name},
        }
        await harbor.pass_time(20)
        assert len(await harbor.pods()) == 2
        ready = "True Started: All pods reached readiness and the workload is running"
        assert (await harbor.conditions())["PodsReady"] == ready
        await harbor.pass_time(60)
        reached = "Reached expected number of succeeded pods"
        assert (await harbor.conditions())["Finished"] == f"True Succeeded: {reached}"
        assert "finalizers" not in (await harbor.workload())["metadata"]
        assert await harbor.told("train") == [
            f"Normal CreatedWorkload: Created Workload: ns/{name}",
            "Normal Started: Admitted by clusterQueue cq",
            f"Normal FinishedWorkload: Workload 'ns/{name}' is declared finished",
        ]

    queueing(story)


def test_an_evicted_job_stops_is_put_back_and_gives_its_quota_away_when_its_pods_have_gone() -> (
    None
):
    async def story(harbor: Harbor) -> None:
        await harbor.job(parallelism=2, completions=2)
        before = await harbor.found(JOBS, "train")
        await harbor.admit()
        await harbor.pass_time(20)
        await harbor.evict()
        await harbor.pass_time(40)
        assert await harbor.pods() == []
        job = await harbor.found(JOBS, "train")
        assert job["spec"] == before["spec"]
        assert "annotations" not in job["metadata"]
        workload = await harbor.workload()
        assert "admission" not in workload["status"]
        assert await harbor.conditions() == {
            "PodsReady": NOT_READY,
            "QuotaReserved": "False PendingEvaluation: Preempted for another",
            "Admitted": "False NoReservation: The workload has no reservation",
            "Evicted": "True Preempted: Preempted for another",
            "Requeued": "True Preempted: Preempted for another",
        }
        assert workload["status"]["accumulatedPastExecutionTimeSeconds"] > 0
        await harbor.admit()
        await harbor.pass_time(90)
        assert (await harbor.conditions())["Finished"].startswith("True Succeeded")
        assert [line.split(":")[0] for line in await harbor.told("train")] == [
            "Normal CreatedWorkload",
            "Normal Stopped",
            # Twice, and counted.
            "Normal Started",
            "Normal FinishedWorkload",
        ]

    queueing(story)


def test_only_preemption_and_lost_nodes_requeue_at_once() -> None:
    async def story(harbor: Harbor) -> None:
        await harbor.job()
        await harbor.admit()
        await harbor.evict("PodsReadyTimeout", "Exceeded the PodsReady timeout ns/train")
        await harbor.pass_time(40)
        requeued = (await harbor.conditions())["Requeued"]
        assert requeued == "False PodsReadyTimeout: Exceeded the PodsReady timeout ns/train"

    queueing(story)


def test_a_queue_named_by_an_annotation_is_used_with_one_warning() -> None:
    async def story(harbor: Harbor) -> None:
        await harbor.job(queue="", metadata={"annotations": {QUEUE: "lq"}}, suspend=True)
        workload = await harbor.workload()
        assert workload["spec"]["queueName"] == "lq"
        await harbor.client.patch(JOBS, "train", {"metadata": {"labels": {"a": "b"}}})
        await harbor.pass_time(2)
        warning = (
            'Warning QueueNameAnnotation: The queue "lq" was read from the annotation kueue.x-k8s.io/queue-name; '
            "set the label of the same name instead, which is what other clients select by"
        )
        assert [line for line in await harbor.told("train") if "Warning" in line] == [warning]

    queueing(story)


def test_a_job_without_a_queue_runs_at_once() -> None:
    async def story(harbor: Harbor) -> None:
        made = await harbor.job(queue="")
        assert not made["spec"].get("suspend")
        await harbor.pass_time(5)
        assert await harbor.list(WORKLOADS) == []
        assert len(await harbor.pods()) == 1

    queueing(story)


def test_a_job_without_a_queue_is_held_where_all_are_managed() -> None:
    async def story(harbor: Harbor) -> None:
        made = await harbor.job(queue="")
        assert made["spec"]["suspend"] is True
        assert "queueName" not in (await harbor.workload())["spec"]

    queueing(story, configuration=Configuration(manage_jobs_without_queue_name=True))


def test_a_namespace_that_is_not_managed_is_left_alone_even_with_a_queue() -> None:
    async def story(harbor: Harbor) -> None:
        made = await harbor.job()
        assert not made["spec"].get("suspend")
        assert await harbor.list(WORKLOADS) == []

    selector = {"matchLabels": {"managed": "yes"}}
    queueing(story, configuration=Configuration(managed_jobs_namespace_selector=selector))


def test_default_queue_and_default_priority_are_filled_in() -> None:
    async def story(harbor: Harbor) -> None:
        queue = {"metadata": {"name": "default"}, "spec": {"clusterQueue": "cq"}}
        await harbor.make(LOCAL_QUEUES, queue)
        await harbor.make(WORKLOAD_PRIORITY_CLASSES, {"metadata": {"name": "default"}, "value": 7})
        made = await harbor.job(queue="")
        assert made["metadata"]["labels"][QUEUE] == "default"
        assert made["spec"]["suspend"] is True
        spec = (await harbor.workload())["spec"]
        assert (spec["queueName"], spec["priority"]) == ("default", 7)
        assert spec["priorityClassRef"] == {
            "group": "kueue.x-k8s.io",
            "kind": "WorkloadPriorityClass",
            "name": "default",
        }
        change = {"metadata": {"labels": {QUEUE: None}}}
        with pytest.raises(Forbidden) as refused:
            await harbor.client.patch(JOBS, "train", change)
        assert str(refused.value) == (
            'admission webhook "vjob.kb.io" denied the request: metadata.labels[kueue.x-k8s.io/queue-name]: '
            'Invalid value: "": queue-name must not be empty in namespace with default queue'
        )

    queueing(story)


def test_a_suspended_job_that_changes_takes_its_workload_along() -> None:
    async def story(harbor: Harbor) -> None:
        await harbor.job(parallelism=1)
        uid = (await harbor.workload())["metadata"]["uid"]
        await harbor.client.patch(JOBS, "train", {"spec": {"parallelism": 3}})
        await harbor.pass_time(2)
        workload = await harbor.workload()
        assert (workload["spec"]["podSets"][0]["count"], workload["metadata"]["uid"]) == (3, uid)
        name = workload["metadata"]["name"]
        told = await harbor.told("train")
        want = f"Normal UpdatedWorkload: Updated not matching Workload for suspended job: ns/{name}"
        assert told[-1] == want
        await harbor.client.patch(JOBS, "train", {"metadata": {"labels": {QUEUE: "other"}}})
        await harbor.pass_time(2)
        assert (await harbor.workload())["spec"]["queueName"] == "other"

    queueing(story)


def test_a_running_job_that_changes_is_stopped_and_queued_anew() -> None:
    async def story(harbor: Harbor) -> None:
        await harbor.job(parallelism=1)
        first = (await harbor.workload())["metadata"]
        await harbor.admit()
        await harbor.pass_time(10)
        await harbor.client.patch(JOBS, "train", {"spec": {"parallelism": 3}})
        await harbor.pass_time(40)
        job, workload = await harbor.found(JOBS, "train"), await harbor.workload()
        assert job["spec"]["suspend"] is True
        assert "nodeSelector" not in job["spec"]["template"]["spec"]
        assert workload["metadata"]["uid"] != first["uid"]
        assert workload["spec"]["podSets"][0]["count"] == 3
        assert workload["metadata"]["name"] == first["name"]
        assert sorted(await harbor.told("train")) == [
            f"Normal CreatedWorkload: Created Workload: ns/{first['name']}",
            f"Normal DeletedWorkload: Deleted not matching Workload: ns/{first['name']}",
            "Normal Started: Admitted by clusterQueue cq",
            "Normal Stopped: No matching Workload; restoring pod templates according to existent Workload",
        ]

    queueing(story)


def test_a_job_that_somebody_unsuspends_is_stopped_again() -> None:
    async def story(harbor: Harbor) -> None:
        await harbor.job()
        await harbor.client.patch(JOBS, "train", {"spec": {"suspend": False}})
        await harbor.pass_time(40)
        assert (await harbor.found(JOBS, "train"))["spec"]["suspend"] is True
        assert (await harbor.told("train"))[-1] == "Normal Stopped: Not admitted by cluster queue"

    queueing(story)


def test_a_workload_that_is_deleted_stops_its_job_and_is_made_anew() -> None:
    async def story(harbor: Harbor) -> None:
        await harbor.job()
        await harbor.admit()
        await harbor.pass_time(10)
        old = (await harbor.workload())["metadata"]
        await harbor.client.delete(WORKLOADS, old["name"])
        await harbor.pass_time(40)
        assert (await harbor.found(JOBS, "train"))["spec"]["suspend"] is True
        assert (await harbor.workload())["metadata"]["uid"] != old["uid"]
        assert "Normal Stopped: Workload is deleted" in await harbor.told("train")

    queueing(story)


def test_a_job_that_is_deleted_takes_its_workload_along() -> None:
    async def story(harbor: Harbor) -> None:
        await harbor.job()
        await harbor.admit()
        await harbor.pass_time(10)
        await harbor.client.delete(JOBS, "train", propagation=Propagation.BACKGROUND)
        await harbor.pass_time(60)
        assert await harbor.list(WORKLOADS) == []

    queueing(story)


def test_partial_admission_starts_fewer_pods_and_restores_their_number() -> None:
    async def story(harbor: Harbor) -> None:
        annotations = {"kueue.x-k8s.io/job-min-parallelism": "2"}
        await harbor.job(parallelism=4, completions=8, metadata={"annotations": annotations})
        assert (await harbor.workload())["spec"]["podSets"][0]["minCount"] == 2
        await harbor.admit(counts={"main": 3})
        await harbor.pass_time(10)
        assert (await harbor.found(JOBS, "train"))["spec"]["parallelism"] == 3
        assert len(await harbor.pods()) == 3
        await harbor.evict()
        await harbor.pass_time(40)
        assert (await harbor.found(JOBS, "train"))["spec"]["parallelism"] == 4

    queueing(story)


def test_pods_that_are_not_needed_any_more_are_reclaimable() -> None:
    async def story(harbor: Harbor) -> None:
        await harbor.job(parallelism=3, completions=4)
        await harbor.admit()
        await harbor.pass_time(75)
        workload = await harbor.workload()
        assert workload["status"]["reclaimablePods"] == [{"name": "main", "count": 2}]

    queueing(story)


def test_a_prebuilt_workload_is_adopted_and_decides() -> None:
    async def story(harbor: Harbor) -> None:
        labels = {"kueue.x-k8s.io/prebuilt-workload-name": "mine"}
        await harbor.job(metadata={"labels": labels}, suspend=True)
        assert await harbor.list(WORKLOADS) == []
        body = {
            "metadata": {"name": "mine"},
            "spec": {
                "queueName": "lq",
                "podSets": [{"name": "main", "count": 1, "template": await _defaulted(harbor)}],
            },
        }
        await harbor.make(WORKLOADS, body)
        (owner,) = (await harbor.workload())["metadata"]["ownerReferences"]
        assert owner["name"] == "train"
        await harbor.admit()
        assert (await harbor.found(JOBS, "train"))["spec"]["suspend"] is False

    async def _defaulted(harbor: Harbor) -> Object:
        template: Object = (await harbor.found(JOBS, "train"))["spec"]["template"]
        return {**template, "metadata": TEMPLATE["metadata"]}

    queueing(story)


def test_a_prebuilt_workload_that_is_another_is_declared_finished() -> None:
    async def story(harbor: Harbor) -> None:
        labels = {"kueue.x-k8s.io/prebuilt-workload-name": "mine"}
        await harbor.job(metadata={"labels": labels}, suspend=True)
        pods = [{"name": "main", "count": 9, "template": TEMPLATE}]
        body = {"metadata": {"name": "mine"}, "spec": {"queueName": "lq", "podSets": pods}}
        await harbor.make(WORKLOADS, body)
        assert (await harbor.conditions())["Finished"] == (
            "True OutOfSync: The prebuilt workload is out of sync with its user job"
        )
        assert (await harbor.found(JOBS, "train"))["spec"]["suspend"] is True

    queueing(story)


def test_what_cannot_be_injected_fails_the_workload() -> None:
    async def story(harbor: Harbor) -> None:
        pod = {**TEMPLATE, "spec": {**TEMPLATE["spec"], "nodeSelector": {"tier": "other"}}}
        await harbor.job(template=pod)
        await harbor.admit()
        assert (await harbor.conditions())["Finished"] == (
            "True FailedToStart: invalid admission check PodSetUpdate: conflict for nodeSelector: "
            "conflict for key=tier, value1=other, value2=spot"
        )
        assert (await harbor.found(JOBS, "train"))["spec"]["suspend"] is True

    queueing(story)


def test_a_missing_priority_class_is_told_and_waited_for() -> None:
    async def story(harbor: Harbor) -> None:
        await harbor.job(metadata={"labels": {"kueue.x-k8s.io/priority-class": "high"}})
        assert await harbor.list(WORKLOADS) == []
        assert await harbor.told("train") == [
            'Warning WorkloadPriorityClassNotFound: workloadpriorityclasses.kueue.x-k8s.io "high" not found'
        ]
        await harbor.make(WORKLOAD_PRIORITY_CLASSES, {"metadata": {"name": "high"}, "value": 9})
        await harbor.pass_time(10)
        workload = await harbor.workload()
        assert workload["spec"]["priority"] == 9
        await harbor.make(WORKLOAD_PRIORITY_CLASSES, {"metadata": {"name": "low"}, "value": 1})
        change = {"metadata": {"labels": {"kueue.x-k8s.io/priority-class": "low"}}}
        await harbor.admit()
        await harbor.client.patch(JOBS, "train", change)
        await harbor.pass_time(2)
        assert (await harbor.workload())["spec"]["priority"] == 1
        name = workload["metadata"]["name"]
        want = f"Normal UpdatedWorkload: Updated workload priority class: ns/{name}"
        assert (await harbor.told("train"))[-1] == want

    queueing(story)
