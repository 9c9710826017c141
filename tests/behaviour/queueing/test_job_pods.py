"""Pods under queueing, alone and in groups, in virtual time."""

from __future__ import annotations

from argosy.base.types import Json, Object
from argosy.client.resources import JOBS, LOCAL_QUEUES, PODS, WORKLOADS
from tests.behaviour.queueing.jobworlds import QUEUE, Harbor, queueing

GROUP = "kueue.x-k8s.io/pod-group-name"
TOTAL = "kueue.x-k8s.io/pod-group-total-count"
GATES = [{"name": "kueue.x-k8s.io/admission"}, {"name": "kueue.x-k8s.io/topology"}]


async def _pod(
    harbor: Harbor, name: str = "p", *, queue: str = "lq", cpu: str = "1", **more: Json
) -> Object:
    labels = {**({QUEUE: queue} if queue else {}), **more.pop("labels", {})}
    annotations = {"argosy.dev/duration": "60s", **more.pop("annotations", {})}
    container = {"name": "main", "image": "busybox", "resources": {"requests": {"cpu": cpu}}}
    return await harbor.make(
        PODS,
        {
            "metadata": {"name": name, "labels": labels, "annotations": annotations},
            "spec": {"restartPolicy": "Never", "containers": [container], **more},
        },
    )


async def _member(harbor: Harbor, name: str, total: int = 2, **more: Json) -> Object:
    annotations = {TOTAL: str(total), **more.pop("annotations", {})}
    labels = {GROUP: "team", **more.pop("labels", {})}
    return await _pod(harbor, name, labels=labels, annotations=annotations, **more)


def test_a_pod_is_gated_until_it_is_admitted_and_its_end_is_seen() -> None:
    async def story(harbor: Harbor) -> None:
        made = await _pod(harbor)
        assert made["metadata"]["labels"]["kueue.x-k8s.io/managed"] == "true"
        assert made["metadata"]["finalizers"] == ["kueue.x-k8s.io/managed"]
        assert made["spec"]["schedulingGates"] == GATES
        workload = await harbor.workload()
        assert workload["metadata"]["name"].startswith("pod-p-")
        assert [each["name"] for each in workload["spec"]["podSets"]] == ["main"]
        await harbor.admit()
        pod = await harbor.found(PODS, "p")
        assert "schedulingGates" not in pod["spec"]
        assert pod["spec"]["nodeSelector"] == {"tier": "spot"}
        assert pod["metadata"]["labels"]["kueue.x-k8s.io/podset"] == "main"
        await harbor.pass_time(90)
        pod = await harbor.found(PODS, "p")
        assert (pod["status"]["phase"], pod["metadata"].get("finalizers")) == ("Succeeded", None)
        assert (await harbor.conditions())["Finished"].startswith("True Succeeded")
        name = workload["metadata"]["name"]
        assert await harbor.told("p") == [
            f"Normal CreatedWorkload: Created Workload: ns/{name}",
            "Normal Started: Admitted by clusterQueue cq",
            f"Normal FinishedWorkload: Workload 'ns/{name}' is declared finished",
        ]

    queueing(story)


def test_an_evicted_pod_is_deleted_with_a_word_and_takes_its_workload_along() -> None:
    async def story(harbor: Harbor) -> None:
        await _pod(harbor)
        await harbor.admit()
        await harbor.pass_time(10)
        await harbor.set(
            await harbor.workload(), [("Evicted", "True", "Preempted", "Preempted for another")]
        )
        await harbor.pass_time(60)
        assert await harbor.pods() == []
        assert await harbor.list(WORKLOADS) == []
        assert (await harbor.told("p"))[-1] == "Normal Stopped: Preempted for another"

    queueing(story)


def test_pods_of_a_managed_job_are_left_to_it() -> None:
    async def story(harbor: Harbor) -> None:
        queue = {"metadata": {"name": "default"}, "spec": {"clusterQueue": "cq"}}
        await harbor.make(LOCAL_QUEUES, queue)
        await harbor.job()
        await harbor.admit()
        await harbor.pass_time(5)
        (pod,) = await harbor.pods()
        assert "kueue.x-k8s.io/managed" not in pod["metadata"]["labels"]
        assert len(await harbor.list(WORKLOADS)) == 1

    queueing(story)


def test_a_default_queue_that_comes_later_holds_pods_of_unmanaged_jobs_too() -> None:
    async def story(harbor: Harbor) -> None:
        await harbor.job(queue="", parallelism=1, completions=2)
        await harbor.pass_time(5)
        queue = {"metadata": {"name": "default"}, "spec": {"clusterQueue": "cq"}}
        await harbor.make(LOCAL_QUEUES, queue)
        await harbor.client.patch(JOBS, "train", {"spec": {"parallelism": 2}})
        await harbor.pass_time(5)
        gated = [pod for pod in await harbor.pods() if pod["spec"].get("schedulingGates")]
        assert [pod["metadata"]["labels"][QUEUE] for pod in gated] == ["default"]

    queueing(story)


def test_a_group_waits_until_it_is_whole_and_runs_as_one() -> None:
    async def story(harbor: Harbor) -> None:
        await _member(harbor, "a")
        assert await harbor.list(WORKLOADS) == []
        compose = "Warning ErrWorkloadCompose: 'team' group has fewer runnable pods than expected"
        assert await harbor.told("a") == [compose]
        await _member(harbor, "b", cpu="2")
        workload = await harbor.workload()
        assert workload["metadata"]["name"] == "team"
        assert workload["metadata"]["annotations"] == {"kueue.x-k8s.io/is-group-workload": "true"}
        owners = [
            (each["name"], each.get("controller"))
            for each in workload["metadata"]["ownerReferences"]
        ]
        assert owners == [("a", None), ("b", None)]
        roles = [
            (await harbor.found(PODS, name))["metadata"]["annotations"]["kueue.x-k8s.io/role-hash"]
            for name in ("a", "b")
        ]
        assert [(each["name"], each["count"]) for each in workload["spec"]["podSets"]] == [
            (role, 1) for role in sorted(roles)
        ]
        await harbor.admit()
        await harbor.pass_time(10)
        assert [pod["spec"].get("schedulingGates") for pod in await harbor.pods()] == [None, None]
        await harbor.pass_time(90)
        assert (await harbor.conditions())["Finished"] == "True Succeeded: Pods succeeded: 2/2."
        pods = await harbor.pods()
        assert [pod["metadata"].get("finalizers") for pod in pods] == [None, None]
        assert (await harbor.told("b"))[-1] == "Normal Started: Admitted by clusterQueue cq"

    queueing(story)


def test_an_excess_pod_of_a_group_is_deleted() -> None:
    async def story(harbor: Harbor) -> None:
        for name in ("a", "b", "c"):
            await _member(harbor, name)
        await harbor.pass_time(5)
        assert [pod["metadata"]["name"] for pod in await harbor.pods()] == ["a", "b"]
        assert await harbor.told("c") == ["Normal ExcessPodDeleted: Excess pod deleted"]
        assert (await harbor.workload())["spec"]["podSets"][0]["count"] == 2

    queueing(story)


def test_a_failed_pod_of_a_group_can_be_replaced() -> None:
    async def story(harbor: Harbor) -> None:
        await _member(harbor, "a", annotations={"argosy.dev/outcome": "fail"})
        await _member(harbor, "b", annotations={"argosy.dev/duration": "300s"})
        await harbor.admit()
        await harbor.pass_time(90)
        waiting = (await harbor.conditions())["WaitingForReplacementPods"]
        assert waiting == "True PodsFailed: Some Failed pods need replacement"
        failed = await harbor.found(PODS, "a")
        assert failed["metadata"]["finalizers"] == ["kueue.x-k8s.io/managed"]
        await _member(harbor, "c")
        await harbor.pass_time(5)
        conditions = await harbor.conditions()
        assert (
            conditions["WaitingForReplacementPods"] == "False PodsReady: No pods need replacement"
        )
        assert "finalizers" not in (await harbor.found(PODS, "a"))["metadata"]
        replacement = await harbor.found(PODS, "c")
        assert "schedulingGates" not in replacement["spec"]
        owners = (await harbor.workload())["metadata"]["ownerReferences"]
        assert [each["name"] for each in owners] == ["a", "b", "c"]
        await harbor.pass_time(600)
        assert (await harbor.conditions())["Finished"] == "True Succeeded: Pods succeeded: 2/2."

    queueing(story)


def test_an_evicted_group_waits_for_replacements_of_all_its_pods() -> None:
    async def story(harbor: Harbor) -> None:
        for name in ("a", "b"):
            await _member(harbor, name)
        await harbor.admit()
        await harbor.pass_time(10)
        await harbor.evict()
        await harbor.pass_time(60)
        conditions = await harbor.conditions()
        assert conditions["QuotaReserved"] == "False PendingEvaluation: Preempted for another"
        assert conditions["Requeued"] == "True Preempted: Preempted for another"
        assert conditions["WaitingForReplacementPods"] == "True Preempted: Preempted for another"
        for name in ("c", "d"):
            await _member(harbor, name)
        await harbor.pass_time(5)
        assert [pod["metadata"]["name"] for pod in await harbor.pods()] == ["c", "d"]
        await harbor.admit()
        await harbor.pass_time(90)
        assert (await harbor.conditions())["Finished"] == "True Succeeded: Pods succeeded: 2/2."

    queueing(story)


def test_fast_admission_needs_one_pod() -> None:
    async def story(harbor: Harbor) -> None:
        fast = {"kueue.x-k8s.io/pod-group-fast-admission": "true"}
        await _member(harbor, "a", 3, annotations=fast)
        (pods,) = (await harbor.workload())["spec"]["podSets"]
        assert pods["count"] == 3
        assert "WaitingForReplacementPods" not in await harbor.conditions()
        await harbor.admit()
        await _member(harbor, "b", 3, annotations=fast)
        await harbor.pass_time(5)
        assert [pod["spec"].get("schedulingGates") for pod in await harbor.pods()] == [None, None]

    queueing(story)


def test_deleted_pods_of_a_group_keep_their_places_until_the_workload_is_deleted() -> None:
    async def story(harbor: Harbor) -> None:
        for name in ("a", "b"):
            await _member(harbor, name)
        for name in ("a", "b"):
            await harbor.client.delete(PODS, name)
        await harbor.pass_time(60)
        assert len(await harbor.pods()) == 2
        await harbor.client.delete(WORKLOADS, "team")
        await harbor.pass_time(60)
        assert await harbor.pods() == []
        assert await harbor.list(WORKLOADS) == []

    queueing(story)
