"""OpenAPI schemas as CEL types, and JSON as CEL values.

A structural schema becomes a type: objects with properties are structs, maps are maps from string, int-or-string is
dyn. Fields whose schema says nothing (preserve-unknown-fields) do not exist for CEL. Field names that are no CEL
identifiers are escaped as Kubernetes does: `a-b` is `a__dash__b`, `namespace` is `__namespace__`.

Data stays raw JSON while it is evaluated; only where JSON and CEL differ (numbers that came as integers, timestamps,
durations, bytes) is a value converted, when it is selected. `converter` says how, `equality` compares two values of
one schema by Kubernetes' rules: lists of type set and map regardless of order.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Final

from argosy.api.cel import times
from argosy.api.cel.types import (
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    DYN,
    INT,
    STRING,
    TIMESTAMP,
    Type,
    list_of,
    map_of,
    struct,
)
from argosy.api.cel.values import CelError
from argosy.api.schema.structural import Schema
from argosy.base.types import Json

_RESERVED: Final = frozenset(
    {
        "true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import",
        "let", "loop", "package", "namespace", "return", "var", "void", "while",
    }
)  # fmt: skip
_ESCAPES: Final = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}
_FORMATS: Final = {"byte": BYTES, "duration": DURATION, "date": TIMESTAMP, "date-time": TIMESTAMP}
_SCALARS: Final = {"boolean": BOOL, "number": DOUBLE, "integer": INT}
_TEXT: Final = Schema(type="string")
_METADATA: Final = Schema(type="object", properties={"name": _TEXT, "generateName": _TEXT})
_METADATA_OF_NONE: Final = Schema()
_RESOURCE: Final = {"kind": _TEXT, "apiVersion": _TEXT, "metadata": _METADATA}

Converter = Callable[[Json], Json]
Equality = Callable[[Json, Json], bool]


def own(schema: Schema) -> Schema:
    """What a CRD says of a value itself, where the schema also knows more of its shape (a resource's metadata)."""
    return schema.restriction or schema


def escape(name: str) -> str | None:
    """The CEL identifier of a property; None if it has none."""
    if not re.fullmatch(r"[A-Za-z_./-][A-Za-z0-9_./-]*", name):
        return None
    if name in _RESERVED:
        return f"__{name}__"
    return re.sub(r"__|[./-]", lambda found: _ESCAPES[found[0]], name)


def declared(schema: Schema, name: str = "selfType", *, root: bool = False) -> Type | None:
    """The type of a schema's values; None if CEL cannot see them."""
    schema = own(schema)
    if schema.int_or_string:
        return DYN
    if root or schema.embedded_resource:
        schema = resource(schema)
    match schema.type:
        case "array" if schema.items is not None:
            item = declared(schema.items, f"{name}.@idx")
            return list_of(item, schema) if item is not None else None
        case "object" if schema.additional is not None and not schema.properties:
            value = declared(schema.additional, f"{name}.@elem")
            return map_of(STRING, value, schema) if value is not None else None
        case "object":
            return struct(name, schema)
        case "string":
            return _FORMATS.get(schema.format, STRING)
        case other:
            return _SCALARS.get(other)


@lru_cache(maxsize=4096)
def resource(schema: Schema) -> Schema:
    """The schema with the fields every resource has; of the metadata, CEL sees the names unless more is declared."""
    known = schema.properties
    metadata = own(known.get("metadata", _METADATA_OF_NONE)).properties
    wanted = (known.get("kind"), known.get("apiVersion"), metadata.get("name"))
    if all(p is not None and p.type == "string" for p in (*wanted, metadata.get("generateName"))):
        return schema
    return replace(schema, properties={**schema.properties, **_RESOURCE})


def find_field(owner: Type, name: str) -> tuple[str, Schema, Type] | None:
    """A struct's field by its CEL name: the property's own name, its schema and type."""
    schema = owner.schema
    assert schema is not None
    for prop, found in schema.properties.items():
        if escape(prop) == name:
            t = declared(found, f"{owner.name}.{name}")
            return None if t is None else (prop, found, t)
    return None


def converter(schema: Schema) -> Converter | None:
    """How a JSON value of this schema becomes a CEL value; None where it already is one."""
    schema = own(schema)
    if schema.int_or_string:
        return None
    match schema.type, schema.format:
        case "number", _:
            return _float
        case "string", "date-time":
            return _parsed(times.parse_timestamp, "date-time")
        case "string", "date":
            return _parsed(times.parse_date, "date")
        case "string", "duration":
            return _parsed(times.parse_duration, "duration")
        case "string", "byte":
            return _parsed(_decode, "byte")
        case "array", _ if schema.items is not None:
            item = converter(schema.items)
            return None if item is None else _each(item)
        case "object", _ if schema.additional is not None and not schema.properties:
            value = converter(schema.additional)
            return None if value is None else _every(value)
        case _:
            return None


def _float(value: Json) -> Json:
    return float(value) if value.__class__ is int else value


def _decode(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(str(error)) from None


def _parsed(parse: Callable[[str], Json], what: str) -> Converter:
    label = "Invalid duration" if what == "duration" else f"Invalid {what} formatted string"

    def run(value: Json) -> Json:
        if value is None:
            return None
        try:
            return parse(value)
        except ValueError as error:
            raise CelError(f"{label} {value}: {error}") from None

    return run


def _each(item: Converter) -> Converter:
    return lambda values: [item(value) for value in values]


def _every(value: Converter) -> Converter:
    return lambda values: {key: value(item) for key, item in values.items()}


@lru_cache(maxsize=4096)
def equality(schema: Schema) -> Equality | None:
    """How two values of this schema are compared; None where `==` on JSON does."""
    schema = own(schema)
    if schema.type == "array" and schema.items is not None:
        item = equality(schema.items)
        if schema.list_type == "set":
            return _same_set
        if schema.list_type == "map" and schema.map_keys:
            return _same_map_list(schema.map_keys, item)
        return None if item is None else _same_list(item)
    if schema.type == "object":
        fields = {
            name: found
            for name, prop in schema.properties.items()
            if (found := equality(prop)) is not None
        }
        rest = equality(schema.additional) if schema.additional is not None else None
        return _same_object(fields, rest) if fields or rest is not None else None
    convert = converter(schema)
    if convert is None or schema.type == "number":
        return None
    return lambda a, b: bool(convert(a) == convert(b))


def _plain(a: Json, b: Json) -> bool:
    return bool(a == b)


def _same_set(a: Json, b: Json) -> bool:
    return len(a) == len(b) and all(item in a for item in b)


def _same_list(item: Equality) -> Equality:
    return lambda a, b: len(a) == len(b) and all(map(item, a, b))


def _same_map_list(keys: tuple[str, ...], item: Equality | None) -> Equality:
    same = item or _plain

    def run(a: Json, b: Json) -> bool:
        if len(a) != len(b):
            return False
        known = {tuple(element.get(key) for key in keys): element for element in a}
        for element in b:
            mine = known.get(tuple(element.get(key) for key in keys))
            if mine is None or not same(mine, element):
                return False
        return True

    return run


def _same_object(fields: dict[str, Equality], rest: Equality | None) -> Equality:
    def run(a: Json, b: Json) -> bool:
        if len(a) != len(b):
            return False
        for key, value in a.items():
            if key not in b:
                return False
            same = fields.get(key, rest) or _plain
            if not same(value, b[key]):
                return False
        return True

    return run
