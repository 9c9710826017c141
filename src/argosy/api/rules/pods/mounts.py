"""Volume mounts and block devices of a container, against the volumes of its pod."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from argosy.api.rules.pods.paths import validate_descending, validate_no_backsteps
from argosy.base.fielderrors import (
    FieldError,
    forbidden,
    invalid,
    not_found,
    not_supported,
    required,
)
from argosy.base.types import Object

_PROPAGATIONS: Final = ("Bidirectional", "HostToContainer", "None")
_RECURSIVE: Final = ("Disabled", "Enabled", "IfPossible")


def validate_mounts(
    container: Object, volumes: Mapping[str, Object], path: str
) -> list[FieldError]:
    errors: list[FieldError] = []
    devices: list[Object] = container.get("volumeDevices") or []
    device_names = {device.get("name", "") for device in devices}
    device_paths = {device.get("devicePath", "") for device in devices}
    seen: set[str] = set()
    for index, mount in enumerate(container.get("volumeMounts") or ()):
        name, target = mount.get("name", ""), mount.get("mountPath", "")
        if not name:
            errors.append(required(f"{path}[{index}].name"))
        if name not in volumes:
            errors.append(not_found(f"{path}[{index}].name", name))
        if not target:
            errors.append(required(f"{path}[{index}].mountPath"))
        if target in seen:
            errors.append(invalid(f"{path}[{index}].mountPath", target, "must be unique"))
        seen.add(target)
        if name in device_names:
            errors.append(
                invalid(f"{path}[{index}].name", name, "must not already exist in volumeDevices")
            )
        if target in device_paths:
            errors.append(
                invalid(
                    f"{path}[{index}].mountPath",
                    target,
                    "must not already exist as a path in volumeDevices",
                )
            )
        if len(mount) > 2:
            errors += _validate_mount_options(mount, container, path, index)
    return errors


def _validate_mount_options(
    mount: Object, container: Object, path: str, index: int
) -> list[FieldError]:
    errors: list[FieldError] = []
    sub_path, expression = mount.get("subPath"), mount.get("subPathExpr")
    if sub_path:
        errors += validate_descending(sub_path, f"{path}.subPath")
    if expression:
        if sub_path:
            errors.append(
                invalid(
                    f"{path}[{index}].subPathExpr",
                    expression,
                    "subPathExpr and subPath are mutually exclusive",
                )
            )
        errors += validate_descending(expression, f"{path}.subPathExpr")
    propagation = mount.get("mountPropagation")
    if propagation is not None:
        errors += _validate_propagation(propagation, container, f"{path}.mountPropagation")
    if (recursive := mount.get("recursiveReadOnly")) is not None:
        at = f"{path}.recursiveReadOnly"
        if recursive not in _RECURSIVE:
            errors.append(not_supported(at, recursive, _RECURSIVE))
        elif recursive != "Disabled":
            if not mount.get("readOnly"):
                errors.append(forbidden(at, "may only be specified when readOnly is true"))
            if propagation not in {None, "None"}:
                errors.append(
                    forbidden(
                        at, "may only be specified when mountPropagation is None or not specified"
                    )
                )
    return errors


def _validate_propagation(propagation: str, container: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if propagation not in _PROPAGATIONS:
        errors.append(not_supported(path, propagation, _PROPAGATIONS))
    privileged = (container.get("securityContext") or {}).get("privileged")
    if propagation == "Bidirectional" and not privileged:
        errors.append(
            forbidden(
                path,
                "Bidirectional mount propagation is available only to privileged containers",
            )
        )
    return errors


def validate_devices(
    container: Object, volumes: Mapping[str, Object], path: str
) -> list[FieldError]:
    errors: list[FieldError] = []
    mounts: list[Object] = container.get("volumeMounts") or []
    mount_names = {mount.get("name", "") for mount in mounts}
    mount_paths = {mount.get("mountPath", "") for mount in mounts}
    names: set[str] = set()
    paths: set[str] = set()
    for index, device in enumerate(container.get("volumeDevices") or ()):
        at = f"{path}[{index}]"
        name, target = device.get("name", ""), device.get("devicePath", "")
        volume = volumes.get(name)
        if not name:
            errors.append(required(f"{at}.name"))
        if name in names:
            errors.append(invalid(f"{at}.name", name, "must be unique"))
        if volume is None:
            errors.append(not_found(f"{at}.name", name))
        elif "persistentVolumeClaim" not in volume and "ephemeral" not in volume:
            errors.append(
                invalid(
                    f"{at}.name",
                    name,
                    "can only use volume source type of PersistentVolumeClaim or Ephemeral "
                    "for block mode",
                )
            )
        if not target:
            errors.append(required(f"{at}.devicePath"))
        if target in paths:
            errors.append(invalid(f"{at}.devicePath", target, "must be unique"))
        if target and validate_no_backsteps(target, path):
            errors.append(invalid(f"{at}.devicePath", target, "can not contain backsteps ('..')"))
        else:
            paths.add(target)
        if name in mount_names:
            errors.append(invalid(f"{at}.name", name, "must not already exist in volumeMounts"))
        if target in mount_paths:
            errors.append(
                invalid(
                    f"{at}.devicePath", target, "must not already exist as a path in volumeMounts"
                )
            )
        if name:
            names.add(name)
    return errors
