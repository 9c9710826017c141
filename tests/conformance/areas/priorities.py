"""Priorities: classes and boosts."""

from __future__ import annotations

from collections.abc import Callable

from argosy.api.objects.kueue.checks import WorkloadPriorityClass
from argosy.api.objects.kueue.workloads import Workload
from argosy.base.errors import NotFound
from argosy.queueing.workloads.priorities import (
    PriorityClass,
    Resolved,
    boost_of,
    effective_priority,
    from_priority_class,
    from_workload_priority_class,
)
from tests.conformance.areas import runs
from tests.conformance.building import view, views
from tests.conformance.cases import Case
from tests.conformance.comparing import differences


def boosts(case: Case) -> bool:
    return case.gates.get("PriorityBoost", False)


def workload(case: Case) -> Workload:
    return view(Workload, case.input["workload"])


@runs("priority", "TestPriority")
def priority(case: Case) -> list[str]:
    return differences(case.expected, {"result": effective_priority(workload(case))})


@runs("priority", "TestEffectivePriority")
def effective(case: Case) -> list[str]:
    found = effective_priority(workload(case), boosts=boosts(case))
    return differences(case.expected, {"priority": found})


@runs("priority", "TestParseEffectivePriority")
def parsed(case: Case) -> list[str]:
    got = {
        "priority": effective_priority(workload(case), boosts=boosts(case)),
        "error": boosts(case) and boost_of(workload(case)) is None,
    }
    return differences(case.expected, got)


@runs("priority", "TestPriorityBoost")
def boost(case: Case) -> list[str]:
    found = boost_of(workload(case)) if boosts(case) else 0
    return differences(case.expected, {"boost": found or 0, "error": found is None})


def resolved(find: Callable[[], Resolved]) -> dict[str, object]:
    try:
        found = find()
    except NotFound as problem:
        return {"error": str(problem)}
    reference = found.reference
    return {
        "priorityClassValue": found.value,
        "priorityClassRef": reference
        and {"group": reference.group, "kind": reference.kind, "name": reference.name},
    }


@runs("priority", "TestGetPriorityFromPriorityClass")
def pod_class(case: Case) -> list[str]:
    items = (case.input.get("priorityClassList") or {}).get("items")
    classes = {one.metadata.name: one for one in views(PriorityClass, items)}
    name = case.input.get("priorityClassName") or ""
    return differences(case.expected, resolved(lambda: from_priority_class(name, classes)))


@runs("priority", "TestGetPriorityFromWorkloadPriorityClass")
def workload_class(case: Case) -> list[str]:
    items = (case.input.get("workloadPriorityClassList") or {}).get("items")
    classes = {one.metadata.name: one for one in views(WorkloadPriorityClass, items)}
    name = case.input.get("workloadPriorityClassName") or ""
    return differences(case.expected, resolved(lambda: from_workload_priority_class(name, classes)))
