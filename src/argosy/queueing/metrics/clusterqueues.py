"""ClusterQueues as the engine knows them when somebody reads: what waits, what holds quota, quotas, shares.

Who waits in a ClusterQueue that cannot admit is inadmissible, wherever it stands in line. Quotas and usage by flavor
and resource are many series, and shown only where the configuration asks for them; a limit that is not set is +Inf.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Final

from argosy.base.metrics import Labels, Registry
from argosy.queueing.cache.holdings import Holdings
from argosy.queueing.cache.readiness import Readiness
from argosy.queueing.cycles.engines import Engine
from argosy.queueing.metrics.families import ROLE, gauge, units
from argosy.queueing.queues.pending import PendingQueue
from argosy.queueing.queues.tallies import Tally
from argosy.queueing.quotas.nodes import Node
from argosy.queueing.quotas.shares import share_of

_STATUSES: Final = ("pending", "active", "terminating")
_NOTHING: Final = Holdings()
_FLAVOR: Final = ("cohort", "cluster_queue", "flavor", "resource")


class ClusterQueueGauges:
    """What waits in ClusterQueues and what runs on them."""

    def __init__(self, registry: Registry, engine: Engine) -> None:
        self._engine = engine
        queue, by_status = ("cluster_queue",), ("cluster_queue", "status")
        self._pending = gauge(registry, "pending_workloads", "Workloads that wait.", by_status)
        self._hashes = gauge(
            registry,
            "pending_scheduling_hashes",
            "Different shapes of workloads that wait.",
            by_status,
        )
        self._status = gauge(
            registry, "cluster_queue_status", "1 for the status the ClusterQueue has.", by_status
        )
        self._reserving = gauge(
            registry, "reserving_active_workloads", "Workloads that hold quota.", queue
        )
        self._admitted = gauge(
            registry, "admitted_active_workloads", "Workloads that are admitted.", queue
        )
        self._info = gauge(
            registry,
            "cluster_queue_info",
            "1, by the cohorts above the ClusterQueue.",
            (*queue, "parent_cohort", "root_cohort"),
        )
        registry.refresh(self._refresh)

    def _refresh(self) -> None:
        pending: dict[Labels, float] = {}
        hashes: dict[Labels, float] = {}
        status: dict[Labels, float] = {}
        reserving: dict[Labels, float] = {}
        admitted: dict[Labels, float] = {}
        info: dict[Labels, float] = {}
        cache = self._engine.cache
        for name in cache.objects:
            judged, waiting = cache.readiness(name), self._engine.queues.cluster_queue(name)
            holdings = cache.holdings.get(name, _NOTHING)
            pending |= by_status((name,), tally(waiting, judged))
            hashes |= by_status((name,), shapes(waiting, judged))
            for one in _STATUSES:
                status[name, one, ROLE] = one == _status(judged)
            reserving[name, ROLE] = holdings.reserving
            admitted[name, ROLE] = holdings.admitted
            node = cache.forest.cluster_queue(name)
            if node is not None:
                info[name, *above(node), ROLE] = 1
        self._pending.replace(pending)
        self._hashes.replace(hashes)
        self._status.replace(status)
        self._reserving.replace(reserving)
        self._admitted.replace(admitted)
        self._info.replace(info)


class QuotaGauges:
    """Quotas of ClusterQueues and what of them is reserved, used and wanted."""

    def __init__(self, registry: Registry, engine: Engine) -> None:
        self._engine = engine
        texts = {
            "nominal_quota": "The nominal quota.",
            "borrowing_limit": "How much may be borrowed.",
            "lending_limit": "How much may be lent.",
            "resource_reservation": "What workloads hold.",
            "resource_usage": "What admitted workloads hold.",
        }
        self._gauges = {
            name: gauge(registry, f"cluster_queue_{name}", text, _FLAVOR)
            for name, text in texts.items()
        }
        self._wanted = gauge(
            registry,
            "cluster_queue_resource_pending",
            "What workloads that wait ask for.",
            ("cluster_queue", "resource"),
        )
        registry.refresh(self._refresh)

    def _refresh(self) -> None:
        found: dict[str, dict[Labels, float]] = {name: {} for name in self._gauges}
        wanted: dict[Labels, float] = {}
        for name in self._engine.cache.objects:
            node = self._engine.cache.forest.cluster_queue(name)
            if node is not None:
                for where, values in self._amounts(name, node):
                    for family, value in values.items():
                        found[family][where] = value
            wanted |= self._pending(name)
        for family, values_of in found.items():
            self._gauges[family].replace(values_of)
        self._wanted.replace(wanted)

    def _amounts(self, name: str, node: Node) -> Iterator[tuple[Labels, Mapping[str, float]]]:
        cohort = node.parent.name if node.parent is not None else ""
        holdings = self._engine.cache.holdings.get(name, _NOTHING)
        for where, quota in node.quotas.items():
            flavor, resource = where
            yield (
                (cohort, name, flavor, resource, ROLE),
                {
                    "nominal_quota": units(resource, quota.nominal),
                    "borrowing_limit": _limit(resource, quota.borrowing_limit),
                    "lending_limit": _limit(resource, quota.lending_limit),
                    "resource_reservation": units(resource, holdings.reserved.get(where, 0)),
                    "resource_usage": units(resource, holdings.used.get(where, 0)),
                },
            )

    def _pending(self, name: str) -> dict[Labels, float]:
        """What waits wants, and nothing of every other resource the ClusterQueue has."""
        groups = self._engine.cache.objects[name].spec.resource_groups
        total = dict.fromkeys((one for group in groups for one in group.covered_resources), 0)
        for info in self._engine.queues.cluster_queue(name) or ():
            for pod_set in info.total_requests:
                for resource, value in pod_set.requests.items():
                    total[resource] = total.get(resource, 0) + value
        return {(name, one, ROLE): units(one, value) for one, value in total.items()}


class ClusterQueueShares:
    """Fair sharing: how much of what can be lent a ClusterQueue has borrowed."""

    def __init__(self, registry: Registry, engine: Engine) -> None:
        self._forest = engine.cache.forest
        self._queues = engine.cache.objects
        self._shares = gauge(
            registry,
            "cluster_queue_weighted_share",
            "What is borrowed in thousandths of what can be lent, by weight; NaN without a weight.",
            ("cluster_queue", "cohort"),
        )
        registry.refresh(self._refresh)

    def _refresh(self) -> None:
        nodes = (self._forest.cluster_queue(name) for name in self._queues)
        self._shares.replace(
            {
                (node.name, node.parent.name if node.parent else "", ROLE): weighted_share(node)
                for node in nodes
                if node is not None
            }
        )


def by_status(labels: Labels, tally: Tally) -> dict[Labels, float]:
    return {
        (*labels, "active", ROLE): tally.active,
        (*labels, "inadmissible", ROLE): tally.inadmissible,
    }


def tally(waiting: PendingQueue | None, judged: Readiness) -> Tally:
    if waiting is None:
        return Tally(0, 0)
    return settled(Tally(waiting.active, waiting.inadmissible), is_active=judged.is_active)


def shapes(waiting: PendingQueue | None, judged: Readiness) -> Tally:
    if waiting is None:
        return Tally(0, 0)
    if judged.is_active:
        return waiting.shapes()
    return Tally(0, len({info.scheduling_hash for info in waiting}))


def settled(tally: Tally, *, is_active: bool) -> Tally:
    """Nobody is to be looked at in a ClusterQueue that cannot admit."""
    return tally if is_active else Tally(0, sum(tally))


def above(node: Node) -> tuple[str, str]:
    """The cohort above a node, and the topmost one."""
    return ("", "") if node.parent is None else (node.parent.name, node.root.name)


def weighted_share(node: Node) -> float:
    weighted = share_of(node).weighted
    return math.nan if math.isinf(weighted) else weighted


def _status(judged: Readiness) -> str:
    if judged.is_terminating:
        return "terminating"
    return "active" if judged.is_active else "pending"


def _limit(resource: str, value: int | None) -> float:
    return math.inf if value is None else units(resource, value)
