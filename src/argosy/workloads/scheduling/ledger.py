"""What is on the nodes: the scheduler's own book of capacity, kept in NumPy columns.

Each node has a row, in the order in which the scheduler learned of them; this order also breaks ties between equal
nodes. Rows of nodes that are gone stay empty until half of the book is; then it is written anew and row numbers
change. Changes are told by two logs of row numbers, one for what pods use and one for the nodes
themselves: whoever derives something from the book looks only at what came after its last look.

A pod counts as soon as it is assumed and until it has ended or is gone. Pods on nodes that are not known wait for them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from argosy.api.nodefit import HostPort, allocatable
from argosy.api.objects import Node, Taint
from argosy.workloads.scheduling.changes import ChangeLog
from argosy.workloads.scheduling.placements import Placement

Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]

_FIRST_ROWS: Final = 64
_CPU, _MEMORY = 0, 1
# Sets of taints that no node has may be so many, and as many as there are nodes.
_SPARE_TAINT_SETS: Final = 64


class Ledger:
    """Nodes and what is placed on them."""

    def __init__(self) -> None:
        self.rows: dict[str, int] = {}
        self.nodes: list[Node | None] = []
        # Which row of `free` and `total` a resource has.
        self.resources: dict[str, int] = {"cpu": _CPU, "memory": _MEMORY}
        self.used_log: Final = ChangeLog()
        self.node_log: Final = ChangeLog()
        self.placements: dict[str, Placement] = {}
        self.on_row: dict[int, dict[str, Placement]] = {}
        self.ports: dict[int, Counter[HostPort]] = {}
        self.priorities: Counter[int] = Counter()
        # Sets of taints and their numbers; which number means which set changes with the version.
        self.taint_sets: dict[tuple[Taint, ...], int] = {(): 0}
        self.taints_version = 0
        # Called with +1 and -1 for every pod that comes and goes.
        self.counters: list[Callable[[Placement, int], None]] = []
        self._strays: dict[str, dict[str, Placement]] = {}
        self._size = 0
        self._allocate(_FIRST_ROWS)

    def _allocate(self, capacity: int) -> None:
        kinds = len(self.resources)
        self._total = np.zeros((kinds, capacity), np.int64)
        self._used = np.zeros((kinds, capacity), np.int64)
        self._scoring = np.zeros((2, capacity), np.int64)
        self._most_pods = np.zeros(capacity, np.int64)
        self._pods = np.zeros(capacity, np.int64)
        self._alive = np.zeros(capacity, np.bool_)
        self._cordoned = np.zeros(capacity, np.bool_)
        self._taints = np.zeros(capacity, np.int64)

    # Columns; one entry per row, also for rows of nodes that are gone.

    @property
    def size(self) -> int:
        """How many rows there are."""
        return self._size

    def __len__(self) -> int:
        """How many nodes there are."""
        return len(self.rows)

    @property
    def alive(self) -> Bools:
        return self._alive[: self._size]

    @property
    def cordoned(self) -> Bools:
        return self._cordoned[: self._size]

    @property
    def taints(self) -> Ints:
        """Which of `taint_sets` each node has."""
        return self._taints[: self._size]

    @property
    def pods(self) -> Ints:
        return self._pods[: self._size]

    @property
    def most_pods(self) -> Ints:
        return self._most_pods[: self._size]

    def total(self, resource: str) -> Ints:
        """What nodes have to give of a resource."""
        kind = self._kind(resource)
        return self._total[kind, : self._size]

    def used(self, resource: str) -> Ints:
        """What is requested of a resource."""
        kind = self._kind(resource)
        return self._used[kind, : self._size]

    def scoring(self, which: int) -> Ints:
        """CPU (0) and memory (1) as they count in ranking."""
        return self._scoring[which, : self._size]

    def _kind(self, resource: str) -> int:
        found = self.resources.get(resource)
        if found is None:
            found = self.resources[resource] = len(self.resources)
            empty = np.zeros((1, self._total.shape[1]), np.int64)
            self._total = np.concatenate((self._total, empty))
            self._used = np.concatenate((self._used, empty))
        return found

    # Nodes.

    def put_node(self, node: Node) -> int:
        """A node that is new or has changed; its row."""
        name = node.metadata.name
        row = self.rows.get(name)
        if row is None:
            row = self._new_row(name)
        self.nodes[row] = node
        self._describe(row, node)
        self.node_log.append(row)
        self.used_log.append(row)
        for placement in self._strays.pop(name, {}).values():
            self._count(placement, row)
        return row

    def _new_row(self, name: str) -> int:
        if self._size == len(self._alive):
            self._grow()
        row = self._size
        self._size += 1
        self.rows[name] = row
        self.nodes.append(None)
        self._alive[row] = True
        return row

    def _grow(self) -> None:
        capacity = 2 * len(self._alive)
        before = (
            self._total, self._used, self._scoring, self._most_pods, self._pods, self._alive,
            self._cordoned, self._taints,
        )  # fmt: skip
        self._allocate(capacity)
        after = (
            self._total, self._used, self._scoring, self._most_pods, self._pods, self._alive,
            self._cordoned, self._taints,
        )  # fmt: skip
        for old, new in zip(before, after, strict=True):
            new[..., : self._size] = old[..., : self._size]

    def _describe(self, row: int, node: Node) -> None:
        gives = allocatable(node)
        self._most_pods[row] = gives.pop("pods", 0)
        for resource in gives:
            self._kind(resource)
        self._total[:, row] = 0
        for resource, amount in gives.items():
            self._total[self.resources[resource], row] = amount
        self._cordoned[row] = node.spec.unschedulable
        self._taints[row] = self._taint_set(node)
        if len(self.taint_sets) > 2 * len(self.rows) + _SPARE_TAINT_SETS:
            self._renumber_taints()

    def _taint_set(self, node: Node) -> int:
        taints = tuple(Taint(t.key, t.value, t.effect) for t in node.spec.taints)
        return self.taint_sets.setdefault(taints, len(self.taint_sets))

    def _renumber_taints(self) -> None:
        """Forget the sets that no node has any more."""
        self.taint_sets = {(): 0}
        self.taints_version += 1
        for row, node in enumerate(self.nodes):
            self._taints[row] = self._taint_set(node) if node is not None else 0

    def remove_node(self, name: str) -> None:
        row = self.rows.pop(name, None)
        if row is None:
            return
        self.nodes[row] = None
        for placement in list(self.on_row.get(row, {}).values()):
            self._uncount(placement)
            self._strays.setdefault(name, {})[placement.uid] = placement
        self._alive[row] = False
        self.node_log.append(row)
        self.used_log.append(row)
        if self._size > _FIRST_ROWS and 2 * len(self.rows) < self._size:
            self._rewrite()

    def _rewrite(self) -> None:
        """Close the gaps; row numbers change, their order does not."""
        nodes = [node for node in self.nodes if node is not None]
        placements = [p for placed in self.on_row.values() for p in placed.values()]
        for placement in placements:
            self._uncount(placement)
        self.rows, self.nodes, self._size = {}, [], 0
        self.used_log.reset()
        self.node_log.reset()
        self._allocate(max(_FIRST_ROWS, 2 * len(nodes)))
        for node in nodes:
            self.put_node(node)
        for placement in placements:
            self._count(placement, self.rows[placement.node])

    # Pods.

    def place(self, placement: Placement) -> None:
        """Count a pod on its node."""
        self.placements[placement.uid] = placement
        row = self.rows.get(placement.node)
        if row is None:
            self._strays.setdefault(placement.node, {})[placement.uid] = placement
        else:
            self._count(placement, row)

    def displace(self, uid: str) -> Placement | None:
        """Count a pod no longer; what it was."""
        placement = self.placements.pop(uid, None)
        if placement is None:
            return None
        if placement.row < 0:
            strays = self._strays.get(placement.node, {})
            strays.pop(uid, None)
            if not strays:
                self._strays.pop(placement.node, None)
        else:
            self._uncount(placement)
        return placement

    def _count(self, placement: Placement, row: int) -> None:
        placement.row = row
        self.on_row.setdefault(row, {})[placement.uid] = placement
        self.priorities[placement.profile.priority] += 1
        self.reserve(placement, row, 1)
        for count in self.counters:
            count(placement, 1)

    def _uncount(self, placement: Placement) -> None:
        row = placement.row
        placed = self.on_row[row]
        del placed[placement.uid]
        if not placed:
            del self.on_row[row]
        self.priorities[placement.profile.priority] -= 1
        self.reserve(placement, row, -1)
        for count in self.counters:
            count(placement, -1)
        placement.row = -1

    def reserve(self, placement: Placement, row: int, sign: int) -> None:
        """Add (1) or take back (-1) what a pod needs of a node."""
        needs = placement.profile.node_class
        for resource, amount in needs.requests.items():
            kind = self._kind(resource)
            self._used[kind, row] += sign * amount
        cpu, memory = needs.scoring
        self._scoring[0, row] += sign * cpu
        self._scoring[1, row] += sign * memory
        self._pods[row] += sign
        if needs.ports:
            counted = self.ports.setdefault(row, Counter())
            counted.update(dict.fromkeys(needs.ports, sign))
            for port in needs.ports:
                if not counted[port]:
                    del counted[port]
            if not counted:
                del self.ports[row]
        self.used_log.append(row)

    # Questions.

    def lowest_priority(self) -> int | None:
        """The lowest priority of all pods on nodes."""
        return min((p for p, count in self.priorities.items() if count > 0), default=None)

    def name(self, row: int) -> str:
        node = self.nodes[row]
        assert node is not None
        return node.metadata.name

    def used_ports(self, row: int) -> Iterable[HostPort]:
        return self.ports.get(row, ())
