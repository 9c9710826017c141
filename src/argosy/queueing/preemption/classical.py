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

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from argosy.queueing.preemption.candidates import Ranked, merged, ranked
from argosy.queueing.preemption.policies import NEVER
from argosy.queueing.preemption.searches import Removals, Search
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
    """A ClusterQueue with candidates. `top` is the lowest ancestor it shares with the preemptor; none for the own."""

    node: Node
    top: Node | None
    group: int
    infos: list[Info]


def classical_targets(search: Search) -> list[Target]:
    """Whom to preempt; nobody where that would not make room."""
    sources = {source.node.name: source for source in _sources(search)}
    if not sources or search.is_hopeless(
        info for source in sources.values() for info in source.infos
    ):
        return []
    queues = [
        ranked(source.infos, source.group, search.now, search.usage_of)
        for source in sources.values()
    ]
    for may_borrow in _attempts(search, {source.group for source in sources.values()}):
        with Removals(search) as removals:
            for info, reason in _valid(search, sources, merged(queues), may_borrow=may_borrow):
                removals.remove(info, reason)
                if search.fits(may_borrow=may_borrow):
                    return removals.filled_back(may_borrow=may_borrow)
    return []


def _sources(search: Search) -> Iterator[_Source]:
    policies = search.queue.preemption
    own = _source(search, search.node, None, _OWN, policies.within_cluster_queue)
    if own is not None:
        yield own
    if policies.reclaim_within_cohort == NEVER:
        return
    has_advantage, rest = search.node.fits_in_quota(search.requests)
    below = search.node
    for top in search.node.path():
        if top is search.node:
            continue
        group = _BY_HIERARCHY if has_advantage else _BY_PRIORITY
        for borrower in _borrowers(search, top, below):
            found = _source(search, borrower, top, group, policies.reclaim_within_cohort)
            if found is not None:
                yield found
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


def _source(
    search: Search, node: Node, top: Node | None, group: int, policy: str
) -> _Source | None:
    queue = search.snapshot.queues.get(node.name)
    if queue is None or policy == NEVER:
        return None
    infos = search.candidates(queue, policy)
    return _Source(node, top, group, infos) if infos else None


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
    search: Search, sources: dict[str, _Source], candidates: Iterator[Ranked], *, may_borrow: bool
) -> Iterator[tuple[Info, str]]:
    """The candidates that may go the way the snapshot is by then, with the reason why."""
    for candidate in candidates:
        info = candidate.info
        source = sources[info.cluster_queue]
        if source.top is None:
            yield info, IN_CLUSTER_QUEUE
            continue
        may_go_for_borrower = source.group == _BY_HIERARCHY or _is_below_threshold(search, info)
        if may_borrow and not may_go_for_borrower:
            continue
        if _is_sheltered(search, source.node, source.top):
            continue
        if source.group == _BY_PRIORITY and may_go_for_borrower:
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


def _is_sheltered(search: Search, node: Node, top: Node) -> bool:
    """Whether the ClusterQueue, or a cohort above it and below `top`, borrows nothing any more."""
    here: Node | None = node
    while here is not None and here is not top:
        if search.is_within_nominal(here):
            return True
        here = here.parent
    return False
