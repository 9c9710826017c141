"""What a Work and its AppliedWork say after a pass.

Every manifest has its entry (`entries`), in the order of the Work; the Work's own conditions count them. A pass that
finds nothing new makes the status it found, so it is not written, unless something drifts or differs.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Final

import msgspec

from argosy.api.objects.conditions import (
    condition_documents,
    is_current,
)
from argosy.api.objects.fleet.outcomes import with_outcome
from argosy.api.objects.fleet.placements import REPORT_DIFF
from argosy.api.objects.fleet.works import (
    APPLIED,
    AVAILABLE,
    DIFF_REPORTED,
    AppliedResource,
    AppliedWorkStatus,
    ManifestCondition,
    Work,
    WorkStatus,
)
from argosy.api.objects.metadata import Condition, find_condition
from argosy.base.types import Object
from argosy.member.applying.entries import entry_of, said_of
from argosy.member.applying.manifests import Identity, identity
from argosy.member.applying.reasons import DIFF_REPORTED as DIFF_TOLD
from argosy.member.applying.reasons import ResultType
from argosy.member.applying.results import Result
from argosy.member.applying.trimming import trimmed
from argosy.member.availability.outcomes import Outcome
from argosy.member.availability.tracking import Availability

_MIRROR: Final = "Mirror"


def work_status(work: Work, results: list[Result], now: datetime) -> WorkStatus:
    """What a Work says after these results."""
    now = now.replace(microsecond=0)
    before = by_identity(work.status.manifest_conditions)
    reports = is_reporting(work)
    mirrors = _mirrors(work)
    entries = tuple(
        entry_of(result, _before(result, before), now, reports=reports, mirrors=mirrors)
        for result in results
    )
    status = WorkStatus(_conditions(work, results, now), entries)
    return trimmed(work, status, now)


def is_reporting(work: Work) -> bool:
    """Whether the Work only wants to know what differs."""
    strategy = work.spec.apply_strategy
    return strategy is not None and strategy.type == REPORT_DIFF


def with_outcomes(
    status: WorkStatus, outcomes: dict[Identity, Outcome], now: datetime
) -> WorkStatus:
    """The status with what has become of jobs since."""
    entries = []
    for entry in status.manifest_conditions:
        outcome = outcomes.get(identity(entry.identifier) or ("", "", "", "", ""))
        if outcome is not None:
            conditions = with_outcome(entry.conditions, outcome.condition, now)
            entry = msgspec.structs.replace(entry, conditions=conditions)
        entries.append(entry)
    return msgspec.structs.replace(status, manifest_conditions=tuple(entries))


def by_identity(entries: Iterable[ManifestCondition]) -> dict[Identity, ManifestCondition]:
    return {known: entry for entry in entries if (known := identity(entry.identifier)) is not None}


def applied_work_status(results: Iterable[Result]) -> AppliedWorkStatus:
    """What an AppliedWork says: everything that is applied, with the uid it has here."""
    return AppliedWorkStatus(
        tuple(
            AppliedResource(**msgspec.structs.asdict(result.manifest.identifier), uid=result.uid)
            for result in results
            if result.is_applied
        )
    )


# Documents.


def work_status_document(status: WorkStatus) -> Object:
    """For a merge patch, where no entries at all are to be said in a word of their own."""
    entries = [_entry_document(entry) for entry in status.manifest_conditions]
    return {
        "conditions": condition_documents(status.conditions),
        "manifestConditions": entries or None,
    }


def _entry_document(entry: ManifestCondition) -> Object:
    document: Object = {
        "identifier": msgspec.to_builtins(entry.identifier),
        "conditions": condition_documents(entry.conditions),
    }
    for field, value in (
        ("driftDetails", entry.drift_details),
        ("diffDetails", entry.diff_details),
        ("backReportedStatus", entry.back_reported_status),
    ):
        if value is not None:
            document[field] = value
    return document


def _before(result: Result, before: dict[Identity, ManifestCondition]) -> ManifestCondition | None:
    known = result.manifest.identity
    # A second manifest of the same identity has no past: the first one's is not its own.
    if known is None or result.type is ResultType.DUPLICATED:
        return None
    return before.get(known)


def _mirrors(work: Work) -> bool:
    strategy = work.spec.report_back_strategy
    return strategy is not None and strategy.type == _MIRROR


# The Work.


def _conditions(work: Work, results: list[Result], now: datetime) -> tuple[Condition, ...]:
    said = work.status.conditions
    generation = work.metadata.generation
    reports = is_reporting(work)
    said = said_of(said, APPLIED, None if reports else _all_applied(results), generation, now)
    applied = is_current(find_condition(said, APPLIED), generation, "True")
    said = said_of(said, AVAILABLE, _all_available(results) if applied else None, generation, now)
    return said_of(said, DIFF_REPORTED, _all_diffed(results) if reports else None, generation, now)


def _all_applied(results: list[Result]) -> Condition:
    applied = sum(result.is_applied for result in results)
    if applied == len(results):
        return Condition(
            type=APPLIED,
            status="True",
            reason="AllManifestsApplied",
            message="All the specified manifests have been applied",
        )
    return Condition(
        type=APPLIED,
        status="False",
        reason="SomeManifestsAreNotApplied",
        message=f"Failed to apply all manifests ({applied} of {len(results)} manifests are applied)",
    )


def _all_available(results: list[Result]) -> Condition:
    available = sum(result.availability.is_available for result in results)
    if available < len(results):
        return Condition(
            type=AVAILABLE,
            status="False",
            reason="SomeManifestsAreNotAvailable",
            message=f"Some manifests are not available ({available} of {len(results)} manifests are available)",
        )
    if any(result.availability is Availability.NOT_TRACKABLE for result in results):
        return Condition(
            type=AVAILABLE,
            status="True",
            reason="WorkNotTrackable",
            message="Some of the applied manifests cannot be tracked for availability",
        )
    return Condition(
        type=AVAILABLE,
        status="True",
        reason="AllManifestsAvailable",
        message="All of the applied manifests are available",
    )


def _all_diffed(results: list[Result]) -> Condition:
    told = sum(result.type in DIFF_TOLD for result in results)
    if told == len(results):
        return Condition(
            type=DIFF_REPORTED,
            status="True",
            reason="AllManifestsDiffReported",
            message="All the specified manifests have reported diff",
        )
    return Condition(
        type=DIFF_REPORTED,
        status="False",
        reason="SomeManifestsHaveNotReportedDiff",
        message=f"Failed to report diff on all manifests ({told} of {len(results)} manifests have reported diff)",
    )
