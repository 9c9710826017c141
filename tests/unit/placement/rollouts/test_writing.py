"""What a rollout sends."""

from __future__ import annotations

import msgspec
import pytest

from argosy.api.objects.fleet.placements import (
    ApplyStrategy,
    NamespacedName,
    PlacementSpec,
    ServerSideApplyConfig,
)
from argosy.base.types import Object
from argosy.placement.picks import Picked
from argosy.placement.rollouts.writing import (
    bound_patch,
    condition_patch,
    needs_strategy,
    strategy_patch,
)
from tests.support.placing import NOW, binding

DEFAULTS = {
    "comparisonOption": "PartialComparison",
    "type": "ClientSideApply",
    "whenToApply": "Always",
    "whenToTakeOver": "Always",
}
WANTED = PlacementSpec().apply_strategy


def test_a_strategy_is_sent_whole() -> None:
    assert strategy_patch(WANTED) == {
        "spec": {
            "applyStrategy": {**DEFAULTS, "allowCoOwnership": None, "serverSideApplyConfig": None}
        }
    }
    given = msgspec.structs.replace(
        WANTED, allow_co_ownership=True, server_side_apply_config=ServerSideApplyConfig(force=False)
    )
    assert strategy_patch(given) == {
        "spec": {
            "applyStrategy": {
                **DEFAULTS,
                "allowCoOwnership": True,
                "serverSideApplyConfig": {"force": False},
            }
        }
    }


STRATEGIES = {
    "none": ({}, True),
    "the same": ({"applyStrategy": DEFAULTS}, False),
    "the same, with its defaults left out": ({"applyStrategy": {"type": "ClientSideApply"}}, False),
    "another": ({"applyStrategy": {**DEFAULTS, "whenToApply": "IfNotDrifted"}}, True),
    "another, on its way out": (
        {"applyStrategy": {**DEFAULTS, "whenToApply": "IfNotDrifted"}, "deleting": True},
        False,
    ),
}


@pytest.mark.parametrize(("given", "want"), STRATEGIES.values(), ids=STRATEGIES.keys())
def test_a_binding_needs_the_strategy(given: Object, want: bool) -> None:
    assert needs_strategy(binding("c", **given), WANTED) is want
    assert ApplyStrategy() != WANTED


def test_a_binding_is_bound_to_resources_and_overrides() -> None:
    picked = Picked(("cro-1",), (NamespacedName("ro-1", "ns"),))
    assert bound_patch(binding("c"), "web-1-snapshot", picked) == {
        "metadata": {"resourceVersion": "7"},
        "spec": {
            "state": "Bound",
            "resourceSnapshotName": "web-1-snapshot",
            "clusterResourceOverrideSnapshots": ["cro-1"],
            "resourceOverrideSnapshots": [{"name": "ro-1", "namespace": "ns"}],
        },
    }


def test_overrides_that_no_longer_apply_are_taken_out() -> None:
    got = bound_patch(binding("c"), "web-1-snapshot", Picked())["spec"]
    assert got["clusterResourceOverrideSnapshots"] is None
    assert got["resourceOverrideSnapshots"] is None


def _condition(**more: Object) -> Object:
    return {
        "type": "RolloutStarted",
        "status": "True",
        "reason": "RolloutStarted",
        "message": "Detected the new changes on the resources and started the rollout process",
        "observedGeneration": 3,
        "lastTransitionTime": "2026-01-01T00:00:00Z",
        **more,
    }


def test_a_rollout_that_starts_says_so() -> None:
    got = condition_patch(binding("c"), NOW, is_started=True)
    want = _condition(lastTransitionTime="2026-01-02T03:04:05Z")
    assert got == {
        "metadata": {"resourceVersion": "7"},
        "status": {"conditions": [want]},
    }


def test_a_rollout_that_has_to_wait_says_so_beside_what_others_say() -> None:
    applied = {"type": "Applied", "status": "True", "reason": "x", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"}  # fmt: skip
    given = binding("c", conditions=(applied, _condition(observedGeneration=2)))
    got = condition_patch(given, NOW, is_started=False)
    assert got is not None
    assert got["status"]["conditions"] == [
        applied,
        _condition(
            status="False",
            reason="RolloutNotStartedYet",
            message="The resources cannot be updated to the latest because of the rollout strategy",
            lastTransitionTime="2026-01-02T03:04:05Z",
        ),
    ]


def test_another_generation_is_told_with_the_time_of_before() -> None:
    given = binding("c", conditions=(_condition(observedGeneration=2),))
    got = condition_patch(given, NOW, is_started=True)
    assert got is not None
    assert got["status"]["conditions"] == [_condition()]


def test_what_is_told_already_is_not_told_again() -> None:
    assert condition_patch(binding("c", conditions=(_condition(),)), NOW, is_started=True) is None
