"""When parked workloads are put back in line: a moment after something that may help them has happened.

Many things happen at once when a workload ends; a moment later all of them are done, and one flush serves them all.
Upstream waits a second; here a flush costs next to nothing (`lines`), and who can run should.
Requests are kept per tree of cohorts, for what is freed anywhere in a tree may be borrowed everywhere in it. A request
while one waits changes nothing: the first one's time counts. A state machine: the caller has the clock.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple, Protocol

from argosy.queueing.quotas.nodes import Node

BATCH_SECONDS: Final = 0.01


class Trees(Protocol):
    """Where ClusterQueues and cohorts stand; none for unknown ones and those whose cohorts form a cycle."""

    def cluster_queue(self, name: str) -> Node | None: ...
    def cohort(self, name: str) -> Node | None: ...


class Tree(NamedTuple):
    """A root cohort, or a ClusterQueue that has none."""

    is_cohort: bool
    name: str


class Flushes:
    """Trees whose parked workloads wait to be put back in line."""

    __slots__ = ("_due", "_trees")

    def __init__(self, trees: Trees) -> None:
        self._trees = trees
        self._due: dict[Tree, float] = {}

    def request(self, cluster_queues: Iterable[str], now: float) -> None:
        """Something changed in the trees of these ClusterQueues. Trees with a cycle wait until it is broken."""
        for name in cluster_queues:
            self._request(self._trees.cluster_queue(name), now)

    def request_cohort(self, cohort: str, now: float) -> None:
        """Something changed at a cohort."""
        self._request(self._trees.cohort(cohort), now)

    def _request(self, node: Node | None, now: float) -> None:
        if node is not None:
            root = node.root
            self._due.setdefault(Tree(root.is_cohort, root.name), now + BATCH_SECONDS)

    def take_due(self, now: float) -> list[str]:
        """The ClusterQueues whose time has come, each once, in order of names."""
        ready = [tree for tree, due in self._due.items() if due <= now]
        found: set[str] = set()
        for tree in ready:
            del self._due[tree]
            found.update(self._members(tree))
        return sorted(found)

    def _members(self, tree: Tree) -> Iterable[str]:
        trees = self._trees
        node = trees.cohort(tree.name) if tree.is_cohort else trees.cluster_queue(tree.name)
        return () if node is None else (leaf.name for leaf in node.leaves())

    def tree_members(self, cluster_queues: Iterable[str]) -> list[str]:
        """Every ClusterQueue that shares a tree with one of these, in order of names."""
        found: set[str] = set()
        for name in cluster_queues:
            node = None if name in found else self._trees.cluster_queue(name)
            if node is not None:
                found.update(leaf.name for leaf in node.root.leaves())
        return sorted(found)

    @property
    def next_time(self) -> float | None:
        """When there is something to take; none while nothing waits."""
        return min(self._due.values(), default=None)
