"""The protobuf form of OpenAPI v2, byte by byte for small documents and as a whole for the real one."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
import pytest

from argosy.api.builtin import builtin_kinds
from argosy.api.kinds import Scheme
from argosy.apiserver.openapi import OpenAPI, gnostic
from argosy.base.types import Object


@dataclass(frozen=True)
class Case:
    """A document and its bytes."""

    document: Object
    want: bytes


CASES = {
    "texts": Case({"swagger": "2.0"}, b"\x0a\x032.0"),
    "a message": Case({"info": {"title": "T", "version": "1"}}, b"\x12\x06\x0a\x01T\x12\x011"),
    "a definition with a type": Case(
        {"definitions": {"A": {"type": "object"}}},
        b"\x4a\x12\x0a\x10\x0a\x01A\x12\x0b\xb2\x01\x08\x0a\x06object",
    ),
    "a reference": Case(
        {"definitions": {"A": {"$ref": "#/B"}}}, b"\x4a\x0c\x0a\x0a\x0a\x01A\x12\x05\x0a\x03#/B"
    ),
    "numbers and flags": Case(
        {"definitions": {"A": {"maxLength": 300, "uniqueItems": True, "minimum": 1}}},
        b"\x4a\x16\x0a\x14\x0a\x01A\x12\x0f\x58\xac\x02\x80\x01\x01\x49\x00\x00\x00\x00\x00\x00\xf0\x3f",
    ),
    "an extension as YAML": Case(
        {"definitions": {"A": {"x-b": ["c"]}}},
        b"\x4a\x18\x0a\x16\x0a\x01A\x12\x11\xfa\x01\x0e\x0a\x03x-b\x12\x07\x12\x05" + b'["c"]',
    ),
    "words nobody reads": Case({"security": [{"BearerToken": []}]}, b""),
}


@pytest.mark.parametrize("case", CASES)
def test_bytes(case: str) -> None:
    document, want = CASES[case].document, CASES[case].want
    assert gnostic.encode(document) == want


def names(content: bytes, field: int) -> list[bytes]:
    """Names of the pairs in a field of the document that holds named things."""
    found = []
    for number, value in fields(content):
        if number == field:
            for _, pair in fields(value):
                found.append(dict(fields(pair))[1])
    return found


def fields(content: bytes) -> list[tuple[int, bytes]]:
    """The length-delimited fields of a message."""
    out, at = [], 0

    def varint() -> int:
        nonlocal at
        number = shift = 0
        while True:
            byte = content[at]
            at += 1
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return number

    while at < len(content):
        tag = varint()
        match tag & 7:
            case 0:
                varint()
            case 1:
                at += 8
            case 2:
                size = varint()
                out.append((tag >> 3, content[at : at + size]))
                at += size
    return out


def test_the_whole_document_has_every_definition_and_path() -> None:
    openapi = OpenAPI(Scheme(builtin_kinds()))
    document = msgspec.json.decode(openapi.v2().body)
    content = openapi.v2_protobuf().body
    assert names(content, 9) == [name.encode() for name in document["definitions"]]
    assert names(content, 8) == [path.encode() for path in document["paths"]]
