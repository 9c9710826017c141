"""Preemption by fair sharing: take from whoever has the largest share, as long as that makes things fairer.

The preemptor's usage is counted while shares are compared, and not while it is asked whether the workload fits. A
tournament (`tournaments`) names the ClusterQueue to take from next. Its own ClusterQueue gives its first candidate;
another one gives its first too if the preemptor stays within its nominal quota, because that quota is its due; else
the first one that passes the first strategy. What failed is tried once more by the second strategy, if there is
one, at most one victim a ClusterQueue. `borrowWithinCohort` has no say here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from argosy.queueing.preemption.candidates import OTHER, OWN, Ranked, ranked
from argosy.queueing.preemption.policies import NEVER
from argosy.queueing.preemption.searches import Removals, Search
from argosy.queueing.preemption.shares import Shares
from argosy.queueing.preemption.strategies import Strategy, less_than_initial_share, strategies_of
from argosy.queueing.preemption.targets import (
    IN_CLUSTER_QUEUE,
    IN_COHORT_FAIR_SHARING,
    IN_COHORT_RECLAMATION,
    Target,
)
from argosy.queueing.preemption.tournaments import Tournament
from argosy.queueing.quotas.nodes import Node
from argosy.queueing.quotas.shares import Share, share_of
from argosy.queueing.workloads.infos import Info


@dataclass(slots=True, frozen=True)
class FairSharing:
    """How fair sharing is configured. `reclaims_nominal`: within its nominal quota a preemptor need not compare."""

    strategies: tuple[Strategy, ...] = strategies_of(None)
    reclaims_nominal: bool = True


def fair_targets(search: Search, fair: FairSharing) -> list[Target]:
    """Whom to preempt; nobody where that would not make room."""
    found = _candidates(search)
    if not found or search.is_hopeless(info for infos in found.values() for info in infos):
        return []
    candidates = {
        node: ranked(infos, OWN if node is search.node else OTHER, search.now, search.usage_of)
        for node, infos in found.items()
    }
    with Removals(search) as removals:
        with search.snapshot.using(search.queue.name, search.requests):
            fits = _Sharing(search, removals, fair).finds(candidates)
        return removals.filled_back(may_borrow=True) if fits else []


def _candidates(search: Search) -> dict[Node, list[Info]]:
    """By ClusterQueue: the own, and all of the tree that borrow something contested."""
    policies = search.queue.preemption
    nodes = {search.node: policies.within_cluster_queue}
    if search.node.parent is not None:
        for node in search.node.root.leaves():
            if node is not search.node and not search.is_within_nominal(node):
                nodes[node] = policies.reclaim_within_cohort
    found: dict[Node, list[Info]] = {}
    for node, policy in nodes.items():
        queue = search.snapshot.queues.get(node.name)
        if queue is None or policy == NEVER:
            continue
        infos = search.candidates(queue, policy)
        if infos:
            found[node] = infos
    return found


class _Sharing:
    """One search: takes victims out until the workload fits."""

    __slots__ = ("_fair", "_removals", "_search", "_shares")

    def __init__(self, search: Search, removals: Removals, fair: FairSharing) -> None:
        self._search: Final = search
        self._removals: Final = removals
        self._fair: Final = fair
        self._shares: Final = Shares()

    def finds(self, candidates: Mapping[Node, list[Ranked]]) -> bool:
        """Whether it fits now."""
        retry: dict[Node, list[Ranked]] = {}
        if self._runs_first(candidates, retry):
            return True
        return len(self._fair.strategies) > 1 and self._runs_second(retry)

    def _runs_first(
        self, candidates: Mapping[Node, list[Ranked]], retry: dict[Node, list[Ranked]]
    ) -> bool:
        own = self._search.node
        reclaims = self._fair.reclaims_nominal and self._search.is_within_nominal(own)
        tournament = Tournament(own, candidates, self._shares)
        while (queue := tournament.next()) is not None:
            if queue is own:
                fits = self._takes(queue, tournament.pop(queue).info, IN_CLUSTER_QUEUE)
            elif reclaims:
                fits = self._takes(queue, tournament.pop(queue).info, IN_COHORT_RECLAMATION)
            else:
                fits = self._takes_passing(queue, tournament, retry)
            if fits:
                return True
        return False

    def _takes_passing(
        self, queue: Node, tournament: Tournament, retry: dict[Node, list[Ranked]]
    ) -> bool:
        """Take the first candidate that passes the first strategy; those before it are tried again later."""
        ours, theirs = tournament.rivals(queue)
        preemptor, before = self._shares.of(ours), self._shares.of(theirs)
        # An infinite share is never below a finite one, whoever goes.
        is_futile = math.isinf(preemptor.weighted) and not math.isinf(before.weighted)
        strategy = self._fair.strategies[0]
        while tournament.has_candidates(queue):
            candidate = tournament.pop(queue)
            if not is_futile and strategy(
                preemptor, before, _share_without(theirs, queue, candidate.info)
            ):
                return self._takes(queue, candidate.info, IN_COHORT_FAIR_SHARING)
            retry.setdefault(queue, []).append(candidate)
        return False

    def _runs_second(self, candidates: Mapping[Node, list[Ranked]]) -> bool:
        tournament = Tournament(self._search.node, candidates, self._shares)
        while (queue := tournament.next()) is not None:
            ours, theirs = tournament.rivals(queue)
            before = self._shares.of(theirs)
            first = tournament.pop(queue).info
            tournament.drop(queue)
            if less_than_initial_share(self._shares.of(ours), before, before) and self._takes(
                queue, first, IN_COHORT_FAIR_SHARING
            ):
                return True
        return False

    def _takes(self, queue: Node, info: Info, reason: str) -> bool:
        """Take a victim out. Whether the workload fits then."""
        self._removals.remove(info, reason)
        self._shares.forget(queue)
        search = self._search
        search.node.remove(search.requests)
        try:
            return search.fits(may_borrow=True)
        finally:
            search.node.add(search.requests)


def _share_without(node: Node, queue: Node, info: Info) -> Share:
    """The share of a node once a workload of a ClusterQueue below it is gone."""
    queue.remove(info.usage)
    try:
        return share_of(node)
    finally:
        queue.add(info.usage)
