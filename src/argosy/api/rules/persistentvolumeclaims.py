"""PersistentVolumeClaims: fixed once made, but for a bound claim's size and attributes class."""

from __future__ import annotations

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.claims import validate_claim_spec
from argosy.api.rules.diffs import internal_diff
from argosy.api.rules.metadata import immutable, validate_metadata, validate_metadata_update
from argosy.api.rules.names import is_dns1123_subdomain, is_qualified_name
from argosy.api.rules.pods.defaulting import round_up
from argosy.api.rules.pods.resources import is_native, quantity, validate_quantity
from argosy.api.rules.pods.warnings import warn_claim_fractions
from argosy.api.rules.resets import keep_spec
from argosy.api.rules.wording import IMMUTABLE, unsupported
from argosy.base.fielderrors import FieldError, forbidden, invalid, not_supported, required
from argosy.base.types import Object

_CLASS_ANNOTATION: Final = "volume.beta.kubernetes.io/storage-class"
_CLASS_TEXT: Final = 'deprecated since v1.8; use "storageClassName" attribute instead'
_SNAPSHOT_GROUP: Final = "snapshot.storage.k8s.io"
_RESIZE_STATUSES: Final = (
    "ControllerResizeInProgress",
    "ControllerResizeInfeasible",
    "NodeResizeInProgress",
    "NodeResizeInfeasible",
    "NodeResizePending",
)


def _default(obj: Object) -> None:
    spec: Object = obj.setdefault("spec", {})
    if spec.get("volumeMode") is None:
        spec["volumeMode"] = "Filesystem"
    resources: Object = spec.setdefault("resources", {})
    for kind in ("limits", "requests"):
        if resources.get(kind):
            round_up(resources[kind])
    status: Object = obj.setdefault("status", {})
    if not status.get("phase"):
        status["phase"] = "Pending"


def _prepare_create(obj: Object) -> None:
    obj["status"] = {"phase": "Pending"}
    _normalize_sources(obj["spec"], None)


def _prepare_update(new: Object, old: Object) -> None:
    new["status"] = old.get("status", {})
    _normalize_sources(new["spec"], old.get("spec") or {})


def _normalize_sources(spec: Object, before: Object | None) -> None:
    """dataSource and dataSourceRef say the same; an old client's unknown dataSource is dropped silently."""
    used = before is not None and (before.get("dataSource") or before.get("dataSourceRef"))
    source, ref = spec.get("dataSource"), spec.get("dataSourceRef")
    if source is not None and ref is None and not used and not _is_old_source(source):
        del spec["dataSource"]
        return
    if source is not None and ref is None:
        ref = spec["dataSourceRef"] = dict(source)
    elif ref is not None and source is None and not ref.get("namespace"):
        source = {key: value for key, value in ref.items() if key != "namespace"}
        spec["dataSource"] = source
    for each in (source, ref):
        if each is not None:
            # Printed even where it is not given.
            each.setdefault("apiGroup", None)


def _is_old_source(source: Object) -> bool:
    group, kind = source.get("apiGroup") or "", source.get("kind")
    return (group == "" and kind == "PersistentVolumeClaim") or (
        group == _SNAPSHOT_GROUP and kind == "VolumeSnapshot"
    )


def _validate(obj: Object) -> list[FieldError]:
    errors = validate_metadata(obj, True, is_dns1123_subdomain)
    errors += validate_claim_spec(obj.get("spec") or {}, "spec")
    return errors


def _annotation(obj: Object) -> str | None:
    annotations = (obj.get("metadata") or {}).get("annotations") or {}
    value: str | None = annotations.get(_CLASS_ANNOTATION)
    return value


def _validate_update(new: Object, old: Object) -> list[FieldError]:
    errors = validate_metadata_update(new, old) + _validate(new)
    spec, before = dict(new.get("spec") or {}), dict(old.get("spec") or {})
    if not before.get("volumeName") and "volumeName" in spec:
        before["volumeName"] = spec["volumeName"]
    errors += _validate_class(new, old, spec, before)
    if (new.get("status") or {}).get("phase") == "Bound":
        _put_back_resizable(spec, before)
    if spec != before:
        text = internal_diff("PersistentVolumeClaimSpec", before, spec)
        if text:
            detail = (
                "spec is immutable after creation except resources.requests and "
                f"volumeAttributesClassName for bound claims\n{text}"
            )
            errors.append(forbidden("spec", detail))
    errors += _validate_size(new, old)
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    errors += immutable(spec.get("volumeMode"), before.get("volumeMode"), "volumeMode")
    if (old.get("status") or {}).get("currentVolumeAttributesClassName") is not None:
        errors += _validate_attributes(spec, before)
    return errors


def _validate_class(new: Object, old: Object, spec: Object, before: Object) -> list[FieldError]:
    """A class given by the old annotation, or by nothing, may move into the field; else it is fixed."""
    was, now = _annotation(old), _annotation(new)
    given, stored = spec.get("storageClassName"), before.get("storageClassName")
    if was is not None and stored is None and given == was and now in {None, was}:
        del spec["storageClassName"]
        return []
    errors: list[FieldError] = []
    if (was or "") != (now or ""):
        at = f"metadata.annotations.{_CLASS_ANNOTATION}"
        errors.append(invalid(at, now or "", IMMUTABLE))
    if given is not None and stored is None and was in {None, given}:
        del spec["storageClassName"]
    return errors


def _put_back_resizable(spec: Object, before: Object) -> None:
    resources = dict(spec.get("resources") or {})
    stored = ((before.get("resources") or {}).get("requests") or {}).get("storage")
    if resources.get("requests") and stored is not None:
        resources["requests"] = resources["requests"] | {"storage": stored}
        spec["resources"] = resources
    if "volumeAttributesClassName" in before:
        spec["volumeAttributesClassName"] = before["volumeAttributesClassName"]
    else:
        spec.pop("volumeAttributesClassName", None)


def _storage(obj: Object) -> str:
    requests = ((obj.get("spec") or {}).get("resources") or {}).get("requests") or {}
    return str(requests.get("storage", "0"))


def _validate_size(new: Object, old: Object) -> list[FieldError]:
    size = quantity(_storage(new))
    capacity = ((old.get("status") or {}).get("capacity") or {}).get("storage", "0")
    if size < quantity(_storage(old)) and not size > quantity(capacity):
        detail = "field can not be less than status.capacity"
        return [forbidden("spec.resources.requests.storage", detail)]
    return []


def _validate_attributes(spec: Object, before: Object) -> list[FieldError]:
    name = spec.get("volumeAttributesClassName")
    if name == before.get("volumeAttributesClassName") or name:
        return []
    what = "nil" if name is None else "empty string"
    detail = (
        f"update to {what} is forbidden when status.currentVolumeAttributesClassName is not nil"
    )
    return [forbidden("spec.volumeAttributesClassName", detail)]


def _validate_status(new: Object, old: Object) -> list[FieldError]:
    errors = validate_metadata_update(new, old)
    status: Object = new.get("status") or {}
    if not (new.get("spec") or {}).get("accessModes"):
        errors.append(required("Spec.accessModes"))
    for name, value in (status.get("capacity") or {}).items():
        errors += _validate_basic(name, str(value), "status.capacity")
    path = "status.allocatedResourceStatuses"
    for name, state in (status.get("allocatedResourceStatuses") or {}).items():
        errors += _validate_resource_key(name, path)
        if state not in _RESIZE_STATUSES:
            errors.append(not_supported(path, name, _RESIZE_STATUSES))
    path = "status.allocatedResources"
    for name, value in (status.get("allocatedResources") or {}).items():
        found = _validate_resource_key(name, path) or _validate_basic(name, str(value), path)
        errors += found or validate_quantity("storage", value, f"{path}[{name}]")
    return errors


def _validate_basic(name: str, value: str, path: str) -> list[FieldError]:
    amount = quantity(value).value()
    if amount >= 0:
        return []
    return [invalid(f"{path}[{name}]", amount, "must be a valid resource quantity")]


def _validate_resource_key(name: str, path: str) -> list[FieldError]:
    if problems := is_qualified_name(name):
        return [invalid(path, name, text) for text in problems]
    if is_native(name) and name != "storage":
        return [unsupported(path, name, ("storage",))]
    return []


def _warn(new: Object, _old: Object | None) -> list[str]:
    warnings: list[str] = []
    if _annotation(new) is not None:
        warnings.append(f"metadata.annotations[{_CLASS_ANNOTATION}]: {_CLASS_TEXT}")
    warnings += warn_claim_fractions(new.get("spec") or {}, "spec")
    return warnings


RULES: Final[dict[str, Rules]] = {
    "PersistentVolumeClaim": Rules(
        default=_default,
        prepare_create=_prepare_create,
        prepare_update=_prepare_update,
        prepare_status=keep_spec,
        validate=_validate,
        validate_update=_validate_update,
        validate_status=_validate_status,
        warnings=_warn,
        name_problems=is_dns1123_subdomain,
        selectable={"name": lambda obj: str((obj.get("metadata") or {}).get("name", ""))},
        tracks_generation=False,
    )
}
