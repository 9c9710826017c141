"""The order of a line, in two shapes with one interface: a heap, and lanes of heaps.

A `Heap` orders by rank: the sticky workload first, then higher priority, earlier time, smaller UID, and the key, so
that no two workloads tie. Replaced and removed entries stay in the list until they come up or outnumber the live
ones; an entry is live if its rank is the one its key has now. Everything costs O(log n), amortized.

`Lanes` are for admission fair sharing, where the LocalQueue that used least goes first: a heap per LocalQueue, and the
choice among their heads when one is taken. A LocalQueue's usage is the same for all its workloads, so the result is the
order by usage and then rank, and a change of usage moves nothing: no rebuilding, one comparison per LocalQueue.

Laws, checked by tests/unit/queueing/queues/test_heaps.py: pops come in order, each put workload once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heapify, heappop, heappush
from typing import Protocol, TypeAlias

from argosy.queueing.workloads.infos import Info

Rank: TypeAlias = tuple[bool, int, float, str, str]
# Dead entries that are never worth a compaction.
_SPARE = 64


def rank_of(info: Info, *, is_sticky: bool = False) -> Rank:
    """Smaller goes first."""
    return (not is_sticky, -info.priority, info.order_time, info.uid, info.key)


class Line(Protocol):
    """Workloads in order, by key."""

    def put(self, info: Info, *, is_sticky: bool = False) -> None: ...
    def discard(self, key: str) -> Info | None: ...
    def pop(self) -> Info | None: ...
    def head(self) -> str | None: ...
    def get(self, key: str) -> Info | None: ...
    def place(self, info: Info, *, is_sticky: bool = False) -> tuple[float, Rank]: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Info]: ...


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

    def head(self) -> str | None:
        """The key of the one that `pop` would take."""
        rank = self.first()
        return None if rank is None else rank[-1]

    def get(self, key: str) -> Info | None:
        return self._infos.get(key)

    def place(self, info: Info, *, is_sticky: bool = False) -> tuple[float, Rank]:
        """What to sort workloads by that are not all in the line."""
        return 0.0, rank_of(info, is_sticky=is_sticky)

    def __len__(self) -> int:
        return len(self._infos)

    def __iter__(self) -> Iterator[Info]:
        return iter(self._infos.values())

    def _compact(self) -> None:
        if len(self._entries) > 2 * len(self._ranks) + _SPARE:
            self._entries = list(self._ranks.values())
            heapify(self._entries)


class Lanes:
    """A heap per LocalQueue. `usage_of` says how much a LocalQueue used; it is asked whenever one is taken."""

    __slots__ = ("_lane_of", "_lanes", "_usage_of")

    def __init__(self, usage_of: Callable[[str], float]) -> None:
        self._usage_of = usage_of
        self._lanes: dict[str, Heap] = {}
        self._lane_of: dict[str, str] = {}

    def put(self, info: Info, *, is_sticky: bool = False) -> None:
        lane = info.local_queue
        if self._lane_of.get(info.key, lane) != lane:
            self.discard(info.key)
        self._lane_of[info.key] = lane
        heap = self._lanes.get(lane)
        if heap is None:
            heap = self._lanes[lane] = Heap()
        heap.put(info, is_sticky=is_sticky)

    def discard(self, key: str) -> Info | None:
        lane = self._lane_of.pop(key, None)
        if lane is None:
            return None
        info = self._lanes[lane].discard(key)
        self._sweep(lane)
        return info

    def pop(self) -> Info | None:
        key = self.head()
        if key is None:
            return None
        lane = self._lane_of.pop(key)
        info = self._lanes[lane].pop()
        self._sweep(lane)
        return info

    def head(self) -> str | None:
        if not self._lanes:
            return None
        _, rank = min(
            (self._usage_of(lane), rank)
            for lane, heap in self._lanes.items()
            if (rank := heap.first()) is not None
        )
        return rank[-1]

    def get(self, key: str) -> Info | None:
        lane = self._lane_of.get(key)
        return None if lane is None else self._lanes[lane].get(key)

    def place(self, info: Info, *, is_sticky: bool = False) -> tuple[float, Rank]:
        return self._usage_of(info.local_queue), rank_of(info, is_sticky=is_sticky)

    def __len__(self) -> int:
        return len(self._lane_of)

    def __iter__(self) -> Iterator[Info]:
        for heap in self._lanes.values():
            yield from heap

    def _sweep(self, lane: str) -> None:
        if not self._lanes[lane]:
            del self._lanes[lane]
