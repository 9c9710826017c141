"""What a PersistentVolumeClaim asks for, by itself and as the template inside an ephemeral volume or a StatefulSet."""

from __future__ import annotations

from typing import Final

from argosy.api.rules.labels import validate_label_selector
from argosy.api.rules.names import is_dns1123_label, is_dns1123_subdomain
from argosy.base.fielderrors import FieldError, forbidden, invalid, not_supported, required
from argosy.base.quantities import Quantity
from argosy.base.types import Object

ACCESS_MODES: Final = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
VOLUME_MODES: Final = ("Block", "Filesystem")


def validate_claim_spec(spec: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    modes = spec.get("accessModes") or []
    if not modes:
        errors.append(required(f"{path}.accessModes", "at least 1 access mode is required"))
    errors += validate_label_selector(spec.get("selector"), f"{path}.selector")
    errors += validate_access_modes(modes, f"{path}.accessModes")
    storage = ((spec.get("resources") or {}).get("requests") or {}).get("storage")
    if storage is None:
        errors.append(required(f"{path}.resources[storage]"))
    elif (amount := Quantity.parse(storage)).sign <= 0:
        errors.append(
            invalid(f"{path}.resources[storage]", str(amount), "must be greater than zero")
        )
    if name := spec.get("storageClassName"):
        errors += [
            invalid(f"{path}.storageClassName", name, text) for text in is_dns1123_subdomain(name)
        ]
    mode = spec.get("volumeMode")
    if mode is not None and mode not in VOLUME_MODES:
        errors.append(not_supported(f"{path}.volumeMode", mode, VOLUME_MODES))
    errors += _validate_data_sources(spec, path)
    if name := spec.get("volumeAttributesClassName"):
        errors += [
            invalid(f"{path}.volumeAttributesClassName", name, text)
            for text in is_dns1123_subdomain(name)
        ]
    return errors


def validate_access_modes(modes: list[str], path: str) -> list[FieldError]:
    errors = [not_supported(path, mode, ACCESS_MODES) for mode in modes if mode not in ACCESS_MODES]
    others = {mode for mode in modes if mode in ACCESS_MODES} - {"ReadWriteOncePod"}
    if "ReadWriteOncePod" in modes and others:
        errors.append(forbidden(path, "may not use ReadWriteOncePod with other access modes"))
    return errors


def _validate_data_sources(spec: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    source, ref = spec.get("dataSource"), spec.get("dataSourceRef")
    if source is not None:
        errors += _validate_data_source(source, f"{path}.dataSource")
    if ref is not None:
        errors += _validate_data_source(ref, f"{path}.dataSourceRef")
        if namespace := ref.get("namespace"):
            errors += [
                invalid(f"{path}.dataSourceRef.namespace", namespace, text)
                for text in is_dns1123_label(namespace)
            ]
    if source is None or ref is None:
        return errors
    # Upstream prints its path object here, which has no public fields.
    if ref.get("namespace"):
        detail = "may not be specified when dataSourceRef.namespace is specified"
        errors.append(invalid(path, {}, detail))
    elif any(source.get(field) != ref.get(field) for field in ("apiGroup", "kind", "name")):
        errors.append(invalid(path, {}, "must match dataSourceRef"))
    return errors


def _validate_data_source(source: Object, path: str) -> list[FieldError]:
    errors = [required(f"{path}.{field}") for field in ("name", "kind") if not source.get(field)]
    group, kind = source.get("apiGroup") or "", source.get("kind", "")
    if not group and kind != "PersistentVolumeClaim":
        errors.append(
            invalid(
                path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
            )
        )
    if group:
        errors += [invalid(f"{path}.apiGroup", group, text) for text in is_dns1123_subdomain(group)]
    return errors
