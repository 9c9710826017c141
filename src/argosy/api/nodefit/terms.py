"""Rules about other pods, compiled: terms of (anti-)affinity and spread constraints.

A `PodMatcher` says which pods a rule counts: namespaces and a label selector. Matchers and terms are equal when their
meaning is, so a thousand pods of one template share one counter. matchLabelKeys of affinity terms are merged into the
selector by the API; those of spread constraints are merged here as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from argosy.base.selectors.labels import LabelSelector, from_object, nothing
from argosy.base.selectors.requirements import Operator, require
from argosy.base.types import Object

# Labels by which an owner numbers its pods.
NUMBERING: Final = frozenset({
    "batch.kubernetes.io/job-completion-index",
    "statefulset.kubernetes.io/pod-name",
    "apps.kubernetes.io/pod-index",
})  # fmt: skip
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"


@dataclass(frozen=True, slots=True)
class PodMatcher:
    """Which pods count."""

    selector: LabelSelector
    namespaces: frozenset[str]
    # Namespaces besides, by their labels.
    namespace_selector: LabelSelector

    def matches(
        self, namespace: str, namespace_labels: Mapping[str, str], labels: Mapping[str, str]
    ) -> bool:
        return (
            namespace in self.namespaces or self.namespace_selector.matches(namespace_labels)
        ) and self.selector.matches(labels)


@dataclass(frozen=True, slots=True)
class Term:
    """One term of affinity: pods that count, and the topology within which they do."""

    matcher: PodMatcher
    topology: str


@dataclass(frozen=True, slots=True)
class AffinityTerms:
    """All terms of a pod. The weights of preferred anti-affinity are negative."""

    affinity: tuple[Term, ...] = ()
    anti_affinity: tuple[Term, ...] = ()
    preferred: tuple[tuple[Term, int], ...] = ()

    @property
    def attract(self) -> tuple[tuple[Term, int], ...]:
        """What the pod, once placed, adds to the scores of those its terms match."""
        return self.preferred + tuple((term, 1) for term in self.affinity)

    def __bool__(self) -> bool:
        return bool(self.affinity or self.anti_affinity or self.preferred)


NO_TERMS: Final = AffinityTerms()


@dataclass(frozen=True, slots=True)
class Constraint:
    """A topologySpreadConstraint."""

    topology: str
    max_skew: int
    selector: LabelSelector
    is_hard: bool
    min_domains: int = 1
    honors_affinity: bool = True
    honors_taints: bool = False
    matches_itself: bool = False


def affinity_terms(affinity: Object, namespace: str) -> AffinityTerms:
    attracts, repels = affinity.get("podAffinity") or {}, affinity.get("podAntiAffinity") or {}
    if not attracts and not repels:
        return NO_TERMS
    return AffinityTerms(
        tuple(_term(term, namespace) for term in attracts.get(_REQUIRED) or ()),
        tuple(_term(term, namespace) for term in repels.get(_REQUIRED) or ()),
        (
            *_weighted(attracts.get(_PREFERRED), namespace, 1),
            *_weighted(repels.get(_PREFERRED), namespace, -1),
        ),
    )


def constraints(given: Iterable[Object], labels: Mapping[str, str]) -> tuple[Constraint, ...]:
    return tuple(_constraint(constraint, labels) for constraint in given)


def _constraint(given: Object, labels: Mapping[str, str]) -> Constraint:
    selector = from_object(given.get("labelSelector"))
    keys = [key for key in given.get("matchLabelKeys") or () if key in labels]
    if keys and not selector.never:
        wanted = [require(key, Operator.IN, (labels[key],)) for key in keys]
        selector = LabelSelector({*wanted, *selector.requirements()})
    return Constraint(
        topology=given.get("topologyKey", ""),
        max_skew=given.get("maxSkew", 1),
        selector=selector,
        is_hard=given.get("whenUnsatisfiable") == "DoNotSchedule",
        min_domains=given.get("minDomains") or 1,
        honors_affinity=given.get("nodeAffinityPolicy", "Honor") == "Honor",
        honors_taints=given.get("nodeTaintsPolicy", "Ignore") == "Honor",
        matches_itself=selector.matches(labels),
    )


def _term(term: Object, namespace: str) -> Term:
    given = term.get("namespaces") or ()
    by_labels = term.get("namespaceSelector")
    namespaces = frozenset(given) if given or by_labels is not None else frozenset({namespace})
    selector = from_object(by_labels) if by_labels is not None else nothing()
    matcher = PodMatcher(from_object(term.get("labelSelector")), namespaces, selector)
    return Term(matcher, term.get("topologyKey", ""))


def _weighted(
    terms: Iterable[Object] | None, namespace: str, sign: int
) -> Iterable[tuple[Term, int]]:
    for term in terms or ():
        yield _term(term.get("podAffinityTerm") or {}, namespace), sign * term.get("weight", 0)
