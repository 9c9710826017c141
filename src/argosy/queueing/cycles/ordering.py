"""In which order the entries of a cycle are decided.

Classical: who borrows less far goes first, then higher priority, then who waited longer. Full ties go by the name of
the queue (upstream: by chance). Where cohorts do not go by priority, either order is given another `Seniority`; where
shares alone count, the fair one another `Borrowing`.

Fair sharing: a tournament in each tree, after every decision anew, because it changed the shares. In each cohort the
winners of its child cohorts and the entries of its ClusterQueues compete: who would not borrow of what it asks for
beats who would; then the smaller share (of the child in which the workload is, the workload included), higher
priority, longer wait. Shares are worked out once per entry and again only when the usage of a node between it and the
root has changed, so a flat cohort of n queues costs O(n) comparisons and one share per decision.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import ClassVar, Protocol, TypeAlias

from argosy.queueing.cycles.entries import Entry
from argosy.queueing.quotas.amounts import FlavorResource
from argosy.queueing.quotas.nodes import Node
from argosy.queueing.quotas.shares import is_borrowing_on, share_of
from argosy.queueing.workloads.infos import Info

# What decides between workloads that borrow alike: the smaller goes first.
Seniority: TypeAlias = Callable[[Info], tuple[int, float]]
# Whether a node borrows of these, which is worse than any share.
Borrowing: TypeAlias = Callable[[Node, Iterable[FlavorResource]], bool]
# What an entry is compared by among the children of one cohort.
_Rank: TypeAlias = tuple[bool, tuple[float, float], tuple[int, float], str, str]


def by_priority(info: Info) -> tuple[int, float]:
    return -info.priority, info.order_time


def by_age(info: Info) -> tuple[int, float]:
    return 0, info.order_time


def by_share_alone(_node: Node, _flavor_resources: Iterable[FlavorResource]) -> bool:
    """Whoever borrows, only shares count."""
    return False


class Order(Protocol):
    """Hands out the entries of a cycle one by one; `touched` says whose usage a decision changed.

    `looks_at_usage`: usage has to be what it is when the next entry is asked for.
    """

    looks_at_usage: ClassVar[bool]

    def __iter__(self) -> Iterator[Entry]: ...

    def touched(self, node: Node) -> None: ...


class Classical:
    """One order for the whole cycle."""

    looks_at_usage: ClassVar = False

    def __init__(self, entries: Iterable[Entry], seniority: Seniority = by_priority) -> None:
        self._entries = sorted(
            entries,
            key=lambda entry: (
                not entry.has_quota,
                entry.assignment.borrowing,
                seniority(entry.info),
                entry.info.cluster_queue,
            ),
        )

    def __iter__(self) -> Iterator[Entry]:
        yield from self._entries

    def touched(self, node: Node) -> None:
        """The order does not depend on usage."""


class Fair:
    """Tournaments, one tree after the other in order of the names of their roots."""

    looks_at_usage: ClassVar = True

    def __init__(
        self,
        entries: Iterable[Entry],
        seniority: Seniority = by_priority,
        borrowing: Borrowing = is_borrowing_on,
    ) -> None:
        self._seniority, self._borrowing = seniority, borrowing
        # One entry of a ClusterQueue takes part; of two, the one given last.
        by_queue = {entry.info.cluster_queue: entry for entry in entries}
        self._alone = []
        self._trees: dict[str, dict[str, Entry]] = {}
        self._roots: dict[str, Node] = {}
        for name in sorted(by_queue):
            entry = by_queue[name]
            if entry.queue is None or entry.queue.cohort is None:
                self._alone.append(entry)
                continue
            root = entry.queue.node.root
            self._roots[root.name] = root
            self._trees.setdefault(root.name, {})[name] = entry
        # By ClusterQueue: the rank under each cohort on the way up, the own parent's first.
        self._ranks: dict[str, list[_Rank]] = {}

    def __iter__(self) -> Iterator[Entry]:
        yield from self._alone
        for name in sorted(self._trees):
            entries = self._trees[name]
            while entries:
                winner = self._winner(self._roots[name], entries)
                if winner is None:
                    raise RuntimeError(f"no winner among {sorted(entries)} of cohort {name}")
                del entries[winner.info.cluster_queue]
                yield winner

    def touched(self, node: Node) -> None:
        """Forget the ranks that depend on usage in or around a ClusterQueue."""
        changed = [node]
        while changed[-1].parent is not None and changed[-1].parent.parent is not None:
            changed.append(changed[-1].parent)
        for leaf in changed[-1].leaves():
            self._ranks.pop(leaf.name, None)

    def _winner(self, cohort: Node, entries: dict[str, Entry]) -> Entry | None:
        best: Entry | None = None
        best_rank: _Rank | None = None
        for child in cohort.children:
            entry = self._winner(child, entries) if child.is_cohort else entries.get(child.name)
            if entry is None:
                continue
            rank = self._rank(entry, child)
            if best_rank is None or rank < best_rank:
                best, best_rank = entry, rank
        return best

    def _rank(self, entry: Entry, child: Node) -> _Rank:
        name = entry.info.cluster_queue
        ranks = self._ranks.get(name)
        if ranks is None:
            ranks = self._ranks[name] = _ranks(entry, self._seniority, self._borrowing)
        return ranks[_depth(entry, child)]


def rank(
    entry: Entry,
    *,
    would_borrow: bool,
    share: tuple[float, float],
    seniority: Seniority = by_priority,
) -> _Rank:
    """What is smaller goes first."""
    info = entry.info
    return (would_borrow, share, seniority(info), info.cluster_queue, info.key)


def _depth(entry: Entry, child: Node) -> int:
    """How many steps above the entry's ClusterQueue a node is."""
    node = entry.queue.node if entry.queue else child
    steps = 0
    while node is not child and node.parent is not None:
        node = node.parent
        steps += 1
    return steps


def _ranks(entry: Entry, seniority: Seniority, borrowing: Borrowing) -> list[_Rank]:
    """The ranks of an entry at its ClusterQueue and at every cohort above but the root, once it were admitted."""
    if entry.queue is None:
        return []
    node, usage = entry.queue.node, entry.assignment.usage
    node.add(usage)
    try:
        return [
            rank(
                entry,
                would_borrow=borrowing(one, usage),
                share=share_of(one).order,
                seniority=seniority,
            )
            for one in node.path()
            if one.parent is not None
        ]
    finally:
        node.remove(usage)
