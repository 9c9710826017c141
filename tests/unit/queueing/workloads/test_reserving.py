"""Reserving quota, giving it back, and what Admitted says of it."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from msgspec.structs import replace

from argosy.api.objects.kueue.workloads import Admission, PodSetAssignment, PodSetRequest, Workload
from argosy.queueing.workloads.infos import PodSetResources
from argosy.queueing.workloads.reserving import (
    propagate_requests,
    release_evicted,
    reserve,
    set_back,
    sync_admitted,
    unreserve,
)
from tests.unit.queueing.workloads.builders import (
    ADMISSION,
    admitted,
    check,
    condition,
    draft,
    reserved,
    said,
    workload,
)

DELAYED = Admission("cq", (PodSetAssignment("main", delayed_topology_request="Pending"),))


@dataclass
class Sync:
    workload: Workload
    # What Admitted says then; nothing if it is not there.
    says: str = ""
    changes: bool = True
    accumulated: int | None = None


SYNCS = {
    "a workload nobody looked at says nothing": Sync(workload(), changes=False),
    "pending checks alone make it say nothing": Sync(
        workload(admission_checks=(check("a", "Pending"),)), changes=False
    ),
    "quota without checks is an admission": Sync(
        reserved(), "True Admitted: The workload is admitted"
    ),
    "quota with all checks ready is one too": Sync(
        reserved(admission_checks=(check("a", "Ready"),)),
        "True Admitted: The workload is admitted",
    ),
    "checks that are not ready hold it up": Sync(
        reserved(admission_checks=(check("a", "Ready"), check("b", "Pending"))),
        "False UnsatisfiedAdmissionChecks: The workload has not all checks ready",
    ),
    "so does a placement that was put off": Sync(
        reserved(admission=DELAYED),
        "False PendingDelayedTopologyRequests: There are pending delayed topology requests",
    ),
    "an admission that stands is left as it is": Sync(
        admitted(seconds_ago=60), "True Admitted: ", changes=False
    ),
    "an admission without quota ends, and its time is kept": Sync(
        workload(condition("Admitted", seconds_ago=60)),
        "False NoReservation: The workload has no reservation",
        accumulated=60,
    ),
    "times of several admissions add up": Sync(
        workload(condition("Admitted", seconds_ago=60), accumulated_past_execution_time_seconds=15),
        "False NoReservation: The workload has no reservation",
        accumulated=75,
    ),
    "one that waits says so once": Sync(
        workload(
            condition("QuotaReserved", "False", "Pending"),
            condition("Admitted", "False", "NoReservation", "The workload has no reservation"),
        ),
        "False NoReservation: The workload has no reservation",
        changes=False,
    ),
}


@pytest.mark.parametrize("case", SYNCS.values(), ids=SYNCS.keys())
def test_admitted_follows_reservation_checks_and_placement(case: Sync) -> None:
    changed = draft(case.workload)
    assert sync_admitted(changed) is case.changes
    assert said(changed.workload).get("Admitted", "") == case.says
    assert changed.status.accumulated_past_execution_time_seconds == case.accumulated


def test_a_reservation_makes_the_past_the_past() -> None:
    past = (
        condition("Evicted", "True", "Preempted", "someone came", seconds_ago=9),
        condition("Preempted", "True", "InClusterQueue", "someone came", seconds_ago=9),
        condition("Requeued", "True", "Preempted", "someone came", seconds_ago=9),
    )
    changed = draft(workload(*past, resource_requests=(PodSetRequest("main", {"cpu": "1"}),)))
    reserve(changed, ADMISSION)
    assert said(changed.workload) == {
        "Evicted": "False QuotaReserved: Previously: someone came",
        "Preempted": "False QuotaReserved: Previously: someone came",
        "Requeued": "True Preempted: someone came",
        "QuotaReserved": "True QuotaReserved: Quota reserved in ClusterQueue cq",
    }
    assert changed.status.admission == ADMISSION
    assert changed.status.resource_requests == ()


def test_a_past_that_is_past_already_is_not_told_again() -> None:
    told = condition("Evicted", "False", "QuotaReserved", "Previously: someone came", 9)
    changed = draft(workload(told))
    reserve(changed, ADMISSION)
    assert changed.workload.condition("Evicted") == told


def test_giving_quota_back_ends_the_admission() -> None:
    changed = draft(admitted(seconds_ago=30))
    assert unreserve(changed, "Suspended", "LocalQueue lq is stopped")
    assert changed.status.admission is None
    assert said(changed.workload) == {
        "QuotaReserved": "False Suspended: LocalQueue lq is stopped",
        "Admitted": "False NoReservation: The workload has no reservation",
    }
    assert not unreserve(changed, "Suspended", "LocalQueue lq is stopped")


@dataclass
class Release:
    reason: str
    requeued: str
    may_requeue: bool = True


RELEASES = {
    "the preempted are queued again at once": Release("Preempted", "True Preempted: why"),
    "so are those who lost nodes": Release("NodeFailures", "True NodeFailures: why"),
    "those whose pods were too slow wait": Release(
        "PodsReadyTimeout", "False PodsReadyTimeout: why"
    ),
    "those who were switched off wait": Release("Deactivated", "False Deactivated: why"),
    "a pod that is gone does not come back": Release("Preempted", "False Preempted: why", False),
}


@pytest.mark.parametrize("case", RELEASES.values(), ids=RELEASES.keys())
def test_the_evicted_give_their_quota_back(case: Release) -> None:
    changed = draft(admitted(condition("Evicted", "True", case.reason, "why")))
    release_evicted(changed, may_requeue=case.may_requeue)
    got = said(changed.workload)
    assert got["Requeued"] == case.requeued
    assert got["QuotaReserved"] == "False PendingEvaluation: why"
    assert changed.status.admission is None


@dataclass
class Requests:
    shown: tuple[PodSetRequest, ...]
    asked: dict[str, int]
    changes: bool
    then: dict[str, str] = field(default_factory=dict)


REQUESTS = {
    "nothing is shown yet": Requests((), {"cpu": 500}, True, {"cpu": "500m"}),
    "the same is shown, written otherwise": Requests(
        (PodSetRequest("main", {"cpu": "0.5"}),), {"cpu": 500}, False, {"cpu": "0.5"}
    ),
    "less is asked for now": Requests(
        (PodSetRequest("main", {"cpu": "1", "memory": "1Gi"}),), {"cpu": 500}, True, {"cpu": "500m"}
    ),
    "another pod set is shown": Requests(
        (PodSetRequest("old", {"cpu": "500m"}),), {"cpu": 500}, True, {"cpu": "500m"}
    ),
}


@pytest.mark.parametrize("case", REQUESTS.values(), ids=REQUESTS.keys())
def test_what_is_asked_for_is_shown(case: Requests) -> None:
    changed = draft(workload(resource_requests=case.shown))
    asked = (PodSetResources("main", 1, case.asked),)
    assert propagate_requests(changed, asked) is case.changes
    assert changed.status.resource_requests == (PodSetRequest("main", case.then),)


def test_an_attempt_that_came_to_nothing_is_told_as_condition_and_event() -> None:
    changed = draft(workload())
    event = set_back(changed, "", "no room", (PodSetResources("main", 1, {"cpu": 1000}),))
    assert (event.type, event.reason, event.message) == ("Warning", "Pending", "no room")
    assert said(changed.workload)["QuotaReserved"] == "False Pending: no room"
    assert changed.status.resource_requests == (PodSetRequest("main", {"cpu": "1"}),)


def test_a_new_generation_is_told_even_if_nothing_else_is_new() -> None:
    changed = draft(workload(condition("QuotaReserved", "False", "Pending", "no room")))
    changed.workload = replace(
        changed.workload, metadata=replace(changed.workload.metadata, generation=2)
    )
    assert unreserve(changed, "Pending", "no room")
