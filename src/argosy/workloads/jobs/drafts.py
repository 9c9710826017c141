"""The next status of a Job, while it is being decided, and the patch that writes it.

A draft starts as the status there is and is changed step by step. `patch` says what differs, as a merge patch that
names the revision it was decided on: if somebody else has written in between, the server refuses it and the Job is
looked at again. That refusal is what keeps counts right when the picture of the Job was old.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from argosy.api.objects import Condition, Job, JobStatus, find_condition
from argosy.base.timestamps import format_time
from argosy.base.types import Object

COMPLETE: Final = "Complete"
FAILED: Final = "Failed"
FAILURE_TARGET: Final = "FailureTarget"
SUCCESS_CRITERIA_MET: Final = "SuccessCriteriaMet"
SUSPENDED: Final = "Suspended"


@dataclass(slots=True)
class Draft:
    """A status in the making."""

    active: int
    ready: int | None
    terminating: int | None
    succeeded: int
    failed: int
    start_time: datetime | None
    completion_time: datetime | None
    completed_indexes: str
    failed_indexes: str | None
    uncounted_succeeded: list[str]
    uncounted_failed: list[str]
    conditions: tuple[Condition, ...]

    @property
    def uncounted(self) -> int:
        return len(self.uncounted_succeeded) + len(self.uncounted_failed)

    def count_untracked(self, tracked: Container[str]) -> None:
        """Move pods that have lost their finalizer from the uncounted into the counters."""
        succeeded = [uid for uid in self.uncounted_succeeded if uid in tracked]
        failed = [uid for uid in self.uncounted_failed if uid in tracked]
        self.succeeded += len(self.uncounted_succeeded) - len(succeeded)
        self.failed += len(self.uncounted_failed) - len(failed)
        self.uncounted_succeeded, self.uncounted_failed = succeeded, failed

    def add_condition(self, added: Condition) -> None:
        self.conditions = (*self.conditions, added)

    def ensure_condition(self, wanted: Condition) -> bool:
        """Add or change the condition of a type; False when there is nothing to do. One that is not there is not
        added to say False.
        """
        there = find_condition(self.conditions, wanted.type)
        if there is None:
            if wanted.status == "False":
                return False
            self.add_condition(wanted)
            return True
        if (there.status, there.reason, there.message) == (
            wanted.status,
            wanted.reason,
            wanted.message,
        ):
            return False
        self.conditions = tuple(wanted if old is there else old for old in self.conditions)
        return True


def draft_of(status: JobStatus) -> Draft:
    uncounted = status.uncounted_terminated_pods
    return Draft(
        active=status.active,
        ready=status.ready,
        terminating=status.terminating,
        succeeded=status.succeeded,
        failed=status.failed,
        start_time=status.start_time,
        completion_time=status.completion_time,
        completed_indexes=status.completed_indexes,
        failed_indexes=status.failed_indexes,
        uncounted_succeeded=list(uncounted.succeeded) if uncounted else [],
        uncounted_failed=list(uncounted.failed) if uncounted else [],
        conditions=status.conditions,
    )


def condition(type_: str, status: str, reason: str, message: str, now: datetime) -> Condition:
    return Condition(
        type=type_,
        status=status,
        reason=reason,
        message=message,
        last_probe_time=now,
        last_transition_time=now,
    )


def patch(job: Job, draft: Draft) -> Object | None:
    """The merge patch that brings the Job's status to the draft; None when it is there already."""
    old = job.status
    before, after = _fields(draft_of(old)), _fields(draft)
    changed = {name: value for name, value in after.items() if value != before[name]}
    if old.uncounted_terminated_pods is None:
        changed.setdefault("uncountedTerminatedPods", {})
    elif not changed:
        return None
    if "uncountedTerminatedPods" in changed:
        changed["uncountedTerminatedPods"] = {
            "succeeded": draft.uncounted_succeeded or None,
            "failed": draft.uncounted_failed or None,
        }
    return {"metadata": {"resourceVersion": job.metadata.resource_version}, "status": changed}


def _fields(draft: Draft) -> Object:
    """A status as JSON, in which None stands for a field that is not there."""
    return {
        "active": draft.active or None,
        "ready": draft.ready,
        "terminating": draft.terminating,
        "succeeded": draft.succeeded or None,
        "failed": draft.failed or None,
        "startTime": _time(draft.start_time),
        "completionTime": _time(draft.completion_time),
        "completedIndexes": draft.completed_indexes or None,
        "failedIndexes": draft.failed_indexes,
        "uncountedTerminatedPods": (draft.uncounted_succeeded, draft.uncounted_failed),
        "conditions": [_condition(each) for each in draft.conditions] or None,
    }


def _condition(each: Condition) -> Object:
    return {
        "type": each.type,
        "status": each.status,
        "lastProbeTime": _time(each.last_probe_time),
        "lastTransitionTime": _time(each.last_transition_time),
        **({"reason": each.reason} if each.reason else {}),
        **({"message": each.message} if each.message else {}),
    }


def _time(when: datetime | None) -> str | None:
    return format_time(when) if when is not None else None
