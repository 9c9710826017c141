"""Who belongs to a group of pods, who is too many, who is missed."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec
import pytest

from argosy.api.objects.kueue.workloads import Workload
from argosy.base.types import Json, Object
from argosy.queueing.jobs.actions import CreateWorkload
from argosy.queueing.jobs.grouping import decide_group
from argosy.queueing.jobs.integrations.podgroups import PodGroups, group_of, sort_out
from tests.unit.queueing.jobs.builders import Around, condition, template
from tests.unit.queueing.jobs.test_deciding import told

PREFIX = "kueue.x-k8s.io/"


def pod(name: str, phase: str = "Pending", *, total: int = 2, **more: Json) -> Object:
    """A pod of the group `g`, gated unless it has a phase of its own."""
    annotations = {
        f"{PREFIX}pod-group-total-count": str(total),
        f"{PREFIX}role-hash": more.pop("role", "r"),
        **more.pop("annotations", {}),
    }
    spec = {**template(more.pop("cpu", "1"))["spec"]}
    if phase == "Pending" and not more.pop("is_free", False):
        spec["schedulingGates"] = [{"name": f"{PREFIX}admission"}]
    elif phase != "Pending":
        spec["nodeName"] = "n"
    finalizers = more.pop("finalizers", [f"{PREFIX}managed"])
    labels = {
        f"{PREFIX}pod-group-name": "g",
        f"{PREFIX}queue-name": more.pop("queue", "lq"),
        f"{PREFIX}managed": "true",
    }
    meta = {
        "name": name, "namespace": "ns", "uid": f"uid-{name}", "resourceVersion": "1", "labels": labels,
        "annotations": annotations, "creationTimestamp": f"2026-01-01T00:00:0{ord(name[-1]) % 10}Z", **more,
    }  # fmt: skip
    if finalizers:
        meta["finalizers"] = finalizers
    return {"metadata": meta, "spec": spec, "status": {"phase": phase}}


def workload(*conditions: Object, count: int = 2, owners: str = "ab", **more: Json) -> Workload:
    body = {
        "metadata": {
            "name": "g",
            "namespace": "ns",
            "uid": "uid-g",
            "resourceVersion": "5",
            "finalizers": [f"{PREFIX}resource-in-use"],
            "ownerReferences": [{"kind": "Pod", "name": o, "uid": f"uid-{o}"} for o in owners],
        },
        "spec": {
            "queueName": "lq",
            "podSets": [{"name": "r", "count": count, "template": template()}],
        },
        "status": {"conditions": list(conditions), **more},
    }
    return msgspec.convert(body, Workload)


ADMITTED = (condition("QuotaReserved"), condition("Admitted"))
ADMISSION = {
    "clusterQueue": "cq",
    "podSetAssignments": [{"name": "r", "flavors": {"cpu": "spot"}, "count": 2}],
}
LET_GO = "change job ['metadata.finalizers']"


@dataclass
class Case:
    pods: list[Object]
    workload: Workload | None
    want: list[str] = field(default_factory=list)


CASES = {
    "too few pods make no Workload": Case(
        [pod("a")],
        None,
        ["event Warning ErrWorkloadCompose: 'g' group has fewer runnable pods than expected"],
    ),
    "enough pods make one": Case(
        [pod("a"), pod("b")],
        None,
        [
            "create g",
            "event Normal CreatedWorkload: Created Workload: ns/g",
            "event Normal CreatedWorkload: Created Workload: ns/g",
        ],
    ),
    "one too many goes before it is made": Case(
        [pod("a"), pod("b"), pod("c")],
        None,
        [
            LET_GO,
            "remove c",
            "event Normal ExcessPodDeleted: Excess pod deleted",
            "create g",
            "event Normal CreatedWorkload: Created Workload: ns/g",
            "event Normal CreatedWorkload: Created Workload: ns/g",
        ],
    ),
    "fast admission needs one pod": Case(
        [pod("a", annotations={f"{PREFIX}pod-group-fast-admission": "true"})],
        None,
        ["create g", "event Normal CreatedWorkload: Created Workload: ns/g"],
    ),
    "pods that disagree on the queue": Case(
        [pod("a"), pod("b", queue="other")],
        None,
        ["event Warning ErrWorkloadCompose: pods 'a' and 'b' has different queue names: lq!=other"],
    ),
    "pods that disagree on their number": Case(
        [pod("a"), pod("b", total=3)],
        None,
        [
            (
                "event Warning ErrWorkloadCompose: pods 'a' and 'b' has different "
                f"'{PREFIX}pod-group-total-count' values: 2!=3"
            )
        ],
    ),
    "more roles than a Workload can have": Case(
        [pod(f"p{chr(97 + n)}", total=19, role=f"r{n}") for n in range(19)],
        None,
        ["event Warning ErrWorkloadCompose: pod group can't include more than 18 roles"],
    ),
    "a prebuilt Workload is waited for": Case(
        [
            pod(
                "a",
                labels=pod("a")["metadata"]["labels"] | {f"{PREFIX}prebuilt-workload-name": "g"},
            )
        ],
        None,
    ),
    "a group that waits is left alone": Case([pod("a"), pod("b")], workload()),
    "a pod that joins owns the Workload too": Case(
        [pod("a"), pod("b")], workload(owners="a"), ["patch workload metadata.ownerReferences"]
    ),
    "an admitted group starts": Case(
        [pod("a"), pod("b")],
        workload(*ADMITTED, admission=ADMISSION),
        [
            line
            for _ in "ab"
            for line in (
                (
                    f"change job ['metadata.annotations', 'metadata.labels.{PREFIX}cluster-queue-name', "
                    f"'metadata.labels.{PREFIX}local-queue-name', 'metadata.labels.{PREFIX}podset', "
                    "'spec.nodeSelector.tier', 'spec.schedulingGates', 'spec.tolerations']"
                ),
                "event Normal Started: Admitted by clusterQueue cq",
            )
        ],
    ),
    "a pod that failed is missed": Case(
        [pod("a", "Failed"), pod("b", "Running")],
        workload(*ADMITTED, admission=ADMISSION),
        [
            "patch status WaitingForReplacementPods=True PodsFailed: Some Failed pods need replacement"
        ],
    ),
    "a pod that was replaced is let go": Case(
        [pod("a", "Failed"), pod("b", "Running"), pod("c", "Running")],
        workload(
            *ADMITTED,
            condition("WaitingForReplacementPods", "True", "PodsFailed"),
            admission=ADMISSION,
            owners="abc",
        ),
        [
            LET_GO,
            "patch status WaitingForReplacementPods=False PodsReady: No pods need replacement",
        ],
    ),
    "a group that has succeeded is finished": Case(
        [pod("a", "Succeeded"), pod("b", "Succeeded")],
        workload(*ADMITTED, admission=ADMISSION),
        [
            LET_GO,
            LET_GO,
            "patch status Finished=True Succeeded: Pods succeeded: 2/2.",
            "event Normal FinishedWorkload: Workload 'ns/g' is declared finished",
            "drop finalizer",
        ],
    ),
    "a group that cannot be completed is finished when it is over": Case(
        [
            pod("a", "Failed", annotations={f"{PREFIX}retriable-in-group": "false"}),
            pod("b", "Succeeded"),
        ],
        workload(*ADMITTED, admission=ADMISSION),
        [
            LET_GO,
            LET_GO,
            (
                "patch status WaitingForReplacementPods=True PodsFailed: Some Failed pods need replacement; "
                "Finished=True Succeeded: Pods succeeded: 1/2."
            ),
            "event Normal FinishedWorkload: Workload 'ns/g' is declared finished",
            "drop finalizer",
        ],
    ),
    "a role nobody knew ends it": Case(
        [pod("a", "Running"), pod("b", "Running", role="other")],
        workload(*ADMITTED, admission=ADMISSION),
        [
            *(
                line
                for name in "ab"
                for line in (
                    "change status ['status.conditions']",
                    f"remove {name}",
                    (
                        "event Normal Stopped: No matching Workload; restoring pod templates according to "
                        "existent Workload"
                    ),
                )
            ),
            "drop finalizer",
            "delete",
            "event Normal DeletedWorkload: Deleted not matching Workload: ns/g",
        ],
    ),
    "an evicted group is stopped pod by pod": Case(
        [pod("a", "Running"), pod("b")],
        workload(
            *ADMITTED, condition("Evicted", "True", "Preempted", "make room"), admission=ADMISSION
        ),
        [
            "change status ['status.conditions']",
            "remove a",
            "event Normal Stopped: make room",
        ],
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_decisions(case: Case) -> None:
    around = Around(named={"g": case.workload} if case.workload else {})
    assert told(decide_group(case.pods, around)) == case.want


def test_roles_are_pod_sets_by_name() -> None:
    pods = [pod("a", role="z", total=3), pod("b", role="y", total=3), pod("c", role="z", total=3)]
    (create, *_) = decide_group(pods, Around())
    assert isinstance(create, CreateWorkload)
    sets = create.body["spec"]["podSets"]
    assert [(each["name"], each["count"]) for each in sets] == [("y", 1), ("z", 2)]
    assert create.body["metadata"]["annotations"] == {f"{PREFIX}is-group-workload": "true"}


def test_pods_that_were_let_go_or_still_wait_give_way_first() -> None:
    pods = [
        pod("a", "Running", finalizers=[]),
        pod("b"),
        pod("c", "Running"),
        pod("d", "Running"),
    ]
    members = sort_out(pods, {"r": 2})
    assert [each["metadata"]["name"] for each in members.kept] == ["d", "c"]
    assert [each["metadata"]["name"] for each in members.excess] == ["b", "a"]


def test_a_pod_deleted_before_it_had_a_node_never_runs() -> None:
    gone = pod("a", deletionTimestamp="2026-01-01T00:00:00Z")
    members = sort_out([gone, pod("b", "Running")], {"r": 2})
    assert members.absent == 1
    assert len(members.kept) == 2


def test_all_pods_must_be_ready_and_there() -> None:
    ready = {"conditions": [{"type": "Ready", "status": "True"}], "phase": "Running"}
    one, two = pod("a", "Running"), pod("b", "Running")
    kind = PodGroups()
    assert not kind.are_pods_ready(group_of([{**one, "status": ready}]))
    assert not kind.are_pods_ready(group_of([{**one, "status": ready}, two]))
    assert kind.are_pods_ready(
        group_of([{**one, "status": ready}, {**two, "status": {"phase": "Succeeded"}}])
    )
