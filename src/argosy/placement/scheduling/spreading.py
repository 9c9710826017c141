"""Topology spread: one more cluster in a domain may not make the domains differ by more than allowed.

A domain is a value of a label. Its count is of clusters that hold the placement under the latest policy; domains
without any count as well, clusters without the label belong to none. What one more would do to the largest
difference (the skew) follows from the smallest, second smallest and largest count. A constraint that says
DoNotSchedule keeps a cluster out, the other kind costs it a thousand points; where a constraint holds, the change
of the skew counts against the cluster.

Mirrors KubeFleet's topologyspreadconstraints plugin, also in that a change for the better which is still too little
is a violation.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.policies import PlacementPolicy, TopologySpreadConstraint
from argosy.base.fielderrors import quote

SCHEDULE_ANYWAY: Final = "ScheduleAnyway"
_PENALTY: Final = 1000


class Spread(NamedTuple):
    """By cluster: why it is kept out, or the score of those that are not."""

    violations: dict[str, str]
    scores: dict[str, int]


def spread(
    policy: PlacementPolicy, clusters: Sequence[MemberCluster], selected: Collection[str]
) -> Spread:
    """Where one more can go; `selected` are the names of clusters that hold the placement."""
    result = Spread({}, {each.metadata.name: 0 for each in clusters})
    strict = [each for each in policy.topology_spread_constraints if _is_strict(each)]
    loose = [each for each in policy.topology_spread_constraints if not _is_strict(each)]
    for constraint in (*strict, *loose):
        _evaluate(constraint, clusters, selected, result)
    return result


def _is_strict(constraint: TopologySpreadConstraint) -> bool:
    return constraint.when_unsatisfiable != SCHEDULE_ANYWAY


def _evaluate(
    constraint: TopologySpreadConstraint,
    clusters: Sequence[MemberCluster],
    selected: Collection[str],
    result: Spread,
) -> None:
    key = constraint.topology_key
    max_skew = 1 if constraint.max_skew is None else constraint.max_skew
    counts = count_by_domain(key, clusters, selected)
    for cluster in clusters:
        name = cluster.metadata.name
        domain = cluster.metadata.labels.get(key)
        if name in result.violations or domain is None:
            continue
        skew, change = skew_after(counts, domain)
        if skew <= max_skew:
            result.scores[name] -= change
        elif _is_strict(constraint):
            result.violations[name] = (
                f"violated doNotSchedule topology spread constraint {quote(key)}"
                f" (max skew {max_skew})"
            )
            del result.scores[name]
        else:
            result.scores[name] -= _PENALTY


def count_by_domain(
    key: str, clusters: Sequence[MemberCluster], selected: Collection[str]
) -> dict[str, int]:
    counts: dict[str, int] = {}
    for cluster in clusters:
        domain = cluster.metadata.labels.get(key)
        if domain is not None:
            counts[domain] = counts.get(domain, 0) + (cluster.metadata.name in selected)
    return counts


def skew_after(counts: dict[str, int], domain: str) -> tuple[int, int]:
    """The skew with one more in the domain, and by how much that changes it."""
    ordered = sorted(counts.values())
    smallest, largest = ordered[0], ordered[-1]
    second = ordered[1] if len(ordered) > 1 else smallest
    count = counts[domain]
    if largest == smallest:
        change = 1
    elif count == smallest and smallest != second:
        change = -1
    elif count == largest:
        change = 1
    else:
        change = 0
    return largest - smallest + change, change
