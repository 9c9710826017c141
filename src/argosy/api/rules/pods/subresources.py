"""Pods through their other doors: ephemeralcontainers adds containers for debugging, resize changes cpu and memory.

Each is the whole pod under other rules: what the door is not for is put back before validation, so that a client may
send the pod as it has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.metadata import validate_metadata_update
from argosy.api.rules.pods.creation import validate_pod_object
from argosy.api.rules.pods.qos import qos_class
from argosy.api.rules.pods.strategy import POD, drop_disabled
from argosy.api.rules.pods.updates import validate_ephemeral_update
from argosy.api.rules.resets import METADATA, keep_metadata
from argosy.base.fielderrors import FieldError, forbidden, invalid
from argosy.base.types import Object

_MIRROR: Final = "kubernetes.io/config.mirror"
_COMPUTE: Final = ("cpu", "memory")
_KEPT: Final = (*METADATA, "deletionTimestamp")


def _only_ephemeral(new: Object, old: Object) -> None:
    given = (new.get("spec") or {}).get("ephemeralContainers")
    new["spec"] = dict(old["spec"])
    if given:
        new["spec"]["ephemeralContainers"] = given
    else:
        new["spec"].pop("ephemeralContainers", None)
    keep_metadata(new, old, _KEPT)
    drop_disabled(new["spec"])


def _only_resources(new: Object, old: Object) -> None:
    given: Object = new.get("spec") or {}
    lists = ("containers", "initContainers")
    if any(len(given.get(kind) or ()) != len(old["spec"].get(kind) or ()) for kind in lists):
        # Containers came or went: validation says so.
        return
    new["spec"] = dict(old["spec"])
    for kind in lists:
        if given.get(kind):
            new["spec"][kind] = _resized(given[kind], old["spec"][kind])
    keep_metadata(new, old, _KEPT)
    drop_disabled(new["spec"])


def _resized(given: list[Object], stored: list[Object]) -> list[Object]:
    if [one.get("name") for one in given] != [one.get("name") for one in stored]:
        return given
    return [
        {
            **{key: value for key, value in before.items() if key != "resizePolicy"},
            **{key: one[key] for key in ("resources", "resizePolicy") if key in one},
        }
        for one, before in zip(given, stored, strict=True)
    ]


def _validate_resize(new: Object, old: Object) -> list[FieldError]:
    errors = validate_metadata_update(new, old) + validate_pod_object(new)
    spec, before = new["spec"], old["spec"]
    if _MIRROR in (old["metadata"].get("annotations") or ()):
        return [forbidden("[]", "static pods cannot be resized")]
    if (before.get("os") or {}).get("name") == "windows":
        return [forbidden("[]", "windows pods cannot be resized")]
    qos = (old.get("status") or {}).get("qosClass") or qos_class(before)
    if qos != qos_class(spec):
        errors.append(invalid("spec", qos, "Pod QOS Class may not change as a result of resizing"))
    if not _is_supported(old):
        errors.append(forbidden("spec", "Pod running on node without support for resize"))
    if spec.get("resources") or before.get("resources"):
        detail = (
            "resize of pods with pod-level resources is forbidden when "
            "InPlacePodLevelResourcesVerticalScalingEnabled feature gate is disabled"
        )
        return [*errors, forbidden("[]", detail)]
    misplaced = _order_errors(spec, before)
    if misplaced:
        return errors + misplaced
    for kind in ("initContainers", "containers"):
        pairs = zip(spec.get(kind) or (), before.get(kind) or (), strict=True)
        for index, (container, stored) in enumerate(pairs):
            errors += _container_errors(container, stored, kind, f"spec.{kind}[{index}]")
    return errors


def _is_supported(pod: Object) -> bool:
    """A node that can resize tells the resources of what runs on it."""
    for status in (pod.get("status") or {}).get("containerStatuses") or ():
        if (status.get("state") or {}).get("running") is not None:
            return status.get("resources") is not None
    return True


def _order_errors(spec: Object, before: Object) -> list[FieldError]:
    errors = []
    for kind in ("containers", "initContainers"):
        given, stored = spec.get(kind) or [], before.get(kind) or []
        if len(given) != len(stored):
            detail = f"{kind} may not be added or removed on resize"
            errors.append(forbidden(f"spec.{kind}", detail))
            continue
        errors += [
            forbidden(
                f"spec.{kind}[{index}].name", f"{kind} may not be renamed or reordered on resize"
            )
            for index, (one, other) in enumerate(zip(given, stored, strict=True))
            if one.get("name") != other.get("name")
        ]
    return errors


def _container_errors(container: Object, stored: Object, kind: str, path: str) -> list[FieldError]:
    sidecar = kind == "initContainers" and stored.get("restartPolicy") == "Always"
    if kind == "initContainers" and not sidecar:
        if container == stored:
            return []
        return [forbidden("spec", "resources for non-sidecar init containers are immutable")]
    errors = []
    now, had = container.get("resources") or {}, stored.get("resources") or {}
    for which in ("requests", "limits"):
        if set(had.get(which) or ()) - set(now.get(which) or ()):
            detail = f"resource {which} cannot be removed"
            errors.append(forbidden(f"{path}.resources.{which}", detail))
    if _without_compute(container) != _without_compute(stored):
        whose = " for sidecar containers" if sidecar else ""
        errors.append(forbidden("spec", f"only cpu and memory resources{whose} are mutable"))
    return errors


def _without_compute(container: Object) -> Object:
    resources = container.get("resources") or {}
    other: Object = {
        which: {name: v for name, v in (resources.get(which) or {}).items() if name not in _COMPUTE}
        for which in ("requests", "limits")
    }
    rest = {key: v for key, v in resources.items() if key not in other}
    return {**container, "resources": {**other, **rest}}


SUBRESOURCES: Final[Mapping[str, Rules]] = {
    "ephemeralcontainers": replace(
        POD, prepare_update=_only_ephemeral, validate_update=validate_ephemeral_update
    ),
    "resize": replace(
        POD, prepare_update=_only_resources, validate_update=_validate_resize, warnings=None
    ),
}
