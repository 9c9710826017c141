"""When a failed pod fails the job (podFailurePolicy), and when enough indexes make it succeed (successPolicy)."""

from __future__ import annotations

from typing import Final

from argosy.api.rules.batch.indexes import IndexesError, count_indexes
from argosy.api.rules.controllers import validate_not_negative, without_value
from argosy.api.rules.names import is_qualified_name
from argosy.api.rules.wording import Printed, printed
from argosy.base.fielderrors import (
    FieldError,
    duplicate,
    invalid,
    not_supported,
    quote,
    required,
    too_long,
    too_many,
)
from argosy.base.types import Object

_MAX_RULES: Final = 20
_MAX_EXIT_CODES: Final = 255
_MAX_PATTERNS: Final = 20
_MAX_INDEXES_LENGTH: Final = 64 * 1024
_ACTIONS: Final = ("Count", "FailIndex", "FailJob", "Ignore")
_OPERATORS: Final = ("In", "NotIn")
_STATUSES: Final = ("False", "True", "Unknown")


def _one_of(path: str, value: str, allowed: tuple[str, ...]) -> list[FieldError]:
    if not value:
        shown = " ".join(quote(text) for text in allowed)
        return [required(path, f"valid values: [{shown}]")]
    return [] if value in allowed else [not_supported(path, value, allowed)]


def validate_failure_policy(spec: Object, path: str) -> list[FieldError]:
    rules = spec["podFailurePolicy"].get("rules") or []
    path = f"{path}.rules"
    errors = [too_many(path, len(rules), _MAX_RULES)] if len(rules) > _MAX_RULES else []
    pod: Object = (spec.get("template") or {}).get("spec") or {}
    names = {
        container.get("name", "")
        for kind in ("containers", "initContainers")
        for container in pod.get(kind) or ()
    }
    per_index = spec.get("backoffLimitPerIndex") is not None
    for index, rule in enumerate(rules):
        errors += _validate_failure_rule(rule, f"{path}[{index}]", names, per_index=per_index)
    return errors


def _validate_failure_rule(
    rule: Object, path: str, names: set[str], *, per_index: bool
) -> list[FieldError]:
    action = rule.get("action", "")
    if action == "FailIndex":
        detail = "requires the backoffLimitPerIndex to be set"
        errors = [] if per_index else [invalid(f"{path}.action", action, detail)]
    else:
        errors = _one_of(f"{path}.action", action, _ACTIONS)
    codes, patterns = rule.get("onExitCodes"), rule.get("onPodConditions") or []
    if codes is not None:
        errors += _validate_exit_codes(codes, f"{path}.onExitCodes", names)
    if patterns:
        errors += _validate_patterns(patterns, f"{path}.onPodConditions")
    if codes is not None and patterns:
        detail = "specifying both OnExitCodes and OnPodConditions is not supported"
        errors.append(without_value(path, detail))
    elif codes is None and not patterns:
        detail = "specifying one of OnExitCodes and OnPodConditions is required"
        errors.append(without_value(path, detail))
    return errors


def _validate_patterns(patterns: list[Object], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if len(patterns) > _MAX_PATTERNS:
        errors.append(too_many(path, len(patterns), _MAX_PATTERNS))
    for index, pattern in enumerate(patterns):
        at = f"{path}[{index}]"
        kind = pattern.get("type", "")
        errors += [invalid(f"{at}.type", kind, text) for text in is_qualified_name(kind)]
        errors += _one_of(f"{at}.status", pattern.get("status", ""), _STATUSES)
    return errors


def _validate_exit_codes(codes: Object, path: str, names: set[str]) -> list[FieldError]:
    operator = codes.get("operator", "")
    errors = _one_of(f"{path}.operator", operator, _OPERATORS)
    container = codes.get("containerName")
    if container is not None and container not in names:
        detail = "must be one of the container or initContainer names in the pod template"
        errors.append(invalid(f"{path}.containerName", container, detail))
    values: list[int] = codes.get("values") or []
    path = f"{path}.values"
    if not values:
        errors.append(invalid(path, [], "at least one value is required"))
    elif len(values) > _MAX_EXIT_CODES:
        errors.append(too_many(path, len(values), _MAX_EXIT_CODES))
    seen: set[int] = set()
    for index, value in enumerate(values):
        at = f"{path}[{index}]"
        if operator == "In" and value == 0:
            errors.append(invalid(at, value, "must not be 0 for the In operator"))
        if value in seen:
            errors.append(duplicate(at, value))
        seen.add(value)
    if values != sorted(values):
        errors.append(invalid(path, values, "must be ordered"))
    return errors


def validate_success_policy(spec: Object, path: str) -> list[FieldError]:
    rules = spec["successPolicy"].get("rules") or []
    path = f"{path}.rules"
    errors: list[FieldError] = []
    if not rules:
        detail = "at least one rules must be specified when the successPolicy is specified"
        errors.append(required(path, detail))
    if len(rules) > _MAX_RULES:
        errors.append(too_many(path, len(rules), _MAX_RULES))
    for index, rule in enumerate(rules):
        errors += _validate_success_rule(rule, spec.get("completions") or 0, f"{path}[{index}]")
    return errors


def _validate_success_rule(rule: Object, completions: int, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    count, indexes = rule.get("succeededCount"), rule.get("succeededIndexes")
    if count is None and indexes is None:
        detail = "at least one of succeededCount or succeededIndexes must be specified"
        errors.append(required(path, detail))
    total = 0
    if indexes is not None:
        at = f"{path}.succeededIndexes"
        if len(indexes) > _MAX_INDEXES_LENGTH:
            errors.append(too_long(at, _MAX_INDEXES_LENGTH))
        try:
            total = count_indexes(indexes, completions)
        except IndexesError as error:
            errors.append(invalid(at, indexes, f"error parsing succeededIndexes: {error}"))
    if count is not None:
        at = f"{path}.succeededCount"
        errors += validate_not_negative(rule, ("succeededCount",), path)
        if count > completions:
            detail = (
                f"must be less than or equal to {completions} (the number of specified completions)"
            )
            errors.append(invalid(at, count, detail))
        if indexes is not None and count > total:
            detail = (
                f"must be less than or equal to {total} (the number of indexes in the specified "
                "succeededIndexes field)"
            )
            errors.append(invalid(at, count, detail))
    return errors


def printed_failure_policy(policy: Object | None) -> Printed:
    if policy is None:
        return printed(None)
    return printed({"Rules": [_inner_rule(rule) for rule in policy.get("rules") or ()] or None})


def _inner_rule(rule: Object) -> Object:
    codes = rule.get("onExitCodes")
    patterns = rule.get("onPodConditions") or ()
    return {
        "Action": rule.get("action", ""),
        "OnExitCodes": codes
        and {
            "ContainerName": codes.get("containerName"),
            "Operator": codes.get("operator", ""),
            "Values": codes.get("values") or None,
        },
        "OnPodConditions": [
            {"Type": each.get("type", ""), "Status": each.get("status", "")} for each in patterns
        ]
        or None,
    }


def printed_success_policy(policy: Object | None) -> Printed:
    if policy is None:
        return printed(None)
    rules = [
        {
            "SucceededIndexes": rule.get("succeededIndexes"),
            "SucceededCount": rule.get("succeededCount"),
        }
        for rule in policy.get("rules") or ()
    ]
    return printed({"Rules": rules or None})
