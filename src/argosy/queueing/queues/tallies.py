"""How many workloads of each LocalQueue are where, and which of those in line look alike. Kept by deltas.

A workload in flight counts as active with its LocalQueue, but is no longer among those in line that look like another.
"""

from __future__ import annotations

from typing import NamedTuple

from argosy.queueing.workloads.infos import Info


class Tally(NamedTuple):
    """Counts of workloads to be looked at, and of parked ones."""

    active: int
    inadmissible: int


class Tallies:
    """Counts per LocalQueue, and the keys in line by scheduling hash."""

    __slots__ = ("_active", "_parked", "_shapes")

    def __init__(self) -> None:
        self._active: dict[str, int] = {}
        self._parked: dict[str, int] = {}
        self._shapes: dict[str, dict[str, None]] = {}

    def enter(self, info: Info) -> None:
        """A workload is in line."""
        _count(self._active, info.local_queue, 1)
        self._shapes.setdefault(info.scheduling_hash, {})[info.key] = None

    def leave(self, info: Info) -> None:
        """A workload is in line no longer."""
        _count(self._active, info.local_queue, -1)
        self.unshape(info)

    def unshape(self, info: Info) -> None:
        """A workload is in flight."""
        alike = self._shapes[info.scheduling_hash]
        del alike[info.key]
        if not alike:
            del self._shapes[info.scheduling_hash]

    def land(self, info: Info) -> None:
        """A workload is in flight no longer."""
        _count(self._active, info.local_queue, -1)

    def enter_parking(self, info: Info) -> None:
        _count(self._parked, info.local_queue, 1)

    def leave_parking(self, info: Info) -> None:
        _count(self._parked, info.local_queue, -1)

    def of(self, local_queue: str) -> Tally:
        return Tally(self._active.get(local_queue, 0), self._parked.get(local_queue, 0))

    def in_line(self, scheduling_hash: str) -> list[str]:
        """The keys of a shape that are in line."""
        return list(self._shapes.get(scheduling_hash, ()))

    @property
    def shapes_in_line(self) -> int:
        return len(self._shapes)


def _count(counts: dict[str, int], local_queue: str, change: int) -> None:
    number = counts.get(local_queue, 0) + change
    if number:
        counts[local_queue] = number
    else:
        del counts[local_queue]
