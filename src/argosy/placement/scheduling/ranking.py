"""Scores of clusters and who comes first.

Spread counts more than room (`room`), room more than affinity, affinity more than holding the placement already (under
an older policy). What is left equal is decided by name: among scored clusters the alphabetically last one wins, as
upstream.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.snapshots import ClusterScore


class Score(NamedTuple):
    """In order of weight, so that scores compare as tuples."""

    spread: int = 0
    # 0 where there is no room for what is placed.
    room: int = 1
    affinity: int = 0
    # 1 where the placement has a binding from an older policy.
    obsolete: int = 0

    @property
    def view(self) -> ClusterScore:
        return ClusterScore(self.affinity, self.spread)


class Scored(NamedTuple):
    score: Score
    cluster: str


def best_first(scored: Iterable[Scored]) -> list[Scored]:
    return sorted(scored, reverse=True)


def first_to_go(bindings: Iterable[Binding]) -> list[Binding]:
    """In the order they are given up: without a score first, then the lowest, then by name of their cluster."""
    return sorted(bindings, key=_keep)


def _keep(binding: Binding) -> tuple[bool, int, int, str]:
    score = binding.spec.cluster_decision.cluster_score
    if score is None:
        return False, 0, 0, binding.spec.target_cluster
    return True, score.priority_score or 0, score.affinity_score or 0, binding.spec.target_cluster
