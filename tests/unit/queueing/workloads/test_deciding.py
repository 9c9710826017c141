"""One look at a Workload: what is done about it, step by step, and which step has the last word."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from argosy.api.objects.core import Namespace
from argosy.api.objects.kueue.localqueues import LocalQueue, LocalQueueSpec
from argosy.api.objects.kueue.quotas import (
    AdmissionChecksStrategy,
    AdmissionCheckStrategyRule,
    ClusterQueue,
    ClusterQueueSpec,
    FlavorQuotas,
    ResourceGroup,
)
from argosy.api.objects.kueue.workloads import RequeueState, Workload
from argosy.api.objects.metadata import ObjectMeta, OwnerReference
from argosy.base.selectors.labels import everything
from argosy.base.types import Json, Object
from argosy.queueing.workloads.deciding import decide
from argosy.queueing.workloads.decisions import Decision, LifeRules, PodsReadyRules
from argosy.queueing.workloads.explaining import Surroundings
from tests.unit.queueing.workloads.builders import (
    ADMISSION,
    NOW,
    admitted,
    ago,
    check,
    condition,
    reserved,
    said,
    with_spec,
    workload,
)

FINALIZER = "kueue.x-k8s.io/resource-in-use"
OWNED: Object = {"owner_references": (OwnerReference("batch/v1", "Job", "j", "u"),)}
OF_JOB: Object = {"labels": {"kueue.x-k8s.io/job-uid": "u"}, "finalizers": (FINALIZER, "mine")}
GATED: Object = {"annotations": {"kueue.x-k8s.io/admission-gated-by": "budget"}}
RULES = LifeRules(PodsReadyRules(300, 120, 3, 10, 60), retain_finished_seconds=600)
NO_RESERVATION = "False NoReservation: The workload has no reservation"


def local_queue(policy: str = "None", **meta: Json) -> LocalQueue:
    return LocalQueue(ObjectMeta(name="lq", namespace="ns", **meta), LocalQueueSpec("cq", policy))


def cluster_queue(policy: str = "None", *checks: str, **meta: Json) -> ClusterQueue:
    strategy = AdmissionChecksStrategy(tuple(AdmissionCheckStrategyRule(one) for one in checks))
    groups = (ResourceGroup(("cpu",), (FlavorQuotas("default"),)),)
    spec = ClusterQueueSpec(groups, admission_checks_strategy=strategy, stop_policy=policy)
    return ClusterQueue(ObjectMeta(name="cq", **meta), spec)


@dataclass
class Case:
    workload: Workload
    # Conditions that change, by type, as `status reason: message`; None for one that goes.
    says: dict[str, str | None] = field(default_factory=dict)
    tells: list[str] = field(default_factory=list)
    look_again: float | None = None
    does: set[str] = field(default_factory=set)
    around: Object = field(default_factory=dict)
    rules: LifeRules = RULES


CASES = {
    # Who is gone, finished, or waits.
    "deleted by hand, it is let go": Case(
        workload(metadata={"deletion_timestamp": NOW, "finalizers": (FINALIZER,)}),
        does={"drops finalizer"},
    ),
    "deleted while its job is there, it is left to the job": Case(
        workload(
            condition("Finished"),
            metadata=OWNED | {"deletion_timestamp": NOW, "finalizers": (FINALIZER,)},
        ),
        look_again=600,
    ),
    "its job is gone: it is finished, so that its quota is free": Case(
        admitted(),
        look_again=600,
        says={"Finished": "True OwnerNotFound: The workload's owner no longer exists"},
        does={"drops finalizer"},
        around={"metadata": OF_JOB},
    ),
    "finished, it is kept for a while": Case(
        workload(condition("Finished", seconds_ago=100)), look_again=500
    ),
    "and deleted then": Case(
        workload(condition("Finished", seconds_ago=600), metadata={"finalizers": (FINALIZER,)}),
        tells=["Normal Deleted: Deleted finished workload due to elapsed retention"],
        does={"drops finalizer", "deletes"},
    ),
    "without retention it is kept": Case(
        workload(condition("Finished", seconds_ago=9999)), rules=LifeRules()
    ),
    "a check asks to wait": Case(
        reserved(admission_checks=(check("a", "Retry", requeue_after_seconds=90),)),
        does={"waits until 12:00:30"},
    ),
    "and the wait is not for giving the quota back": Case(
        reserved(
            admission_checks=(check("a", "Retry", requeue_after_seconds=90),),
            requeue_state=RequeueState(None, ago(-90)),
        ),
        says={
            "Evicted": 'True AdmissionCheck: Evicted due to AdmissionCheck in Retry state: "a"',
            "Admitted": ("False UnsatisfiedAdmissionChecks: The workload has not all checks ready"),
        },
        tells=[
            'Normal EvictedDueToAdmissionCheck: Evicted due to AdmissionCheck in Retry state: "a"'
        ],
        does={"checks: a Pending"},
        around={"cluster_queue": cluster_queue("None", "a")},
    ),
    "devices claimed by name cannot be counted": Case(
        with_spec(
            workload(),
            pod_sets=(
                replace(
                    workload().spec.pod_sets[0],
                    template={"spec": {"resourceClaims": [{"resourceClaimName": "gpu"}]}},
                ),
            ),
        ),
        says={
            "QuotaReserved": (
                "False Misconfigured: KueueDRAIntegration feature does not support use of "
                "resource claims"
            ),
            "Admitted": NO_RESERVATION,
            "Requeued": "False Inadmissible: DRA resource claims not supported",
        },
    ),
    # Active or not.
    "it is to be switched off": Case(
        admitted(condition("DeactivationTarget", "True", "AdmissionCheck", "rejected")),
        does={"deactivates"},
    ),
    "it waits out its pause, whatever else is the matter": Case(
        workload(
            condition("Requeued", "False", "PodsReadyTimeout"),
            requeue_state=RequeueState(1, ago(-30)),
        ),
        look_again=30,
        around={"local_queue": None},
    ),
    "its pause is over": Case(
        workload(
            condition("Requeued", "False", "PodsReadyTimeout"),
            requeue_state=RequeueState(1, ago(1)),
        ),
        does={"stops waiting"},
    ),
    "and then it may be queued again": Case(
        workload(condition("Requeued", "False", "PodsReadyTimeout"), requeue_state=RequeueState(1)),
        says={"Requeued": "True BackoffFinished: The workload backoff was finished"},
    ),
    "it was switched on again": Case(
        workload(condition("Requeued", "False", "Deactivated")),
        says={"Requeued": "True Reactivated: The workload was reactivated"},
    ),
    "it was switched on again by somebody who knows why it was off": Case(
        workload(condition("Requeued", "False", "DeactivatedDueToRequeuingLimitExceeded")),
        says={"Requeued": "True Reactivated: The workload was reactivated"},
    ),
    "after its time was up, its time begins anew": Case(
        workload(
            condition("Requeued", "False", "DeactivatedDueToMaximumExecutionTimeExceeded"),
            accumulated_past_execution_time_seconds=60,
        ),
        says={"Requeued": "True Reactivated: The workload was reactivated"},
        does={"starts counting anew"},
    ),
    "switched off by its owner": Case(
        with_spec(admitted(), active=False),
        says={"Evicted": "True Deactivated: The workload is deactivated"},
        tells=["Normal EvictedDueToDeactivated: The workload is deactivated"],
    ),
    "switched off for a cause": Case(
        with_spec(
            admitted(
                condition("DeactivationTarget", "True", "RequeuingLimitExceeded", "too many tries"),
                requeue_state=RequeueState(3, ago(1)),
            ),
            active=False,
        ),
        says={
            "Evicted": (
                "True DeactivatedDueToRequeuingLimitExceeded: "
                "The workload is deactivated due to too many tries"
            ),
            "DeactivationTarget": None,
        },
        tells=[
            (
                "Normal EvictedDueToDeactivatedDueToRequeuingLimitExceeded: "
                "The workload is deactivated due to too many tries"
            )
        ],
        does={"stops waiting"},
    ),
    "switched off when it was evicted already": Case(
        with_spec(admitted(condition("Evicted", "True", "Preempted", "someone came")), active=False)
    ),
    "switched off, it says so while it waits": Case(
        with_spec(workload(condition("Evicted", "True", "Deactivated")), active=False),
        says={
            "QuotaReserved": "False Deactivated: The workload is deactivated",
            "Admitted": NO_RESERVATION,
        },
    ),
    # Queues and gates.
    "its LocalQueue runs again": Case(
        workload(condition("Requeued", "False", "LocalQueueStopped")),
        says={
            "Requeued": (
                "True LocalQueueRestarted: The LocalQueue was restarted after being stopped"
            )
        },
    ),
    "its ClusterQueue runs again": Case(
        workload(condition("Requeued", "False", "ClusterQueueStopped")),
        says={
            "Requeued": (
                "True ClusterQueueRestarted: The ClusterQueue was restarted after being stopped"
            )
        },
    ),
    "a queue that is stopped still changes nothing": Case(
        workload(condition("Requeued", "False", "LocalQueueStopped")),
        says={
            "QuotaReserved": "False Suspended: LocalQueue lq is inactive",
            "Admitted": NO_RESERVATION,
        },
        around={"local_queue": local_queue("Hold")},
    ),
    "somebody holds it up": Case(
        reserved(metadata=GATED),
        says={
            "QuotaReserved": "False AdmissionGated: Admission is gated by: budget",
            "Admitted": NO_RESERVATION,
        },
        tells=["Normal AdmissionGated: Workload admission is gated by: budget"],
        does={"gives quota back"},
    ),
    "nobody holds it up any more": Case(
        workload(condition("QuotaReserved", "False", "AdmissionGated")),
        says={
            "QuotaReserved": (
                "False PendingEvaluation: AdmissionGatedBy cleared, waiting for quota reservation"
            ),
            "Admitted": NO_RESERVATION,
        },
        tells=["Normal AdmissionGateCleared: Admission gate cleared, workload is now admissible"],
    ),
    "a check of its ClusterQueue is new": Case(
        reserved(),
        does={"checks: a Pending"},
        around={"cluster_queue": cluster_queue("None", "a")},
    ),
    # Admission.
    "a new workload is left alone": Case(workload()),
    "with quota and no checks it is admitted": Case(
        reserved(seconds_ago=42),
        says={"Admitted": "True Admitted: The workload is admitted"},
        tells=["Normal Admitted: Admitted by ClusterQueue cq, wait time since reservation was 42s"],
        look_again=300,
    ),
    "with checks that are not ready it is not": Case(
        reserved(admission_checks=(check("a", "Pending"),)),
        says={
            "Admitted": ("False UnsatisfiedAdmissionChecks: The workload has not all checks ready")
        },
        around={"cluster_queue": cluster_queue("None", "a")},
    ),
    # What ends a reservation.
    "a check rejects it, which counts more than a retry": Case(
        admitted(admission_checks=(check("a", "Rejected", "no"), check("b", "Retry"))),
        says={
            "DeactivationTarget": 'True AdmissionCheck: AdmissionCheck in Rejected state: "a" (no)'
        },
        tells=[
            (
                "Warning AdmissionCheckRejected: "
                'Deactivated due to AdmissionCheck in Rejected state: "a" (no)'
            )
        ],
        around={"cluster_queue": cluster_queue("None", "a", "b")},
    ),
    "a check wants a retry": Case(
        admitted(admission_checks=(check("a", "Retry"),)),
        says={"Evicted": 'True AdmissionCheck: Evicted due to AdmissionCheck in Retry state: "a"'},
        tells=[
            'Normal EvictedDueToAdmissionCheck: Evicted due to AdmissionCheck in Retry state: "a"'
        ],
        does={"checks: a Pending"},
        around={"cluster_queue": cluster_queue("None", "a")},
    ),
    "its LocalQueue is drained": Case(
        admitted(),
        says={"Evicted": "True LocalQueueStopped: The LocalQueue is stopped"},
        tells=["Normal EvictedDueToLocalQueueStopped: The LocalQueue is stopped"],
        around={"local_queue": local_queue("HoldAndDrain")},
    ),
    "its ClusterQueue is drained": Case(
        admitted(),
        says={"Evicted": "True ClusterQueueStopped: The ClusterQueue is stopped"},
        tells=["Normal EvictedDueToClusterQueueStopped: The ClusterQueue is stopped"],
        around={"cluster_queue": cluster_queue("HoldAndDrain")},
    ),
    "drained queues evict nobody twice": Case(
        admitted(condition("Evicted", "True", "Preempted")),
        around={"cluster_queue": cluster_queue("HoldAndDrain")},
    ),
    "a queue on hold lets the admitted run": Case(
        admitted(), around={"cluster_queue": cluster_queue("Hold")}, look_again=300
    ),
    "a queue on hold takes quota back from those who wait for checks": Case(
        reserved(admission_checks=(check("a", "Pending"),)),
        says={
            "QuotaReserved": "False Suspended: ClusterQueue cq is stopped",
            "Admitted": NO_RESERVATION,
        },
        does={"gives quota back"},
        around={"cluster_queue": cluster_queue("Hold", "a")},
    ),
    "a LocalQueue that goes does, too": Case(
        reserved(admission_checks=(check("a", "Pending"),)),
        says={
            "QuotaReserved": "False Misconfigured: LocalQueue lq is terminating or missing",
            "Admitted": NO_RESERVATION,
        },
        does={"gives quota back"},
        around={
            "local_queue": local_queue(deletion_timestamp=NOW),
            "cluster_queue": cluster_queue("None", "a"),
        },
    ),
    "a ClusterQueue that is gone does, too": Case(
        reserved(admission_checks=(check("a", "Pending"),)),
        says={
            "QuotaReserved": "False Misconfigured: ClusterQueue cq is terminating or missing",
            "Admitted": NO_RESERVATION,
        },
        does={"gives quota back"},
        around={"cluster_queue": None},
    ),
    "its pods have time": Case(admitted(seconds_ago=100), look_again=200),
    "its pods were too slow": Case(
        admitted(seconds_ago=300),
        says={"Evicted": "True PodsReadyTimeout: Exceeded the PodsReady timeout ns/wl"},
        tells=["Normal EvictedDueToPodsReadyTimeout: Exceeded the PodsReady timeout ns/wl"],
        does={"waits until 12:00:10"},
    ),
    "its pods are ready": Case(admitted(condition("PodsReady"), seconds_ago=900)),
    "a lost pod has less time": Case(
        admitted(
            condition("PodsReady", "False", "WaitForRecovery", seconds_ago=100), seconds_ago=900
        ),
        look_again=20,
    ),
    "a lost pod has all the time, if nobody limits it": Case(
        admitted(
            condition("PodsReady", "False", "WaitForRecovery", seconds_ago=100), seconds_ago=900
        ),
        rules=LifeRules(PodsReadyRules(300)),
    ),
    "its pods were too slow once too often": Case(
        admitted(seconds_ago=300, requeue_state=RequeueState(3)),
        says={
            "DeactivationTarget": (
                "True RequeuingLimitExceeded: exceeding the maximum number of re-queuing retries"
            )
        },
    ),
    "it may run for so long": Case(
        with_spec(
            admitted(seconds_ago=100, accumulated_past_execution_time_seconds=50),
            maximum_execution_time_seconds=200,
        ),
        look_again=50,
    ),
    "and no longer": Case(
        with_spec(
            admitted(
                condition("PodsReady"), seconds_ago=150, accumulated_past_execution_time_seconds=50
            ),
            maximum_execution_time_seconds=200,
        ),
        says={
            "DeactivationTarget": (
                "True MaximumExecutionTimeExceeded: exceeding the maximum execution time"
            )
        },
        tells=["Warning MaximumExecutionTimeExceeded: The maximum execution time (200s) exceeded"],
        does={"starts counting anew"},
    ),
    "which is said once": Case(
        with_spec(
            admitted(
                condition("Evicted", "True", "DeactivatedDueToMaximumExecutionTimeExceeded"),
                seconds_ago=300,
            ),
            active=False,
            maximum_execution_time_seconds=200,
        ),
    ),
}


def surroundings(**changes: Json) -> Surroundings:
    around: Object = {
        "now": NOW,
        "local_queue": local_queue(),
        "cluster_queue_name": "cq",
        "cluster_queue": cluster_queue(),
        "is_active": True,
        "namespaces": everything(),
        "namespace": Namespace(ObjectMeta(name="ns")),
    }
    return Surroundings(**(around | changes))


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_a_look(case: Case) -> None:
    around = dict(case.around)
    metadata = around.pop("metadata", {})
    looked_at = replace(
        case.workload,
        metadata=replace(case.workload.metadata, **metadata),
    )
    got = decide(looked_at, surroundings(**around), case.rules)
    before, after = said(looked_at), said(got.workload)
    changes = {
        type_: after.get(type_)
        for type_ in before.keys() | after.keys()
        if before.get(type_) != after.get(type_)
    }
    assert changes == case.says
    assert [f"{one.type} {one.reason}: {one.message}" for one in got.happenings] == case.tells
    assert got.look_again_seconds == case.look_again
    assert _done(looked_at, got) == case.does


def _done(before: Workload, got: Decision) -> set[str]:
    old, new = before.status, got.workload.status
    done = set()
    if got.drops_finalizer:
        done.add("drops finalizer")
    if got.deactivates:
        done.add("deactivates")
    if got.deletes:
        done.add("deletes")
    if old.admission is not None and new.admission is None:
        done.add("gives quota back")
    was = old.requeue_state.requeue_at if old.requeue_state else None
    until = new.requeue_state.requeue_at if new.requeue_state else None
    if until != was:
        done.add(f"waits until {until:%H:%M:%S}" if until else "stops waiting")
    if old.admission_checks != new.admission_checks:
        states = ", ".join(f"{one.name} {one.state}" for one in new.admission_checks)
        done.add(f"checks: {states}")
    if (
        old.accumulated_past_execution_time_seconds
        and not new.accumulated_past_execution_time_seconds
    ):
        done.add("starts counting anew")
    return done


# Laws.

CONDITIONS = st.sampled_from(
    [
        condition("QuotaReserved", seconds_ago=400),
        condition("QuotaReserved", "False", "Pending"),
        condition("QuotaReserved", "False", "OnHold"),
        condition("Admitted", seconds_ago=400),
        condition("Evicted", "True", "Preempted", "someone came"),
        condition("Requeued", "False", "PodsReadyTimeout"),
        condition("Requeued", "False", "Deactivated"),
        condition("Requeued", "False", "ClusterQueueStopped"),
        condition("DeactivationTarget", "True", "AdmissionCheck", "no"),
        condition("PodsReady", "False", "WaitForStart"),
        condition("Finished", seconds_ago=100),
    ]
)
WORKLOADS = st.builds(
    lambda conditions, states, state, active: with_spec(
        workload(
            *conditions,
            admission=ADMISSION if any(one.type == "QuotaReserved" for one in conditions) else None,
            admission_checks=tuple(
                check(name, one) for name, one in zip("ab", states, strict=True)
            ),
            requeue_state=state,
        ),
        active=active,
    ),
    st.lists(CONDITIONS, unique_by=lambda one: one.type, max_size=5),
    st.tuples(*[st.sampled_from(["Pending", "Ready", "Retry", "Rejected"])] * 2),
    st.sampled_from([None, RequeueState(1), RequeueState(3, ago(1)), RequeueState(1, ago(-9))]),
    st.booleans(),
)
QUEUES = st.tuples(
    st.sampled_from([None, local_queue(), local_queue("Hold"), local_queue("HoldAndDrain")]),
    st.sampled_from([None, cluster_queue("None", "a", "b"), cluster_queue("HoldAndDrain", "b")]),
    st.booleans(),
)


@given(WORKLOADS, QUEUES)
def test_looks_come_to_rest(looked_at: Workload, queues: tuple[Json, Json, bool]) -> None:
    """Each look writes something new or nothing: after a few, with nothing else happening, nothing is left to do."""
    local, cluster, is_active = queues
    around = surroundings(local_queue=local, cluster_queue=cluster, is_active=is_active)
    for _ in range(8):
        got = decide(looked_at, around, RULES)
        after = with_spec(got.workload, active=False) if got.deactivates else got.workload
        if after == looked_at:
            break
        looked_at = after
    else:
        raise AssertionError("looks go on for ever")
    again = decide(looked_at, around, RULES)
    assert again.draft.patch() is None
    assert not again.deactivates


@given(WORKLOADS, QUEUES)
def test_only_who_holds_quota_is_told_to_be_evicted(
    looked_at: Workload, queues: tuple[Json, Json, bool]
) -> None:
    local, cluster, is_active = queues
    around = surroundings(local_queue=local, cluster_queue=cluster, is_active=is_active)
    got = decide(looked_at, around, RULES)
    assert len(got.evictions) <= 1
    if got.evictions:
        assert looked_at.status.admission is not None
        assert not looked_at.is_evicted
        assert got.workload.status.admission == looked_at.status.admission, "quota stays"
