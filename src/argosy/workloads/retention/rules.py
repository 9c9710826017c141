"""How long finished things stay: by time and by number, so that a busy cluster stays bounded. Pure.

A Job or JobSet that says `ttlSecondsAfterFinished` is none of this: it goes by its own word. One that says nothing goes
by its namespace's, and else by the defaults below; so does a finished pod that nobody manages. What somebody manages (a
CronJob's or JobSet's Jobs, a Job's pods) goes with its owner. A claim holds data, so it goes only if it asks to: with
the annotation `argosy.dev/ttl-seconds-after-completed`, when every pod that used it has ended.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from argosy.api.objects import Condition, Job, ObjectMeta, Pod
from argosy.api.objects.jobsets import JobSet
from argosy.base.durations import parse_duration

# Annotations of a namespace: a Go duration, or a number.
JOB_TTL: Final = "argosy.dev/finished-job-ttl"
JOB_LIMIT: Final = "argosy.dev/finished-job-limit"
POD_TTL: Final = "argosy.dev/finished-pod-ttl"
POD_LIMIT: Final = "argosy.dev/finished-pod-limit"
# Annotations of a claim: seconds, and when its last pod ended.
CLAIM_TTL: Final = "argosy.dev/ttl-seconds-after-completed"
CLAIM_COMPLETED: Final = "argosy.dev/completed-at"

_DAY: Final = 24 * 3600.0
_MOST_DIGITS: Final = 15


@dataclass(frozen=True, slots=True)
class Rule:
    """Seconds a finished object may stay, and how many of a namespace may."""

    seconds: float
    most: int


JOBS_RULE: Final = Rule(_DAY, 1000)
PODS_RULE: Final = Rule(_DAY, 1000)


class BadRule(ValueError):
    """An annotation that cannot be read."""


def rule_of(annotations: Mapping[str, str], ttl: str, limit: str, default: Rule) -> Rule:
    """A namespace's own rule, where its annotations give one. Raises BadRule."""
    seconds, most = default.seconds, default.most
    if (text := annotations.get(ttl)) is not None:
        try:
            seconds = parse_duration(text)
        except ValueError as error:
            raise BadRule(_bad_ttl(ttl, text, str(error))) from error
        if seconds < 0:
            raise BadRule(_bad_ttl(ttl, text, "must not be negative"))
    if (text := annotations.get(limit)) is not None:
        if not is_count(text):
            raise BadRule(f'{limit}: invalid value "{text}": give a number such as "500"')
        most = int(text)
    return Rule(seconds, most)


def is_count(text: str) -> bool:
    """Whether an annotation is a number, and one that a machine can count to."""
    return text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS


def _bad_ttl(annotation: str, text: str, why: str) -> str:
    return f'{annotation}: invalid value "{text}": {why}; give a duration such as "30m" or "24h"'


def job_finished_at(job: Job) -> float | None:
    """When a Job ended that goes by the rules; None for every other."""
    if job.spec.ttl_seconds_after_finished is not None or _is_kept(job.metadata):
        return None
    return _ended(job.status.conditions, "Complete")


def jobset_finished_at(jobset: JobSet) -> float | None:
    """When a JobSet ended that goes by the rules; None for every other."""
    if jobset.spec.ttl_seconds_after_finished is not None or _is_kept(jobset.metadata):
        return None
    return _ended(jobset.status.conditions, "Completed")


def _is_kept(meta: ObjectMeta) -> bool:
    """Whether somebody else decides when an object goes, or has."""
    return meta.controller is not None or meta.deletion_timestamp is not None


def _ended(conditions: Iterable[Condition], well: str) -> float | None:
    for condition in conditions:
        if condition.type in {well, "Failed"} and condition.status == "True":
            when = condition.last_transition_time
            return when.timestamp() if when is not None else None
    return None


def pod_finished_at(pod: Pod) -> float | None:
    """When a pod ended that nobody manages; None for every other."""
    if not pod.is_terminal or _is_kept(pod.metadata):
        return None
    return ended_at(pod)


def ended_at(pod: Pod) -> float:
    """When the last container of a finished pod ended, as far as its status tells."""
    statuses = (*pod.status.container_statuses, *pod.status.init_container_statuses)
    ends = [
        status.state.terminated.finished_at.timestamp()
        for status in statuses
        if status.state.terminated is not None and status.state.terminated.finished_at is not None
    ]
    changes = [
        condition.last_transition_time.timestamp()
        for condition in pod.status.conditions
        if condition.last_transition_time is not None
    ]
    created = pod.metadata.creation_timestamp
    return max(ends or changes, default=created.timestamp() if created is not None else 0.0)
