"""Whether an eviction is valid, and whether it is allowed.

Nothing of this is tried again: an eviction that was refused stays refused, and a new one has to be made. A placement
that failed, or only compares, loses nothing; one without a budget has nothing to lose either. With a budget, as many
placements have to stay available as it says. Percentages are of the number of clusters the placement wants and rounded
up, so a placement that picks all it can cannot have any.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from argosy.api.objects.conditions import is_current, with_condition
from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import (
    AVAILABLE,
    BOUND,
    DIFF_REPORTED,
    UNSCHEDULED,
    Binding,
)
from argosy.api.objects.fleet.evictions import PlacementDisruptionBudget, PlacementEviction
from argosy.api.objects.fleet.placements import Placement
from argosy.api.objects.fleet.policies import PICK_ALL, PICK_FIXED, PICK_N, PlacementPolicy
from argosy.api.objects.metadata import Condition, find_condition
from argosy.placement.rollouts.readiness import has_failed

VALID: Final = "Valid"
EXECUTED: Final = "Executed"

MISSING: Final = "Failed to find ClusterResourcePlacement targeted by eviction"
DELETING: Final = "Found deleting ClusterResourcePlacement targeted by eviction"
FIXED: Final = "Found ClusterResourcePlacement with PickFixed placement type targeted by eviction"
UNBOUND: Final = "Failed to find scheduler decision for placement in cluster targeted by eviction"
AMBIGUOUS: Final = (
    "Found more than one scheduler decision for placement in cluster targeted by eviction"
)
_LEAVING: Final = (
    "Eviction is allowed, resources propagated by placement is currently being removed from cluster "
    "targeted by eviction"
)
_FAILED: Final = "Eviction is allowed, placement has failed"
_UNLIMITED: Final = "Eviction is allowed, no ClusterResourcePlacementDisruptionBudget specified"
_NOT_THERE: Final = (
    "Eviction is blocked, placement has not propagated resources to target cluster yet"
)
_MISCONFIGURED: Final = (
    "Eviction is blocked by misconfigured ClusterResourcePlacementDisruptionBudget, either MaxUnavailable is specified "
    "or MinAvailable is specified as a percentage for PickAll ClusterResourcePlacement"
)


@dataclass(slots=True, frozen=True)
class Verdict:
    """The eviction's conditions as they are to be; `binding` is to be deleted first, as it was seen."""

    conditions: tuple[Condition, ...]
    binding: Binding | None = None


def is_over(eviction: PlacementEviction) -> bool:
    """Whether the eviction was decided already."""
    conditions = eviction.status.conditions
    valid = find_condition(conditions, VALID)
    return (
        is_current(valid, eviction.metadata.generation, "False")
        or find_condition(conditions, EXECUTED) is not None
    )


def decided(
    eviction: PlacementEviction,
    placement: Placement | None,
    bindings: Sequence[Binding],
    budget: PlacementDisruptionBudget | None,
    now: datetime,
) -> Verdict:
    """`bindings` are all of the placement, `budget` is the one of its name."""
    on_cluster = [
        each for each in bindings if each.spec.target_cluster == eviction.spec.cluster_name
    ]
    problem = _problem(placement, on_cluster)
    if placement is None or problem:
        return Verdict(_valid(eviction, "False", "Invalid", problem, now))
    valid = _valid(eviction, "True", "Valid", "Eviction is valid", now)
    target = on_cluster[0]
    message, is_allowed, is_deleted = _judged(placement, target, bindings, budget)
    reason = f"{_KIND}Executed" if is_allowed else f"{_KIND}NotExecuted"
    status = "True" if is_allowed else "False"
    new = Condition(EXECUTED, status, reason, message, eviction.metadata.generation)
    return Verdict(with_condition(valid, new, now), target if is_deleted else None)


_KIND: Final = "ClusterResourcePlacementEviction"


def _valid(
    eviction: PlacementEviction, status: str, reason: str, message: str, now: datetime
) -> tuple[Condition, ...]:
    new = Condition(VALID, status, _KIND + reason, message, eviction.metadata.generation)
    return with_condition(eviction.status.conditions, new, now)


def _problem(placement: Placement | None, on_cluster: Sequence[Binding]) -> str:
    if placement is None:
        return MISSING
    if placement.metadata.deletion_timestamp is not None:
        return DELETING
    if placement.spec.wanted.type == PICK_FIXED:
        return FIXED
    if len(on_cluster) > 1:
        return AMBIGUOUS
    return "" if on_cluster else UNBOUND


def _judged(
    placement: Placement,
    target: Binding,
    bindings: Sequence[Binding],
    budget: PlacementDisruptionBudget | None,
) -> tuple[str, bool, bool]:
    """What to say, whether it is allowed, and whether the binding is still to be deleted."""
    if target.metadata.deletion_timestamp is not None:
        return _LEAVING, True, False
    if not _is_present(target):
        return _NOT_THERE, False, False
    if has_failed(target) or _is_true(target, DIFF_REPORTED):
        return _FAILED, True, True
    if budget is None:
        return _UNLIMITED, True, True
    policy = placement.spec.wanted
    if policy.type == PICK_ALL and _is_relative(budget):
        return _MISCONFIGURED, False, False
    available = sum(_is_true(each, AVAILABLE) for each in bindings)
    is_allowed = _spare(budget, policy, len(bindings), available) > 0
    message = (
        f"Eviction is {'allowed' if is_allowed else 'blocked'} by specified ClusterResourcePlacementDisruptionBudget, "
        f"availablePlacements: {available}, totalPlacements: {len(bindings)}"
    )
    return message, is_allowed, is_allowed


def _is_present(binding: Binding) -> bool:
    """Whether its resources may be on the cluster."""
    was = binding.metadata.annotations.get(names.PREVIOUS_STATE)
    state = binding.spec.state
    return state == BOUND or (state == UNSCHEDULED and was == BOUND)


def _is_true(binding: Binding, type_: str) -> bool:
    said = find_condition(binding.status.conditions, type_)
    return is_current(said, binding.metadata.generation, "True")


def _is_relative(budget: PlacementDisruptionBudget) -> bool:
    spec = budget.spec
    return spec.max_unavailable is not None or isinstance(spec.min_available, str)


def _spare(
    budget: PlacementDisruptionBudget, policy: PlacementPolicy, total: int, available: int
) -> int:
    """How many placements may go."""
    wanted = (policy.number_of_clusters or 0) if policy.type == PICK_N else 0
    if budget.spec.max_unavailable is not None:
        return _scaled(budget.spec.max_unavailable, wanted) - (total - available)
    if budget.spec.min_available is not None:
        return available - _scaled(budget.spec.min_available, wanted)
    return 0


def _scaled(value: int | str, whole: int) -> int:
    if isinstance(value, int):
        return value
    number = value.removesuffix("%")
    return math.ceil(int(number) * whole / 100) if number.isdecimal() else 0
