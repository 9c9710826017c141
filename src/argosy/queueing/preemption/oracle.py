"""The oracle that flavor assignment asks: what would preemption do for one flavor and resource?

The same search as for the real thing, for one flavor's resource alone and regardless of topology; the answer is what
kind of victims there are and how far up the tree the workload would borrow once they are gone.
"""

from __future__ import annotations

from dataclasses import dataclass

from argosy.queueing.cache.clusterqueues import CachedQueue
from argosy.queueing.cache.snapshots import Snapshot
from argosy.queueing.flavors.assignments import Possibility
from argosy.queueing.preemption.preempting import Preemptor
from argosy.queueing.quotas.amounts import FlavorResource
from argosy.queueing.workloads.infos import Info


@dataclass(slots=True, frozen=True)
class SearchingOracle:
    """An `Oracle` over a snapshot."""

    preemptor: Preemptor
    snapshot: Snapshot
    now: float

    def simulate(
        self, queue: CachedQueue, info: Info, flavor_resource: FlavorResource, value: int
    ) -> tuple[Possibility, int]:
        """The possibility, and the borrowing height once the targets are gone."""
        targets = self.preemptor.search(
            info,
            self.snapshot,
            {flavor_resource: value},
            frozenset((flavor_resource,)),
            now=self.now,
        )
        with self.snapshot.without(target.info for target in targets):
            height, _ = queue.node.height_that_fits(flavor_resource, value)
        if not targets:
            return Possibility.NO_CANDIDATES, height
        if any(target.info.cluster_queue == queue.name for target in targets):
            return Possibility.PREEMPT, height
        return Possibility.RECLAIM, height
