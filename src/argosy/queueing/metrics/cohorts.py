"""Cohorts as the engine knows them when somebody reads: quotas, reservations and workloads of their subtrees, shares.

Described or only named, every cohort of a tree is shown; those whose parents form a cycle are in no tree. What nobody
has or holds is left out. A cohort's reservations are all of its ClusterQueues', whether or not they are lent.
"""

from __future__ import annotations

from argosy.base.metrics import Labels, Registry
from argosy.queueing.cache.holdings import Holdings
from argosy.queueing.cycles.engines import Engine
from argosy.queueing.metrics.clusterqueues import above, weighted_share
from argosy.queueing.metrics.families import ROLE, gauge, units
from argosy.queueing.quotas.amounts import Usage, add
from argosy.queueing.quotas.nodes import Node


class CohortGauges:
    """`is_fair`: shares are shown, too."""

    def __init__(self, registry: Registry, engine: Engine, *, is_fair: bool) -> None:
        self._engine = engine
        where = ("cohort", "flavor", "resource")
        self._quota = gauge(
            registry, "cohort_subtree_quota", "The quota of the cohort's subtree.", where
        )
        self._reservations = gauge(
            registry,
            "cohort_subtree_resource_reservations",
            "What workloads of the cohort's subtree hold.",
            where,
        )
        self._admitted = gauge(
            registry,
            "cohort_subtree_admitted_active_workloads",
            "Workloads of the cohort's subtree that are admitted.",
            ("cohort",),
        )
        self._info = gauge(
            registry,
            "cohort_info",
            "1, by the cohorts above the cohort.",
            ("cohort", "parent_cohort", "root_cohort"),
        )
        self._shares = (
            gauge(
                registry,
                "cohort_weighted_share",
                "What is borrowed in thousandths of what can be lent, by weight; NaN without a weight.",
                ("cohort",),
            )
            if is_fair
            else None
        )
        registry.refresh(self._refresh)

    def _refresh(self) -> None:
        forest = self._engine.cache.forest
        nodes = [node for name in forest.cohorts() if (node := forest.cohort(name)) is not None]
        held = {node.name: self._holdings(node) for node in nodes}
        quotas: dict[Labels, float] = {}
        reservations: dict[Labels, float] = {}
        for node in nodes:
            layout = node.layout.flavor_resources
            quotas |= _shown(node.name, dict(zip(layout, node.subtree, strict=True)))
            reservations |= _shown(node.name, held[node.name].reserved)
        self._quota.replace(quotas)
        self._reservations.replace(reservations)
        self._admitted.replace({(name, ROLE): one.admitted for name, one in held.items()})
        self._info.replace({(node.name, *above(node), ROLE): 1 for node in nodes})
        if self._shares is not None:
            self._shares.replace({(node.name, ROLE): weighted_share(node) for node in nodes})

    def _holdings(self, node: Node) -> Holdings:
        """What all ClusterQueues below a cohort hold together."""
        total = Holdings()
        for leaf in node.leaves():
            one = self._engine.cache.holdings.get(leaf.name)
            if one is not None:
                total.admitted += one.admitted
                add(total.reserved, one.reserved)
        return total


def _shown(cohort: str, amounts: Usage) -> dict[Labels, float]:
    return {
        (cohort, flavor, resource, ROLE): units(resource, value)
        for (flavor, resource), value in amounts.items()
        if value > 0
    }
