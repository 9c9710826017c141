"""The workloads that hold a ClusterQueue's quota, by key and in the order in which they would have to go.

Victims are looked for all the time, and who holds quota changes now and then: so the order is kept by deltas, an
insertion per change, and a search sorts nothing but for the first one: where nobody ever looks, nothing is ordered.
Evicted workloads come first, they cost nothing; then lower
priorities, then those that hold quota for the shortest time; at last uid and key, so that the order never depends on
how workloads are stored.

A workload without a date of its reservation counts as reserved now, whenever that is: such ones are kept apart and put
in their places when somebody asks. Invariant: the order equals that of the same workloads sorted from scratch
(tests/unit/queueing/cache/test_holders.py).
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator, MutableMapping, Sequence
from operator import attrgetter
from typing import Final, NamedTuple, TypeAlias

from argosy.queueing.workloads.infos import Info

# Not evicted, priority, seconds since the reservation (negative: newer first), uid, key.
Rank: TypeAlias = tuple[bool, int, float, str, str]


class Holder(NamedTuple):
    """A workload and its place among all that hold quota. No two have the same rank."""

    rank: Rank
    info: Info


BY_RANK: Final = attrgetter("rank")


def rank_of(info: Info, now: float) -> Rank:
    is_evicted, since = info.standing
    return not is_evicted, info.priority, -(now if since is None else since), info.uid, info.key


class Holders(MutableMapping[str, Info]):
    """Infos by key. `version` is another one after every change."""

    __slots__ = ("_infos", "_order", "_undated", "version")

    def __init__(self) -> None:
        self._infos: Final[dict[str, Info]] = {}
        # Those with a date, from the first time that somebody asks for the order.
        self._order: list[Holder] | None = None
        # The keys of those without a date.
        self._undated: Final[set[str]] = set()
        self.version = 0

    def __getitem__(self, key: str) -> Info:
        return self._infos[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._infos)

    def __len__(self) -> int:
        return len(self._infos)

    def __setitem__(self, key: str, info: Info) -> None:
        if key in self._infos:
            del self[key]
        self._infos[key] = info
        self.version += 1
        if not _is_dated(info):
            self._undated.add(key)
        elif self._order is not None:
            insort(self._order, Holder(rank_of(info, 0.0), info), key=BY_RANK)

    def __delitem__(self, key: str) -> None:
        info = self._infos.pop(key)
        self.version += 1
        if not _is_dated(info):
            self._undated.remove(key)
        elif self._order is not None:
            del self._order[bisect_left(self._order, rank_of(info, 0.0), key=BY_RANK)]

    @property
    def is_timeless(self) -> bool:
        """Whether the order is the same at any time."""
        return not self._undated

    def in_order(self, now: float) -> Sequence[Holder]:
        """All of them, the first to go first. Not to be kept: it may be the live one."""
        if self._order is None:
            dated = (each for key, each in self._infos.items() if key not in self._undated)
            self._order = sorted((Holder(rank_of(each, 0.0), each) for each in dated), key=BY_RANK)
        if not self._undated:
            return self._order
        infos = (self._infos[key] for key in self._undated)
        undated = [Holder(rank_of(info, now), info) for info in infos]
        return sorted([*self._order, *undated], key=BY_RANK)


def _is_dated(info: Info) -> bool:
    return info.standing[1] is not None
