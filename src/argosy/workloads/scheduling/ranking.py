"""Which of the feasible nodes is best.

Sums kube-scheduler's scores with its default weights: least and balanced allocation (1 each, from `standings`), node
affinity (2), topology spread (2), affinity between pods (2), taints that are only discouraged (3). Images are not
looked at. Where upstream picks one of several best nodes at random, the one known longest is taken, so decisions
can be repeated.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from argosy.base.selectors.labels import LabelSelector
from argosy.workloads.scheduling.columns import Bools, Ints
from argosy.workloads.scheduling.profiles import Profile
from argosy.workloads.scheduling.screening import Cluster
from argosy.workloads.scheduling.spreading import spread_scores

_MOST: Final = 100
_TAINTS: Final = 3
_AFFINITY: Final = 2
_SPREAD: Final = 2
_NEIGHBORS: Final = 2


class Ranking:
    """One profile's view of nodes; valid as long as the nodes do not change."""

    def __init__(self, cluster: Cluster, profile: Profile, default: LabelSelector | None) -> None:
        self._cluster = cluster
        self._profile = profile
        self._preferred = cluster.columns.preferred(profile.node_class)
        disliked = cluster.columns.disliked(profile.node_class)
        self._disliked = disliked if disliked.any() else None
        self._soft = cluster.spreading.soft(profile, default)
        self._needs_all = profile.soft is not None

    def best(self, feasible: Bools) -> int | None:
        """The row with the highest score; None if no row is feasible."""
        if not len(feasible):
            return None
        scores = np.where(feasible, self.scores(feasible), -1)
        row = int(scores.argmax())
        return row if feasible[row] else None

    def scores(self, feasible: Bools) -> Ints:
        """The sum for every feasible row; other rows have no meaning."""
        total = self._cluster.standings.of(self._profile.node_class).scores
        if self._preferred is not None:
            most = int(self._preferred[feasible].max(initial=0))
            if most > 0:
                total = total + _AFFINITY * (_MOST * self._preferred // most)
        if self._disliked is not None:
            most = int(self._disliked[feasible].max(initial=0))
            if most > 0:
                total = total + _TAINTS * (_MOST - _MOST * self._disliked // most)
        if self._soft:
            total = total + _SPREAD * spread_scores(self._soft, feasible, needs_all=self._needs_all)
        if self._cluster.neighbors.rank(self._profile):
            near = self._cluster.neighbors.scores(self._profile, feasible)
            if near is not None:
                total = total + _NEIGHBORS * near
        return total
