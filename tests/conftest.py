"""Fixtures every layer's tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# In CI the same commit gives the same verdict; new examples are looked for wherever somebody works.
settings.register_profile(
    "argosy",
    deadline=None,
    max_examples=100,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("argosy")

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of contracts and fixtures beside the project; tests that need it skip where it is absent."""
    path = ROOT.parent / "shared"
    if not path.is_dir():
        pytest.skip("needs ../shared (upstream contracts and fixtures), which is not here")
    return path
