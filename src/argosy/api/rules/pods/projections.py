"""Volumes filled from other objects: secrets, config maps, the downward API, tokens, and all of them projected."""

from __future__ import annotations

from typing import Final

from argosy.api.rules.pods.environment import validate_field_ref, validate_resource_ref
from argosy.api.rules.pods.paths import validate_not_reserved
from argosy.base.fielderrors import FieldError, forbidden, invalid, required
from argosy.base.types import Object

_MODE: Final = "must be a number between 0 and 0777 (octal), both inclusive"
_VOLUME_FIELDS: Final = frozenset(
    {
        "metadata.name",
        "metadata.namespace",
        "metadata.labels",
        "metadata.annotations",
        "metadata.uid",
    }
)
_SOURCE_KINDS: Final = (
    "secret",
    "configMap",
    "downwardAPI",
    "serviceAccountToken",
    "clusterTrustBundle",
    "podCertificate",
)
_DUPLICATE: Final = "conflicting duplicate paths"


def _validate_mode(holder: Object, field: str, path: str) -> list[FieldError]:
    mode = holder.get(field)
    if mode is not None and not 0 <= mode <= 0o777:
        return [invalid(f"{path}.{field}", mode, _MODE)]
    return []


def validate_secret_volume(source: Object, path: str) -> list[FieldError]:
    return _validate_keyed(source, "secretName", path)


def validate_config_map_volume(source: Object, path: str) -> list[FieldError]:
    return _validate_keyed(source, "name", path)


def _validate_keyed(source: Object, name_field: str, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if not source.get(name_field):
        errors.append(required(f"{path}.{name_field}"))
    errors += _validate_mode(source, "defaultMode", path)
    for index, item in enumerate(source.get("items") or ()):
        errors += _validate_item(item, f"{path}.items[{index}]")
    return errors


def _validate_item(item: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if not item.get("key"):
        errors.append(required(f"{path}.key"))
    target = item.get("path", "")
    if not target:
        errors.append(required(f"{path}.path"))
    errors += validate_not_reserved(target, f"{path}.path")
    errors += _validate_mode(item, "mode", path)
    return errors


def validate_downward_volume(source: Object, path: str) -> list[FieldError]:
    errors = _validate_mode(source, "defaultMode", path)
    for item in source.get("items") or ():
        # Upstream leaves the index of the item out of the path.
        errors += _validate_downward_file(item, path)
    return errors


def _validate_downward_file(item: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    target = item.get("path", "")
    if not target:
        errors.append(required(f"{path}.path"))
    errors += validate_not_reserved(target, f"{path}.path")
    field, resource = item.get("fieldRef"), item.get("resourceFieldRef")
    if field is not None:
        errors += validate_field_ref(field, _VOLUME_FIELDS, f"{path}.fieldRef")
        if resource is not None:
            errors.append(
                invalid(
                    path,
                    "resource",
                    "fieldRef and resourceFieldRef can not be specified simultaneously",
                )
            )
    elif resource is not None:
        errors += validate_resource_ref(resource, f"{path}.resourceFieldRef", in_volume=True)
    else:
        errors.append(required(path, "one of fieldRef and resourceFieldRef is required"))
    errors += _validate_mode(item, "mode", path)
    return errors


def validate_projected_volume(source: Object, path: str) -> list[FieldError]:
    errors = _validate_mode(source, "defaultMode", path)
    taken: set[str] = set()
    for index, each in enumerate(source.get("sources") or ()):
        at = f"{path}.sources[{index}]"
        kinds = [kind for kind in _SOURCE_KINDS if each.get(kind) is not None]
        for kind in kinds:
            part, below = each[kind], f"{at}.{kind}"
            match kind:
                case "secret" | "configMap":
                    errors += _validate_projected_items(part, taken, path, below)
                case "downwardAPI":
                    for item in part.get("items") or ():
                        errors += _validate_downward_file(item, below)
                        target = item.get("path", "")
                        errors += _take(taken, target, target, path)
                case "serviceAccountToken":
                    errors += _validate_token(part, path, below)
        if len(kinds) > 1:
            errors.append(forbidden(at, "may not specify more than 1 volume type per source"))
    return errors


def _take(taken: set[str], target: str, shown: str, path: str) -> list[FieldError]:
    if not target:
        return []
    if target in taken:
        return [invalid(path, shown, _DUPLICATE)]
    taken.add(target)
    return []


def _validate_projected_items(
    part: Object, taken: set[str], path: str, below: str
) -> list[FieldError]:
    errors: list[FieldError] = []
    name = part.get("name", "")
    if not name:
        errors.append(required(f"{below}.name"))
    for index, item in enumerate(part.get("items") or ()):
        errors += _validate_item(item, f"{below}.items[{index}]")
        errors += _take(taken, item.get("path", ""), name, path)
    return errors


def _validate_token(token: Object, path: str, below: str) -> list[FieldError]:
    errors: list[FieldError] = []
    seconds = token.get("expirationSeconds", 0)
    if seconds < 600:
        errors.append(
            invalid(
                f"{below}.expirationSeconds",
                seconds,
                "may not specify a duration less than 10 minutes",
            )
        )
    if seconds > 1 << 32:
        errors.append(
            invalid(
                f"{below}.expirationSeconds",
                seconds,
                "may not specify a duration larger than 2^32 seconds",
            )
        )
    if not (target := token.get("path")):
        errors.append(required(f"{path}.path"))
    else:
        errors += validate_not_reserved(target, f"{path}.path")
    return errors
