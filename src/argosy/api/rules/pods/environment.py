"""Environment variables of a container and the sources their values come from.

The sources that read fields of the pod are shared with downward API volumes.
"""

from __future__ import annotations

from typing import Final

from argosy.api.rules.names import (
    is_config_map_key,
    is_dns1123_label,
    is_dns1123_subdomain,
    is_env_var_name,
    is_qualified_name,
    masked,
)
from argosy.api.rules.pods.paths import validate_no_backsteps
from argosy.api.rules.pods.resources import quantity
from argosy.base.fielderrors import FieldError, invalid, not_supported, required
from argosy.base.types import Json, Object

_ENV_FIELDS: Final = frozenset(
    {
        "metadata.name",
        "metadata.namespace",
        "metadata.uid",
        "spec.nodeName",
        "spec.serviceAccountName",
        "status.hostIP",
        "status.hostIPs",
        "status.podIP",
        "status.podIPs",
    }
)
# Every field the downward API knows in v1, in an environment or in a volume.
_KNOWN_FIELDS: Final = _ENV_FIELDS | {
    "metadata.annotations",
    "metadata.labels",
    "spec.restartPolicy",
    "spec.schedulerName",
    "status.phase",
    "spec.host",
}
_RESOURCES: Final = (
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
)
_HUGE_PAGES: Final = ("limits.hugepages-", "requests.hugepages-")
_BYTE_DIVISORS: Final = frozenset(
    {"1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"}
)
_BYTE_DIVISORS_TEXT: Final = "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei"
_SOURCES: Final = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef")


def validate_env(variables: list[Object], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, variable in enumerate(variables):
        if not (name := variable.get("name")):
            errors.append(required(f"{path}[{index}].name"))
        elif problems := is_env_var_name(name):
            errors += [invalid(f"{path}[{index}].name", name, text) for text in problems]
        if (source := variable.get("valueFrom")) is not None:
            errors += _validate_source(
                source, variable.get("value", ""), f"{path}[{index}].valueFrom"
            )
    return errors


def _validate_source(source: Object, value: str, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    given = [kind for kind in _SOURCES if source.get(kind) is not None]
    for kind in given:
        ref, at = source[kind], f"{path}.{kind}"
        match kind:
            case "fieldRef":
                errors += validate_field_ref(ref, _ENV_FIELDS, at)
            case "resourceFieldRef":
                errors += validate_resource_ref(ref, at, in_volume=False)
            case "fileKeyRef":
                errors += _validate_file_key(ref, at)
            case _:
                errors += _validate_object_key(ref, at)
    if not given:
        errors.append(
            invalid(
                path,
                "",
                "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, "
                "`secretKeyRef` or `fileKeyRef`",
            )
        )
    elif value:
        errors.append(invalid(path, "", "may not be specified when `value` is not empty"))
    elif len(given) > 1:
        errors.append(invalid(path, "", "may not have more than one field specified at a time"))
    return errors


def validate_field_ref(ref: Object, allowed: frozenset[str], path: str) -> list[FieldError]:
    if not (version := ref.get("apiVersion")):
        return [required(f"{path}.apiVersion")]
    if not (field := ref.get("fieldPath")):
        return [required(f"{path}.fieldPath")]
    base, subscript = _split_subscript(field)
    if problem := _conversion_problem(version, field, base, subscript):
        return [invalid(f"{path}.fieldPath", field, f"error converting fieldPath: {problem}")]
    if base == "spec.host":
        # The oldest clients' name of the field.
        base = "spec.nodeName"
    if subscript is not None:
        match base:
            case "metadata.annotations":
                key = subscript.lower()
            case "metadata.labels":
                key = subscript
            case _:
                return [invalid(path, base, "does not support subscript")]
        return [invalid(path, key, text) for text in is_qualified_name(key)]
    if base not in allowed:
        return [not_supported(f"{path}.fieldPath", base, allowed)]
    return []


def _split_subscript(field: str) -> tuple[str, str | None]:
    """`metadata.labels['x']` as path and subscript; anything else is a plain path."""
    if not field.endswith("']"):
        return field, None
    base, opening, subscript = field[:-2].partition("['")
    return (base, subscript) if opening and base else (field, None)


def _conversion_problem(version: str, field: str, base: str, subscript: str | None) -> str:
    if version != "v1":
        return f"unsupported pod version: {version}"
    if subscript is not None:
        if base in {"metadata.annotations", "metadata.labels"}:
            return ""
        return f"field label does not support subscript: {field}"
    return "" if base in _KNOWN_FIELDS else f"field label not supported: {field}"


def validate_resource_ref(ref: Object, path: str, *, in_volume: bool) -> list[FieldError]:
    errors: list[FieldError] = []
    resource = ref.get("resource", "")
    if in_volume and not ref.get("containerName"):
        errors.append(required(f"{path}.containerName"))
    elif not resource:
        errors.append(required(f"{path}.resource"))
    elif resource not in _RESOURCES and not resource.startswith(_HUGE_PAGES):
        errors.append(not_supported(f"{path}.resource", resource, _RESOURCES))
    errors += _validate_divisor(resource, ref.get("divisor", "0"), f"{path}.divisor")
    return errors


def _validate_divisor(resource: str, divisor: Json, path: str) -> list[FieldError]:
    amount = quantity(divisor)
    if amount.is_zero:
        return []
    if resource in {"limits.cpu", "requests.cpu"}:
        if str(amount) in {"1m", "1"}:
            return []
        detail = "only divisor's values 1m and 1 are supported with the cpu resource"
        return [invalid(path, resource, detail)]
    if str(amount) in _BYTE_DIVISORS:
        return []
    if resource.startswith(_HUGE_PAGES):
        kind = "hugepages"
    elif resource in {"limits.memory", "requests.memory"}:
        kind = "memory"
    elif resource in _RESOURCES:
        kind = "local ephemeral storage"
    else:
        return []
    detail = f"only divisor's values {_BYTE_DIVISORS_TEXT} are supported with the {kind} resource"
    return [invalid(path, resource, detail)]


def _validate_object_key(ref: Object, path: str) -> list[FieldError]:
    name, key = ref.get("name", ""), ref.get("key", "")
    errors = [invalid(f"{path}.name", name, text) for text in is_dns1123_subdomain(name)]
    if not key:
        errors.append(required(f"{path}.key"))
    else:
        errors += [invalid(f"{path}.key", key, text) for text in is_config_map_key(key)]
    return errors


def _validate_file_key(ref: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if not (key := ref.get("key")):
        errors.append(required(f"{path}.key"))
    else:
        errors += [invalid(f"{path}.key", key, text) for text in is_env_var_name(key)]
    if not (volume := ref.get("volumeName")):
        errors.append(required(f"{path}.volumeName"))
    else:
        errors += [invalid(f"{path}.volumeName", volume, text) for text in is_dns1123_label(volume)]
    if not (file := ref.get("path")):
        errors.append(required(f"{path}.path"))
    else:
        errors += validate_no_backsteps(file, f"{path}.path")
    return errors


def validate_env_from(sources: list[Object], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, source in enumerate(sources):
        at = f"{path}[{index}]"
        if prefix := source.get("prefix"):
            errors += [invalid(f"{at}.prefix", prefix, text) for text in is_env_var_name(prefix)]
        given = [kind for kind in ("configMapRef", "secretRef") if source.get(kind) is not None]
        for kind in given:
            if not (name := source[kind].get("name")):
                errors.append(required(f"{at}.{kind}.name"))
            else:
                errors += [
                    invalid(f"{at}.{kind}.name", name, text)
                    for text in is_dns1123_subdomain(masked(name))
                ]
        if not given:
            errors.append(invalid(path, "", "must specify one of: `configMapRef` or `secretRef`"))
        elif len(given) > 1:
            errors.append(invalid(path, "", "may not have more than one field specified at a time"))
    return errors
