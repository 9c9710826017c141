"""Why a workload waits, before and between attempts to admit it; and why a head is not nominated."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from msgspec.structs import replace

from argosy.api.objects.core import Namespace
from argosy.api.objects.kueue.localqueues import LocalQueue, LocalQueueSpec
from argosy.api.objects.kueue.quotas import ClusterQueue
from argosy.api.objects.kueue.workloads import Workload
from argosy.api.objects.limits import LimitRange, LimitRangeItem, LimitRangeSpec
from argosy.api.objects.metadata import ObjectMeta
from argosy.base.selectors.labels import everything, from_labels
from argosy.base.types import Json, Object
from argosy.queueing.workloads.admissibility import Refusal, refusal
from argosy.queueing.workloads.explaining import Surroundings, explanation
from argosy.queueing.workloads.limitranges import summarize
from tests.unit.queueing.workloads.builders import (
    NOW,
    ago,
    check,
    condition,
    container,
    pods,
    with_spec,
    workload,
)

LOCAL = LocalQueue(ObjectMeta(name="lq", namespace="ns"), LocalQueueSpec("cq"))
STOPPED = LocalQueue(LOCAL.metadata, LocalQueueSpec("cq", "Hold"))
QUEUE = ClusterQueue(ObjectMeta(name="cq"))
NAMESPACE = Namespace(ObjectMeta(name="ns", labels={"team": "a"}))
AROUND: Object = {
    "now": NOW,
    "local_queue": LOCAL,
    "cluster_queue_name": "cq",
    "cluster_queue": QUEUE,
    "is_active": True,
    "namespaces": everything(),
    "namespace": NAMESPACE,
}
TIGHT = summarize(
    [LimitRange(spec=LimitRangeSpec((LimitRangeItem("Container", max={"cpu": "500m"}),)))]
)
GREEDY = (pods(container({"cpu": "2"}, {"cpu": "1"})),)
GATED: Object = {"annotations": {"kueue.x-k8s.io/admission-gated-by": "budget,review"}}


def waiting(reason: str, message: str = "") -> Workload:
    return workload(condition("QuotaReserved", "False", reason, message))


@dataclass
class Case:
    workload: Workload
    # Nothing is said where this is empty.
    want: str = ""
    around: Object = field(default_factory=dict)


BYPASSED = "Bypassed scheduling evaluation because an equivalent workload recently failed"
WAITS = "PendingEvaluation: Workload is pending evaluation in the scheduling queue"
CASES = {
    "a new workload in working queues says nothing": Case(workload()),
    "one that is switched off says so before all else": Case(
        with_spec(workload(), active=False),
        "Deactivated: The workload is deactivated",
        {"local_queue": None},
    ),
    "one on hold keeps its word": Case(
        waiting("OnHold", "Job is on hold"), "OnHold: Job is on hold", {"local_queue": None}
    ),
    "its LocalQueue is not there": Case(
        workload(), "Misconfigured: LocalQueue lq doesn't exist", {"local_queue": None}
    ),
    "its LocalQueue is stopped": Case(
        workload(), "Suspended: LocalQueue lq is inactive", {"local_queue": STOPPED}
    ),
    "its ClusterQueue is not there": Case(
        workload(), "Misconfigured: ClusterQueue cq doesn't exist", {"cluster_queue": None}
    ),
    "its ClusterQueue is not active": Case(
        workload(), "Suspended: ClusterQueue cq is inactive", {"is_active": False}
    ),
    "the ClusterQueue's selector is none": Case(
        workload(), "Misconfigured: invalid namespace selector: odd", {"selector_error": "odd"}
    ),
    "its namespace is gone": Case(
        workload(),
        'Misconfigured: workload namespace "ns" does not exist: namespaces "ns" not found',
        {"namespace": None},
    ),
    "its namespace does not belong to the ClusterQueue": Case(
        workload(),
        "Misconfigured: workload namespace doesn't match ClusterQueue selector",
        {"namespaces": from_labels({"team": "b"})},
    ),
    "it asks for more than its limits": Case(
        workload(spec={"pod_sets": GREEDY}),
        "Misconfigured: resources validation failed: spec.podSets[0].template.spec.containers[0]: "
        'Invalid value: ["cpu"]: requests must not exceed its limits',
    ),
    "it asks for more than its namespace allows": Case(
        workload(),
        "Misconfigured: resources didn't satisfy LimitRange constraints: "
        'spec.podSets[0].template.spec.containers[0]: Invalid value: ["cpu"]: '
        "requests must not be above the limitRange max",
        {"limits": TIGHT},
    ),
    "somebody holds it up": Case(
        workload(metadata=GATED), "AdmissionGated: Admission is gated by: budget,review"
    ),
    "its like were found not to fit": Case(
        waiting("PendingEvaluation"),
        f"WaitingForQuota: {BYPASSED}",
        {"parked_reason": "WaitingForQuota"},
    ),
    "which is said of those who come back, too": Case(
        waiting("Suspended", "LocalQueue lq is inactive"),
        f"ExceedsMaxQuota: {BYPASSED}",
        {"parked_reason": "ExceedsMaxQuota"},
    ),
    "but not of those the scheduler spoke of": Case(
        waiting("WaitingForQuota", "2 more needed"),
        "WaitingForQuota: 2 more needed",
        {"parked_reason": "WaitingForQuota"},
    ),
    "new ones are told after a while": Case(
        workload(metadata={"creation_timestamp": ago(5)}),
        f"WaitingForQuota: {BYPASSED}",
        {"parked_reason": "WaitingForQuota"},
    ),
    "and not before": Case(
        workload(metadata={"creation_timestamp": ago(4)}), "", {"parked_reason": "WaitingForQuota"}
    ),
    "what the scheduler said stands": Case(
        waiting("TopologyPlacementFailed", "no rack"), "TopologyPlacementFailed: no rack"
    ),
    "what stood in the way and is gone gives way": Case(
        waiting("Misconfigured", "LocalQueue lq doesn't exist"), WAITS
    ),
    "so does what older versions said": Case(waiting("Pending", "Workload is pending"), WAITS),
    "so does an earlier switching off": Case(
        waiting("Deactivated", "The workload is deactivated"), WAITS
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_why_a_workload_waits(case: Case) -> None:
    got = explanation(case.workload, Surroundings(**(AROUND | case.around)))
    assert (": ".join(got) if got is not None else "") == case.want


@dataclass
class Nomination:
    want: Refusal | None
    workload: Workload = field(default_factory=workload)
    around: dict[str, Json] = field(default_factory=dict)


NOMINATIONS = {
    "nothing is in the way": Nomination(None),
    "a check asked for a retry": Nomination(
        Refusal("PendingEvaluation", "The workload has failed admission checks"),
        workload(admission_checks=(check("a", "Retry"),)),
        {"exists": False},
    ),
    "a check rejected it": Nomination(
        Refusal("PendingEvaluation", "The workload has failed admission checks"),
        workload(admission_checks=(check("a", "Rejected"),)),
    ),
    "the ClusterQueue is not active": Nomination(
        Refusal("Suspended", "ClusterQueue cq is inactive"), around={"is_active": False}
    ),
    "the ClusterQueue is not there": Nomination(
        Refusal("Misconfigured", "ClusterQueue cq not found"),
        around={"exists": False, "is_active": False},
    ),
    "the namespace does not belong there, which is told apart": Nomination(
        Refusal(
            "Misconfigured",
            "workload namespace doesn't match ClusterQueue selector",
            "NamespaceMismatch",
        ),
        around={"namespaces": from_labels({"team": "b"})},
    ),
}


@pytest.mark.parametrize("case", NOMINATIONS.values(), ids=NOMINATIONS.keys())
def test_why_a_head_is_not_nominated(case: Nomination) -> None:
    around: dict[str, Json] = {
        "exists": True,
        "is_active": True,
        "namespaces": everything(),
        "namespace": NAMESPACE,
        "limits": {},
    }
    assert refusal(case.workload, "cq", **(around | case.around)) == case.want


def test_several_errors_are_told_together_each_once() -> None:
    greedy = replace(GREEDY[0], name="other")
    given = workload(spec={"pod_sets": (GREEDY[0], greedy)})
    got = explanation(given, Surroundings(**AROUND))
    assert got is not None
    assert got[1].startswith("resources validation failed: [spec.podSets[0].")
    assert got[1].count("requests must not exceed its limits") == 2
