"""Leases: who holds a role, since when and for how long.

Holders renew every few seconds and race each other, so an update must say which version it saw, and a PUT may create.
Coordinated election (`strategy`, `preferredHolder`) is off in this version: the fields are dropped silently.
"""

from __future__ import annotations

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.metadata import validate_metadata, validate_metadata_update
from argosy.api.rules.names import is_dns1123_subdomain
from argosy.api.rules.wording import NOT_NEGATIVE
from argosy.base.fielderrors import FieldError, invalid
from argosy.base.types import Object

_ELECTION: Final = ("strategy", "preferredHolder")


def _default(obj: Object) -> None:
    obj.setdefault("spec", {})


def _prepare(obj: Object) -> None:
    for field in _ELECTION:
        obj["spec"].pop(field, None)


def _validate_spec(obj: Object) -> list[FieldError]:
    spec: Object = obj.get("spec") or {}
    errors: list[FieldError] = []
    duration, transitions = spec.get("leaseDurationSeconds"), spec.get("leaseTransitions")
    if duration is not None and duration <= 0:
        errors.append(invalid("spec.leaseDurationSeconds", duration, "must be greater than 0"))
    if transitions is not None and transitions < 0:
        errors.append(invalid("spec.leaseTransitions", transitions, NOT_NEGATIVE))
    return errors


def _validate(obj: Object) -> list[FieldError]:
    return validate_metadata(obj, True, is_dns1123_subdomain) + _validate_spec(obj)


def _validate_update(new: Object, old: Object) -> list[FieldError]:
    return validate_metadata_update(new, old) + _validate_spec(new)


RULES: Final[dict[str, Rules]] = {
    "Lease": Rules(
        default=_default,
        prepare_create=_prepare,
        prepare_update=lambda new, _old: _prepare(new),
        validate=_validate,
        validate_update=_validate_update,
        name_problems=is_dns1123_subdomain,
        create_on_update=True,
        unconditional_update=False,
        tracks_generation=False,
    )
}
