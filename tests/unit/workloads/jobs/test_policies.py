"""Failure and success policies."""

from __future__ import annotations

from typing import Any

import pytest

from argosy.workloads.jobs.indexes import parse
from argosy.workloads.jobs.policies import Verdict, judge_failure, met_success
from tests.unit.workloads.jobs.builders import pod

DISRUPTED = ({"type": "DisruptionTarget", "status": "True"},)


def exits(action: str, *codes: int, operator: str = "In", **more: Any) -> dict[str, Any]:
    return {"action": action, "onExitCodes": {"operator": operator, "values": list(codes), **more}}


def conditions(action: str, status: str = "True") -> dict[str, Any]:
    return {"action": action, "onPodConditions": [{"type": "DisruptionTarget", "status": status}]}


FAILED_WITH_42 = (
    "Container main for pod ns/p failed with exit code 42 matching FailJob rule at index"
)
CASES: dict[str, tuple[list[dict[str, Any]], Verdict]] = {
    "no rules count": ([], Verdict()),
    "a code that is named": ([exits("FailJob", 42)], Verdict(True, "FailJob", f"{FAILED_WITH_42} 0")),
    "a code that is not named": ([exits("FailJob", 1)], Verdict()),
    "a code that is excluded": (
        [exits("FailJob", 1, operator="NotIn")], Verdict(True, "FailJob", f"{FAILED_WITH_42} 0"),
    ),
    "another container": ([exits("FailJob", 42, containerName="side")], Verdict()),
    "this container": (
        [exits("FailJob", 42, containerName="main")], Verdict(True, "FailJob", f"{FAILED_WITH_42} 0"),
    ),
    "the first rule that matches decides": (
        [exits("FailJob", 1), exits("Ignore", 42), exits("FailJob", 42)], Verdict(False, "Ignore"),
    ),
    "counted by a rule": ([exits("Count", 42), exits("FailJob", 42)], Verdict(True, "Count")),
    "an index fails": ([exits("FailIndex", 42)], Verdict(True, "FailIndex")),
    "a condition": (
        [conditions("FailJob")],
        Verdict(True, "FailJob", "Pod ns/p has condition DisruptionTarget matching FailJob rule at index 0"),
    ),
    "a condition that says the opposite": ([conditions("FailJob", "False")], Verdict()),
    "a condition that is ignored": ([conditions("Ignore")], Verdict(False, "Ignore")),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_failures_are_judged(name: str) -> None:
    rules, want = CASES[name]
    failed = pod("p", "Failed", code=42, conditions=DISRUPTED)
    assert judge_failure({"rules": rules}, failed) == want


def test_a_container_that_ended_well_matches_nothing() -> None:
    rules = {"rules": [exits("FailJob", 42, operator="NotIn")]}
    assert judge_failure(rules, pod("p", "Failed", code=0)) == Verdict()


def test_no_policy_counts() -> None:
    assert judge_failure(None, pod("p", "Failed", code=42)) == Verdict()


@pytest.mark.parametrize(
    ("rules", "succeeded", "want"),
    [
        ([{"succeededCount": 2}], "0", ""),
        ([{"succeededCount": 2}], "0,4", "Matched rules at index 0"),
        ([{"succeededIndexes": "0-2"}], "0,1", ""),
        ([{"succeededIndexes": "0-2"}], "0-3", "Matched rules at index 0"),
        ([{"succeededIndexes": "0-2", "succeededCount": 2}], "0,2", "Matched rules at index 0"),
        ([{"succeededIndexes": "8"}, {"succeededIndexes": "1"}], "1", "Matched rules at index 1"),
        ([{"succeededIndexes": "8"}], "1", ""),
        ([{"succeededCount": 0}], "", ""),
    ],
)
def test_success_is_met(rules: list[dict[str, Any]], succeeded: str, want: str) -> None:
    assert met_success({"rules": rules}, 5, parse(succeeded, 5)) == want


def test_without_a_success_policy_nothing_is_met() -> None:
    assert not met_success(None, 5, parse("0-4", 5))
