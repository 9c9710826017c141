"""StorageClasses and VolumeAttributesClasses: a driver and its parameters under a name.

What a class means never changes, because volumes were made by it; expansion, mount options and topologies may.
"""

from __future__ import annotations

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.labels import validate_label_name
from argosy.api.rules.metadata import immutable, validate_metadata, validate_metadata_update
from argosy.api.rules.names import is_dns1123_subdomain, is_qualified_name
from argosy.api.rules.nodelabels import DEPRECATED_NODE_LABELS
from argosy.base.fielderrors import (
    FieldError,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
    too_long,
)
from argosy.base.types import Object

_MAX_PARAMETERS: Final = 512
_MAX_PARAMETERS_BYTES: Final = 256 * 1024
_RECLAIM_POLICIES: Final = ("Delete", "Retain")
_BINDING_MODES: Final = ("Immediate", "WaitForFirstConsumer")


def _default_storage_class(obj: Object) -> None:
    if obj.get("reclaimPolicy") is None:
        obj["reclaimPolicy"] = "Delete"
    if obj.get("volumeBindingMode") is None:
        obj["volumeBindingMode"] = "Immediate"


def _validate_storage_class(obj: Object) -> list[FieldError]:
    errors = validate_metadata(obj, False, is_dns1123_subdomain)
    errors += _validate_driver(obj.get("provisioner", ""), "provisioner")
    errors += _validate_parameters(obj.get("parameters") or {})
    policy, mode = obj.get("reclaimPolicy"), obj.get("volumeBindingMode")
    if policy and policy not in _RECLAIM_POLICIES:
        errors.append(not_supported("reclaimPolicy", policy, _RECLAIM_POLICIES))
    if mode is None:
        errors.append(required("volumeBindingMode"))
    elif mode not in _BINDING_MODES:
        errors.append(not_supported("volumeBindingMode", mode, _BINDING_MODES))
    return errors + _validate_topologies(obj.get("allowedTopologies") or [])


def _validate_driver(name: str, path: str) -> list[FieldError]:
    if not name:
        return [required(path)]
    lower = name.lower()
    return [invalid(path, lower, text) for text in is_qualified_name(lower)]


def _validate_parameters(parameters: Object) -> list[FieldError]:
    path = "parameters"
    if len(parameters) > _MAX_PARAMETERS:
        return [too_long(path, _MAX_PARAMETERS)]
    errors = [invalid(path, key, "field can not be empty.") for key in parameters if not key]
    size = sum(len(key.encode()) + len(value.encode()) for key, value in parameters.items())
    if size > _MAX_PARAMETERS_BYTES:
        errors.append(too_long(path, _MAX_PARAMETERS_BYTES))
    return errors


def _validate_topologies(terms: list[Object]) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: list[dict[str, set[str]]] = []
    for index, term in enumerate(terms):
        path = f"allowedTopologies[{index}].matchLabelExpressions"
        meaning: dict[str, set[str]] = {}
        for position, expression in enumerate(term.get("matchLabelExpressions") or ()):
            at, key = f"{path}[{position}]", expression.get("key", "")
            errors += _validate_topology(expression, at)
            if key in meaning:
                errors.append(duplicate(f"{at}.key", key))
            meaning[key] = set(expression.get("values") or ())
        # A term that says nothing counts as a repetition of each term there is, as upstream counts.
        repeated = seen.count(meaning) if meaning else seen.count(meaning) + len(terms)
        errors += [duplicate(path, "")] * repeated
        seen.append(meaning)
    return errors


def _validate_topology(expression: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    values: list[str] = expression.get("values") or []
    if not values:
        errors.append(required(f"{path}.values"))
    seen: set[str] = set()
    for index, value in enumerate(values):
        if value in seen:
            errors.append(duplicate(f"{path}.values[{index}]", value))
        seen.add(value)
    return errors + validate_label_name(expression.get("key", ""), f"{path}.key")


def _validate_storage_class_update(new: Object, old: Object) -> list[FieldError]:
    errors = _validate_storage_class(new) + validate_metadata_update(new, old)
    for field in ("parameters", "provisioner", "reclaimPolicy"):
        errors += _validate_unchanged(new, old, field)
    return errors + immutable(
        new.get("volumeBindingMode"), old.get("volumeBindingMode"), "volumeBindingMode"
    )


def _validate_unchanged(new: Object, old: Object, field: str) -> list[FieldError]:
    if (new.get(field) or None) == (old.get(field) or None):
        return []
    return [forbidden(field, f"updates to {field} are forbidden.")]


def _warn_storage_class(new: Object, _old: Object | None) -> list[str]:
    return [
        f"allowedTopologies[{index}].matchLabelExpressions[{position}].key: {text}"
        for index, term in enumerate(new.get("allowedTopologies") or ())
        for position, expression in enumerate(term.get("matchLabelExpressions") or ())
        if (text := DEPRECATED_NODE_LABELS.get(expression.get("key", "")))
    ]


def _validate_attributes_class(obj: Object) -> list[FieldError]:
    errors = validate_metadata(obj, False, is_dns1123_subdomain)
    errors += _validate_driver(obj.get("driverName", ""), "driverName")
    parameters = obj.get("parameters") or {}
    errors += _validate_parameters(parameters)
    if not parameters:
        errors.append(required("parameters", "must contain at least one key/value pair"))
    return errors


def _validate_attributes_class_update(new: Object, old: Object) -> list[FieldError]:
    errors = validate_metadata_update(new, old)
    for field in ("driverName", "parameters"):
        errors += _validate_unchanged(new, old, field)
    return errors + _validate_attributes_class(new)


STORAGE_CLASS: Final = Rules(
    default=_default_storage_class,
    validate=_validate_storage_class,
    validate_update=_validate_storage_class_update,
    warnings=_warn_storage_class,
    name_problems=is_dns1123_subdomain,
    tracks_generation=False,
)
VOLUME_ATTRIBUTES_CLASS: Final = Rules(
    validate=_validate_attributes_class,
    validate_update=_validate_attributes_class_update,
    name_problems=is_dns1123_subdomain,
    tracks_generation=False,
)
