"""Who holds what a workload waits for: the workloads that use the same resources of the same flavors in its quota tree,
and how few of them would have to end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

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
    that turn out not to be needed stay.
    """
    if not among or not needs or any(need.is_impossible for need in needs):
        return []

    def suffice(those: list[Holder]) -> bool:
        with _gone(cache, those):
            return all(node.available(need.where) >= need.requested for need in needs)

    small_first = sorted(among, key=lambda one: (sum(one.usage.values()), one.key))
    for holder in small_first:
        if suffice([holder]):
            return [holder]
    taken: list[Holder] = []
    for holder in sorted(among, key=lambda one: (-sum(one.usage.values()), one.key)):
        taken.append(holder)
        if suffice(taken):
            return _filled_back(taken, suffice)
    return []


def _filled_back(taken: list[Holder], suffice: Callable[[list[Holder]], bool]) -> list[Holder]:
    """Leave out those that are not needed, the largest first; the last one taken is."""
    for holder in taken[:-1]:
        rest = [one for one in taken if one is not holder]
        if suffice(rest):
            taken = rest
    return taken


@contextmanager
def _gone(cache: Cache, those: Iterable[Holder]) -> Iterator[None]:
    """As if these workloads held nothing, whether their ClusterQueue is active or not."""
    nodes = [(cache.forest.cluster_queue(one.info.cluster_queue), one.info.usage) for one in those]
    for node, usage in nodes:
        if node is not None:
            node.remove(usage)
    try:
        yield
    finally:
        for node, usage in nodes:
            if node is not None:
                node.add(usage)
