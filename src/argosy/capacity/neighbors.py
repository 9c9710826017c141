"""Pods that care which pods are near them: what they ask for, and how many more of them each zone may take.

Hard rules between pods hold within a topology: all in one zone with those pods (affinity), never in a zone with these
(anti-affinity), evenly over all zones (topology spread). `wishes` reads them from a pod, `Bound` is one rule with the
pods that count today, and `Domains` keeps count while `settling` puts more pods into zones in its mind. Mirrors the
filters of kube-scheduler; differs where several terms of affinity have to match one pod, which are judged one by one.
Rules within a single node are no matter of zones: they are left to the scheduler (see `demands`). Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from argosy.api.nodefit import PodClass
from argosy.api.nodefit.terms import PodMatcher, affinity_terms, constraints
from argosy.api.wellknown import HOSTNAME
from argosy.base.selectors.labels import nothing

_NOTHING: Final = nothing()


class Rule(StrEnum):
    TOGETHER = "together"
    APART = "apart"
    EVEN = "even"


# In kube-scheduler's words.
REASONS: Final = {
    Rule.TOGETHER: "node(s) didn't match pod affinity rules",
    Rule.APART: "node(s) didn't match pod anti-affinity rules",
    Rule.EVEN: "node(s) didn't match pod topology spread constraints",
}


@dataclass(frozen=True, slots=True)
class Wish:
    """A hard rule of a pod: which pods count, and the label whose values are the domains."""

    rule: Rule
    topology: str
    matcher: PodMatcher
    skew: int = 1
    min_domains: int = 1
    # Whether domains are only those of nodes that the pod's node affinity admits.
    honors_affinity: bool = False


@dataclass(frozen=True, slots=True)
class Bound:
    """A rule and how many pods count for it now, by domain: those of all nodes there are."""

    rule: Rule
    topology: str
    counts: Mapping[str, int]
    # Whether a pod that asks for it counts itself, once it is placed.
    counts_itself: bool = True
    skew: int = 1
    min_domains: int = 1


def wishes(pods: PodClass, namespace: str, labels: Mapping[str, str]) -> tuple[Wish, ...]:
    """What pods of a class with these labels ask for, within nodes and beyond."""
    terms = affinity_terms(pods.affinity, namespace)
    own = frozenset({namespace})
    return (
        *(Wish(Rule.TOGETHER, term.topology, term.matcher) for term in terms.affinity),
        *(Wish(Rule.APART, term.topology, term.matcher) for term in terms.anti_affinity),
        *(
            Wish(
                Rule.EVEN,
                one.topology,
                PodMatcher(one.selector, own, _NOTHING),
                one.max_skew,
                one.min_domains,
                one.honors_affinity,
            )
            for one in constraints(pods.spread, labels)
            # An empty selector counts nobody, as upstream has it.
            if one.is_hard and not one.selector.empty
        ),
    )


def is_of_nodes(wish: Wish) -> bool:
    """Whether its domains are the nodes themselves."""
    return wish.topology == HOSTNAME


def per_node(asked: tuple[Wish, ...], namespace: str, labels: Mapping[str, str]) -> int | None:
    """How many such pods a node may have by their own rules: 1 where two of them avoid each other."""
    avoid = (wish for wish in asked if wish.rule is Rule.APART and is_of_nodes(wish))
    return 1 if any(wish.matcher.matches(namespace, {}, labels) for wish in avoid) else None


class Domains:
    """One bound while pods are put into its domains."""

    def __init__(self, bound: Bound) -> None:
        self.bound: Final = bound
        self._counts = dict(bound.counts)

    def room(self, area: Mapping[str, str | None], many: int, *, pace: int = 1) -> int:
        """How many of `many` pods may go to nodes with these labels now.

        `pace` is a skew that is put up with on the way: so many at a time, because the others will follow.
        """
        value, bound = area.get(self.bound.topology), self.bound
        if value is None:
            return many if bound.rule is Rule.APART else 0
        count = self._counts.get(value, 0)
        if bound.rule is Rule.APART:
            return 0 if count else min(many, 1) if bound.counts_itself else many
        if bound.rule is Rule.TOGETHER:
            is_first = bound.counts_itself and self.is_unsettled
            return many if count or is_first else 0
        above = count - self._least(value)
        if not bound.counts_itself:
            return many if above <= bound.skew else 0
        return max(0, min(many, max(bound.skew, pace) - above))

    @property
    def is_unsettled(self) -> bool:
        """Whether pods that want to be together are nowhere yet: the first decides where."""
        return self.bound.rule is Rule.TOGETHER and not any(self._counts.values())

    def level(self, area: Mapping[str, str | None]) -> int:
        """How full a domain is, where that matters: the emptiest is next."""
        value = area.get(self.bound.topology) or ""
        return self._counts.get(value, 0) if self.bound.rule is Rule.EVEN else 0

    def put(self, area: Mapping[str, str | None], count: int) -> None:
        value = area.get(self.bound.topology)
        if value is not None and self.bound.counts_itself:
            self._counts[value] = self._counts.get(value, 0) + count

    def _least(self, value: str) -> int:
        """The pods of the emptiest domain, a new one included; 0 while there are fewer domains than asked for."""
        counts = {value: 0, **self._counts}
        return min(counts.values()) if len(counts) >= self.bound.min_domains else 0
