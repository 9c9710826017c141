"""What a placement says of one cluster."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.placements import (
    EXTERNAL,
    REPORT_DIFF,
    NamespacedName,
    PerClusterStatus,
)
from argosy.api.objects.metadata import Condition
from argosy.placement.statuses.evaluating import evaluate
from argosy.placement.statuses.wordings import APPLY_STAGES, HEAD, REPORT_STAGES
from tests.unit.placement.statuses.pictures import (
    ALL_TRUE,
    GENERATION,
    INDEX,
    NOW,
    binding,
    picture,
)


def status_of(found: Binding | None, *, strategy: str = "", apply: str = "") -> PerClusterStatus:
    bindings = [found] if found is not None else []
    seen = picture(bindings, selected=["a"], strategy=strategy, apply=apply)
    (status,) = evaluate(seen, HEAD, NOW).placement_statuses
    return status


@dataclass
class Unknown:
    stage: str
    reason: str
    message: str
    stages: tuple[str, ...] = APPLY_STAGES


UNKNOWNS = [
    Unknown(
        "RolloutStarted",
        "RolloutStartedUnknown",
        "In the process of deciding whether to roll out some version of the resources or not",
    ),
    Unknown(
        "Overridden",
        "OverriddenPending",
        "In the process of overriding the selected resources if there is any override defined",
    ),
    Unknown(
        "WorkSynchronized",
        "WorkSynchronizedUnknown",
        "In the process of creating or updating the work object(s) in the hub cluster",
    ),
    Unknown(
        "Applied", "ApplyPending", "In the process of applying the resources on the member cluster"
    ),
    Unknown(
        "Available",
        "ResourceAvailableUnknown",
        "The availability of the selected resources is unknown yet ",
    ),
    Unknown(
        "DiffReported",
        "DiffReportingPending",
        "Diff reporting has just started; its status is not yet to be known",
        REPORT_STAGES,
    ),
]


@pytest.mark.parametrize("case", UNKNOWNS, ids=lambda case: case.stage)
def test_what_a_binding_has_not_said_is_unknown(case: Unknown) -> None:
    at = case.stages.index(case.stage)
    found = binding("a", **dict.fromkeys(case.stages[:at], "True"))
    status = status_of(found, apply=REPORT_DIFF if case.stages is REPORT_STAGES else "")
    assert status.conditions[-1] == Condition(
        case.stage, "Unknown", case.reason, case.message, GENERATION, NOW
    )
    assert [each.type for each in status.conditions] == ["Scheduled", *case.stages[: at + 1]]


def test_what_a_binding_says_is_said_in_its_words() -> None:
    status = status_of(binding("a", **ALL_TRUE))
    assert status.conditions == (
        Condition("Scheduled", "True", "Scheduled", "picked a", GENERATION, NOW),
        *(
            Condition(each, "True", f"Binding{each}", f"{each} is True", GENERATION, NOW)
            for each in APPLY_STAGES
        ),
    )
    assert status.observed_resource_index == INDEX


STARTED = Condition(
    "RolloutStarted",
    "Unknown",
    "RolloutStartedUnknown",
    "In the process of deciding whether to roll out some version of the resources or not",
    GENERATION,
    NOW,
)
NOT_YET = {
    "there is no binding": (None, ""),
    "its binding goes": (binding("a", deleting=True, **ALL_TRUE), ""),
    "its binding is of another policy": (binding("a", policy="web-old", **ALL_TRUE), ""),
    "its binding spoke of an older edition of itself": (binding("a", observed=2, **ALL_TRUE), INDEX),
    "its binding has an older snapshot": (binding("a", snapshot="web-6-snapshot", **ALL_TRUE), INDEX),
}  # fmt: skip


@pytest.mark.parametrize("case", NOT_YET.values(), ids=NOT_YET.keys())
def test_nothing_is_known_of_a_cluster_if(case: tuple[Binding | None, str]) -> None:
    found, index = case
    status = status_of(found)
    assert status.conditions[1:] == (STARTED,)
    assert status.observed_resource_index == index
    assert status.drifted_placements == ()


def test_an_older_snapshot_may_be_held_back() -> None:
    found = binding("a", snapshot="web-6-snapshot", RolloutStarted="False")
    assert status_of(found).conditions[1] == Condition(
        "RolloutStarted",
        "False",
        "RolloutNotStartedYet",
        "The rollout is being blocked by the rollout strategy",
        GENERATION,
        NOW,
    )


def test_an_older_snapshot_counts_where_somebody_else_rolls_out() -> None:
    status = status_of(binding("a", snapshot="web-6-snapshot", **ALL_TRUE), strategy=EXTERNAL)
    assert len(status.conditions) == 6
    assert status.observed_resource_index == "6"


@dataclass
class Details:
    stages: dict[str, str]
    failed: bool = False
    drifted: bool = False
    diffed: bool = False
    apply: str = ""


UP_TO_APPLIED = dict.fromkeys(APPLY_STAGES[:3], "True")
DETAILS = {
    "before anything is applied": Details(UP_TO_APPLIED),
    "what is applied may have drifted": Details({**UP_TO_APPLIED, "Applied": "True"}, drifted=True),
    "what is not applied has failed, drifted or differs": Details(
        {**UP_TO_APPLIED, "Applied": "False"}, failed=True, drifted=True, diffed=True
    ),
    "what is not available has failed": Details(
        {**UP_TO_APPLIED, "Applied": "True", "Available": "False"}, failed=True, drifted=True, diffed=True
    ),
    "what is available may have drifted": Details(ALL_TRUE, drifted=True),
    "differences are reported": Details(
        dict.fromkeys(REPORT_STAGES, "True"), diffed=True, apply=REPORT_DIFF
    ),
    "differences are not reported yet": Details(
        {**UP_TO_APPLIED, "DiffReported": "False"}, apply=REPORT_DIFF
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", DETAILS.values(), ids=DETAILS.keys())
def test_details(case: Details) -> None:
    status = status_of(binding("a", **case.stages), apply=case.apply)
    assert bool(status.failed_placements) is case.failed
    assert bool(status.drifted_placements) is case.drifted
    assert bool(status.diffed_placements) is case.diffed


def test_overrides_are_told_when_the_rollout_has_started() -> None:
    names = (NamespacedName("o-0", "ns"),)
    before = status_of(binding("a", overrides=names, cluster_overrides=("c-0",)))
    assert before.applicable_resource_overrides == ()
    found = binding("a", overrides=names, cluster_overrides=("c-0",), RolloutStarted="True")
    status = status_of(found)
    assert status.applicable_resource_overrides == names
    assert status.applicable_cluster_resource_overrides == ("c-0",)
