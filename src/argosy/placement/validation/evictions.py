"""What upstream's webhooks refuse of evictions and disruption budgets, for the placements that they are about.

A placement that does not exist is no reason to refuse: the eviction says so in its status, and a budget may come first.
"""

from __future__ import annotations

from argosy.api.objects.fleet.evictions import PlacementDisruptionBudget
from argosy.api.objects.fleet.placements import Placement
from argosy.api.objects.fleet.policies import PICK_ALL, PICK_FIXED
from argosy.placement.validation.wording import aggregate


def validate_eviction(placement: Placement | None) -> str:
    """Why a new eviction from this placement is refused, "" if it is not."""
    if placement is None:
        return ""
    problems: list[str] = []
    if placement.metadata.deletion_timestamp is not None:
        problems.append(f"cluster resource placement {placement.metadata.name} is being deleted")
    if placement.spec.wanted.type == PICK_FIXED:
        problems.append(f"cluster resource placement policy type {PICK_FIXED} is not supported")
    return aggregate(problems)


def validate_budget(new: PlacementDisruptionBudget, placement: Placement | None) -> str:
    """Why a budget for this placement is refused: of how many clusters there will be, PickAll cannot tell a share."""
    if placement is None or placement.spec.wanted.type != PICK_ALL:
        return ""
    told = f"cluster resource placement policy type {PICK_ALL} is not supported with"
    problems: list[str] = []
    if new.spec.max_unavailable is not None:
        problems.append(f"{told} any specified max unavailable {new.spec.max_unavailable}")
    if isinstance(new.spec.min_available, str):
        problems.append(f"{told} min available as a percentage {new.spec.min_available}")
    return aggregate(problems)
