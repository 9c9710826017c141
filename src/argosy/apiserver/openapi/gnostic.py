"""OpenAPI v2 in the form kubectl asks for: gnostic's protobuf of a swagger document.

kubectl reads v3, but falls back to v2 for what v3 has no word for: `kind: List` and kinds the server does not know
(the answer to which decides between "no matches for kind" and a failure). It asks for this form only.

The wire format is written from tables: for each of gnostic's messages, the document's keys with their field numbers
and the way their values are written. Keys that start with `x-` go out as vendor extensions, whose value is YAML, for
which JSON does. What the swagger document of this server never has (headers, files, examples, OAuth) is not here.
The numbers are those of openapi.v2 in OpenAPIv2.proto. Linear in the document.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from struct import pack
from typing import Final

import msgspec

from argosy.base.types import Json, Object

MEDIA_TYPE: Final = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
# What kube-apiserver names it in its answer.
CONTENT_TYPE: Final = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"

# Writes the value of a field, tag included.
_Write = Callable[[int, Json], bytes]


def encode(document: Object) -> bytes:
    """A swagger document as an openapi.v2.Document."""
    return _message(document, _DOCUMENT)


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _delimited(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _text(field: int, value: Json) -> bytes:
    return _delimited(field, value.encode())


def _texts(field: int, value: Json) -> bytes:
    return b"".join(_text(field, one) for one in value)


def _flag(field: int, value: Json) -> bytes:
    return _varint(field << 3) + (b"\x01" if value else b"\x00")


def _integer(field: int, value: Json) -> bytes:
    return _varint(field << 3) + _varint(int(value) & 0xFFFF_FFFF_FFFF_FFFF)


def _double(field: int, value: Json) -> bytes:
    return _varint(field << 3 | 1) + pack("<d", value)


def _any(value: Json) -> bytes:
    """An Any: only its YAML is filled in."""
    return _text(2, msgspec.json.encode(value).decode())


def _anys(field: int, value: Json) -> bytes:
    return b"".join(_delimited(field, _any(one)) for one in value)


def _one_any(field: int, value: Json) -> bytes:
    return _delimited(field, _any(value))


class _Fields:
    """A message: how its keys are written, and the field that takes its vendor extensions (0: none)."""

    def __init__(self, keys: dict[str, tuple[int, _Write]], *, extensions: int = 0) -> None:
        self.keys = keys
        self.extensions = extensions


def _message(value: Mapping[str, Json], fields: _Fields) -> bytes:
    out = []
    for key, inner in value.items():
        entry = fields.keys.get(key)
        if entry is not None:
            number, write = entry
            out.append(write(number, inner))
        elif fields.extensions and key.startswith("x-"):
            out.append(_named(fields.extensions, key, _any(inner)))
    return b"".join(out)


def _named(field: int, name: str, content: bytes) -> bytes:
    return _delimited(field, _text(1, name) + _delimited(2, content))


def _schema(field: int, value: Json) -> bytes:
    return _delimited(field, _message(value, _SCHEMA))


def _schemas(field: int, value: Json) -> bytes:
    return b"".join(_schema(field, one) for one in value)


def _named_schemas(field: int, value: Json) -> bytes:
    """Properties and Definitions: one message that holds all pairs."""
    pairs = (_named(1, name, _message(inner, _SCHEMA)) for name, inner in value.items())
    return _delimited(field, b"".join(pairs))


def _type(field: int, value: Json) -> bytes:
    return _delimited(field, _text(1, value))


def _items(field: int, value: Json) -> bytes:
    return _delimited(field, _schema(1, value))


def _additional(field: int, value: Json) -> bytes:
    inner = _flag(2, value) if isinstance(value, bool) else _schema(1, value)
    return _delimited(field, inner)


def _paths(field: int, value: Json) -> bytes:
    pairs = (_named(2, path, _message(item, _PATH_ITEM)) for path, item in value.items())
    return _delimited(field, b"".join(pairs))


def _operation(field: int, value: Json) -> bytes:
    return _delimited(field, _message(value, _OPERATION))


def _parameters(field: int, value: Json) -> bytes:
    return b"".join(_delimited(field, _delimited(1, _parameter(one))) for one in value)


def _parameter(value: Object) -> bytes:
    if value["in"] == "body":
        return _delimited(1, _message(value, _BODY))
    number, fields = (3, _QUERY) if value["in"] == "query" else (4, _PATH)
    return _delimited(2, _delimited(number, _message(value, fields)))


def _responses(field: int, value: Json) -> bytes:
    pairs = (_named(1, code, _delimited(1, _response(one))) for code, one in value.items())
    return _delimited(field, b"".join(pairs))


def _response(value: Object) -> bytes:
    out = _text(1, value["description"])
    return out + _delimited(2, _schema(1, value["schema"])) if "schema" in value else out


def _info(field: int, value: Json) -> bytes:
    return _delimited(field, _text(1, value["title"]) + _text(2, value["version"]))


_DOCUMENT: Final = _Fields({
    "swagger": (1, _text), "info": (2, _info), "paths": (8, _paths), "definitions": (9, _named_schemas),
})  # fmt: skip
_SCHEMA: Final = _Fields({
    "$ref": (1, _text), "format": (2, _text), "title": (3, _text), "description": (4, _text), "default": (5, _one_any),
    "multipleOf": (6, _double), "maximum": (7, _double), "exclusiveMaximum": (8, _flag), "minimum": (9, _double),
    "exclusiveMinimum": (10, _flag), "maxLength": (11, _integer), "minLength": (12, _integer), "pattern": (13, _text),
    "maxItems": (14, _integer), "minItems": (15, _integer), "uniqueItems": (16, _flag), "maxProperties": (17, _integer),
    "minProperties": (18, _integer), "required": (19, _texts), "enum": (20, _anys),
    "additionalProperties": (21, _additional), "type": (22, _type), "items": (23, _items), "allOf": (24, _schemas),
    "properties": (25, _named_schemas),
}, extensions=31)  # fmt: skip
_PATH_ITEM: Final = _Fields({
    "get": (2, _operation), "put": (3, _operation), "post": (4, _operation), "delete": (5, _operation),
    "patch": (8, _operation), "parameters": (9, _parameters),
}, extensions=10)  # fmt: skip
_OPERATION: Final = _Fields({
    "tags": (1, _texts), "description": (3, _text), "operationId": (5, _text), "produces": (6, _texts),
    "consumes": (7, _texts), "parameters": (8, _parameters), "responses": (9, _responses), "schemes": (10, _texts),
}, extensions=13)  # fmt: skip
_BODY: Final = _Fields({
    "description": (1, _text), "name": (2, _text), "in": (3, _text), "required": (4, _flag), "schema": (5, _schema),
})  # fmt: skip
_QUERY: Final = _Fields({
    "required": (1, _flag), "in": (2, _text), "description": (3, _text), "name": (4, _text), "type": (6, _text),
    "uniqueItems": (20, _flag),
})  # fmt: skip
_PATH: Final = _Fields({
    "required": (1, _flag), "in": (2, _text), "description": (3, _text), "name": (4, _text), "type": (5, _text),
    "uniqueItems": (19, _flag),
})  # fmt: skip
