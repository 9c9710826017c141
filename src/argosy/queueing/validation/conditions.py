"""Conditions, as Kubernetes' own check of them has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from argosy.api.rules.labels import validate_label_name
from argosy.api.rules.names import is_condition_reason
from argosy.base.fielderrors import (
    FieldError,
    duplicate,
    invalid,
    not_supported,
    required,
    too_long,
)
from argosy.base.types import Object

_STATUSES: Final = ("True", "False", "Unknown")
_LONGEST_REASON: Final = 1024
_LONGEST_MESSAGE: Final = 32 * 1024


def validate_conditions(conditions: Sequence[Object], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, condition in enumerate(conditions):
        at, kind = f"{path}[{index}]", condition.get("type") or ""
        if kind in seen:
            errors.append(duplicate(f"{at}.type", kind))
        seen.add(kind)
        errors += _condition_errors(condition, kind, at)
    return errors


def _condition_errors(condition: Object, kind: str, path: str) -> list[FieldError]:
    errors = validate_label_name(kind, f"{path}.type")
    status, reason = condition.get("status") or "", condition.get("reason") or ""
    if status not in _STATUSES:
        errors.append(not_supported(f"{path}.status", status, _STATUSES))
    generation = condition.get("observedGeneration") or 0
    if generation < 0:
        detail = "must be greater than or equal to zero"
        errors.append(invalid(f"{path}.observedGeneration", generation, detail))
    if not condition.get("lastTransitionTime"):
        errors.append(required(f"{path}.lastTransitionTime", "must be set"))
    if not reason:
        errors.append(required(f"{path}.reason", "must be set"))
    else:
        errors += [invalid(f"{path}.reason", reason, text) for text in is_condition_reason(reason)]
        if len(reason) > _LONGEST_REASON:
            errors.append(too_long(f"{path}.reason", _LONGEST_REASON))
    if len(condition.get("message") or "") > _LONGEST_MESSAGE:
        errors.append(too_long(f"{path}.message", _LONGEST_MESSAGE))
    return errors
