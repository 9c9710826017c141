"""Volume sources of storage systems whose drivers left Kubernetes' tree; the API still accepts and checks them."""

from __future__ import annotations

import re
from typing import Final

from argosy.api.rules.names import is_dns1123_label
from argosy.api.rules.pods.paths import validate_descending
from argosy.api.rules.wording import printed, unsupported
from argosy.base.fielderrors import FieldError, invalid, not_supported, required
from argosy.base.types import Object

_PARTITION: Final = "must be between 1 and 255, inclusive"
_LUN: Final = "must be between 0 and 255, inclusive"
_INITIATORS: Final = {
    "iqn": re.compile(r"iqn\.\d{4}-\d{2}\.([0-9A-Za-z.-]+)(:[^,;*&$|\s]+)\Z").search,
    "eui": re.compile(r"eui.[0-9A-Za-z]{16}").fullmatch,
    "naa": re.compile(r"naa.[0-9A-Za-z]{32}").fullmatch,
}
_HOST_PORTS: Final = "must be a host:port pair or multiple pairs separated by commas"
_CACHING_MODES: Final = ("None", "ReadOnly", "ReadWrite")
_DISK_KINDS: Final = ("Dedicated", "Managed", "Shared")
_MANAGED_URI: Final = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"
_BLOB_URI: Final = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"


def require(source: Object, path: str, *fields: str) -> list[FieldError]:
    return [required(f"{path}.{field}") for field in fields if not source.get(field)]


def _validate_partition(source: Object, path: str) -> list[FieldError]:
    partition = source.get("partition", 0)
    if 0 <= partition <= 255:
        return []
    return [invalid(f"{path}.partition", partition, _PARTITION)]


def validate_git_repo(source: Object, path: str) -> list[FieldError]:
    errors = require(source, path, "repository")
    errors += validate_descending(source.get("directory", ""), f"{path}.directory")
    return errors


def validate_gce_disk(source: Object, path: str) -> list[FieldError]:
    return require(source, path, "pdName") + _validate_partition(source, path)


def validate_aws_disk(source: Object, path: str) -> list[FieldError]:
    return require(source, path, "volumeID") + _validate_partition(source, path)


def validate_iscsi(source: Object, path: str) -> list[FieldError]:
    errors = require(source, path, "targetPortal")
    if not (iqn := source.get("iqn")):
        errors.append(required(f"{path}.iqn"))
    else:
        errors += _validate_initiator(iqn, f"{path}.iqn")
    if not 0 <= (lun := source.get("lun", 0)) <= 255:
        errors.append(invalid(f"{path}.lun", lun, _LUN))
    chap = source.get("chapAuthDiscovery") or source.get("chapAuthSession")
    if chap and source.get("secretRef") is None:
        errors.append(required(f"{path}.secretRef"))
    if (initiator := source.get("initiatorName")) is not None:
        errors += _validate_initiator(initiator, f"{path}.initiatorname")
    return errors


def _validate_initiator(name: str, path: str) -> list[FieldError]:
    if (matches := _INITIATORS.get(name[:3])) is None:
        return [invalid(path, name, "must be valid format starting with iqn, eui, or naa")]
    return [] if matches(name) else [invalid(path, name, "must be valid format")]


def validate_iscsi_name(volume: Object, path: str) -> list[FieldError]:
    source, name = volume["iscsi"], volume.get("name", "")
    if source.get("initiatorName") is None:
        return []
    if len(f"{name}:{source.get('targetPortal', '')}") <= 64:
        return []
    return [
        invalid(
            f"{path}.name",
            name,
            "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters "
            "if iscsi.initiatorName is specified.",
        )
    ]


def validate_glusterfs(source: Object, path: str) -> list[FieldError]:
    return require(source, path, "endpoints", "path")


def validate_flocker(source: Object, path: str) -> list[FieldError]:
    name, uid = source.get("datasetName", ""), source.get("datasetUUID", "")
    errors: list[FieldError] = []
    if not name and not uid:
        errors.append(required(path, "one of datasetName and datasetUUID is required"))
    if name and uid:
        errors.append(
            invalid(
                path, "resource", "datasetName and datasetUUID can not be specified simultaneously"
            )
        )
    if "/" in name:
        errors.append(invalid(f"{path}.datasetName", name, "must not contain '/'"))
    return errors


def validate_rbd(source: Object, path: str) -> list[FieldError]:
    return require(source, path, "monitors", "image")


def validate_cinder(source: Object, path: str) -> list[FieldError]:
    return require(source, path, "volumeID") + _validate_secret(source, path)


def _validate_secret(source: Object, path: str) -> list[FieldError]:
    secret = source.get("secretRef")
    if secret is not None and not secret.get("name"):
        return [required(f"{path}.secretRef.name")]
    return []


def validate_cephfs(source: Object, path: str) -> list[FieldError]:
    return require(source, path, "monitors")


def validate_quobyte(source: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if not (registry := source.get("registry")):
        errors.append(required(f"{path}.registry", _HOST_PORTS))
    elif len(source.get("tenant", "")) >= 65:
        errors.append(
            required(
                f"{path}.tenant", "must be a UUID and may not exceed a length of 64 characters"
            )
        )
    else:
        errors += [
            invalid(f"{path}.registry", registry, _HOST_PORTS)
            for pair in registry.split(",")
            if pair.count(":") != 1 and not re.fullmatch(r"\[[^\[\]]*\]:[^:\[\]]*", pair)
        ]
    errors += require(source, path, "volume")
    return errors


def validate_fc(source: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    targets, ids = source.get("targetWWNs"), source.get("wwids")
    if not targets and not ids:
        errors.append(
            required(f"{path}.targetWWNs", "must specify either targetWWNs or wwids, but not both")
        )
    if targets and ids:
        errors.append(
            invalid(
                f"{path}.targetWWNs",
                printed(targets),
                "targetWWNs and wwids can not be specified simultaneously",
            )
        )
    if targets:
        if (lun := source.get("lun")) is None:
            errors.append(required(f"{path}.lun", "lun is required if targetWWNs is specified"))
        elif not 0 <= lun <= 255:
            errors.append(invalid(f"{path}.lun", lun, _LUN))
    return errors


def validate_flex(source: Object, path: str) -> list[FieldError]:
    errors = require(source, path, "driver")
    for key in source.get("options") or {}:
        domain = f".{key.partition('/')[0].lower()}"
        if domain.endswith((".kubernetes.io", ".k8s.io")):
            errors.append(
                invalid(
                    f"{path}.options[{key}]",
                    key,
                    "kubernetes.io and k8s.io namespaces are reserved",
                )
            )
    return errors


def validate_azure_file(source: Object, path: str) -> list[FieldError]:
    return require(source, path, "secretName", "shareName")


def validate_azure_disk(source: Object, path: str) -> list[FieldError]:
    errors = require(source, path, "diskName", "diskURI")
    mode, kind = source.get("cachingMode"), source.get("kind")
    uri = source.get("diskURI", "")
    if mode is not None and mode not in _CACHING_MODES:
        errors.append(not_supported(f"{path}.cachingMode", mode, _CACHING_MODES))
    if kind is not None and kind not in _DISK_KINDS:
        errors.append(not_supported(f"{path}.kind", kind, _DISK_KINDS))
    if kind == "Managed" and not uri.startswith("/subscriptions/"):
        errors.append(unsupported(f"{path}.diskURI", uri, [_MANAGED_URI]))
    if kind not in {None, "Managed"} and not uri.startswith("https://"):
        errors.append(unsupported(f"{path}.diskURI", uri, [_BLOB_URI]))
    return errors


def validate_vsphere(source: Object, path: str) -> list[FieldError]:
    return require(source, path, "volumePath")


def validate_photon(source: Object, path: str) -> list[FieldError]:
    return require(source, path, "pdID")


def validate_portworx(source: Object, path: str) -> list[FieldError]:
    return require(source, path, "volumeID")


def validate_scale_io(source: Object, path: str) -> list[FieldError]:
    return require(source, path, "gateway", "system", "volumeName")


def validate_storage_os(source: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if not (name := source.get("volumeName")):
        errors.append(required(f"{path}.volumeName"))
    else:
        errors += [invalid(f"{path}.volumeName", name, text) for text in is_dns1123_label(name)]
    if namespace := source.get("volumeNamespace"):
        errors += [
            invalid(f"{path}.volumeNamespace", namespace, text)
            for text in is_dns1123_label(namespace)
        ]
    errors += _validate_secret(source, path)
    return errors
