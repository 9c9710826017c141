"""What waits: lines, parking, requeue rules, heads, second passes. Mirrors pkg/cache/queue and parts of pkg/workload."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from argosy.api.objects.kueue.localqueues import LocalQueue
from argosy.api.objects.kueue.quotas import ClusterQueue
from argosy.api.objects.kueue.workloads import Workload
from argosy.api.objects.metadata import ObjectMeta
from argosy.base.durations import parse_duration
from argosy.base.timestamps import parse_time
from argosy.queueing.cache.clusterqueues import namespaces_of
from argosy.queueing.queues.backoffs import is_backoff_over
from argosy.queueing.queues.consuming import (
    AdmissionFairSharing,
    local_queue_weight,
    nanos_of,
)
from argosy.queueing.queues.ledgers import Ledger
from argosy.queueing.queues.pending import PendingQueue
from argosy.queueing.queues.queues import Queues
from argosy.queueing.queues.reasons import BEST_EFFORT_FIFO, RequeueReason
from argosy.queueing.queues.second_pass import SecondPasses, needs_second_pass, used_nodes
from argosy.queueing.workloads.infos import Info, LastAssignment
from argosy.queueing.workloads.making import CREATION, EVICTION, Infos
from argosy.queueing.workloads.writing import written
from tests.conformance.areas import runs
from tests.conformance.building import admission_fair_sharing, forest, infos, key_of, view, views
from tests.conformance.cases import Case
from tests.conformance.comparing import asserted, differences


def clock(case: Case) -> float:
    return parse_time(case.now).timestamp()


def maker(case: Case) -> Infos:
    ordering = case.input.get("workloadOrdering") or {}
    return infos(case, requeuing_timestamp=ordering.get("podsReadyRequeuingTimestamp") or EVICTION)


def made(case: Case, workload: Mapping[str, Any]) -> Info:
    """The info of a workload, or of an info that holds one."""
    return maker(case).make(view(Workload, workload.get("workload") or workload))


def all_queues(case: Case) -> Queues:
    """The case's ClusterQueues and LocalQueues, nothing waiting."""
    labels = {
        one["metadata"]["name"]: one["metadata"].get("labels") or {}
        for one in case.objects.get("namespaces") or ()
    }
    queues = Queues(forest(case), lambda name: labels.get(name, None if labels else {}))
    for queue in views(ClusterQueue, case.objects.get("clusterQueues")):
        queues.put_cluster_queue(queue, clock(case))
    for local_queue in views(LocalQueue, case.objects.get("localQueues")):
        queues.put_local_queue(local_queue, clock(case))
    return queues


def put_all(case: Case, queues: Queues) -> None:
    for workload in case.objects.get("workloads") or ():
        queues.put_workload(made(case, workload), clock(case))


def assigned(queues: Queues, keys: list[str]) -> dict[str, str]:
    found = {key: queues.local_queue_of(key) for key in keys}
    return {key: local_queue for key, local_queue in found.items() if local_queue is not None}


def keys_of(case: Case, *more: Mapping[str, Any]) -> list[str]:
    return [made(case, one).key for one in (*(case.objects.get("workloads") or ()), *more)]


def lone(case: Case) -> PendingQueue:
    """One ClusterQueue by itself, whose name does not matter."""
    return PendingQueue("cq", case.input.get("queueingStrategy") or BEST_EFFORT_FIFO)


def anybody(case: Case) -> Info:
    """A workload of no importance, with what the case says was tried."""
    workload = Workload(metadata=ObjectMeta(name="workload-1", namespace="default"))
    info = maker(case).make(workload)
    last = case.input.get("lastAssignment")
    if last:
        info.last_assignment = last_assignment(last)
    return info


def last_assignment(state: Mapping[str, Any]) -> LastAssignment:
    return LastAssignment(
        tuple(state.get("lastTriedFlavorIdx") or ()),
        state.get("clusterQueueGeneration") or 0,
        state.get("schedulingCycle") or 0,
    )


# All queues.


@runs("queue", "TestAddWorkload")
def add_workload(case: Case) -> list[str]:
    queues = all_queues(case)
    info = made(case, case.input["workload"])
    refusal = queues.put_workload(info, clock(case))
    got = {"assigned": assigned(queues, [info.key]), "error": refusal and str(refusal)}
    return differences(case.expected, got)


@runs("queue", "TestUpdateWorkload")
def update_workload(case: Case) -> list[str]:
    queues = all_queues(case)
    put_all(case, queues)
    refusal = queues.put_workload(made(case, case.input["updatedWorkload"]), clock(case))
    local_queues = [key_of(one) for one in case.objects.get("localQueues") or ()]
    got = {
        "assigned": assigned(queues, keys_of(case, case.input["updatedWorkload"])),
        "queueMembers": {name: sorted(queues.waiting(name)) for name in local_queues},
        "queueOrder": {
            one["metadata"]["name"]: drained(queues.cluster_queue(one["metadata"]["name"]))
            for one in case.objects.get("clusterQueues") or ()
        },
        "updated": refusal is None,
        "error": refusal and str(refusal),
    }
    want = case.expected
    members = {name: sorted(keys or ()) for name, keys in (want.get("queueMembers") or {}).items()}
    return differences(want | {"queueMembers": members}, got)


def drained(queue: PendingQueue | None) -> list[str]:
    found: list[str] = []
    while queue is not None and (info := queue.pop()) is not None:
        found.append(info.key)
    return found


@runs("queue", "TestRequeueWorkloadStrictFIFO")
def requeue_workload(case: Case) -> list[str]:
    """A workload that exists but is in no line is one that the scheduler holds."""
    queues = all_queues(case)
    info = made(case, case.input["workload"])
    if case.input.get("inClient"):
        queues.put_workload(info, clock(case))
    if not case.input.get("inQueue"):
        queues.heads(clock(case))
    found = queues.requeue(info, RequeueReason.GENERIC, clock(case))
    return differences(case.expected, {"requeued": found})


@runs("queue", "TestHeads")
def heads(case: Case) -> list[str]:
    queues = all_queues(case)
    put_all(case, queues)
    popped = queues.heads(clock(case), lambda name: "active-" in name)
    got = {
        "assigned": assigned(queues, keys_of(case)),
        "workloads": sorted(info.obj.metadata.name for info in popped),
    }
    want = case.expected
    return differences(want | {"workloads": sorted(want.get("workloads") or ())}, got)


@runs("queue", "TestGetPendingWorkloadsInfo")
def pending_workloads_info(case: Case) -> list[str]:
    queues = all_queues(case)
    put_all(case, queues)
    queue = queues.cluster_queue(case.input["cqName"])
    got = [info.key for info in queue.ordered()] if queue else []
    want = [made(case, one).key for one in case.expected.get("pendingWorkloadsInfo") or ()]
    return differences(
        case.expected | {"pendingWorkloadsInfo": want}, {"pendingWorkloadsInfo": got}
    )


# One ClusterQueue.


@runs("queue", "Test_PushOrUpdate")
def push_or_update(case: Case) -> list[str]:
    """Pushed, pushed again as a newer version, popped."""
    queue, now = lone(case), clock(case)
    for version in ("", "1"):
        metadata = case.input["workload"].get("metadata") or {}
        pushed = case.input["workload"] | {"metadata": metadata | {"resourceVersion": version}}
        queue.push_or_update(made(case, pushed), now)
    popped, want = queue.pop(), case.expected
    got = {
        "workload": _content(popped) if popped else None,
        "inadmissibleWorkloads": {info.key: _content(info) for info in queue.parked()},
    }
    parked = want.get("inadmissibleWorkloads") or {}
    wanted = {
        "workload": _content(made(case, want["workload"])) if want.get("workload") else None,
        "inadmissibleWorkloads": {key: _content(made(case, one)) for key, one in parked.items()},
    }
    return differences(want | wanted, got)


def _content(info: Info) -> dict[str, Any]:
    """A workload without the version it is."""
    shown: dict[str, Any] = written(info.obj)
    shown["metadata"].pop("resourceVersion", None)
    return shown


@runs("queue", "TestStrictFIFO")
def strict_fifo(case: Case) -> list[str]:
    queue = lone(case)
    for name in ("w1", "w2"):
        queue.push_or_update(made(case, case.input[name]), clock(case))
    popped = queue.pop()
    return differences(case.expected, {"result": popped and popped.obj.metadata.name})


@runs("queue", "TestFsAdmission")
def fs_admission(case: Case) -> list[str]:
    now = clock(case)
    config = admission_fair_sharing(case, case.input.get("admissionFairSharing"))
    ledger = Ledger(config or AdmissionFairSharing())
    for key, consumed in (case.input.get("initialLocalQueueUsage") or {}).items():
        ledger.restore(key, nanos_of(consumed), now)
    for local_queue in views(LocalQueue, case.objects.get("localQueues")):
        name = f"{local_queue.metadata.namespace}/{local_queue.metadata.name}"
        ledger.weigh(name, local_queue_weight(local_queue))
    given = view(ClusterQueue, case.input["clusterQueue"])
    is_used = config is not None and config.is_used_by(given.spec.admission_scope)
    queue = PendingQueue(
        given.metadata.name, given.spec.queueing_strategy, ledger.usage if is_used else None
    )
    for workload in case.objects.get("workloads") or ():
        queue.push_or_update(made(case, workload), now)
    popped, want = queue.pop(), case.expected.get("workload")
    return differences(
        case.expected | {"workload": want and _content(made(case, want))},
        {"workload": popped and _content(popped)},
    )


@runs("queue", "TestClusterQueueImpl")
def cluster_queue(case: Case) -> list[str]:
    now = clock(case)
    queue = lone(case)
    for workload in case.input.get("workloadsToAdd") or ():
        queue.push_or_update(made(case, workload), now)
    for workload in case.input.get("inadmissibleWorkloadsToRequeue") or ():
        queue.requeue(made(case, workload), RequeueReason.GENERIC, now)
    for workload in case.input.get("admissibleWorkloadsToRequeue") or ():
        queue.requeue(made(case, workload), RequeueReason.FAILED_AFTER_NOMINATION, now)
    for workload in case.input.get("workloadsToUpdate") or ():
        queue.push_or_update(made(case, workload), now)
    for workload in case.input.get("workloadsToDelete") or ():
        queue.delete(made(case, workload).key)
    moved = 0
    if case.input.get("queueInadmissibleWorkloads"):
        moved = queue.flush(now, takes(case))
    got = {
        "activeWorkloads": sorted(info.key for info in queue.in_line()),
        "inadmissibleWorkloadsRequeued": moved,
        "pending": len(queue),
    }
    want = case.expected
    return differences(want | {"activeWorkloads": sorted(want.get("activeWorkloads") or ())}, got)


def takes(case: Case) -> Any:
    """Which namespaces the one ClusterQueue of a case takes workloads from."""
    (queue,) = case.objects["clusterQueues"]
    selector = namespaces_of(view(ClusterQueue, queue))
    labels = {
        one["metadata"]["name"]: one["metadata"].get("labels") or {}
        for one in case.objects.get("namespaces") or ()
    }
    return lambda name: name in labels and selector.matches(labels[name])


@runs("queue", "TestBestEffortFIFORequeueIfNotPresent", "TestStrictFIFORequeueIfNotPresent")
def requeue_if_not_present(case: Case) -> list[str]:
    queue, info = lone(case), anybody(case)
    queue.requeue(info, RequeueReason(case.input.get("reason") or ""), clock(case))
    got = {"inadmissible": queue.inadmissible == 1, "sticky": queue.sticky == info.key}
    return asserted(case.expected, got)


@runs("queue", "TestRequeueHashTriggerByReason")
def requeue_hash(case: Case) -> list[str]:
    queue, info = lone(case), anybody(case)
    queue.requeue(info, RequeueReason(case.input.get("reason") or ""), clock(case))
    return differences(case.expected, {"hash": queue.has_failed(info.scheduling_hash)})


@runs("queue", "TestGetNoFitReason")
def no_fit_reason(case: Case) -> list[str]:
    queue, info = lone(case), anybody(case)
    reason = RequeueReason(case.input.get("requeueReason") or "")
    queue.requeue(info, reason, clock(case), quota_reason=case.input.get("conditionReason") or "")
    if case.input.get("deleteFromInadmissible"):
        queue.delete(info.key)
    found = queue.bypass_reason(info.key)
    return differences(case.expected, {"ok": bool(found), "reason": found})


@runs("queue", "TestBackoffWaitingTimeExpired")
def backoff_over(case: Case) -> list[str]:
    workload = made(case, case.input["workloadInfo"]).obj
    return differences(case.expected, {"result": is_backoff_over(workload, clock(case))})


# Second passes.


@runs("queue", "TestQueueSecondPassIfNeeded")
def second_pass(case: Case) -> list[str]:
    passes, now = SecondPasses(), clock(case)
    for workload in case.objects.get("workloads") or ():
        passes.offer(made(case, workload), now)
    updated = case.input.get("updateWorkload")
    queued = passes.offer(made(case, updated), now) if updated else None
    later = now + parse_duration(case.input.get("passTime") or "0s")  # codespell:ignore
    ready = sorted(info.key for info in passes.take_due(later))
    want = case.expected
    return differences(
        want | {"ready": sorted(want.get("ready") or ())}, {"ready": ready, "updateQueued": queued}
    )


@runs("workload", "TestNeedsSecondPass")
def second_pass_needed(case: Case) -> list[str]:
    workload = view(Workload, case.input["workload"])
    return differences(case.expected, {"result": needs_second_pass(workload)})


@runs("workload", "TestUsedNodes")
def nodes(case: Case) -> list[str]:
    found = used_nodes(view(Workload, case.input["workload"]))
    want = case.expected | {"result": sorted(case.expected.get("result") or ())}
    return differences(want, {"result": sorted(found)})


# What the order and the rules look at.


@runs("workload", "TestGetQueueOrderTimestamp")
def order_time(case: Case) -> list[str]:
    workload = view(Workload, case.input["workload"])
    want, got = {}, {}
    for entry in case.expected["result"]:
        strategy = entry["key"].get("podsReadyRequeuingTimestamp") or CREATION
        want[strategy] = parse_time(entry["value"]).timestamp()
        got[strategy] = infos(case, requeuing_timestamp=strategy).order_time(workload)
    return differences(case.expected | {"result": want}, {"result": got})


@runs("workload", "TestSchedulingHash")
def hashes(case: Case) -> list[str]:
    one, other = (made(case, case.input[name]).scheduling_hash for name in ("wl1", "wl2"))
    return differences(case.expected, {"same": one == other})


@runs("workload", "TestAssignmentClusterQueueState")
def pending_flavors(case: Case) -> list[str]:
    state = case.input.get("state")
    got = last_assignment(state).has_pending_flavors if state else False
    return differences(case.expected, {"pendingFlavors": got})
