"""How long to wait before a failed pod is replaced: 10 s, doubling with every failure, at most 10 minutes.

Without limits per index the whole Job waits: failures are counted since the last success, and the time runs from the
last failure (`BackoffRecord`). The record lives in memory only, as upstream: after a restart the wait begins anew. With
limits per index every index waits by itself, by the count its pods carry in their annotations.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from argosy.api.objects import ContainerStatus, Pod, find_condition
from argosy.base.durations import LONGEST_SECONDS

FIRST_SECONDS: Final = 10.0
MOST_SECONDS: Final = 600.0
_DOUBLINGS: Final = 6

FAILURE_COUNT: Final = "batch.kubernetes.io/job-index-failure-count"
IGNORED_FAILURE_COUNT: Final = "batch.kubernetes.io/job-index-ignored-failure-count"

_NEVER: Final = datetime.min.replace(tzinfo=UTC)
_MAX_INT32: Final = 2**31 - 1


class BackoffRecord(NamedTuple):
    """Failures since the last success, and when the last of them was."""

    failures: int = 0
    last_failure: datetime | None = None

    def remaining(self, now: datetime) -> float:
        return remaining(self.failures, self.last_failure, now)


NO_FAILURES: Final = BackoffRecord()


def after(record: BackoffRecord, succeeded: Iterable[Pod], failed: Iterable[Pod]) -> BackoffRecord:
    """The record once these pods, which have ended since it was made, are taken in."""
    failures = sorted(map(finished_at, failed))
    last_success = max(map(finished_at, succeeded), default=None)
    if last_success is not None:
        failures = [when for when in failures if when > last_success]
        return BackoffRecord(len(failures), failures[-1] if failures else None)
    if not failures:
        return record
    return BackoffRecord(record.failures + len(failures), failures[-1])


def remaining(failures: int, last_failure: datetime | None, now: datetime) -> float:
    """Seconds until the next pod may be made."""
    if not failures or last_failure is None:
        return 0.0
    pause = min(FIRST_SECONDS * (1 << min(failures - 1, _DOUBLINGS)), MOST_SECONDS)
    return max(0.0, pause - (now - last_failure).total_seconds())


def remaining_of_index(last_failed: Pod | None, now: datetime) -> float:
    """Seconds until the index of a failed pod may have another."""
    if last_failed is None:
        return 0.0
    return remaining(absolute_failure_count(last_failed) + 1, finished_at(last_failed), now)


def failure_count(pod: Pod) -> int:
    """How many pods of this pod's index failed before it."""
    return _count(pod, FAILURE_COUNT)


def ignored_failure_count(pod: Pod) -> int:
    """How many more failed whose failure a policy ignored."""
    return _count(pod, IGNORED_FAILURE_COUNT)


def absolute_failure_count(pod: Pod) -> int:
    return failure_count(pod) + ignored_failure_count(pod)


def finished_at(pod: Pod) -> datetime:
    """When a pod ended: by its containers, its readiness, its deletion or, for want of better, its creation."""
    ended = _containers_ended(pod)
    if ended is not None:
        return ended
    ready = find_condition(pod.status.conditions, "Ready")
    if ready is not None and ready.status == "False" and ready.last_transition_time is not None:
        return ready.last_transition_time
    meta = pod.metadata
    if meta.deletion_timestamp is not None:
        grace = min(meta.deletion_grace_period_seconds or 0, LONGEST_SECONDS)
        return meta.deletion_timestamp - timedelta(seconds=grace)
    return meta.creation_timestamp or _NEVER


def _containers_ended(pod: Pod) -> datetime | None:
    """The end of the last container or sidecar; None when one has not ended or there are none."""
    ended = _latest(pod.status.container_statuses, None)
    sidecars = {
        container.name
        for container in pod.spec.init_containers
        if container.restart_policy == "Always"
    }
    if not sidecars:
        return ended
    statuses = pod.status.init_container_statuses
    return _latest((status for status in statuses if status.name in sidecars), ended)


def _latest(statuses: Iterable[ContainerStatus], before: datetime | None) -> datetime | None:
    latest = before
    for status in statuses:
        terminated = status.state.terminated
        if terminated is None or terminated.finished_at is None:
            return None
        if latest is None or latest < terminated.finished_at:
            latest = terminated.finished_at
    return latest


def _count(pod: Pod, annotation: str) -> int:
    try:
        count = int(pod.metadata.annotations.get(annotation, "0"))
    except ValueError:
        return 0
    return count if 0 <= count <= _MAX_INT32 else 0
