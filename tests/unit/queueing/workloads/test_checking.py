"""Admission checks: which apply, their states, and what failing ones say."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from argosy.api.objects.kueue.quotas import (
    AdmissionChecksStrategy,
    AdmissionCheckStrategyRule,
    ClusterQueue,
    ClusterQueueSpec,
    FlavorQuotas,
    ResourceGroup,
)
from argosy.api.objects.kueue.workloads import Admission, AdmissionCheckState, PodSetAssignment
from argosy.queueing.workloads.checking import (
    checks_for,
    has_all_checks,
    in_state,
    reset_checks,
    retry_time,
    sync_checks,
    synced_states,
    told,
)
from tests.unit.queueing.workloads.builders import NOW, ago, check, draft, workload


def queue(**checks: tuple[str, ...]) -> ClusterQueue:
    """A ClusterQueue of the flavors `spot` and `reserved` with checks on flavors."""
    groups = (ResourceGroup(("cpu",), (FlavorQuotas("spot"), FlavorQuotas("reserved"))),)
    rules = tuple(AdmissionCheckStrategyRule(name, flavors) for name, flavors in checks.items())
    spec = ClusterQueueSpec(groups, admission_checks_strategy=AdmissionChecksStrategy(rules))
    return ClusterQueue(spec=spec)


@dataclass
class Applying:
    checks: dict[str, tuple[str, ...]]
    want: set[str]
    flavors: tuple[str, ...] = ()


APPLYING = {
    "a check for no flavor in particular applies before flavors are known": Applying(
        {"all": ()}, {"all"}
    ),
    "a check for one flavor does not yet": Applying({"spot": ("spot",)}, set()),
    "a check for every flavor does": Applying({"both": ("spot", "reserved")}, {"both"}),
    "once flavors are known, checks for any of them apply": Applying(
        {"all": (), "spot": ("spot",), "reserved": ("reserved",)}, {"all", "spot"}, ("spot",)
    ),
    "a check for a flavor that is not there never applies": Applying(
        {"gone": ("gone",)}, set(), ("spot",)
    ),
}


@pytest.mark.parametrize("case", APPLYING.values(), ids=APPLYING.keys())
def test_checks_that_apply(case: Applying) -> None:
    flavors = {f"r{number}": name for number, name in enumerate(case.flavors)}
    admission = Admission("cq", (PodSetAssignment("main", flavors),)) if flavors else None
    got = checks_for(workload(admission=admission), queue(**case.checks))
    assert got == case.want


@dataclass
class Syncing:
    states: tuple[AdmissionCheckState, ...]
    names: set[str]
    want: list[str]
    is_same: bool = False


SYNCING = {
    "missing ones are added as pending, by name": Syncing(
        (), {"b", "a"}, ["a Pending", "b Pending"]
    ),
    "extra ones go": Syncing((check("a", "Ready"), check("b", "Ready")), {"b"}, ["b Ready"]),
    "known ones keep their state": Syncing(
        (check("b", "Ready"),), {"a", "b"}, ["a Pending", "b Ready"]
    ),
    "nothing is touched where nothing is to do": Syncing(
        (check("b", "Ready"), check("a", "Retry")), {"a", "b"}, ["b Ready", "a Retry"], is_same=True
    ),
    "without checks there are no states": Syncing((check("a", "Ready"),), set(), []),
}


@pytest.mark.parametrize("case", SYNCING.values(), ids=SYNCING.keys())
def test_states_of_exactly_the_checks_that_apply(case: Syncing) -> None:
    got = synced_states(case.states, frozenset(case.names), NOW)
    assert [f"{one.name} {one.state}" for one in got] == case.want
    assert (got is case.states) is case.is_same


def test_syncing_twice_changes_nothing_the_second_time() -> None:
    changed = draft(workload())
    assert sync_checks(changed, queue(a=(), b=()))
    assert not sync_checks(changed, queue(b=(), a=()))
    assert has_all_checks(changed.workload, ["a", "b"])
    assert not has_all_checks(changed.workload, ["a", "c"])


@dataclass
class Reset:
    before: AdmissionCheckState
    want: AdmissionCheckState
    more: dict[str, int] = field(default_factory=dict)


def _pending(was: str, **more: int) -> AdmissionCheckState:
    said = f"Reset to Pending after eviction. Previously: {was}"
    return AdmissionCheckState("a", "Pending", NOW, said, **more)


RESETS = {
    "a pending one stays": Reset(check("a", "Pending", "soon"), check("a", "Pending", "soon")),
    "a ready one begins anew": Reset(check("a", "Ready", "done"), _pending("Ready")),
    "a rejected one too": Reset(check("a", "Rejected"), _pending("Rejected")),
    "a retry is counted": Reset(check("a", "Retry"), _pending("Retry", retry_count=1)),
    "retries add up": Reset(
        check("a", "Retry", retry_count=2, requeue_after_seconds=60),
        _pending("Retry", retry_count=3, requeue_after_seconds=60),
    ),
    "a count is forgotten once the check was ready": Reset(
        check("a", "Ready", retry_count=2), _pending("Ready")
    ),
}


@pytest.mark.parametrize("case", RESETS.values(), ids=RESETS.keys())
def test_checks_begin_anew_after_an_eviction(case: Reset) -> None:
    changed = draft(workload(admission_checks=(case.before,)))
    reset_checks(changed)
    assert changed.status.admission_checks == (case.want,)


def test_failing_checks_are_told_by_name_with_what_they_say() -> None:
    given = workload(
        admission_checks=(
            check("b", "Retry", "no budget"),
            check("c", "Ready"),
            check("a", "Retry"),
        )
    )
    assert told(in_state(given, "Retry")) == 'AdmissionChecks in Retry state: "a"; "b" (no budget)'
    assert told(in_state(given, "Ready")) == 'AdmissionCheck in Ready state: "c"'


def test_the_latest_retry_counts() -> None:
    states = (
        check("a", "Retry", requeue_after_seconds=30),
        check("b", "Retry", requeue_after_seconds=90),
        check("c", "Pending", requeue_after_seconds=900),
        AdmissionCheckState("d", "Retry", None, "", 900),
        check("e", "Retry"),
    )
    assert retry_time(states) == ago(60 - 90)
    assert retry_time(()) is None
