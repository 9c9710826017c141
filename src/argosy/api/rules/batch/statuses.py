"""The status of a Job: which states make sense, and which steps between them.

Anyone may be a job's controller (`managedBy`), so the server holds every writer to what clients rely on: a finished job
stays finished, has a start and no running pods; counters do not go back; indexes are well formed. Most rules ask only
about what this update changes, so that a status that was wrong before can still be written.
"""

from __future__ import annotations

from typing import Final

from argosy.api.rules.batch.indexes import IndexesError, count_indexes, first_overlap
from argosy.api.rules.controllers import validate_not_negative, without_value
from argosy.api.rules.metadata import validate_metadata_update
from argosy.api.rules.wording import IMMUTABLE, printed
from argosy.base.fielderrors import FieldError, duplicate, invalid, required
from argosy.base.timestamps import parse_time
from argosy.base.types import Object

_COUNTS: Final = ("active", "succeeded", "failed", "ready", "terminating")
_CONDITIONS: Final = "status.conditions"


def _true_conditions(status: Object) -> frozenset[str]:
    return frozenset(
        condition.get("type", "")
        for condition in status.get("conditions") or ()
        if condition.get("status") == "True"
    )


class _Step:
    """One update of a status: what it was, what it becomes, and what of it changes."""

    __slots__ = ("now", "spec", "status", "stored", "was")

    def __init__(self, new: Object, old: Object) -> None:
        self.spec: Object = new.get("spec") or {}
        self.status: Object = new.get("status") or {}
        self.stored: Object = old.get("status") or {}
        self.now = _true_conditions(self.status)
        self.was = _true_conditions(self.stored)

    def changes(self, *fields: str) -> bool:
        return any(self.status.get(field) != self.stored.get(field) for field in fields)

    def turns(self, *conditions: str) -> bool:
        """Whether one of these conditions becomes true, or stops being so."""
        return any((kind in self.now) != (kind in self.was) for kind in conditions)

    @property
    def finished(self) -> bool:
        return bool(self.now & {"Complete", "Failed"})

    @property
    def turns_finished(self) -> bool:
        return self.finished != bool(self.was & {"Complete", "Failed"})

    @property
    def resumes(self) -> bool:
        return "Suspended" in self.was and any(
            condition.get("type") == "Suspended" and condition.get("status") == "False"
            for condition in self.status.get("conditions") or ()
        )


def validate_job_status(new: Object, old: Object) -> list[FieldError]:
    step = _Step(new, old)
    errors = validate_metadata_update(new, old)
    errors += validate_not_negative(step.status, _COUNTS, "status")
    errors += _validate_uncounted(step.status.get("uncountedTerminatedPods") or {})
    errors += _validate_ends(step)
    errors += _validate_finished(step)
    errors += _validate_indexes(step)
    errors += _validate_pods(step)
    errors += _validate_criteria(step)
    errors += _validate_transition(step)
    return errors


def _validate_uncounted(pods: Object) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[str] = set()
    for field in ("succeeded", "failed"):
        for index, uid in enumerate(pods.get(field) or ()):
            at = f"status.uncountedTerminatedPods.{field}[{index}]"
            if not uid:
                errors.append(invalid(at, uid, "must not be empty"))
            elif uid in seen:
                errors.append(duplicate(at, uid))
            seen.add(uid)
    return errors


def _validate_ends(step: _Step) -> list[FieldError]:
    """Conditions of a finished job, and when it completed."""
    errors: list[FieldError] = []
    now, status = step.now, step.status
    complete = "Complete" in now
    path = "status.completionTime"
    started, ended = status.get("startTime"), status.get("completionTime")
    if step.turns("Complete", "Failed") and complete and "Failed" in now:
        detail = "cannot set Complete=True and Failed=true conditions"
        errors.append(without_value(_CONDITIONS, detail))
    if step.turns("Complete", "FailureTarget") and complete and "FailureTarget" in now:
        detail = "cannot set Complete=True and FailureTarget=true conditions"
        errors.append(without_value(_CONDITIONS, detail))
    if step.turns("Complete") or step.changes("completionTime"):
        if ended is not None and not complete:
            detail = "cannot set completionTime when there is no Complete=True condition"
            errors.append(invalid(path, ended, detail))
        if ended is None and complete:
            errors.append(required(path, "completionTime is required for Complete jobs"))
    if (
        step.changes("startTime", "completionTime")
        and started is not None
        and ended is not None
        and parse_time(ended) < parse_time(started)
    ):
        errors.append(invalid(path, ended, "must be equal to or after `startTime`"))
    if (
        (step.turns("Failed") or step.changes("failedIndexes"))
        and "Failed" in now
        and "FailureTarget" not in now
    ):
        detail = "cannot set Failed=True condition without the FailureTarget=true condition"
        errors.append(without_value(_CONDITIONS, detail))
    if (
        step.turns("Complete", "SuccessCriteriaMet")
        and complete
        and "SuccessCriteriaMet" not in now
    ):
        detail = "cannot set Complete=True condition without the SuccessCriteriaMet=true condition"
        errors.append(without_value(_CONDITIONS, detail))
    return errors


def _validate_finished(step: _Step) -> list[FieldError]:
    if not step.finished:
        return []
    errors: list[FieldError] = []
    status, turned = step.status, step.turns_finished
    active = status.get("active") or 0
    if (turned or step.changes("active")) and active > 0:
        errors.append(invalid("status.active", active, "active>0 is invalid for finished job"))
    nothing_to_do = step.spec.get("suspend") is True and step.spec.get("completions") == 0
    if (
        (turned or step.changes("startTime"))
        and not nothing_to_do
        and status.get("startTime") is None
    ):
        errors.append(required("status.startTime", "startTime is required for finished job"))
    pods: Object = status.get("uncountedTerminatedPods") or {}
    if (turned or step.changes("uncountedTerminatedPods")) and (
        pods.get("failed") or pods.get("succeeded")
    ):
        shown = printed(
            {"Succeeded": pods.get("succeeded") or None, "Failed": pods.get("failed") or None}
        )
        detail = "must be empty for finished job"
        errors.append(invalid("status.uncountedTerminatedPods", shown, detail))
    return errors


def _validate_indexes(step: _Step) -> list[FieldError]:
    errors: list[FieldError] = []
    status, spec = step.status, step.spec
    completions, per_index = spec.get("completions"), spec.get("backoffLimitPerIndex")
    completed, failed = status.get("completedIndexes") or "", status.get("failedIndexes")
    completed_changed = completed != (step.stored.get("completedIndexes") or "")
    failed_changed = step.changes("failedIndexes")
    if completed_changed and completions is not None:
        errors += _validate_format(completed, completions, "completedIndexes")
    if failed_changed and completions is not None and per_index is not None and failed is not None:
        errors += _validate_format(failed, completions, "failedIndexes")
    if completed_changed and completed and spec.get("completionMode") != "Indexed":
        detail = "cannot set non-empty completedIndexes when non-indexed completion mode"
        errors.append(invalid("status.completedIndexes", completed, detail))
    if failed_changed and per_index is None and failed is not None:
        detail = "cannot set non-null failedIndexes when backoffLimitPerIndex is null"
        errors.append(invalid("status.failedIndexes", failed, detail))
    if (completed_changed or failed_changed) and completions is not None and failed is not None:
        overlap = first_overlap(completed, failed, completions)
        if overlap is not None:
            detail = f"failedIndexes and completedIndexes overlap at index: {overlap}"
            errors.append(invalid("status.failedIndexes", failed, detail))
    return errors


def _validate_format(text: str, completions: int, field: str) -> list[FieldError]:
    try:
        count_indexes(text, completions)
    except IndexesError as error:
        return [invalid(f"status.{field}", text, f"error parsing {field}: {error}")]
    return []


def _validate_pods(step: _Step) -> list[FieldError]:
    errors: list[FieldError] = []
    terminating, ready = step.status.get("terminating") or 0, step.status.get("ready") or 0
    if (step.turns_finished or step.changes("terminating")) and step.finished and terminating > 0:
        detail = "terminating>0 is invalid for finished job"
        errors.append(invalid("status.terminating", terminating, detail))
    if step.changes("ready", "active") and ready > (step.status.get("active") or 0):
        errors.append(invalid("status.ready", ready, "cannot set more ready pods than active"))
    return errors


def _validate_criteria(step: _Step) -> list[FieldError]:
    now = step.now
    met = "SuccessCriteriaMet" in now
    errors = [
        without_value(_CONDITIONS, f"cannot set SuccessCriteriaMet=True and {kind}=true conditions")
        for kind in ("Failed", "FailureTarget")
        if met and kind in now
    ]
    if step.spec.get("successPolicy") is not None and not met and "Complete" in now:
        detail = (
            "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True"
        )
        errors.append(without_value(_CONDITIONS, detail))
    return errors


def _validate_transition(step: _Step) -> list[FieldError]:
    status, stored, spec = step.status, step.stored, step.spec
    errors = [
        without_value(_CONDITIONS, f"cannot disable the terminal {kind}=True condition")
        for kind in ("Failed", "Complete", "FailureTarget")
        if kind in step.was and kind not in step.now
    ]
    # An elastic job that shrinks forgets what the indexes it loses have done.
    elastic = spec.get("completionMode") == "Indexed" and spec.get("completions") == spec.get(
        "parallelism"
    )
    errors += [
        invalid(f"status.{field}", count, f"cannot decrease the {field} counter")
        for field in (("failed",) if elastic else ("failed", "succeeded"))
        if (count := status.get(field) or 0) < (stored.get(field) or 0)
    ]
    ended, was_ended = status.get("completionTime"), stored.get("completionTime")
    if ended is not None and was_ended is not None and ended != was_ended:
        errors.append(invalid("status.completionTime", ended, IMMUTABLE))
    if (
        stored.get("startTime") is not None
        and step.changes("startTime")
        and not step.resumes
        and not spec.get("suspend")
    ):
        detail = "startTime cannot be removed for unsuspended job"
        errors.append(required("status.startTime", detail))
    met, was_met = "SuccessCriteriaMet" in step.now, "SuccessCriteriaMet" in step.was
    if was_met and not met:
        detail = "cannot disable the SuccessCriteriaMet=True condition"
        errors.append(without_value(_CONDITIONS, detail))
    if "Complete" in step.was and not was_met and met:
        detail = "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions"
        errors.append(without_value(_CONDITIONS, detail))
    return errors
