"""Annotations of a pod that the API server reads: mirror pods, deletion cost, and the old seccomp and AppArmor keys."""

from __future__ import annotations

import re
from typing import Final

from argosy.api.rules.pods.paths import validate_descending
from argosy.api.rules.pods.systems import visit_containers
from argosy.base.fielderrors import FieldError, forbidden, invalid, quote
from argosy.base.types import Object

MIRROR: Final = "kubernetes.io/config.mirror"
_DELETION_COST: Final = "controller.kubernetes.io/pod-deletion-cost"
SECCOMP_POD: Final = "seccomp.security.alpha.kubernetes.io/pod"
SECCOMP_CONTAINER: Final = "container.seccomp.security.alpha.kubernetes.io/"
APP_ARMOR: Final = "container.apparmor.security.beta.kubernetes.io/"
_cost = re.compile(r"[+-]?[0-9]+").fullmatch


def validate_pod_annotations(
    annotations: dict[str, str] | None, spec: Object, path: str
) -> list[FieldError]:
    if not annotations:
        return []
    errors: list[FieldError] = []
    if MIRROR in annotations and not spec.get("nodeName"):
        errors.append(
            invalid(
                f"{path}[{MIRROR}]",
                annotations[MIRROR],
                "must set spec.nodeName if mirror pod annotation is set",
            )
        )
    cost = annotations.get(_DELETION_COST)
    if cost is not None and not _is_cost(cost):
        errors.append(invalid(f"{path}[{_DELETION_COST}]", cost, "must be a 32bit integer"))
    if SECCOMP_POD in annotations:
        errors += _validate_seccomp(annotations[SECCOMP_POD], f"{path}.{SECCOMP_POD}")
    for key, value in annotations.items():
        if key.startswith(SECCOMP_CONTAINER):
            errors += _validate_seccomp(value, f"{path}.{key}")
    for key, value in annotations.items():
        if key.startswith(APP_ARMOR):
            errors += _validate_app_armor(key, value, spec, path)
    return errors


def _is_cost(text: str) -> bool:
    """A 32-bit integer, without a plus sign or leading zeros."""
    if not _cost(text) or len(text) > 11:
        return False
    leading = text.startswith("+") or (text.lstrip("-").startswith("0") and text != "0")
    return not leading and -(1 << 31) <= int(text) < 1 << 31


def _validate_seccomp(profile: str, path: str) -> list[FieldError]:
    if profile in {"runtime/default", "docker/default", "unconfined"}:
        return []
    if profile.startswith("localhost/"):
        return validate_descending(profile.removeprefix("localhost/"), path)
    return [invalid(path, profile, "must be a valid seccomp profile")]


def _validate_app_armor(key: str, profile: str, spec: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    name = key.removeprefix(APP_ARMOR)
    if not any(container.get("name") == name for container, _ in visit_containers(spec, path)):
        errors.append(invalid(f"{path}[{key}]", name, "container not found"))
    if profile not in {"", "runtime/default", "unconfined"} and not profile.startswith(
        "localhost/"
    ):
        detail = f"invalid AppArmor profile name: {quote(profile)}"
        errors.append(invalid(f"{path}[{key}]", profile, detail))
    return errors


def validate_profiles_match(meta: Object, spec: Object, path: str) -> list[FieldError]:
    """The old annotations and the fields that took their place must say the same where both are given."""
    annotations: dict[str, str] = meta.get("annotations") or {}
    if not any(
        key == SECCOMP_POD or key.startswith((SECCOMP_CONTAINER, APP_ARMOR)) for key in annotations
    ):
        return []
    errors: list[FieldError] = []
    of_pod: Object = spec.get("securityContext") or {}
    if SECCOMP_POD in annotations:
        at = f"{path}.securityContext.seccompProfile"
        errors += _match(annotations[SECCOMP_POD], of_pod.get("seccompProfile"), at, "seccomp")
    containers = list(visit_containers(spec, path))
    for container, at in containers:
        own: Object = container.get("securityContext") or {}
        if (value := annotations.get(f"{SECCOMP_CONTAINER}{container.get('name')}")) is not None:
            below = f"{at}.securityContext.seccompProfile"
            errors += _match(value, own.get("seccompProfile"), below, "seccomp")
    if (spec.get("os") or {}).get("name") == "windows":
        return errors
    for container, at in containers:
        own = container.get("securityContext") or {}
        profile = own.get("appArmorProfile") or of_pod.get("appArmorProfile")
        if (value := annotations.get(f"{APP_ARMOR}{container.get('name')}")) is not None:
            below = f"{at}.securityContext.appArmorProfile"
            errors += _match(value, profile, below, "apparmor")
    return errors


def _match(annotation: str, profile: Object | None, path: str, kind: str) -> list[FieldError]:
    if profile is None:
        return []
    match profile.get("type"):
        case "Unconfined":
            same = annotation == "unconfined"
        case "RuntimeDefault":
            same = annotation == "runtime/default" or (
                kind == "seccomp" and annotation == "docker/default"
            )
        case "Localhost":
            same = annotation.startswith("localhost/")
            if same and annotation.removeprefix("localhost/") != profile.get("localhostProfile"):
                detail = f"{kind} profile in annotation and field must match"
                return [forbidden(f"{path}.localhostProfile", detail)]
        case _:
            return []
    if same:
        return []
    return [forbidden(f"{path}.type", f"{kind} type in annotation and field must match")]


def validate_annotation_updates(new: Object, old: Object, path: str) -> list[FieldError]:
    """The mirror annotation and those of AppArmor are fixed when a pod is created; all are checked again."""
    after: dict[str, str] = (new.get("metadata") or {}).get("annotations") or {}
    before: dict[str, str] = (old.get("metadata") or {}).get("annotations") or {}
    errors = [
        forbidden(f"{path}[{key}]", f"may not remove or update {name}")
        for key, value in before.items()
        if after.get(key) != value and (name := _fixed(key))
    ]
    errors += [
        forbidden(f"{path}[{key}]", f"may not add {name}")
        for key in after
        if key not in before and (name := _fixed(key))
    ]
    errors += validate_pod_annotations(after, new.get("spec") or {}, path)
    return errors


def _fixed(key: str) -> str:
    if key.startswith(APP_ARMOR):
        return "AppArmor annotations"
    return "mirror pod annotation" if key == MIRROR else ""
