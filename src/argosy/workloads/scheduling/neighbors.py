"""Affinity and anti-affinity between pods.

Mirrors kube-scheduler's InterPodAffinity. A node is refused when a required term of the pod is not met in its topology,
when a pod that a required anti-affinity term matches is there, or when a pod is there whose own required anti-affinity
matches the pod. The first of a group that wants company may go anywhere, if it is company to itself. Preferred terms of
both sides rank nodes; required affinity of placed pods counts as a preference of weight 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from argosy.api.nodefit.terms import PodMatcher
from argosy.workloads.scheduling.columns import Bools, Columns, Ints
from argosy.workloads.scheduling.ledger import Ledger
from argosy.workloads.scheduling.matching import Concerning, HeldTerms, Matching
from argosy.workloads.scheduling.profiles import Profile
from argosy.workloads.scheduling.recency import Recent

_MOST: Final = 100
_KEPT: Final = 1024
_NOBODY: Final = Concerning([], [])


class Neighbors:
    """Answers for profiles."""

    def __init__(
        self, ledger: Ledger, columns: Columns, matching: Matching, held: HeldTerms
    ) -> None:
        self._ledger = ledger
        self._columns = columns
        self._matching = matching
        self._held = held
        self._seen: Recent[Profile, list[tuple[int, int, Concerning]]] = Recent(_KEPT)

    def restrict(self, profile: Profile) -> bool:
        """Whether rules between pods keep the profile off any node."""
        terms = profile.terms
        return bool(terms.affinity or terms.anti_affinity or self._concerning(profile).repelling)

    def rank(self, profile: Profile) -> bool:
        """Whether rules between pods rank nodes for the profile."""
        return bool(profile.terms.preferred or self._concerning(profile).attracting)

    def attracted(self, profile: Profile) -> Bools:
        """The rows where the pod's required affinity is met."""
        terms = profile.terms.affinity
        if not terms:
            return np.ones(self._ledger.size, np.bool_)
        counts = self._count(tuple(term.matcher for term in terms))
        labeled = np.ones(self._ledger.size, np.bool_)
        met = labeled.copy()
        anywhere = False
        for term in terms:
            ids = self._columns.topology(term.topology).read()
            labeled &= ids >= 0
            near = self._near(term.topology, counts)
            anywhere = anywhere or bool(near.any())
            met &= near > 0
        if not anywhere and self._is_company(profile):
            return labeled
        return met & labeled

    def unrepelled(self, profile: Profile) -> Bools:
        """The rows without a pod that the pod's required anti-affinity matches."""
        free = np.ones(self._ledger.size, np.bool_)
        for term in profile.terms.anti_affinity:
            free &= self._near(term.topology, self._count((term.matcher,))) == 0
        return free

    def welcome(self, profile: Profile) -> Bools:
        """The rows without a pod whose required anti-affinity matches the pod."""
        free = np.ones(self._ledger.size, np.bool_)
        for term, counts in self._concerning(profile).repelling:
            free &= self._near(term.topology, counts.read(self._ledger.size)) == 0
        return free

    def scores(self, profile: Profile, feasible: Bools) -> Ints | None:
        """0 to 100 for every feasible row; None if no preference speaks."""
        total = np.zeros(self._ledger.size, np.int64)
        for term, weight in profile.terms.preferred:
            total += weight * self._near(term.topology, self._count((term.matcher,)))
        for term, weight, held in self._concerning(profile).attracting:
            total += weight * self._near(term.topology, held.read(self._ledger.size))
        if not feasible.any():
            return None
        most, least = int(total[feasible].max()), int(total[feasible].min())
        if most == least:
            return None
        scaled: Ints = (_MOST * ((total - least) / (most - least))).astype(np.int64)
        return scaled

    def _concerning(self, profile: Profile) -> Concerning:
        """The terms of placed pods that match the profile; looked for again when terms or namespaces change."""
        if not profile.namespace:
            return _NOBODY
        versions = self._held.version, self._matching.namespaces_version
        seen = self._seen.get(profile, list)
        if not seen or seen[0][:2] != versions:
            seen[:] = [(*versions, self._held.concerning(*self._identity(profile)))]
        return seen[0][2]

    def _identity(self, profile: Profile) -> tuple[str, dict[str, str], Mapping[str, str]]:
        namespace = profile.namespace
        return namespace, dict(self._matching.namespace_labels(namespace)), profile.labels

    def _is_company(self, profile: Profile) -> bool:
        """Whether the pod would be the company it wants."""
        identity = self._identity(profile)
        return all(term.matcher.matches(*identity) for term in profile.terms.affinity)

    def _count(self, matchers: tuple[PodMatcher, ...]) -> Ints:
        return self._matching.count(matchers, counts_deleting=True)

    def _near(self, key: str, counts: Ints) -> Ints:
        """For every row, how many are counted in its topology; 0 for rows without the label."""
        topology = self._columns.topology(key)
        ids = topology.read()
        if not topology.count:
            return np.zeros(len(ids), np.int64)
        has = ids >= 0
        sums = np.bincount(ids[has], weights=counts[has], minlength=topology.count)
        near: Ints = np.where(has, sums[ids], 0).astype(np.int64)
        return near
