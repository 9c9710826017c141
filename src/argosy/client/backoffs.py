"""How long to wait before trying again: exponential, bounded, with jitter.

Jitter spreads the clients that one outage has made wait together. The random source is injected, so a
simulation repeats itself.
"""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Backoff:
    """`delay(n)` is first * factor^n, at most `most`, stretched by up to `jitter`."""

    first: float = 0.25
    factor: float = 2.0
    most: float = 30.0
    jitter: float = 0.5

    def delay(self, failures: int, source: random.Random) -> float:
        # The exponent is bounded because a float's is.
        plain = min(self.most, self.first * self.factor ** min(failures, 64))
        return plain * (1 + self.jitter * source.random())
