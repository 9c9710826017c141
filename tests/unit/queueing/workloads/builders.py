"""Workloads in the middle of their lives, in few words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from argosy.api.objects.kueue.workloads import (
    Admission,
    AdmissionCheckState,
    PodSet,
    PodSetAssignment,
    Workload,
    WorkloadSpec,
    WorkloadStatus,
)
from argosy.api.objects.metadata import Condition, ObjectMeta
from argosy.base.types import Json, Object
from argosy.queueing.workloads.drafts import StatusDraft

NOW = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)
ADMISSION = Admission("cq", (PodSetAssignment("main", {"cpu": "default"}, {"cpu": "1"}, 1),))


def ago(seconds: float) -> datetime:
    return NOW - timedelta(seconds=seconds)


def condition(
    type_: str, status: str = "True", reason: str = "", message: str = "", seconds_ago: float = 0
) -> Condition:
    return Condition(type_, status, reason or type_, message, 1, ago(seconds_ago))


def check(name: str, state: str, message: str = "", **more: Json) -> AdmissionCheckState:
    return AdmissionCheckState(name, state, ago(60), message, **more)


def container(requests: Object | None = None, limits: Object | None = None) -> Object:
    return {"name": "c", "resources": {"requests": requests or {}, "limits": limits or {}}}


def pods(*containers: Object, name: str = "main", count: int = 1, **spec: Json) -> PodSet:
    return PodSet(name, count, template={"spec": {"containers": list(containers), **spec}})


def workload(
    *conditions: Condition,
    spec: Object | None = None,
    metadata: Object | None = None,
    **status: Json,
) -> Workload:
    """The workload ns/wl of LocalQueue lq, generation 1, one pod of a CPU."""
    given: Object = {"pod_sets": (pods(container({"cpu": "1"})),), "queue_name": "lq"}
    meta: Object = {"name": "wl", "namespace": "ns", "uid": "u", "generation": 1}
    return Workload(
        ObjectMeta(**(meta | (metadata or {}))),
        WorkloadSpec(**(given | (spec or {}))),
        WorkloadStatus(conditions=conditions, **status),
    )


def reserved(*more: Condition, seconds_ago: float = 0, **status: Json) -> Workload:
    """A workload with quota in `cq`."""
    said = condition("QuotaReserved", seconds_ago=seconds_ago)
    return workload(said, *more, **({"admission": ADMISSION} | status))


def admitted(*more: Condition, seconds_ago: float = 0, **status: Json) -> Workload:
    said = condition("Admitted", seconds_ago=seconds_ago)
    return reserved(said, *more, seconds_ago=seconds_ago, **status)


def with_spec(given: Workload, **changes: Json) -> Workload:
    return replace(given, spec=replace(given.spec, **changes))


def draft(given: Workload) -> StatusDraft:
    return StatusDraft(given, NOW)


def said(given: Workload) -> dict[str, str]:
    """Conditions as `status reason: message` by type."""
    return {
        one.type: f"{one.status} {one.reason}: {one.message}" for one in given.status.conditions
    }
