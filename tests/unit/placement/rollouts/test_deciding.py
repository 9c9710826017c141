"""A step of a rolling update: how bindings stand, what the strategy allows, and what is done."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

import msgspec
import pytest

from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.placements import NamespacedName, PlacementSpec
from argosy.base.timestamps import format_time
from argosy.base.types import Object
from argosy.placement.picks import Picked
from argosy.placement.rollouts.budgets import Budget, budget_of
from argosy.placement.rollouts.deciding import Latest, decide
from argosy.placement.rollouts.readiness import Readiness, has_failed, readiness
from tests.support.placing import NOW, binding, pick_n

MINUTE = timedelta(minutes=1)
UNTRACKABLE = "NotAllWorkAreAvailabilityTrackable"


def said(type_: str, status: str, reason: str = "", *, observed: int = 3, ago: float = 0) -> Object:
    since = format_time(NOW - timedelta(seconds=ago))
    return {
        "type": type_,
        "status": status,
        "reason": reason,
        "observedGeneration": observed,
        "lastTransitionTime": since,
    }


READY = Readiness(is_ready=True)
NOT_READY = Readiness(is_ready=False)
READINESS = {
    "nothing is said": ((), NOT_READY),
    "available": ((said("Available", "True", "AllWorkAreAvailable"),), READY),
    "available before": ((said("Available", "True", observed=2),), NOT_READY),
    "not available": ((said("Available", "False"),), NOT_READY),
    "reported on": ((said("DiffReported", "True"),), READY),
    "reported on before": ((said("DiffReported", "True", observed=2),), NOT_READY),
    "untrackable for a while": (
        (said("Available", "True", UNTRACKABLE, ago=20),),
        Readiness(is_ready=False, wait=timedelta(seconds=40)),
    ),
    "untrackable in other words": (
        (said("Available", "True", "WorkNotTrackable", ago=20),),
        Readiness(is_ready=False, wait=timedelta(seconds=40)),
    ),
    "untrackable for long enough": ((said("Available", "True", UNTRACKABLE, ago=60),), READY),
    "untrackable, but reported on": (
        (said("Available", "True", UNTRACKABLE), said("DiffReported", "True")),
        READY,
    ),
}


@pytest.mark.parametrize(("conditions", "want"), READINESS.values(), ids=READINESS.keys())
def test_a_binding_is_ready(conditions: tuple[Object, ...], want: Readiness) -> None:
    assert readiness(binding("c", conditions=conditions), MINUTE, NOW) == want


FAILURES = {
    "nothing is said": ((), False),
    "everything is fine": ((said("Applied", "True"), said("Available", "True")), False),
    "overriding failed": ((said("Overridden", "False", "OverriddenFailed"),), True),
    "overriding is pending": ((said("Overridden", "False", "OverriddenPending"),), False),
    "works failed": ((said("WorkSynchronized", "False", "SyncWorkFailed"),), True),
    "works are not there yet": ((said("WorkSynchronized", "False", "WorkNotSynchronizedYet"),), False),
    "applying failed": ((said("Applied", "False", "NotAllWorkHaveBeenApplied"),), True),
    "applying is going on, in the work generator's words": ((said("Applied", "False", "ApplyInProgress"),), True),
    "applying is pending": ((said("Applied", "False", "ApplyPending"),), False),
    "not available, in the work generator's words": ((said("Available", "False", "NotAllWorkAreAvailable"),), True),
    "not available yet": ((said("Available", "False", "ResourceNotAvailableYet"),), False),
    "it failed before": ((said("Applied", "False", "NotAllWorkHaveBeenApplied", observed=2),), False),
    "nobody knows": ((said("Applied", "Unknown", "x"),), False),
    "reporting failed": ((said("DiffReported", "False", "x"),), False),
}  # fmt: skip


@pytest.mark.parametrize(("conditions", "want"), FAILURES.values(), ids=FAILURES.keys())
def test_a_binding_has_failed(conditions: tuple[Object, ...], want: bool) -> None:
    assert has_failed(binding("c", conditions=conditions)) is want


def spec(policy: Object | None = None, **rolling: object) -> PlacementSpec:
    document: Object = {"strategy": {"rollingUpdate": rolling} if rolling else {}}
    if policy is not None:
        document["policy"] = policy
    return msgspec.convert(document, PlacementSpec)


FIXED = {"placementType": "PickFixed", "clusterNames": ["a", "b", "c"]}
BUDGETS = {
    "nothing is said: a quarter, rounded up, and a minute": (spec(), 5, Budget(5, 2, 2, MINUTE)),
    "numbers": (
        spec(maxUnavailable=3, maxSurge=0, unavailablePeriodSeconds=0),
        5,
        Budget(5, 3, 0, timedelta()),
    ),
    "percentages are rounded up": (
        spec(maxUnavailable="1%", maxSurge="100%"),
        5,
        Budget(5, 1, 5, MINUTE),
    ),
    "nothing of nothing": (spec(), 0, Budget(0, 0, 0, MINUTE)),
    "as many as asked for": (spec(pick_n(8)), 5, Budget(8, 2, 2, MINUTE)),
    "as many as named": (spec(FIXED), 5, Budget(3, 1, 1, MINUTE)),
    "numbers in texts": (spec(maxUnavailable="2", maxSurge="1"), 9, Budget(9, 2, 1, MINUTE)),
}


@pytest.mark.parametrize(("given", "picked", "want"), BUDGETS.values(), ids=BUDGETS.keys())
def test_a_strategy_allows(given: PlacementSpec, picked: int, want: Budget) -> None:
    assert budget_of(given, picked) == want


AVAILABLE = (said("Available", "True", "AllWorkAreAvailable"),)
WAITING = (said("Available", "True", UNTRACKABLE, ago=20),)
FAILED = (said("Applied", "False", "NotAllWorkHaveBeenApplied"),)
REPORTED = (said("DiffReported", "True"),)


def old(cluster: str, conditions: tuple[Object, ...] = AVAILABLE, **more: Object) -> Binding:
    return binding(cluster, resourceSnapshotName="web-0-snapshot", conditions=conditions, **more)


def new(cluster: str, conditions: tuple[Object, ...] = AVAILABLE, **more: Object) -> Binding:
    return binding(cluster, resourceSnapshotName="web-1-snapshot", conditions=conditions, **more)


def scheduled(cluster: str, **more: Object) -> Binding:
    return binding(cluster, "Scheduled", **more)


def given_up(cluster: str, conditions: tuple[Object, ...] = AVAILABLE, **more: Object) -> Binding:
    return binding(cluster, "Unscheduled", conditions=conditions, **more)


@dataclass
class Case:
    spec: PlacementSpec
    bindings: list[Binding]
    roll: list[str] = field(default_factory=list)
    remove: list[str] = field(default_factory=list)
    blocked: list[str] = field(default_factory=list)
    current: list[str] = field(default_factory=list)
    next_look: float | None = None
    unknown: tuple[str, ...] = ()


def strict(target: int, **rolling: object) -> PlacementSpec:
    return spec(pick_n(target), **{"maxUnavailable": 1, "maxSurge": 0, **rolling})


CASES = {
    "nothing": Case(spec(), []),
    "what was scheduled is bound": Case(strict(2), [scheduled("a"), scheduled("b")], roll=["a", "b"]),
    "what has the latest is current": Case(strict(2), [new("a"), new("b", ())], current=["a", "b"]),
    "one at a time": Case(strict(3), [old("a"), old("b"), old("c")], roll=["a"], blocked=["b", "c"]),
    "nothing while one is on its way": Case(
        strict(3), [new("a", ()), old("b"), old("c")], blocked=["b", "c"], current=["a"]
    ),
    "as many as may be missing": Case(
        strict(3, maxUnavailable=2), [old("a"), old("b"), old("c")], roll=["a", "b"], blocked=["c"]
    ),
    "all at once": Case(
        strict(2, maxUnavailable="100%"), [old("a"), old("b")], roll=["a", "b"]
    ),
    "even then, not more than are ready": Case(
        strict(3, maxUnavailable="100%"), [old("a"), old("b"), old("c", ())], roll=["a", "b"], blocked=["c"]
    ),
    "none may be missing": Case(strict(1, maxUnavailable=0), [old("a")], blocked=["a"]),
    "what failed has nothing to lose": Case(
        strict(3), [old("a", FAILED), old("b"), old("c")], roll=["a"], blocked=["b", "c"]
    ),
    "what was only reported on is ready": Case(
        strict(2), [old("a", REPORTED), old("b", REPORTED)], roll=["a"], blocked=["b"]
    ),
    "what was given up goes first": Case(
        strict(2, maxSurge=1),
        [given_up("a"), old("b"), old("c")],
        remove=["a"],
        roll=["b"],
        blocked=["c"],
    ),
    "what was given up stays while it is needed": Case(
        strict(2, maxUnavailable=0, maxSurge=1),
        [given_up("a"), given_up("b"), scheduled("c"), scheduled("d")],
        roll=["c"],
        blocked=["d"],
    ),
    "what is being deleted is not ready for long": Case(
        strict(3), [given_up("a", deleting=True), old("b"), old("c")], blocked=["b", "c"]
    ),
    "a bound one that is being deleted is left alone": Case(
        strict(3), [old("a", deleting=True), old("b"), old("c")], blocked=["b", "c"]
    ),
    "a scheduled one that is being deleted is left alone": Case(
        strict(2), [scheduled("a", deleting=True), new("b")], current=["b"]
    ),
    "no more than target and surge are bound": Case(
        strict(2), [given_up("a"), new("b", ()), scheduled("c")], blocked=["c"], current=["b"]
    ),
    "what failed does not count against the surge": Case(
        strict(2, maxUnavailable=0), [given_up("a", FAILED), new("b"), scheduled("c")], roll=["c"], current=["b"]
    ),
    "what was only reported on does not count against the surge": Case(
        strict(2, maxUnavailable=0), [given_up("a", REPORTED), new("b"), scheduled("c")], roll=["c"], current=["b"]
    ),
    "a wait for what nobody can track": Case(
        strict(2), [new("a", WAITING), old("b")], blocked=["b"], current=["a"], next_look=40
    ),
    "no wait when nobody waits": Case(strict(2), [new("a", WAITING), new("b")], current=["a", "b"]),
    "a wait for the removal of what was given up": Case(
        strict(1, maxUnavailable=0), [new("a", WAITING), given_up("b")], current=["a"], next_look=40
    ),
    "a cluster that nobody knows any more is left alone": Case(
        strict(2), [old("a"), scheduled("b")], unknown=("a", "b")
    ),
    "picking all, the target is what was picked": Case(
        spec(maxUnavailable="50%", maxSurge=0),
        [old("a"), old("b"), old("c")],
        roll=["a", "b"],
        blocked=["c"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_a_step(case: Case) -> None:
    clusters = {each.spec.target_cluster for each in case.bindings} - set(case.unknown)
    latest = Latest("web-1-snapshot", {name: Picked() for name in clusters})
    got = decide(case.spec, case.bindings, latest, NOW)

    def targets(bindings: tuple[Binding, ...]) -> list[str]:
        return [each.spec.target_cluster for each in bindings]

    assert targets(got.roll) == case.roll
    assert targets(got.remove) == case.remove
    assert targets(got.blocked) == case.blocked
    assert targets(got.current) == case.current
    assert (got.next_look.total_seconds() if got.next_look else None) == case.next_look


OVERRIDES = Picked(("cro-1",), (NamespacedName("ro-1", "ns"),))
OVERRIDDEN: dict[str, tuple[Object, bool]] = {
    "the same": (
        {
            "clusterResourceOverrideSnapshots": ["cro-1"],
            "resourceOverrideSnapshots": [{"name": "ro-1", "namespace": "ns"}],
        },
        True,
    ),
    "none": ({}, False),
    "another of the cluster": (
        {
            "clusterResourceOverrideSnapshots": ["cro-0"],
            "resourceOverrideSnapshots": [{"name": "ro-1", "namespace": "ns"}],
        },
        False,
    ),
    "another of a namespace": (
        {
            "clusterResourceOverrideSnapshots": ["cro-1"],
            "resourceOverrideSnapshots": [{"name": "ro-1", "namespace": "other"}],
        },
        False,
    ),
}


@pytest.mark.parametrize(("has", "want"), OVERRIDDEN.values(), ids=OVERRIDDEN.keys())
def test_a_binding_is_current_with_its_overrides(has: Object, want: bool) -> None:
    given = new("a", **has)
    got = decide(strict(1), [given], Latest("web-1-snapshot", {"a": OVERRIDES}), NOW)
    assert (got.current == (given,)) is want
    assert (got.roll == (given,)) is not want
