"""ControllerRevisions: snapshots of a set's template, fixed for good; only their number may move."""

from __future__ import annotations

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.metadata import validate_metadata, validate_metadata_update
from argosy.api.rules.names import is_dns1123_subdomain
from argosy.api.rules.wording import IMMUTABLE, NOT_NEGATIVE
from argosy.base.fielderrors import FieldError, invalid, required
from argosy.base.types import Object


def _default(obj: Object) -> None:
    obj.setdefault("revision", 0)


def _validate_both(obj: Object) -> list[FieldError]:
    errors = validate_metadata(obj, True, is_dns1123_subdomain)
    if (revision := obj.get("revision", 0)) < 0:
        errors.append(invalid("revision", revision, NOT_NEGATIVE))
    return errors


def _validate(obj: Object) -> list[FieldError]:
    errors = _validate_both(obj)
    data = obj.get("data")
    if data is None:
        errors.append(required("data", "data is mandatory"))
    elif not isinstance(data, dict):
        errors.append(required("data", "data must be a valid JSON object"))
    return errors


def _validate_update(new: Object, old: Object) -> list[FieldError]:
    errors = validate_metadata_update(new, old) + _validate_both(new)
    if new.get("data") != old.get("data"):
        errors.append(invalid("data", new.get("data"), IMMUTABLE))
    return errors


CONTROLLER_REVISION: Final = Rules(
    default=_default,
    validate=_validate,
    validate_update=_validate_update,
    name_problems=is_dns1123_subdomain,
    tracks_generation=False,
)
