"""How long a finished Job is kept."""

from __future__ import annotations

from typing import Any

import pytest

from argosy.workloads.jobs.expiring import seconds_left
from tests.unit.workloads.jobs.builders import at, job

DONE = [{"type": "Complete", "status": "True", "lastTransitionTime": "2026-01-01T00:00:10Z"}]
FAILED = [
    {"type": "Suspended", "status": "False", "lastTransitionTime": "2026-01-01T00:00:01Z"},
    {"type": "Failed", "status": "True", "lastTransitionTime": "2026-01-01T00:00:12Z"},
]


@pytest.mark.parametrize(
    ("keep", "conditions", "want"),
    [
        (None, DONE, None),
        (60, [], None),
        (60, DONE, 50),
        (60, FAILED, 52),
        (0, DONE, 0),
        (5, DONE, 0),
    ],
)
def test_time_left(keep: int | None, conditions: list[dict[str, Any]], want: float | None) -> None:
    known = job({"conditions": conditions}, ttlSecondsAfterFinished=keep)
    assert seconds_left(known, at(20).timestamp()) == want
