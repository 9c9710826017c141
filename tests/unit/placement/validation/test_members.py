"""What MemberClusters, evictions and budgets are refused for, word for word."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

import msgspec
import pytest

from argosy.api.objects.fleet.evictions import DisruptionBudgetSpec, PlacementDisruptionBudget
from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.placements import Placement, PlacementSpec
from argosy.api.objects.fleet.policies import PlacementPolicy
from argosy.api.objects.metadata import ObjectMeta
from argosy.placement.validation import (
    validate_budget,
    validate_eviction,
    validate_member_cluster,
)

NAME = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)


def taint(key: str, value: str = "") -> dict[str, str]:
    return {"key": key, "value": value, "effect": "NoSchedule"}


TAINTS = {
    "none": ([], ""),
    "two of one key": ([taint("a/k"), taint("a/k", "v")], ""),
    "one twice": (
        [taint("k", "v"), taint("k", "v")],
        "taint {Key:k Value:v Effect:NoSchedule} already exists, taints must be unique",
    ),
    "a key that is none": (
        [taint("k k")],
        f"invalid taint key {{Key:k k Value: Effect:NoSchedule}}: {NAME}",
    ),
    "a value that is none": (
        [taint("k", "v v")],
        f"invalid taint value {{Key:k Value:v v Effect:NoSchedule}}: {VALUE}",
    ),
}


@pytest.mark.parametrize(("taints", "want"), TAINTS.values(), ids=TAINTS.keys())
def test_taints_of_a_member(taints: list[dict[str, str]], want: str) -> None:
    member = msgspec.convert({"metadata": {"name": "m"}, "spec": {"taints": taints}}, MemberCluster)

    assert validate_member_cluster(member) == want


def placement(type_: str = "", *, deleting: bool = False) -> Placement:
    policy = PlacementPolicy(placement_type=type_) if type_ else None
    gone = datetime(2025, 10, 1, tzinfo=UTC) if deleting else None
    return Placement(ObjectMeta(name="p", deletion_timestamp=gone), PlacementSpec(policy=policy))


class Eviction(NamedTuple):
    of: Placement | None
    want: str


EVICTIONS = {
    "a placement that is not there": Eviction(None, ""),
    "a placement without a policy": Eviction(placement(), ""),
    "PickN": Eviction(placement("PickN"), ""),
    "PickFixed": Eviction(
        placement("PickFixed"),
        "cluster resource placement policy type PickFixed is not supported",
    ),
    "a placement that goes": Eviction(
        placement(deleting=True),
        "cluster resource placement p is being deleted",
    ),
    "PickFixed that goes": Eviction(
        placement("PickFixed", deleting=True),
        "[cluster resource placement p is being deleted, cluster resource placement policy type PickFixed is not "
        "supported]",
    ),
}


@pytest.mark.parametrize(("of", "want"), EVICTIONS.values(), ids=EVICTIONS.keys())
def test_an_eviction_from(of: Placement | None, want: str) -> None:
    assert validate_eviction(of) == want


NOT_WITH = "cluster resource placement policy type PickAll is not supported with"
BUDGETS = {
    "nothing is there yet": (DisruptionBudgetSpec(max_unavailable=1), None, ""),
    "PickN counts in any way": (
        DisruptionBudgetSpec(max_unavailable="10%"),
        placement("PickN"),
        "",
    ),
    "PickAll keeps a number": (DisruptionBudgetSpec(min_available=1), placement("PickAll"), ""),
    "PickAll keeps a share": (
        DisruptionBudgetSpec(min_available="50%"),
        placement("PickAll"),
        f"{NOT_WITH} min available as a percentage 50%",
    ),
    "all, without a word, lose some": (
        DisruptionBudgetSpec(max_unavailable=1),
        placement(),
        f"{NOT_WITH} any specified max unavailable 1",
    ),
}


@pytest.mark.parametrize(("spec", "of", "want"), BUDGETS.values(), ids=BUDGETS.keys())
def test_a_budget_where(spec: DisruptionBudgetSpec, of: Placement | None, want: str) -> None:
    assert validate_budget(PlacementDisruptionBudget(spec=spec), of) == want
