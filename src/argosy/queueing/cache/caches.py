"""Everything that is used, by deltas: objects come and go, workloads get and lose quota, and the trees follow.

Two kinds of workloads hold quota: those whose object says so, and those the scheduler has just decided about, whose
object will say so once it is written. Either is counted once, under the ClusterQueue that its admission names, until
it is removed, whatever becomes of the ClusterQueue in between: one that comes back finds its workloads counted.

Invariant: the state equals that of a cache built anew from the same objects and workloads, in any order
(tests/unit/queueing/laws/test_rebuilding.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from argosy.api.objects.kueue.checks import AdmissionCheck, Topology
from argosy.api.objects.kueue.quotas import ClusterQueue, Cohort, ResourceFlavor
from argosy.queueing.cache.clusterqueues import (
    CachedQueue,
    groups_of,
    namespaces_of,
    quotas_of,
    weight_of,
)
from argosy.queueing.cache.holders import Holders
from argosy.queueing.cache.holdings import Holdings
from argosy.queueing.cache.readiness import NOT_FOUND, Readiness, Surroundings, readiness
from argosy.queueing.cache.snapshots import Snapshot
from argosy.queueing.quotas.forest import Forest
from argosy.queueing.workloads.infos import Info


class Cache:
    """The state a scheduler decides on."""

    def __init__(self) -> None:
        self.forest: Final = Forest()
        self.flavors: Final[dict[str, ResourceFlavor]] = {}
        self.checks: Final[dict[str, AdmissionCheck]] = {}
        self.topologies: Final[dict[str, Topology]] = {}
        self.objects: Final[dict[str, ClusterQueue]] = {}
        self.cohorts: Final[dict[str, Cohort]] = {}
        # Workloads that hold quota, by key, and by ClusterQueue.
        self.workloads: Final[dict[str, Info]] = {}
        self._held: Final[dict[str, Holders]] = {}
        self.holdings: Final[dict[str, Holdings]] = {}
        self.local_holdings: Final[dict[str, Holdings]] = {}
        # Those whose pods are not all ready, admitted or still waiting for checks: for who admits one at a time.
        self.unready: Final[set[str]] = set()
        self._around: Final = Surroundings(self.flavors, self.checks, self.topologies)
        self._queues: dict[str, CachedQueue] = {}
        self._inactive: frozenset[str] = frozenset()
        self._judged: dict[str, Readiness] = {}
        self._version = -1
        self._changed = True

    # Objects.

    def put_flavor(self, flavor: ResourceFlavor) -> None:
        self.flavors[flavor.metadata.name] = flavor
        self._changed = True

    def drop_flavor(self, name: str) -> None:
        self.flavors.pop(name, None)
        self._changed = True

    def put_check(self, check: AdmissionCheck) -> None:
        self.checks[check.metadata.name] = check
        self._changed = True

    def drop_check(self, name: str) -> None:
        self.checks.pop(name, None)
        self._changed = True

    def put_topology(self, topology: Topology) -> None:
        self.topologies[topology.metadata.name] = topology
        self._changed = True

    def drop_topology(self, name: str) -> None:
        self.topologies.pop(name, None)
        self._changed = True

    def put_cohort(self, cohort: Cohort) -> bool:
        """A cohort is there or has changed; whether more than its status is new."""
        name, spec = cohort.metadata.name, cohort.spec
        old = self.cohorts.get(name)
        self.cohorts[name] = cohort
        if old is not None and old.spec == spec:
            return False
        self.forest.put_cohort(
            name,
            quotas_of(spec.resource_groups),
            parent=spec.parent_name,
            weight=weight_of(spec.fair_sharing.weight if spec.fair_sharing else None),
        )
        return True

    def drop_cohort(self, name: str) -> None:
        if self.cohorts.pop(name, None) is not None:
            self.forest.drop_cohort(name)

    def put_cluster_queue(self, queue: ClusterQueue) -> bool:
        """A ClusterQueue is there or has changed; whether more than its status is new.

        What its workloads hold stays counted.
        """
        name, spec = queue.metadata.name, queue.spec
        old = self.objects.get(name)
        self.objects[name] = queue
        if old is not None and _is_alike(old, queue):
            return False
        self._changed = True
        self.forest.put_cluster_queue(
            name,
            quotas_of(spec.resource_groups),
            cohort=spec.cohort_name,
            weight=weight_of(spec.fair_sharing.weight if spec.fair_sharing else None),
        )
        if old is None:
            for info in self.holders(name):
                self.forest.add(name, info.usage)
        return True

    def drop_cluster_queue(self, name: str) -> None:
        """A ClusterQueue is gone; what its workloads hold counts nowhere until it is back."""
        if self.objects.pop(name, None) is not None:
            self.forest.drop_cluster_queue(name)
            self._changed = True

    # Workloads that hold quota.

    def add_workload(self, info: Info) -> None:
        """A workload holds quota, or holds another amount than before."""
        self.remove_workload(info.key)
        queue = info.cluster_queue
        self.workloads[info.key] = info
        self._held.setdefault(queue, Holders())[info.key] = info
        self.holdings.setdefault(queue, Holdings()).add(info)
        self.local_holdings.setdefault(info.local_queue, Holdings()).add(info)
        if queue in self.objects:
            self.forest.add(queue, info.usage)
        if not info.obj.holds("PodsReady"):
            self.unready.add(info.key)

    def remove_workload(self, key: str) -> Info | None:
        """A workload holds nothing any more. Returns what it held."""
        info = self.workloads.pop(key, None)
        if info is None:
            return None
        queue = info.cluster_queue
        del self._held[queue][key]
        self.holdings[queue].remove(info)
        self.local_holdings[info.local_queue].remove(info)
        self.unready.discard(key)
        if queue in self.objects:
            self.forest.remove(queue, info.usage)
        return info

    def holders(self, queue: str) -> Iterable[Info]:
        """The workloads that hold a ClusterQueue's quota."""
        return self._held[queue].values() if queue in self._held else ()

    # Looking.

    def readiness(self, name: str) -> Readiness:
        """Whether a ClusterQueue can admit workloads, and why not."""
        self._settle()
        return self._judged.get(name, NOT_FOUND)

    def snapshot(self) -> Snapshot:
        """What a cycle looks at: the live state."""
        self._settle()
        return Snapshot(self._queues, self.flavors, self._inactive)

    def _settle(self) -> None:
        """Judge and describe ClusterQueues anew, if anything but usage has changed."""
        self.forest.settle()
        if not self._changed and self._version == self.forest.version:
            return
        self._changed = False
        self._version = self.forest.version
        self._judged = {
            name: readiness(queue, self._around, is_frozen=self.forest.is_frozen(name))
            for name, queue in self.objects.items()
        }
        self._queues = {
            name: self._described(name) for name, judged in self._judged.items() if judged.is_active
        }
        self._inactive = frozenset(self._judged.keys() - self._queues.keys())

    def _described(self, name: str) -> CachedQueue:
        queue = self.objects[name]
        node = self.forest.cluster_queue(name)
        if node is None:
            raise RuntimeError(f"ClusterQueue {name} is active and in no tree")
        return CachedQueue(
            name,
            groups_of(queue.spec.resource_groups),
            queue.spec.preemption,
            queue.spec.flavor_fungibility,
            namespaces_of(queue),
            queue.spec.queueing_strategy,
            node,
            self._held.setdefault(name, Holders()),
        )


def _is_alike(old: ClusterQueue, new: ClusterQueue) -> bool:
    """Whether nothing but a status has changed: that is written often, and by this program."""
    was, is_ = old.metadata.deletion_timestamp, new.metadata.deletion_timestamp
    return old.spec == new.spec and (was is None) == (is_ is None)
