"""A log of which rows have changed, for readers that come by at their own pace.

A reader keeps a position. Old entries are dropped in bulk; a reader that is further behind, or that comes after the
rows were numbered anew, is told to read everything.
"""

from __future__ import annotations

from typing import Final

_KEPT: Final = 1 << 14


class ChangeLog:
    """Rows in the order in which they changed."""

    __slots__ = ("_dropped", "_rows")

    def __init__(self) -> None:
        self._rows: list[int] = []
        self._dropped = 0

    @property
    def position(self) -> int:
        """Where a reader that has just read everything stands."""
        return self._dropped + len(self._rows)

    def append(self, row: int) -> None:
        self._rows.append(row)
        if len(self._rows) > _KEPT:
            cut = _KEPT // 2
            del self._rows[:cut]
            self._dropped += cut

    def reset(self) -> None:
        """Every reader has to read everything again."""
        self._dropped = self.position + 1
        self._rows.clear()

    def since(self, position: int) -> set[int] | None:
        """The rows that changed after `position`; None: read everything."""
        start = position - self._dropped
        if start < 0:
            return None
        return set(self._rows[start:])
