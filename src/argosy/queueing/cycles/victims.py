"""Those who have to go by the decisions of a cycle, tree by tree: who is in another tree is in nobody's way.

Victims hold their quota until they are really gone. Whoever comes next is looked at as if they were, and most of a
cycle's preemptors come one after the other: so victims that were taken out of a tree stay out until somebody has to see
the tree as it is. That is free of consequences, because usage may be added and removed in any order (`quotas/nodes`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from argosy.queueing.cache.snapshots import Snapshot
from argosy.queueing.preemption.targets import Target
from argosy.queueing.quotas.nodes import Node


class Victims:
    """Targets by key, by the root of their tree. Everybody is back after `put_back`."""

    __slots__ = ("_snapshot", "_trees")

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot: Final = snapshot
        self._trees: Final[dict[str, dict[str, Target]]] = {}

    def near(self, node: Node) -> Mapping[str, Target]:
        """The victims in the tree of a ClusterQueue."""
        return self._trees.get(node.root.name, {})

    def add(self, node: Node, targets: Iterable[Target]) -> None:
        """More victims, in the tree of a ClusterQueue."""
        known = self._trees.setdefault(node.root.name, {})
        known.update((target.info.key, target) for target in targets)

    def take_out(self, node: Node) -> None:
        """Have the tree of a ClusterQueue look as if its victims were gone."""
        snapshot = self._snapshot
        for key, target in self.near(node).items():
            if key not in snapshot.out:
                snapshot.take_out(target.info)

    def put_back(self, node: Node | None = None) -> None:
        """Have the tree of a ClusterQueue, or all of them, look as they are."""
        snapshot = self._snapshot
        for victims in self._trees.values() if node is None else (self.near(node),):
            for key, target in victims.items():
                if key in snapshot.out:
                    snapshot.put_back(target.info)
