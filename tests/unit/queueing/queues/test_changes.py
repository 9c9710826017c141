"""When a workload that was sent away may come back, and what makes a parked one worth another look."""

from __future__ import annotations

import pytest

from argosy.api.objects.kueue.workloads import (
    PreemptionGate,
    PreemptionGateState,
    ReclaimablePod,
    Workload,
    WorkloadSpec,
    WorkloadStatus,
)
from argosy.queueing.queues.backoffs import is_backoff_over
from argosy.queueing.queues.changes import has_closed_gate, may_fare_differently
from argosy.queueing.workloads.infos import Info, PodSetResources
from tests.unit.queueing.queues.builders import NOW, info, workload

BACKOFFS: dict[str, tuple[Workload, bool]] = {
    "never sent away": (workload("a"), True),
    "until now": (workload("a", requeue_at=NOW), True),
    "until later": (workload("a", requeue_at=NOW + 1), False),
    "not yet requeued": (workload("a", conditions={"Requeued": "False/PodsReadyTimeout"}), False),
    "requeued": (workload("a", conditions={"Requeued": "True/BackoffFinished"}), True),
    "requeued, but until later": (
        workload("a", conditions={"Requeued": "True/BackoffFinished"}, requeue_at=NOW + 1),
        False,
    ),
}


@pytest.mark.parametrize("name", BACKOFFS)
def test_when_a_backoff_is_over(name: str) -> None:
    given, want = BACKOFFS[name]
    assert is_backoff_over(given, NOW) == want


def gated(*positions: tuple[str, str]) -> Workload:
    return Workload(
        spec=WorkloadSpec(preemption_gates=(PreemptionGate("one"), PreemptionGate("two"))),
        status=WorkloadStatus(
            preemption_gates=tuple(PreemptionGateState(*position) for position in positions)
        ),
    )


def test_a_gate_is_closed_until_somebody_opens_it() -> None:
    assert has_closed_gate(gated())
    assert has_closed_gate(gated(("one", "Open")))
    assert has_closed_gate(gated(("one", "Open"), ("two", "Closed")))
    assert not has_closed_gate(gated(("one", "Open"), ("two", "Open")))
    assert not has_closed_gate(workload("a"))


def asking(cpu: int) -> Info:
    return Info(workload("a"), (PodSetResources("main", 1, {"cpu": cpu}),))


def reclaimed(count: int) -> Info:
    status = WorkloadStatus(reclaimable_pods=(ReclaimablePod("main", count),))
    return info("a", obj=workload("a", status=status))


CHANGES: dict[str, tuple[Info, Info, bool]] = {
    "nothing": (info("a"), info("a"), False),
    "a status of the scheduler": (
        info("a"),
        info("a", conditions={"QuotaReserved": "False/WaitingForQuota"}),
        False,
    ),
    "the spec": (info("a"), info("a", generation=2), True),
    "the spec of an object without generation": (
        info("a", "one", generation=0),
        info("a", "two", generation=0),
        True,
    ),
    "a boost": (info("a"), info("a", priority=1), True),
    "what it asks for": (asking(1), asking(2), True),
    "reclaimable pods": (reclaimed(1), reclaimed(2), True),
    "an eviction": (info("a"), info("a", conditions={"Evicted": "True/Preempted"}), True),
    "a requeue": (
        info("a", conditions={"Requeued": "False/AdmissionCheck"}),
        info("a", conditions={"Requeued": "True/BackoffFinished"}),
        True,
    ),
    "the end of a backoff": (info("a", requeue_at=NOW), info("a"), True),
    "an opened gate": (
        info("a", obj=gated()),
        info("a", obj=gated(("one", "Open"), ("two", "Open"))),
        True,
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_makes_a_parked_workload_worth_another_look(name: str) -> None:
    old, new, want = CHANGES[name]
    assert may_fare_differently(old, new) == want
