"""An entry: a head of a ClusterQueue on its way through one cycle."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from argosy.queueing.cache.clusterqueues import CachedQueue
from argosy.queueing.flavors.assignments import Assignment
from argosy.queueing.preemption.targets import Target
from argosy.queueing.queues.reasons import RequeueReason
from argosy.queueing.workloads import reasons
from argosy.queueing.workloads.infos import Info


class Status(StrEnum):
    """How far an entry has come."""

    NOT_NOMINATED = ""
    NOMINATED = "nominated"
    SKIPPED = "skipped"
    ASSUMED = "assumed"


@dataclass(slots=True)
class Entry:
    """A workload, what it would get, whom it would preempt, and what is to be said of it."""

    info: Info
    queue: CachedQueue | None = None
    assignment: Assignment = field(default_factory=lambda: Assignment([]))
    targets: list[Target] = field(default_factory=list)
    status: Status = Status.NOT_NOMINATED
    # The condition QuotaReserved of a workload that stays pending.
    reason: str = ""
    message: str = ""
    requeue_reason: RequeueReason = RequeueReason.GENERIC

    @property
    def has_quota(self) -> bool:
        """Whether this is a second look at a workload that holds quota already."""
        return self.info.obj.has_quota_reservation

    def skip(self, reason: str, message: str) -> None:
        """It was its turn and there was nothing left."""
        self.status = Status.SKIPPED
        self.reason, self.message = reason, message

    def await_victims(self, count: int) -> None:
        """Workloads go for it: it waits for their quota, and all flavors will be open to it again."""
        self.reason = reasons.WAITING_FOR_PREEMPTED_WORKLOADS
        self.message += f". Pending the preemption of {count} workload(s)"
        self.requeue_reason = RequeueReason.PENDING_PREEMPTION
        self.info.last_assignment = None
