"""Whole scheduling cycles: what is admitted, evicted, told, and where everybody waits afterwards."""

from __future__ import annotations

import copy
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import partial
from typing import Any

from argosy.api.objects import Namespace, ObjectMeta
from argosy.api.objects.kueue.checks import AdmissionCheck, Topology
from argosy.api.objects.kueue.localqueues import LocalQueue
from argosy.api.objects.kueue.quotas import ClusterQueue, Cohort, ResourceFlavor
from argosy.api.objects.kueue.workloads import Workload
from argosy.api.objects.limits import LimitRange
from argosy.base.timestamps import parse_time
from argosy.base.types import Object
from argosy.queueing.cache.caches import Cache
from argosy.queueing.cycles.decisions import Outcome
from argosy.queueing.cycles.engines import Engine
from argosy.queueing.cycles.entries import Entry, Status
from argosy.queueing.cycles.nominating import Nominator, Surroundings
from argosy.queueing.cycles.ordering import (
    Borrowing,
    Classical,
    Fair,
    Seniority,
    by_age,
    by_priority,
    by_share_alone,
    rank,
)
from argosy.queueing.cycles.scheduling import Scheduler
from argosy.queueing.cycles.writes import Kind, Write
from argosy.queueing.flavors.assigning import BLOCK_UNDECLARED, Assigner
from argosy.queueing.flavors.assignments import Assignment
from argosy.queueing.preemption.preempting import Preemptor
from argosy.queueing.queues.consuming import nanos_of
from argosy.queueing.queues.queues import Queues
from argosy.queueing.queues.reasons import RequeueReason
from argosy.queueing.quotas.shares import is_borrowing_on, weigh
from argosy.queueing.workloads.limitranges import summarize
from argosy.queueing.workloads.making import CREATION, Infos
from argosy.queueing.workloads.writing import written
from tests.conformance.areas import runs
from tests.conformance.building import (
    admission_fair_sharing,
    fair_sharing,
    infos,
    key_of,
    usage,
    view,
    views,
)
from tests.conformance.cases import Case
from tests.conformance.comparing import asserted, differences


class World:
    """The engine on a case's objects, and the objects as they become."""

    def __init__(self, case: Case) -> None:
        self.now = parse_time(case.now)
        self.raw = {key_of(one): copy.deepcopy(one) for one in case.objects.get("workloads") or ()}
        self.events: list[Object] = []
        self.namespaces = {
            one["metadata"]["name"]: one["metadata"].get("labels") or {}
            for one in case.objects.get("namespaces") or ()
        }
        # What the API answers to every status that is written.
        self.refusal = str(case.input.get("workloadStatusPatchError") or "")
        self.engine = self._engine(case)
        self._fill(case)

    def _engine(self, case: Case) -> Engine:
        fair = fair_sharing(case)
        sharing = admission_fair_sharing(case, case.options.get("admissionFairSharing"))
        cache = Cache()
        ranges = views(LimitRange, case.objects.get("limitRanges"))
        limits = {
            name: summarize(one for one in ranges if one.metadata.namespace == name)
            for name in {one.metadata.namespace for one in ranges}
        }
        queues = Queues(cache.forest, self.namespaces.get, sharing)
        usage_of = queues.ledger.usage if sharing is not None else None
        nominator = Nominator(
            Assigner(
                is_fair_sharing=fair is not None,
                quota_check_strategy=case.options.get("quotaCheckStrategy") or BLOCK_UNDECLARED,
            ),
            Preemptor(fair, usage_of),
            Surroundings(self._namespace, lambda name: limits.get(name, {})),
            allows_fewer=case.gates.get("PartialAdmission", True),
        )
        seniority, borrowing = _seniority(case), _borrowing(case)
        scheduler = Scheduler(
            nominator,
            partial(Classical, seniority=seniority)
            if fair is None
            else partial(Fair, seniority=seniority, borrowing=borrowing),
            looks_again=case.gates.get("RecomputeAssignmentUponPreemptionTargetsOverlap", True),
        )
        return Engine(cache, queues, scheduler, infos(case))

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
        if self.refusal:
            self._refuse(write, key)
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

    def _refuse(self, write: Write, key: str) -> None:
        """A decision that cannot be written is taken back; nobody tells of a workload that is gone."""
        if write.kind is Kind.WAIT:
            return
        actual = None if self.refusal.endswith("not found") else view(Workload, self.raw[key])
        self.engine.failed(write, actual, self.now.timestamp())

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


def _borrowing(case: Case) -> Borrowing:
    is_on = case.gates.get("FairSharingPrioritizeNonBorrowing", True)
    return is_borrowing_on if is_on else by_share_alone


def _seniority(case: Case) -> Seniority:
    return by_priority if case.gates.get("PrioritySortingWithinCohort", True) else by_age


_IGNORED = ("resourceVersion", "creationTimestamp")


def _comparable(objects: Iterable[Object]) -> dict[str, Any]:
    """Workloads by key, without what upstream's comparison leaves out."""
    found = {}
    for obj in objects:
        one = copy.deepcopy(obj)
        for name in _IGNORED:
            one["metadata"].pop(name, None)
        status = one.get("status") or {}
        for check in status.get("admissionChecks") or ():
            check.pop("lastTransitionTime", None)
        conditions = status.get("conditions")
        if conditions:
            status["conditions"] = {condition["type"]: condition for condition in conditions}
        found[key_of(one)] = one
    return found


def _timeless(message: str) -> str:
    """A message without the wait of a workload that has no creation time, or one that is yet to come. In Go that is 292
    years, or less than nothing.
    """
    return re.sub(r"was (9223372037|-\d+)s", "was 0s", message)


def _events(events: Iterable[Any], *, with_messages: bool, in_order: bool) -> list[Any]:
    kept = [
        {name: event.get(name) for name in ("key", "eventType", "reason")}
        | ({"message": _timeless(event.get("message", ""))} if with_messages else {})
        for event in events
    ]
    return kept if in_order else sorted(kept, key=str)


@runs("scheduling", "TestSchedule")
@runs("scheduling-fair-sharing", "TestScheduleForFairSharing")
@runs("scheduling-recompute-preemption", "TestScheduleRecomputePreemptionTargets")
@runs("scheduling-concurrent-admission", "TestScheduleConcurrentAdmission")
@runs("scheduling-afs", "TestScheduleForAFS")
def cycles(case: Case) -> list[str]:
    """As many cycles as the case says, one if it says nothing."""
    world = World(case)
    _account(case, world)
    skipped, recomputed = Counter[str](), Counter[tuple[str, str]]()
    for _ in range(case.options.get("cycles") or 1):
        outcome = world.cycle()
        skipped += outcome.skipped_preemptions
        recomputed += outcome.recomputations
    in_line, parked = world.waiting()
    expected, how = case.expected, case.compare.get("events") or {}
    flags = {
        "with_messages": how.get("messageCompared", True),
        "in_order": how.get("orderCompared", True),
    }
    got: dict[str, Any] = {
        "admissions": world.admissions(),
        "workloads": _comparable(world.raw.values()),
        "pending": in_line,
        "inadmissible": parked,
        "events": _events(world.events, **flags),
        "skippedPreemptions": dict(skipped),
        "preemptionTargetRecomputations": _by_queue(
            recomputed, expected.get("preemptionTargetRecomputations") or ()
        ),
    }
    want = dict(expected)
    if "events" in want:
        want["events"] = _events(want["events"] or (), **flags)
    if "workloads" in want:
        want["workloads"] = _comparable(want["workloads"] or ())
    for name in ("pending", "inadmissible"):
        if name in want:
            want[name] = {queue: sorted(keys or ()) for queue, keys in (want[name] or {}).items()}
    return asserted(want, got) + _observed(case, world)


def _observed(case: Case, world: World) -> list[str]:
    """Events that upstream's test does not look at."""
    if "events" not in case.observed:
        return []
    want, got = (
        _events(events or (), with_messages=True, in_order=False)
        for events in (case.observed["events"], world.events)
    )
    return differences(want, got, "observed.events")


def _account(case: Case, world: World) -> None:
    """What LocalQueues consumed before, and which of them is gone from the API while its workloads are in line."""
    now, ledger = world.now.timestamp(), world.engine.queues.ledger
    for name, consumed in (case.input.get("initialLocalQueueUsage") or {}).items():
        ledger.restore(_in_default(name), nanos_of(consumed), now)
    deleted = case.input.get("deleteLocalQueueBeforeScheduling")
    if deleted:
        ledger.unweigh(_in_default(deleted))


def _in_default(local_queue: str) -> str:
    """Cases leave out the namespace of LocalQueues, which is `default`."""
    return local_queue if "/" in local_queue else f"default/{local_queue}"


def _by_queue(
    counts: Mapping[tuple[str, str], int], queues: Collection[str]
) -> dict[str, dict[str, int]]:
    """Counts of these ClusterQueues, by result."""
    found: dict[str, dict[str, int]] = {queue: {} for queue in queues}
    for (queue, result), count in counts.items():
        if queue in found:
            found[queue][result] = count
    return found


@runs("scheduling-entry-order", "TestEntryOrdering")
def ordering(case: Case) -> list[str]:
    """Go's zero for the timestamp is not the eviction's."""
    given = (case.input.get("workloadOrdering") or {}).get("podsReadyRequeuingTimestamp")
    maker = infos(case, requeuing_timestamp=given or CREATION)
    entries = [_entry(one, maker) for one in case.input.get("entries") or ()]
    order = Classical(entries, seniority=_seniority(case))
    return differences(case.expected, {"order": [entry.info.obj.metadata.name for entry in order]})


def _entry(given: Object, maker: Infos) -> Entry:
    assignment = Assignment([], borrowing=(given.get("assignment") or {}).get("borrowing") or 0)
    return Entry(maker.make(view(Workload, given["workload"])), assignment=assignment)


@runs("scheduling-entry-order", "TestEntryComparerLess")
def comparing(case: Case) -> list[str]:
    ranks = []
    for side in ("a", "b"):
        entry = _entry(case.input[side], infos(case))
        key = entry.info.key
        share = _share(case, key)
        borrowed = {(one["flavor"], one["resource"]) for one in share.get("borrowedFRs") or ()}
        requested = usage((case.input.get("requestedFlavorResources") or {}).get(key))
        ratio, weight = share.get("unweightedRatio") or 0.0, share.get("fairWeight", 1)
        weighted = weigh(ratio, weight)
        is_on = case.gates.get("FairSharingPrioritizeNonBorrowing", True)
        ranks.append(
            rank(
                entry,
                would_borrow=is_on and any(fr in borrowed for fr in requested),
                share=(weighted, ratio if math.isinf(weighted) else 0.0),
                seniority=_seniority(case),
            )
        )
    return differences(case.expected, {"less": ranks[0] < ranks[1]})


def _share(case: Case, key: str) -> Mapping[str, Any]:
    """The share of a workload's side below the cohort that the case compares in."""
    cohort = case.input.get("cohort")
    for one in case.input.get("dominantResourceShares") or ():
        at = one["key"]
        if at["workloadKey"] == key and at.get("parentCohort", cohort) == cohort:
            return one["value"] or {}
    return {}


@runs("scheduling-multi-cycle", "TestLastSchedulingContext")
def deleting_in_between(case: Case) -> list[str]:
    """A cycle, then workloads are deleted and everybody who is parked gets in line again, then more cycles."""
    world = World(case)
    world.cycle()
    got: dict[str, Any] = {"workloadsAfterFirstCycle": _comparable(world.raw.values())}
    now = world.now.timestamp()
    for key in case.input.get("deleteWorkloadsAfterFirstCycle") or ():
        world.engine.drop_workload(key, now)
    world.engine.queues.flush(world.engine.cache.objects, now)
    for _ in range(case.options.get("cyclesAfterDelete") or 1):
        world.cycle()
    got["admissionsAfterSecondCycle"] = world.admissions()
    want = dict(case.expected)
    if "workloadsAfterFirstCycle" in want:
        want["workloadsAfterFirstCycle"] = _comparable(want["workloadsAfterFirstCycle"] or ())
    return asserted(want, got)


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
    got = {
        "pending": in_line,
        "inadmissible": parked,
        "statusUpdates": len(writes),
        "status": _timeless_status(world.raw[info.key].get("status") or {}),
    }
    want = dict(case.expected)
    if "status" in want:
        want["status"] = _timeless_status(want["status"] or {})
    return asserted(want, got)


def _timeless_status(status: Object) -> Object:
    conditions = [
        {name: value for name, value in one.items() if name != "lastTransitionTime"}
        for one in status.get("conditions") or ()
    ]
    return status | {"conditions": sorted(conditions, key=lambda one: str(one["type"]))}
