"""Labels, annotations, label selectors, node selectors and tolerations.

`validate_labels` and `validate_annotations` are on the path of every write, so the good case does nothing but cached
lookups. Errors of a map come in the map's order (upstream's order is random there).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from argosy.api.rules.names import (
    is_dns1123_subdomain,
    is_label_value,
    is_qualified_name,
)
from argosy.api.rules.wording import unsupported
from argosy.base.fielderrors import (
    FieldError,
    forbidden,
    invalid,
    required,
    too_long,
)
from argosy.base.names import Check
from argosy.base.types import Object

ANNOTATIONS_LIMIT_BYTES: Final = 256 * 1024
_NO_OPERATOR: Final = "not a valid selector operator"
TAINT_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")


def validate_label_name(name: str, path: str) -> list[FieldError]:
    return [invalid(path, name, text) for text in is_qualified_name(name)]


def validate_labels(labels: Mapping[str, str] | None, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for key, value in (labels or {}).items():
        if problems := is_qualified_name(key):
            errors += [invalid(path, key, text) for text in problems]
        if problems := is_label_value(value):
            errors += [invalid(path, value, text) for text in problems]
    return errors


def validate_annotations(annotations: Mapping[str, str] | None, path: str) -> list[FieldError]:
    """Keys may hold upper case; keys and values together are limited to 256 KiB."""
    if not annotations:
        return []
    errors: list[FieldError] = []
    size = 0
    for key, value in annotations.items():
        if problems := is_qualified_name(key.lower()):
            errors += [invalid(path, key, text) for text in problems]
        size += len(key) + (len(value) if value.isascii() else len(value.encode()))
    if size > ANNOTATIONS_LIMIT_BYTES:
        errors.append(too_long(path, ANNOTATIONS_LIMIT_BYTES))
    return errors


def validate_label_selector(selector: Object | None, path: str) -> list[FieldError]:
    if not selector:
        return []
    errors = validate_labels(selector.get("matchLabels"), f"{path}.matchLabels")
    for index, requirement in enumerate(selector.get("matchExpressions") or ()):
        errors += _validate_requirement(requirement, f"{path}.matchExpressions[{index}]")
    return errors


def _validate_requirement(
    requirement: Object, path: str, *, compares: bool = False, check_values: bool = True
) -> list[FieldError]:
    """One expression of a label selector, or of a node selector, which `compares` too."""
    errors: list[FieldError] = []
    values = requirement.get("values") or []
    match operator := requirement.get("operator", ""):
        case "In" | "NotIn":
            if not values:
                detail = "must be specified when `operator` is 'In' or 'NotIn'"
                errors.append(required(f"{path}.values", detail))
        case "Exists" | "DoesNotExist":
            if values:
                detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
                errors.append(forbidden(f"{path}.values", detail))
        case "Gt" | "Lt" if compares:
            if len(values) != 1:
                detail = "must be specified single value when `operator` is 'Lt' or 'Gt'"
                errors.append(required(f"{path}.values", detail))
        case _:
            errors.append(invalid(f"{path}.operator", operator, _NO_OPERATOR))
    errors += validate_label_name(requirement.get("key", ""), f"{path}.key")
    if check_values:
        errors += _validate_values(values, f"{path}.values", is_label_value)
    return errors


def _validate_values(values: list[str], path: str, check: Check) -> list[FieldError]:
    return [
        invalid(f"{path}[{index}]", value, text)
        for index, value in enumerate(values)
        for text in check(value)
    ]


def validate_node_selector(selector: Object, path: str) -> list[FieldError]:
    terms = selector.get("nodeSelectorTerms") or ()
    path = f"{path}.nodeSelectorTerms"
    if not terms:
        return [required(path, "must have at least one node selector term")]
    errors: list[FieldError] = []
    for index, term in enumerate(terms):
        errors += validate_node_selector_term(term, f"{path}[{index}]")
    return errors


def validate_node_selector_term(
    term: Object, path: str, *, check_values: bool = True
) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, requirement in enumerate(term.get("matchExpressions") or ()):
        at = f"{path}.matchExpressions[{index}]"
        errors += _validate_requirement(requirement, at, compares=True, check_values=check_values)
    for index, requirement in enumerate(term.get("matchFields") or ()):
        errors += _validate_field_requirement(requirement, f"{path}.matchFields[{index}]")
    return errors


def _validate_field_requirement(requirement: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    values = requirement.get("values") or []
    operator = requirement.get("operator", "")
    if operator in {"In", "NotIn"}:
        if len(values) != 1:
            detail = (
                "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
            )
            errors.append(required(f"{path}.values", detail))
    else:
        errors.append(invalid(f"{path}.operator", operator, _NO_OPERATOR))
    key = requirement.get("key", "")
    if key != "metadata.name":
        errors.append(invalid(f"{path}.key", key, "not a valid field selector key"))
        return errors
    return errors + _validate_values(values, f"{path}.values", is_dns1123_subdomain)


def validate_taint_effect(effect: str, path: str) -> list[FieldError]:
    if effect in TAINT_EFFECTS:
        return []
    return [unsupported(path, effect, TAINT_EFFECTS)]


def validate_tolerations(tolerations: list[Object], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, toleration in enumerate(tolerations):
        errors += _validate_toleration(toleration, f"{path}[{index}]")
    return errors


def _validate_toleration(toleration: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    key = toleration.get("key", "")
    operator = toleration.get("operator", "")
    value = toleration.get("value", "")
    effect = toleration.get("effect", "")
    if key:
        errors += validate_label_name(key, f"{path}.key")
    elif operator != "Exists":
        errors.append(
            invalid(
                f"{path}.operator",
                operator,
                'operator must be Exists when `key` is empty, which means "match all values and all keys"',
            )
        )
    if toleration.get("tolerationSeconds") is not None and effect != "NoExecute":
        errors.append(
            invalid(
                f"{path}.effect",
                effect,
                "effect must be 'NoExecute' when `tolerationSeconds` is set",
            )
        )
    match operator:
        case "" | "Equal":
            if problems := is_label_value(value):
                errors.append(invalid(f"{path}.operator", value, ";".join(problems)))
        case "Exists":
            if value:
                errors.append(
                    invalid(
                        f"{path}.operator", value, "value must be empty when `operator` is 'Exists'"
                    )
                )
        case "Lt" | "Gt":
            errors.append(
                unsupported(f"{path}.operator", operator, ("Equal", "Exists", "Lt", "Gt"))
            )
        case _:
            errors.append(unsupported(f"{path}.operator", operator, ("Equal", "Exists")))
    if effect:
        errors += validate_taint_effect(effect, f"{path}.effect")
    return errors
