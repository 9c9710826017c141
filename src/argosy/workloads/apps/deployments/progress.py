"""What a Deployment says of its rollout: counts, Available, Progressing, ReplicaFailure. Pure.

A rollout progresses when new pods appear, old ones go, or pods become ready or available; every such step starts the
progress deadline again (lastUpdateTime). Once complete it stays so until the next one begins. Reasons and messages are
upstream's (progress.go, sync.go).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, TypeAlias

import msgspec

from argosy.api.objects.apps import (
    Deployment,
    DeploymentCondition,
    DeploymentStatus,
    ReplicaSet,
)
from argosy.workloads.apps.deployments.rollouts import max_unavailable, total
from argosy.workloads.apps.replicasets.counting import REPLICA_FAILURE
from argosy.workloads.apps.statuses import whole_seconds

AVAILABLE: Final = "Available"
PROGRESSING: Final = "Progressing"
TIMED_OUT: Final = "ProgressDeadlineExceeded"
COMPLETE: Final = "NewReplicaSetAvailable"
PAUSED: Final = "DeploymentPaused"

# How "no deadline" and "no limit" are written.
_NO_LIMIT: Final = 2**31 - 1

Conditions: TypeAlias = tuple[DeploymentCondition, ...]


def has_deadline(deployment: Deployment) -> bool:
    return deployment.spec.progress_deadline_seconds not in {None, _NO_LIMIT}


def has_history_limit(deployment: Deployment) -> bool:
    return deployment.spec.revision_history_limit not in {None, _NO_LIMIT}


def condition_of(status: DeploymentStatus, type_: str) -> DeploymentCondition | None:
    return next((each for each in status.conditions if each.type == type_), None)


def with_condition(
    conditions: Conditions, type_: str, status: str, reason: str, message: str, now: datetime
) -> Conditions:
    """A condition set, unless one with this status and reason is there already."""
    now = whole_seconds(now)
    return _with(conditions, DeploymentCondition(type_, status, now, now, reason, message))


def status_of(
    deployment: Deployment, new: ReplicaSet | None, olds: Sequence[ReplicaSet], now: datetime
) -> DeploymentStatus:
    """Counts and availability; whatever else was said before stays."""
    sets = [*olds, new] if new is not None else list(olds)
    available = sum(each.status.available_replicas for each in sets)
    if available >= deployment.spec.replicas - max_unavailable(deployment):
        verdict = ("True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
    else:
        verdict = (
            "False",
            "MinimumReplicasUnavailable",
            "Deployment does not have minimum availability.",
        )
    return DeploymentStatus(
        observed_generation=deployment.metadata.generation,
        replicas=sum(each.status.replicas for each in sets),
        updated_replicas=new.status.replicas if new is not None else 0,
        ready_replicas=sum(each.status.ready_replicas for each in sets),
        available_replicas=available,
        unavailable_replicas=max(0, total(sets) - available),
        terminating_replicas=_terminating(sets),
        conditions=with_condition(deployment.status.conditions, AVAILABLE, *verdict, now),
        collision_count=deployment.status.collision_count,
    )


def rollout_status(
    deployment: Deployment, new: ReplicaSet | None, olds: Sequence[ReplicaSet], now: datetime
) -> DeploymentStatus:
    """As `status_of`, with what there is to say about the rollout."""
    status = status_of(deployment, new, olds, now)
    conditions = status.conditions
    if not has_deadline(deployment):
        conditions = _without(conditions, PROGRESSING)
    else:
        conditions = _progress(deployment, status, new, now)
    failure = _failure(new, olds)
    if failure is not None:
        conditions = _with(conditions, failure)
    else:
        conditions = _without(conditions, REPLICA_FAILURE)
    return msgspec.structs.replace(status, conditions=conditions)


def is_complete(deployment: Deployment, status: DeploymentStatus) -> bool:
    wanted = deployment.spec.replicas
    return (
        status.updated_replicas == wanted
        and status.replicas == wanted
        and status.available_replicas == wanted
        and status.observed_generation >= deployment.metadata.generation
    )


def paused_conditions(deployment: Deployment, now: datetime) -> Conditions | None:
    """The conditions that say a rollout was paused or resumed; None if they do, or need not."""
    if not has_deadline(deployment):
        return None
    present = condition_of(deployment.status, PROGRESSING)
    reason = present.reason if present is not None else ""
    if reason == TIMED_OUT or deployment.spec.paused == (reason == PAUSED):
        return None
    said = (PAUSED, "Deployment is paused")
    if not deployment.spec.paused:
        said = ("DeploymentResumed", "Deployment is resumed")
    return with_condition(deployment.status.conditions, PROGRESSING, "Unknown", *said, now)


def seconds_to_deadline(
    deployment: Deployment, status: DeploymentStatus, now: datetime
) -> float | None:
    """When to look again at a rollout that may be stuck; None if there is no need."""
    present = condition_of(deployment.status, PROGRESSING)
    deadline = deployment.spec.progress_deadline_seconds
    if present is None or deadline is None or not has_deadline(deployment):
        return None
    if is_complete(deployment, status) or present.reason == TIMED_OUT:
        return None
    since = present.last_update_time or now
    # A second more: the condition's time has lost its fraction.
    return max(0.0, (since - now).total_seconds() + deadline) + 1.0


def _progress(
    deployment: Deployment, status: DeploymentStatus, new: ReplicaSet | None, now: datetime
) -> Conditions:
    conditions = status.conditions
    present = condition_of(deployment.status, PROGRESSING)
    is_settled = (
        status.replicas == status.updated_replicas
        and present is not None
        and present.reason == COMPLETE
    )
    if is_settled:
        return conditions
    who = f'ReplicaSet "{new.metadata.name}"' if new else f'Deployment "{deployment.metadata.name}"'
    if is_complete(deployment, status):
        said = ("True", COMPLETE, f"{who} has successfully progressed.")
        return with_condition(conditions, PROGRESSING, *said, now)
    if _has_progressed(deployment.status, status):
        now = whole_seconds(now)
        since = now
        if present is not None and present.status == "True":
            since = present.last_transition_time or now
        made = DeploymentCondition(
            PROGRESSING, "True", now, since, "ReplicaSetUpdated", f"{who} is progressing."
        )
        return _with(_without(conditions, PROGRESSING), made)
    if _is_late(deployment, present, now):
        said = ("False", TIMED_OUT, f"{who} has timed out progressing.")
        return with_condition(conditions, PROGRESSING, *said, now)
    return conditions


def _has_progressed(old: DeploymentStatus, new: DeploymentStatus) -> bool:
    return (
        new.updated_replicas > old.updated_replicas
        or new.replicas - new.updated_replicas < old.replicas - old.updated_replicas
        or new.ready_replicas > old.ready_replicas
        or new.available_replicas > old.available_replicas
    )


def _is_late(deployment: Deployment, present: DeploymentCondition | None, now: datetime) -> bool:
    if present is None or present.reason == COMPLETE:
        return False
    if present.reason == TIMED_OUT:
        return True
    deadline = timedelta(seconds=deployment.spec.progress_deadline_seconds or 0)
    return present.last_update_time is not None and present.last_update_time + deadline < now


def _failure(new: ReplicaSet | None, olds: Sequence[ReplicaSet]) -> DeploymentCondition | None:
    for each in (new, *olds):
        for found in each.status.conditions if each is not None else ():
            if found.type == REPLICA_FAILURE:
                since = found.last_transition_time
                return DeploymentCondition(
                    found.type, found.status, since, since, found.reason, found.message
                )
    return None


def _terminating(sets: Sequence[ReplicaSet]) -> int | None:
    """None while a set that has been looked at does not say."""
    count = 0
    for each in sets:
        if each.status.terminating_replicas is not None:
            count += each.status.terminating_replicas
        elif each.status.observed_generation:
            return None
    return count


def _with(conditions: Conditions, condition: DeploymentCondition) -> Conditions:
    present = next((each for each in conditions if each.type == condition.type), None)
    if present is not None and present.status == condition.status:
        if present.reason == condition.reason:
            return conditions
        condition = msgspec.structs.replace(
            condition, last_transition_time=present.last_transition_time
        )
    return (*_without(conditions, condition.type), condition)


def _without(conditions: Conditions, type_: str) -> Conditions:
    return tuple(each for each in conditions if each.type != type_)
