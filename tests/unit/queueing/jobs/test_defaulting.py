"""What is filled in when jobs are made, by circumstances."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from argosy.base.types import Object
from argosy.queueing.jobs.ancestry import NestingError, Parent, lineage, queue_name
from argosy.queueing.jobs.defaulting import default_job
from argosy.queueing.jobs.integrations.batchjobs import BatchJobs
from argosy.queueing.jobs.integrations.jobsets import JobSets
from argosy.queueing.jobs.integrations.pods import LonePods
from argosy.queueing.jobs.integrations.rayjobs import RayJobs
from argosy.queueing.jobs.integrations.services import Deployments, StatefulSets
from argosy.queueing.jobs.kinds import JobKind
from argosy.queueing.jobs.naming import workload_name
from tests.unit.queueing.jobs.builders import QUEUE, TRAINING, job, ray, template

PREFIX = "kueue.x-k8s.io/"


@dataclass
class Facts:
    """A cluster in a sentence; implements the protocol of the same name."""

    manages_unnamed: bool = False
    default_queue: bool = False
    default_priority: bool = False
    dispatches: bool = False
    namespace: str = "ns"
    owners: dict[str, Object] = field(default_factory=dict)

    def is_managed_namespace(self, name: str) -> bool:
        return name == self.namespace

    def has_default_queue(self, namespace: str) -> bool:
        return self.default_queue

    def has_default_priority(self) -> bool:
        return self.default_priority

    def is_dispatched(self, namespace: str, queue: str) -> bool:
        return self.dispatches

    def is_framework(self, reference: Object) -> bool:
        return reference["kind"] == "JobSet"

    def parent(self, reference: Object, namespace: str) -> Parent | None:
        found = self.owners.get(reference["name"])
        return Parent(found, True) if found is not None else None


OWNER = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "name": "s", "uid": "uid-s", "controller": True}  # fmt: skip
SPEC: Object = {"parallelism": 1, "template": template()}


def _summary(kind: JobKind, got: Object) -> Object:
    """What may have been filled in."""
    spec = got["spec"]
    found = {
        "queue": queue_name(got),
        "priority": (got["metadata"].get("labels") or {}).get(f"{PREFIX}priority-class"),
        "suspended": kind.is_suspended(got),
        "managedBy": spec.get("managedBy") or (spec.get("runPolicy") or {}).get("managedBy"),
    }
    return {key: value for key, value in found.items() if value}


def _set(queue: str = "") -> Object:
    labels = {QUEUE: queue} if queue else {}
    return {"metadata": {"name": "s", "namespace": "ns", "uid": "uid-s", "labels": labels}}


CASES: dict[str, tuple[JobKind, Object, Facts, Object]] = {
    "a job with a queue is suspended": (
        BatchJobs(), job(SPEC), Facts(), {"queue": "lq", "suspended": True},
    ),
    "a job without is not": (BatchJobs(), job(SPEC, labels={}), Facts(), {}),
    "where all are managed it is": (
        BatchJobs(), job(SPEC, labels={}), Facts(manages_unnamed=True), {"suspended": True},
    ),
    "a namespace that is not managed": (
        BatchJobs(), job(SPEC), Facts(namespace="other"), {"queue": "lq"},
    ),
    "a default queue": (
        BatchJobs(), job(SPEC, labels={}), Facts(default_queue=True),
        {"queue": "default", "suspended": True},
    ),
    "a default queue is not for children": (
        BatchJobs(), job(SPEC, labels={}, ownerReferences=[OWNER]), Facts(default_queue=True), {},
    ),
    "a child of a managed job is not suspended": (
        BatchJobs(), job(SPEC, ownerReferences=[OWNER]), Facts(owners={"s": _set("lq")}),
        {"queue": "lq"},
    ),
    "a child with a queue of a job without one is": (
        BatchJobs(), job(SPEC, ownerReferences=[OWNER]), Facts(owners={"s": _set()}),
        {"queue": "lq", "suspended": True},
    ),
    "a default priority": (
        BatchJobs(), job(SPEC), Facts(default_priority=True),
        {"queue": "lq", "priority": "default", "suspended": True},
    ),
    "a queue that sends jobs elsewhere": (
        BatchJobs(), job(SPEC), Facts(dispatches=True),
        {"queue": "lq", "suspended": True, "managedBy": "kueue.x-k8s.io/multikueue"},
    ),
    "a job that is managed by somebody stays so": (
        JobSets(), job({"managedBy": "me"}), Facts(dispatches=True),
        {"queue": "lq", "suspended": True, "managedBy": "me"},
    ),
    "a training job has it in its policy": (
        TRAINING["PyTorchJob"], job({"pytorchReplicaSpecs": {}}), Facts(dispatches=True),
        {"queue": "lq", "suspended": True, "managedBy": "kueue.x-k8s.io/multikueue"},
    ),
    "a RayJob on a cluster that is there": (
        RayJobs(), job({"clusterSelector": {"a": "b"}, "rayClusterSpec": ray()}), Facts(),
        {"queue": "lq"},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "given", "facts", "want"), CASES.values(), ids=CASES.keys())
def test_jobs(kind: JobKind, given: Object, facts: Facts, want: Object) -> None:
    assert _summary(kind, default_job(kind, given, facts)) == want


def _pod(labels: dict[str, str] | None = None, **meta: object) -> Object:
    return job(template()["spec"], labels=labels or {}, **meta)


POD_CASES: dict[str, tuple[Object, Facts, bool]] = {
    "a pod with a queue": (_pod({QUEUE: "lq"}), Facts(), True),
    "a pod without": (_pod(), Facts(), False),
    "a pod without, and a default queue": (_pod(), Facts(default_queue=True), True),
    "a pod of a managed job": (
        _pod({QUEUE: "lq"}, ownerReferences=[OWNER]), Facts(owners={"s": _set("lq")}), False,
    ),
    "a pod of a job that is not managed, and a default queue": (
        _pod(ownerReferences=[OWNER]), Facts(default_queue=True, owners={"s": _set()}), True,
    ),
    "a pod in a namespace that is not managed": (_pod({QUEUE: "lq"}), Facts(namespace="x"), False),
    "a pod whose parent is queued through it": (
        _pod({QUEUE: "lq", f"{PREFIX}managed": "true"},
             annotations={f"{PREFIX}pod-suspending-parent": "deployment"}, ownerReferences=[OWNER]),
        Facts(owners={"s": _set("lq")}),
        True,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("given", "facts", "want"), POD_CASES.values(), ids=POD_CASES.keys())
def test_pods(given: Object, facts: Facts, want: bool) -> None:
    got = default_job(LonePods(), given, facts)
    if not want:
        assert got == given
        return
    assert got["metadata"]["labels"][f"{PREFIX}managed"] == "true"
    assert got["metadata"]["finalizers"] == [f"{PREFIX}managed"]
    assert [gate["name"] for gate in got["spec"]["schedulingGates"]] == [
        f"{PREFIX}admission",
        f"{PREFIX}topology",
    ]
    assert len(got["metadata"]["annotations"][f"{PREFIX}role-hash"]) == 8
    assert default_job(LonePods(), got, facts) == got


def test_a_deployments_pods_are_told_their_queue() -> None:
    got = default_job(Deployments(), job({"template": template()}), Facts(default_priority=True))
    assert got["spec"]["template"]["metadata"] == {
        "labels": {QUEUE: "lq", f"{PREFIX}managed": "true", f"{PREFIX}priority-class": "default"},
        "annotations": {f"{PREFIX}pod-suspending-parent": "deployment"},
    }
    assert default_job(Deployments(), got, Facts()) == got


def test_a_statefulsets_pods_are_told_their_group() -> None:
    given = job({"replicas": 3, "template": template()})
    got = default_job(StatefulSets(), given, Facts())
    group = workload_name("StatefulSet", "apps", "j", "")
    assert got["spec"]["template"]["metadata"] == {
        "labels": {
            QUEUE: "lq",
            f"{PREFIX}managed": "true",
            f"{PREFIX}pod-group-name": group,
            f"{PREFIX}prebuilt-workload-name": group,
        },
        "annotations": {
            f"{PREFIX}pod-suspending-parent": "statefulset",
            f"{PREFIX}pod-group-total-count": "3",
            f"{PREFIX}pod-group-fast-admission": "true",
            f"{PREFIX}pod-group-serving": "true",
            f"{PREFIX}role-hash": "main",
        },
    }
    # Scaled to zero its pods keep their number: they are still going.
    idle = {**got, "spec": {**got["spec"], "replicas": 0}}
    assert default_job(StatefulSets(), idle, Facts()) == idle


def test_names_are_readable_short_enough_and_their_own() -> None:
    name = workload_name("Job", "batch", "x" * 300, "u")
    assert (len(name), name[:8]) == (253, "job-xxxx")
    others = {
        workload_name("Job", "batch", "a", "u"),
        workload_name("Job", "batch", "a", "v"),
        workload_name("Job", "other", "a", "u"),
        workload_name("Job", "batch", "a", "u", "2"),
    }
    assert len(others) == 4


def test_the_top_most_managed_ancestor_counts() -> None:
    def owned(name: str, by: str, queue: str = "") -> Object:
        ref = {"apiVersion": "v1", "kind": "K", "name": by, "uid": f"uid-{by}", "controller": True}
        labels = {QUEUE: queue} if queue else {}
        refs = {"ownerReferences": [ref]} if by else {}
        return {"metadata": {"name": name, "uid": f"uid-{name}", "labels": labels, **refs}}

    jobs = {
        "c": owned("c", "b", "q"), "b": owned("b", "a"), "a": owned("a", "", "q"),
        "x": owned("x", "y"), "y": owned("y", "x"),
    }  # fmt: skip

    def find(reference: Object, namespace: str) -> Parent | None:
        found = jobs.get(reference["name"])
        return Parent(found, True) if found else None

    assert lineage(owned("d", "c"), find, manages_unnamed=False).ancestor is jobs["a"]
    assert lineage(owned("d", "b"), find, manages_unnamed=True).ancestor is jobs["a"]
    assert lineage(owned("d", "nobody"), find, manages_unnamed=False).ancestor is None
    with pytest.raises(NestingError):
        lineage(jobs["x"], find, manages_unnamed=False)
    jobs["c"]["metadata"]["uid"] = "made-anew"
    assert lineage(owned("d", "c"), find, manages_unnamed=False).ancestor is None
