"""What follows from the nodes themselves, one number per node, computed once and kept up to date.

Which value a node has for a topology key, whether a node affinity matches it, how much it is preferred, whether its
taints are tolerated. A column looks only at nodes that have changed since it was last read; a change of one node costs
microseconds, a new column one pass over the nodes. The least recently used columns are forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from argosy.api.nodefit import PodClass, intolerable_preferences, untolerated
from argosy.api.objects import Node, Toleration
from argosy.workloads.scheduling.ledger import Ledger
from argosy.workloads.scheduling.recency import Recent

Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]

_KEPT: Final = 512
_ABSENT: Final = -1


class Column:
    """A number for each node. Rows of nodes that are gone have -1."""

    __slots__ = ("_ledger", "_of", "_read", "_values")

    def __init__(self, ledger: Ledger, of: Callable[[Node], int]) -> None:
        self._ledger = ledger
        self._of = of
        self._read = -1
        self._values: Ints = np.empty(0, np.int64)

    def read(self) -> Ints:
        ledger = self._ledger
        if self._read != ledger.node_log.position or len(self._values) != ledger.size:
            self._refresh()
        return self._values

    def _refresh(self) -> None:
        ledger = self._ledger
        changed = ledger.node_log.since(self._read)
        self._read = ledger.node_log.position
        if changed is None:
            self._values = np.fromiter(map(self._value, ledger.nodes), np.int64, ledger.size)
            return
        if len(self._values) < ledger.size:
            grown = np.full(ledger.size, _ABSENT, np.int64)
            grown[: len(self._values)] = self._values
            self._values = grown
        for row in changed:
            self._values[row] = self._value(ledger.nodes[row])

    def _value(self, node: Node | None) -> int:
        return _ABSENT if node is None else self._of(node)


class Topology:
    """The values of a label, numbered; -1 where a node does not have it."""

    __slots__ = ("_column", "_numbers", "key")

    def __init__(self, ledger: Ledger, key: str) -> None:
        self.key: Final = key
        self._numbers: dict[str, int] = {}
        self._column = Column(ledger, self._number)

    def read(self) -> Ints:
        return self._column.read()

    @property
    def count(self) -> int:
        """How many values there are; after `read`."""
        return len(self._numbers)

    def _number(self, node: Node) -> int:
        value = node.metadata.labels.get(self.key)
        return _ABSENT if value is None else self._numbers.setdefault(value, len(self._numbers))


class Columns:
    """The columns of a ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._columns: Recent[Hashable, Column] = Recent(_KEPT)
        self._topologies: dict[str, Topology] = {}
        # Per version of the sets of taints and tolerations: by number of the set, whether it is tolerated and how many
        # of its taints are not liked.
        self._tolerances: Recent[
            tuple[int, tuple[Toleration, ...]], tuple[list[bool], list[int]]
        ] = Recent(_KEPT)

    def topology(self, key: str) -> Topology:
        found = self._topologies.get(key)
        if found is None:
            found = self._topologies[key] = Topology(self._ledger, key)
        return found

    def matched(self, pods: PodClass) -> Bools:
        """The nodes that the pod's node selector and required affinity match."""
        if pods.required.is_open:
            return np.ones(self._ledger.size, np.bool_)
        matches = pods.required.matches
        column = self._column(
            ("required", pods.affinity_key),
            lambda node: matches(node.metadata.labels, node.metadata.name),
        )
        matched: Bools = column.read() == 1
        return matched

    def preferred(self, pods: PodClass) -> Ints | None:
        """The weights of preferred node affinity that each node has; None if there is no such preference."""
        if not pods.preferred:
            return None
        score = pods.preferred.score
        column = self._column(
            ("preferred", pods.affinity_key),
            lambda node: score(node.metadata.labels, node.metadata.name),
        )
        return column.read()

    def tolerated(self, pods: PodClass) -> Bools:
        """The nodes whose taints the pod tolerates."""
        table = np.array(self._tolerance(pods.tolerations)[0], np.bool_)
        tolerated: Bools = table[self._ledger.taints]
        return tolerated

    def disliked(self, pods: PodClass) -> Ints:
        """How many taints of each node the pod would rather avoid."""
        table = np.array(self._tolerance(pods.tolerations)[1], np.int64)
        disliked: Ints = table[self._ledger.taints]
        return disliked

    def _tolerance(self, tolerations: tuple[Toleration, ...]) -> tuple[list[bool], list[int]]:
        key = (self._ledger.taints_version, tolerations)
        found = self._tolerances.get(key, lambda: ([], []))
        tolerated, disliked = found
        sets = self._ledger.taint_sets
        if len(tolerated) < len(sets):
            for taints in list(sets)[len(tolerated) :]:
                tolerated.append(untolerated(tolerations, taints) is None)
                disliked.append(intolerable_preferences(tolerations, taints))
        return found

    def _column(self, key: Hashable, of: Callable[[Node], int]) -> Column:
        return self._columns.get(key, lambda: Column(self._ledger, of))
