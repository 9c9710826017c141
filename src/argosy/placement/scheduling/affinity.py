"""Cluster affinity: which clusters a policy requires, and which it prefers by how much.

Required terms are alternatives; within one, the labels and every property have to fit. Preferred terms add up: one
without a sorter gives its weight to every cluster its labels fit, one with a sorter gives a share of it, by where
the cluster's value lies between the smallest and the largest of the whole fleet. That fleet includes clusters
nobody could pick: unhealthy, leaving, taken already. A property that all report alike, or that this cluster does
not report, is worth nothing in either direction.

Selectors are read once per cycle. Mirrors KubeFleet's clusteraffinity plugin: float64, Go's rounding.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple, TypeAlias

from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.policies import (
    ClusterAffinity,
    ClusterSelectorTerm,
    PlacementPolicy,
    PreferredClusterSelector,
    PropertySelectorRequirement,
    PropertySorter,
)
from argosy.api.objects.metadata import LabelSelector, Quantities
from argosy.base.quantities import NANOS, ParseError, Quantity, parse
from argosy.base.selectors import labels
from argosy.placement.scheduling.properties import value_of
from argosy.placement.scheduling.snapshots import CycleError

UNMATCHED: Final = "cluster does not match with any of the required cluster affinity terms"

_Check: TypeAlias = Callable[[MemberCluster], bool]
_COMPARISONS: Final[Mapping[str, Callable[[Quantity, Quantity], bool]]] = {
    "Eq": operator.eq,
    "Ne": operator.ne,
    "Gt": operator.gt,
    "Ge": operator.ge,
    "Lt": operator.lt,
    "Le": operator.le,
}


def required(policy: PlacementPolicy, reserved: Mapping[str, Quantities]) -> _Check | None:
    """Whether a cluster fits one of the terms; None if every cluster does."""
    wanted = _affinity(policy).required_during_scheduling_ignored_during_execution
    if wanted is None or not wanted.cluster_selector_terms:
        return None
    terms = [_term(term, reserved) for term in wanted.cluster_selector_terms]
    return lambda cluster: any(term(cluster) for term in terms)


def preferred(policy: PlacementPolicy) -> Sequence[PreferredClusterSelector]:
    """The terms that give scores."""
    return _affinity(policy).preferred_during_scheduling_ignored_during_execution


def _affinity(policy: PlacementPolicy) -> ClusterAffinity:
    affinity = policy.affinity
    found = affinity.cluster_affinity if affinity is not None else None
    return found or ClusterAffinity()


def _term(term: ClusterSelectorTerm, reserved: Mapping[str, Quantities]) -> _Check:
    fits = _labels(term.label_selector)
    selector = term.property_selector
    expressions = selector.match_expressions if selector is not None else ()
    return lambda cluster: (
        fits(cluster) and all(_holds(expression, cluster, reserved) for expression in expressions)
    )


def _labels(selector: LabelSelector | None) -> _Check:
    """No selector fits every cluster. One that nobody can read fails where it is asked."""
    if selector is None:
        return lambda _: True
    document = {
        "matchLabels": selector.match_labels,
        "matchExpressions": [
            {"key": each.key, "operator": each.operator, "values": list(each.values)}
            for each in selector.match_expressions
        ],
    }
    try:
        matcher = labels.from_object(document)
    except labels.SelectorError as error:
        return partial(_fail, f"failed to parse label selector: {error}")
    return lambda cluster: matcher.matches(cluster.metadata.labels)


def _fail(text: str, _cluster: MemberCluster) -> bool:
    raise CycleError(text)


def _holds(
    expression: PropertySelectorRequirement,
    cluster: MemberCluster,
    reserved: Mapping[str, Quantities],
) -> bool:
    value = value_of(cluster, expression.name, reserved)
    if value is None:
        return False
    if len(expression.values) != 1:
        raise CycleError("more than one value in the property selector expression")
    wanted = expression.values[0]
    compares = _COMPARISONS.get(expression.operator)
    if compares is None:
        raise CycleError(f"invalid operator: {expression.operator}")
    try:
        return compares(value, parse(wanted))
    except ParseError as error:
        raise CycleError(
            f"value specified in property selector {wanted} is not a valid resource quantity: {error}"
        ) from None


class _Preference(NamedTuple):
    weight: int
    fits: _Check
    sorter: PropertySorter | None
    smallest: float
    largest: float


class Preferences:
    """The preferred terms of a policy, for the fleet as it stands."""

    def __init__(
        self,
        policy: PlacementPolicy,
        clusters: Sequence[MemberCluster],
        reserved: Mapping[str, Quantities],
    ) -> None:
        self._reserved = reserved
        self._preferences: list[_Preference] = []
        for each in preferred(policy):
            if not each.weight:
                continue
            term = each.preference
            extremes = (0.0, 0.0)
            if term.property_sorter is not None:
                extremes = _extremes(term.property_sorter.name, clusters, reserved)
            self._preferences.append(
                _Preference(
                    each.weight, _labels(term.label_selector), term.property_sorter, *extremes
                )
            )

    def score(self, cluster: MemberCluster) -> int:
        return sum(self._share(each, cluster) for each in self._preferences)

    def _share(self, preference: _Preference, cluster: MemberCluster) -> int:
        if not preference.fits(cluster):
            return 0
        if preference.sorter is None:
            return preference.weight
        value = value_of(cluster, preference.sorter.name, self._reserved)
        if value is None:
            return 0
        return interpolate(
            _float(value),
            preference.smallest,
            preference.largest,
            preference.weight,
            preference.sorter.sort_order,
        )


def _extremes(
    name: str, clusters: Iterable[MemberCluster], reserved: Mapping[str, Quantities]
) -> tuple[float, float]:
    values = [
        _float(value)
        for cluster in clusters
        if (value := value_of(cluster, name, reserved)) is not None
    ]
    return (min(values), max(values)) if values else (0.0, 0.0)


def interpolate(value: float, smallest: float, largest: float, weight: int, order: str) -> int:
    """The share of a weight that a value earns among values between the two."""
    if smallest == largest:
        return 0
    share = (value - smallest) / (largest - smallest)
    match order:
        case "Descending":
            return _round(share * weight)
        case "Ascending":
            return _round((1 - share) * weight)
        case _:
            raise CycleError(f"cannot interpolate weight as sort order {order} is invalid")


def _float(value: Quantity) -> float:
    return value.nanos / NANOS


def _round(value: float) -> int:
    """To the nearest whole number; a half goes away from zero, where Python's goes to the even one."""
    whole = math.trunc(value)
    return whole + (1 if value > 0 else -1) if abs(value - whole) >= 0.5 else whole
