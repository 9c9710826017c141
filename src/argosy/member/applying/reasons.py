"""What can come of a manifest: upstream's result types, which are the reasons of the conditions people read."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class ResultType(StrEnum):
    """Of applying, or of reporting diffs."""

    DECODING_ERRED = "DecodingErred"
    FOUND_GENERATE_NAME = "FoundGenerateName"
    DUPLICATED = "Duplicated"
    FAILED_TO_FIND = "FailedToFindObjInMemberCluster"
    FAILED_TO_TAKE_OVER = "FailedToTakeOver"
    NOT_TAKEN_OVER = "NotTakenOver"
    FAILED_TO_DETECT_DRIFTS = "FailedToRunDriftDetection"
    FOUND_DRIFTS = "FoundDrifts"
    FOUND_DRIFTS_DEGRADED = "FoundDriftsInDegradedMode"
    FAILED_TO_APPLY = "ManifestApplyFailed"
    APPLIED_DRIFTS_UNKNOWN = "AppliedWithFailedDriftDetection"
    APPLIED = "Applied"
    FAILED_TO_REPORT_DIFF = "FailedToReportDiff"
    NO_DIFF_FOUND = "NoDiffFound"
    FOUND_DIFF = "FoundDiff"
    FOUND_DIFF_DEGRADED = "FoundDiffInDegradedMode"


APPLIED: Final = frozenset({ResultType.APPLIED, ResultType.APPLIED_DRIFTS_UNKNOWN})
# A diff found in degraded mode is told and yet not counted; upstream does not count it.
DIFF_REPORTED: Final = frozenset({ResultType.NO_DIFF_FOUND, ResultType.FOUND_DIFF})
