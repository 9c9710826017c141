"""The events of a placement: a stage has become True for the edition at hand, all of them have, its jobs have ended.

Upstream means to tell of reported differences, too, and never does; neither do we.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from argosy.api.objects.conditions import is_current
from argosy.api.objects.fleet.bindings import (
    APPLIED,
    AVAILABLE,
    OVERRIDDEN,
    ROLLOUT_STARTED,
    WORK_SYNCHRONIZED,
)
from argosy.api.objects.fleet.outcomes import FAILED
from argosy.api.objects.fleet.placements import Placement, PlacementStatus
from argosy.api.objects.fleet.snapshots import SCHEDULED
from argosy.api.objects.fleet.works import FINISHED
from argosy.api.objects.metadata import find_condition
from argosy.control.recorders import EventType
from argosy.placement.scopes import scope_of
from argosy.placement.statuses.evaluating import stages_of


class News(NamedTuple):
    reason: str
    message: str
    type: EventType = "Normal"


_REACHED: Final = {
    ROLLOUT_STARTED: News("PlacementRolloutStarted", "Started rolling out the latest resources"),
    OVERRIDDEN: News("PlacementOverriddenSucceeded", "Placement has been successfully overridden"),
    WORK_SYNCHRONIZED: News(
        "PlacementWorkSynchronized",
        "Work(s) have been created or updated successfully for the selected cluster(s)",
    ),
    APPLIED: News("PlacementApplied", "Resources have been applied to the selected cluster(s)"),
    AVAILABLE: News("PlacementAvailable", "Resources are available on the selected cluster(s)"),
}
COMPLETED: Final = News(
    "PlacementRolloutCompleted",
    "Placement has finished the rollout process and reached the desired status",
)
CLEANED_UP: Final = News(
    "PlacementCleanupFinalizerRemoved",
    "Deleted the snapshots and removed the placement cleanup finalizer",
)


def announced(placement: Placement, new: PlacementStatus) -> Iterable[News]:
    """What is worth an event when the placement's status becomes `new`."""
    for stage, news in _REACHED.items():
        if _is_true(placement, new, stage) and not _is_true(placement, placement.status, stage):
            yield news
    if is_completed(placement, new) and not is_completed(placement, placement.status):
        yield COMPLETED
    if _is_true(placement, new, FINISHED) and not _is_true(placement, placement.status, FINISHED):
        yield _finished(placement, new)


def _finished(placement: Placement, new: PlacementStatus) -> News:
    type_ = scope_of(placement.metadata.namespace).condition(FINISHED)
    said = find_condition(new.conditions, type_)
    assert said is not None, "it was just found to be True"
    if said.reason == FAILED:
        return News("PlacementJobFailed", said.message, "Warning")
    return News("PlacementJobFinished", said.message)


def is_completed(placement: Placement, status: PlacementStatus) -> bool:
    """Whether all is True that a placement of this kind can reach."""
    return all(
        _is_true(placement, status, each) for each in (SCHEDULED, *stages_of(placement.spec))
    )


def _is_true(placement: Placement, status: PlacementStatus, stage: str) -> bool:
    meta = placement.metadata
    said = find_condition(status.conditions, scope_of(meta.namespace).condition(stage))
    return is_current(said, meta.generation, "True")
