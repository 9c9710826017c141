"""From when on a cluster's report contains the job that was sent there."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.outcomes import COMPLETE, RUNNING, told
from argosy.api.objects.fleet.works import (
    FINISHED,
    ManifestCondition,
    SentWork,
    WorkResourceIdentifier,
    WorkStatus,
)
from argosy.api.objects.metadata import Condition
from argosy.placement.reserving.promises import Landing, landed

BEGAN = datetime(2026, 1, 5, 12, tzinfo=UTC)
CASES: dict[str, tuple[Condition | None, Landing]] = {
    "it waits in a queue": (None, Landing()),
    "some of its pods do not run yet": (
        Condition(FINISHED, "False", RUNNING, told(0, 0, 400, is_partial=True), last_transition_time=BEGAN),
        Landing()),
    "all of its pods run": (
        Condition(FINISHED, "False", RUNNING, told(0, 0, 400), last_transition_time=BEGAN),
        Landing(BEGAN, is_running=True)),
    "it has ended": (
        Condition(FINISHED, "True", COMPLETE, told(400, 0, 0), last_transition_time=BEGAN), Landing(is_over=True)),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_when_a_job_has_landed(case: str) -> None:
    condition, want = CASES[case]
    conditions = (condition,) if condition is not None else ()
    job = ManifestCondition(WorkResourceIdentifier(ordinal=0, kind="Job"), conditions)
    assert landed(Binding(), [SentWork(status=WorkStatus(manifest_conditions=(job,)))]) == want
