"""From the bytes of a request body to an object in the storage version, and back to the version a client speaks.

`read` is the way in for whole objects, `read_patch` and `read_apply` for patches. `accept` is what all of them end
in: the object is held against its schema (unknown and duplicate fields
are refused, warned of or ignored as fieldValidation says), converted to the storage version and defaulted.
"""

from __future__ import annotations

from argosy.api import protobuf
from argosy.api.builtin import builtin_kinds
from argosy.api.crds import decode_custom
from argosy.api.schema.bodies import (
    duplicates,
    parse_json,
    strict_problem,
    strict_texts,
    summary,
)
from argosy.api.schema.decoding import cannot_be_handled, decode
from argosy.api.schema.syntax import Malformed
from argosy.api.schema.yamls import parse_yaml, yaml_problem
from argosy.apiserver.calls import Call
from argosy.apiserver.remembering import Memory
from argosy.base.errors import BadRequest, UnsupportedMediaType
from argosy.base.fielderrors import quote
from argosy.base.types import Json, Object

DELETE_OPTIONS = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"
_NO_FORMAT = (
    "the body of the request was in an unknown format - accepted media types include: "
    "application/json, application/yaml, application/vnd.kubernetes.protobuf"
)


def read(call: Call, body: bytes, content_type: str, memory: Memory | None = None) -> Object:
    """The object of a create or an update. `memory` is given for creates."""
    media = content_type.partition(";")[0].strip()
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
        text = str(problem)
        if media == "application/json":
            text = f"couldn't get version/kind; json parse error: {text}"
        raise _unrecognized(call, text, body) from None
    if not isinstance(obj, dict):
        names = {list: "array", str: "string", bool: "bool", int: "number", float: "number"}
        raise _unrecognized(
            call,
            f"couldn't get version/kind; json parse error: json: cannot unmarshal {names.get(type(obj), 'null')} "
            'into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; '
            'Kind string "json:\\"kind,omitempty\\"" }',
            body,
        )
    if memory is not None:
        return accept_new(memory, call, obj, twice)
    return accept(call, obj, twice=twice)


def _unrecognized(call: Call, text: str, body: bytes) -> BadRequest:
    kind = call.kind.kind
    return BadRequest(
        f"the object provided is unrecognized (must be of type {kind}): {text} ({summary(body)})"
    )


def accept_new(memory: Memory, call: Call, obj: Object, twice: list[str] | None = None) -> Object:
    """`accept` for a new object, which may be one of many alike."""
    key = memory.key(call.kind, call.version, obj) if not twice else None
    if key is None:
        return accept(call, obj, twice=twice)
    call.content = memory.find(key)
    if call.content is None:
        warned = len(call.warnings)
        obj = accept(call, obj)
        if len(call.warnings) == warned:
            call.content = memory.keep(key, obj)
        return obj
    head: Object = {
        field: obj[field] for field in ("apiVersion", "kind", "metadata") if field in obj
    }
    return accept(call, head, stored=call.content.fresh())


def accept(
    call: Call, obj: Object, *, twice: list[str] | None = None, stored: Object | None = None
) -> Object:
    """Hold `obj` (in the call's version) against its schema, in place; the result is in the storage version.

    `stored` are fields that come from the store unchanged and need no second look.
    """
    kind, version = call.kind, call.served
    _check_type(call, obj)
    decoded = decode_custom(version, obj) if kind.custom else decode(version.schema, obj)
    if decoded.problem is not None:
        raise BadRequest(cannot_be_handled(kind.kind, call.version, decoded.problem))
    if decoded.unknown or twice:
        _say_strict(call, (twice or []) + strict_texts([], decoded.unknown))
    if stored:
        obj.update(stored)
    if version.to_storage is not None:
        obj = version.to_storage(obj)
    obj["apiVersion"] = kind.api_version(kind.storage_version)
    obj["kind"] = kind.kind
    if kind.rules.default is not None:
        kind.rules.default(obj)
    return obj


def _say_strict(call: Call, texts: list[str]) -> None:
    match call.options.field_validation:
        case "Strict":
            problem = strict_problem(texts)
            if call.kind.custom or call.verb == "patch":
                raise BadRequest(problem)
            raise BadRequest(cannot_be_handled(call.kind.kind, call.version, problem))
        case "Warn":
            call.warnings += texts


def _check_type(call: Call, obj: Object) -> None:
    """apiVersion and kind may be left out for built-in kinds; given, they must fit the path."""
    given_kind, given_version = obj.get("kind"), obj.get("apiVersion")
    kind = call.kind
    if given_kind == kind.kind and given_version == call.api_version:
        return
    if kind.custom:
        _check_custom_type(call, given_kind, given_version)
        return
    given_kind = given_kind or kind.kind
    given_version = given_version or call.api_version
    if given_kind == kind.kind and given_version == call.api_version:
        return
    group, _, version = str(given_version).rpartition("/")
    if any(
        k.group == group and k.kind == given_kind and version in k.versions for k in builtin_kinds()
    ):
        internal = f"{kind.group.partition('.')[0] or 'core'}.{kind.kind}"
        problem = f"converting ({version}.{given_kind}) to ({internal}): unknown conversion"
    else:
        problem = (
            f'no kind "{given_kind}" is registered for version "{given_version}" '
            'in scheme "pkg/runtime/scheme.go:111"'
        )
    raise BadRequest(cannot_be_handled(str(given_kind), version, problem, kind.kind))


def _check_custom_type(call: Call, given_kind: Json, given_version: Json) -> None:
    if not given_kind:
        raise BadRequest(
            f"the object provided is unrecognized (must be of type {call.kind.kind}): Object 'Kind' is missing"
        )
    if given_version != call.api_version:
        raise BadRequest(
            f"the API version in the data ({given_version}) does not match the expected API version "
            f"({call.api_version})"
        )
    raise BadRequest(
        f"{given_kind} in version {quote(call.version)} cannot be handled as a {call.kind.kind}: "
        f"the kind in the data ({given_kind}) does not match the expected kind ({call.kind.kind})"
    )


def read_patch(body: bytes) -> Json:
    """The value of a JSON, merge or strategic merge patch."""
    try:
        return parse_json(body)
    except Malformed as problem:
        raise BadRequest(f"error decoding patch: {problem}") from None


def read_apply(call: Call, body: bytes) -> Object:
    """The configuration of a server-side apply, which is YAML or JSON."""
    try:
        config = parse_json(body) if body[:1] == b"{" else parse_yaml(body)[0]
    except Malformed as problem:
        raise BadRequest(f"error decoding YAML: {problem}") from None
    if not isinstance(config, dict):
        raise BadRequest(
            f"error decoding YAML: Object 'Kind' is missing in '{body.decode('utf-8', 'replace')}'"
        )
    return config


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
    if body.startswith(protobuf.MAGIC):
        return read_protobuf(body, type_name)
    try:
        obj = parse_json(body)
    except Malformed as problem:
        raise BadRequest(f"couldn't get version/kind; json parse error: {problem}") from None
    if not isinstance(obj, dict):
        raise BadRequest("the body of the request must be a JSON object")
    return obj
