"""How important a workload is: the value of its priority class, and a boost where boosts count.

A WorkloadPriorityClass, named by a label of the job, wins over the PriorityClass of the pods. Pods without a class have
that of the default, the lowest of several; without any, the priority is 0. The boost is an annotation of the workload
that moves it up or down without changing its spec; what is no 32-bit number counts as no boost.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from argosy.api.objects.kueue.checks import WorkloadPriorityClass
from argosy.api.objects.kueue.workloads import PriorityClassRef, Workload
from argosy.api.objects.metadata import ObjectMeta, View
from argosy.base.errors import not_found

DEFAULT: Final = 0
BOOST: Final = "kueue.x-k8s.io/priority-boost"
WORKLOAD_PRIORITY_CLASS: Final = "WorkloadPriorityClass"
_KUEUE: Final = "kueue.x-k8s.io"
_SCHEDULING: Final = "scheduling.k8s.io"
_WHOLE_NUMBER: Final = re.compile(r"[+-]?[0-9]+")


class PriorityClass(View, frozen=True):
    """A class of pods."""

    metadata: ObjectMeta = ObjectMeta()
    value: int = 0
    global_default: bool = False


class Resolved(NamedTuple):
    """A priority, and the class that gives it, if any."""

    value: int
    reference: PriorityClassRef | None = None


def resolve(
    workload_class: str,
    pod_class: str,
    workload_classes: Mapping[str, WorkloadPriorityClass],
    pod_classes: Mapping[str, PriorityClass],
) -> Resolved:
    """The priority of a job that names these classes; empty names for none. Raises NotFound for unknown ones."""
    if workload_class:
        return from_workload_priority_class(workload_class, workload_classes)
    return from_priority_class(pod_class, pod_classes)


def from_workload_priority_class(
    name: str, classes: Mapping[str, WorkloadPriorityClass]
) -> Resolved:
    found = classes.get(name)
    if found is None:
        raise not_found(_KUEUE, "workloadpriorityclasses", name)
    return Resolved(found.value, PriorityClassRef(_KUEUE, WORKLOAD_PRIORITY_CLASS, name))


def from_priority_class(name: str, classes: Mapping[str, PriorityClass]) -> Resolved:
    """The priority of pods of a class; of the default class for those that name none."""
    if not name:
        defaults = (one for one in classes.values() if one.global_default)
        default = min(defaults, key=lambda one: (one.value, one.metadata.name), default=None)
        if default is None:
            return Resolved(DEFAULT)
        name = default.metadata.name
    found = classes.get(name)
    if found is None:
        raise not_found(_SCHEDULING, "priorityclasses", name)
    return Resolved(found.value, PriorityClassRef(_SCHEDULING, "PriorityClass", name))


def boost_of(workload: Workload) -> int | None:
    """The boost an annotation asks for; none if it is no 32-bit number."""
    text = workload.metadata.annotations.get(BOOST, "")
    if not text:
        return 0
    if not text.isascii() or not _WHOLE_NUMBER.fullmatch(text):
        return None
    value = int(text)
    return value if -(2**31) <= value < 2**31 else None


def effective_priority(workload: Workload, *, boosts: bool = False) -> int:
    """What workloads are ordered and preempted by. `boosts`: whether boosts count."""
    base = workload.spec.priority if workload.spec.priority is not None else DEFAULT
    return base + (boost_of(workload) or 0) if boosts else base


def is_reprioritized(old: Workload, new: Workload, *, boosts: bool = False) -> bool:
    """Whether a workload's class or its value was changed: pods cannot change theirs, so theirs do not count."""
    if boosts and boost_of(old) != boost_of(new):
        return True
    reference = new.spec.priority_class_ref
    if reference is None or reference.kind != WORKLOAD_PRIORITY_CLASS:
        return False
    before = old.spec.priority_class_ref
    return (before.name if before else "") != reference.name or (
        effective_priority(old) != effective_priority(new)
    )
