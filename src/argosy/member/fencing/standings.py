"""How an agent stands with its hub: for how long what the hub said last is still good. Pure.

A proof is as old as the heartbeat it came with, counted from when that was sent. Between two heartbeats the hub cannot
have given up anything whose proof had not run out when the second was answered: this is what makes them one.
Properties (tests/unit/member/fencing/test_standings.py): a fence never falls after the hub may act; a proof that holds
now has held ever since the Work was last read afresh.
"""

from __future__ import annotations

from argosy.api.objects.fleet.reschedules import fence_seconds


class Standing:
    """Times are of one monotonic clock, in seconds."""

    def __init__(self) -> None:
        self._sent: float | None = None
        self._is_proven = False

    @property
    def is_known(self) -> bool:
        """Whether it is known when the hub was last spoken to."""
        return self._sent is not None

    def recall(self, sent: float) -> None:
        """An agent before this one had spoken to the hub then. That keeps what runs, and starts nothing."""
        if self._sent is None:
            self._sent = sent

    def acknowledge(self, sent: float, now: float) -> float:
        """The hub has answered a heartbeat; for how long there was no proof of anything, in the worst case."""
        gap = now - self._sent if self._sent is not None else float("inf")
        self._sent = sent if self._sent is None else max(self._sent, sent)
        self._is_proven = True
        return gap

    def left(self, after: float, now: float) -> float:
        """How long what is to be given up after so many seconds may still run."""
        return self._sent + fence_seconds(after) - now if self._sent is not None else -float("inf")

    def holds(self, after: float, now: float) -> bool:
        """Whether something new may be started under these terms."""
        return self._is_proven and self.left(after, now) > 0
