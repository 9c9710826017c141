"""All checks of an object before it is written: metadata, schema and CEL of custom kinds, rules of built-in ones.

The rules of a built-in kind check its metadata too, as upstream's do; where a kind has none, metadata is checked here.
What was found good before and cannot have become bad is not checked again (`remembering`).

The schema of a custom kind judges an object in the version of the request, as it was sent: converting may lose what is
wrong with it. Plugins of kinds with a conversion may therefore fill in metadata, but not what the schema judges.
"""

from __future__ import annotations

import msgspec

from argosy.api.crds import (
    is_same_content,
    status_holds,
    validate_custom,
    validate_custom_status,
    validate_custom_update,
)
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
from argosy.apiserver.remembering import Memory
from argosy.base.errors import Invalid
from argosy.base.fielderrors import FieldError
from argosy.base.types import Object


def check_create(call: Call, obj: Object, memory: Memory) -> None:
    kind, rules = call.kind, call.kind.rules
    known = call.content
    if known is not None and known.is_valid(obj):
        check_name = rules.name_problems or is_dns1123_subdomain
        if not validate_metadata(memory.spared(obj), kind.namespaced, check_name):
            memory.note_metadata(obj)
            return
    if rules.validate is not None:
        problems = rules.validate(obj)
    elif kind.custom:
        problems = validate_generic_metadata(obj, kind.namespaced, is_dns1123_subdomain)
        problems += validate_custom(call.served, _sent_new(call, obj))
    else:
        problems = validate_common_create(obj, kind.namespaced)
    _raise(call, obj, problems)
    warnings = rules.warnings(obj, None) if rules.warnings is not None else []
    call.warnings += warnings
    if known is not None and not warnings:
        known.note_valid(obj)


def check_update(call: Call, new: Object, old: Object, memory: Memory) -> None:
    owners = new["metadata"].get("managedFields")
    if owners.__class__ is not msgspec.Raw:
        _check_update(call, new, old, memory)
        return
    # Written by the server itself (`owning.track_opened`): good, and no list here.
    before = old["metadata"].pop("managedFields")
    del new["metadata"]["managedFields"]
    try:
        _check_update(call, new, old, memory)
    finally:
        new["metadata"]["managedFields"], old["metadata"]["managedFields"] = owners, before


def _check_update(call: Call, new: Object, old: Object, memory: Memory) -> None:
    rules, is_status = call.kind.rules, call.subresource == "status"
    differs = _metadata_differs(new["metadata"], old["metadata"])
    key = None if call.subresource else memory.update_key(call.kind, new, old)
    if (
        key is not None
        and memory.is_good_update(key)
        and not _metadata_problems(memory.spared(new), old, differs=differs)
    ):
        return
    problems = _update_problems(call, new, old, memory, differs=differs)
    _raise(call, new, problems)
    if rules.warnings is not None and not is_status:
        call.warnings += rules.warnings(new, old)
    if key is not None:
        memory.note_update(key)


def _update_problems(
    call: Call, new: Object, old: Object, memory: Memory, *, differs: bool
) -> list[FieldError]:
    rules, is_status = call.kind.rules, call.subresource == "status"
    check = rules.validate_status if is_status else rules.validate_update
    problems: list[FieldError] = []
    if differs:
        # Upstream's generic check, which precedes the kind's own: what both find is told twice.
        problems = validate_common_update(new, old, call.kind.namespaced)
    if check is not None:
        problems += check(new, old)
    elif call.kind.custom:
        problems += validate_generic_metadata_update(new, old)
        if _is_good(call, new, old, memory):
            return problems
        judge = validate_custom_status if is_status else validate_custom_update
        problems += judge(call.served, *_sent_change(call, new, old), call.warnings)
    else:
        problems += validate_metadata_update(new, old)
    return problems


def _is_good(call: Call, new: Object, old: Object, memory: Memory) -> bool:
    """Whether a custom object's content was found good before and is as it was, and nothing is to be said about the
    rest.
    """
    return (
        call.version == call.kind.storage_version
        and memory.steady_key(call.kind, new) in memory.steadies
        and is_same_content(new, old)
        and status_holds(call.served, new, old)
    )


def _sent_new(call: Call, obj: Object) -> Object:
    """A new object as the call's version has it."""
    if call.given is None:
        return obj
    sent = {**call.given, "metadata": obj["metadata"]}
    if "status" in call.served.subresources:
        sent.pop("status", None)
    return sent


def _sent_change(call: Call, new: Object, old: Object) -> tuple[Object, Object]:
    """An object and what it was, as the call's version has them. Each endpoint changes its own part only."""
    convert = call.served.from_storage
    if convert is None:
        return new, old
    before = convert(old)
    if call.given is None:
        return convert(new), before
    if call.subresource == "status":
        sent = {**before, "status": call.given.get("status")}
        if "status" not in call.given:
            del sent["status"]
    else:
        sent = dict(call.given)
        if "status" in call.served.subresources:
            sent.pop("status", None)
            sent |= {"status": before["status"]} if "status" in before else {}
    return {**sent, "metadata": new["metadata"]}, before


def _metadata_problems(new: Object, old: Object, *, differs: bool) -> list[FieldError]:
    """All checks of a pod's metadata in an update, however often they find the same."""
    problems = validate_common_update(new, old, True) if differs else []
    problems += validate_metadata_update(new, old)
    return problems + validate_metadata(new, True, is_dns1123_subdomain)


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
