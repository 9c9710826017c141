"""What a Work says, from what came of its manifests."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from argosy.api.objects.fleet.placements import DEFAULT_APPLY, ApplyStrategy, ReportBackStrategy
from argosy.api.objects.fleet.works import (
    ManifestCondition,
    Work,
    Workload,
    WorkResourceIdentifier,
    WorkSpec,
    WorkStatus,
)
from argosy.api.objects.metadata import Condition, ObjectMeta
from argosy.base.types import Object
from argosy.client.resources import CONFIG_MAPS
from argosy.member.applying.manifests import Manifest
from argosy.member.applying.reasons import ResultType
from argosy.member.applying.results import Result
from argosy.member.applying.statuses import (
    applied_work_status,
    with_outcomes,
    work_status,
    work_status_document,
)
from argosy.member.applying.trimming import MOST_BYTES
from argosy.member.availability.outcomes import Counts, Outcome
from argosy.member.availability.tracking import Availability
from argosy.member.comparing.diffing import Difference

NOW = datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=UTC)
LATER = NOW + timedelta(minutes=5)
OK = (ResultType.APPLIED, Availability.AVAILABLE)


def manifest(ordinal: int = 0, name: str = "c") -> Manifest:
    identifier = WorkResourceIdentifier(ordinal, "", "v1", "ConfigMap", "configmaps", "ns", name)
    return Manifest(identifier, {"apiVersion": "v1", "kind": "ConfigMap"}, CONFIG_MAPS)


def result(
    type_: ResultType,
    availability: Availability = Availability.SKIPPED,
    ordinal: int = 0,
    **more: object,
) -> Result:
    found = Result(
        manifest(ordinal, f"c{ordinal}"),
        type_,
        generation=7,
        uid=f"u{ordinal}",
        availability=availability,
    )
    return replace(found, **more)  # type: ignore[arg-type]  # fields of a Result


def work(
    strategy: ApplyStrategy = DEFAULT_APPLY, status: WorkStatus | None = None, **spec: object
) -> Work:
    meta = ObjectMeta(name="w", namespace="fleet-member-m", generation=3)
    return Work(meta, WorkSpec(apply_strategy=strategy, **spec), status or WorkStatus())  # type: ignore[arg-type]  # as above


REPORTING = msgspec.structs.replace(DEFAULT_APPLY, type="ReportDiff")

CASES: dict[str, tuple[ApplyStrategy, list[tuple[ResultType, Availability]], list[str]]] = {
    "all is well": (
        DEFAULT_APPLY, [OK, OK],
        ["Applied True AllManifestsApplied All the specified manifests have been applied",
         "Available True AllManifestsAvailable All of the applied manifests are available"]),
    "nothing to do": (
        DEFAULT_APPLY, [],
        ["Applied True AllManifestsApplied All the specified manifests have been applied",
         "Available True AllManifestsAvailable All of the applied manifests are available"]),
    "drifts that nobody could look for": (
        DEFAULT_APPLY, [(ResultType.APPLIED_DRIFTS_UNKNOWN, Availability.NOT_TRACKABLE)],
        ["Applied True AllManifestsApplied All the specified manifests have been applied",
         "Available True WorkNotTrackable Some of the applied manifests cannot be tracked for availability"]),
    "one is not available yet": (
        DEFAULT_APPLY, [OK, (ResultType.APPLIED, Availability.NOT_YET)],
        ["Applied True AllManifestsApplied All the specified manifests have been applied",
         "Available False SomeManifestsAreNotAvailable Some manifests are not available (1 of 2 manifests are available)"]),
    "one failed": (
        DEFAULT_APPLY, [OK, (ResultType.FOUND_DRIFTS, Availability.SKIPPED)],
        ["Applied False SomeManifestsAreNotApplied Failed to apply all manifests (1 of 2 manifests are applied)"]),
    "diffs are reported": (
        REPORTING, [(ResultType.NO_DIFF_FOUND, Availability.SKIPPED), (ResultType.FOUND_DIFF, Availability.SKIPPED)],
        ["DiffReported True AllManifestsDiffReported All the specified manifests have reported diff"]),
    "a diff in degraded mode is not counted": (
        REPORTING, [(ResultType.FOUND_DIFF_DEGRADED, Availability.SKIPPED)],
        [("DiffReported False SomeManifestsHaveNotReportedDiff "
         "Failed to report diff on all manifests (0 of 1 manifests have reported diff)")]),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_the_conditions_of_a_work(case: str) -> None:
    strategy, found, want = CASES[case]
    results = [result(type_, how, place) for place, (type_, how) in enumerate(found)]
    got = work_status(work(strategy), results, NOW).conditions
    assert [f"{each.type} {each.status} {each.reason} {each.message}" for each in got] == want
    assert {each.observed_generation for each in got} == {3}


ENTRIES: dict[str, tuple[bool, Result, list[str]]] = {
    "applied and available": (
        False, result(*OK),
        ["Applied True Applied Manifest has been applied successfully", "Available True Available Manifest is available"]),
    "applied, and drifts unknown": (
        False, result(ResultType.APPLIED_DRIFTS_UNKNOWN, Availability.NOT_TRACKABLE),
        ["Applied True AppliedWithFailedDriftDetection AppliedWithFailedDriftDetection",
         ("Available True NotTrackable Manifest's availability is not trackable; "
         "Fleet assumes that the applied manifest is available")]),
    "not available yet": (
        False, result(ResultType.APPLIED, Availability.NOT_YET),
        ["Applied True Applied Manifest has been applied successfully",
         "Available False ManifestNotAvailableYet Manifest is not yet available; Fleet will check again later"]),
    "refused": (
        False, result(ResultType.FAILED_TO_APPLY, error="no"),
        ["Applied False ManifestApplyFailed Failed to apply the manifest (error: no)"]),
    "no diff": (
        True, result(ResultType.NO_DIFF_FOUND),
        ["DiffReported True NoDiffFound No diff has been found between the hub cluster and the member cluster"]),
    "a diff in degraded mode": (
        True, result(ResultType.FOUND_DIFF_DEGRADED),
        [("DiffReported True FoundDiffInDegradedMode Diff has been found in degraded mode: cannot perform partial "
         "comparison as the member cluster API server rejected the manifest object (object is invalid)")]),
    "a diff that could not be told": (
        True, result(ResultType.FAILED_TO_REPORT_DIFF, error="no"),
        [("DiffReported False FailedToReportDiff Failed to report the diff between the hub cluster and the member "
         "cluster (error = no)")]),
    "what could not even be read": (
        True, result(ResultType.DECODING_ERRED, error="no"),
        ["DiffReported False FailedToReportDiff An error blocks the diff reporting process (DecodingErred, error: no)"]),
}  # fmt: skip


@pytest.mark.parametrize("case", ENTRIES)
def test_the_conditions_of_a_manifest(case: str) -> None:
    reports, found, want = ENTRIES[case]
    strategy = REPORTING if reports else DEFAULT_APPLY
    (entry,) = work_status(work(strategy), [found], NOW).manifest_conditions
    got = [f"{each.type} {each.status} {each.reason} {each.message}" for each in entry.conditions]
    assert got == want
    assert {each.observed_generation for each in entry.conditions} == {7}


def test_nothing_new_is_said_in_the_same_words() -> None:
    first = work_status(work(), [result(*OK)], NOW)
    again = work_status(work(status=first), [result(*OK)], LATER)
    assert again == first


def test_times_of_transitions_and_first_sights_stay() -> None:
    drifted = result(ResultType.FOUND_DRIFTS, error="x", drifts=(Difference("/a", "1", "2"),))
    first = work_status(work(), [drifted], NOW)
    second = work_status(work(status=first), [drifted], LATER)
    (entry,) = second.manifest_conditions
    assert entry.conditions[0].last_transition_time == NOW.replace(microsecond=0)
    assert entry.drift_details == {
        "observationTime": "2026-01-02T03:09:05Z",
        "firstDriftedObservedTime": "2026-01-02T03:04:05Z",
        "observedInMemberClusterGeneration": 7,
        "observedDrifts": [{"path": "/a", "valueInMember": "1", "valueInHub": "2"}],
    }
    third = work_status(work(status=second), [result(*OK)], LATER)
    (entry,) = third.manifest_conditions
    assert entry.drift_details is None
    assert entry.conditions[0].last_transition_time == LATER.replace(microsecond=0)


def test_what_is_not_there_differs_without_a_generation() -> None:
    missing = result(
        ResultType.FOUND_DIFF, diffs=(Difference("/", "", "(the whole object)"),), generation=None
    )
    (entry,) = work_status(work(REPORTING), [missing], NOW).manifest_conditions
    assert entry.diff_details is not None
    assert "observedInMemberClusterGeneration" not in entry.diff_details


def test_a_manifest_is_followed_by_what_it_is_not_by_its_place() -> None:
    first = work_status(work(), [result(*OK)], NOW)
    moved = replace(result(*OK, 0), manifest=manifest(1, "c0"))
    other = replace(result(ResultType.FAILED_TO_APPLY), manifest=manifest(0, "new"), error="no")
    got = work_status(work(status=first), [other, moved], LATER).manifest_conditions
    assert got[1].identifier.ordinal == 1
    assert got[1].conditions[0].last_transition_time == NOW.replace(microsecond=0)
    assert got[0].conditions[0].last_transition_time == LATER.replace(microsecond=0)


def test_a_job_that_is_over_keeps_what_was_said_of_it() -> None:
    outcome = Outcome("JobComplete", Counts(1), "ab" * 32, generation=7)
    untracked = (ResultType.APPLIED, Availability.NOT_TRACKABLE)
    first = work_status(work(), [result(*untracked, outcome=outcome)], NOW)
    gone = result(*untracked, is_over=True, generation=None)
    assert work_status(work(status=first), [gone], LATER) == first
    # One that is there again, and has not run, has nothing to tell.
    (entry,) = work_status(work(status=first), [result(*untracked)], LATER).manifest_conditions
    assert [each.type for each in entry.conditions] == ["Applied", "Available"]


def test_news_of_jobs_change_nothing_else() -> None:
    first = work_status(work(), [result(*OK), result(*OK, 1)], NOW)
    outcome = Outcome("JobRunning", Counts(active=2))
    known = ("", "v1", "ConfigMap", "ns", "c1")
    got = with_outcomes(first, {known: outcome}, LATER)
    assert got.conditions == first.conditions
    assert got.manifest_conditions[0] == first.manifest_conditions[0]
    assert [each.type for each in got.manifest_conditions[1].conditions] == [
        "Applied",
        "Available",
        "Finished",
    ]


def test_an_object_reports_back_if_the_hub_asks() -> None:
    asks = work(report_back_strategy=ReportBackStrategy("Mirror", "WorkAPI"))
    found = result(*OK, status={"phase": "Active"})
    first = work_status(asks, [found], NOW)
    told = first.manifest_conditions[0].back_reported_status
    assert told == {
        "observedStatus": {"apiVersion": "v1", "kind": "ConfigMap", "status": {"phase": "Active"}},
        "observationTime": "2026-01-02T03:04:05Z",
    }
    assert work_status(msgspec.structs.replace(asks, status=first), [found], LATER) == first
    assert work_status(work(), [found], NOW).manifest_conditions[0].back_reported_status is None


def test_a_work_too_large_tells_less() -> None:
    drifts = tuple(Difference(f"/data/{n}", "x" * 9000, "y" * 9000) for n in range(100))
    found = [result(*OK, place, drifts=drifts) for place in range(2)]
    found.append(result(*OK, 2, drifts=drifts[:1]))
    got = work_status(work(), found, NOW)
    trimmed = got.conditions[-1]
    assert (trimmed.type, trimmed.status, trimmed.reason) == ("StatusTrimmed", "True", "Oversized")
    assert f"bytes over limit {MOST_BYTES})" in trimmed.message
    paths = [each.drift_details["observedDrifts"] for each in got.manifest_conditions]  # type: ignore[index]  # all have some
    assert paths[0] == [
        {
            "path": "/data/0 and 99 more path(s)",
            "valueInMember": "(omitted)",
            "valueInHub": "(omitted)",
        }
    ]
    assert paths[2][0]["path"] == "/data/0"
    small = work_status(work(status=got), [result(*OK)], LATER)
    assert [each.type for each in small.conditions] == ["Applied", "Available"]


def test_large_manifests_count_too() -> None:
    large = Workload((msgspec.Raw(b'"' + b"x" * MOST_BYTES + b'"'),))
    got = work_status(work(workload=large), [result(*OK)], NOW)
    assert got.conditions[-1].type == "StatusTrimmed"


def test_the_documents_are_those_of_the_api() -> None:
    found = result(*OK)
    document = work_status_document(work_status(work(), [found], NOW))
    assert document["manifestConditions"] == [
        {
            "identifier": {
                "ordinal": 0,
                "version": "v1",
                "kind": "ConfigMap",
                "resource": "configmaps",
                "namespace": "ns",
                "name": "c0",
            },
            "conditions": [
                _document("Applied", "Applied", "Manifest has been applied successfully"),
                _document("Available", "Available", "Manifest is available"),
            ],
        }
    ]
    assert work_status_document(WorkStatus())["manifestConditions"] is None


def _document(type_: str, reason: str, message: str) -> Object:
    return {
        "type": type_,
        "status": "True",
        "reason": reason,
        "message": message,
        "observedGeneration": 7,
        "lastTransitionTime": "2026-01-02T03:04:05Z",
    }


def test_an_applied_work_names_what_is_applied() -> None:
    got = applied_work_status([result(*OK), result(ResultType.FOUND_DRIFTS, ordinal=1)])
    assert [(each.ordinal, each.name, each.uid) for each in got.applied_resources] == [
        (0, "c0", "u0")
    ]


def test_a_second_manifest_of_the_same_name_has_no_past() -> None:
    first = work_status(work(), [result(*OK)], NOW)
    twice = replace(result(ResultType.DUPLICATED, error="twice"), manifest=manifest(1, "c0"))
    got = work_status(work(status=first), [result(*OK), twice], LATER)
    said: ManifestCondition = got.manifest_conditions[1]
    assert [each.type for each in said.conditions] == ["Applied"]
    told: Condition = said.conditions[0]
    assert told.last_transition_time == LATER.replace(microsecond=0)
