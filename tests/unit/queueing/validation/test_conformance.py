"""Upstream's own cases of what a write is told; `make conformance` runs them from any directory."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.api import load, run_validation

FIXTURES = Path(__file__).parents[5] / "shared" / "fixtures" / "kueue-api"
CASES = list(load(FIXTURES, "validation")) if FIXTURES.is_dir() else []


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['test']}: {case['name']}")
def test_validation_is_upstreams(case: dict[str, object]) -> None:
    assert run_validation(case) == []
