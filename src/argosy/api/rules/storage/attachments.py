"""VolumeAttachments: the wish that a driver attaches a volume to a node, and how that went.

The spec never changes; status is written by the driver and may not touch metadata. An inline volume, which only
migrated in-tree volumes of pods have, is taken as it is: its own spec is not looked into.
"""

from __future__ import annotations

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.metadata import validate_metadata
from argosy.api.rules.names import in_range, is_dns1123_subdomain
from argosy.api.rules.pods.volumes import validate_csi_driver_name
from argosy.api.rules.resets import keep_metadata
from argosy.api.rules.wording import IMMUTABLE, Printed, printed
from argosy.base.fielderrors import FieldError, forbidden, invalid, required, too_long
from argosy.base.types import Object

_METADATA_LIMIT: Final = 256 * 1024
_MESSAGE_LIMIT: Final = 1024
_ONE_SOURCE: Final = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"


def _prepare_create(obj: Object) -> None:
    obj["status"] = {"attached": False}


def _validate(obj: Object) -> list[FieldError]:
    spec: Object = obj.get("spec") or {}
    errors = _validate_object(obj)
    errors += validate_csi_driver_name(spec.get("attacher", ""), "spec.attacher")
    name = (spec.get("source") or {}).get("persistentVolumeName")
    if name is not None:
        path = "spec.source.persistentVolumeName"
        errors += [invalid(path, name, text) for text in is_dns1123_subdomain(name)]
    return errors


def _validate_object(obj: Object) -> list[FieldError]:
    errors = validate_metadata(obj, False, is_dns1123_subdomain)
    spec: Object = obj.get("spec") or {}
    if not spec.get("attacher"):
        errors.append(required("spec.attacher"))
    errors += _validate_source(spec.get("source") or {}, "spec.source")
    node = spec.get("nodeName", "")
    errors += [invalid("spec.nodeName", node, text) for text in is_dns1123_subdomain(node)]
    return errors + _validate_state(obj.get("status") or {})


def _validate_source(source: Object, path: str) -> list[FieldError]:
    name, inline = source.get("persistentVolumeName"), source.get("inlineVolumeSpec")
    if name is None and inline is None:
        return [required(path, _ONE_SOURCE)]
    if name is not None and inline is not None:
        return [forbidden(path, _ONE_SOURCE)]
    if name == "":
        detail = "must specify non empty persistentVolumeName"
        return [required(f"{path}.persistentVolumeName", detail)]
    return []


def _validate_state(status: Object) -> list[FieldError]:
    errors: list[FieldError] = []
    entries: Object = status.get("attachmentMetadata") or {}
    size = sum(len(key.encode()) + len(value.encode()) for key, value in entries.items())
    if size > _METADATA_LIMIT:
        errors.append(too_long("status.attachmentMetadata", _METADATA_LIMIT))
    for field in ("attachError", "detachError"):
        problem: Object = status.get(field) or {}
        if len(problem.get("message", "").encode()) > _MESSAGE_LIMIT:
            # Upstream names the other limit here.
            errors.append(too_long(f"status.{field}.message", _METADATA_LIMIT))
        if (code := problem.get("errorCode")) is not None and code < 0:
            path = f"status.{field}.errorCode"
            errors += [invalid(path, code, text) for text in in_range(code, 0, 2**31 - 1)]
    return errors


def _validate_update(new: Object, old: Object) -> list[FieldError]:
    errors = _validate_object(new)
    spec: Object = new.get("spec") or {}
    if spec != (old.get("spec") or {}):
        errors.append(invalid("spec", _printed_spec(spec), IMMUTABLE))
    return errors


def _printed_spec(spec: Object) -> Printed:
    """As upstream's internal struct prints."""
    source: Object = spec.get("source") or {}
    shown = {
        "Attacher": spec.get("attacher", ""),
        "Source": {
            "PersistentVolumeName": source.get("persistentVolumeName"),
            "InlineVolumeSpec": source.get("inlineVolumeSpec"),
        },
        "NodeName": spec.get("nodeName", ""),
    }
    return printed(shown)


VOLUME_ATTACHMENT: Final = Rules(
    prepare_create=_prepare_create,
    prepare_status=keep_metadata,
    validate=_validate,
    validate_update=_validate_update,
    validate_status=_validate_update,
    name_problems=is_dns1123_subdomain,
    unconditional_update=False,
    tracks_generation=False,
)
