"""Kueue's own cases, where they are at hand, one test per case; those that do not apply are listed with their reason."""

from __future__ import annotations

from typing import Final

import pytest

from tests.conformance.cases import DEFAULTS
from tests.conformance.running import Exceptions, Trial, concerns, run, trials

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
_TRIALS: Final = list(trials(DEFAULTS, observed=True))
_AT_HAND: Final = pytest.mark.skipif(
    not _TRIALS, reason="Kueue's cases (shared/fixtures/kueue, kueue-api) are not here"
)


@_AT_HAND
@pytest.mark.parametrize("trial", _TRIALS, ids=lambda trial: trial.id)
def test_case(trial: Trial) -> None:
    outcome = run(trial, _EXCEPTIONS)
    if outcome.listed:
        pytest.skip(outcome.listed)
    assert not outcome.differences, "\n".join(outcome.differences)


@_AT_HAND
def test_few_cases_are_listed() -> None:
    """Variants under other gates apart, which are not the behavior users meet."""
    ours = [one for one in _TRIALS if one.area in AREAS and not one.is_variant]
    listed = [one.id for one in ours if run(one, _EXCEPTIONS).listed]
    assert len(listed) <= MOST_LISTED * len(ours), listed


@_AT_HAND
def test_nothing_is_listed_in_vain() -> None:
    """Every area, test and case that is named is at hand; a gate or an input may only be in cases that are not."""
    idle = [
        one for one in _EXCEPTIONS.entries if not any(concerns(one, trial) for trial in _TRIALS)
    ]
    assert [one for one in idle if "gate" not in one and "input" not in one] == []
