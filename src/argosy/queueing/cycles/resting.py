"""When to rest: another cycle would look at the same heads and find the same.

That is so if nothing has changed since the last one, nothing was decided in it, and the heads are those of the time
before, all of them: one that was parked may have stood in the way of another. A head whose flavors are tried in turn
must have been through all of them since the heads are the same, from the first to the last, before it can rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from argosy.queueing.workloads.infos import LastAssignment


class Rest:
    """What is remembered of the cycles since something changed."""

    __slots__ = ("_began", "_ended", "_is_in_vain", "_looked_at", "_tried", "is_disturbed")

    def __init__(self) -> None:
        # Something has changed since the last cycle.
        self.is_disturbed = True
        self._is_in_vain = False
        self._looked_at: AbstractSet[str] = frozenset()
        # Heads that came to the end of their flavors in the last cycle; that began with the first since the heads are
        # the same; and that have been through all of them.
        self._ended: AbstractSet[str] = frozenset()
        self._began: AbstractSet[str] = frozenset()
        self._tried: AbstractSet[str] = frozenset()

    @property
    def is_due(self) -> bool:
        """Whether there is nothing to be found by another cycle."""
        return self._is_in_vain and not self.is_disturbed

    def begin(self) -> None:
        """A cycle begins."""
        if self.is_disturbed:
            self._forget()
        self.is_disturbed = False

    def decide(self) -> None:
        """Something was decided in a cycle."""
        self._forget()
        self._is_in_vain = False

    def look(
        self, looked_at: Mapping[str, LastAssignment | None], next_heads: AbstractSet[str]
    ) -> None:
        """Nothing was decided; these were looked at and got so far with their flavors, and those are the next."""
        ended = {
            key for key, last in looked_at.items() if last is None or not last.has_pending_flavors
        }
        if looked_at.keys() == self._looked_at:
            self._began |= self._ended
            self._tried |= self._began & ended
        else:
            self._forget()
            self._looked_at = frozenset(looked_at)
        self._ended = ended
        self._is_in_vain = next_heads == looked_at.keys() and next_heads <= self._tried

    def _forget(self) -> None:
        self._looked_at = self._ended = self._began = self._tried = frozenset()
