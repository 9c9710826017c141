"""The workloads of a cohort's borrowers in one order, kept from search to search.

The heads of a cohort's hundred ClusterQueues look for victims among the same workloads, and between two cycles few of
these change. So the order is worked out once per cohort and holds as long as nobody in it has changed; borrowers that
are new are put into it. It may therefore hold more than are asked for: who asks passes over the others.

What depends on more than the workloads themselves is not kept: the order by the usage of LocalQueues, and that of
workloads whose reservation has no date. Invariant: with the others passed over, it is what sorting all candidates anew
would give (tests/unit/queueing/preemption/test_pools.py).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Final

from argosy.queueing.cache.clusterqueues import CachedQueue
from argosy.queueing.cache.holders import BY_RANK, Holder, Holders, rank_of
from argosy.queueing.preemption.candidates import OTHER, UsageOf, merged, ranked


@dataclass(slots=True)
class _Pool:
    """Holders in order, and whose they are, at which version."""

    order: list[Holder] = field(default_factory=list)
    versions: dict[str, tuple[Holders, int]] = field(default_factory=dict)

    def add(self, queue: CachedQueue, now: float) -> None:
        holders = queue.workloads
        self.versions[queue.name] = holders, holders.version
        self.order += holders.in_order(now)


class Pools:
    """One order per name. What is remembered under a name should be of much the same ClusterQueues."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: Final[dict[str, _Pool]] = {}

    def in_order(
        self,
        name: str,
        queues: Collection[CachedQueue],
        now: float,
        usage_of: UsageOf | None = None,
    ) -> Sequence[Holder]:
        """The workloads of these ClusterQueues, and maybe of others, the first to go first."""
        if usage_of is not None:
            return _by_usage(queues, now, usage_of)
        if len(queues) == 1:
            (queue,) = queues
            return queue.workloads.in_order(now)
        if not all(queue.workloads.is_timeless for queue in queues):
            holders = (one for queue in queues for one in queue.workloads.in_order(now))
            return sorted(holders, key=BY_RANK)
        known = self._known.get(name)
        if known is None or any(_is_outdated(known, queue) for queue in queues):
            known = self._known[name] = _Pool()
        added = [queue for queue in queues if queue.name not in known.versions]
        for queue in added:
            known.add(queue, now)
        if added:
            # Runs that are in order already: what was there, and what every ClusterQueue brings.
            known.order.sort(key=BY_RANK)
        return known.order


def _is_outdated(pool: _Pool, queue: CachedQueue) -> bool:
    if queue.name not in pool.versions:
        return False
    holders, version = pool.versions[queue.name]
    return holders is not queue.workloads or version != holders.version


def _by_usage(queues: Collection[CachedQueue], now: float, usage_of: UsageOf) -> Sequence[Holder]:
    orders = [ranked(queue.workloads.values(), OTHER, now, usage_of) for queue in queues]
    return [Holder(rank_of(one.info, now), one.info) for one in merged(orders)]
