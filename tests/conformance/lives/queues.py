"""Looks at ClusterQueues, LocalQueues, ResourceFlavors and WorkloadPriorityClasses."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from argosy.api.objects.kueue.checks import WorkloadPriorityClass
from argosy.api.objects.kueue.localqueues import AdmissionFairSharingStatus, LocalQueue
from argosy.api.objects.kueue.quotas import ClusterQueue, ResourceFlavor
from argosy.api.objects.kueue.workloads import Workload
from argosy.api.objects.metadata import ObjectMeta, is_true
from argosy.api.patches.merge_patch import apply_merge_patch
from argosy.base.timestamps import parse_time
from argosy.base.types import Object
from argosy.queueing.cache.readiness import TERMINATING, Readiness
from argosy.queueing.controllers.finalizers import finalizers_after
from argosy.queueing.controllers.priorityclasses import class_of, outdated
from argosy.queueing.controllers.statuses import (
    Holding,
    cluster_queue_status,
    local_queue_readiness,
    local_queue_status,
    seconds_until_sample,
)
from argosy.queueing.queues.consuming import (
    AdmissionFairSharing,
    nanos_of,
    nanos_of_amounts,
    quantities_of,
)
from argosy.queueing.queues.ledgers import Ledger
from argosy.queueing.workloads.infos import Info
from argosy.queueing.workloads.making import Infos
from argosy.queueing.workloads.phases import RESOURCE_IN_USE, holds_quota
from tests.conformance.building import view, views
from tests.conformance.comparing import differences
from tests.conformance.lives import Line, now_of, without_times

_NANOSECONDS: Final = 1e9
# Go's zero time.
_NEVER: Final = "0001-01-01T00:00:00Z"


def cluster_queue(line: Line) -> list[str]:
    """A ClusterQueue that is being deleted while a workload may hold its quota."""
    case, now = line["case"], now_of(line)
    held = view(Workload, case["workload"])
    reserving = int(holds_quota(held))
    meta = ObjectMeta(name="cq", deletion_timestamp=now, finalizers=(RESOURCE_IN_USE,))
    is_gone = not finalizers_after(meta, is_used=bool(reserving))
    found = differences(case.get("wantDeleted"), is_gone, "deleted")
    if is_gone:
        return found
    queue = ClusterQueue(metadata=meta)
    patch = cluster_queue_status(queue, TERMINATING, Holding(reserving=reserving), now)
    status = (patch or {}).get("status") or {}
    active = status["conditions"][0]
    want = {name: case.get(name) for name in ("wantActive", "wantReason", "wantReserving")}
    got = {
        "wantActive": active["status"],
        "wantReason": active["reason"],
        "wantReserving": status.get("reservingWorkloads"),
    }
    return found + differences(want, got)


def cluster_queue_statuses(line: Line) -> list[str]:
    """A status is written for a ClusterQueue that queues and cache know, and only what differs."""
    case, fixtures = line["case"], (line.get("fixtures") or {}).get("fixtures") or {}
    before = case.get("cqStatus") or {}
    status = before
    if case.get("insertCqIntoCache") and case.get("insertCqIntoManager"):
        waiting = ((fixtures.get("defaultWls") or {}).get("value") or {}).get("items") or []
        pending = len(waiting) + bool(case.get("newWl"))
        metadata = {"name": fixtures.get("cqName") or "cq", "generation": 1}
        queue = view(ClusterQueue, {"metadata": metadata, "status": before})
        readiness = Readiness(
            case.get("newConditionStatus") == "True", case["newReason"], case["newMessage"]
        )
        patch = cluster_queue_status(queue, readiness, Holding(pending=pending), now_of(line))
        status = apply_merge_patch({"status": before}, patch or {})["status"]
    want = without_times(case.get("wantCqStatus") or {})
    return differences(want, without_times(status))


def local_queue(line: Line) -> list[str]:
    case, now = line["case"], now_of(line)
    raw = case["localQueue"]
    given = view(LocalQueue, raw)
    queue = (
        None
        if case.get("deleteClusterQueue") or not case.get("clusterQueue")
        else view(ClusterQueue, case["clusterQueue"])
    )
    readiness = local_queue_readiness(
        given,
        exists=queue is not None,
        is_active=queue is not None and is_true(queue.status.conditions, "Active"),
    )
    running = [Infos().make(one) for one in views(Workload, case.get("runningWls"))]
    consumption, left, ledger = _sampled(case, given, running, now)
    holding = Holding(reserving=len(running), admitted=sum(one.obj.is_admitted for one in running))
    patch = local_queue_status(given, readiness, holding, now, consumption=consumption)
    got = apply_merge_patch(raw, patch or {})
    found = differences(_queue_comparable(case["wantLocalQueue"]), _queue_comparable(got))
    if case.get("wantRequeueAfter"):
        found += differences(case["wantRequeueAfter"] / _NANOSECONDS, left, "requeueAfter")
    want = case.get("wantConsumedResources")
    if want and ledger is not None:
        account = ledger.account(_key(given))
        shown = quantities_of(account.consumed) if account is not None else {}
        found += differences(want.get("Resources"), shown, "consumed")
    return found


def _sampled(
    case: Mapping[str, Any], given: LocalQueue, running: Sequence[Info], now: datetime
) -> tuple[AdmissionFairSharingStatus | None, float | None, Ledger | None]:
    """What the LocalQueue consumed by now, or how long no sample is due."""
    config = case.get("afsConfig")
    if not config:
        return None, None, None
    sharing = AdmissionFairSharing(
        _duration(config.get("usageHalfLifeTime")), _duration(config.get("usageSamplingInterval"))
    )
    ledger, key = Ledger(sharing), _key(given)
    persisted = (
        given.status.fair_sharing.admission_fair_sharing_status
        if given.status.fair_sharing
        else None
    )
    is_new = not _restored(ledger, key, case.get("initialConsumedResources") or {})
    consumed = persisted.consumed_resources if persisted is not None else {}
    ledger.restore(key, nanos_of(consumed), now.timestamp())
    account = ledger.account(key)
    assert account is not None
    last = datetime.fromtimestamp(account.last_update, UTC)
    left = seconds_until_sample(last, now, sharing.sampling_interval_seconds)
    if not is_new and left > 0:
        return None, left, ledger
    ledger.sample(key, nanos_of_amounts(_used(running)), now.timestamp())
    return AdmissionFairSharingStatus(quantities_of(account.consumed), now), None, ledger


def _restored(ledger: Ledger, key: str, initial: Mapping[str, Any]) -> bool:
    """Put the account there was before the look into the ledger; whether there was one."""
    last = parse_time(initial.get("LastUpdate") or _NEVER)
    if last <= parse_time(_NEVER):
        return False
    ledger.sample(key, {}, last.timestamp())
    account = ledger.account(key)
    assert account is not None
    account.consumed = nanos_of(initial.get("Resources") or {})
    account.is_restored = bool(initial.get("StatusAccounted"))
    return True


def _used(running: Sequence[Info]) -> dict[str, int]:
    used: dict[str, int] = {}
    for info in running:
        for pods in info.total_requests:
            for resource, value in pods.requests.items():
                used[resource] = used.get(resource, 0) + value
    return used


def _key(queue: LocalQueue) -> str:
    return f"{queue.metadata.namespace}/{queue.metadata.name}"


def _queue_comparable(raw: Object) -> Object:
    status = without_times(raw.get("status") or {})
    sharing = (status.get("fairSharing") or {}).get("admissionFairSharingStatus")
    if isinstance(sharing, dict):
        sharing.pop("lastUpdate", None)
    return {"spec": raw.get("spec"), "status": status}


def _duration(text: str | None) -> float:
    """Seconds of a Go duration."""
    units = {"h": 3600.0, "m": 60.0, "s": 1.0}
    return sum(
        float(number) * units[unit] for number, unit in re.findall(r"([\d.]+)([hms])", text or "")
    )


def flavor(line: Line) -> list[str]:
    case = line["case"]
    if case.get("skipStore"):
        return []
    raw = copy.deepcopy(case["flavor"])
    # A deletion is asked for where the object must be gone, and the stamp of a stand-in is none.
    if case.get("wantDeleted"):
        raw["metadata"]["deletionTimestamp"] = line["now"]
    given = view(ResourceFlavor, raw)
    is_used = any(
        flavor.name == given.metadata.name
        for queue in views(ClusterQueue, case.get("clusterQueues"))
        for group in queue.spec.resource_groups
        for flavor in group.flavors
    )
    got = finalizers_after(given.metadata, is_used=is_used)
    is_gone = given.metadata.deletion_timestamp is not None and not got
    found = differences(case.get("wantDeleted"), is_gone, "deleted")
    if is_gone:
        return found
    want = (case.get("wantFlavor") or {}).get("metadata") or {}
    return found + differences(want.get("finalizers"), list(got), "finalizers")


def priority_class(line: Line) -> list[str]:
    case = line["case"]
    given = view(WorkloadPriorityClass, case["wpc"])
    raws = {one["metadata"]["name"]: copy.deepcopy(one) for one in case.get("workloads") or ()}
    workloads = [view(Workload, one) for one in raws.values()]
    of_class = [one for one in workloads if class_of(one) == given.metadata.name]
    for one in outdated(given.value, of_class):
        raws[one.metadata.name]["spec"]["priority"] = given.value
    want = {one["metadata"]["name"]: one["spec"] for one in case.get("wantWorkloads") or ()}
    return differences(want, {name: one["spec"] for name, one in raws.items()})
