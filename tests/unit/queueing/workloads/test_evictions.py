"""Evicting a workload: what its status says then, and what is told."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from argosy.api.objects.kueue.workloads import (
    EvictionCount,
    PreemptionGateState,
    SchedulingStats,
    UnhealthyNode,
    Workload,
)
from argosy.queueing.workloads.evicting import (
    evict,
    is_deactivated_by_kueue,
    is_evicted_for,
)
from tests.unit.queueing.workloads.builders import (
    NOW,
    admitted,
    ago,
    check,
    condition,
    draft,
    said,
    workload,
)


def test_an_eviction_takes_the_place_and_leaves_the_quota() -> None:
    given = admitted(
        admission_checks=(check("a", "Ready"),),
        cluster_name="east",
        nominated_cluster_names=("east", "west"),
        unhealthy_nodes=(UnhealthyNode("n1"),),
        preemption_gates=(PreemptionGateState("g", "Open", ago(60)),),
    )
    changed = draft(given)
    evict(changed, "Preempted", "someone came")
    status = changed.status
    assert said(changed.workload)["Evicted"] == "True Preempted: someone came"
    assert status.admission == given.status.admission
    assert status.admission_checks[0].state == "Pending"
    assert (status.cluster_name, status.nominated_cluster_names) == (None, ())
    assert status.unhealthy_nodes == ()
    assert status.preemption_gates == (PreemptionGateState("g", "Closed", NOW),)


@dataclass
class Telling:
    workload: Workload
    reason: str
    cause: str
    condition: str
    # Nothing is told of a workload that held no quota.
    event: str = ""


TELLING = {
    "a preemption": Telling(
        admitted(), "Preempted", "", "True Preempted: why", "EvictedDueToPreempted"
    ),
    "a timeout names its cause in the statistics only": Telling(
        admitted(),
        "PodsReadyTimeout",
        "WaitForStart",
        "True PodsReadyTimeout: why",
        "EvictedDueToPodsReadyTimeout",
    ),
    "a deactivation names its cause everywhere": Telling(
        admitted(),
        "Deactivated",
        "RequeuingLimitExceeded",
        "True DeactivatedDueToRequeuingLimitExceeded: why",
        "EvictedDueToDeactivatedDueToRequeuingLimitExceeded",
    ),
    "a deactivation of a workload that waits": Telling(
        workload(), "Deactivated", "", "True Deactivated: why"
    ),
}


@pytest.mark.parametrize("case", TELLING.values(), ids=TELLING.keys())
def test_what_is_told_of_an_eviction(case: Telling) -> None:
    changed = draft(case.workload)
    eviction = evict(changed, case.reason, "why", case.cause)
    assert said(changed.workload)["Evicted"] == case.condition
    assert changed.status.scheduling_stats == SchedulingStats(
        (EvictionCount(case.reason, case.cause, 1),)
    )
    assert (eviction.told().reason if eviction else "") == case.event


def test_evictions_are_counted_by_reason_and_cause() -> None:
    changed = draft(admitted())
    first = evict(changed, "PodsReadyTimeout", "slow", "WaitForStart")
    other = evict(changed, "PodsReadyTimeout", "slow", "WaitForRecovery")
    again = evict(changed, "PodsReadyTimeout", "slow", "WaitForStart")
    assert [one.is_first for one in (first, other, again) if one] == [True, True, False]
    assert changed.status.scheduling_stats == SchedulingStats(
        (
            EvictionCount("PodsReadyTimeout", "WaitForStart", 2),
            EvictionCount("PodsReadyTimeout", "WaitForRecovery", 1),
        )
    )


def test_gates_that_held_up_a_preemption_do_so_no_longer() -> None:
    changed = draft(admitted(condition("BlockedOnPreemptionGates", "True", "PreemptionGated")))
    evict(changed, "Preempted", "someone came")
    got = said(changed.workload)["BlockedOnPreemptionGates"]
    assert got == "False Preempted: someone came"


def test_who_switched_a_workload_off_is_read_from_its_eviction() -> None:
    by_kueue = workload(condition("Evicted", "True", "DeactivatedDueToAdmissionCheck"))
    by_owner = workload(condition("Evicted", "True", "Deactivated"))
    before = workload(condition("Evicted", "False", "DeactivatedDueToAdmissionCheck"))
    assert [is_deactivated_by_kueue(one) for one in (by_kueue, by_owner, before)] == [
        True,
        False,
        False,
    ]
    assert is_evicted_for(by_owner, "Deactivated")
    assert not is_evicted_for(before, "DeactivatedDueToAdmissionCheck")
