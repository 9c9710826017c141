"""The order of workloads that wait: the sticky one first, then higher priority, earlier time, smaller UID, and the key,
so that no two tie.

Replaced and removed entries stay in the heap until they come up or outnumber the live ones; an entry is live if its
rank is the one its key has now. Everything costs O(log n), amortized.

Laws, checked by tests/unit/queueing/queues/test_heaps.py: pops come in order, each put workload once.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from typing import TypeAlias

from argosy.queueing.workloads.infos import Info

Rank: TypeAlias = tuple[bool, int, float, str, str]
# Dead entries that are never worth a compaction.
_SPARE = 64


def rank_of(info: Info, *, is_sticky: bool = False) -> Rank:
    """Smaller goes first."""
    return (not is_sticky, -info.priority, info.order_time, info.uid, info.key)


class Heap:
    """All workloads in one order."""

    __slots__ = ("_entries", "_infos", "_ranks")

    def __init__(self) -> None:
        self._entries: list[Rank] = []
        self._ranks: dict[str, Rank] = {}
        self._infos: dict[str, Info] = {}

    def put(self, info: Info, *, is_sticky: bool = False) -> None:
        """Add a workload, or replace the one with its key."""
        key, rank = info.key, rank_of(info, is_sticky=is_sticky)
        self._infos[key] = info
        if self._ranks.get(key) != rank:
            self._ranks[key] = rank
            heappush(self._entries, rank)
            self._compact()

    def discard(self, key: str) -> Info | None:
        """Take a workload out, wherever it stands."""
        info = self._infos.pop(key, None)
        if info is not None:
            del self._ranks[key]
            self._compact()
        return info

    def pop(self) -> Info | None:
        """Take the first one out."""
        rank = self.first()
        if rank is None:
            return None
        heappop(self._entries)
        key = rank[-1]
        del self._ranks[key]
        return self._infos.pop(key)

    def first(self) -> Rank | None:
        """The rank of the first one."""
        while self._entries:
            rank = self._entries[0]
            if self._ranks.get(rank[-1]) == rank:
                return rank
            heappop(self._entries)
        return None

    def get(self, key: str) -> Info | None:
        return self._infos.get(key)

    def __len__(self) -> int:
        return len(self._infos)

    def __iter__(self) -> Iterator[Info]:
        return iter(self._infos.values())

    def _compact(self) -> None:
        if len(self._entries) > 2 * len(self._ranks) + _SPARE:
            self._entries = list(self._ranks.values())
            heapify(self._entries)
