"""Volumes of a pod: one source each, checked by kind.

The order of `_SOURCES` is upstream's: the first source of a volume is checked, every further one is forbidden. Sources
of storage systems that left Kubernetes are still part of the API and live in `oldvolumes`; those made of other objects
are in `projections`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from argosy.api.rules.claims import validate_claim_spec
from argosy.api.rules.labels import validate_annotations, validate_labels
from argosy.api.rules.names import is_dns1123_label, is_dns1123_subdomain
from argosy.api.rules.pods import oldvolumes
from argosy.api.rules.pods.paths import validate_no_backsteps
from argosy.api.rules.pods.projections import (
    validate_config_map_volume,
    validate_downward_volume,
    validate_projected_volume,
    validate_secret_volume,
)
from argosy.api.rules.pods.resources import quantity
from argosy.base.fielderrors import (
    FieldError,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    quote,
    required,
    too_long,
)
from argosy.base.types import Object

_HOST_PATH_TYPES: Final = (
    "",
    "BlockDevice",
    "CharDevice",
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
)
_PULL_POLICIES: Final = ("Always", "IfNotPresent", "Never")

SourceCheck = Callable[[Object, str], list[FieldError]]


def validate_volumes(
    volumes: list[Object], pod_name: str, path: str, *, is_pod: bool
) -> tuple[Mapping[str, Object], list[FieldError]]:
    """The good volumes by name, for mounts to be checked against, and what is wrong with the others.

    `pod_name` is "" in a template, where claims of ephemeral volumes have no name yet.
    """
    errors: list[FieldError] = []
    good: dict[str, Object] = {}
    created: set[str] = set()
    if pod_name:
        created = {
            f"{pod_name}-{volume.get('name', '')}" for volume in volumes if "ephemeral" in volume
        }
    for index, volume in enumerate(volumes):
        name = volume.get("name", "")
        found = _validate_source(volume, pod_name, f"{path}[{index}]", is_pod=is_pod)
        if not name:
            found.append(required(f"{path}[{index}].name"))
        elif problems := is_dns1123_label(name):
            found += [invalid(f"{path}[{index}].name", name, text) for text in problems]
        if name in good:
            found.append(duplicate(f"{path}[{index}].name", name))
        if found:
            errors += found
        else:
            good[name] = volume
        if created and (claim := volume.get("persistentVolumeClaim")):
            claim_name = claim.get("claimName", "")
            if claim_name in created:
                errors.append(
                    invalid(
                        f"{path}[{index}].persistentVolumeClaim.claimName",
                        claim_name,
                        "must not reference a PVC that gets created for an ephemeral volume",
                    )
                )
    return good, errors


def _validate_source(volume: Object, pod_name: str, path: str, *, is_pod: bool) -> list[FieldError]:
    kinds = [kind for kind in volume if kind in _SOURCES and volume[kind] is not None]
    if not kinds:
        return [required(path, "must specify a volume type")]
    errors: list[FieldError] = []
    if len(kinds) > 1:
        kinds = [kind for kind in _SOURCES if kind in kinds]
    first = True
    for kind in kinds:
        if not first:
            errors.append(
                forbidden(
                    f"{path}.{_MISSPELLED.get(kind, kind)}",
                    "may not specify more than 1 volume type",
                )
            )
        else:
            # Upstream's path of this one source differs from the field's name.
            at = "persistentDisk" if kind == "gcePersistentDisk" else kind
            errors += _SOURCES[kind](volume[kind], f"{path}.{at}")
            if kind == "ephemeral" and pod_name:
                errors += _validate_claim_name(pod_name, volume.get("name", ""), path)
            if kind == "image" and is_pod and not volume[kind].get("reference"):
                errors.insert(0, required(f"{path}.image.reference"))
        if kind == "iscsi":
            errors += oldvolumes.validate_iscsi_name(volume, path)
        first = False
    return errors


# Paths of "more than 1 volume type" that upstream spells in its own way.
_MISSPELLED: Final = {"downwardAPI": "downwarAPI", "cephfs": "cephFS"}


def _validate_claim_name(pod_name: str, volume_name: str, path: str) -> list[FieldError]:
    if not volume_name:
        return []
    name = f"{pod_name}-{volume_name}"
    return [
        invalid(f"{path}.name", volume_name, f"PVC name {quote(name)}: {text}")
        for text in is_dns1123_subdomain(name)
    ]


def _validate_empty_dir(source: Object, path: str) -> list[FieldError]:
    limit = source.get("sizeLimit")
    if limit is not None and quantity(limit).sign < 0:
        return [forbidden(f"{path}.sizeLimit", "SizeLimit field must be a valid resource quantity")]
    return []


def validate_host_path(source: Object, path: str) -> list[FieldError]:
    if not (host_path := source.get("path")):
        return [required(f"{path}.path")]
    errors = validate_no_backsteps(host_path, f"{path}.path")
    if (kind := source.get("type", "")) not in _HOST_PATH_TYPES:
        errors.append(not_supported(f"{path}.type", kind, _HOST_PATH_TYPES))
    return errors


def validate_nfs(source: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if not source.get("server"):
        errors.append(required(f"{path}.server"))
    export = source.get("path", "")
    if not export:
        errors.append(required(f"{path}.path"))
    if not export.startswith("/"):
        errors.append(invalid(f"{path}.path", export, "must be an absolute path"))
    return errors


def _validate_persistent_claim(source: Object, path: str) -> list[FieldError]:
    return [] if source.get("claimName") else [required(f"{path}.claimName")]


def validate_csi_driver_name(name: str, path: str) -> list[FieldError]:
    if not name:
        return [required(path)]
    errors = [too_long(path, 63)] if len(name) > 63 else []
    errors += [invalid(path, name, text) for text in is_dns1123_subdomain(name.lower())]
    return errors


def _validate_csi(source: Object, path: str) -> list[FieldError]:
    errors = validate_csi_driver_name(source.get("driver", ""), f"{path}.driver")
    if (secret := source.get("nodePublishSecretRef")) is not None:
        if not (name := secret.get("name")):
            errors.append(required(f"{path}.nodePublishSecretRef.name"))
        else:
            errors += [invalid(f"{path}.name", name, text) for text in is_dns1123_subdomain(name)]
    return errors


def _validate_ephemeral(source: Object, path: str) -> list[FieldError]:
    path = f"{path}.volumeClaimTemplate"
    if (template := source.get("volumeClaimTemplate")) is None:
        return [required(path)]
    meta: Object = template.get("metadata") or {}
    errors = validate_annotations(meta.get("annotations"), f"{path}.metadata.annotations")
    errors += validate_labels(meta.get("labels"), f"{path}.metadata.labels")
    errors += [
        forbidden(f"{path}.metadata.{field}", "cannot be set")
        for field, value in meta.items()
        if field not in {"annotations", "labels"} and value
    ]
    errors += validate_claim_spec(template.get("spec") or {}, f"{path}.spec")
    return errors


def _validate_image(source: Object, path: str) -> list[FieldError]:
    policy = source.get("pullPolicy", "")
    if not policy:
        return [required(f"{path}.pullPolicy")]
    if policy not in _PULL_POLICIES:
        return [not_supported(f"{path}.pullPolicy", policy, _PULL_POLICIES)]
    return []


_SOURCES: Final[Mapping[str, SourceCheck]] = {
    "emptyDir": _validate_empty_dir,
    "hostPath": validate_host_path,
    "gitRepo": oldvolumes.validate_git_repo,
    "gcePersistentDisk": oldvolumes.validate_gce_disk,
    "awsElasticBlockStore": oldvolumes.validate_aws_disk,
    "secret": validate_secret_volume,
    "nfs": validate_nfs,
    "iscsi": oldvolumes.validate_iscsi,
    "glusterfs": oldvolumes.validate_glusterfs,
    "flocker": oldvolumes.validate_flocker,
    "persistentVolumeClaim": _validate_persistent_claim,
    "rbd": oldvolumes.validate_rbd,
    "cinder": oldvolumes.validate_cinder,
    "cephfs": oldvolumes.validate_cephfs,
    "quobyte": oldvolumes.validate_quobyte,
    "downwardAPI": validate_downward_volume,
    "fc": oldvolumes.validate_fc,
    "flexVolume": oldvolumes.validate_flex,
    "configMap": validate_config_map_volume,
    "azureFile": oldvolumes.validate_azure_file,
    "vsphereVolume": oldvolumes.validate_vsphere,
    "photonPersistentDisk": oldvolumes.validate_photon,
    "portworxVolume": oldvolumes.validate_portworx,
    "azureDisk": oldvolumes.validate_azure_disk,
    "storageos": oldvolumes.validate_storage_os,
    "projected": validate_projected_volume,
    "scaleIO": oldvolumes.validate_scale_io,
    "csi": _validate_csi,
    "ephemeral": _validate_ephemeral,
    "image": _validate_image,
}
