"""How many pods there should be, and which go first."""

from __future__ import annotations

from typing import Any

import pytest

from argosy.api.objects import Pod
from argosy.workloads.jobs.assessing import assess
from argosy.workloads.jobs.managing import Plan, plan
from tests.unit.workloads.jobs.builders import at, job, ledger, pod

RUNNING = [pod("a", "Running", node="n"), pod("b", "Running", node="n")]
INDEXED = {"completionMode": "Indexed", "completions": 4, "parallelism": 4}


def planned(pods: list[Pod], status: dict[str, Any] | None = None, **spec: Any) -> tuple[Any, ...]:
    """Names of pods to delete, indexes to create, seconds to wait."""
    books = ledger(*pods)
    got: Plan = plan(assess(job(status, **spec), books, at(100), is_settled=True), books)
    return [each.metadata.name for each in got.delete], list(got.create), got.wait_seconds


CASES: dict[str, tuple[tuple[Any, ...], tuple[Any, ...]]] = {
    "all pods are there": ((RUNNING, None, {"parallelism": 2, "completions": 2}), ([], [], None)),
    "a pod is missing": ((RUNNING, None, {"parallelism": 3, "completions": 9}), ([], [-1], None)),
    "no more pods than completions are left": (
        (RUNNING, {"succeeded": 7}, {"parallelism": 5, "completions": 9}), ([], [], None),
    ),
    "a work queue makes pods until one has succeeded": (
        (RUNNING, None, {"parallelism": 4, "completions": None}), ([], [-1, -1], None),
    ),
    "a work queue that has succeeded is left alone": (
        (RUNNING, {"succeeded": 1}, {"parallelism": 4, "completions": None}), ([], [], None),
    ),
    "a suspended job has no pods": (
        (RUNNING, None, {"parallelism": 2, "completions": 2, "suspend": True}), (["a", "b"], [], None),
    ),
    "fewer at a time": ((RUNNING, None, {"parallelism": 1, "completions": 2}), (["a"], [], None)),
    "a pod that is deleted is replaced at once": (
        ([pod("a", "Running", going=True, ended=0)], None, {"podReplacementPolicy": "TerminatingOrFailed"}),
        ([], [-1], None),
    ),
    "a pod that is deleted is replaced once it has failed": (
        ([pod("a", "Running", going=True)], None, {"podReplacementPolicy": "Failed"}), ([], [], None),
    ),
    "a failure is waited for": (
        ([pod("a", "Failed", ended=96)], None, {}), ([], [], 6.0),
    ),
    "the lowest free indexes": (
        ([pod("a", index=1)], {"completedIndexes": "0"}, INDEXED), ([], [2, 3], None),
    ),
    "an index with two pods": (
        ([pod("a", index=0), pod("b", "Running", index=0)], None, INDEXED), (["a"], [], None),
    ),
    "a pod without an index and one beyond": (
        ([pod("a", index=0), pod("b"), pod("c", index=4)], None, INDEXED), (["b", "c"], [], None),
    ),
    "an index that has just failed waits, others do not": (
        ([pod("a", "Failed", index=0, ended=99)], None, INDEXED | {"backoffLimitPerIndex": 1}),
        ([], [1, 2, 3], None),
    ),
    "all indexes wait": (
        ([pod("a", "Failed", index=0, ended=99)], None,
         INDEXED | {"backoffLimitPerIndex": 1, "completions": 1, "parallelism": 1}),
        ([], [], 9.0),
    ),
    "failed indexes are not made again": (
        ([], {"failedIndexes": "0,1", "completedIndexes": "2"}, INDEXED | {"backoffLimitPerIndex": 1}),
        ([], [3], None),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_plan(name: str) -> None:
    (pods, status, spec), want = CASES[name]
    assert planned(pods, status, **spec) == want


def test_pods_that_got_least_far_go_first() -> None:
    order = [
        pod("unscheduled", "Running", ready=1),
        pod("pending", node="n"),
        pod("unready", "Running", node="n"),
        pod("ready lately", "Running", node="n", ready=9),
        pod("restarted", "Running", node="n", ready=2, restarts=3),
        pod("young", "Running", node="n", ready=2, created=5),
        pod("old", "Running", node="n", ready=2),
    ]
    for count in range(1, len(order) + 1):
        got, _, _ = planned(order[::-1], parallelism=len(order) - count, completions=99)
        assert got == [each.metadata.name for each in order[:count]]
