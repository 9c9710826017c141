"""Who holds what a workload waits for: the workloads that use the same resources of the same flavors in its quota tree,
and how few of them would have to end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Self

from argosy.api.objects.kueue.workloads import QUOTA_RESERVED
from argosy.queueing.cache.caches import Cache
from argosy.queueing.explaining.looks import Need
from argosy.queueing.quotas.amounts import FlavorResource, Usage
from argosy.queueing.quotas.nodes import Node
from argosy.queueing.workloads.infos import Info


@dataclass(slots=True, frozen=True)
class Holder:
    """A workload that holds some of it. `is_leaving`: it is evicted and holds its quota until its pods are gone."""

    info: Info
    usage: Usage
    since: datetime | None
    is_leaving: bool

    @property
    def key(self) -> str:
        return self.info.key


def holders(cache: Cache, node: Node, wanted: Iterable[FlavorResource]) -> list[Holder]:
    """All of the tree, those of the own ClusterQueue first, then the largest, the longest there, and by name."""
    places = sorted(set(wanted))
    found = []
    for leaf in node.root.leaves():
        for info in cache.holders(leaf.name):
            usage = {where: info.usage[where] for where in places if info.usage.get(where)}
            if usage:
                reserved = info.obj.condition(QUOTA_RESERVED)
                since = reserved.last_transition_time if reserved is not None else None
                found.append(Holder(info, usage, since, info.obj.is_evicted))

    def order(one: Holder) -> tuple[bool, list[int], float, str]:
        amounts = [-one.usage.get(where, 0) for where in places]
        since = one.since.timestamp() if one.since is not None else 0.0
        return one.info.cluster_queue != node.name, amounts, since, one.key

    return sorted(found, key=order)


def fewest_that_suffice(
    cache: Cache, node: Node, needs: Sequence[Need], among: Sequence[Holder]
) -> list[Holder]:
    """Workloads whose end would make room for all needs, as few as it takes one after the other; none if even all
    would not.

    One alone is looked for first, the smallest that suffices. Else the largest go first until there is room, and those
    that turn out not to be needed stay. Linear in the number of workloads.
    """
    if not among or not needs or any(need.is_impossible for need in needs):
        return []

    def is_room() -> bool:
        return all(node.available(need.where) >= need.requested for need in needs)

    with _Trial(cache) as trial:
        for holder in sorted(among, key=lambda one: (sum(one.usage.values()), one.key)):
            trial.take_out(holder)
            if is_room():
                return [holder]
            trial.put_back(holder)
        for holder in sorted(among, key=lambda one: (-sum(one.usage.values()), one.key)):
            trial.take_out(holder)
            if is_room():
                return trial.without_the_needless(is_room)
    return []


class _Trial:
    """Workloads taken out for a moment, whether their ClusterQueue is active or not; all are back at the end."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._out: dict[str, Holder] = {}

    def take_out(self, holder: Holder) -> None:
        self._out[holder.key] = holder
        node = self._cache.forest.cluster_queue(holder.info.cluster_queue)
        if node is not None:
            node.remove(holder.info.usage)

    def put_back(self, holder: Holder) -> None:
        del self._out[holder.key]
        node = self._cache.forest.cluster_queue(holder.info.cluster_queue)
        if node is not None:
            node.add(holder.info.usage)

    def without_the_needless(self, is_room: Callable[[], bool]) -> list[Holder]:
        """Those that are out and have to be, each tried in the order they went; the last one has to."""
        for holder in list(self._out.values())[:-1]:
            self.put_back(holder)
            if not is_room():
                self.take_out(holder)
        return sorted(self._out.values(), key=lambda one: (-sum(one.usage.values()), one.key))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for holder in list(self._out.values()):
            self.put_back(holder)
