"""PersistentVolumes: a size, a source (`persistentsources`) and what becomes of it after its claim."""

from __future__ import annotations

import posixpath
from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.claims import VOLUME_MODES, validate_access_modes
from argosy.api.rules.diffs import internal_diff
from argosy.api.rules.labels import validate_node_selector
from argosy.api.rules.metadata import immutable, validate_metadata, validate_metadata_update
from argosy.api.rules.names import is_dns1123_subdomain
from argosy.api.rules.nodelabels import warn_node_selector_term
from argosy.api.rules.persistentsources import source_of, validate_sources
from argosy.api.rules.pods.defaulting import (
    default_azure_disk,
    default_host_path,
    default_iscsi,
    default_rbd,
    default_scale_io,
    round_up,
)
from argosy.api.rules.pods.resources import quantity
from argosy.api.rules.resets import keep_status
from argosy.api.rules.wording import printed, unsupported
from argosy.base.fielderrors import FieldError, forbidden, invalid, not_supported, required
from argosy.base.types import Object

_RECLAIM: Final = ("Delete", "Recycle", "Retain")
_MOUNT_OPTIONS: Final = "volume.beta.kubernetes.io/mount-options"
_MOUNTABLE: Final = frozenset(
    {
        "gcePersistentDisk",
        "awsElasticBlockStore",
        "glusterfs",
        "nfs",
        "rbd",
        "quobyte",
        "iscsi",
        "cinder",
        "cephfs",
        "azureFile",
        "vsphereVolume",
        "azureDisk",
        "photonPersistentDisk",
    }
)
_DEFAULTS: Final = {
    "azureDisk": default_azure_disk,
    "hostPath": default_host_path,
    "iscsi": default_iscsi,
    "rbd": default_rbd,
    "scaleIO": default_scale_io,
}
_WARNED: Final = {
    "cephfs": "deprecated in v1.28, non-functional in v1.31+",
    "photonPersistentDisk": "deprecated in v1.11, non-functional in v1.16+",
    "scaleIO": "deprecated in v1.16, non-functional in v1.22+",
    "storageos": "deprecated in v1.22, non-functional in v1.25+",
    "glusterfs": "deprecated in v1.25, non-functional in v1.26+",
    "rbd": "deprecated in v1.28, non-functional in v1.31+",
}
_OLD_ANNOTATIONS: Final = {
    "volume.beta.kubernetes.io/storage-class": (
        'deprecated since v1.8; use "storageClassName" attribute instead'
    ),
    _MOUNT_OPTIONS: 'deprecated since v1.31; use "mountOptions" attribute instead',
}


def _default(obj: Object) -> None:
    spec: Object = obj.setdefault("spec", {})
    if not spec.get("persistentVolumeReclaimPolicy"):
        spec["persistentVolumeReclaimPolicy"] = "Retain"
    if spec.get("volumeMode") is None:
        spec["volumeMode"] = "Filesystem"
    if capacity := spec.get("capacity"):
        round_up(capacity)
    for kind, default in _DEFAULTS.items():
        if (source := spec.get(kind)) is not None:
            default(source)
    status: Object = obj.setdefault("status", {})
    if not status.get("phase"):
        status["phase"] = "Pending"


def _prepare_create(obj: Object) -> None:
    obj["status"] = {"phase": "Pending"}
    if created := (obj.get("metadata") or {}).get("creationTimestamp"):
        obj["status"]["lastPhaseTransitionTime"] = created


def _prepare_status(new: Object, old: Object) -> None:
    """A change of phase without a time of its own is left to the writer; the same phase keeps its time."""
    new["spec"] = old.get("spec", {})
    status, before = new["status"], old.get("status") or {}
    since = before.get("lastPhaseTransitionTime")
    if status.get("phase") == before.get("phase") and since is not None:
        status.setdefault("lastPhaseTransitionTime", since)


def _validate(obj: Object) -> list[FieldError]:
    errors = _validate_object(obj)
    spec: Object = obj.get("spec") or {}
    annotations = (obj.get("metadata") or {}).get("annotations") or {}
    if _MOUNT_OPTIONS in annotations and not _MOUNTABLE & spec.keys():
        detail = "may not specify mount options for this volume type"
        errors.append(forbidden(f"metadata.annotations.{_MOUNT_OPTIONS}", detail))
    return errors


def _validate_object(obj: Object) -> list[FieldError]:
    errors = validate_metadata(obj, False, is_dns1123_subdomain)
    name = (obj.get("metadata") or {}).get("name", "")
    errors += _validate_spec(obj.get("spec") or {}, name, "spec")
    return errors


def _validate_spec(spec: Object, name: str, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    modes = spec.get("accessModes") or []
    if not modes:
        errors.append(required(f"{path}.accessModes"))
    errors += validate_access_modes(modes, f"{path}.accessModes")
    errors += _validate_capacity(spec.get("capacity") or {}, f"{path}.capacity")
    policy = spec.get("persistentVolumeReclaimPolicy", "")
    if policy and policy not in _RECLAIM:
        errors.append(not_supported(f"{path}.persistentVolumeReclaimPolicy", policy, _RECLAIM))
    if (affinity := spec.get("nodeAffinity")) is not None:
        at = f"{path}.nodeAffinity.required"
        if affinity.get("required") is None:
            errors.append(required(at, "must specify required node constraints"))
        else:
            errors += validate_node_selector(affinity["required"], at)
    errors += validate_sources(spec, name, path)
    host_path = (spec.get("hostPath") or {}).get("path", "")
    if "hostPath" in spec and posixpath.normpath(host_path or ".") == "/" and policy == "Recycle":
        detail = "may not be 'recycle' for a hostPath mount of '/'"
        errors.append(forbidden(f"{path}.persistentVolumeReclaimPolicy", detail))
    if class_name := spec.get("storageClassName"):
        errors += [
            invalid(f"{path}.storageClassName", class_name, text)
            for text in is_dns1123_subdomain(class_name)
        ]
    mode = spec.get("volumeMode")
    if mode is not None and mode not in VOLUME_MODES:
        errors.append(not_supported(f"{path}.volumeMode", mode, VOLUME_MODES))
    if (attributes := spec.get("volumeAttributesClassName")) is not None:
        at = f"{path}.volumeAttributesClassName"
        if not attributes:
            errors.append(required(at, "an empty string is disallowed"))
        else:
            errors += [invalid(at, attributes, text) for text in is_dns1123_subdomain(attributes)]
        if spec.get("csi") is None:
            detail = "has to be specified when using volumeAttributesClassName"
            errors.append(required(f"{path}.csi", detail))
    return errors


def _validate_capacity(capacity: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if not capacity:
        errors.append(required(path))
    if "storage" not in capacity or len(capacity) > 1:
        errors.append(unsupported(path, capacity or printed(None), ("storage",)))
    for name, value in capacity.items():
        amount = quantity(value)
        if amount.value() < 0:
            detail = "must be a valid resource quantity"
            errors.append(invalid(f"{path}[{name}]", amount.value(), detail))
        if amount.sign <= 0:
            detail = "must be greater than zero"
            errors.append(invalid(f"{path}[{name}]", str(amount), detail))
    return errors


def _validate_update(new: Object, old: Object) -> list[FieldError]:
    errors = _validate(new) + _validate_object(new)
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    was, now = source_of(before), source_of(spec)
    expand = "controllerExpandSecretRef"
    if "csi" in was and "csi" in now and expand not in was["csi"]:
        now["csi"] = {key: value for key, value in now["csi"].items() if key != expand}
    if was != now:
        text = internal_diff("PersistentVolumeSource", was, now)
        detail = f"spec.persistentvolumesource is immutable after creation\n{text}"
        errors.append(forbidden("spec.persistentvolumesource", detail))
    errors += immutable(spec.get("volumeMode"), before.get("volumeMode"), "volumeMode")
    if before.get("nodeAffinity") is not None:
        errors += immutable(spec.get("nodeAffinity"), before["nodeAffinity"], "nodeAffinity")
    if before.get("volumeAttributesClassName") and spec.get("volumeAttributesClassName") is None:
        detail = "update from non-nil value to nil is forbidden"
        errors.append(forbidden("spec.volumeAttributesClassName", detail))
    return errors


def _warn(new: Object, _old: Object | None) -> list[str]:
    spec: Object = new.get("spec") or {}
    annotations = (new.get("metadata") or {}).get("annotations") or {}
    warnings = [
        f"metadata.annotations[{key}]: {text}"
        for key, text in _OLD_ANNOTATIONS.items()
        if key in annotations
    ]
    if spec.get("persistentVolumeReclaimPolicy") == "Recycle":
        warnings.append(
            "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, "
            "the recommended approach is to use dynamic provisioning."
        )
    selector = (spec.get("nodeAffinity") or {}).get("required") or {}
    for index, term in enumerate(selector.get("nodeSelectorTerms") or ()):
        path = f"spec.nodeAffinity.required.nodeSelectorTerms[{index}]"
        warnings += warn_node_selector_term(term, path, check_values=False)
    warnings += [
        f"spec.{'storageOS' if kind == 'storageos' else kind}: {text}"
        for kind, text in _WARNED.items()
        if spec.get(kind) is not None
    ]
    return warnings


RULES: Final[dict[str, Rules]] = {
    "PersistentVolume": Rules(
        default=_default,
        prepare_create=_prepare_create,
        prepare_update=keep_status,
        prepare_status=_prepare_status,
        validate=_validate,
        validate_update=_validate_update,
        validate_status=validate_metadata_update,
        warnings=_warn,
        name_problems=is_dns1123_subdomain,
        selectable={"name": lambda obj: str((obj.get("metadata") or {}).get("name", ""))},
        tracks_generation=False,
    )
}
