"""Numbers of pods."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from argosy.api.objects.kueue.workloads import ReclaimablePod
from argosy.queueing.workloads.counting import (
    is_scaled_down,
    pod_set_counts,
    set_reclaimable,
    with_counts,
)
from tests.unit.queueing.workloads.builders import draft, pods, workload


@dataclass
class Scaling:
    old: dict[str, int]
    new: dict[str, int]
    want: bool


SCALING = {
    "fewer pods": Scaling({"a": 2, "b": 2}, {"a": 1, "b": 2}, True),
    "as many pods": Scaling({"a": 2}, {"a": 2}, False),
    "more pods": Scaling({"a": 2}, {"a": 3}, False),
    "fewer here, more there": Scaling({"a": 2, "b": 2}, {"a": 1, "b": 3}, False),
    "another pod set": Scaling({"a": 2}, {"b": 1}, False),
}


@pytest.mark.parametrize("case", SCALING.values(), ids=SCALING.keys())
def test_pods_taken_away(case: Scaling) -> None:
    assert is_scaled_down(case.old, case.new) is case.want


def test_counts_are_given_to_the_pod_sets_they_name() -> None:
    given = workload(spec={"pod_sets": (pods(name="a", count=3), pods(name="b", count=3))})
    got = with_counts(given, {"a": 1, "c": 9})
    assert pod_set_counts(got.spec.pod_sets) == {"a": 1, "b": 3}


def test_no_more_pods_are_reclaimable_than_there_are() -> None:
    changed = draft(workload(spec={"pod_sets": (pods(name="a", count=3),)}))
    assert set_reclaimable(changed, [ReclaimablePod("a", 5)])
    assert changed.status.reclaimable_pods == (ReclaimablePod("a", 3),)
    assert not set_reclaimable(changed, [ReclaimablePod("a", 4)])
