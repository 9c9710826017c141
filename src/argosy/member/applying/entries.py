"""What a Work says of one manifest.

What was said of it before is taken over, so conditions keep the time of their last change, drifts and diffs the time
they were first seen. The conditions speak of the generation of the member's object. While there are drifts or diffs the
time of the look is told anew; otherwise a look that finds nothing new makes the entry it found.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

import msgspec

from argosy.api.objects.conditions import with_condition, without_conditions
from argosy.api.objects.fleet.outcomes import with_outcome
from argosy.api.objects.fleet.works import (
    APPLIED,
    AVAILABLE,
    DIFF_REPORTED,
    FINISHED,
    ManifestCondition,
)
from argosy.api.objects.metadata import Condition, find_condition
from argosy.base.timestamps import format_time
from argosy.base.types import Object
from argosy.member.applying.reasons import ResultType
from argosy.member.applying.results import Result
from argosy.member.availability.outcomes import has_finished
from argosy.member.availability.tracking import Availability
from argosy.member.comparing.diffing import Difference
from argosy.member.comparing.hashing import manifest_hash

_APPLIED: Final = {
    ResultType.APPLIED: "Manifest has been applied successfully",
    ResultType.APPLIED_DRIFTS_UNKNOWN: "AppliedWithFailedDriftDetection",
}
_AVAILABLE: Final = {
    Availability.AVAILABLE: "Manifest is available",
    Availability.NOT_TRACKABLE: (
        "Manifest's availability is not trackable; Fleet assumes that the applied manifest is available"
    ),
    Availability.NOT_YET: "Manifest is not yet available; Fleet will check again later",
}
_DIFFED: Final = {
    ResultType.NO_DIFF_FOUND: "No diff has been found between the hub cluster and the member cluster",
    ResultType.FOUND_DIFF: "Diff has been found between the hub cluster and the member cluster",
    ResultType.FOUND_DIFF_DEGRADED: (
        "Diff has been found in degraded mode: cannot perform partial comparison as the member cluster API server "
        "rejected the manifest object (object is invalid)"
    ),
}

# Nothing was learned of the object.
_UNSEEN: Final = frozenset({ResultType.FAILED_TO_FIND, ResultType.DECODING_ERRED})


def entry_of(
    result: Result, before: ManifestCondition | None, now: datetime, *, reports: bool, mirrors: bool
) -> ManifestCondition:
    """The entry after this result. `reports`: diffs only; `mirrors`: with the object's own status."""
    said = before.conditions if before is not None else ()
    if result.is_over and before is not None:
        generation = _generation(said)
    else:
        generation = result.generation or 0
    for type_, condition in (
        (APPLIED, None if reports else _applied(result)),
        (AVAILABLE, _available(result)),
        (DIFF_REPORTED, _diffed(result) if reports else None),
    ):
        said = said_of(said, type_, condition, generation, now)
    if result.outcome is not None:
        said = with_outcome(said, result.outcome.condition, now)
    elif not result.is_over and not _may_have_run(result, said):
        said = without_conditions(said, (FINISHED,))
    return ManifestCondition(
        result.manifest.identifier,
        said,
        _details(result.drifts, before.drift_details if before else None, "Drift", result, now),
        _details(result.diffs, before.diff_details if before else None, "Diff", result, now),
        _reported_back(result, before, now) if mirrors else None,
    )


def _may_have_run(result: Result, said: tuple[Condition, ...]) -> bool:
    """Whether an end that was told before is still the end of this manifest's job, which is not there. What cannot be
    seen for a moment, and what is only compared, has not changed: it must not be run again for that.
    """
    if result.type in _UNSEEN:
        return True
    return not result.uid and has_finished(said, manifest_hash(result.manifest.obj))


def _generation(said: tuple[Condition, ...]) -> int:
    applied = find_condition(said, APPLIED)
    return applied.observed_generation if applied is not None else 0


def said_of(
    said: tuple[Condition, ...],
    type_: str,
    condition: Condition | None,
    generation: int,
    now: datetime,
) -> tuple[Condition, ...]:
    if condition is None:
        return without_conditions(said, (type_,))
    dated = msgspec.structs.replace(condition, observed_generation=generation)
    return with_condition(said, dated, now)


def _applied(result: Result) -> Condition:
    message = _APPLIED.get(result.type)
    if message is not None:
        return Condition(type=APPLIED, status="True", reason=result.type, message=message)
    message = f"Failed to apply the manifest (error: {result.error})"
    return Condition(type=APPLIED, status="False", reason=result.type, message=message)


def _available(result: Result) -> Condition | None:
    found = result.availability
    if found is Availability.SKIPPED:
        return None
    status = "True" if found.is_available else "False"
    return Condition(type=AVAILABLE, status=status, reason=found, message=_AVAILABLE[found])


def _diffed(result: Result) -> Condition:
    message = _DIFFED.get(result.type)
    if message is not None:
        return Condition(type=DIFF_REPORTED, status="True", reason=result.type, message=message)
    if result.type is ResultType.FAILED_TO_REPORT_DIFF:
        message = (
            "Failed to report the diff between the hub cluster and the member cluster "
            f"(error = {result.error})"
        )
    else:
        message = (
            f"An error blocks the diff reporting process ({result.type}, error: {result.error})"
        )
    reason = ResultType.FAILED_TO_REPORT_DIFF
    return Condition(type=DIFF_REPORTED, status="False", reason=reason, message=message)


def _details(
    found: tuple[Difference, ...], before: Object | None, what: str, result: Result, now: datetime
) -> Object | None:
    """Drift or diff details. What differs in an object that is not there has no generation."""
    if not found:
        return None
    first = f"first{what}edObservedTime"
    details: Object = {
        "observationTime": format_time(now),
        first: (before or {}).get(first) or format_time(now),
        f"observed{what}s": [msgspec.to_builtins(each) for each in found],
    }
    if result.generation is not None or what == "Drift":
        details["observedInMemberClusterGeneration"] = result.generation or 0
    return details


def _reported_back(
    result: Result, before: ManifestCondition | None, now: datetime
) -> Object | None:
    if result.status is None:
        return None
    source = result.manifest.obj
    observed = {
        "apiVersion": source["apiVersion"],
        "kind": source["kind"],
        "status": result.status,
    }
    told = before.back_reported_status if before is not None else None
    if told is not None and told.get("observedStatus") == observed:
        return told
    return {"observedStatus": observed, "observationTime": format_time(now)}
