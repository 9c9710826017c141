"""What the statuses of ClusterQueues and LocalQueues say: whether they can admit, how many wait and hold how much.

Pure: the numbers come from queues and cache, the patch of what differs goes to whoever writes it. Statuses change with
every workload, so nothing is written that is there already, and conditions keep their times. A first status says how
many wait and run even if nobody does: kubectl shows a 0 then, not a gap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import msgspec

from argosy.api.objects.kueue.localqueues import (
    AdmissionFairSharingStatus,
    LocalQueue,
    LocalQueueFairSharingStatus,
)
from argosy.api.objects.kueue.quotas import ClusterQueue, FairSharingStatus, FlavorUsage
from argosy.api.objects.metadata import Condition
from argosy.base.types import Object
from argosy.queueing.cache.readiness import Readiness
from argosy.queueing.workloads.drafts import CONDITION_BYTES, difference, truncated, with_condition
from argosy.queueing.workloads.explaining import NONE
from argosy.queueing.workloads.writing import written

ACTIVE: Final = "Active"
_CANNOT: Final = "Can't submit new workloads to clusterQueue"


@dataclass(slots=True, frozen=True)
class Holding:
    """How many workloads of a queue are where, and what they hold, as `flavorsReservation` and `flavorsUsage`."""

    pending: int = 0
    reserving: int = 0
    admitted: int = 0
    flavors_reservation: Sequence[Object] = field(default_factory=tuple)
    flavors_usage: Sequence[Object] = field(default_factory=tuple)


def local_queue_readiness(queue: LocalQueue, *, exists: bool, is_active: bool) -> Readiness:
    """Whether workloads can be submitted to a LocalQueue, given its ClusterQueue."""
    if queue.spec.stop_policy not in ("", NONE):
        return Readiness(is_active=False, reason="Stopped", message="LocalQueue is stopped")
    if not exists:
        return Readiness(is_active=False, reason="ClusterQueueDoesNotExist", message=_CANNOT)
    if not is_active:
        return Readiness(is_active=False, reason="ClusterQueueIsInactive", message=_CANNOT)
    message = "Can submit new workloads to localQueue"
    return Readiness(is_active=True, reason="Ready", message=message)


def cluster_queue_status(
    queue: ClusterQueue,
    readiness: Readiness,
    holding: Holding,
    now: datetime,
    *,
    weighted_share: int | None = None,
) -> Object | None:
    """The merge patch of a ClusterQueue's status; None if it says all that. No share without fair sharing."""
    changes = _changes(queue, readiness, holding, now)
    shared = FairSharingStatus(weighted_share) if weighted_share is not None else None
    if shared is not None and shared != queue.status.fair_sharing:
        changes["fairSharing"] = written(shared)
    return {"status": changes} if changes else None


def local_queue_status(
    queue: LocalQueue,
    readiness: Readiness,
    holding: Holding,
    now: datetime,
    *,
    consumption: AdmissionFairSharingStatus | None = None,
) -> Object | None:
    """The same of a LocalQueue's; what it consumed is left alone if none is given."""
    changes = _changes(queue, readiness, holding, now)
    if consumption is not None:
        old = queue.status.fair_sharing or LocalQueueFairSharingStatus()
        new = LocalQueueFairSharingStatus(old.weighted_share, consumption)
        if new != queue.status.fair_sharing:
            changes["fairSharing"] = difference(written(old), written(new)) | {
                "weightedShare": new.weighted_share
            }
    return {"status": changes} if changes else None


def seconds_until_sample(
    last_update: datetime | None, now: datetime, interval_seconds: float
) -> float:
    """How long what a LocalQueue consumed needs no new look; zero or less if one is due."""
    if last_update is None:
        return 0.0
    return interval_seconds - (now - last_update).total_seconds()


def _changes(
    queue: ClusterQueue | LocalQueue, readiness: Readiness, holding: Holding, now: datetime
) -> Object:
    """What both kinds of queues say, where it differs from what they say now."""
    status = queue.status
    changes: Object = {}
    conditions = _conditions(status.conditions, readiness, queue.metadata.generation, now)
    if conditions is not status.conditions:
        changes["conditions"] = [written(one) for one in conditions]
    for name, old, new in (
        ("pendingWorkloads", status.pending_workloads, holding.pending),
        ("reservingWorkloads", status.reserving_workloads, holding.reserving),
        ("admittedWorkloads", status.admitted_workloads, holding.admitted),
    ):
        if old != new or not status.conditions:
            changes[name] = new
    for name, said, held in (
        ("flavorsReservation", status.flavors_reservation, holding.flavors_reservation),
        ("flavorsUsage", status.flavors_usage, holding.flavors_usage),
    ):
        if said != msgspec.convert(held, tuple[FlavorUsage, ...]):
            changes[name] = list(held) or None
    return changes


def _conditions(
    given: tuple[Condition, ...], readiness: Readiness, generation: int, now: datetime
) -> tuple[Condition, ...]:
    new = Condition(
        type=ACTIVE,
        status=str(readiness.is_active),
        reason=readiness.reason,
        message=truncated(readiness.message, CONDITION_BYTES),
        observed_generation=generation,
        last_transition_time=now.replace(microsecond=0),
    )
    return with_condition(given, new)
