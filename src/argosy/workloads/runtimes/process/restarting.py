"""When a container that ended is started again: at once the first time, then after pauses that double. Pure.

The pause is 10 seconds, doubles with every run, and never exceeds 5 minutes; after a run of 10 minutes and more it
starts over. The figures are the kubelet's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

FIRST_SECONDS: Final = 10.0
LAST_SECONDS: Final = 300.0
FORGIVEN_SECONDS: Final = 600.0


@dataclass(slots=True)
class Backoff:
    """The pauses of one container."""

    first_seconds: float = FIRST_SECONDS
    _pause: float = 0.0

    def after(self, run_seconds: float) -> float:
        """The pause after a run of this length."""
        if run_seconds >= FORGIVEN_SECONDS:
            self._pause = 0.0
        pause = self._pause
        self._pause = min(pause * 2, LAST_SECONDS) if pause else self.first_seconds
        return pause


def go_seconds(seconds: float) -> str:
    """`10s`, `1m20s`, `5m0s`: how Go prints a duration of whole seconds."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}m{rest}s" if minutes else f"{rest}s"
