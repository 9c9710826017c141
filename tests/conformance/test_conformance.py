"""Kueue's own cases, where they are at hand, one test per case; those that do not apply are listed with their reason."""

from __future__ import annotations

from typing import Final

import pytest

from tests.conformance.cases import DEFAULT, Case, load
from tests.conformance.running import Exceptions, run

# What this project answers for so far. The topology areas and upstream's inner functions are not among them.
AREAS: Final = (
    "admission-fair-sharing", "available-quota", "clusterqueue-status", "dominant-resource-share",
    "flavor-assignment", "limit-range", "preemption", "preemption-candidate-order",
    "preemption-fair-sharing", "priority", "queue", "quota-usage", "scheduling", "scheduling-afs",
    "scheduling-entry-order", "scheduling-fair-sharing", "scheduling-multi-cycle",
    "scheduling-recompute-preemption", "scheduling-requeue", "workload",
)  # fmt: skip
MOST_LISTED: Final = 0.03
_EXCEPTIONS: Final = Exceptions()


def _cases() -> list[Case]:
    if not DEFAULT.is_dir():
        return []
    return [case for case in load(DEFAULT) if case.area in AREAS]


@pytest.mark.skipif(
    not DEFAULT.is_dir(), reason="Kueue's cases (shared/fixtures/kueue) are not here"
)
@pytest.mark.parametrize("case", _cases(), ids=lambda case: case.id)
def test_case(case: Case) -> None:
    outcome = run(case, _EXCEPTIONS)
    if outcome.listed:
        pytest.skip(outcome.listed)
    assert not outcome.differences, "\n".join(outcome.differences)


@pytest.mark.skipif(
    not DEFAULT.is_dir(), reason="Kueue's cases (shared/fixtures/kueue) are not here"
)
def test_few_cases_are_listed() -> None:
    """Variants under other gates apart, which are not the behavior users meet."""
    cases = [case for case in _cases() if "@" not in case.id]
    listed = [case.id for case in cases if _EXCEPTIONS.reason(case)]
    assert len(listed) <= MOST_LISTED * len(cases), listed
