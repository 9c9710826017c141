"""Kueue's API cases (../shared/fixtures/kueue-api): what a write is told, and what a version becomes in the other.

A line of these files is `{area, test, name, case}`, where `test` names upstream's table and `case` has its fields.
A runner takes such a line and gives back its differences, none when the case passes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from argosy.base.fielderrors import FieldError
from argosy.queueing.conversion import CONVERTERS
from argosy.queueing.validation import (
    Gates,
    validate_cluster_queue,
    validate_cluster_queue_update,
    validate_cohort,
    validate_resource_flavor,
    validate_workload,
    validate_workload_update,
)
from argosy.queueing.validation.quotas import validate_totals
from tests.conformance.comparing import differences, is_empty

_CONVERSION: Final = re.compile(
    r"Test(?P<kind>\w+?)(?P<way>ConvertTo|ConvertFrom|Conversion_RoundTrip(_Reverse)?)$"
)
_GATES: Final = {
    "RejectUpdatesToCQWithInvalidOnFlavors": "reject_updates_to_cq_with_invalid_on_flavors",
    "ElasticJobsViaWorkloadSlices": "elastic_jobs_via_workload_slices",
    "PriorityBoost": "priority_boost",
    "TASValidateWorkloadSliceSize": "tas_validate_workload_slice_size",
    "WorkloadValidateResourcesAreNonNegative": "workload_validate_resources_are_non_negative",
    "WorkloadValidationForPodSetMetadata": "workload_validation_for_pod_set_metadata",
}
# Gates that are on by default and that no case turns off.
_ALWAYS: Final = frozenset({"AdmissionGatedBy", "TopologyAwareScheduling", "PartialAdmission"})
_WORDS: Final = {
    "FieldValueNotFound": "Not found",
    "FieldValueRequired": "Required value",
    "FieldValueDuplicate": "Duplicate value",
    "FieldValueInvalid": "Invalid value",
    "FieldValueNotSupported": "Unsupported value",
    "FieldValueForbidden": "Forbidden",
    "FieldValueTooLong": "Too long",
    "FieldValueTooMany": "Too many",
}
# The field and the kind of error, at the head of each error of an aggregate.
_HEAD: Final = re.compile(
    r"(?:^\[?|, )((?:metadata|spec|status)[^:, ]*: (?:"
    + "|".join(_WORDS.values())
    + r"))(?=[:,\]]|$)"
)
_UP: Final = ("v1beta1", "v1beta2")
_DOWN: Final = ("v1beta2", "v1beta1")


def load(directory: Path, area: str) -> Iterator[dict[str, Any]]:
    """The cases of one area, `validation` or `conversion`."""
    with (directory / f"{area}.jsonl").open() as lines:
        for line in lines:
            yield json.loads(line)


def run_conversion(case: Mapping[str, Any]) -> list[str]:
    """Upstream's ConvertTo goes from v1beta1 to v1beta2, ConvertFrom back; a round trip ends where it began."""
    found = _CONVERSION.match(case["test"])
    if found is None or found["kind"] not in CONVERTERS:
        return [f"nothing here runs {case['test']}"]
    convert, fields = CONVERTERS[found["kind"]], case["case"]
    match found["way"]:
        case "ConvertTo":
            want, got = fields["expected"], convert[_UP](fields["input"])
        case "ConvertFrom":
            want, got = fields["expected"], convert[_DOWN](fields["input"])
        case "Conversion_RoundTrip":
            want = fields["v1beta1Obj"]
            got = convert[_DOWN](convert[_UP](want))
        case _:
            want = fields["v1beta2Obj"]
            got = convert[_UP](convert[_DOWN](want))
    return differences(said(want), said(got))


def said(value: Any) -> Any:
    """A value without what says nothing: upstream's structs print zeros where objects have no field."""
    match value:
        case dict():
            fields = {name: said(field) for name, field in value.items() if name != "apiVersion"}
            return {name: field for name, field in fields.items() if not is_empty(field)}
        case list():
            return [said(item) for item in value]
        case _:
            return value


def run_validation(case: Mapping[str, Any]) -> list[str]:
    """Upstream's tables compare kind and field of each error, in order; where they name a value or detail, that too."""
    fields = case["case"]
    if isinstance(fields.get("wantErr"), bool):
        got = bool(validate_totals(_groups(fields), "spec.resourceGroups"))
        return differences(fields["wantErr"], got, "wantErr")
    gates, unknown = _gates(fields.get("featureGates") or {})
    if unknown:
        return unknown
    errors = _errors(case["test"], fields, gates)
    if errors is None:
        return [f"nothing here runs {case['test']}"]
    found = differences(_wanted(fields.get("wantErr")), _heads(errors), "wantErr")
    found += differences(fields.get("wantWarnings"), [], "wantWarnings")
    if errors and fields.get("wantBadValue"):
        found += differences(fields["wantBadValue"], str(errors[0].value), "wantBadValue")
    if errors and fields.get("wantDetail"):
        found += differences(fields["wantDetail"], errors[0].detail, "wantDetail")
    return found


def _errors(test: str, fields: dict[str, Any], gates: Gates) -> list[FieldError] | None:
    match test:
        case "TestValidateClusterQueue":
            return validate_cluster_queue(fields["clusterQueue"])
        case "TestValidateClusterQueueUpdate":
            return validate_cluster_queue_update(
                fields["newClusterQueue"], fields["oldClusterQueue"], gates
            )
        case "TestValidateCohort":
            return validate_cohort(fields["cohort"])
        case "TestValidateResourceFlavor":
            return validate_resource_flavor(fields["rf"])
        case "TestValidateWorkload":
            return validate_workload(fields["workload"], gates)
        case "TestValidateWorkloadUpdate":
            return validate_workload_update(fields["after"], fields["before"], gates)
        case _:
            return None


def _gates(given: dict[str, bool]) -> tuple[Gates, list[str]]:
    known = {_GATES[name]: on for name, on in given.items() if name in _GATES}
    unknown = [
        f"nothing here knows the gate {name}={on}"
        for name, on in given.items()
        if name not in _GATES and not (on and name in _ALWAYS)
    ]
    return Gates(**known), unknown


def _groups(fields: dict[str, Any]) -> list[dict[str, Any]]:
    """A resource group of so many flavors and resources."""
    resources = [{"name": f"r{n}"} for n in range(fields.get("numResources") or 0)]
    flavors = [
        {"name": f"f{n}", "resources": resources} for n in range(fields.get("numFlavors") or 0)
    ]
    covered = [f"r{n}" for n in range(fields.get("numCoveredRes") or 0)]
    return [{"coveredResources": covered, "flavors": flavors}]


def _heads(errors: list[FieldError]) -> list[str]:
    unique = {str(error): f"{error.field}: {_WORDS[error.reason]}" for error in errors}
    return list(unique.values())


def _wanted(want: Any) -> list[str]:
    if isinstance(want, dict):
        return _HEAD.findall(want["$error"])
    return [f"{error['Field']}: {_WORDS[error['Type']]}" for error in want or ()]
