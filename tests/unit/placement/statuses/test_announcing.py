"""The events of a placement."""

from __future__ import annotations

import msgspec

from argosy.api.objects.fleet.placements import REPORT_DIFF, Placement, PlacementStatus
from argosy.placement.statuses.announcing import announced, is_completed
from argosy.placement.statuses.evaluating import evaluate
from argosy.placement.statuses.wordings import HEAD, REPORT_STAGES
from tests.unit.placement.statuses.pictures import ALL_TRUE, NOW, binding, picture

STARTED = "PlacementRolloutStarted"
OVERRIDDEN = "PlacementOverriddenSucceeded"
SYNCED = "PlacementWorkSynchronized"
COMPLETED = "PlacementRolloutCompleted"


def reasons(placement: Placement, status: PlacementStatus) -> list[str]:
    return [each.reason for each in announced(placement, status)]


def test_stages_are_told_when_they_turn_and_the_end_when_all_have() -> None:
    first = picture([binding("a", RolloutStarted="True", Overridden="True")])
    begun = evaluate(first, HEAD, NOW)
    assert reasons(first.placement, begun) == [STARTED, OVERRIDDEN]
    second = picture([binding("a", **ALL_TRUE)], old=begun)
    done = evaluate(second, HEAD, NOW)
    assert reasons(second.placement, done) == [
        SYNCED,
        "PlacementApplied",
        "PlacementAvailable",
        COMPLETED,
    ]
    assert is_completed(second.placement, done)
    third = picture([binding("a", **ALL_TRUE)], old=done)
    assert reasons(third.placement, done) == []


def test_another_edition_of_the_placement_is_told_of_again() -> None:
    seen = picture([binding("a", **ALL_TRUE)])
    old = evaluate(seen, HEAD, NOW)
    conditions = tuple(
        msgspec.structs.replace(each, observed_generation=1) for each in old.conditions
    )
    again = picture(
        [binding("a", **ALL_TRUE)], old=msgspec.structs.replace(old, conditions=conditions)
    )
    assert len(reasons(again.placement, evaluate(again, HEAD, NOW))) == 6


def test_of_reported_differences_only_the_end_is_told() -> None:
    seen = picture([binding("a", **dict.fromkeys(REPORT_STAGES, "True"))], apply=REPORT_DIFF)
    assert reasons(seen.placement, evaluate(seen, HEAD, NOW)) == [
        STARTED,
        OVERRIDDEN,
        SYNCED,
        COMPLETED,
    ]
