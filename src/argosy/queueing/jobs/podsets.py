"""Pod sets on their way into a job and out again.

An admission says where the pods of each pod set go; a `PodSetInfo` is that as changes to a pod template: labels,
annotations, node selector, tolerations, gates, and how many pods. `merged` puts it into a template; `restored` puts a
template back to what the Workload remembers. Law (tests/unit/queueing/jobs/test_podsets.py): restoring after merging
gives the template that the Workload was made of.

A key that is there already with another value is a conflict. No later look can settle it, so it is `Permanent`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import msgspec

from argosy.api.objects.kueue.quotas import ResourceFlavor
from argosy.api.objects.kueue.workloads import PodSet, PodSetAssignment, PodSetUpdate, Workload
from argosy.base.names import is_dns1123_label
from argosy.base.types import Object
from argosy.queueing.jobs import names

_MAPS: Final = ("annotations", "labels", "nodeSelector")


class Permanent(Exception):
    """A job cannot be started with what was assigned to it, now or later."""


class FlavorMissing(Exception):
    """An assigned flavor is not there (yet)."""


@dataclass(slots=True, frozen=True)
class PodSetInfo:
    """What is put into the pods of a pod set."""

    name: str
    count: int = 0
    annotations: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    node_selector: Mapping[str, str] = field(default_factory=dict)
    tolerations: Sequence[Object] = ()
    scheduling_gates: Sequence[Object] = ()

    def merge(self, other: PodSetInfo) -> PodSetInfo:
        """Both. Raises Permanent where they contradict each other."""
        return replace(
            self,
            annotations=_union("annotations", self.annotations, other.annotations),
            labels=_union("labels", self.labels, other.labels),
            node_selector=_union("nodeSelector", self.node_selector, other.node_selector),
            tolerations=_appended(self.tolerations, other.tolerations),
            scheduling_gates=_appended(self.scheduling_gates, other.scheduling_gates),
        )


def _union(what: str, one: Mapping[str, str], other: Mapping[str, str]) -> Mapping[str, str]:
    for key in sorted(other):
        if key in one and one[key] != other[key]:
            clash = f"conflict for key={key}, value1={one[key]}, value2={other[key]}"
            raise Permanent(f"invalid admission check PodSetUpdate: conflict for {what}: {clash}")
    return {**one, **other}


def _appended(one: Sequence[Object], other: Iterable[Object]) -> Sequence[Object]:
    found = list(one)
    for item in other:
        if item not in found:
            found.append(item)
    return found


# Templates.


def info_of(template: Object, name: str = "", count: int = 0) -> PodSetInfo:
    """What a template has of the things that are put into it."""
    meta, spec = template.get("metadata") or {}, template.get("spec") or {}
    return PodSetInfo(
        name,
        count,
        meta.get("annotations") or {},
        meta.get("labels") or {},
        spec.get("nodeSelector") or {},
        spec.get("tolerations") or (),
        spec.get("schedulingGates") or (),
    )


def merged(template: Object, info: PodSetInfo) -> Object:
    """The template with an info put into it. Raises Permanent."""
    return restored(template, info_of(template).merge(info))


def restored(template: Object, info: PodSetInfo, keep_labels: Iterable[str] = ()) -> Object:
    """The template as an info has it; labels that are not Kueue's may be kept."""
    meta, spec = dict(template.get("metadata") or {}), dict(template.get("spec") or {})
    kept = {key: meta["labels"][key] for key in keep_labels if key in (meta.get("labels") or {})}
    _put(meta, "annotations", dict(info.annotations))
    _put(meta, "labels", {**info.labels, **kept})
    _put(spec, "nodeSelector", dict(info.node_selector))
    _put(spec, "tolerations", list(info.tolerations))
    _put(spec, "schedulingGates", list(info.scheduling_gates))
    new = {**template, "spec": spec}
    _put(new, "metadata", meta)
    return new


def _put(into: Object, field_: str, value: Object | list[Object]) -> None:
    """An empty value changes nothing where there is nothing, or something empty."""
    if value:
        into[field_] = value
    elif into.get(field_):
        del into[field_]


# Infos of Workloads.


def remembered(workload: Workload | None) -> list[PodSetInfo]:
    """What the pod sets were when the Workload was made; nothing of a Workload that is not there."""
    if workload is None:
        return []
    return [info_of(one.template, one.name, one.count) for one in workload.spec.pod_sets]


def assigned(
    workload: Workload, flavor: Callable[[str], ResourceFlavor | None]
) -> list[PodSetInfo]:
    """What an admission puts into the pods. Raises FlavorMissing, or Permanent where admission checks contradict."""
    admission = workload.status.admission
    if admission is None:
        return []
    sets: Mapping[str, PodSet] = {one.name: one for one in workload.spec.pod_sets}
    found = []
    for assignment in admission.pod_set_assignments:
        count = sets[assignment.name].count if assignment.name in sets else 0
        info = _from_assignment(assignment, count, flavor)
        info = info.merge(_identity(workload, assignment.name))
        found.append(_updated(info, workload))
    return found


def _from_assignment(
    assignment: PodSetAssignment, count: int, flavor: Callable[[str], ResourceFlavor | None]
) -> PodSetInfo:
    selector: dict[str, str] = {}
    tolerations: list[Object] = []
    # By resource, so that flavors that disagree on a node label always settle it the same way.
    for name in dict.fromkeys(assignment.flavors[each] for each in sorted(assignment.flavors)):
        found = flavor(name)
        if found is None:
            raise FlavorMissing(f'ResourceFlavor.kueue.x-k8s.io "{name}" not found')
        selector |= found.spec.node_labels
        tolerations += msgspec.to_builtins(found.spec.tolerations)
    gates = [{"name": names.TOPOLOGY_GATE}] if assignment.topology_assignment is not None else []
    return PodSetInfo(
        assignment.name,
        count if assignment.count is None else assignment.count,
        node_selector=selector,
        tolerations=tolerations,
        scheduling_gates=gates,
    )


def _identity(workload: Workload, pod_set: str) -> PodSetInfo:
    """Labels and an annotation that tell whose pods these are; queues only where their names can be label values."""
    labels = {names.POD_SET_LABEL: pod_set}
    admission = workload.status.admission
    queues = {
        names.LOCAL_QUEUE_LABEL: workload.spec.queue_name,
        names.CLUSTER_QUEUE_LABEL: admission.cluster_queue if admission else "",
    }
    labels |= {key: name for key, name in queues.items() if name and not is_dns1123_label(name)}
    annotations = {names.WORKLOAD_ANNOTATION: workload.metadata.name}
    return PodSetInfo(pod_set, annotations=annotations, labels=labels)


def _updated(info: PodSetInfo, workload: Workload) -> PodSetInfo:
    for check in workload.status.admission_checks:
        for update in check.pod_set_updates:
            if update.name == info.name:
                try:
                    info = info.merge(_from_update(update))
                except Permanent as error:
                    raise Permanent(f'in admission check "{check.name}": {error}') from error
    return info


def _from_update(update: PodSetUpdate) -> PodSetInfo:
    return PodSetInfo(
        update.name,
        annotations=update.annotations,
        labels=update.labels,
        node_selector=update.node_selector,
        tolerations=msgspec.to_builtins(update.tolerations),
    )
