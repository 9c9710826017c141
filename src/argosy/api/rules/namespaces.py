"""Namespaces: active until deleted, then terminating until the last spec finalizer is gone."""

from __future__ import annotations

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.metadata import (
    validate_finalizer_name,
    validate_metadata,
    validate_metadata_update,
)
from argosy.api.rules.names import is_dns1123_label, is_qualified_name
from argosy.api.rules.resets import keep_spec
from argosy.base.fielderrors import FieldError, invalid
from argosy.base.types import Object

NAME_LABEL: Final = "kubernetes.io/metadata.name"


def _default(obj: Object) -> None:
    meta: Object = obj.setdefault("metadata", {})
    if name := meta.get("name"):
        if meta.get("labels") is None:
            meta["labels"] = {}
        meta["labels"][NAME_LABEL] = name
    obj.setdefault("spec", {})
    status: Object = obj.setdefault("status", {})
    if not status.get("phase"):
        status["phase"] = "Active"


def _prepare_create(obj: Object) -> None:
    # A generated name came after defaulting.
    _default(obj)
    obj["status"] = {"phase": "Active"}
    finalizers: list[str] = obj["spec"].get("finalizers") or []
    if "kubernetes" not in finalizers:
        obj["spec"]["finalizers"] = [*finalizers, "kubernetes"]


def _prepare_update(new: Object, old: Object) -> None:
    new["spec"] = old.get("spec", {})
    new["status"] = old.get("status", {})


def _validate(obj: Object) -> list[FieldError]:
    errors = validate_metadata(obj, False, is_dns1123_label)
    for name in (obj.get("spec") or {}).get("finalizers") or ():
        errors += _validate_finalizer(name, "spec.finalizers")
    return errors


def _validate_finalizer(name: str, path: str) -> list[FieldError]:
    errors = [invalid(path, name, text) for text in is_qualified_name(name)]
    errors += validate_finalizer_name(name, path)
    return errors


def _validate_update(new: Object, old: Object) -> list[FieldError]:
    return _validate(new) + validate_metadata_update(new, old)


def _validate_status(new: Object, old: Object) -> list[FieldError]:
    errors = validate_metadata_update(new, old)
    phase = (new.get("status") or {}).get("phase", "")
    if not (new.get("metadata") or {}).get("deletionTimestamp"):
        if phase != "Active":
            detail = "may only be 'Active' if `deletionTimestamp` is empty"
            errors.append(invalid("status.Phase", phase, detail))
    elif phase != "Terminating":
        detail = "may only be 'Terminating' if `deletionTimestamp` is not empty"
        errors.append(invalid("status.Phase", phase, detail))
    return errors


def validate_finalize(new: Object, old: Object) -> list[FieldError]:
    errors = validate_metadata_update(new, old)
    for index, name in enumerate((new.get("spec") or {}).get("finalizers") or ()):
        errors += _validate_finalizer(name, f"spec.finalizers[{index}]")
    return errors


RULES: Final[dict[str, Rules]] = {
    "Namespace": Rules(
        default=_default,
        prepare_create=_prepare_create,
        prepare_update=_prepare_update,
        prepare_status=keep_spec,
        validate=_validate,
        validate_update=_validate_update,
        validate_status=_validate_status,
        name_problems=is_dns1123_label,
        selectable={
            "status.phase": lambda obj: str((obj.get("status") or {}).get("phase", "")),
            # The field's oldest name, still taken by clients.
            "name": lambda obj: str((obj.get("metadata") or {}).get("name", "")),
        },
        tracks_generation=False,
    )
}
