"""Pods that come together are looked at together.

A Job makes its pods within seconds, and the scheduler says of one after the other that there is no node. Whoever
looked at the first of them would ask for too few machines, and the pool's interval would keep the rest waiting. So a
look waits until nobody has come for a moment; but a stream that never ends must not put it off, so not for long.
"""

from __future__ import annotations

from typing import Final

QUIET_SECONDS: Final = 1.0
_LONGEST_SECONDS: Final = 5.0


class Crowd:
    """Those who came since the last look."""

    __slots__ = ("_first", "_last")

    def __init__(self) -> None:
        self._first: float | None = None
        self._last = 0.0

    def joined(self, now: float) -> None:
        if self._first is None:
            self._first = now
        self._last = now

    def wait(self, now: float) -> float:
        """Seconds to wait for the rest; 0 when all are there, and then the next crowd begins."""
        if self._first is None:
            return 0.0
        left = min(self._last + QUIET_SECONDS, self._first + _LONGEST_SECONDS) - now
        if left <= 0:
            self._first = None
            return 0.0
        return left
