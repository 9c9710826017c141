"""The flavors that were looked at for a pod set, told once each though several resource groups may look at the same
one.

A flavor of several groups is told by its worst outcome. Where one group looked at it and another, that has it too,
ended its search before, the flavor could not have been taken: it does not provide that other group's resource.
"""

from __future__ import annotations

from collections.abc import Sequence

from argosy.queueing.cache.clusterqueues import Group
from argosy.queueing.flavors.assignments import NO_MATCHING_FLAVOR, Attempt, Mode
from argosy.queueing.flavors.reasons import more_severe


def merge(told: dict[str, Attempt], more: Sequence[Attempt], resource: str, group: Group) -> None:
    """Add what the search for a resource found in its group."""
    for attempt in more:
        known = told.get(attempt.flavor)
        told[attempt.flavor] = attempt if known is None else _worse(known, attempt)
    if not more or len(told) == len(more):
        return
    seen = {attempt.flavor for attempt in more}
    for flavor, attempt in told.items():
        if flavor in group.flavors and flavor not in seen:
            told[flavor] = attempt._replace(
                mode=Mode.NO_FIT,
                reasons=_union(
                    attempt.reasons, (f"flavor {flavor} does not provide resource {resource}",)
                ),
                no_fit_reason=NO_MATCHING_FLAVOR,
            )


def _worse(one: Attempt, other: Attempt) -> Attempt:
    possibilities = [a.possibility for a in (one, other) if a.possibility is not None]
    return Attempt(
        one.flavor,
        min(one.mode, other.mode),
        max(one.borrow, other.borrow),
        min(possibilities, default=None),
        _union(one.reasons, other.reasons),
        more_severe(one.no_fit_reason, other.no_fit_reason),
    )


def _union(one: Sequence[str], other: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted({*one, *other}))
