"""All checks of an object before it is written: metadata, schema and CEL of custom kinds, rules of built-in ones.

The rules of a built-in kind check its metadata too, as upstream's do; where a kind has none, metadata is checked here.
"""

from __future__ import annotations

from argosy.api.crds import validate_custom, validate_custom_status, validate_custom_update
from argosy.api.rules.metadata import (
    validate_common_create,
    validate_common_update,
    validate_generic_metadata,
    validate_generic_metadata_update,
    validate_metadata,
    validate_metadata_update,
)
from argosy.api.rules.names import is_dns1123_subdomain
from argosy.apiserver.calls import Call
from argosy.base.errors import Invalid
from argosy.base.fielderrors import FieldError
from argosy.base.types import Object


def check_create(call: Call, obj: Object) -> None:
    kind, rules = call.kind, call.kind.rules
    known = call.content
    if known is not None and known.is_valid(obj):
        check_name = rules.name_problems or is_dns1123_subdomain
        _raise(call, obj, validate_metadata(obj, kind.namespaced, check_name))
        return
    if rules.validate is not None:
        problems = rules.validate(obj)
    elif kind.custom:
        problems = validate_generic_metadata(obj, kind.namespaced, is_dns1123_subdomain)
        problems += validate_custom(call.served, obj)
    else:
        problems = validate_common_create(obj, kind.namespaced)
    _raise(call, obj, problems)
    warnings = rules.warnings(obj, None) if rules.warnings is not None else []
    call.warnings += warnings
    if known is not None and not warnings:
        known.note_valid(obj)


def check_update(call: Call, new: Object, old: Object) -> None:
    rules, is_status = call.kind.rules, call.subresource == "status"
    check = rules.validate_status if is_status else rules.validate_update
    problems: list[FieldError] = []
    if _metadata_differs(new["metadata"], old["metadata"]):
        # Upstream's generic check, which precedes the kind's own: what both find is told twice.
        problems = validate_common_update(new, old, call.kind.namespaced)
    if check is not None:
        problems += check(new, old)
    elif call.kind.custom:
        problems += validate_generic_metadata_update(new, old)
        judge = validate_custom_status if is_status else validate_custom_update
        problems += judge(call.served, new, old, call.warnings)
    else:
        problems += validate_metadata_update(new, old)
    _raise(call, new, problems)
    if rules.warnings is not None and not is_status:
        call.warnings += rules.warnings(new, old)


def _metadata_differs(new: Object, old: Object) -> bool:
    """Whether a client has changed metadata; what it was stored with was found good then."""
    if new.keys() != old.keys():
        return True
    return any(
        value is not old[field] and value != old[field]
        for field, value in new.items()
        if field not in {"managedFields", "generation"}
    )


def _raise(call: Call, obj: Object, problems: list[FieldError]) -> None:
    if problems:
        name = obj["metadata"].get("name") or obj["metadata"].get("generateName", "")
        # Where two groups share objects, upstream names the one they are kept in.
        group = call.kind.stored_resource.partition(".")[2]
        raise Invalid(call.kind.kind, name, problems, group=group)
