"""The workloads of a ClusterQueue in the order they are looked at, in groups that sleep and wake together.

Workloads of one shape fare alike. When one of them is found not to fit, all of its shape are put to sleep, and a flush
wakes all shapes, so neither may cost more for a thousand workloads than for one. A group is therefore a heap of one
shape's workloads, and the line is the groups that are awake: the first workload is the first of the group whose first
goes first. That is found by a heap of heads whose outdated entries are passed over.

With admission fair sharing the LocalQueue that used least goes first. A group is then of one LocalQueue, too, and the
choice among the groups is made when one is taken: usage changes all the time, and a change moves nothing.

A workload that deserves a look although its like do not stands in a group of its own. Everything costs O(log n) in the
workloads, amortized; sleeping and waking cost what there are groups (and, with fair sharing, taking one).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from typing import Final, NamedTuple

from argosy.queueing.queues.heaps import Heap, Rank, rank_of
from argosy.queueing.workloads.infos import Info


class _Name(NamedTuple):
    """What the workloads of a group have in common: the LocalQueue, where that counts, and the shape."""

    lane: str
    shape: str


class _Group:
    __slots__ = ("heap", "is_asleep", "local_queues", "name")

    def __init__(self, name: _Name, *, is_asleep: bool) -> None:
        self.name: Final = name
        self.heap: Final = Heap()
        self.is_asleep = is_asleep
        self.local_queues: Final[Counter[str]] = Counter()


class Line:
    """Workloads by key, awake and asleep. With `usage_of`, LocalQueues take turns by what they used."""

    def __init__(self, usage_of: Callable[[str], float] | None = None) -> None:
        self._usage_of = usage_of
        self._groups: dict[_Name, _Group] = {}
        self._group_of: dict[str, _Group] = {}
        self._asleep: set[str] = set()
        # The keys of those that stand alone, by shape.
        self._alone: dict[str, set[str]] = {}
        # The first of each group that is awake, among entries that are outdated.
        self._heads: list[tuple[Rank, _Name]] = []
        self._awake_tally: Final[Counter[str]] = Counter()
        self._asleep_tally: Final[Counter[str]] = Counter()
        self.awake = 0

    # Coming and going.

    def put(self, info: Info, *, is_sticky: bool = False, alone: bool = False) -> None:
        """Add a workload, or replace the one with its key; `alone` wakes it whatever its like do."""
        self.discard(info.key)
        shape = info.scheduling_hash
        if alone or not shape:
            self._alone.setdefault(shape, set()).add(info.key)
            shape = f"!{info.key}"
        name = _Name("" if self._usage_of is None else info.local_queue, shape)
        group = self._groups.get(name)
        if group is None:
            group = self._groups[name] = _Group(name, is_asleep=shape in self._asleep)
        group.heap.put(info, is_sticky=is_sticky)
        self._group_of[info.key] = group
        self._count(group, info.local_queue, 1)
        self._note(group)

    def discard(self, key: str) -> Info | None:
        """Take a workload out, wherever it stands."""
        group = self._group_of.pop(key, None)
        if group is None:
            return None
        info = group.heap.discard(key)
        if info is not None:
            self._left(group, info)
        return info

    def pop(self) -> Info | None:
        """Take the first one out that is awake."""
        group = self._next()
        info = group.heap.pop() if group is not None else None
        if group is None or info is None:
            return None
        del self._group_of[info.key]
        self._left(group, info)
        return info

    def head(self) -> str | None:
        """The key of the one that `pop` would take."""
        group = self._next()
        rank = group.heap.first() if group is not None else None
        return None if rank is None else rank[-1]

    def sleep(self, shape: str) -> None:
        """Put all workloads of a shape to sleep, and those that come."""
        if not shape:
            return
        self._asleep.add(shape)
        for key in list(self._alone.get(shape, ())):
            info = self.get(key)
            if info is not None:
                self.put(info)
        for group in self._groups.values() if self._usage_of else self._named(shape):
            if group.name.shape == shape:
                self._set(group, is_asleep=True)

    def wake(self) -> int:
        """Wake everybody. Returns how many slept."""
        slept = len(self._group_of) - self.awake
        self._asleep.clear()
        if slept:
            for group in self._groups.values():
                self._set(group, is_asleep=False)
        return slept

    # Looking.

    def get(self, key: str) -> Info | None:
        group = self._group_of.get(key)
        return None if group is None else group.heap.get(key)

    def is_asleep(self, key: str) -> bool:
        group = self._group_of.get(key)
        return group is not None and group.is_asleep

    def sleeps(self, shape: str) -> bool:
        """Whether workloads of a shape are put to sleep as they come."""
        return shape in self._asleep

    @property
    def asleep(self) -> int:
        return len(self._group_of) - self.awake

    def tally(self, local_queue: str) -> tuple[int, int]:
        """How many workloads of a LocalQueue are awake and asleep."""
        return self._awake_tally[local_queue], self._asleep_tally[local_queue]

    def shapes(self, *, asleep: bool) -> set[str]:
        """The scheduling hashes of the workloads that are asleep, or of those that are awake."""
        return {
            next(iter(group.heap)).scheduling_hash
            for group in self._groups.values()
            if group.is_asleep is asleep
        }

    def infos(self, *, asleep: bool) -> Iterator[Info]:
        """The workloads that are asleep, or those that are awake, in no order."""
        for group in self._groups.values():
            if group.is_asleep is asleep:
                yield from group.heap

    def sleeping_local_queues(self) -> set[str]:
        """The LocalQueues of the workloads that are asleep."""
        return {name for name, count in self._asleep_tally.items() if count}

    def place(self, info: Info, *, is_sticky: bool = False) -> tuple[float, Rank]:
        """What to sort workloads by that are not all awake."""
        usage = 0.0 if self._usage_of is None else self._usage_of(info.local_queue)
        return usage, rank_of(info, is_sticky=is_sticky)

    # Within.

    def _named(self, shape: str) -> tuple[_Group, ...]:
        group = self._groups.get(_Name("", shape))
        return () if group is None else (group,)

    def _next(self) -> _Group | None:
        return self._first() if self._usage_of is None else self._first_by_usage(self._usage_of)

    def _first(self) -> _Group | None:
        while self._heads:
            rank, name = self._heads[0]
            group = self._groups.get(name)
            if group is not None and not group.is_asleep and group.heap.first() == rank:
                return group
            heappop(self._heads)
        return None

    def _first_by_usage(self, usage_of: Callable[[str], float]) -> _Group | None:
        best: tuple[float, Rank] | None = None
        found = None
        for group in self._groups.values():
            rank = None if group.is_asleep else group.heap.first()
            if rank is not None:
                order = (usage_of(group.name.lane), rank)
                if best is None or order < best:
                    best, found = order, group
        return found

    def _left(self, group: _Group, info: Info) -> None:
        """A workload is no longer in its group."""
        self._count(group, info.local_queue, -1)
        if group.name.shape.startswith("!"):
            self._alone[info.scheduling_hash].discard(info.key)
        if len(group.heap):
            self._note(group)
        else:
            del self._groups[group.name]

    def _note(self, group: _Group) -> None:
        """Have the first of a group found, if that is awake."""
        if self._usage_of is None and not group.is_asleep:
            rank = group.heap.first()
            if rank is not None:
                heappush(self._heads, (rank, group.name))
                self._compact()

    def _compact(self) -> None:
        if len(self._heads) > 4 * len(self._groups) + 64:
            self._heads = []
            for group in self._groups.values():
                rank = None if group.is_asleep else group.heap.first()
                if rank is not None:
                    heappush(self._heads, (rank, group.name))

    def _set(self, group: _Group, *, is_asleep: bool) -> None:
        if group.is_asleep is is_asleep:
            return
        for local_queue, count in group.local_queues.items():
            change = -count if is_asleep else count
            self._awake_tally[local_queue] += change
            self._asleep_tally[local_queue] -= change
            self.awake += change
        group.is_asleep = is_asleep
        self._note(group)

    def _count(self, group: _Group, local_queue: str, change: int) -> None:
        group.local_queues[local_queue] += change
        if group.is_asleep:
            self._asleep_tally[local_queue] += change
        else:
            self._awake_tally[local_queue] += change
            self.awake += change
