"""From the bytes of a request body to an object in the storage version, and back to the version a client speaks.

`read` is the way in for whole objects, `read_patch` and `read_apply` for patches, `read_plain` for what is not
stored. Objects end in `accept`: held against their schema (unknown and duplicate fields are refused, warned of or
ignored as fieldValidation says), converted to the storage version and defaulted. Patching does the same in its own
words, from the same parts: `decoded_in`, `settle`.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from argosy.api import protobuf
from argosy.api.crds import decode_custom
from argosy.api.schema.bodies import (
    duplicates,
    parse_json,
    strict_problem,
    strict_texts,
    summary,
)
from argosy.api.schema.builtin import builtin_schema
from argosy.api.schema.decoding import Decoded, cannot_be_handled, decode
from argosy.api.schema.structural import Schema
from argosy.api.schema.syntax import Malformed
from argosy.api.schema.yamls import parse_yaml, yaml_problem
from argosy.apiserver import encoding
from argosy.apiserver.calls import Call
from argosy.apiserver.remembering import Memory
from argosy.apiserver.typemeta import (
    NO_TYPE,
    inconvertible,
    unreadable_type,
    unregistered,
    wrong_type,
)
from argosy.base.errors import BadRequest, UnsupportedMediaType
from argosy.base.gotext import json_kind
from argosy.base.types import Json, Object

DELETE_OPTIONS: Final = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"
_NO_FORMAT: Final = (
    "the body of the request was in an unknown format - accepted media types include: "
    "application/json, application/yaml, application/vnd.kubernetes.protobuf"
)


def read(call: Call, body: bytes, content_type: str, memory: Memory | None = None) -> Object:
    """The object of a create or an update. `memory` is given for creates."""
    media = content_type.partition(";")[0].strip().lower() or "application/json"
    if media == protobuf.MEDIA_TYPE and not call.kind.custom:
        return accept(call, read_protobuf(body, call.served.schema.name))
    if media not in {"application/json", "application/yaml"}:
        raise UnsupportedMediaType(_NO_FORMAT)
    twice: list[str]
    try:
        if media == "application/json":
            obj = parse_json(body)
            twice = strict_texts(
                duplicates(body, obj, None if call.kind.custom else call.served.schema), []
            )
        else:
            obj, repeated = parse_yaml(body)
            twice = [yaml_problem(repeated)] if repeated else []
    except Malformed as problem:
        text = str(problem) if media == "application/yaml" else f"{NO_TYPE}{problem}"
        raise _unrecognized(call, text, body) from None
    unreadable = unreadable_type(obj)
    if unreadable is None and call.kind.custom and not (obj and obj.get("kind")):
        unreadable = f"Object 'Kind' is missing in '{body.decode('utf-8', 'replace')}'"
    if unreadable is not None:
        raise _unrecognized(call, unreadable, body)
    if memory is not None:
        return accept_new(memory, call, obj or {}, twice)
    return accept(call, obj or {}, twice)


def _unrecognized(call: Call, text: str, body: bytes) -> BadRequest:
    kind = call.kind.kind
    return BadRequest(
        f"the object provided is unrecognized (must be of type {kind}): {text} ({summary(body)})"
    )


def accept_new(memory: Memory, call: Call, obj: Object, twice: list[str] | None = None) -> Object:
    """`accept` for a new object, which may be one of many alike."""
    obj = respelled(call, obj)
    key = memory.key(call.kind, call.version, obj) if not twice else None
    if key is None:
        _judge(call, obj, twice)
        return settle(call, obj)
    known = memory.find(key)
    if known is not None:
        call.content = known
        head: Object = {
            field: obj[field] for field in ("apiVersion", "kind", "metadata") if field in obj
        }
        _judge(call, head, None)
        return settle(call, head, known.fresh(obj))
    if _judge(call, obj, None):
        call.content = memory.keep(key, obj)
    return settle(call, obj)


def accept(call: Call, obj: Object, twice: list[str] | None = None) -> Object:
    """Hold `obj` (in the call's version) against its schema, in place; the result is in the storage version."""
    obj = respelled(call, obj)
    _judge(call, obj, twice)
    return settle(call, obj)


def _judge(call: Call, obj: Object, twice: list[str] | None) -> bool:
    """Refuse what is not of the call's kind; True when there was nothing to say at all."""
    problem = wrong_type(call, obj)
    if problem is not None:
        version = str(obj.get("apiVersion") or call.version).rpartition("/")[2]
        given = str(obj.get("kind") or call.kind.kind)
        raise BadRequest(cannot_be_handled(given, version, problem, call.kind.kind))
    decoded = decoded_in(call, obj)
    if decoded.problem is not None:
        raise _cannot_be_handled(call, decoded.problem)
    if not decoded.unknown and not twice:
        return True
    texts = (twice or []) + strict_texts([], decoded.unknown)
    if call.options.field_validation == "Strict":
        raise _cannot_be_handled(call, strict_problem(texts))
    if call.options.field_validation == "Warn":
        call.warnings += texts
    return False


def _cannot_be_handled(call: Call, problem: str) -> BadRequest:
    return BadRequest(cannot_be_handled(call.kind.kind, call.version, problem))


def respelled(call: Call, body: Json) -> Json:
    """A body, or a patch of the same form, with today's names of fields."""
    respell = call.served.respell
    if respell is None or not isinstance(body, dict):
        return body
    body, warnings = respell(body)
    call.warnings += warnings
    return body


def decoded_in(call: Call, obj: Object) -> Decoded:
    """`obj` decoded in place by the schema of the call's version."""
    version = call.served
    return decode_custom(version, obj) if call.kind.custom else decode(version.schema, obj)


def settle(call: Call, obj: Object, stored: Object | None = None) -> Object:
    """A decoded object in the storage version, with the kind's defaults.

    `stored` are fields that have been decoded before.
    """
    kind, version = call.kind, call.served
    if stored:
        obj.update(stored)
    if version.to_storage is not None:
        # A schema judges what was said, and not what became of it.
        call.given = obj
        obj = version.to_storage(obj)
        if kind.custom:
            obj = encoding.copied(obj)
            decode_custom(kind.storage, obj)
    obj["apiVersion"] = kind.api_version(kind.storage_version)
    obj["kind"] = kind.kind
    if kind.rules.default is not None:
        kind.rules.default(obj)
    return obj


def read_back(call: Call, obj: Object) -> None:
    """Give an object that is about to be stored the form it will have when it is read, in place.

    Upstream tells `rules: []` from null until it is stored, so that its writer owns it, and decodes a stored custom
    object by the schema of the storage version, which may know less and default more.
    """
    kind = call.kind
    if kind.custom:
        if call.version != kind.storage_version:
            decode_custom(kind.storage, obj)
        return
    for field in _printed_empty(kind.storage.schema):
        if not obj.get(field):
            obj[field] = None


@cache
def _printed_empty(schema: Schema) -> tuple[str, ...]:
    """The lists and maps of a built-in kind that are printed even when there is nothing in them."""
    return tuple(
        field
        for field in sorted(schema.always)
        if (found := schema.properties[field]).type == "array" or found.additional is not None
    )


def read_patch(body: bytes, told: str = "error decoding patch: {}") -> Json:
    """The value of a JSON, merge or strategic merge patch. `told` is how a body that is no JSON is refused."""
    try:
        return parse_json(body)
    except Malformed as problem:
        raise BadRequest(told.format(problem)) from None


def read_apply(body: bytes, *, encoded: bool = False) -> tuple[Object, list[str]]:
    """The configuration of a server-side apply, which is YAML or JSON, and a line for each key given twice. `encoded`:
    the body comes from an encoder, which writes JSON and no key twice.
    """
    try:
        config, repeated = (parse_json(body), []) if encoded else _parse_apply(body)
    except Malformed as problem:
        raise BadRequest(f"error decoding YAML: error converting YAML to JSON: {problem}") from None
    if config is None:
        return {}, repeated
    if not isinstance(config, dict):
        raise BadRequest(
            "error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal "
            f"{json_kind(config)} into Go value of type map[string]interface {{}}"
        )
    return config, repeated


def _parse_apply(body: bytes) -> tuple[Json, list[str]]:
    """JSON goes the fast way unless there is something to say about it, which YAML's reader does."""
    if body[:1] == b"{":
        try:
            config = parse_json(body)
        except Malformed:
            return parse_yaml(body)
        if not duplicates(body, config):
            return config, []
    return parse_yaml(body)


def to_version(call: Call, obj: Object) -> Object:
    """A stored object as the call's version shows it."""
    convert = call.served.from_storage
    if convert is not None:
        obj = convert(obj)
    obj["apiVersion"] = call.api_version
    return obj


def read_protobuf(body: bytes, type_name: str) -> Object:
    try:
        return protobuf.decode(body, type_name)
    except protobuf.BadProtobuf as problem:
        raise BadRequest(
            f"the object provided is unrecognized: {problem} ({summary(body)})"
        ) from None


def read_plain(body: bytes, type_name: str = DELETE_OPTIONS) -> Object:
    """An object that is no stored kind: DeleteOptions, Scale, Eviction; `type_name` is its built-in type."""
    group, version, kind = type_name.split(".")[-3:]
    if body.startswith(protobuf.MAGIC):
        obj: Json = read_protobuf(body, type_name)
    else:
        try:
            obj = parse_json(body)
        except Malformed as problem:
            raise BadRequest(f"{NO_TYPE}{problem}") from None
    unreadable = unreadable_type(obj)
    if unreadable is not None:
        raise BadRequest(unreadable)
    plain: Object = obj or {}
    given, given_version = plain.get("kind") or kind, plain.get("apiVersion") or version
    if given != kind and type_name == DELETE_OPTIONS:
        found = unregistered(given, given_version)
    elif given != kind:
        found = inconvertible(given, given_version, f"{group}.{kind}")
    else:
        found = decode(builtin_schema(type_name), plain).problem or ""
    if not found:
        return plain
    if type_name != DELETE_OPTIONS:
        found = cannot_be_handled(given, given_version.rpartition("/")[2], found, kind)
    raise BadRequest(found)
