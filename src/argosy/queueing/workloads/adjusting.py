"""A workload's pod sets as its pods will really be: with overhead, defaults of the namespace, limits for requests.

Kubernetes fills these in when pods are created, and quota must be counted for the pods that come. The order is
Kubernetes': overhead of the runtime class where the pod names none, then the defaults of LimitRanges, then limits stand
for requests that are missing. The result lives in queues and cache only and is never written back. Templates are shared
with informers, so changed parts are copied.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from argosy.api.objects.kueue.workloads import PodSet, Workload
from argosy.api.objects.limits import RuntimeClass
from argosy.api.objects.metadata import Quantities
from argosy.base.types import Object
from argosy.queueing.workloads.limitranges import CONTAINER, POD, Bounds, Summary


def adjusted(
    workload: Workload, summary: Summary, runtime_classes: Mapping[str, RuntimeClass]
) -> Workload:
    """The workload with the requests its pods will have; the same object where nothing is to be filled in."""
    pod_sets = tuple(_pod_set(one, summary, runtime_classes) for one in workload.spec.pod_sets)
    if all(new is old for new, old in zip(pod_sets, workload.spec.pod_sets, strict=True)):
        return workload
    return replace(workload, spec=replace(workload.spec, pod_sets=pod_sets))


def _pod_set(
    pod_set: PodSet, summary: Summary, runtime_classes: Mapping[str, RuntimeClass]
) -> PodSet:
    spec = pod_set.template.get("spec") or {}
    changes: Object = {}
    overhead = _overhead(spec, runtime_classes)
    if overhead:
        changes["overhead"] = overhead
    for which in ("initContainers", "containers"):
        given = spec.get(which) or []
        filled = [_filled_in(container, summary.get(CONTAINER)) for container in given]
        if any(new is not old for new, old in zip(filled, given, strict=True)):
            changes[which] = filled
    # Resources of the whole pod are filled in only where the pod has some.
    if spec.get("resources") is not None:
        resources = _resources(spec["resources"], summary.get(POD))
        if resources is not spec["resources"]:
            changes["resources"] = resources
    if not changes:
        return pod_set
    return replace(pod_set, template={**pod_set.template, "spec": {**spec, **changes}})


def _overhead(spec: Object, runtime_classes: Mapping[str, RuntimeClass]) -> Quantities:
    name = spec.get("runtimeClassName")
    found = runtime_classes.get(name) if name and not spec.get("overhead") else None
    return found.overhead.pod_fixed if found is not None and found.overhead is not None else {}


def _filled_in(container: Object, bounds: Bounds | None) -> Object:
    given = container.get("resources") or {}
    resources = _resources(given, bounds)
    return container if resources is given else {**container, "resources": resources}


def _resources(given: Object, bounds: Bounds | None) -> Object:
    """Requests and limits with what is missing; the same object if nothing is."""
    limits: Quantities = given.get("limits") or {}
    requests: Quantities = given.get("requests") or {}
    if bounds is not None:
        limits = {**bounds.default, **limits}
        requests = {**bounds.default_request, **requests}
    requests = {**limits, **requests}
    if requests == (given.get("requests") or {}) and limits == (given.get("limits") or {}):
        return given
    changes = {"limits": limits, "requests": requests}
    return {**given, **{name: value for name, value in changes.items() if value}}
