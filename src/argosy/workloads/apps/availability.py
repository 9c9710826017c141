"""What a set of pods asks of each of its pods: is it wanted, ready, available, and when will it be."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from argosy.api.objects import Condition, Pod


def is_active(pod: Pod) -> bool:
    """Whether the pod counts as a replica."""
    return pod.metadata.deletion_timestamp is None and not pod.is_terminal


def is_terminating(pod: Pod) -> bool:
    return pod.metadata.deletion_timestamp is not None and not pod.is_terminal


def is_ready(pod: Pod) -> bool:
    return _readiness(pod) is not None


def ready_since(pod: Pod) -> datetime | None:
    """When the pod became ready; None if it is not, or nobody said when."""
    found = _readiness(pod)
    return found.last_transition_time if found is not None else None


def is_available(pod: Pod, min_ready_seconds: int, now: datetime) -> bool:
    """Whether the pod has been ready for that long."""
    found = _readiness(pod)
    if found is None or not min_ready_seconds:
        return found is not None
    since = found.last_transition_time
    return since is not None and since + timedelta(seconds=min_ready_seconds) <= now


def seconds_to_next(pods: Iterable[Pod], min_ready_seconds: int, now: datetime) -> float | None:
    """How long until the next of the ready pods becomes available; None if none will by time alone."""
    if not min_ready_seconds:
        return None
    ready = (since for pod in pods if (since := ready_since(pod)) is not None)
    waits = ((since - now).total_seconds() + min_ready_seconds for since in ready)
    return min((wait for wait in waits if wait > 0), default=None)


def _readiness(pod: Pod) -> Condition | None:
    """The condition that says the pod is ready. A plain loop: it runs for every pod of a set, again and again."""
    for condition in pod.status.conditions:
        if condition.type == "Ready":
            return condition if condition.status == "True" else None
    return None
