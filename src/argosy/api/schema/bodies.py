"""Request bodies: JSON and YAML into plain values, with Go's words for what cannot be read.

Good JSON goes straight through msgspec. Only when that fails, or a body holds suspiciously many brackets, is it looked
at byte by byte to find what Go's scanner would say (`syntax`). Duplicate keys are found by comparing counts of quotes
before and after parsing; only a body whose counts differ is parsed a second time with every key kept.

Differs from upstream: nesting ends at 250 levels instead of 10,000, because every later walk over the value is
recursive.
"""

from __future__ import annotations

import json
import re
from typing import Final

import msgspec

from argosy.api.schema.structural import Schema
from argosy.api.schema.syntax import Malformed, syntax_problem
from argosy.base.fielderrors import quote
from argosy.base.types import Json

MAX_DEPTH: Final = 250
_LONGEST_NUMBER: Final = 400

_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder().decode
_STRINGS: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_NO_BRACKETS: Final = bytes(set(range(256)).difference(b"[]{}"))
_SURROGATES: Final = re.compile("[\ud800-\udfff]")


def parse_json(body: bytes) -> Json:
    """The value of a JSON body. Raises Malformed."""
    if body.count(b"{") + body.count(b"[") > MAX_DEPTH:
        _check_depth(body)
    try:
        return _decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        text = body.decode("utf-8", "replace")
        problem = syntax_problem(text)
        if problem is not None:
            raise Malformed(problem) from None
        return _repaired(text)


def _repaired(text: str) -> Json:
    """Valid JSON with broken Unicode: Go puts U+FFFD in its place."""
    kept = json.dumps(json.loads(text, parse_int=_integer), ensure_ascii=False)
    return json.loads(_SURROGATES.sub("\ufffd", kept), parse_int=_integer)


def _integer(digits: str) -> int | float:
    """No field takes numbers this long, and reading them exactly takes quadratic time."""
    return int(digits) if len(digits) <= _LONGEST_NUMBER else float(digits)


def _check_depth(body: bytes) -> None:
    depth = 0
    for bracket in _STRINGS.sub(b"", body).translate(None, _NO_BRACKETS):
        if bracket in b"{[":
            depth += 1
            if depth > MAX_DEPTH:
                raise Malformed(f"invalid character '{chr(bracket)}' exceeded max depth")
        else:
            depth -= 1


def summary(body: bytes, limit: int = 30) -> str:
    """The excerpt of a body in Kubernetes' 400: text for something like JSON, hexadecimal otherwise."""
    if not body:
        return "<empty>"
    tail = " ..." if len(body) > limit else ""
    head = body[:limit]
    return (head.decode("utf-8", "replace") if body[:1] == b"{" else head.hex()) + tail


def duplicates(body: bytes, parsed: Json, schema: Schema | None = None) -> list[str]:
    """Paths of keys given twice, in the order of the body; call it before `parsed` is changed.

    With a built-in schema, what lies below unknown fields is not looked at, as Go skips it. Costs one encoding (a few
    µs) when there are none.
    """
    encoded = _encode(parsed)
    if encoded.count(b'"') == body.count(b'"') and encoded.count(b'":') == body.count(b'":'):
        return []
    paths: dict[str, None] = {}
    text = body.decode("utf-8", "replace")
    pairs = json.loads(text, object_pairs_hook=_Pairs, parse_int=_integer)
    _find_duplicates(pairs, "", schema, paths)
    return list(paths)


class _Pairs(list[tuple[str, Json]]):
    """An object with every key it was written with."""


def _find_duplicates(value: Json, path: str, schema: Schema | None, found: dict[str, None]) -> None:
    if isinstance(value, _Pairs):
        seen: set[str] = set()
        for key, item in value:
            below = f"{path}.{key}" if path else key
            child = None
            if schema is not None and not schema.preserve_unknown:
                child = schema.child(key)
                if child is None:
                    continue
            if key in seen:
                found[below] = None
            seen.add(key)
            _find_duplicates(item, below, child, found)
    elif isinstance(value, list):
        items = schema.items if schema is not None else None
        for index, item in enumerate(value):
            _find_duplicates(item, f"{path}[{index}]", items, found)


def strict_texts(duplicate: list[str], unknown: list[str]) -> list[str]:
    """The warnings, or the pieces of a strict decoding error, for these paths."""
    return [
        *(f"duplicate field {quote(path)}" for path in duplicate),
        *(f"unknown field {quote(path)}" for path in unknown),
    ]


def strict_problem(texts: list[str]) -> str:
    """The text of the error when fields are validated strictly."""
    return f"strict decoding error: {', '.join(texts)}"
