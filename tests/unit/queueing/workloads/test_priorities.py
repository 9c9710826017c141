"""Priorities: which class counts, and what a boost adds."""

from __future__ import annotations

import pytest

from argosy.api.objects.kueue.checks import WorkloadPriorityClass
from argosy.api.objects.kueue.workloads import PriorityClassRef, Workload, WorkloadSpec
from argosy.api.objects.metadata import ObjectMeta
from argosy.base.errors import NotFound
from argosy.queueing.workloads.making import Infos
from argosy.queueing.workloads.priorities import (
    BOOST,
    PriorityClass,
    Resolved,
    effective_priority,
    is_reprioritized,
    resolve,
)

WORKLOAD_CLASSES = {"gold": WorkloadPriorityClass(ObjectMeta("gold"), 100)}
POD_CLASSES = {
    "low": PriorityClass(ObjectMeta("low"), -5),
    "usual": PriorityClass(ObjectMeta("usual"), 7, global_default=True),
    "other": PriorityClass(ObjectMeta("other"), 7, global_default=True),
}
GOLD = PriorityClassRef("kueue.x-k8s.io", "WorkloadPriorityClass", "gold")
RESOLVED: dict[str, tuple[str, str, Resolved]] = {
    "the workload's class wins": ("gold", "low", Resolved(100, GOLD)),
    "else the pods'": (
        "",
        "low",
        Resolved(-5, PriorityClassRef("scheduling.k8s.io", "PriorityClass", "low")),
    ),
    "else the default, of equals the first by name": (
        "",
        "",
        Resolved(7, PriorityClassRef("scheduling.k8s.io", "PriorityClass", "other")),
    ),
}


@pytest.mark.parametrize("name", RESOLVED)
def test_which_class_counts(name: str) -> None:
    workload_class, pod_class, want = RESOLVED[name]
    assert resolve(workload_class, pod_class, WORKLOAD_CLASSES, POD_CLASSES) == want


def test_without_any_class_the_priority_is_zero() -> None:
    assert resolve("", "", {}, {}) == Resolved(0)


@pytest.mark.parametrize(
    ("workload_class", "pod_class", "want"),
    [
        ("none", "", 'workloadpriorityclasses.kueue.x-k8s.io "none" not found'),
        ("", "none", 'priorityclasses.scheduling.k8s.io "none" not found'),
    ],
)
def test_unknown_classes_are_refused_by_name(
    workload_class: str, pod_class: str, want: str
) -> None:
    with pytest.raises(NotFound) as problem:
        resolve(workload_class, pod_class, WORKLOAD_CLASSES, POD_CLASSES)
    assert str(problem.value) == want


def boosted(text: str, priority: int = 10) -> Workload:
    return Workload(ObjectMeta(annotations={BOOST: text}), WorkloadSpec(priority=priority))


BOOSTS = {
    "5": 15,
    "+5": 15,
    "-20": -10,
    "2147483647": 2147483657,
    "2147483648": 10,
    "": 10,
    "much": 10,
    "1_0": 10,
    " 1": 10,
    "٣": 10,
}


@pytest.mark.parametrize("text", BOOSTS)
def test_what_a_boost_adds(text: str) -> None:
    assert effective_priority(boosted(text), boosts=True) == BOOSTS[text]
    assert effective_priority(boosted(text)) == 10


def test_boosts_count_in_infos_only_where_they_are_on() -> None:
    plain, on = Infos(), Infos(boosts=True)
    assert (plain.make(boosted("5")).priority, on.make(boosted("5")).priority) == (10, 15)
    assert plain.make(boosted("5")).scheduling_hash == plain.make(boosted("6")).scheduling_hash
    assert on.make(boosted("5")).scheduling_hash != on.make(boosted("6")).scheduling_hash


def classed(name: str, priority: int) -> Workload:
    reference = PriorityClassRef("kueue.x-k8s.io", "WorkloadPriorityClass", name)
    return Workload(spec=WorkloadSpec(priority_class_ref=reference, priority=priority))


def test_what_counts_as_another_priority() -> None:
    assert is_reprioritized(classed("gold", 1), classed("silver", 1))
    assert is_reprioritized(classed("gold", 1), classed("gold", 2))
    assert not is_reprioritized(classed("gold", 1), classed("gold", 1))
    assert not is_reprioritized(classed("gold", 1), Workload())
    assert is_reprioritized(boosted("1"), boosted("2"), boosts=True)
    assert not is_reprioritized(boosted("1"), boosted("2"))
