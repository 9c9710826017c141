"""Statuses of queues, finalizers of what is in use, and priorities that follow their class."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from argosy.api.objects.kueue.localqueues import (
    AdmissionFairSharingStatus,
    LocalQueue,
    LocalQueueFairSharingStatus,
    LocalQueueSpec,
    LocalQueueStatus,
)
from argosy.api.objects.kueue.quotas import (
    ClusterQueue,
    ClusterQueueStatus,
    FairSharingStatus,
    FlavorUsage,
    ResourceUsage,
)
from argosy.api.objects.kueue.workloads import PriorityClassRef
from argosy.api.objects.metadata import ObjectMeta
from argosy.base.types import Json, Object
from argosy.queueing.cache.readiness import READY, TERMINATING, Readiness
from argosy.queueing.controllers.finalizers import finalizers_after, finalizers_patch
from argosy.queueing.controllers.priorityclasses import class_of, outdated
from argosy.queueing.controllers.statuses import (
    Holding,
    cluster_queue_status,
    local_queue_readiness,
    local_queue_status,
    seconds_until_sample,
)
from tests.unit.queueing.workloads.builders import NOW, ago, condition, workload

FINALIZER = "kueue.x-k8s.io/resource-in-use"
USED: Object = {"name": "f", "resources": [{"name": "cpu", "total": "1"}]}
ACTIVE = condition("Active", "True", "Ready", "Can admit new workloads", seconds_ago=60)
SAYS_ACTIVE: Object = {
    "type": "Active",
    "status": "True",
    "reason": "Ready",
    "message": "Can admit new workloads",
    "observedGeneration": 1,
    "lastTransitionTime": "2026-01-01T12:00:00Z",
}


@dataclass
class Status:
    status: ClusterQueueStatus
    want: Object | None
    holding: Holding = field(default_factory=Holding)
    readiness: Readiness = READY
    share: int | None = None


STATUSES = {
    "a new one says what it can, and that nobody waits or runs": Status(
        ClusterQueueStatus(),
        {
            "conditions": [SAYS_ACTIVE],
            "pendingWorkloads": 0,
            "reservingWorkloads": 0,
            "admittedWorkloads": 0,
        },
    ),
    "one that says everything is not written": Status(ClusterQueueStatus((ACTIVE,)), None),
    "numbers that differ are written alone": Status(
        ClusterQueueStatus((ACTIVE,), pending_workloads=2),
        {"pendingWorkloads": 3, "reservingWorkloads": 1},
        Holding(pending=3, reserving=1),
    ),
    "what is held is written whole": Status(
        ClusterQueueStatus((ACTIVE,)), {"flavorsUsage": [USED]}, Holding(flavors_usage=[USED])
    ),
    "and not again": Status(
        ClusterQueueStatus(
            (ACTIVE,), flavors_usage=(FlavorUsage("f", (ResourceUsage("cpu", "1", "0"),)),)
        ),
        None,
        Holding(flavors_usage=[USED]),
    ),
    "what is held no longer goes": Status(
        ClusterQueueStatus((ACTIVE,), flavors_usage=(FlavorUsage("f"),)), {"flavorsUsage": None}
    ),
    "one that is going says so": Status(
        ClusterQueueStatus((ACTIVE,)),
        {
            "conditions": [
                SAYS_ACTIVE
                | {
                    "status": "False",
                    "reason": "Terminating",
                    "message": "Can't admit new workloads; clusterQueue is terminating",
                }
            ]
        },
        readiness=TERMINATING,
    ),
    "its share is written where shares count": Status(
        ClusterQueueStatus((ACTIVE,)), {"fairSharing": {"weightedShare": 0}}, share=0
    ),
    "and stays where they do not": Status(
        ClusterQueueStatus((ACTIVE,), fair_sharing=FairSharingStatus(7)), None
    ),
}


@pytest.mark.parametrize("case", STATUSES.values(), ids=STATUSES.keys())
def test_what_a_cluster_queue_says(case: Status) -> None:
    queue = ClusterQueue(ObjectMeta(name="cq", generation=1), status=case.status)
    got = cluster_queue_status(queue, case.readiness, case.holding, NOW, weighted_share=case.share)
    assert got == (None if case.want is None else {"status": case.want})


@dataclass
class Door:
    policy: str
    exists: bool
    is_active: bool
    want: str


DOORS = {
    "all is well": Door("None", True, True, "True Ready: Can submit new workloads to localQueue"),
    "it is stopped, whatever its ClusterQueue is": Door(
        "HoldAndDrain", False, False, "False Stopped: LocalQueue is stopped"
    ),
    "its ClusterQueue is not there": Door(
        "None",
        False,
        False,
        "False ClusterQueueDoesNotExist: Can't submit new workloads to clusterQueue",
    ),
    "its ClusterQueue cannot admit": Door(
        "None",
        True,
        False,
        "False ClusterQueueIsInactive: Can't submit new workloads to clusterQueue",
    ),
}


@pytest.mark.parametrize("case", DOORS.values(), ids=DOORS.keys())
def test_whether_workloads_can_be_submitted(case: Door) -> None:
    queue = LocalQueue(spec=LocalQueueSpec("cq", case.policy))
    got = local_queue_readiness(queue, exists=case.exists, is_active=case.is_active)
    assert f"{got.is_active} {got.reason}: {got.message}" == case.want


def test_what_a_local_queue_consumed_is_written_when_it_is_worked_out() -> None:
    consumed = AdmissionFairSharingStatus({"cpu": "2", "memory": "1Gi"}, ago(300))
    status = LocalQueueStatus((ACTIVE,), fair_sharing=LocalQueueFairSharingStatus(5, consumed))
    queue = LocalQueue(ObjectMeta(generation=1), status=status)
    assert local_queue_status(queue, READY, Holding(), NOW) is None
    assert local_queue_status(queue, READY, Holding(), NOW, consumption=consumed) is None
    new = AdmissionFairSharingStatus({"cpu": "3"}, NOW)
    assert local_queue_status(queue, READY, Holding(), NOW, consumption=new) == {
        "status": {
            "fairSharing": {
                "weightedShare": 5,
                "admissionFairSharingStatus": {
                    "consumedResources": {"cpu": "3", "memory": None},
                    "lastUpdate": "2026-01-01T12:00:00Z",
                },
            }
        }
    }


def test_samples_are_taken_at_their_interval() -> None:
    assert seconds_until_sample(None, NOW, 300) == 0
    assert seconds_until_sample(ago(1), NOW, 5) == 4
    assert seconds_until_sample(ago(9), NOW, 5) == -4


@dataclass
class Finalizers:
    meta: dict[str, Json]
    is_used: bool
    want: tuple[str, ...]


FINALIZERS = {
    "a new object gets one": Finalizers({}, False, (FINALIZER,)),
    "beside those of others": Finalizers({"finalizers": ("x",)}, False, ("x", FINALIZER)),
    "and keeps it": Finalizers({"finalizers": (FINALIZER,)}, False, (FINALIZER,)),
    "one that is used stays": Finalizers(
        {"finalizers": (FINALIZER,), "deletion_timestamp": NOW}, True, (FINALIZER,)
    ),
    "one that is not goes": Finalizers(
        {"finalizers": ("x", FINALIZER), "deletion_timestamp": NOW}, False, ("x",)
    ),
    "one that is going gets none": Finalizers(
        {"finalizers": ("x",), "deletion_timestamp": NOW}, False, ("x",)
    ),
}


@pytest.mark.parametrize("case", FINALIZERS.values(), ids=FINALIZERS.keys())
def test_what_is_in_use_stays(case: Finalizers) -> None:
    meta = ObjectMeta(uid="u", resource_version="7", **case.meta)
    got = finalizers_after(meta, is_used=case.is_used)
    assert got == case.want
    patch = finalizers_patch(meta, got)
    if got == meta.finalizers:
        assert patch is None
    else:
        known = {"uid": "u", "resourceVersion": "7"}
        assert patch == {"metadata": known | {"finalizers": list(got)}}


def test_the_last_finalizer_is_taken_away_as_a_field() -> None:
    meta = ObjectMeta(finalizers=(FINALIZER,), deletion_timestamp=NOW)
    patch = finalizers_patch(meta, finalizers_after(meta, is_used=False))
    assert patch is not None
    assert patch["metadata"]["finalizers"] is None


def test_priorities_follow_their_class_until_the_end() -> None:
    high = PriorityClassRef("kueue.x-k8s.io", "WorkloadPriorityClass", "high")
    of_pods = PriorityClassRef("scheduling.k8s.io", "PriorityClass", "high")
    waits = workload(spec={"priority": 1, "priority_class_ref": high})
    follows = workload(spec={"priority": 9, "priority_class_ref": high})
    is_over = workload(condition("Finished"), spec={"priority": 1, "priority_class_ref": high})
    assert outdated(9, [waits, follows, is_over]) == [waits]
    assert class_of(waits) == "high"
    assert class_of(workload(spec={"priority_class_ref": of_pods})) == ""
    assert class_of(workload()) == ""
