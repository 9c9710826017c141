"""Feed the engine: every object of the cluster that admission depends on, as it changes, and wake the scheduler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from argosy.api.objects.kueue.checks import AdmissionCheck, Topology
from argosy.api.objects.kueue.localqueues import LocalQueue
from argosy.api.objects.kueue.quotas import ClusterQueue, Cohort, ResourceFlavor
from argosy.api.objects.kueue.workloads import Workload
from argosy.client.resources import (
    ADMISSION_CHECKS,
    CLUSTER_QUEUES,
    COHORTS,
    LOCAL_QUEUES,
    RESOURCE_FLAVORS,
    TOPOLOGIES,
    WORKLOADS,
    Resource,
)
from argosy.control.assemblies import Assembly
from argosy.queueing.cycles.engines import Engine

T = TypeVar(
    "T", ResourceFlavor, AdmissionCheck, Topology, Cohort, ClusterQueue, LocalQueue, Workload
)


class Feed:
    """Puts what informers see into an engine; `told` hears that something has changed."""

    def __init__(self, assembly: Assembly, engine: Engine, told: Callable[[], None]) -> None:
        self._assembly = assembly
        self._clock = assembly.clock
        self._told: Final = told
        self._workloads = assembly.informer(WORKLOADS, Workload)
        self._engine: Final = engine
        follow = self._follow
        follow(RESOURCE_FLAVORS, ResourceFlavor, engine.put_flavor, engine.drop_flavor)
        follow(ADMISSION_CHECKS, AdmissionCheck, engine.put_check, engine.drop_check)
        follow(TOPOLOGIES, Topology, engine.put_topology, engine.drop_topology)
        follow(COHORTS, Cohort, engine.put_cohort, engine.drop_cohort)
        follow(CLUSTER_QUEUES, ClusterQueue, engine.put_cluster_queue, engine.drop_cluster_queue)
        follow(LOCAL_QUEUES, LocalQueue, engine.put_local_queue, engine.drop_local_queue)
        follow(WORKLOADS, Workload, engine.put_workload, engine.drop_workload)

    def _follow(
        self,
        resource: Resource,
        kind: type[T],
        put: Callable[[T, float], None],
        drop: Callable[[str, float], None],
    ) -> None:
        def changed(old: T | None, new: T | None) -> None:
            now = self._clock.time()
            if new is not None:
                put(new, now)
            elif old is not None:
                meta = old.metadata
                drop(f"{meta.namespace}/{meta.name}" if resource.namespaced else meta.name, now)
            self._told()

        self._assembly.informer(resource, kind).add_handler(changed)

    def namespace_changed(self, name: str) -> None:
        """A namespace has other labels or limits; the empty name is any."""
        now = self._clock.time()
        for (namespace, _), workload in self._workloads.items():
            if name in ("", namespace):
                self._engine.put_workload(workload, now)
        self._engine.flush_all(now)
        self._told()
