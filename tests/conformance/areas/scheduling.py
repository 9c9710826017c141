"""Whole scheduling cycles: what is admitted, evicted, told, and where everybody waits afterwards."""

from __future__ import annotations

import copy
import math
from typing import Any

from argosy.api.objects import Namespace, ObjectMeta
from argosy.api.objects.kueue.checks import AdmissionCheck, Topology
from argosy.api.objects.kueue.localqueues import LocalQueue
from argosy.api.objects.kueue.quotas import (
    AdmissionScope,
    ClusterQueue,
    Cohort,
    ResourceFlavor,
)
from argosy.api.objects.kueue.workloads import Workload
from argosy.api.objects.limits import LimitRange
from argosy.base.durations import parse_duration
from argosy.base.timestamps import parse_time
from argosy.base.types import Object
from argosy.queueing.cache.caches import Cache
from argosy.queueing.cycles.decisions import Outcome
from argosy.queueing.cycles.engines import Engine
from argosy.queueing.cycles.entries import Entry, Status
from argosy.queueing.cycles.nominating import Nominator, Surroundings
from argosy.queueing.cycles.ordering import Classical, Fair, rank
from argosy.queueing.cycles.scheduling import Scheduler
from argosy.queueing.cycles.writes import Kind, Write
from argosy.queueing.flavors.assigning import BLOCK_UNDECLARED, Assigner
from argosy.queueing.flavors.assignments import Assignment
from argosy.queueing.preemption.fair import FairSharing
from argosy.queueing.preemption.preempting import Preemptor
from argosy.queueing.preemption.strategies import strategies_of
from argosy.queueing.queues.consuming import AdmissionFairSharing, is_penalized, nanos_of
from argosy.queueing.queues.queues import Queues
from argosy.queueing.queues.reasons import RequeueReason
from argosy.queueing.quotas.shares import weigh
from argosy.queueing.workloads.limitranges import summarize
from argosy.queueing.workloads.making import Infos
from argosy.queueing.workloads.writing import written
from tests.conformance.areas import runs
from tests.conformance.building import usage, view, views
from tests.conformance.cases import Case
from tests.conformance.comparing import differences


class World:
    """The engine on a case's objects, and the objects as they become."""

    def __init__(self, case: Case) -> None:
        self.now = parse_time(case.now)
        self.raw = {_key(one): copy.deepcopy(one) for one in case.objects.get("workloads") or ()}
        self.events: list[Object] = []
        self.namespaces = {
            one["metadata"]["name"]: one["metadata"].get("labels") or {}
            for one in case.objects.get("namespaces") or ()
        }
        self.fails = bool(case.input.get("workloadStatusPatchError"))
        self.engine = self._engine(case)
        self._fill(case)

    def _engine(self, case: Case) -> Engine:
        fair = _fair_sharing(case)
        self.sharing = _admission_fair_sharing(case)
        cache = Cache()
        limits = summarize(views(LimitRange, case.objects.get("limitRanges")))
        queues = Queues(cache.forest, self.namespaces.get, self.sharing)
        usage_of = queues.ledger.usage if self.sharing is not None else None
        nominator = Nominator(
            Assigner(
                is_fair_sharing=fair is not None,
                quota_check_strategy=case.options.get("quotaCheckStrategy") or BLOCK_UNDECLARED,
            ),
            Preemptor(fair, usage_of),
            Surroundings(self._namespace, lambda _: limits),
        )
        scheduler = Scheduler(nominator, Classical if fair is None else Fair)
        return Engine(cache, queues, scheduler, Infos())

    def _namespace(self, name: str) -> Namespace | None:
        labels = self.namespaces.get(name)
        return None if labels is None else Namespace(ObjectMeta(name=name, labels=labels))

    def _fill(self, case: Case) -> None:
        objects, now, engine = case.objects, self.now.timestamp(), self.engine
        for flavor in views(ResourceFlavor, objects.get("resourceFlavors")):
            engine.put_flavor(flavor, now)
        for check in views(AdmissionCheck, objects.get("admissionChecks")):
            engine.put_check(check, now)
        for topology in views(Topology, objects.get("topologies")):
            engine.put_topology(topology, now)
        for cohort in views(Cohort, objects.get("cohorts")):
            engine.put_cohort(cohort, now)
        for queue in views(ClusterQueue, objects.get("clusterQueues")):
            engine.put_cluster_queue(queue, now)
        for local in views(LocalQueue, objects.get("localQueues")):
            engine.put_local_queue(local, now)
        for workload in views(Workload, objects.get("workloads")):
            engine.put_workload(workload, now)

    def cycle(self) -> Outcome:
        """One cycle, everything it decides written."""
        outcome, writes = self.engine.cycle(self.now)
        for write in writes:
            self.write(write)
        return outcome

    def write(self, write: Write) -> None:
        metadata = write.draft.workload.metadata
        key = f"{metadata.namespace}/{metadata.name}"
        if self.fails and write.kind is Kind.ADMIT:
            actual = view(Workload, self.raw[key])
            self.engine.failed(write, actual, self.now.timestamp())
            return
        self.raw[key]["status"] = written(write.draft.status)
        for about, event in write.events:
            self.events.append(
                {
                    "key": f"{about.metadata.namespace}/{about.metadata.name}",
                    "eventType": event.type,
                    "reason": event.reason,
                    "message": event.message,
                }
            )

    def admissions(self) -> dict[str, Object]:
        return {
            key: written(info.obj.status.admission)
            for key, info in self.engine.cache.workloads.items()
            if info.obj.status.admission is not None
        }

    def waiting(self) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
        """The workloads in line and parked, by ClusterQueue."""
        in_line, parked = {}, {}
        for name in self.engine.cache.objects:
            queue = self.engine.queues.cluster_queue(name)
            if queue is not None:
                in_line[name] = sorted(info.key for info in queue.in_line())
                parked[name] = sorted(info.key for info in queue.parked())
        return in_line, parked


def _key(obj: Object) -> str:
    metadata = obj["metadata"]
    return f"{metadata.get('namespace', '')}/{metadata['name']}"


def _fair_sharing(case: Case) -> FairSharing | None:
    given = case.options.get("fairSharing") or {}
    if not given.get("enabled"):
        return None
    return FairSharing(strategies_of(given.get("preemptionStrategies")))


def _admission_fair_sharing(case: Case) -> AdmissionFairSharing | None:
    given = case.options.get("admissionFairSharing")
    if not given or case.gates.get("AdmissionFairSharing") is False:
        return None
    return AdmissionFairSharing(
        _seconds(given.get("usageHalfLifeTime") or "0s"),
        _seconds(given.get("usageSamplingInterval") or "5m"),
        given.get("resourceWeights") or {},
    )


def _seconds(text: str) -> float:
    return parse_duration(text)


_IGNORED = ("resourceVersion", "creationTimestamp")


def _comparable(objects: list[Any] | dict[str, Any]) -> dict[str, Any]:
    """Workloads by key, without what upstream's comparison leaves out."""
    found = {}
    for obj in objects.values() if isinstance(objects, dict) else objects:
        one = copy.deepcopy(obj)
        for name in _IGNORED:
            one["metadata"].pop(name, None)
        status = one.get("status") or {}
        for check in status.get("admissionChecks") or ():
            check.pop("lastTransitionTime", None)
        conditions = status.get("conditions")
        if conditions:
            status["conditions"] = {condition["type"]: condition for condition in conditions}
        found[_key(one)] = one
    return found


def _timeless(message: str) -> str:
    """A message without the wait of a workload that has no creation time: in Go that is 292 years."""
    return message.replace("was 9223372037s", "was 0s")


def _events(events: list[Any], *, with_messages: bool, in_order: bool) -> list[Any]:
    kept = [
        {name: event.get(name) for name in ("key", "eventType", "reason")}
        | ({"message": _timeless(event.get("message", ""))} if with_messages else {})
        for event in events
    ]
    return kept if in_order else sorted(kept, key=str)


@runs("scheduling", "TestSchedule")
@runs("scheduling-fair-sharing", "TestScheduleForFairSharing")
@runs("scheduling-recompute-preemption", "TestScheduleRecomputePreemptionTargets")
def one_cycle(case: Case) -> list[str]:
    world = World(case)
    outcome = world.cycle()
    in_line, parked = world.waiting()
    expected = case.expected
    want: dict[str, Any] = {
        "admissions": expected.get("admissions"),
        "workloads": _comparable(expected.get("workloads") or []),
        "pending": {name: sorted(keys) for name, keys in (expected.get("pending") or {}).items()},
        "inadmissible": {
            name: sorted(keys) for name, keys in (expected.get("inadmissible") or {}).items()
        },
    }
    got: dict[str, Any] = {
        "admissions": world.admissions(),
        "workloads": _comparable(world.raw),
        "pending": in_line,
        "inadmissible": parked,
    }
    if "events" in expected:
        how = (case.compare or {}).get("events") or {}
        flags = {
            "with_messages": how.get("messageCompared", True),
            "in_order": how.get("orderCompared", True),
        }
        want["events"] = _events(expected["events"], **flags)
        got["events"] = _events(world.events, **flags)
    if "skippedPreemptions" in expected:
        want["skippedPreemptions"] = expected["skippedPreemptions"]
        got["skippedPreemptions"] = dict(outcome.skipped_preemptions)
    if "preemptionTargetRecomputations" in expected:
        want["recomputations"] = expected["preemptionTargetRecomputations"]
        recomputed: dict[str, dict[str, int]] = {}
        for (queue, result), count in outcome.recomputations.items():
            recomputed.setdefault(queue, {})[result] = count
        got["recomputations"] = {
            queue: recomputed.get(queue) for queue in expected["preemptionTargetRecomputations"]
        }
    return differences(want, got)


@runs("scheduling-afs", "TestScheduleForAFS")
def admission_fair_sharing(case: Case) -> list[str]:
    world = World(case)
    now, ledger = world.now.timestamp(), world.engine.queues.ledger
    for name, consumed in (case.input.get("initialLocalQueueUsage") or {}).items():
        ledger.restore(f"default/{name}", nanos_of(consumed), now)
    deleted = case.input.get("deleteLocalQueueBeforeScheduling")
    if deleted:
        # Gone from the API, while its workloads are in line: nobody knows its weight.
        ledger.unweigh(f"default/{deleted}")
    for _ in range(case.options.get("cycles") or 1):
        world.cycle()
    want = _comparable(case.expected.get("workloads") or [])
    return differences(want, _comparable(world.raw))


@runs("scheduling-afs", "TestShouldApplyEntryPenalty")
def penalizing(case: Case) -> list[str]:
    given = case.input.get("admissionFairSharing")
    config = AdmissionFairSharing(_seconds(given["usageHalfLifeTime"])) if given else None
    if case.gates.get("AdmissionFairSharing") is False:
        config = None
    scope = AdmissionScope(case.input.get("admissionMode") or "")
    got = is_penalized(view(Workload, case.input["workload"]), scope, config)
    return differences(case.expected, {"applies": got})


@runs("scheduling-entry-order", "TestEntryOrdering")
def ordering(case: Case) -> list[str]:
    given = (case.input.get("workloadOrdering") or {}).get("podsReadyRequeuingTimestamp")
    infos = Infos(requeuing_timestamp=given or "Creation")
    entries = [_entry(one, infos) for one in case.input["entries"]]
    got = [entry.info.obj.metadata.name for entry in Classical(entries)]
    return differences(case.expected["order"], got)


def _entry(given: Object, infos: Infos) -> Entry:
    assignment = Assignment([], borrowing=(given.get("assignment") or {}).get("borrowing") or 0)
    return Entry(infos.make(view(Workload, given["workload"])), assignment=assignment)


@runs("scheduling-entry-order", "TestEntryComparerLess")
def comparing(case: Case) -> list[str]:
    ranks = []
    for side in ("a", "b"):
        entry = _entry(case.input[side], Infos())
        key = entry.info.key
        share = next(
            (
                one["value"]
                for one in case.input.get("dominantResourceShares") or ()
                if one["key"]["workloadKey"] == key
            ),
            {},
        )
        borrowed = {(one["flavor"], one["resource"]) for one in share.get("borrowedFRs") or ()}
        requested = usage((case.input.get("requestedFlavorResources") or {}).get(key))
        ratio, weight = share.get("unweightedRatio") or 0.0, share.get("fairWeight", 1)
        weighted = weigh(ratio, weight)
        order = (weighted, ratio if math.isinf(weighted) else 0.0)
        ranks.append(rank(entry, would_borrow=any(fr in borrowed for fr in requested), share=order))
    return differences(case.expected, {"less": ranks[0] < ranks[1]})


@runs("scheduling-multi-cycle", "TestLastSchedulingContext")
def deleting_in_between(case: Case) -> list[str]:
    world = World(case)
    world.cycle()
    want = {"workloads": _comparable(case.expected.get("workloadsAfterFirstCycle") or [])}
    got: dict[str, Any] = {"workloads": _comparable(world.raw)}
    now = world.now.timestamp()
    for key in case.input.get("deleteWorkloadsAfterFirstCycle") or ():
        world.engine.drop_workload(key, now)
    world.engine.queues.flush(world.engine.cache.objects, now)
    for _ in range(case.options.get("cyclesAfterDelete") or 1):
        world.cycle()
    want["admissions"] = case.expected.get("admissionsAfterSecondCycle") or {}
    got["admissions"] = world.admissions()
    return differences(want, got)


@runs("scheduling-requeue", "TestRequeueAndUpdate")
def requeuing(case: Case) -> list[str]:
    """One head that comes back from a cycle in a given state."""
    world = World(case)
    given = case.input["entry"]
    engine, now = world.engine, world.now.timestamp()
    (info,) = engine.queues.heads(now)
    entry = Entry(
        info,
        status=Status(given.get("status") or ""),
        reason=given.get("quotaReservedReason") or "",
        message=given.get("inadmissibleMessage") or "",
        requeue_reason=RequeueReason(given.get("requeueReason") or ""),
    )
    writes = engine.take_back([entry], world.now)
    in_line, parked = world.waiting()
    for write in writes:
        world.write(write)
    got = {"pending": in_line, "inadmissible": parked, "statusUpdates": len(writes)}
    want = {name: case.expected.get(name) for name in ("pending", "inadmissible", "statusUpdates")}
    if "status" in case.expected:
        want["status"] = _timeless_status(case.expected["status"])
        got["status"] = _timeless_status(world.raw[info.key].get("status") or {})
    return differences(want, got)


def _timeless_status(status: Object) -> Object:
    conditions = [
        {name: value for name, value in one.items() if name != "lastTransitionTime"}
        for one in status.get("conditions") or ()
    ]
    return status | {"conditions": sorted(conditions, key=lambda one: str(one["type"]))}
