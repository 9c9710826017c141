"""Which ClusterQueue to take a victim from next, by fair sharing.

From the root down, at every cohort the child with the largest share: a ClusterQueue with candidates that borrows or is
the preemptor's own, or a cohort that borrows or lies above the preemptor. Of equal ClusterQueues the one whose first
candidate goes first (without the usage of LocalQueues), then by name; a cohort goes before a ClusterQueue with an equal
share, because whoever is most unfair can then be found inside it. Mirrors Kueue's `TargetClusterQueueOrdering`.

Every cohort keeps its children in a heap. Between two calls of `next` only the ClusterQueue that was named changes, so
only the entries on its way to the root are made anew; those that are out of date are dropped when they come up. Usage
only falls during a search, so who has stopped borrowing is out for good.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from argosy.queueing.preemption.candidates import Key, Ranked
from argosy.queueing.preemption.shares import Shares
from argosy.queueing.quotas.nodes import Node

# Share (largest first), 0 for cohorts and 1 for ClusterQueues, first candidate, name: the order of siblings.
_Place: TypeAlias = tuple[float, float, int, Key | tuple[()], str]
# The number keeps an entry apart from an older one of the same node.
_Entry: TypeAlias = tuple[_Place, int, Node]


class Tournament:
    """Names ClusterQueues one after the other. Between two calls of `next` a candidate of the ClusterQueue that was
    named is popped, or the ClusterQueue is dropped.
    """

    __slots__ = (
        "_ancestors", "_candidates", "_entries", "_heaps", "_named", "_own", "_pushes", "_shares",
    )  # fmt: skip

    def __init__(
        self, own: Node, candidates: Mapping[Node, Iterable[Ranked]], shares: Shares
    ) -> None:
        self._own: Final = own
        # The preemptor's cohorts, and which child of each leads to it.
        self._ancestors: Final = {node.parent: node for node in own.path() if node.parent}
        self._candidates: Final = {node: deque(ones) for node, ones in candidates.items()}
        self._shares: Final = shares
        self._heaps: Final[dict[Node, list[_Entry]]] = {}
        self._entries: Final[dict[Node, _Entry]] = {}
        self._pushes = 0
        self._named: Node | None = None
        for node in candidates:
            self._enter(node)

    def next(self) -> Node | None:
        """The next ClusterQueue; none when nobody is left."""
        if self._named is not None:
            self._enter(self._named)
        root = self._own.root
        node: Node | None = root
        while node is not None and node.is_cohort:
            best = self._best(node)
            if best is None:
                self._entries.pop(node, None)
                best = None if node is root else root
            node = best
        if node is root and not self.has_candidates(root):
            node = None
        self._named = node
        return node

    def has_candidates(self, queue: Node) -> bool:
        return bool(self._candidates.get(queue))

    def pop(self, queue: Node) -> Ranked:
        """The first candidate of a ClusterQueue; it is none any more."""
        return self._candidates[queue].popleft()

    def drop(self, queue: Node) -> None:
        """Take nobody from this ClusterQueue any more."""
        self._candidates[queue].clear()

    def rivals(self, queue: Node) -> tuple[Node, Node]:
        """The children of the lowest common ancestor that lead to the preemptor and to a ClusterQueue: whose shares
        are compared.
        """
        below, above = queue, queue.parent
        while above is not None and above not in self._ancestors:
            below, above = above, above.parent
        assert above is not None, f"{queue.name} is not in the preemptor's tree"
        return self._ancestors[above], below

    def _best(self, cohort: Node) -> Node | None:
        heap = self._heaps.get(cohort, [])
        while heap:
            entry = heap[0]
            if self._entries.get(entry[-1]) is entry:
                return entry[-1]
            heapq.heappop(heap)
        return None

    def _enter(self, queue: Node) -> None:
        """Make the entries of a ClusterQueue and its cohorts anew."""
        for node in queue.path():
            if node.parent is None:
                break
            if self._takes_part(node):
                self._push(node, node.parent)
            else:
                self._entries.pop(node, None)

    def _push(self, node: Node, parent: Node) -> None:
        share = self._shares.of(node)
        first: Key | tuple[()] = () if node.is_cohort else self._candidates[node][0].key
        place = (-share.weighted, -share.tie, int(not node.is_cohort), first, node.name)
        old = self._entries.get(node)
        if old is None or old[0] != place:
            self._pushes += 1
            entry = self._entries[node] = (place, self._pushes, node)
            heapq.heappush(self._heaps.setdefault(parent, []), entry)

    def _takes_part(self, node: Node) -> bool:
        if node.is_cohort:
            return node in self._ancestors or self._shares.of(node).is_borrowing
        if not self._candidates[node]:
            return False
        return node is self._own or self._shares.of(node).is_borrowing
