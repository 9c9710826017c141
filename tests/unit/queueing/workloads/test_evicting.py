"""What an eviction writes to the status."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from argosy.api.objects.kueue.workloads import (
    AdmissionCheckState,
    EvictionCount,
    PodSetUpdate,
    PreemptionGateState,
    SchedulingStats,
    UnhealthyNode,
    Workload,
    WorkloadStatus,
)
from argosy.api.objects.metadata import Condition, ObjectMeta
from argosy.queueing.workloads.drafts import StatusDraft
from argosy.queueing.workloads.evicting import event_reason, evict

BEFORE = datetime(2026, 1, 1, tzinfo=UTC)
NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC).timestamp()
THEN_TEXT, NOW_TEXT = "2026-01-01T00:00:00Z", "2026-01-02T03:04:05Z"


def evicted(workload: Workload, reason: str, message: str, **more: str) -> dict[str, Any]:
    """The patch of the status of a workload that is evicted now."""
    draft = StatusDraft(workload, datetime.fromtimestamp(NOW, UTC))
    evict(draft, reason, message, **more)
    patch = draft.patch()
    assert patch is not None
    return dict(patch["status"])


@dataclass
class Case:
    status: WorkloadStatus
    want: dict[str, Any]
    reason: str = "ClusterQueueStopped"
    cause: str = ""
    preempted: str = ""


def condition(type_: str, reason: str, when: str = NOW_TEXT, **more: Any) -> dict[str, Any]:
    known = {"type": type_, "status": "True", "reason": reason, "message": "said"}
    return known | {"observedGeneration": 4, "lastTransitionTime": when} | more


def once(reason: str, cause: str = "", count: int = 1) -> dict[str, Any]:
    return {"evictions": [{"reason": reason, "underlyingCause": cause, "count": count}]}


EVICTED = {
    "conditions": [condition("Evicted", "ClusterQueueStopped")],
    "schedulingStats": once("ClusterQueueStopped"),
}
CASES = {
    "an eviction is a condition and a count": Case(WorkloadStatus(), EVICTED),
    "other conditions stay, empty messages too": Case(
        WorkloadStatus((Condition("Admitted", "True", "Admitted", "", 2, BEFORE),)),
        EVICTED
        | {
            "conditions": [
                condition("Admitted", "Admitted", THEN_TEXT, message="", observedGeneration=2),
                condition("Evicted", "ClusterQueueStopped"),
            ]
        },
    ),
    "an eviction that is renewed keeps its time": Case(
        WorkloadStatus((Condition("Evicted", "True", "PodsReadyTimeout", "old", 1, BEFORE),)),
        EVICTED | {"conditions": [condition("Evicted", "ClusterQueueStopped", THEN_TEXT)]},
    ),
    "one that was over begins now": Case(
        WorkloadStatus((Condition("Evicted", "False", "QuotaReserved", "old", 1, BEFORE),)),
        EVICTED,
    ),
    "a deactivation names its cause, and counts under its own reason": Case(
        WorkloadStatus(),
        {
            "conditions": [condition("Evicted", "DeactivatedDueToAdmissionCheck")],
            "schedulingStats": once("Deactivated", "AdmissionCheck"),
        },
        reason="Deactivated",
        cause="AdmissionCheck",
    ),
    "other causes are only counted": Case(
        WorkloadStatus(
            scheduling_stats=SchedulingStats(
                (EvictionCount("PodsReadyTimeout", "WaitForStart", 2),)
            )
        ),
        {
            "conditions": [condition("Evicted", "PodsReadyTimeout")],
            "schedulingStats": once("PodsReadyTimeout", "WaitForStart", 3),
        },
        reason="PodsReadyTimeout",
        cause="WaitForStart",
    ),
    "a preemption has a condition more": Case(
        WorkloadStatus(),
        {
            "conditions": [
                {
                    "type": "Preempted",
                    "status": "True",
                    "reason": "InClusterQueue",
                    "message": "said",
                    "lastTransitionTime": NOW_TEXT,
                },
                condition("Evicted", "Preempted"),
            ],
            "schedulingStats": once("Preempted"),
        },
        reason="Preempted",
        preempted="InClusterQueue",
    ),
    "checks start over, and remember how often they asked for that": Case(
        WorkloadStatus(
            admission_checks=(
                AdmissionCheckState("new", "Pending", BEFORE, ""),
                AdmissionCheckState("good", "Ready", BEFORE, "ok", 30, 2, (PodSetUpdate("main"),)),
                AdmissionCheckState("again", "Retry", BEFORE, "later", 60, 1),
            )
        ),
        EVICTED
        | {
            "admissionChecks": [
                {
                    "name": "new",
                    "state": "Pending",
                    "lastTransitionTime": THEN_TEXT,
                    "message": "",
                },
                {
                    "name": "good",
                    "state": "Pending",
                    "lastTransitionTime": NOW_TEXT,
                    "message": "Reset to Pending after eviction. Previously: Ready",
                    "requeueAfterSeconds": 30,
                },
                {
                    "name": "again",
                    "state": "Pending",
                    "lastTransitionTime": NOW_TEXT,
                    "message": "Reset to Pending after eviction. Previously: Retry",
                    "requeueAfterSeconds": 60,
                    "retryCount": 2,
                },
            ]
        },
    ),
    "gates close, and nothing waits at them": Case(
        WorkloadStatus(
            (Condition("BlockedOnPreemptionGates", "True", "PreemptionGated", "old", 1, BEFORE),),
            preemption_gates=(PreemptionGateState("gate", "Open", BEFORE),),
        ),
        EVICTED
        | {
            "conditions": [
                condition("BlockedOnPreemptionGates", "ClusterQueueStopped", status="False"),
                condition("Evicted", "ClusterQueueStopped"),
            ],
            "preemptionGates": [
                {"name": "gate", "position": "Closed", "lastTransitionTime": NOW_TEXT}
            ],
        },
    ),
    "clusters and unhealthy nodes are forgotten": Case(
        WorkloadStatus(
            cluster_name="east",
            nominated_cluster_names=("east", "west"),
            unhealthy_nodes=(UnhealthyNode("n1"),),
        ),
        EVICTED | {"clusterName": None, "nominatedClusterNames": None, "unhealthyNodes": None},
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_evicted(case: Case) -> None:
    workload = Workload(ObjectMeta(name="w", namespace="ns", generation=4), status=case.status)
    got = evicted(workload, case.reason, "said", cause=case.cause, preempted=case.preempted)
    assert got == case.want


def test_messages_are_cut_to_what_a_condition_holds() -> None:
    (got,) = evicted(Workload(), "Preempted", "é" * 20_000)["conditions"]
    assert got["message"].endswith("é ...")
    assert 32 * 1024 - 1 <= len(got["message"].encode()) <= 32 * 1024


def test_reasons_of_events() -> None:
    assert event_reason("Preempted") == "EvictedDueToPreempted"
    assert event_reason("PodsReadyTimeout", "WaitForStart") == "EvictedDueToPodsReadyTimeout"
    assert (
        event_reason("Deactivated", "AdmissionCheck")
        == "EvictedDueToDeactivatedDueToAdmissionCheck"
    )
