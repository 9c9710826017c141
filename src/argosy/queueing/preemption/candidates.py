"""Who goes first among workloads that may be preempted.

In one ClusterQueue they go by rank (`cache/holders`): the evicted first, then by priority and age. Of several, those of
other ClusterQueues go before the preemptor's own, but after whatever is evicted. Both engines rank like this.

With admission fair sharing the workloads of one ClusterQueue go by the usage of their LocalQueues before they go by
priority, largest first. That comparison means nothing between ClusterQueues, so each ClusterQueue's candidates are
ranked on their own and then merged by the head of each: the order is well defined even where usage and priority
disagree in a circle.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Final, NamedTuple, TypeAlias

from argosy.queueing.cache.holders import rank_of
from argosy.queueing.workloads.infos import Info

# The usage of a LocalQueue (namespace/name); none where its ClusterQueue does not order by usage.
UsageOf: TypeAlias = Callable[[str], float | None]

# A rank, with the group behind its first part.
Key: TypeAlias = tuple[bool, int, int, float, str, str]

OTHER: Final = 0
OWN: Final = 1


class Ranked(NamedTuple):
    """A candidate and its place; keys are in the order in which candidates go."""

    key: Key
    info: Info

    @property
    def is_evicted(self) -> bool:
        return not self.key[0]


def ranked(
    infos: Iterable[Info], group: int, now: float, usage_of: UsageOf | None = None
) -> list[Ranked]:
    """The candidates of one ClusterQueue in their order. `group` goes before priority: `OTHER` before `OWN`."""
    found = [Ranked(_key(info, group, now), info) for info in infos]
    if usage_of is None:
        found.sort(key=_BY_KEY)
    else:
        usages = {one.info.local_queue: usage_of(one.info.local_queue) for one in found}
        found.sort(
            key=lambda one: (one.key[0], -(usages[one.info.local_queue] or 0.0), one.key[1:])
        )
    return found


def merged(queues: Iterable[list[Ranked]]) -> Iterator[Ranked]:
    """The candidates of several ClusterQueues in one order, worked out as far as somebody looks."""
    return heapq.merge(*queues, key=_BY_KEY)


_BY_KEY: Final = attrgetter("key")


def _key(info: Info, group: int, now: float) -> Key:
    rank = rank_of(info, now)
    return rank[0], group, *rank[1:]
