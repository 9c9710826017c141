"""Infos by the options of a cluster: what counts as asked for, where a workload stands in line, whom it is like."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from argosy.api.objects.kueue.workloads import ReclaimablePod, Workload
from argosy.queueing.quotas.amounts import FlavorResource
from argosy.queueing.workloads.making import ALLOWED_FLAVORS, CREATION, Infos
from tests.unit.queueing.workloads.builders import (
    ADMISSION,
    NOW,
    ago,
    condition,
    container,
    pods,
    workload,
)

_BORROWER = condition("Preempted", reason="InCohortReclaimWhileBorrowing", seconds_ago=5)


@dataclass
class Standing:
    """`ago` is how many seconds before now the workload got in line."""

    workload: Workload
    infos: Infos
    ago: float


def _evicted(reason: str) -> Workload:
    return workload(
        condition("Evicted", reason=reason, seconds_ago=3), metadata={"creation_timestamp": ago(60)}
    )


_STANDINGS = {
    "since its creation": Standing(_evicted("Preempted"), Infos(), 60),
    "since it was evicted for pods that were not ready": Standing(
        _evicted("PodsReadyTimeout"), Infos(), 3
    ),
    "unless the configuration says otherwise": Standing(
        _evicted("PodsReadyTimeout"), Infos(requeuing_timestamp=CREATION), 60
    ),
    "since a check sent it back, whatever the configuration says": Standing(
        _evicted("AdmissionCheck"), Infos(requeuing_timestamp=CREATION), 3
    ),
    "since its creation though it was preempted while borrowing": Standing(
        workload(_BORROWER, metadata={"creation_timestamp": ago(60)}), Infos(), 60
    ),
    "behind who came when it was preempted, where priorities do not count": Standing(
        workload(_BORROWER, metadata={"creation_timestamp": ago(60)}),
        Infos(by_priority=False),
        5 - 0.001,
    ),
    "since its creation, where priorities do not count and it was preempted for another reason": Standing(
        workload(
            condition("Preempted", reason="InClusterQueue"),
            metadata={"creation_timestamp": ago(60)},
        ),
        Infos(by_priority=False),
        60,
    ),
}


@pytest.mark.parametrize("name", _STANDINGS)
def test_a_workload_is_in_line(name: str) -> None:
    case = _STANDINGS[name]
    assert case.infos.order_time(case.workload) == pytest.approx(NOW.timestamp() - case.ago)


@pytest.mark.parametrize(("reclaims", "cpus"), [(True, 2000), (False, 5000)])
def test_pods_that_are_not_needed_any_more_give_back_their_quota(reclaims: bool, cpus: int) -> None:
    spec = {"pod_sets": (pods(container({"cpu": "1"}), count=5),)}
    done = (ReclaimablePod("main", 3),)
    waiting = Infos(reclaims=reclaims).make(workload(spec=spec, reclaimable_pods=done))
    assert waiting.total_requests[0].requests == {"cpu": cpus}


@pytest.mark.parametrize(("reclaims", "cpus"), [(True, 0), (False, 1000)])
def test_and_so_do_those_of_an_admitted_workload(reclaims: bool, cpus: int) -> None:
    done = (ReclaimablePod("main", 1),)
    held = Infos(reclaims=reclaims).make(workload(admission=ADMISSION, reclaimable_pods=done))
    assert held.usage == {FlavorResource("default", "cpu"): cpus}


def _hash(infos: Infos, flavors: str) -> str:
    return infos.make(
        workload(metadata={"annotations": {ALLOWED_FLAVORS: flavors}})
    ).scheduling_hash


def test_workloads_that_are_held_to_other_flavors_are_not_alike() -> None:
    variants = Infos(variants=True)
    assert _hash(variants, "a") != _hash(variants, "b")
    assert _hash(variants, "a, b") == _hash(variants, "b,a")
    assert _hash(Infos(), "a") == _hash(Infos(), "b")
