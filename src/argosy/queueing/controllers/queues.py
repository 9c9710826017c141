"""The statuses of ClusterQueues, LocalQueues and cohorts, and the end of queues, flavors and checks that were in use.

A status follows every workload that comes, is admitted or goes. Changes are gathered for a moment and written together:
a burst of a thousand admissions costs a queue a handful of writes. What is true is asked of the engine at that moment.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from argosy.api.objects.kueue.checks import AdmissionCheck, Topology
from argosy.api.objects.kueue.localqueues import LocalQueue
from argosy.api.objects.kueue.quotas import ClusterQueue, Cohort, ResourceFlavor
from argosy.api.objects.kueue.workloads import Workload
from argosy.api.objects.metadata import ObjectMeta, View
from argosy.base.errors import NotFound
from argosy.base.types import Object
from argosy.client.objects import Key
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
from argosy.control.reconcilers import DONE, Result
from argosy.queueing.cache.holdings import Holdings, flavors_usage
from argosy.queueing.cache.readiness import flavors_of
from argosy.queueing.controllers.consuming import Consumptions
from argosy.queueing.controllers.finalizers import finalizers_after, finalizers_patch
from argosy.queueing.controllers.statuses import (
    Holding,
    cluster_queue_status,
    local_queue_readiness,
    local_queue_status,
)
from argosy.queueing.cycles.engines import Engine
from argosy.queueing.quotas.shares import share_of

# Changes of this long are written together.
_BATCH_SECONDS: Final = 1.0
_WORKERS: Final = 2
MANAGER: Final = "kueue"
_NONE: Final = Holdings()


class QueueStatuses:
    """Keeps the statuses of queues true; `is_fair`: with shares, `consumptions`: with what LocalQueues consumed."""

    def __init__(
        self,
        assembly: Assembly,
        engine: Engine,
        *,
        is_fair: bool,
        consumptions: Consumptions | None = None,
    ) -> None:
        self._client = assembly.client
        self._clock = assembly.clock
        self._engine = engine
        self._is_fair = is_fair
        self._consumptions = consumptions
        if consumptions is not None:
            consumptions.tell(self._look_at_local)
        self._cluster_queues = assembly.informer(CLUSTER_QUEUES, ClusterQueue)
        self._local_queues = assembly.informer(LOCAL_QUEUES, LocalQueue)
        self._cohorts = assembly.informer(COHORTS, Cohort)
        controller = assembly.controller
        self._dirty_queues = controller("clusterqueue_controller", self._queue, workers=_WORKERS)
        self._dirty_locals = controller("localqueue_controller", self._local, workers=_WORKERS)
        self._dirty_cohorts = controller("cohort_controller", self._cohort)
        assembly.informer(WORKLOADS, Workload).add_handler(self._workload_changed)
        self._cluster_queues.add_handler(self._queue_changed)
        self._local_queues.add_handler(self._local_changed)
        self._cohorts.add_handler(self._cohort_changed)
        # Whether queues are active depends on these.
        assembly.informer(RESOURCE_FLAVORS, ResourceFlavor).add_handler(self._reference_changed)
        assembly.informer(ADMISSION_CHECKS, AdmissionCheck).add_handler(self._reference_changed)
        assembly.informer(TOPOLOGIES, Topology).add_handler(self._reference_changed)

    # What is worth a look.

    def _look_at_local(self, key: Key) -> None:
        self._dirty_locals.add_after(key, _BATCH_SECONDS)

    def _workload_changed(self, old: Workload | None, new: Workload | None) -> None:
        for workload in (old, new):
            if workload is None:
                continue
            namespace, local = workload.metadata.namespace, workload.spec.queue_name
            self._look_at_local(Key(namespace, local))
            queue = self._local_queues.get(namespace, local)
            if queue is not None:
                self._mark(queue.spec.cluster_queue)
            if workload.status.admission is not None:
                self._mark(workload.status.admission.cluster_queue)

    def _mark(self, name: str) -> None:
        self._dirty_queues.add_after(name, _BATCH_SECONDS)
        if self._is_fair:
            self._mark_cohorts(name)

    def _mark_cohorts(self, name: str) -> None:
        node = self._engine.cache.forest.cluster_queue(name)
        for one in node.path() if node is not None else ():
            if one.is_cohort:
                self._dirty_cohorts.add_after(one.name, _BATCH_SECONDS)

    def _queue_changed(self, old: ClusterQueue | None, new: ClusterQueue | None) -> None:
        if old is None or new is None or _is_respecified(old, new):
            self._mark_everything()

    def _local_changed(self, _old: LocalQueue | None, new: LocalQueue | None) -> None:
        if new is not None:
            self._look_at_local(Key(*new.metadata.key))
            self._mark(new.spec.cluster_queue)

    def _cohort_changed(self, old: Cohort | None, new: Cohort | None) -> None:
        if old is None or new is None or old.spec != new.spec:
            self._mark_everything()

    def _reference_changed(self, _old: View | None, _new: View | None) -> None:
        self._mark_everything()

    def _mark_everything(self) -> None:
        """What queues refer to has changed, and with it, perhaps, whether any of them is active."""
        for queue in self._cluster_queues:
            self._mark(queue.metadata.name)
        for local in self._local_queues:
            self._look_at_local(Key(*local.metadata.key))

    # A look.

    async def _queue(self, name: str) -> Result:
        queue = self._cluster_queues.get("", name)
        if queue is None:
            return DONE
        is_used = any(True for _ in self._engine.cache.holders(name))
        await self._finalize(CLUSTER_QUEUES, queue.metadata, is_used=is_used)
        holdings = self._engine.cache.holdings.get(name, _NONE)
        groups, in_cohort = queue.spec.resource_groups, bool(queue.spec.cohort_name)
        pending = self._engine.queues.cluster_queue(name)
        holding = Holding(
            len(pending) if pending is not None else 0,
            holdings.reserving,
            holdings.admitted,
            flavors_usage(groups, holdings.reserved, with_borrowed=True, in_cohort=in_cohort),
            flavors_usage(groups, holdings.used, with_borrowed=True, in_cohort=in_cohort),
        )
        readiness = self._engine.cache.readiness(name)
        patch = cluster_queue_status(
            queue, readiness, holding, self._clock.now(), weighted_share=self._share(name)
        )
        await self._patch(CLUSTER_QUEUES, queue.metadata, patch)
        return DONE

    def _share(self, name: str) -> int | None:
        node = self._engine.cache.forest.cluster_queue(name) if self._is_fair else None
        return share_of(node).rounded() if node is not None else None

    async def _local(self, key: Key) -> Result:
        queue = self._local_queues.get(*key)
        if queue is None:
            return DONE
        name = f"{key.namespace}/{key.name}"
        target = self._cluster_queues.get("", queue.spec.cluster_queue)
        holdings = self._engine.cache.local_holdings.get(name, _NONE)
        groups = target.spec.resource_groups if target is not None else ()
        holding = Holding(
            sum(self._engine.queues.tally(name)),
            holdings.reserving,
            holdings.admitted,
            flavors_usage(groups, holdings.reserved, with_borrowed=False),
            flavors_usage(groups, holdings.used, with_borrowed=False),
        )
        is_active = self._engine.cache.readiness(queue.spec.cluster_queue).is_active
        readiness = local_queue_readiness(queue, exists=target is not None, is_active=is_active)
        consumed = self._consumptions.consumption(name) if self._consumptions else None
        patch = local_queue_status(
            queue, readiness, holding, self._clock.now(), consumption=consumed
        )
        await self._patch(LOCAL_QUEUES, queue.metadata, patch)
        return DONE

    async def _cohort(self, name: str) -> Result:
        cohort = self._cohorts.get("", name)
        node = self._engine.cache.forest.cohort(name)
        if cohort is None or node is None or not self._is_fair:
            return DONE
        share = share_of(node).rounded()
        said = cohort.status.fair_sharing
        if said is None or said.weighted_share != share:
            patch: Object = {"status": {"fairSharing": {"weightedShare": share}}}
            await self._patch(COHORTS, cohort.metadata, patch)
        return DONE

    async def _finalize(self, resource: Resource, meta: ObjectMeta, *, is_used: bool) -> None:
        patch = finalizers_patch(meta, finalizers_after(meta, is_used=is_used))
        if patch is not None:
            await self._send(resource, meta, patch, "")

    async def _patch(self, resource: Resource, meta: ObjectMeta, patch: Object | None) -> None:
        if patch is not None:
            await self._send(resource, meta, patch, "status")

    async def _send(
        self, resource: Resource, meta: ObjectMeta, patch: Object, subresource: str
    ) -> None:
        try:
            await self._client.patch(
                resource,
                meta.name,
                patch,
                namespace=meta.namespace or None,
                subresource=subresource,
                field_manager=MANAGER,
            )
        except NotFound:
            return


class InUse:
    """Keeps flavors, checks and topologies that are being deleted until nobody names them."""

    def __init__(self, assembly: Assembly) -> None:
        self._client = assembly.client
        self._queues = assembly.informer(CLUSTER_QUEUES, ClusterQueue)
        self._flavors = assembly.informer(RESOURCE_FLAVORS, ResourceFlavor)
        self._checks = assembly.informer(ADMISSION_CHECKS, AdmissionCheck)
        self._topologies = assembly.informer(TOPOLOGIES, Topology)
        self._dirty = assembly.controller("resource_in_use_controller", self._reconcile)
        self._queues.add_handler(self._queue_changed)
        self._flavors.add_handler(self._flavor_changed)
        self._checks.add_handler(lambda _, new: self._mark(ADMISSION_CHECKS, new))
        self._topologies.add_handler(lambda _, new: self._mark(TOPOLOGIES, new))

    def _mark(
        self, resource: Resource, obj: ResourceFlavor | AdmissionCheck | Topology | None
    ) -> None:
        if obj is not None:
            self._dirty.add((resource, obj.metadata.name))

    def _flavor_changed(self, old: ResourceFlavor | None, new: ResourceFlavor | None) -> None:
        self._mark(RESOURCE_FLAVORS, new)
        for flavor in (old, new):
            if flavor is not None and flavor.spec.topology_name:
                self._dirty.add((TOPOLOGIES, flavor.spec.topology_name))

    def _queue_changed(self, old: ClusterQueue | None, new: ClusterQueue | None) -> None:
        if old is not None and new is not None and old.spec == new.spec:
            return
        for queue in (old, new):
            if queue is not None:
                for name in flavors_of(queue):
                    self._dirty.add((RESOURCE_FLAVORS, name))
                for name in _checks_of(queue):
                    self._dirty.add((ADMISSION_CHECKS, name))

    async def _reconcile(self, key: tuple[Resource, str]) -> Result:
        resource, name = key
        found = self._object(resource, name)
        if found is None:
            return DONE
        is_used = any(self._is_named(resource, name))
        patch = finalizers_patch(found.metadata, finalizers_after(found.metadata, is_used=is_used))
        if patch is not None:
            try:
                await self._client.patch(resource, name, patch, field_manager=MANAGER)
            except NotFound:
                return DONE
        return DONE

    def _object(
        self, resource: Resource, name: str
    ) -> ResourceFlavor | AdmissionCheck | Topology | None:
        if resource == RESOURCE_FLAVORS:
            return self._flavors.get("", name)
        if resource == ADMISSION_CHECKS:
            return self._checks.get("", name)
        return self._topologies.get("", name)

    def _is_named(self, resource: Resource, name: str) -> Iterable[bool]:
        if resource == RESOURCE_FLAVORS:
            return (name in flavors_of(queue) for queue in self._queues)
        if resource == ADMISSION_CHECKS:
            return (name in _checks_of(queue) for queue in self._queues)
        return (flavor.spec.topology_name == name for flavor in self._flavors)


def _checks_of(queue: ClusterQueue) -> list[str]:
    return [rule.name for rule in queue.spec.admission_checks_strategy.admission_checks]


def _is_respecified(old: ClusterQueue, new: ClusterQueue) -> bool:
    return (
        old.spec != new.spec or old.metadata.deletion_timestamp != new.metadata.deletion_timestamp
    )
