"""Upstream's own cases of conversion; `make conformance` runs them from any directory."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.api import load, run_conversion

FIXTURES = Path(__file__).parents[5] / "shared" / "fixtures" / "kueue-api"
CASES = list(load(FIXTURES, "conversion")) if FIXTURES.is_dir() else []


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['test']}: {case['name']}")
def test_conversion_is_upstreams(case: dict[str, object]) -> None:
    assert run_conversion(case) == []
