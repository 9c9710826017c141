"""Evictions: which are valid, which are allowed, and every word that is said of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import Binding, BindingSpec, BindingStatus
from argosy.api.objects.fleet.evictions import (
    DisruptionBudgetSpec,
    EvictionSpec,
    EvictionStatus,
    PlacementDisruptionBudget,
    PlacementEviction,
)
from argosy.api.objects.fleet.placements import Placement, PlacementSpec
from argosy.api.objects.fleet.policies import PlacementPolicy
from argosy.api.objects.metadata import Condition, ObjectMeta
from argosy.placement.evictions.deciding import decided, is_over

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
EVICTION = PlacementEviction(ObjectMeta(name="e", generation=1), EvictionSpec("app", "one"))
PICK_ALL = PlacementPolicy("PickAll")


def placement(policy: PlacementPolicy | None = PICK_ALL, *, deleting: bool = False) -> Placement:
    meta = ObjectMeta(name="app", deletion_timestamp=NOW if deleting else None)
    return Placement(meta, PlacementSpec(policy=policy))


def pick(number: int) -> Placement:
    return placement(PlacementPolicy("PickN", number_of_clusters=number))


def binding(
    cluster: str = "one",
    state: str = "Bound",
    *said: Condition,
    before: str = "",
    deleting: bool = False,
) -> Binding:
    meta = ObjectMeta(
        name=f"app-{cluster}",
        generation=3,
        annotations={names.PREVIOUS_STATE: before} if before else {},
        deletion_timestamp=NOW if deleting else None,
    )
    return Binding(
        meta, BindingSpec(state=state, target_cluster=cluster), BindingStatus(conditions=said)
    )


def condition(type_: str, status: str, reason: str = "", generation: int = 3) -> Condition:
    return Condition(type_, status, reason, observed_generation=generation)


def there(cluster: str) -> Binding:
    return binding(cluster, "Bound", condition("Available", "True"))


def budget(
    most: int | str | None = None, least: int | str | None = None
) -> PlacementDisruptionBudget:
    return PlacementDisruptionBudget(
        ObjectMeta(name="app"), DisruptionBudgetSpec(max_unavailable=most, min_available=least)
    )


@dataclass
class Case:
    placement: Placement | None
    bindings: Sequence[Binding]
    want: str
    # None: invalid; otherwise whether it is executed.
    executed: bool | None
    deletes: bool = False
    budget: PlacementDisruptionBudget | None = field(default=None)


BLOCKED = "Eviction is blocked by specified ClusterResourcePlacementDisruptionBudget, "
ALLOWED = "Eviction is allowed by specified ClusterResourcePlacementDisruptionBudget, "
FAILED = "Eviction is allowed, placement has failed"
NOT_THERE = "Eviction is blocked, placement has not propagated resources to target cluster yet"
FREE = "Eviction is allowed, no ClusterResourcePlacementDisruptionBudget specified"
MISCONFIGURED = (
    "Eviction is blocked by misconfigured ClusterResourcePlacementDisruptionBudget, either MaxUnavailable is specified "
    "or MinAvailable is specified as a percentage for PickAll ClusterResourcePlacement"
)
PAIR = [there("one"), there("two")]
CASES = {
    "there is no placement": Case(
        None, [], "Failed to find ClusterResourcePlacement targeted by eviction", None
    ),
    "the placement is being deleted": Case(
        placement(deleting=True),
        [there("one")],
        "Found deleting ClusterResourcePlacement targeted by eviction",
        None,
    ),
    "the placement names its clusters": Case(
        placement(PlacementPolicy("PickFixed", ("one",))),
        [there("one")],
        "Found ClusterResourcePlacement with PickFixed placement type targeted by eviction",
        None,
    ),
    "the placement is not on the cluster": Case(
        placement(),
        [there("two")],
        "Failed to find scheduler decision for placement in cluster targeted by eviction",
        None,
    ),
    "the placement is there twice": Case(
        placement(),
        [there("one"), there("one")],
        "Found more than one scheduler decision for placement in cluster targeted by eviction",
        None,
    ),
    "the binding is going already": Case(
        placement(),
        [binding(deleting=True)],
        "Eviction is allowed, resources propagated by placement is currently being removed from cluster targeted by "
        "eviction",
        True,
    ),
    "nothing was rolled out yet": Case(
        placement(), [binding("one", "Scheduled")], NOT_THERE, False
    ),
    "given up before anything was rolled out": Case(
        placement(), [binding("one", "Unscheduled", before="Scheduled")], NOT_THERE, False
    ),
    "given up, nobody knows from which state": Case(
        placement(), [binding("one", "Unscheduled")], NOT_THERE, False
    ),
    "given up after it was rolled out": Case(
        placement(), [binding("one", "Unscheduled", before="Bound")], FREE, True, deletes=True
    ),
    "it could not be applied": Case(
        placement(),
        [binding("one", "Bound", condition("Applied", "False", "NotAllWorkHaveBeenApplied"))],
        FAILED,
        True,
        deletes=True,
        budget=budget(least=1),
    ),
    "it is only about to be applied": Case(
        placement(),
        [binding("one", "Bound", condition("Applied", "False", "ApplyPending"))],
        BLOCKED + "availablePlacements: 0, totalPlacements: 1",
        False,
        budget=budget(least=1),
    ),
    "it could not be applied a generation ago": Case(
        placement(),
        [binding("one", "Bound", condition("Applied", "False", "Broken", 2))],
        BLOCKED + "availablePlacements: 0, totalPlacements: 1",
        False,
        budget=budget(least=1),
    ),
    "it only compares": Case(
        placement(),
        [binding("one", "Bound", condition("DiffReported", "True"))],
        FAILED,
        True,
        deletes=True,
        budget=budget(least=1),
    ),
    "there is no budget": Case(placement(), PAIR, FREE, True, deletes=True),
    "a placement without a policy picks all": Case(
        placement(None), PAIR, MISCONFIGURED, False, budget=budget(most=1)
    ),
    "PickAll cannot know how many may be away": Case(
        placement(), PAIR, MISCONFIGURED, False, budget=budget(most=1)
    ),
    "PickAll cannot have a percentage": Case(
        placement(), PAIR, MISCONFIGURED, False, budget=budget(least="50%")
    ),
    "PickAll with enough left": Case(
        placement(),
        PAIR,
        ALLOWED + "availablePlacements: 2, totalPlacements: 2",
        True,
        deletes=True,
        budget=budget(least=1),
    ),
    "PickAll with too few left": Case(
        placement(),
        PAIR,
        BLOCKED + "availablePlacements: 2, totalPlacements: 2",
        False,
        budget=budget(least=2),
    ),
    "PickN with one that may be away": Case(
        pick(2),
        PAIR,
        ALLOWED + "availablePlacements: 2, totalPlacements: 2",
        True,
        deletes=True,
        budget=budget(most=1),
    ),
    "PickN with one away already": Case(
        pick(2),
        [there("one"), binding("two")],
        BLOCKED + "availablePlacements: 1, totalPlacements: 2",
        False,
        budget=budget(most=1),
    ),
    "a share that may be away is rounded up": Case(
        pick(2),
        PAIR,
        ALLOWED + "availablePlacements: 2, totalPlacements: 2",
        True,
        deletes=True,
        budget=budget(most="10%"),
    ),
    "a share that has to stay is rounded up": Case(
        pick(2),
        PAIR,
        BLOCKED + "availablePlacements: 2, totalPlacements: 2",
        False,
        budget=budget(least="51%"),
    ),
    "a budget that says nothing allows nothing": Case(
        pick(2),
        PAIR,
        BLOCKED + "availablePlacements: 2, totalPlacements: 2",
        False,
        budget=budget(),
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_becomes_of_an_eviction(case: Case) -> None:
    verdict = decided(EVICTION, case.placement, case.bindings, case.budget, NOW)
    valid, *rest = verdict.conditions
    got = [(one.type, one.status, one.reason, one.message) for one in verdict.conditions]
    kind = "ClusterResourcePlacementEviction"
    if case.executed is None:
        assert got == [("Valid", "False", f"{kind}Invalid", case.want)]
    else:
        how = ("True", f"{kind}Executed") if case.executed else ("False", f"{kind}NotExecuted")
        want = [
            ("Valid", "True", f"{kind}Valid", "Eviction is valid"),
            ("Executed", *how, case.want),
        ]
        assert got == want
    assert (verdict.binding is not None) == case.deletes
    assert {one.observed_generation for one in (valid, *rest)} == {1}
    assert is_over(replace(EVICTION, status=EvictionStatus(verdict.conditions)))


def test_only_what_was_decided_is_over() -> None:
    assert not is_over(EVICTION)
    valid = Condition("Valid", "True", observed_generation=1)
    assert not is_over(replace(EVICTION, status=EvictionStatus((valid,))))


@given(
    st.lists(st.booleans(), min_size=1, max_size=6),
    st.one_of(st.integers(0, 6), st.integers(0, 100).map(lambda share: f"{share}%")),
)
def test_a_budget_of_available_placements_is_never_broken(
    available: list[bool], least: int | str
) -> None:
    """Whatever is evicted of what is available, as many stay as the budget says."""
    bindings = [
        there(f"c{number}") if is_there else binding(f"c{number}")
        for number, is_there in enumerate(available)
    ]
    wanted = len(bindings)
    needed = least if isinstance(least, int) else -(-int(least[:-1]) * wanted // 100)
    left = [one for one in bindings if one.status.conditions]
    for target in list(left):
        eviction = replace(EVICTION, spec=EvictionSpec("app", target.spec.target_cluster))
        verdict = decided(eviction, pick(wanted), bindings, budget(least=least), NOW)
        if verdict.binding is not None:
            bindings.remove(target)
            left.remove(target)
            assert len(left) >= needed
