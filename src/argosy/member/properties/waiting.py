"""Which of Kueue's Workloads wait on a cluster, and for how long: facts for those who choose between clusters.

A workload waits while it is active and holds no quota. It has waited since it last lost its quota, or since it was
made. The longest wait is found in a heap from which those that wait no more are taken when they come up.
"""

from __future__ import annotations

import heapq
from datetime import datetime

from argosy.api.objects.kueue.workloads import FINISHED, QUOTA_RESERVED
from argosy.api.objects.metadata import Condition, ObjectMeta, View, find_condition, is_true


class WaitingSpec(View, frozen=True):
    active: bool = True


class WaitingStatus(View, frozen=True):
    conditions: tuple[Condition, ...] = ()


class WaitingWorkload(View, frozen=True):
    """What is read of a Workload."""

    metadata: ObjectMeta = ObjectMeta()
    spec: WaitingSpec = WaitingSpec()
    status: WaitingStatus = WaitingStatus()


class Line:
    """The workloads that wait, and since when."""

    def __init__(self) -> None:
        self._since: dict[tuple[str, str], datetime] = {}
        self._oldest: list[tuple[datetime, tuple[str, str]]] = []

    def __len__(self) -> int:
        return len(self._since)

    def put(self, workload: WaitingWorkload) -> None:
        key, since = workload.metadata.key, waiting_since(workload)
        if since is None:
            self._since.pop(key, None)
        elif self._since.get(key) != since:
            self._since[key] = since
            heapq.heappush(self._oldest, (since, key))

    def drop(self, key: tuple[str, str]) -> None:
        self._since.pop(key, None)

    def longest_seconds(self, now: datetime) -> int:
        """How long the one has waited that has waited longest; 0 if nobody waits."""
        while self._oldest and self._since.get(self._oldest[0][1]) != self._oldest[0][0]:
            heapq.heappop(self._oldest)
        return max(0, int((now - self._oldest[0][0]).total_seconds())) if self._oldest else 0


def waiting_since(workload: WaitingWorkload) -> datetime | None:
    """None for a workload that does not wait."""
    conditions = workload.status.conditions
    reserved = find_condition(conditions, QUOTA_RESERVED)
    if not workload.spec.active or is_true(conditions, FINISHED):
        return None
    if reserved is None:
        return workload.metadata.creation_timestamp
    if reserved.status == "True":
        return None
    return reserved.last_transition_time or workload.metadata.creation_timestamp
