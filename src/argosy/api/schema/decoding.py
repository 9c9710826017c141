"""What Go's typed decoding does to the body of a built-in kind, in one walk and in place.

The server upstream decodes JSON into structs and encodes structs again. That round trip refuses values of another type,
drops unknown fields, nulls and empty optional values, prints quantities and times canonically and fills in what is
printed even when empty (`resources: {}`, `status: {}`, `rules: null`). Here each struct type is compiled once into a
closure over a table of its fields and kept on its `Schema`; a value of the expected type costs one dict lookup and
one type test.

Paths are made only when there is something to say: problems travel up the stack and collect their prefix on the
way. Field names are case sensitive.

Differs from Go: a number's own spelling (`1e2`) is not known here, so errors show it as Python reads it; two spellings
of one key do not merge.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from argosy.api.schema.builtin import MICRO_TIME
from argosy.api.schema.scalars import (
    DROP,
    Handler,
    Mismatch,
    Verdict,
    anything,
    bytes_handler,
    float_handler,
    int_or_string,
    integer_handler,
    leaf_handler,
    quantity,
    time_handler,
)
from argosy.api.schema.structural import Schema
from argosy.base.quantities import ParseError
from argosy.base.types import Json, Object

# Go keeps at most this many strict decoding errors.
MAX_UNKNOWN: Final = 100
# After so many values of another type nobody looks for a worse one.
MAX_MISMATCHES: Final = 10

_CRD: Final = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1."


@dataclass(slots=True, frozen=True)
class Decoded:
    """`problem` is Go's error text, None when the object is good; `unknown` are paths of fields that were dropped.
    `restoring` words a problem as upstream does where it converts a map instead of reading JSON.
    """

    problem: str | None
    unknown: list[str]
    restoring: str = ""


_StructDecoder: TypeAlias = Callable[[Object], Verdict]


def decode(schema: Schema, raw: Object) -> Decoded:
    """Decode an object of a built-in kind in place. O(size of the object)."""
    decoder = schema.decoder or _struct(schema)
    try:
        unknown = decoder(raw)
    except Mismatch as problem:
        return Decoded(_worst(decoder, raw, problem), [], problem.restoring)
    except (ValueError, ParseError) as problem:
        return Decoded(str(problem), [], str(problem))
    return Decoded(None, unknown[:MAX_UNKNOWN] if unknown else [])


def _worst(decoder: _StructDecoder, raw: Object, first: Mismatch) -> str:
    """Go goes on behind a value of another type, in case something else cannot be read at all; so each such value is
    taken for null and the walk repeated.
    """
    problem: Mismatch | None = first
    hidden: list[tuple[Json, Json, Json]] = []
    text = str(first)
    while problem is not None and not problem.hard and len(hidden) < MAX_MISMATCHES:
        hidden.append((problem.parent, problem.key, problem.parent[problem.key]))
        problem.parent[problem.key] = None
        try:
            decoder(raw)
            problem = None
        except Mismatch as found:
            problem = found
        except (ValueError, ParseError) as found:
            text, problem = str(found), None
    if problem is not None and problem.hard:
        text = str(problem)
    for parent, key, value in hidden:
        parent[key] = value
    return text


def cannot_be_handled(kind: str, version: str, problem: str, expected: str = "") -> str:
    """The message of the 400 around a decoding problem."""
    return f'{kind} in version "{version}" cannot be handled as a {expected or kind}: {problem}'


def _struct(schema: Schema) -> _StructDecoder:
    """Compile a struct type. The closure is stored before its fields are compiled, so cycles close on it."""
    fields: dict[str, tuple[type | None, Handler]] = {}
    fills: list[tuple[str, Callable[[], Json]]] = []
    inlined = schema.inlined
    name = schema.go_type.rpartition(".")[2]
    lookup = fields.get

    def decode_struct(obj: Object) -> Verdict:
        issues: list[str] | None = None
        dropped: list[str] | None = None
        key = ""
        try:
            for key, value in obj.items():
                entry = lookup(key)
                if entry is None:
                    issues = [] if issues is None else issues
                    dropped = [] if dropped is None else dropped
                    issues.append(key)
                    dropped.append(key)
                    continue
                fast, handler = entry
                if value.__class__ is fast and value:
                    continue
                verdict = handler(obj, key, value)
                if verdict is None:
                    continue
                if verdict is DROP:
                    if dropped is None:
                        dropped = [key]
                    else:
                        dropped.append(key)
                    continue
                below = _below(key, verdict)
                issues = below if issues is None else issues + below
        except Mismatch as problem:
            problem.struct = problem.struct or name
            problem.path.append(key)
            if key in inlined:
                problem.path.append(inlined[key])
            raise
        if dropped is not None:
            for key in dropped:
                del obj[key]
        for key, zero in fills:
            if key not in obj:
                obj[key] = zero()
        return issues

    schema.decoder = decode_struct
    # A whole object: what is empty in it and given is told apart from what is not given, until it is stored.
    whole = {"apiVersion", "kind", "metadata"} <= schema.properties.keys()
    for key, field in schema.properties.items():
        always = key in schema.always
        optional = key not in schema.pointers and not always
        fields[key] = _field(field, optional=optional, always=always)
        if whole and always and (field.type == "array" or field.additional is not None):
            fields[key] = None, _kept_empty(fields[key][1])
        if always:
            fills.append((key, _null if key in schema.pointers else _zero(field)))
    return decode_struct


def _below(key: str, paths: list[str]) -> list[str]:
    """Paths of unknown fields as they are called from the struct or map that holds `key`."""
    return [f"{key}{path}" if path[:1] == "[" else f"{key}.{path}" for path in paths]


def _field(schema: Schema, *, optional: bool, always: bool = False) -> tuple[type | None, Handler]:
    """The type that needs no further look when its value is not empty, and the handler for everything else.

    `optional`: an empty value is left out. A null is left out in any case; if `always`, the zero value takes its place.
    """
    if schema.quantity:
        return None, quantity
    if schema.int_or_string:
        return None, int_or_string
    if schema.name.startswith(f"{_CRD}JSONSchemaPropsOr"):
        return None, _schema_or(schema)
    if schema.preserve_unknown:
        return None, anything
    if schema.format == "date-time" and schema.type == "string":
        return None, time_handler(micro=schema.name == MICRO_TIME)
    if schema.format == "byte":
        return None, bytes_handler(optional=optional)
    match schema.type:
        case "string":
            return str, leaf_handler(str, schema.go_type, optional=optional)
        case "boolean":
            return bool, leaf_handler(bool, schema.go_type, optional=optional)
        case "integer":
            return None, integer_handler(schema, optional=optional)
        case "number":
            return None, float_handler(schema.go_type, optional=optional)
        case "array":
            return None, _list(schema, always=always)
        case _ if schema.additional is not None:
            return None, _map(schema, schema.additional, always=always)
        case _:
            return None, _object(schema)


def _null() -> None:
    """What Go prints for a nil pointer, slice or map."""


def _zero(schema: Schema) -> Callable[[], Json]:
    """What Go prints for the zero value of a type."""
    if schema.quantity:
        return lambda: "0"
    if schema.int_or_string or schema.type in ("integer", "number"):
        return int
    if schema.preserve_unknown or schema.type == "array" or schema.additional is not None:
        return _null
    if schema.type == "boolean":
        return bool
    if schema.type == "string":
        return str if schema.format != "date-time" else _null
    if schema.type == "" and not schema.properties:
        return _null

    def struct() -> Object:
        value: Object = {}
        (schema.decoder or _struct(schema))(value)
        return value

    return struct


def _list(schema: Schema, *, always: bool) -> Handler:
    items = schema.items
    assert items is not None
    go_type = schema.go_type
    fast, handler = _field(items, optional=False)
    zero = _zero(items)

    def array(obj: Json, key: Json, value: Json) -> Verdict:
        if value.__class__ is not list or not value:
            if value is not None and value.__class__ is not list:
                raise Mismatch(obj, key, go_type)
            return _keep_null(obj, key, always=always)
        issues: list[str] | None = None
        for index, item in enumerate(value):
            if item.__class__ is fast and item:
                continue
            if item is None:
                value[index] = zero()
                continue
            verdict = handler(value, index, item)
            if verdict is not None and verdict is not DROP:
                below = [f"[{index}].{path}" for path in verdict]
                issues = below if issues is None else issues + below
        return issues

    return array


def _keep_null(obj: Json, key: Json, *, always: bool) -> Verdict:
    if always:
        obj[key] = None
        return None
    return DROP


def _kept_empty(handler: Handler) -> Handler:
    """`handler` for a list or map that stays as it is when it is given empty."""

    def kept(obj: Json, key: Json, value: Json) -> Verdict:
        empty = value.__class__ in (list, dict) and not value
        verdict = handler(obj, key, value)
        if empty:
            obj[key] = value
        return verdict

    return kept


def _map(schema: Schema, values: Schema, *, always: bool) -> Handler:
    go_type = schema.go_type
    fast, handler = _field(values, optional=False)
    zero = _zero(values)

    def mapping(obj: Json, key: Json, value: Json) -> Verdict:
        if value.__class__ is not dict or not value:
            if value is not None and value.__class__ is not dict:
                raise Mismatch(obj, key, go_type)
            return _keep_null(obj, key, always=always)
        issues: list[str] | None = None
        for name, item in value.items():
            if item.__class__ is fast and item:
                continue
            if item is None:
                value[name] = zero()
                continue
            verdict = handler(value, name, item)
            if verdict is not None and verdict is not DROP:
                below = _below(name, verdict)
                issues = below if issues is None else issues + below
        return issues

    return mapping


def _object(schema: Schema) -> Handler:
    go_type = schema.go_type

    def struct(obj: Json, key: Json, value: Json) -> Verdict:
        if value.__class__ is dict:
            return (schema.decoder or _struct(schema))(value)
        if value is None:
            return DROP
        raise Mismatch(obj, key, go_type)

    return struct


def _schema_or(schema: Schema) -> Handler:
    """JSONSchemaPropsOrBool and its like: a schema, or something else. Unknown fields below go without a word, as Go's
    own unmarshalers of these types swallow them.
    """
    from argosy.api.schema.builtin import builtin_schema

    props = builtin_schema(f"{_CRD}JSONSchemaProps")
    takes_bool = schema.name.endswith("OrBool")

    def schema_or(obj: Json, key: Json, value: Json) -> Verdict:
        if value is None:
            return DROP
        if value.__class__ is dict:
            (props.decoder or _struct(props))(value)
        elif takes_bool:
            if value.__class__ is not bool:
                raise ValueError("boolean or JSON schema expected")
        elif value.__class__ is list:
            for item in value:
                if item.__class__ is dict:
                    (props.decoder or _struct(props))(item)
        else:
            return DROP
        return None

    return schema_or
