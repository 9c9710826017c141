"""One look at a job, step by step: what is done and what is said, to the letter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from argosy.api.objects.kueue.workloads import Workload
from argosy.base.types import Object
from argosy.queueing.jobs.actions import (
    Action,
    Change,
    CreateWorkload,
    DeleteWorkload,
    DropFinalizer,
    Event,
    LookAgain,
    PatchWorkload,
    Remove,
)
from argosy.queueing.jobs.ancestry import TOO_DEEP
from argosy.queueing.jobs.deciding import decide, decide_gone
from argosy.queueing.jobs.integrations.batchjobs import BatchJobs
from argosy.queueing.jobs.integrations.rayjobs import RayJobs
from argosy.queueing.jobs.kinds import JobKind
from argosy.queueing.jobs.making import Priorities
from argosy.queueing.jobs.surroundings import Rules
from argosy.queueing.workloads.drafts import difference
from tests.unit.queueing.jobs.builders import (
    NOW,
    Around,
    condition,
    job,
    pod_class,
    template,
    workload_of,
)

KIND = BatchJobs()
WL = "job-j-edb38"
PENDING = job()
RUNNING_SPEC: Object = {
    "suspend": False,
    "parallelism": 2,
    "template": template(
        nodeSelector={"tier": "spot"},
        tolerations=[{"key": "spot", "operator": "Exists", "effect": "NoSchedule"}],
        metadata={
            "labels": {
                "kueue.x-k8s.io/podset": "main",
                "kueue.x-k8s.io/local-queue-name": "lq",
                "kueue.x-k8s.io/cluster-queue-name": "cq",
            },
            "annotations": {"kueue.x-k8s.io/workload": WL},
        },
    ),
}
RUNNING = job(RUNNING_SPEC)
OWNED = {
    "ownerReferences": [
        {"apiVersion": "x/v1", "kind": "Parent", "name": "p", "uid": "uid-p", "controller": True}
    ]
}
PARENT = {"metadata": {"name": "p", "namespace": "ns", "uid": "uid-p", "labels": {"kueue.x-k8s.io/queue-name": "lq"}}}  # fmt: skip


def evicted(reason: str = "Preempted", **more: object) -> Object:
    return condition("Evicted", "True", reason, "make room")


def told(actions: Sequence[Action]) -> list[str]:
    """One line per action."""
    return [_line(action) for action in actions]


def _line(action: Action) -> str:
    match action:
        case Event():
            return f"event {action.type} {action.reason}: {action.message}"
        case Change():
            patch = difference(action.before, action.after)
            return f"change {action.subresource or 'job'} {sorted(_leaves(patch))}"
        case Remove():
            return f"remove {action.obj['metadata']['name']}"
        case CreateWorkload():
            return f"create {action.body['metadata']['name']}"
        case PatchWorkload():
            return f"patch {action.subresource or 'workload'} {_said(action)}"
        case DropFinalizer():
            return "drop finalizer"
        case DeleteWorkload():
            return "delete"
        case LookAgain():
            return f"again {action.seconds}"


WHOLE = {"metadata.annotations", "spec.template.metadata", "spec.template.spec.nodeSelector"}


def _leaves(patch: object, path: str = "") -> list[str]:
    if not isinstance(patch, dict) or path in WHOLE:
        return [path]
    return [
        leaf
        for key, value in patch.items()
        for leaf in _leaves(value, f"{path}.{key}" if path else str(key))
    ]


def _said(action: PatchWorkload) -> str:
    """Conditions that are news, and which other fields change."""
    status = action.patch.get("status")
    if not isinstance(status, dict):
        return ",".join(sorted(_leaves(dict(action.patch))))
    known = {(each.type, each.status, each.reason) for each in action.workload.status.conditions}
    news = [
        f"{each['type']}={each['status']} {each['reason']}: {each['message']}"
        for each in status.get("conditions", ())
        if (each["type"], each["status"], each["reason"]) not in known
    ]
    others = sorted(key for key in status if key != "conditions")
    return "; ".join(news + others)


@dataclass
class Case:
    job: Object
    workloads: list[Workload] = field(default_factory=list)
    want: list[str] = field(default_factory=list)
    around: Around = field(default_factory=Around)
    kind: JobKind = field(default_factory=BatchJobs)


CREATED = [f"create {WL}", f"event Normal CreatedWorkload: Created Workload: ns/{WL}"]
STOP = "change job ['metadata.annotations', 'spec.suspend']"
RESTORE = (
    "change job ['metadata.annotations', 'spec.template.metadata', "
    "'spec.template.spec.nodeSelector', 'spec.template.spec.tolerations']"
)
STARTED = (
    "change job ['spec.suspend', 'spec.template.metadata', 'spec.template.spec.nodeSelector', "
    "'spec.template.spec.tolerations']"
)

CASES = {
    "a job that is being deleted lets its Workload go": Case(
        job(deletionTimestamp="2026-01-01T00:00:00Z"),
        [workload_of(KIND, PENDING)],
        ["drop finalizer"],
    ),
    "a namespace that is not managed": Case(job(namespace="other")),
    "a job without a queue": Case(job(labels={})),
    "a job without a queue where all are managed": Case(
        job(labels={}), [], CREATED, Around(Rules(manages_unnamed=True, waits_for_pods_ready=False))
    ),
    "a new job gets a Workload": Case(PENDING, [], CREATED),
    "a queue named by an annotation is told of": Case(
        job(labels={}, annotations={"kueue.x-k8s.io/queue-name": "lq"}),
        [],
        [
            *CREATED,
            (
                'event Warning QueueNameAnnotation: The queue "lq" was read from the annotation '
                "kueue.x-k8s.io/queue-name; set the label of the same name instead, which is what other clients "
                "select by"
            ),
        ],
    ),
    "a new job that still has pods is waited for": Case(job(status={"active": 1})),
    "a priority class that is not there": Case(
        job(labels={"kueue.x-k8s.io/queue-name": "lq", "kueue.x-k8s.io/priority-class": "high"}),
        [],
        [
            (
                "event Warning WorkloadPriorityClassNotFound: "
                'workloadpriorityclasses.kueue.x-k8s.io "high" not found'
            ),
            "again 5.0",
        ],
    ),
    "a priority class of pods that is not there": Case(
        job({"suspend": True, "template": template(priorityClassName="high")}),
        [],
        [
            'event Warning ErrWorkloadCompose: priorityclasses.scheduling.k8s.io "high" not found',
            "again 5.0",
        ],
    ),
    "a child runs with its parent": Case(
        job(RUNNING_SPEC, **OWNED),
        [],
        [],
        Around(owners={"p": PARENT}, owned={"uid-p": [workload_of(KIND, PENDING, admitted=True)]}),
    ),
    "a child is suspended while its parent waits": Case(
        job(RUNNING_SPEC, **OWNED),
        [],
        [
            "change job ['spec.suspend']",
            "event Normal Suspended: Kueue managed child job suspended",
        ],
        Around(owners={"p": PARENT}),
    ),
    "a child that has finished is left alone": Case(
        job(RUNNING_SPEC, status={"conditions": [{"type": "Complete", "status": "True"}]}, **OWNED),
        [],
        [],
        Around(owners={"p": PARENT}),
    ),
    "a running job without a Workload is stopped": Case(
        RUNNING,
        [],
        [
            STOP,
            "event Normal Stopped: Missing Workload; unable to restore pod templates",
            "change job ['metadata.annotations']",
            *CREATED,
        ],
    ),
    "a running job that has changed is stopped, and its Workload deleted": Case(
        job({**RUNNING_SPEC, "parallelism": 3}),
        [workload_of(KIND, PENDING, admitted=True)],
        [
            STOP,
            "event Normal Stopped: No matching Workload; restoring pod templates according to existent Workload",
            RESTORE,
            "drop finalizer",
            "delete",
            f"event Normal DeletedWorkload: Deleted not matching Workload: ns/{WL}",
        ],
    ),
    "a waiting job that has changed takes its Workload along": Case(
        job({"suspend": True, "parallelism": 3, "template": template()}),
        [workload_of(KIND, PENDING)],
        [
            (
                "patch workload spec.maximumExecutionTimeSeconds,spec.podSets,spec.priority,spec.priorityClassRef,"
                "spec.queueName"
            ),
            f"event Normal UpdatedWorkload: Updated not matching Workload for suspended job: ns/{WL}",
        ],
    ),
    "of two Workloads the one that does not fit goes": Case(
        PENDING,
        [
            workload_of(KIND, job({"suspend": True, "parallelism": 9, "template": template()})),
            workload_of(KIND, PENDING),
        ],
        [
            "drop finalizer",
            "delete",
            f"event Normal DeletedWorkload: Deleted not matching Workload: ns/{WL}",
        ],
    ),
    "a finished Workload is let go": Case(
        PENDING,
        [workload_of(KIND, PENDING, conditions=[condition("Finished")])],
        [
            f"event Normal FinishedWorkload: Workload 'ns/{WL}' is declared finished",
            "drop finalizer",
        ],
    ),
    "a job that has finished finishes its Workload": Case(
        job(
            RUNNING_SPEC,
            status={"conditions": [{"type": "Failed", "status": "True", "message": "boom"}]},
        ),
        [workload_of(KIND, PENDING, admitted=True)],
        [
            "patch status Finished=True Failed: boom",
            f"event Normal FinishedWorkload: Workload 'ns/{WL}' is declared finished",
            "drop finalizer",
        ],
    ),
    "an admitted job starts": Case(
        PENDING,
        [workload_of(KIND, PENDING, admitted=True)],
        [STARTED, "event Normal Started: Admitted by clusterQueue cq"],
    ),
    "a flavor that is not there is waited for": Case(
        PENDING,
        [workload_of(KIND, PENDING, admitted=True)],
        ["again 5.0"],
        Around(flavors={}),
    ),
    "a contradiction finishes the Workload": Case(
        job({"suspend": True, "parallelism": 2, "template": template(nodeSelector={"tier": "x"})}),
        [
            workload_of(
                KIND,
                job(
                    {
                        "suspend": True,
                        "parallelism": 2,
                        "template": template(nodeSelector={"tier": "x"}),
                    }
                ),
                admitted=True,
            )
        ],
        [
            (
                "patch status Finished=True FailedToStart: invalid admission check PodSetUpdate: "
                "conflict for nodeSelector: conflict for key=tier, value1=x, value2=spot"
            )
        ],
    ),
    "a running job that is admitted needs nothing": Case(
        RUNNING, [workload_of(KIND, PENDING, admitted=True)]
    ),
    "a running job that is not admitted is stopped": Case(
        job({"suspend": False, "parallelism": 2, "template": template()}),
        [workload_of(KIND, PENDING)],
        [
            STOP,
            "event Normal Stopped: Not admitted by cluster queue",
            "change job ['metadata.annotations']",
        ],
    ),
    "an evicted job with pods is stopped and keeps its quota": Case(
        job(RUNNING_SPEC, status={"active": 2, "startTime": "2026-01-01T00:00:00Z"}),
        [workload_of(KIND, PENDING, admitted=True, conditions=[evicted()])],
        [STOP, "event Normal Stopped: make room", "change status ['status.startTime']", RESTORE],
    ),
    "an evicted job without pods gives its quota back": Case(
        PENDING,
        [workload_of(KIND, PENDING, admitted=True, conditions=[evicted()])],
        [
            (
                "patch status QuotaReserved=False PendingEvaluation: make room; "
                "Admitted=False NoReservation: The workload has no reservation; "
                "Requeued=True Preempted: make room; accumulatedPastExecutionTimeSeconds; admission"
            )
        ],
    ),
    "a job evicted for slow pods waits for its turn": Case(
        PENDING,
        [workload_of(KIND, PENDING, admitted=True, conditions=[evicted("PodsReadyTimeout")])],
        [
            (
                "patch status QuotaReserved=False PendingEvaluation: make room; "
                "Admitted=False NoReservation: The workload has no reservation; "
                "Requeued=False PodsReadyTimeout: make room; accumulatedPastExecutionTimeSeconds; admission"
            )
        ],
    ),
    "pods that start are waited for": Case(
        RUNNING,
        [workload_of(KIND, PENDING, admitted=True)],
        ["patch status PodsReady=False WaitForStart: Not all pods are ready or succeeded"],
        Around(Rules()),
    ),
    "pods that are ready": Case(
        job(RUNNING_SPEC, status={"ready": 2}),
        [
            workload_of(
                KIND,
                PENDING,
                admitted=True,
                conditions=[condition("PodsReady", "False", "WaitForStart")],
            )
        ],
        [
            "patch status PodsReady=True Started: All pods reached readiness and the workload is running"
        ],
        Around(Rules()),
    ),
    "pods that are lost": Case(
        job(RUNNING_SPEC, status={"ready": 1}),
        [
            workload_of(
                KIND, PENDING, admitted=True, conditions=[condition("PodsReady", "True", "Started")]
            )
        ],
        [
            "patch status PodsReady=False WaitForRecovery: At least one pod has failed, waiting for recovery"
        ],
        Around(Rules()),
    ),
    "pods that are back": Case(
        job(RUNNING_SPEC, status={"ready": 2}),
        [
            workload_of(
                KIND,
                PENDING,
                admitted=True,
                conditions=[condition("PodsReady", "False", "WaitForRecovery")],
            )
        ],
        [
            "patch status PodsReady=True Recovered: All pods reached readiness and the workload is running"
        ],
        Around(Rules()),
    ),
    "pods that are not needed any more": Case(
        job({**RUNNING_SPEC, "completions": 3}, status={"succeeded": 2}),
        [workload_of(KIND, PENDING, admitted=True)],
        ["patch status reclaimablePods"],
    ),
    "what was given up is not taken back": Case(
        RUNNING,
        [workload_of(KIND, PENDING, admitted=True, reclaimablePods=[{"name": "main", "count": 1}])],
    ),
    "checks that have something to say": Case(
        PENDING,
        [
            workload_of(
                KIND,
                PENDING,
                conditions=[condition("QuotaReserved")],
                admissionChecks=[
                    {"name": "a", "state": "Pending", "message": "wait"},
                    {"name": "b", "state": "Ready", "message": "fine"},
                    {"name": "c", "state": "Pending", "message": "a minute"},
                ],
            )
        ],
        ["event Normal UpdatedAdmissionCheck: a: wait; c: a minute"],
    ),
    "a job that moves to another queue": Case(
        job(labels={"kueue.x-k8s.io/queue-name": "other"}),
        [workload_of(KIND, PENDING)],
        ["patch workload spec.queueName"],
    ),
    "a job that is on hold gives its quota back": Case(
        job({"suspend": True}, status={"jobDeploymentStatus": "ValidationFailed"}),
        [workload_of(RayJobs(), job({"suspend": True}), admitted=True)],
        [
            (
                "patch status QuotaReserved=False OnHold: Job is on hold; "
                "Admitted=False NoReservation: The workload has no reservation; "
                "accumulatedPastExecutionTimeSeconds; admission"
            )
        ],
        kind=RayJobs(),
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_decisions(case: Case) -> None:
    got = told(decide(case.kind, case.job, case.workloads, case.around))
    assert got == case.want


def test_the_same_look_twice_decides_the_same() -> None:
    for case in CASES.values():
        first = told(decide(case.kind, case.job, case.workloads, case.around))
        assert told(decide(case.kind, case.job, case.workloads, case.around)) == first


def test_a_chain_of_owners_may_be_ten_long() -> None:
    owners = {}
    for number in range(12):
        above = {
            "apiVersion": "x/v1", "kind": "P", "name": f"p{number + 1}", "uid": f"u{number + 1}",
            "controller": True,
        }  # fmt: skip
        owners[f"p{number}"] = {
            "metadata": {"name": f"p{number}", "uid": f"u{number}", "ownerReferences": [above]}
        }
    child = job(
        ownerReferences=[
            {"apiVersion": "x/v1", "kind": "P", "name": "p0", "uid": "u0", "controller": True}
        ]
    )
    got = told(decide(KIND, child, [], Around(owners=owners)))
    assert got == [f"event Warning JobNestingTooDeep: {TOO_DEEP}"]


def test_workloads_of_a_job_that_is_gone_hold_no_quota() -> None:
    workloads = [
        workload_of(KIND, PENDING, admitted=True),
        workload_of(KIND, PENDING, conditions=[condition("Finished")]),
    ]
    assert told(decide_gone(workloads, Around())) == [
        "patch status Finished=True OwnerNotFound: The workload's owner no longer exists",
        "drop finalizer",
        "drop finalizer",
    ]


PREBUILT = job(labels={"kueue.x-k8s.io/queue-name": "lq", "kueue.x-k8s.io/prebuilt-workload-name": "mine"})  # fmt: skip


def _unowned(workload: Workload, **owner: str) -> Workload:
    import msgspec

    refs = [{"controller": True, **owner}] if owner else []
    meta = msgspec.convert(
        {**msgspec.to_builtins(workload.metadata), "ownerReferences": refs}, type(workload.metadata)
    )
    return msgspec.structs.replace(workload, metadata=meta)


PREBUILTS = {
    "one that is not there": (None, []),
    "one without an owner is adopted": (
        _unowned(workload_of(KIND, PENDING)),
        ["patch workload metadata.labels.kueue.x-k8s.io/job-uid,metadata.ownerReferences"],
    ),
    "another job's is left alone": (_unowned(workload_of(KIND, PENDING), uid="x", name="x"), []),
    "one that is out of step is finished": (
        workload_of(KIND, job({"suspend": True, "parallelism": 7, "template": template()})),
        ["patch status Finished=True OutOfSync: The prebuilt workload is out of sync with its user job"],
    ),
    "one that fits decides": (
        workload_of(KIND, PENDING, admitted=True),
        [STARTED, "event Normal Started: Admitted by clusterQueue cq"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("found", "want"), PREBUILTS.values(), ids=PREBUILTS.keys())
def test_prebuilt_workloads(found: Workload | None, want: list[str]) -> None:
    around = Around(named={"mine": found} if found is not None else {})
    assert told(decide(KIND, PREBUILT, [], around)) == want


def test_a_new_priority_class_holds_also_with_quota() -> None:
    import msgspec

    from argosy.api.objects.kueue.checks import WorkloadPriorityClass
    from argosy.api.objects.kueue.workloads import PriorityClassRef

    classes = {
        name: WorkloadPriorityClass(value=value) for name, value in (("low", 1), ("high", 9))
    }
    workload = workload_of(KIND, PENDING, admitted=True)
    ref = PriorityClassRef("kueue.x-k8s.io", "WorkloadPriorityClass", "low")
    spec = msgspec.structs.replace(workload.spec, priority_class_ref=ref, priority=1)
    workload = msgspec.structs.replace(workload, spec=spec)
    labels = {"kueue.x-k8s.io/queue-name": "lq", "kueue.x-k8s.io/priority-class": "high"}
    around = Around(priorities=Priorities(classes, {"d": pod_class("d", 3, is_default=True)}))
    actions = decide(KIND, job(RUNNING_SPEC, labels=labels), [workload], around)
    assert told(actions) == [
        (
            "patch workload spec.priority,spec.priorityClassRef.group,spec.priorityClassRef.kind,"
            "spec.priorityClassRef.name"
        ),
        f"event Normal UpdatedWorkload: Updated workload priority class: ns/{WL}",
    ]


ELASTIC = {"annotations": {"kueue.x-k8s.io/elastic-job": "true"}}


def test_an_elastic_job_that_shrinks_keeps_its_workload_and_one_that_grows_does_not() -> None:
    workload = workload_of(KIND, job(**ELASTIC), admitted=True)
    smaller = job({**RUNNING_SPEC, "parallelism": 1}, **ELASTIC)
    (action,) = decide(KIND, smaller, [workload], Around())
    assert isinstance(action, PatchWorkload)
    (pods,) = action.patch["spec"]["podSets"]  # type: ignore[index]  # a patch of the spec
    assert pods == {"name": "main", "count": 1, "template": template()}
    larger = job({**RUNNING_SPEC, "parallelism": 3}, **ELASTIC)
    assert "delete" in told(decide(KIND, larger, [workload], Around()))
    rigid = job({**RUNNING_SPEC, "parallelism": 1})
    assert "delete" in told(decide(KIND, rigid, [workload], Around()))


def test_a_job_switched_off_for_its_own_fault_goes_after_its_time() -> None:
    import msgspec

    since = NOW - timedelta(seconds=60)
    off = condition("Evicted", "True", "DeactivatedDueToRequeuingLimitExceeded", "enough", since)
    workload = workload_of(KIND, PENDING, conditions=[off])
    spec = msgspec.structs.replace(workload.spec, active=False)
    workload = msgspec.structs.replace(workload, spec=spec)
    rules = {"waits_for_pods_ready": False}
    early = Around(Rules(**rules, deactivated_retention_seconds=100))
    assert told(decide(KIND, PENDING, [workload], early)) == ["again 40.0"]
    late = Around(Rules(**rules, deactivated_retention_seconds=60))
    assert told(decide(KIND, PENDING, [workload], late)) == [
        "remove j",
        "event Normal Deleted: Deleted job: deactivation retention period expired",
    ]
