"""LocalQueues as the engine knows them when somebody reads: what waits, what holds quota and how much of what, whether
workloads can be submitted, and under admission fair sharing the figure that they are compared by.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from argosy.api.objects.kueue.localqueues import LocalQueue
from argosy.base.metrics import Gauge, Labels, Registry
from argosy.queueing.cache.holdings import Holdings
from argosy.queueing.controllers.statuses import local_queue_readiness
from argosy.queueing.cycles.engines import Engine
from argosy.queueing.metrics.clusterqueues import by_status, settled
from argosy.queueing.metrics.families import ROLE, gauge, units
from argosy.queueing.metrics.twins import LOCAL, Shows
from argosy.queueing.quotas.amounts import FlavorResource, Usage

_NOTHING: Final = Holdings()


class LocalQueueGauges:
    """`shows`: which of the LocalQueues have metrics of their own."""

    def __init__(
        self, registry: Registry, engine: Engine, local_queues: Iterable[LocalQueue], shows: Shows
    ) -> None:
        self._engine = engine
        self._local_queues = local_queues
        self._shows = shows

        def family(name: str, help_text: str, *labels: str) -> Gauge:
            return gauge(registry, f"local_queue_{name}", help_text, (*LOCAL, *labels))

        where = ("flavor", "resource")
        self._pending = family("pending_workloads", "Workloads that wait.", "status")
        self._reserving = family("reserving_active_workloads", "Workloads that hold quota.")
        self._admitted = family("admitted_active_workloads", "Workloads that are admitted.")
        self._status = family(
            "status", "1 for whether workloads can be submitted to the LocalQueue.", "active"
        )
        self._reservations = family("resource_reservation", "What workloads hold.", *where)
        self._usage = family("resource_usage", "What admitted workloads hold.", *where)
        self._shares = (
            family("admission_fair_sharing_usage", "What was used lately, by weight.")
            if engine.queues.fair_sharing is not None
            else None
        )
        registry.refresh(self._refresh)

    def _refresh(self) -> None:
        shown = [
            queue
            for queue in self._local_queues
            if self._shows(queue.metadata.namespace, queue.metadata.name)
        ]
        self._tell_workloads(shown)
        self._tell_amounts(shown)
        if self._shares is not None:
            self._shares.replace(
                {
                    (*_labels(queue), ROLE): self._engine.queues.ledger.usage(_key(queue))
                    for queue in shown
                    if self._is_compared(queue)
                }
            )

    def _tell_workloads(self, shown: Iterable[LocalQueue]) -> None:
        pending: dict[Labels, float] = {}
        status: dict[Labels, float] = {}
        reserving: dict[Labels, float] = {}
        admitted: dict[Labels, float] = {}
        for queue in shown:
            labels, key = _labels(queue), _key(queue)
            judged = self._engine.cache.readiness(queue.spec.cluster_queue)
            tally = settled(self._engine.queues.tally(key), is_active=judged.is_active)
            pending |= by_status(labels, tally)
            holdings = self._engine.cache.local_holdings.get(key, _NOTHING)
            reserving[*labels, ROLE] = holdings.reserving
            admitted[*labels, ROLE] = holdings.admitted
            exists = queue.spec.cluster_queue in self._engine.cache.objects
            now = local_queue_readiness(queue, exists=exists, is_active=judged.is_active)
            for value in ("True", "False", "Unknown"):
                status[*labels, value, ROLE] = value == str(now.is_active)
        self._pending.replace(pending)
        self._status.replace(status)
        self._reserving.replace(reserving)
        self._admitted.replace(admitted)

    def _tell_amounts(self, shown: Iterable[LocalQueue]) -> None:
        reservations: dict[Labels, float] = {}
        usage: dict[Labels, float] = {}
        for queue in shown:
            holdings = self._engine.cache.local_holdings.get(_key(queue), _NOTHING)
            quotas = self._quotas(queue.spec.cluster_queue)
            reservations |= _amounts(_labels(queue), quotas, holdings.reserved)
            usage |= _amounts(_labels(queue), quotas, holdings.used)
        self._reservations.replace(reservations)
        self._usage.replace(usage)

    def _quotas(self, cluster_queue: str) -> Iterable[FlavorResource]:
        node = self._engine.cache.forest.cluster_queue(cluster_queue)
        return node.quotas if node is not None else ()

    def _is_compared(self, queue: LocalQueue) -> bool:
        """Whether its ClusterQueue orders workloads by what their LocalQueues used."""
        sharing = self._engine.queues.fair_sharing
        target = self._engine.cache.objects.get(queue.spec.cluster_queue)
        if sharing is None or target is None:
            return False
        return sharing.is_used_by(target.spec.admission_scope)


def _amounts(
    labels: tuple[str, str], places: Iterable[FlavorResource], held: Usage
) -> dict[Labels, float]:
    return {(*labels, *place, ROLE): units(place.resource, held.get(place, 0)) for place in places}


def _labels(queue: LocalQueue) -> tuple[str, str]:
    return queue.metadata.name, queue.metadata.namespace


def _key(queue: LocalQueue) -> str:
    return f"{queue.metadata.namespace}/{queue.metadata.name}"
