"""Topology spread: how evenly the pods a constraint counts lie over zones, hosts or whatever label it names.

Mirrors kube-scheduler's PodTopologySpread. A constraint counts pods of the pod's own namespace on nodes that have the
labels of all its sibling constraints and that its policies include. Hard constraints refuse nodes whose domain would
be more than maxSkew above the emptiest one; soft ones rank nodes. Pods without constraints are spread softly by zone
and host with the other pods of their services and owners. Each question costs a few passes over arrays.
"""

from __future__ import annotations

from math import log
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from argosy.api.nodefit.terms import Constraint, PodMatcher
from argosy.api.wellknown import HOSTNAME, ZONE
from argosy.base.selectors.labels import LabelSelector, nothing
from argosy.workloads.scheduling.columns import Bools, Columns, Ints
from argosy.workloads.scheduling.ledger import Ledger
from argosy.workloads.scheduling.matching import Matching
from argosy.workloads.scheduling.profiles import Profile

Floats: TypeAlias = npt.NDArray[np.float64]

_MOST: Final = 100
_NOTHING: Final = nothing()


class Domains:
    """One constraint of one profile: where its domains are and what they hold."""

    def __init__(
        self,
        constraint: Constraint,
        ids: Ints,
        count: int,
        rows: Ints,
        matching: Matching,
        namespace: str,
    ) -> None:
        self.constraint: Final = constraint
        # The number of the domain of each row, -1 for none.
        self.ids: Final = ids
        self._count = count
        # The rows whose pods count.
        self._rows = rows
        self._of_rows = ids[rows]
        self._present = np.zeros(count, np.bool_)
        self._present[self._of_rows] = True
        self._domains = int(self._present.sum())
        self._matching = matching
        # An empty selector counts nobody, as upstream has it.
        self._matcher = (
            None
            if constraint.selector.empty
            else PodMatcher(constraint.selector, frozenset({namespace}), _NOTHING)
        )

    def matching(self) -> Ints:
        """How many pods count, per row."""
        if self._matcher is None:
            return np.zeros(len(self.ids), np.int64)
        return self._matching.count((self._matcher,), counts_deleting=False)

    def counts(self) -> Ints:
        """How many pods count, per domain."""
        counts: Ints = np.bincount(
            self._of_rows, weights=self.matching()[self._rows], minlength=self._count
        ).astype(np.int64)
        return counts

    def allowed(self) -> Bools:
        """The rows to which one more pod may go; those without a domain are left to the caller."""
        if not self._count:
            return np.ones(len(self.ids), np.bool_)
        constraint, counts = self.constraint, self.counts()
        least = 0
        if self._domains >= constraint.min_domains:
            least = int(counts[self._present].min())
        within = counts + constraint.matches_itself - least <= constraint.max_skew
        allowed: Bools = within[self.ids]
        return allowed


class Spreading:
    """Answers for profiles."""

    def __init__(self, ledger: Ledger, columns: Columns, matching: Matching) -> None:
        self._ledger = ledger
        self._columns = columns
        self._matching = matching

    def hard(self, profile: Profile) -> list[Domains]:
        return self._domains(profile, profile.hard, needs_all=True)

    def soft(self, profile: Profile, default: LabelSelector | None) -> list[Domains]:
        """The constraints that rank nodes; `default` selects the pods to keep apart from if the pod names none."""
        if profile.soft is not None:
            return self._domains(profile, profile.soft, needs_all=True)
        if default is None:
            return []
        given = (
            Constraint(HOSTNAME, 3, default, is_hard=False),
            Constraint(ZONE, 5, default, is_hard=False),
        )
        return self._domains(profile, given, needs_all=False)

    def _domains(
        self, profile: Profile, constraints: tuple[Constraint, ...], *, needs_all: bool
    ) -> list[Domains]:
        topologies = [self._columns.topology(constraint.topology) for constraint in constraints]
        columns = [topology.read() for topology in topologies]
        labeled = self._ledger.alive.copy()
        if needs_all:
            for ids in columns:
                labeled &= ids >= 0
        pods = profile.node_class
        made = []
        for constraint, topology, ids in zip(constraints, topologies, columns, strict=True):
            included = labeled & (ids >= 0)
            if constraint.honors_affinity:
                included &= self._columns.matched(pods)
            if constraint.honors_taints:
                included &= self._columns.tolerated(pods)
            rows = np.flatnonzero(included)
            made.append(
                Domains(constraint, ids, topology.count, rows, self._matching, profile.namespace)
            )
        return made


def spread_scores(domains: list[Domains], feasible: Bools, *, needs_all: bool) -> Ints:
    """0 to 100 for every feasible row, more where fewer pods count."""
    scores = np.zeros(len(feasible), np.float64)
    ranked = feasible.copy()
    if needs_all:
        for domain in domains:
            ranked &= domain.ids >= 0
    for domain in domains:
        scores += _score(domain, ranked)
    rounded = np.floor(scores + 0.5).astype(np.int64)
    if not ranked.any():
        return np.zeros(len(feasible), np.int64)
    most, least = int(rounded[ranked].max()), int(rounded[ranked].min())
    if most == 0:
        return np.where(ranked, _MOST, 0)
    normalized: Ints = np.where(ranked, _MOST * (most + least - rounded) // most, 0)
    return normalized


def _score(domain: Domains, ranked: Bools) -> Floats:
    ids = domain.ids
    has = ids >= 0
    if domain.constraint.topology == HOSTNAME:
        size, counted = int(ranked.sum()), domain.matching()
    else:
        size = len(np.unique(ids[ranked & has])) + bool((ranked & ~has).any())
        counts = domain.counts()
        counted = counts[ids] if len(counts) else np.zeros(len(ids), np.int64)
    weighted = counted * log(size + 2) + (domain.constraint.max_skew - 1)
    return np.where(has, weighted, 0.0)
