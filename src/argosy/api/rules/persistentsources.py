"""Sources of PersistentVolumes: one each, as pods' volumes have, with the references of a cluster-wide object.

What a pod's volume checks in the same way is taken from there; a secret is named with its namespace here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from argosy.api.rules.names import is_dns1123_label, is_dns1123_subdomain
from argosy.api.rules.pods import oldvolumes
from argosy.api.rules.pods.paths import validate_no_backsteps
from argosy.api.rules.pods.volumes import (
    validate_csi_driver_name,
    validate_host_path,
    validate_nfs,
)
from argosy.base.fielderrors import FieldError, forbidden, invalid, required
from argosy.base.types import Object

_CSI_SECRETS: Final = (
    "controllerPublishSecretRef",
    "controllerExpandSecretRef",
    "nodePublishSecretRef",
    "nodeExpandSecretRef",
)


def source_of(spec: Object) -> Object:
    """The part of a spec that is its source."""
    return {kind: spec[kind] for kind in _SOURCES if spec.get(kind) is not None}


def validate_sources(spec: Object, name: str, path: str) -> list[FieldError]:
    """There is one source, and it is well formed; `name` is the volume's."""
    errors: list[FieldError] = []
    count = 0
    for kind, check in _SOURCES.items():
        if (source := spec.get(kind)) is None:
            continue
        count += 1
        if count > 1:
            shown = "cephFS" if kind == "cephfs" else kind
            detail = "may not specify more than 1 volume type"
            errors.append(forbidden(f"{path}.{shown}", detail))
            continue
        at = "persistentDisk" if kind == "gcePersistentDisk" else kind
        errors += check(source, f"{path}.{at}")
        if kind == "iscsi":
            errors += _validate_iscsi_name(source, name, f"{path}.iscsi")
        if kind == "local" and spec.get("nodeAffinity") is None:
            detail = "Local volume requires node affinity"
            errors.append(required(f"{path}.nodeAffinity", detail))
    if not count:
        errors.append(required(path, "must specify a volume type"))
    return errors


def _validate_iscsi_name(source: Object, name: str, path: str) -> list[FieldError]:
    portal = source.get("targetPortal", "")
    if source.get("initiatorName") is None or len(f"{name}:{portal}") <= 64:
        return []
    return [
        invalid(
            f"{path}.targetportal",
            portal,
            "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters "
            "if iscsi.initiatorName is specified.",
        )
    ]


def _require_reference(source: Object, path: str) -> list[FieldError]:
    reference = source.get("secretRef")
    if reference is None:
        return []
    return oldvolumes.require(reference, f"{path}.secretRef", "name", "namespace")


def _validate_cinder(source: Object, path: str) -> list[FieldError]:
    return oldvolumes.require(source, path, "volumeID") + _require_reference(source, path)


def _validate_azure_file(source: Object, path: str) -> list[FieldError]:
    errors = oldvolumes.validate_azure_file(source, path)
    if source.get("secretNamespace") == "":
        errors.append(required(f"{path}.secretNamespace"))
    return errors


def _validate_glusterfs(source: Object, path: str) -> list[FieldError]:
    errors = oldvolumes.validate_glusterfs(source, path)
    if (namespace := source.get("endpointsNamespace")) is not None:
        at = f"{path}.endpointsNamespace"
        if not namespace:
            detail = "if the endpointnamespace is set, it must be a valid namespace name"
            errors.append(invalid(at, namespace, detail))
        else:
            errors += [invalid(at, namespace, text) for text in is_dns1123_label(namespace)]
    return errors


def _validate_local(source: Object, path: str) -> list[FieldError]:
    if not (local := source.get("path")):
        return [required(f"{path}.path")]
    return validate_no_backsteps(local, f"{path}.path")


def _validate_storage_os(source: Object, path: str) -> list[FieldError]:
    plain = {key: value for key, value in source.items() if key != "secretRef"}
    return oldvolumes.validate_storage_os(plain, path) + _require_reference(source, path)


def _validate_csi(source: Object, path: str) -> list[FieldError]:
    errors = validate_csi_driver_name(source.get("driver", ""), f"{path}.driver")
    errors += oldvolumes.require(source, path, "volumeHandle")
    for field in _CSI_SECRETS:
        if (reference := source.get(field)) is None:
            continue
        for part, check in (("name", is_dns1123_subdomain), ("namespace", is_dns1123_label)):
            at = f"{path}.{field}.{part}"
            if not (value := reference.get(part)):
                errors.append(required(at))
            else:
                errors += [invalid(at, value, text) for text in check(value)]
    return errors


_SOURCES: Final[Mapping[str, Callable[[Object, str], list[FieldError]]]] = {
    "hostPath": validate_host_path,
    "gcePersistentDisk": oldvolumes.validate_gce_disk,
    "awsElasticBlockStore": oldvolumes.validate_aws_disk,
    "glusterfs": _validate_glusterfs,
    "flocker": oldvolumes.validate_flocker,
    "nfs": validate_nfs,
    "rbd": oldvolumes.validate_rbd,
    "quobyte": oldvolumes.validate_quobyte,
    "cephfs": oldvolumes.validate_cephfs,
    "iscsi": oldvolumes.validate_iscsi,
    "cinder": _validate_cinder,
    "fc": oldvolumes.validate_fc,
    "flexVolume": oldvolumes.validate_flex,
    "azureFile": _validate_azure_file,
    "vsphereVolume": oldvolumes.validate_vsphere,
    "photonPersistentDisk": oldvolumes.validate_photon,
    "portworxVolume": oldvolumes.validate_portworx,
    "azureDisk": oldvolumes.validate_azure_disk,
    "scaleIO": oldvolumes.validate_scale_io,
    "local": _validate_local,
    "storageos": _validate_storage_os,
    "csi": _validate_csi,
}
