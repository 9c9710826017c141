"""What is filled in of a ClusterResourcePlacement before anybody looks at it."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import pytest

from argosy.base.types import Json, Object
from argosy.placement.defaulting import default_placement

ROLLING = {"maxUnavailable": "25%", "maxSurge": "25%", "unavailablePeriodSeconds": 60}
APPLY = {
    "type": "ClientSideApply",
    "comparisonOption": "PartialComparison",
    "whenToApply": "Always",
    "whenToTakeOver": "Always",
}
STRATEGY = {"type": "RollingUpdate", "rollingUpdate": ROLLING, "applyStrategy": APPLY}
ALL: Object = {
    "policy": {"placementType": "PickAll"},
    "strategy": STRATEGY,
    "revisionHistoryLimit": 10,
}


@dataclass(slots=True, frozen=True)
class Case:
    spec: Object
    want: Json


CASES = {
    "all that is not said": Case({}, ALL),
    "what is said stays": Case(
        {
            "strategy": {"rollingUpdate": {"maxSurge": 0}, "applyStrategy": {"type": "ReportDiff"}},
            "revisionHistoryLimit": 1,
        },
        {
            "policy": {"placementType": "PickAll"},
            "strategy": {
                "type": "RollingUpdate",
                "rollingUpdate": {**ROLLING, "maxSurge": 0},
                "applyStrategy": {**APPLY, "type": "ReportDiff"},
            },
            "revisionHistoryLimit": 1,
        },
    ),
    "somebody else's rollout has no steps": Case(
        {"strategy": {"type": "External"}},
        {**ALL, "strategy": {"type": "External", "applyStrategy": APPLY}},
    ),
    "server-side apply does not force": Case(
        {"strategy": {"applyStrategy": {"type": "ServerSideApply"}}},
        {
            **ALL,
            "strategy": {
                **STRATEGY,
                "applyStrategy": {
                    **APPLY, "type": "ServerSideApply", "serverSideApplyConfig": {"force": False},
                },
            },
        },
    ),
    "spread and tolerations": Case(
        {
            "policy": {
                "placementType": "PickN",
                "topologySpreadConstraints": [{"topologyKey": "zone"}],
                "tolerations": [{"key": "k"}],
            }
        },
        {
            **ALL,
            "policy": {
                "placementType": "PickN",
                "topologySpreadConstraints": [
                    {"topologyKey": "zone", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}
                ],
                "tolerations": [{"key": "k", "operator": "Equal"}],
            },
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_filled_in(case: Case) -> None:
    got = {"spec": copy.deepcopy(case.spec)}
    default_placement(got)

    assert got["spec"] == case.want
    default_placement(got)
    assert got["spec"] == case.want
