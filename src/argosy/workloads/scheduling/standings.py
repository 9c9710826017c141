"""How a class of pods stands with every node: may it run there, and how good would that be.

One array of booleans and one of scores per class, brought up to date from the ledger's logs: after a pod is placed, one
row is computed again (law: as if all were). Scores are kube-scheduler's least-allocated and balanced-allocation, in the
same integer and floating-point steps, so equal nodes tie exactly. What depends on other pods, and scores that are
scaled to the best node, are added by `ranking`.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np

from argosy.api.nodefit import PodClass, clashes
from argosy.workloads.scheduling.columns import Bools, Columns, Ints
from argosy.workloads.scheduling.ledger import Ledger
from argosy.workloads.scheduling.recency import Recent

_Rows: TypeAlias = slice | Ints
_MOST: Final = 100
_KEPT: Final = 256
# So many rows are judged one by one, more of them as arrays.
_FEW: Final = 8


class Standing:
    """One class of pods."""

    def __init__(self, ledger: Ledger, columns: Columns, pods: PodClass) -> None:
        self._ledger = ledger
        self._columns = columns
        self._pods = pods
        self._used_read = -1
        self._nodes_read = -1
        # Nodes that let the class in, whatever is on them.
        self.admitted: Bools = np.empty(0, np.bool_)
        # Nodes that let the class in and have room.
        self.feasible: Bools = np.empty(0, np.bool_)
        self.scores: Ints = np.empty(0, np.int64)

    def refresh(self) -> None:
        """Catch up with the ledger."""
        ledger = self._ledger
        if self._nodes_read != ledger.node_log.position:
            self._nodes_read = ledger.node_log.position
            self._used_read = -1
            self._admit()
        if self._used_read == ledger.used_log.position:
            return
        changed = ledger.used_log.since(self._used_read) if self._used_read >= 0 else None
        self._used_read = ledger.used_log.position
        if changed is None or len(changed) > ledger.size // 4:
            self.feasible = np.empty(ledger.size, np.bool_)
            self.scores = np.empty(ledger.size, np.int64)
            self._judge(slice(None))
        elif len(changed) > _FEW:
            self._judge(np.fromiter(changed, np.int64, len(changed)))
        else:
            for row in changed:
                self.feasible[row] = self.room(row) > 0
                self.scores[row] = self._score_one(row)

    def room(self, row: int) -> int:
        """How many pods of the class one node has room for now. Few steps, for questions about few nodes."""
        ledger, pods = self._ledger, self._pods
        if self._nodes_read != ledger.node_log.position:
            self.refresh()
        if not self.admitted[row] or (pods.ports and clashes(pods.ports, ledger.used_ports(row))):
            return 0
        room = int(ledger.most_pods[row] - ledger.pods[row])
        for resource, amount in pods.requests.items():
            free = int(ledger.total(resource)[row] - ledger.used(resource)[row])
            room = min(room, free // amount)
        return max(0, min(room, 1) if pods.ports else room)

    def _admit(self) -> None:
        ledger, pods = self._ledger, self._pods
        admitted = ledger.alive & self._columns.tolerated(pods) & self._columns.matched(pods)
        if not pods.tolerates_cordon:
            admitted &= ~ledger.cordoned
        self.admitted = admitted

    def _judge(self, rows: _Rows) -> None:
        ledger, pods = self._ledger, self._pods
        fits = self.admitted[rows] & (ledger.pods[rows] < ledger.most_pods[rows])
        for resource, amount in pods.requests.items():
            fits &= ledger.total(resource)[rows] - ledger.used(resource)[rows] >= amount
        self.feasible[rows] = fits
        self.scores[rows] = self._least_allocated(rows) + self._balanced(rows)
        if pods.ports:
            touched = range(ledger.size) if isinstance(rows, slice) else rows.tolist()
            for row in ledger.ports.keys() & set(touched):
                if clashes(pods.ports, ledger.used_ports(row)):
                    self.feasible[row] = False

    def _least_allocated(self, rows: _Rows) -> Ints:
        """The free share of CPU and memory, in whole percent each, averaged."""
        ledger = self._ledger
        total: Ints = np.zeros(1, np.int64)
        kinds: Ints = np.zeros(1, np.int64)
        for which, resource in enumerate(("cpu", "memory")):
            has = ledger.total(resource)[rows]
            left = np.maximum(has - ledger.scoring(which)[rows] - self._pods.scoring[which], 0)
            total = total + np.where(has > 0, left * _MOST // np.maximum(has, 1), 0)
            kinds = kinds + (has > 0)
        return total // np.maximum(kinds, 1)

    def _balanced(self, rows: _Rows) -> Ints | int:
        """The closer the used shares of CPU and memory are to each other, the better. Nothing for pods that ask for
        neither: they would all go to one node.
        """
        requests = self._pods.requests
        if not (requests.get("cpu") or requests.get("memory")):
            return 0
        ledger = self._ledger
        shares = []
        both: Bools = np.ones(1, np.bool_)
        for resource in ("cpu", "memory"):
            has = ledger.total(resource)[rows]
            used = ledger.used(resource)[rows] + requests.get(resource, 0)
            shares.append(np.minimum(used / np.maximum(has, 1), 1.0))
            both = both & (has > 0)
        deviation = np.where(both, np.abs((shares[0] - shares[1]) / 2), 0.0)
        balanced: Ints = ((1 - deviation) * _MOST).astype(np.int64)
        return balanced

    def _score_one(self, row: int) -> int:
        """What `_least_allocated` and `_balanced` say of one node, in plain numbers: the common case is one pod placed,
        and arrays of one element cost ten times as much.
        """
        ledger, pods = self._ledger, self._pods
        free, kinds = 0, 0
        shares = []
        for which, resource in enumerate(("cpu", "memory")):
            has = int(ledger.total(resource)[row])
            if has > 0:
                left = has - int(ledger.scoring(which)[row]) - pods.scoring[which]
                free += max(left, 0) * _MOST // has
                kinds += 1
                used = int(ledger.used(resource)[row]) + pods.requests.get(resource, 0)
                shares.append(min(used / has, 1.0))
        least = free // max(kinds, 1)
        if not (pods.requests.get("cpu") or pods.requests.get("memory")):
            return least
        deviation = abs((shares[0] - shares[1]) / 2) if len(shares) == 2 else 0.0
        return least + int((1 - deviation) * _MOST)


class Standings:
    """The standings of the classes that were asked for last."""

    def __init__(self, ledger: Ledger, columns: Columns) -> None:
        self._ledger = ledger
        self._columns = columns
        self._standings: Recent[PodClass, Standing] = Recent(_KEPT)

    def of(self, pods: PodClass) -> Standing:
        """The standing of a class, up to date."""
        found = self.lagging(pods)
        found.refresh()
        return found

    def lagging(self, pods: PodClass) -> Standing:
        """The standing of a class as of its last look; good for `room`."""
        return self._standings.get(pods, lambda: Standing(self._ledger, self._columns, pods))
