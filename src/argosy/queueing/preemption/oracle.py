"""The oracle that flavor assignment asks: what would preemption do for one flavor and resource?

The same search as for the real thing, for one flavor's resource alone and regardless of topology; the answer is what
kind of victims there are and how far up the tree the workload would borrow once they are gone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from argosy.queueing.cache.clusterqueues import CachedQueue
from argosy.queueing.cache.snapshots import Snapshot
from argosy.queueing.flavors.assignments import Assignment, Possibility
from argosy.queueing.preemption.preempting import Preemptor, contested
from argosy.queueing.preemption.targets import Target
from argosy.queueing.quotas.amounts import FlavorResource
from argosy.queueing.workloads.infos import Info

# Requests, and those of them that are contested.
_Asked: TypeAlias = tuple[frozenset[tuple[FlavorResource, int]], frozenset[FlavorResource]]


@dataclass(slots=True, frozen=True)
class SearchingOracle:
    """An `Oracle` over a snapshot."""

    preemptor: Preemptor
    snapshot: Snapshot
    now: float
    # What was searched for and found, for who asks the same again while nothing has changed.
    _searched: dict[_Asked, list[Target]] = field(default_factory=dict)

    def simulate(
        self, queue: CachedQueue, info: Info, flavor_resource: FlavorResource, value: int
    ) -> tuple[Possibility, int]:
        """The possibility, and the borrowing height once the targets are gone."""
        requests, wanted = {flavor_resource: value}, frozenset((flavor_resource,))
        targets = self.preemptor.search(info, self.snapshot, requests, wanted, now=self.now)
        self._searched[frozenset(requests.items()), wanted] = targets
        with self.snapshot.without(target.info for target in targets):
            height, _ = queue.node.height_that_fits(flavor_resource, value)
        if not targets:
            return Possibility.NO_CANDIDATES, height
        if any(target.info.cluster_queue == queue.name for target in targets):
            return Possibility.PREEMPT, height
        return Possibility.RECLAIM, height

    def targets(self, info: Info, assignment: Assignment) -> list[Target]:
        """The targets of an assignment that this oracle was asked for; mostly they are known from that."""
        if self.preemptor.fits_topology is None:
            asked = frozenset(assignment.usage.items()), contested(assignment)
            known = self._searched.get(asked)
            if known is not None:
                return known
        return self.preemptor.targets(info, assignment, self.snapshot, now=self.now)
