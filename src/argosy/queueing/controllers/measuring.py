"""Queueing of one cluster in numbers: its metrics put together, as the configuration wants them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from argosy.api.objects.kueue.localqueues import LocalQueue
from argosy.api.objects.kueue.workloads import Workload
from argosy.client.resources import LOCAL_QUEUES, WORKLOADS
from argosy.control.assemblies import Assembly
from argosy.queueing.configuration import Configuration
from argosy.queueing.cycles.engines import Engine
from argosy.queueing.metrics.clusterqueues import (
    ClusterQueueGauges,
    ClusterQueueShares,
    QuotaGauges,
)
from argosy.queueing.metrics.cohorts import CohortGauges
from argosy.queueing.metrics.lives import WorkloadMetrics
from argosy.queueing.metrics.localqueues import LocalQueueGauges
from argosy.queueing.metrics.scopes import scope_of
from argosy.queueing.metrics.standing import StandingGauges


def measure(assembly: Assembly, engine: Engine, configuration: Configuration) -> WorkloadMetrics:
    """Have everything shown that the engine knows; what happens to workloads is counted in what is returned."""
    registry, settings = assembly.metrics, configuration.metrics
    local_queues = assembly.informer(LOCAL_QUEUES, LocalQueue)

    def labels_of(namespace: str, name: str) -> Mapping[str, str] | None:
        queue = local_queues.get(namespace, name)
        return queue.metadata.labels if queue is not None else None

    def cluster_queue_of(namespace: str, name: str) -> str:
        queue = local_queues.get(namespace, name)
        return queue.spec.cluster_queue if queue is not None else ""

    def cohorts_of(cluster_queue: str) -> Iterable[str]:
        node = engine.cache.forest.cluster_queue(cluster_queue)
        return (one.name for one in node.path() if one.is_cohort) if node is not None else ()

    is_fair = configuration.fair_sharing is not None
    shows = scope_of(settings.local_queue_metrics, labels_of).includes
    ClusterQueueGauges(registry, engine)
    CohortGauges(registry, engine, is_fair=is_fair)
    LocalQueueGauges(registry, engine, local_queues, shows)
    StandingGauges(registry, assembly.informer(WORKLOADS, Workload), cluster_queue_of, shows)
    if is_fair:
        ClusterQueueShares(registry, engine)
    if settings.enable_cluster_queue_resources:
        QuotaGauges(registry, engine)
    return WorkloadMetrics(registry, shows=shows, cohorts_of=cohorts_of)
