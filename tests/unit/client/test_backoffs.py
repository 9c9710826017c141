"""Back-off grows, is bounded, and repeats with its seed."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from argosy.client.backoffs import Backoff


@given(st.integers(0, 10_000), st.integers())
def test_bounds(failures: int, seed: int) -> None:
    backoff = Backoff(first=1, factor=2, most=30, jitter=0.5)
    got = backoff.delay(failures, random.Random(seed))
    plain = min(30, 2 ** min(failures, 10))
    assert plain <= got <= plain * 1.5
    assert got == backoff.delay(failures, random.Random(seed))
