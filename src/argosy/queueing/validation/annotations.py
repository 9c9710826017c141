"""Annotations of Workloads that have a form: what gates their admission, and what boosts their priority.

`validate_gates` and `validate_gates_update` hold for jobs too, which carry the same annotation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from argosy.api.rules.names import validate_domain_prefixed_path
from argosy.base.fielderrors import FieldError, forbidden, invalid, too_long
from argosy.base.types import Object

ADMISSION_GATED_BY: Final = "kueue.x-k8s.io/admission-gated-by"
PRIORITY_BOOST: Final = "kueue.x-k8s.io/priority-boost"
ELASTIC_JOB: Final = "kueue.x-k8s.io/elastic-job"
REPLACEMENT_FOR: Final = "kueue.x-k8s.io/workload-slice-replacement-for"

_GATES: Final = f"metadata.annotations[{ADMISSION_GATED_BY}]"
_BOOST: Final = f"metadata.annotations[{PRIORITY_BOOST}]"
# As of the managedBy of a Job.
_LONGEST_GATE: Final = 63
_INTEGER: Final = re.compile(r"[+-]?[0-9]+")


def annotations_of(obj: Object) -> Mapping[str, str]:
    found: Mapping[str, str] = (obj.get("metadata") or {}).get("annotations") or {}
    return found


def is_elastic(obj: Object) -> bool:
    return annotations_of(obj).get(ELASTIC_JOB) == "true"


def validate_gates(obj: Object) -> list[FieldError]:
    """The form of the list of gates: names after domains, each once."""
    given = annotations_of(obj).get(ADMISSION_GATED_BY, "")
    errors: list[FieldError] = []
    seen: set[str] = set()
    for gate in _listed(given):
        if not gate:
            errors.append(invalid(_GATES, given, "cannot contain empty gate names"))
        elif gate in seen:
            errors.append(invalid(_GATES, given, f"duplicate gate name: {gate}"))
        else:
            errors += validate_domain_prefixed_path(gate, _GATES)
            if len(gate) > _LONGEST_GATE:
                errors.append(too_long(_GATES, _LONGEST_GATE))
        seen.add(gate)
    return errors


def validate_gates_update(new: Object, old: Object) -> list[FieldError]:
    """Gates are given at creation; later they may only go."""
    before = _listed(annotations_of(old).get(ADMISSION_GATED_BY, ""))
    after = _listed(annotations_of(new).get(ADMISSION_GATED_BY, ""))
    errors: list[FieldError] = []
    if after and not before:
        errors.append(forbidden(_GATES, "cannot add admission gate after creation"))
    elif any(gate not in before for gate in after):
        errors.append(forbidden(_GATES, "can only remove gates, not add new ones"))
    return errors + validate_gates(new)


def _listed(given: str) -> list[str]:
    return [gate.strip() for gate in given.split(",")] if given else []


def validate_boost(obj: Object) -> list[FieldError]:
    given = annotations_of(obj).get(PRIORITY_BOOST)
    if given is None:
        return []
    detail = "must be a valid signed integer"
    if not given:
        detail += '; use "0" explicitly, empty string is not allowed'
    elif _INTEGER.fullmatch(given) and -(2**31) <= int(given) < 2**31:
        return []
    return [invalid(_BOOST, given, detail)]
