"""Classical preemption: reclaim what others borrowed, by the place in the cohort tree and by priority.

Candidates are of three groups. Over those of the first the preemptor has the advantage of the tree: some subtree that
holds its ClusterQueue and not theirs has quota for the request, so they use what is due to it, whatever their
priority. Those of the second merely borrow too; the third are the ClusterQueue's own. Walking up from the ClusterQueue,
each ancestor adds the borrowers of its subtree to the first group once the subtree below it has room by quota, to the
second before; subtrees and ClusterQueues within their quota are left alone.

An attempt either lets the preemptor borrow, and then spares candidates of the second group that only a preemptor
within its quota may push out, or does not and may take them all. Which is tried first, and whether the other is
tried, depends on what was found. While victims are taken out, whoever has come back within quota is passed over.
Mirrors Kueue's `classical` package.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Final

from argosy.queueing.cache.clusterqueues import CachedQueue
from argosy.queueing.cache.holders import BY_RANK, Holder
from argosy.queueing.preemption.policies import NEVER
from argosy.queueing.preemption.pools import Pools
from argosy.queueing.preemption.searches import Gap, Removals, Search
from argosy.queueing.preemption.targets import (
    IN_CLUSTER_QUEUE,
    IN_COHORT_RECLAIM_WHILE_BORROWING,
    IN_COHORT_RECLAMATION,
    Target,
)
from argosy.queueing.quotas.nodes import Node
from argosy.queueing.workloads.infos import Info

# The groups, in the order in which they go.
_BY_HIERARCHY: Final = 0
_BY_PRIORITY: Final = 1
_OWN: Final = 2


@dataclass(slots=True, frozen=True)
class _Source:
    """ClusterQueues with candidates of one group, by name, and holders in order: theirs and maybe those of others."""

    group: int
    policy: str
    queues: dict[str, CachedQueue]
    holders: Sequence[Holder]

    def candidates(self, search: Search, *, are_evicted: bool) -> Iterator[Holder]:
        """Its candidates in order, those that are evicted already or the others, worked out as far as one looks."""
        first_staying = bisect_left(self.holders, (True,), key=BY_RANK)
        start, end = (0, first_staying) if are_evicted else (first_staying, None)
        queues, policy = self.queues, self.policy
        for holder in islice(self.holders, start, end):
            info = holder.info
            if info.cluster_queue in queues and search.may_go(info, policy):
                yield holder


def classical_targets(search: Search, pools: Pools) -> list[Target]:
    """Whom to preempt; nobody where that would not make room."""
    sources = list(_sources(search, pools))
    if search.is_hopeless(holder.info for _, holder in _in_order(search, sources)):
        return []
    groups = {source.group for source in sources if _has_candidates(search, source)}
    for may_borrow in _attempts(search, groups):
        gap = Gap(search)
        with Removals(search) as removals:
            for info, reason in _valid(search, sources, may_borrow=may_borrow):
                removals.remove(info, reason)
                if gap.narrow(info) and search.fits(may_borrow=may_borrow):
                    return removals.filled_back(may_borrow=may_borrow)
    return []


def _sources(search: Search, pools: Pools) -> Iterator[_Source]:
    policies = search.queue.preemption

    def source(group: int, policy: str, name: str, nodes: Iterable[Node]) -> _Source:
        known = search.snapshot.queues
        queues = {node.name: known[node.name] for node in nodes if node.name in known}
        order = pools.in_order(name, queues.values(), search.now, search.usage_of)
        return _Source(group, policy, queues, order)

    if policies.within_cluster_queue != NEVER:
        yield source(_OWN, policies.within_cluster_queue, "", (search.node,))
    if policies.reclaim_within_cohort == NEVER:
        return
    has_advantage, rest = search.node.fits_in_quota(search.requests)
    below = search.node
    for top in search.node.path():
        if top is search.node:
            continue
        group = _BY_HIERARCHY if has_advantage else _BY_PRIORITY
        borrowers = _borrowers(search, top, below)
        yield source(group, policies.reclaim_within_cohort, top.name, borrowers)
        fits, rest = top.fits_in_quota(rest)
        has_advantage = has_advantage or fits
        below = top


def _borrowers(search: Search, cohort: Node, besides: Node) -> Iterator[Node]:
    """ClusterQueues of a subtree that borrow something contested, each cohort above them likewise."""
    for child in cohort.children:
        if child is besides or search.is_within_nominal(child):
            continue
        if child.is_cohort:
            yield from _borrowers(search, child, besides)
        else:
            yield child


def _has_candidates(search: Search, source: _Source) -> bool:
    both = (source.candidates(search, are_evicted=which) for which in (True, False))
    return next(chain.from_iterable(both), None) is not None


def _in_order(search: Search, sources: Sequence[_Source]) -> Iterator[tuple[int, Holder]]:
    """All candidates with their groups: those that are evicted already, then the others, group by group."""
    for are_evicted in (True, False):
        for group in (_BY_HIERARCHY, _BY_PRIORITY, _OWN):
            parts = [
                source.candidates(search, are_evicted=are_evicted)
                for source in sources
                if source.group == group
            ]
            for holder in heapq.merge(*parts, key=BY_RANK):
                yield group, holder


def _attempts(search: Search, groups: set[int]) -> tuple[bool, ...]:
    """Whether the preemptor may borrow, first try and second."""
    policy = search.queue.preemption.borrow_within_cohort
    is_forbidden = policy is None or policy.policy == NEVER
    if groups == {_OWN} or (is_forbidden and not search.is_below_nominal()):
        return (True,)
    if is_forbidden and _BY_HIERARCHY not in groups:
        return (False, True)
    return (True, False)


def _valid(
    search: Search, sources: Sequence[_Source], *, may_borrow: bool
) -> Iterator[tuple[Info, str]]:
    """The candidates that may go the way the snapshot is by then, with the reason why."""
    ancestors = set(search.node.path())
    for group, holder in _in_order(search, sources):
        info = holder.info
        if group == _OWN:
            yield info, IN_CLUSTER_QUEUE
            continue
        may_go_for_borrower = group == _BY_HIERARCHY or _is_below_threshold(search, info)
        if may_borrow and not may_go_for_borrower:
            continue
        if _is_sheltered(search, search.snapshot.queues[info.cluster_queue].node, ancestors):
            continue
        if group == _BY_PRIORITY and may_go_for_borrower:
            yield info, IN_COHORT_RECLAIM_WHILE_BORROWING
        else:
            yield info, IN_COHORT_RECLAMATION


def _is_below_threshold(search: Search, candidate: Info) -> bool:
    """Whether a preemptor that borrows may push the candidate out too."""
    policy = search.queue.preemption.borrow_within_cohort
    if policy is None or policy.policy == NEVER or candidate.priority >= search.info.priority:
        return False
    threshold = policy.max_priority_threshold
    return threshold is None or candidate.priority <= threshold


def _is_sheltered(search: Search, node: Node, ancestors: set[Node]) -> bool:
    """Whether the ClusterQueue, or a cohort above it and not above the preemptor, borrows nothing any more."""
    here: Node | None = node
    while here is not None and here not in ancestors:
        if search.is_within_nominal(here):
            return True
        here = here.parent
    return False
