"""The status of a binding, but for RolloutStarted, which belongs to rollouts and update runs.

Conditions stand in the order they are reached: overridden, synchronized, then what members say. The first that is False
ends the row, and what was said before of later ones is dropped.
"""

from __future__ import annotations

from datetime import datetime
from enum import Enum
from typing import Final, NamedTuple

import msgspec

from argosy.api.objects.conditions import condition_documents, with_condition, without_conditions
from argosy.api.objects.fleet import bindings
from argosy.api.objects.fleet.bindings import Binding, BindingStatus
from argosy.api.objects.fleet.outcomes import with_outcome
from argosy.api.objects.fleet.works import FINISHED
from argosy.api.objects.metadata import Condition, find_condition
from argosy.base.types import Object
from argosy.placement.working.reporting import Report

_OWN: Final = (
    bindings.OVERRIDDEN,
    bindings.WORK_SYNCHRONIZED,
    bindings.APPLIED,
    bindings.AVAILABLE,
    bindings.DIFF_REPORTED,
    FINISHED,
)


class Stage(Enum):
    """Where making Works can fail."""

    OVERRIDING = "overriding"
    SYNCING = "syncing"


class Failure(NamedTuple):
    """Why there are no Works, or not all of them."""

    stage: Stage
    message: str


def status_of(binding: Binding, verdict: Report | Failure, now: datetime) -> BindingStatus:
    """The status of a binding whose Works are as they should be, with what they report, or cannot be."""
    if isinstance(verdict, Report):
        done = Condition(
            type=bindings.WORK_SYNCHRONIZED,
            status="True",
            reason="AllWorkSynced",
            message="All of the works are synchronized to the latest",
        )
        return _status(binding, (_overridden(binding), done, *verdict.conditions), verdict, now)
    if verdict.stage is Stage.OVERRIDING:
        condition = Condition(
            type=bindings.OVERRIDDEN,
            status="False",
            reason="OverriddenFailed",
            message=f"Failed to apply the override rules on the resources: {verdict.message}",
        )
        return _status(binding, (condition,), Report(), now)
    condition = Condition(
        type=bindings.WORK_SYNCHRONIZED,
        status="False",
        reason="SyncWorkFailed",
        message=f"Failed to synchronize the work to the latest: {verdict.message}",
    )
    return _status(binding, (_overridden(binding), condition), Report(), now)


def patch(old: BindingStatus, new: BindingStatus) -> Object | None:
    """The merge patch from one to the other; None if there is nothing to write."""
    if old == new:
        return None
    document: Object = {}
    if old.conditions != new.conditions:
        document["conditions"] = condition_documents(new.conditions)
    for field, before, after in (
        ("failedPlacements", old.failed_placements, new.failed_placements),
        ("driftedPlacements", old.drifted_placements, new.drifted_placements),
        ("diffedPlacements", old.diffed_placements, new.diffed_placements),
    ):
        if before != after:
            document[field] = list(after) or None
    return document


def _overridden(binding: Binding) -> Condition:
    spec = binding.spec
    if spec.cluster_resource_override_snapshots or spec.resource_override_snapshots:
        reason = "OverriddenSucceeded"
        text = "Successfully applied the override rules on the resources"
    else:
        reason = "NoOverrideSpecified"
        text = "No override rules are configured for the selected resources"
    return Condition(type=bindings.OVERRIDDEN, status="True", reason=reason, message=text)


def _status(
    binding: Binding, said: tuple[Condition, ...], told: Report, now: datetime
) -> BindingStatus:
    old, generation = binding.status.conditions, binding.metadata.generation
    conditions = without_conditions(old, _OWN)
    for each in said:
        # A status that stays keeps its time, although its place is given anew.
        before = find_condition(old, each.type)
        kept = (before,) if before is not None else ()
        current = msgspec.structs.replace(each, observed_generation=generation)
        dated = with_outcome if each.type == FINISHED else with_condition
        conditions += dated(kept, current, now)
    return BindingStatus(told.failed, told.drifted, told.diffed, conditions)
