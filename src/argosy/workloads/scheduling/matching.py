"""How many pods on each node a rule counts, kept up to date as pods come and go.

A counter belongs to a rule (`PodMatcher`s that must all match; spread constraints leave out pods that are being
deleted). It is made on the first question, in one pass over the pods of its namespaces, and then follows every
placement. Counters are found by a label they require, so a placement costs as much as it has labels, not as there are
rules. The least recently asked counters are forgotten.

`HeldTerms` is the other direction: the terms of the pods that are placed, which count for pods yet to come.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple, TypeVar

import numpy as np

from argosy.api.nodefit.terms import NUMBERING, PodMatcher, Term
from argosy.workloads.scheduling.columns import Ints
from argosy.workloads.scheduling.ledger import Ledger
from argosy.workloads.scheduling.placements import Placement
from argosy.workloads.scheduling.recency import Recent

K = TypeVar("K")

_KEPT: Final = 1024
_NO_LABELS: Final[Mapping[str, str]] = {}


class RowCounts:
    """A number per row that changes in place."""

    __slots__ = ("_values", "total")

    def __init__(self) -> None:
        self._values: Ints = np.zeros(64, np.int64)
        self.total = 0

    def add(self, row: int, amount: int) -> None:
        if row >= len(self._values):
            self._reach(row + 1)
        self._values[row] += amount
        self.total += amount

    def read(self, size: int) -> Ints:
        if size > len(self._values):
            self._reach(size)
        return self._values[:size]

    def _reach(self, size: int) -> None:
        grown = np.zeros(max(size, 2 * len(self._values)), np.int64)
        grown[: len(self._values)] = self._values
        self._values = grown


class Rule(NamedTuple):
    """Which pods a counter counts."""

    matchers: tuple[PodMatcher, ...]
    counts_deleting: bool

    @property
    def label(self) -> tuple[str, str] | None:
        """A label that every counted pod has."""
        return next(
            (pair for matcher in self.matchers for pair in matcher.selector.exact.items()), None
        )


class Matching:
    """The counters of a ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._counters: Recent[Rule, RowCounts] = Recent(_KEPT, self._forget)
        self._by_label: dict[tuple[str, str] | None, dict[Rule, RowCounts]] = {}
        self._by_namespace: dict[str, dict[str, Placement]] = {}
        self._namespaces: dict[str, Mapping[str, str]] = {}
        # Changes with the labels of any namespace.
        self.namespaces_version = 0
        ledger.counters.append(self._follow)

    def count(self, matchers: tuple[PodMatcher, ...], *, counts_deleting: bool) -> Ints:
        """How many pods on each row match all of the matchers."""
        rule = Rule(matchers, counts_deleting)
        return self._counters.get(rule, lambda: self._make(rule)).read(self._ledger.size)

    def namespace_labels(self, namespace: str) -> Mapping[str, str]:
        return self._namespaces.get(namespace, _NO_LABELS)

    def set_namespace(self, name: str, labels: Mapping[str, str] | None) -> None:
        """A namespace's labels; None: it is gone."""
        if labels == self._namespaces.get(name):
            return
        if labels is None:
            del self._namespaces[name]
        else:
            self._namespaces[name] = labels
        self.namespaces_version += 1
        self._counters.drop(_reads_namespaces)

    def _make(self, rule: Rule) -> RowCounts:
        counts = RowCounts()
        for placement in self._candidates(rule):
            if self._counts(rule, placement):
                counts.add(placement.row, 1)
        self._by_label.setdefault(rule.label, {})[rule] = counts
        return counts

    def _forget(self, rule: Rule, counts: RowCounts) -> None:
        del self._by_label[rule.label][rule]

    def _candidates(self, rule: Rule) -> Iterator[Placement]:
        first = rule.matchers[0]
        spaces: Iterable[str] = (
            first.namespaces if first.namespace_selector.never else list(self._by_namespace)
        )
        for namespace in spaces:
            yield from self._by_namespace.get(namespace, {}).values()

    def _counts(self, rule: Rule, placement: Placement) -> bool:
        if placement.is_deleting and not rule.counts_deleting:
            return False
        labels = self.namespace_labels(placement.namespace)
        return all(
            matcher.matches(placement.namespace, labels, placement.labels)
            for matcher in rule.matchers
        )

    def _follow(self, placement: Placement, sign: int) -> None:
        placed = self._by_namespace.setdefault(placement.namespace, {})
        if sign > 0:
            placed[placement.uid] = placement
        else:
            placed.pop(placement.uid, None)
            if not placed:
                del self._by_namespace[placement.namespace]
        if not self._by_label:
            return
        for label in (None, *placement.labels.items()):
            for rule, counts in self._by_label.get(label, {}).items():
                if self._counts(rule, placement):
                    counts.add(placement.row, sign)


class Concerning(NamedTuple):
    """Terms of placed pods that match a pod, with the pods per row that have them."""

    repelling: list[tuple[Term, RowCounts]]
    attracting: list[tuple[Term, int, RowCounts]]


class HeldTerms:
    """The affinity terms of the pods on nodes, and how many pods on each row have them."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._repelling: dict[Term, RowCounts] = {}
        self._attracting: dict[tuple[Term, int], RowCounts] = {}
        # Changes with the set of terms, not with how many pods have them.
        self.version = 0
        # How many pods have terms that read labels by which pods are numbered.
        self._numbering = 0
        ledger.counters.append(self._follow)

    @property
    def reads_numbers(self) -> bool:
        """Whether any term tells the pods of one owner from each other."""
        return self._numbering > 0

    def concerning(
        self, namespace: str, namespace_labels: Mapping[str, str], labels: Mapping[str, str]
    ) -> Concerning:
        """The terms that match such a pod: required anti-affinity, and what counts for or against nodes."""
        return Concerning(
            [
                (term, counts)
                for term, counts in self._repelling.items()
                if term.matcher.matches(namespace, namespace_labels, labels)
            ],
            [
                (term, weight, counts)
                for (term, weight), counts in self._attracting.items()
                if term.matcher.matches(namespace, namespace_labels, labels)
            ],
        )

    def _follow(self, placement: Placement, sign: int) -> None:
        terms = placement.profile.terms
        if not terms:
            return
        for term in terms.anti_affinity:
            self._add(self._repelling, term, placement.row, sign)
        for weighted in terms.attract:
            self._add(self._attracting, weighted, placement.row, sign)
        if any(_numbers(term) for term in (*terms.anti_affinity, *(t for t, _ in terms.attract))):
            self._numbering += sign

    def _add(self, held: dict[K, RowCounts], key: K, row: int, sign: int) -> None:
        counts = held.get(key)
        if counts is None:
            counts = held[key] = RowCounts()
            self.version += 1
        counts.add(row, sign)
        if not counts.total:
            del held[key]
            self.version += 1


def _numbers(term: Term) -> bool:
    return any(need.key in NUMBERING for need in term.matcher.selector.requirements())


def _reads_namespaces(rule: Rule) -> bool:
    return any(not matcher.namespace_selector.never for matcher in rule.matchers)
