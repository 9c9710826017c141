"""What a ReplicaSet or ReplicationController should do about its pods, and what it says of them. Pure.

Mirrors upstream's calculateStatus. The condition ReplicaFailure is there exactly while pods can't be made or ended; its
first reason stays until it is gone.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

import msgspec

from argosy.api.objects import Condition, ObjectMeta, Pod, find_condition
from argosy.api.objects.apps import ReplicaSetStatus
from argosy.base.types import Object
from argosy.workloads.apps.availability import is_available, is_ready
from argosy.workloads.apps.statuses import whole_seconds

# Pods made or ended in one go, so that a huge set does not starve the others.
BURST: Final = 500
REPLICA_FAILURE: Final = "ReplicaFailure"


def missing(active: int, wanted: int) -> int:
    """How many pods to make now; a negative number of pods to end."""
    return max(-BURST, min(BURST, wanted - active))


def replica_status(
    meta: ObjectMeta,
    old: ReplicaSetStatus,
    template: Object,
    *,
    wanted: int,
    min_ready_seconds: int,
    active: Sequence[Pod],
    terminating: int | None,
    failure: str | None,
    now: datetime,
) -> ReplicaSetStatus:
    """The status of a set with these pods. `failure` is why pods could not be made or ended, None if they could."""
    labels = ((template.get("metadata") or {}).get("labels") or {}).items()
    labeled = ready = available = 0
    for pod in active:
        labeled += labels <= pod.metadata.labels.items()
        if is_ready(pod):
            ready += 1
            available += not min_ready_seconds or is_available(pod, min_ready_seconds, now)
    return msgspec.structs.replace(
        old,
        replicas=len(active),
        fully_labeled_replicas=labeled,
        ready_replicas=ready,
        available_replicas=available,
        terminating_replicas=terminating,
        observed_generation=meta.generation,
        conditions=_conditions(old, len(active), wanted, failure, now),
    )


def _conditions(
    old: ReplicaSetStatus, active: int, wanted: int, failure: str | None, now: datetime
) -> tuple[Condition, ...]:
    has_failed = find_condition(old.conditions, REPLICA_FAILURE) is not None
    if failure is None:
        if not has_failed:
            return old.conditions
        return tuple(each for each in old.conditions if each.type != REPLICA_FAILURE)
    if has_failed:
        return old.conditions
    reason = "FailedCreate" if active < wanted else "FailedDelete" if active > wanted else ""
    condition = Condition(
        type=REPLICA_FAILURE,
        status="True",
        reason=reason,
        message=failure,
        last_transition_time=whole_seconds(now),
    )
    return (*old.conditions, condition)
