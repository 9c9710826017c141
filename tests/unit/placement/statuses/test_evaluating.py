"""What a placement says of itself as a whole."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.placements import (
    EXTERNAL,
    REPORT_DIFF,
    NamespacedName,
    PlacementStatus,
)
from argosy.api.objects.fleet.policies import PICK_FIXED, PICK_N, PlacementPolicy
from argosy.api.objects.metadata import Condition
from argosy.placement.statuses.evaluating import Picture, evaluate
from argosy.placement.statuses.wordings import APPLY_STAGES, HEAD, RELEASES, REPORT_STAGES
from tests.unit.placement.statuses.pictures import (
    ALL_TRUE,
    GENERATION,
    INDEX,
    LATER,
    NOW,
    binding,
    picture,
)


def reached(last: str, status: str, stages: tuple[str, ...] = APPLY_STAGES) -> dict[str, str]:
    """True up to the last stage."""
    at = stages.index(last)
    return {**dict.fromkeys(stages[:at], "True"), last: status}


@dataclass
class Row:
    """What one of two clusters reached, and the condition that follows. The other one has reached all."""

    stage: str
    status: str
    reason: str
    message: str
    stages: tuple[str, ...] = APPLY_STAGES


ROWS = [
    Row(
        "RolloutStarted",
        "Unknown",
        "RolloutStartedUnknown",
        "There are still 1 cluster(s) in the process of deciding whether to roll out the latest resources or not",
    ),
    Row(
        "RolloutStarted",
        "False",
        "RolloutNotStartedYet",
        "The rollout is being blocked by the rollout strategy in 1 cluster(s)",
    ),
    Row(
        "RolloutStarted",
        "True",
        "RolloutStarted",
        "All 2 cluster(s) start rolling out the latest resource",
    ),
    Row(
        "Overridden",
        "Unknown",
        "OverriddenPending",
        "There are still 1 cluster(s) in the process of overriding the selected resources if there is any override"
        " defined",
    ),
    Row("Overridden", "False", "OverriddenFailed", "Failed to override resources in 1 cluster(s)"),
    Row(
        "Overridden",
        "True",
        "NoOverrideSpecified",
        "No override rules are configured for the selected resources",
    ),
    Row(
        "WorkSynchronized",
        "Unknown",
        "WorkSynchronizedUnknown",
        "There are still 1 cluster(s) in the process of creating or updating the work object(s) in the hub cluster",
    ),
    Row(
        "WorkSynchronized",
        "False",
        "WorkNotSynchronizedYet",
        "There are 1 cluster(s) which have not finished creating or updating work(s) yet",
    ),
    Row(
        "WorkSynchronized",
        "True",
        "WorkSynchronized",
        "Works(s) are succcesfully created or updated in 2 target cluster(s)' namespaces",
    ),
    Row(
        "Applied",
        "Unknown",
        "ApplyPending",
        "There are still 1 cluster(s) in the process of applying the resources on the member cluster",
    ),
    Row(
        "Applied",
        "False",
        "ApplyFailed",
        "Failed to apply resources to 1 cluster(s), please check the `failedPlacements` status",
    ),
    Row(
        "Applied",
        "True",
        "ApplySucceeded",
        "The selected resources are successfully applied to 2 cluster(s)",
    ),
    Row(
        "Available",
        "Unknown",
        "ResourceAvailableUnknown",
        "There are still 1 cluster(s) in the process of checking the availability of the selected resources",
    ),
    Row(
        "Available",
        "False",
        "ResourceNotAvailableYet",
        "The selected resources in 1 cluster(s) are still not available yet",
    ),
    Row(
        "Available",
        "True",
        "ResourceAvailable",
        "The selected resources in 2 cluster(s) are available now",
    ),
    Row(
        "DiffReported",
        "Unknown",
        "DiffReportingPending",
        "There are still 1 cluster(s) in the process of checking for configuration differences",
        REPORT_STAGES,
    ),
    Row(
        "DiffReported",
        "False",
        "DiffReportingIncompleteOrFailed",
        "Diff reporting in 1 clusters is still in progress or has failed",
        REPORT_STAGES,
    ),
    Row(
        "DiffReported",
        "True",
        "DiffReportingCompleted",
        "Diff reporting in 2 cluster(s) has been completed",
        REPORT_STAGES,
    ),
]


@pytest.mark.parametrize("kind", ["ResourcePlacement", "ClusterResourcePlacement"])
@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.stage} {row.status}")
def test_the_sum_of_two_clusters(row: Row, kind: str) -> None:
    bindings = [
        binding("a", **dict.fromkeys(row.stages, "True")),
        binding("b", **reached(row.stage, row.status, row.stages)),
    ]
    seen = picture(
        bindings,
        namespace="ns" if kind == "ResourcePlacement" else "",
        apply=REPORT_DIFF if row.stages is REPORT_STAGES else "",
    )
    status = evaluate(seen, RELEASES, NOW)
    conditions = {each.type: each for each in status.conditions}
    got = conditions[f"{kind}{row.stage}"]
    assert got == Condition(
        f"{kind}{row.stage}", row.status, row.reason, row.message, GENERATION, NOW
    )
    at = row.stages.index(row.stage)
    after = row.stages[at + 1 :] if row.status != "True" else ()
    assert not any(f"{kind}{each}" in conditions for each in after)
    before = (f"{kind}{each}" for each in row.stages[:at])
    assert all(conditions[each].status == "True" for each in before)
    assert status.conditions[0].type == f"{kind}Scheduled"


def test_an_unknown_cluster_weighs_more_than_a_failed_one() -> None:
    bindings = [
        binding("a", **reached("Applied", "False")),
        binding("b", **reached("Applied", "Unknown")),
        binding("c", **reached("Applied", "Unknown")),
    ]
    last = evaluate(picture(bindings), HEAD, NOW).conditions[-1]
    assert (last.status, last.message.split(" in the ")[0]) == (
        "Unknown",
        "There are still 2 cluster(s)",
    )


def test_only_clusters_that_reached_a_stage_count_for_it() -> None:
    """One is blocked early: the sum ends there, whatever the others did."""
    bindings = [binding("a", **ALL_TRUE), binding("b", **reached("Overridden", "False"))]
    types = [each.type for each in evaluate(picture(bindings), HEAD, NOW).conditions]
    assert types == [
        "ResourcePlacementScheduled",
        "ResourcePlacementRolloutStarted",
        "ResourcePlacementOverridden",
    ]


def test_the_wording_of_heads_is_a_switch() -> None:
    seen = picture([binding("a", **ALL_TRUE)])
    said = {each.type: each.message for each in evaluate(seen, HEAD, NOW).conditions}
    want = "Work(s) are successfully created or updated in 1 target cluster(s)' namespaces"
    assert said["ResourcePlacementWorkSynchronized"] == want


@pytest.mark.parametrize(
    "more",
    [{"overrides": (NamespacedName("o-0", "ns"),)}, {"cluster_overrides": ("c-0",)}],
    ids=["of a namespace", "of the cluster"],
)
def test_overrides_of_one_cluster_are_overrides(more: dict[str, tuple[str, ...]]) -> None:
    seen = picture([binding("a", **ALL_TRUE), binding("b", **more, **ALL_TRUE)])
    said = {each.type: each for each in evaluate(seen, HEAD, NOW).conditions}
    got = said["ResourcePlacementOverridden"]
    assert (got.reason, got.message) == (
        "OverriddenSucceeded",
        "The selected resources are successfully overridden in 2 cluster(s)",
    )


# Whether it is scheduled.

STALE: dict[str, Picture] = {
    "there is no policy snapshot": picture(has_policy=False),
    "the scheduler has said nothing": picture(scheduled=None),
    "the scheduler does not know": picture(
        scheduled=Condition("Scheduled", "Unknown", "x", "y", 1)
    ),
    "the scheduler spoke of an older snapshot": picture(
        scheduled=Condition("Scheduled", "True", "x", "y", 0)
    ),
    "the scheduler spoke of an older placement": picture(observed=GENERATION - 1),
}


@pytest.mark.parametrize("seen", STALE.values(), ids=STALE.keys())
def test_scheduling_has_not_completed_while(seen: Picture) -> None:
    (got,) = evaluate(seen, HEAD, NOW).conditions
    assert got == Condition(
        "ResourcePlacementScheduled",
        "Unknown",
        "SchedulePending",
        "Scheduling has not completed",
        GENERATION,
        NOW,
    )


def test_while_scheduling_clusters_are_not_told_of_and_the_rest_stays_as_it_was() -> None:
    old = evaluate(picture([binding("a", **ALL_TRUE)]), HEAD, NOW)
    again = picture([binding("a", **ALL_TRUE)], observed=GENERATION - 1, old=old)
    got = evaluate(again, HEAD, LATER)
    assert got.placement_statuses == ()
    assert got.conditions[1:] == old.conditions[1:]
    assert got.conditions[0].status == "Unknown"
    assert got.selected_resources == old.selected_resources


def test_without_clusters_only_scheduled_remains() -> None:
    old = evaluate(picture([binding("a", **ALL_TRUE)]), HEAD, NOW)
    got = evaluate(picture(selected=(), old=old), HEAD, LATER)
    assert [each.type for each in got.conditions] == ["ResourcePlacementScheduled"]
    assert got.placement_statuses == ()
    assert got.observed_resource_index == INDEX


# Clusters that are missing.

MISSING = {
    "as many as are missing": (PlacementPolicy(PICK_N, number_of_clusters=3), ["c is full", "d is full"]),
    "no more than were looked at": (
        PlacementPolicy(PICK_N, number_of_clusters=9),
        ["c is full", "d is full", "e is full"],
    ),
    "none if all were found": (PlacementPolicy(PICK_N, number_of_clusters=1), []),
    "of those that were named": (
        PlacementPolicy(PICK_FIXED, cluster_names=("a", "c")),
        ["c is full"],
    ),
    "none where all that fit are taken": (PlacementPolicy("PickAll"), []),
    "none without a policy": (None, []),
}  # fmt: skip


@pytest.mark.parametrize("case", MISSING.values(), ids=MISSING.keys())
def test_missing_clusters_are_told_without_a_name(
    case: tuple[PlacementPolicy | None, list[str]],
) -> None:
    policy, want = case
    seen = picture([binding("a", **ALL_TRUE)], unselected=("c", "d", "e"), policy=policy)
    status = evaluate(seen, HEAD, NOW)
    nameless = [each for each in status.placement_statuses if not each.cluster_name]
    assert [each.conditions for each in nameless] == [
        (Condition("Scheduled", "False", "ScheduleFailed", reason, GENERATION, NOW),)
        for reason in want
    ]
    assert status.placement_statuses[0].cluster_name == "a"


# Where somebody else rolls out.

BEGINS = "Rollout is controlled by an external controller and "


@dataclass
class External:
    bindings: list[Binding]
    message: str
    index: str = ""


EXTERNALS = {
    "no cluster has a snapshot": External(
        [binding("a", snapshot=""), binding("b", snapshot="")],
        "no resource snapshot name is observed across clusters. To determine rollout status, check the StagedUpdateRun"
        " resources with spec.placementName matching this placement",
    ),
    "clusters have different snapshots": External(
        [binding("a", **ALL_TRUE), binding("b", snapshot="web-2-snapshot", **ALL_TRUE)],
        "different resource snapshot versions are observed across clusters",
    ),
    "some clusters have one": External(
        [binding("a", **ALL_TRUE), binding("b", snapshot="")],
        "different resource snapshot versions are observed across clusters",
    ),
    "a cluster has not told yet": External(
        [binding("a", **ALL_TRUE), binding("b")],
        "cluster b is in RolloutStarted Unknown state",
        INDEX,
    ),
}


@pytest.mark.parametrize("case", EXTERNALS.values(), ids=EXTERNALS.keys())
def test_how_an_external_rollout_stands_is_not_known_while(case: External) -> None:
    old = evaluate(picture([binding("a", **ALL_TRUE), binding("b", **ALL_TRUE)]), HEAD, NOW)
    status = evaluate(picture(case.bindings, strategy=EXTERNAL, old=old), HEAD, LATER)
    assert [each.type for each in status.conditions] == [
        "ResourcePlacementScheduled",
        "ResourcePlacementRolloutStarted",
    ]
    got = status.conditions[1]
    assert (got.status, got.reason, got.message) == (
        "Unknown",
        "RolloutControlledByExternalController",
        BEGINS + case.message,
    )
    assert status.observed_resource_index == case.index
    assert bool(status.selected_resources) is bool(case.index)


def test_an_external_rollout_of_one_snapshot_is_summed_up() -> None:
    bindings = [binding(each, snapshot="web-2-snapshot", **ALL_TRUE) for each in "ab"]
    status = evaluate(picture(bindings, strategy=EXTERNAL), HEAD, NOW)
    assert status.observed_resource_index == "2"
    assert [each.name for each in status.selected_resources] == ["of-2"]
    assert {each.status for each in status.conditions} == {"True"}
    assert len(status.conditions) == 6


def test_update_runs_of_the_cluster_have_their_own_name() -> None:
    seen = picture([binding("a", snapshot="")], strategy=EXTERNAL, namespace="")
    assert "the ClusterStagedUpdateRun resources" in evaluate(seen, HEAD, NOW).conditions[1].message


# What lasts.


def test_moments_last_while_statuses_do() -> None:
    seen = picture([binding("a", **reached("Applied", "False"))])
    old = evaluate(seen, HEAD, NOW)
    same = evaluate(picture([binding("a", **reached("Applied", "False"))], old=old), HEAD, LATER)
    assert same == old
    turned = evaluate(picture([binding("a", **ALL_TRUE)], old=old), HEAD, LATER)
    times = {each.type: each.last_transition_time for each in turned.conditions}
    assert times["ResourcePlacementApplied"] == LATER
    assert times["ResourcePlacementWorkSynchronized"] == NOW


def test_other_conditions_of_the_placement_are_left_alone() -> None:
    kept = Condition("ClusterResourcePlacementStatusSynced", "True", "x", "y", 1, NOW)
    seen = picture(
        [binding("a", **ALL_TRUE)], namespace="", old=PlacementStatus(conditions=(kept,))
    )
    assert kept in evaluate(seen, HEAD, NOW).conditions
    assert kept in evaluate(picture(selected=(), namespace="", old=seen.placement.status), HEAD, NOW).conditions  # fmt: skip


def test_report_diff_takes_back_what_was_said_of_applying() -> None:
    old = evaluate(picture([binding("a", **ALL_TRUE)]), HEAD, NOW)
    reports = dict.fromkeys(REPORT_STAGES, "True")
    status = evaluate(picture([binding("a", **reports)], apply=REPORT_DIFF, old=old), HEAD, NOW)
    assert [each.type.removeprefix("ResourcePlacement") for each in status.conditions] == [
        "Scheduled",
        *REPORT_STAGES,
    ]
