"""What a scheduling cycle looks at: ClusterQueues in their quota trees, flavors, and who holds what.

It is not a copy. A cycle tries things out on the live trees and takes each trial back (`nodes`: the opposite call
restores every number), so a snapshot costs nothing to make. Workloads that are taken out for a trial give their usage
back and are `out`; they stay among their ClusterQueue's, whose order would otherwise be made anew for every trial.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from argosy.api.objects.kueue.quotas import ResourceFlavor
from argosy.queueing.cache.clusterqueues import CachedQueue
from argosy.queueing.quotas.amounts import FlavorResource
from argosy.queueing.workloads.infos import Info


@dataclass(slots=True)
class Snapshot:
    """Active ClusterQueues by name, flavors by name, and the names of ClusterQueues that are not active.

    `out` are the keys of the workloads that hold nothing for the time of a trial.
    """

    queues: Mapping[str, CachedQueue]
    flavors: Mapping[str, ResourceFlavor]
    inactive: frozenset[str] = field(default_factory=frozenset)
    out: set[str] = field(default_factory=set)

    def add(self, info: Info) -> None:
        """A workload holds what its `usage` says."""
        queue = self.queues[info.cluster_queue]
        queue.workloads[info.key] = info
        queue.node.add(info.usage)

    def remove(self, info: Info) -> None:
        """The opposite of `add`."""
        queue = self.queues[info.cluster_queue]
        del queue.workloads[info.key]
        queue.node.remove(info.usage)

    def take_out(self, info: Info) -> None:
        """As if a workload held nothing, until it is put back."""
        self.out.add(info.key)
        self.queues[info.cluster_queue].node.remove(info.usage)

    def put_back(self, info: Info) -> None:
        """The opposite of `take_out`."""
        self.out.remove(info.key)
        self.queues[info.cluster_queue].node.add(info.usage)

    @contextmanager
    def without(self, infos: Iterable[Info]) -> Iterator[None]:
        """As if these workloads held nothing."""
        taken = list(infos)
        for info in taken:
            self.take_out(info)
        try:
            yield
        finally:
            for info in reversed(taken):
                self.put_back(info)

    @contextmanager
    def using(self, queue: str, usage: Mapping[FlavorResource, int]) -> Iterator[None]:
        """As if this much more were used in a ClusterQueue."""
        node = self.queues[queue].node
        node.add(usage)
        try:
            yield
        finally:
            node.remove(usage)
