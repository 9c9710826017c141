"""Workload between its versions: where its priority comes from, how long it ran, and where its pods are."""

from __future__ import annotations

from typing import Final

from argosy.base.types import Object
from argosy.queueing.conversion.parts import EACH, renamed, within, without
from argosy.queueing.conversion.topologies import to_domains, to_slices

_PAST: Final = ("accumulatedPastExexcutionTimeSeconds", "accumulatedPastExecutionTimeSeconds")
# v1beta1's word for a kind of class, and the class in v1beta2.
_CLASSES: Final = {
    "kueue.x-k8s.io/workloadpriorityclass": ("kueue.x-k8s.io", "WorkloadPriorityClass"),
    "scheduling.k8s.io/priorityclass": ("scheduling.k8s.io", "PriorityClass"),
}
_SOURCES: Final = {kind: source for source, kind in _CLASSES.items()}
_REQUESTS: Final = ("podSets", EACH, "topologyRequest")
_ASSIGNMENTS: Final = ("status", "admission", "podSetAssignments")


def workload_to_v1beta2(obj: Object) -> Object:
    obj = within(obj, ("spec",), _spec_to_v1beta2)
    obj = within(obj, ("status",), lambda status: renamed(status, _PAST[0], _PAST[1]))
    return within(obj, _ASSIGNMENTS[:-1], _packed)


def workload_to_v1beta1(obj: Object) -> Object:
    obj = within(obj, ("spec",), _spec_to_v1beta1)
    obj = within(obj, ("status",), _status_to_v1beta1)
    return within(obj, (*_ASSIGNMENTS, EACH, "topologyAssignment"), to_domains)


def _packed(admission: Object) -> Object:
    assignments = admission.get("podSetAssignments")
    if not isinstance(assignments, list):
        return admission
    path = ".".join(_ASSIGNMENTS)
    return {
        **admission,
        "podSetAssignments": [
            _with_slices(assignment, f"{path}[{index}].topologyAssignment")
            for index, assignment in enumerate(assignments)
        ],
    }


def _with_slices(assignment: Object, path: str) -> Object:
    return within(assignment, ("topologyAssignment",), lambda part: to_slices(part, path))


def _spec_to_v1beta2(spec: Object) -> Object:
    out = without(spec, "priorityClassName", "priorityClassSource")
    source = spec.get("priorityClassSource")
    found = _CLASSES.get(source) if isinstance(source, str) else None
    if found is not None:
        group, kind = found
        name = spec.get("priorityClassName", "")
        out["priorityClassRef"] = {"group": group, "kind": kind, "name": name}
    return out


def _spec_to_v1beta1(spec: Object) -> Object:
    out = without(spec, "priorityClassRef", "preemptionGates")
    ref = spec.get("priorityClassRef")
    if isinstance(ref, dict):
        source = _SOURCES.get((ref.get("group", ""), ref.get("kind", "")))
        if source is not None:
            out |= {"priorityClassName": ref.get("name", ""), "priorityClassSource": source}
    return within(
        out, _REQUESTS, lambda part: without(part, "podsetSliceRequiredTopologyConstraints")
    )


def _status_to_v1beta1(status: Object) -> Object:
    return without(renamed(status, _PAST[1], _PAST[0]), "preemptionGates")
