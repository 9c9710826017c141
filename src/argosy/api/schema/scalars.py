"""Handlers of scalar fields, the leaves of typed decoding (`decoding` tells the whole).

A handler takes the parent, the key and the value, refuses a value of another type with `Mismatch`, replaces a value
that Go prints differently (quantities, times, base64), and answers DROP when the field is left out.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from typing import Final, TypeAlias

from argosy.api.schema.structural import Schema
from argosy.api.schema.times import canonical_micro_time, canonical_time
from argosy.base.fielderrors import format_float
from argosy.base.gotext import json_kind
from argosy.base.quantities import canonical
from argosy.base.types import Json

# What a field's handler says: None (kept), a list of unknown paths below it, or DROP.
Verdict: TypeAlias = "list[str] | None"
DROP: Final[list[str]] = ["the field is left out"]
# (parent, key, value) -> verdict; replaces parent[key] where the value is printed differently.
Handler: TypeAlias = Callable[[Json, Json, Json], Verdict]


class Mismatch(Exception):
    """A value of another type. Collects on its way up the innermost struct and the path.

    Go goes on after most of these and tells the first in the end, unless a later value cannot be read at all. `hard`
    ones come from types that read themselves and end the walk.
    """

    def __init__(
        self,
        parent: Json,
        key: Json,
        go_type: str,
        *,
        scalar: str = "",
        literal: bool = False,
        hard: bool = False,
    ) -> None:
        super().__init__()
        value = parent[key]
        self.parent, self.key, self.hard = parent, key, hard
        # Go's kind of the field, where it is a scalar: `string` for a `v1.PullPolicy`.
        self.scalar = scalar
        self.source = _go_kind(value)
        self.value = f"number {_number(value)}" if literal else json_kind(value)
        self.go_type = go_type
        self.struct = ""
        self.path: list[str] = []

    def __str__(self) -> str:
        if not self.path:
            return f"json: cannot unmarshal {self.value} into Go value of type {self.go_type}"
        path = ".".join(reversed(self.path))
        return (
            f"json: cannot unmarshal {self.value} into Go struct field {self.struct}.{path}"
            f" of type {self.go_type}"
        )

    @property
    def restoring(self) -> str:
        """The same problem in the words of the converter that strategic merge patches go through."""
        if self.hard:
            return f"json: cannot unmarshal {self.value} into Go value of type {self.go_type}"
        if self.go_type.startswith("[]"):
            return f"cannot restore slice from {self.source}"
        if self.go_type.startswith("map["):
            return f"cannot restore map from {self.source}"
        if not self.scalar:
            return f"cannot restore struct from: {self.source}"
        # Go converts between numbers, and numbers to text; JSON does not, so this is refused in words of its own.
        convertible = self.source == "int64" and self.scalar != "bool"
        if convertible or (self.source == "float64" and self.scalar not in ("string", "bool")):
            return f"cannot convert {self.source} to {self.go_type}"
        return f"unrecognized type: {self.scalar}"


def _go_kind(value: Json) -> str:
    """The Go kind of a decoded JSON value."""
    match value:
        case bool():
            return "bool"
        case str():
            return "string"
        case int():
            return "int64"
        case dict():
            return "map"
        case list():
            return "slice"
        case _:
            return "float64"


def _number(value: float) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return f"{value:.1f}"
    return str(value) if isinstance(value, int) else format_float(value)


def leaf_handler(kind: type, go_type: str, *, optional: bool) -> Handler:
    scalar = "bool" if kind is bool else "string"

    def leaf(obj: Json, key: Json, value: Json) -> Verdict:
        if value is None:
            return DROP
        if value.__class__ is not kind:
            raise Mismatch(obj, key, go_type, scalar=scalar)
        return DROP if optional and not value else None

    return leaf


def integer_handler(schema: Schema, *, optional: bool) -> Handler:
    go_type = schema.go_type
    scalar = schema.format or "int64"
    bits = 31 if scalar == "int32" else 63
    low, high = -(1 << bits), (1 << bits) - 1

    def integer(obj: Json, key: Json, value: Json) -> Verdict:
        if value.__class__ is int:
            if low <= value <= high:
                return DROP if optional and not value else None
            raise Mismatch(obj, key, go_type, scalar=scalar, literal=True)
        if value is None:
            return DROP
        raise Mismatch(obj, key, go_type, scalar=scalar, literal=value.__class__ is float)

    return integer


def float_handler(go_type: str, *, optional: bool) -> Handler:
    def number(obj: Json, key: Json, value: Json) -> Verdict:
        if value is None:
            return DROP
        if value.__class__ is float or value.__class__ is int:
            return DROP if optional and not value else None
        raise Mismatch(obj, key, go_type, scalar="float64")

    return number


def anything(obj: Json, key: Json, value: Json) -> Verdict:
    return DROP if value is None else None


def quantity(obj: Json, key: Json, value: Json) -> Verdict:
    if value.__class__ is str:
        text = canonical(value)
    elif value is None:
        return DROP
    elif value.__class__ is int or value.__class__ is float:
        text = canonical(str(value))
    else:
        # Go hands the raw JSON to the parser, which no object, list or boolean passes.
        text = canonical("?")
    if text is not value:
        obj[key] = text
    return None


def int_or_string(obj: Json, key: Json, value: Json) -> Verdict:
    """A struct in Go, so it is never left out for being zero."""
    if value.__class__ is int:
        if -(1 << 31) <= value < 1 << 31:
            return None
        raise Mismatch(obj, key, "int32", literal=True, hard=True)
    if value.__class__ is str:
        return None
    if value is None:
        return DROP
    raise Mismatch(obj, key, "int32", literal=value.__class__ is float, hard=True)


def time_handler(*, micro: bool) -> Handler:
    canonical_text = canonical_micro_time if micro else canonical_time

    def time(obj: Json, key: Json, value: Json) -> Verdict:
        if value is None:
            return DROP
        if value.__class__ is not str:
            raise Mismatch(obj, key, "string", hard=True)
        text = canonical_text(value)
        if text is not value:
            obj[key] = text
        return None

    return time


class IllegalBase64(Mismatch):
    """A string that is no base64."""

    def __init__(self, parent: Json, key: Json) -> None:
        super().__init__(parent, key, "[]uint8")
        self.byte = _bad_byte(parent[key])

    def __str__(self) -> str:
        return f"illegal base64 data at input byte {self.byte}"

    @property
    def restoring(self) -> str:
        return f"error decoding from json: {self}"


def bytes_handler(*, optional: bool) -> Handler:
    def data(obj: Json, key: Json, value: Json) -> Verdict:
        if value is None:
            return DROP
        if value.__class__ is list:
            value = obj[key] = _from_numbers(value)
        elif value.__class__ is not str:
            raise Mismatch(obj, key, "[]uint8")
        text = (
            value.replace("\n", "").replace("\r", "") if "\n" in value or "\r" in value else value
        )
        try:
            base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            raise IllegalBase64(obj, key) from None
        if text is not value:
            obj[key] = text
        return DROP if optional and not text else None

    return data


def _from_numbers(values: list[Json]) -> str:
    """Go takes a list of small numbers for bytes, too."""
    for index, value in enumerate(values):
        if value is None:
            values[index] = 0
        elif value.__class__ is not int:
            raise Mismatch(values, index, "uint8", literal=value.__class__ is float)
        elif not 0 <= value <= 255:
            raise Mismatch(values, index, "uint8", literal=True)
    return base64.b64encode(bytes(values)).decode()


_BASE64: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")


def _bad_byte(text: str) -> int:
    """Where Go's base64 decoder stops: the first foreign byte, or the start of the last incomplete group."""
    count = 0
    for at, ch in enumerate(text):
        if ch in "\r\n":
            continue
        if ch not in _BASE64:
            if ch == "=" and count % 4 >= 2:
                rest = text[at:].replace("\n", "").replace("\r", "")
                if rest == "=" * (4 - count % 4):
                    return at
                return at + (2 if rest[:2] == "==" else 1)
            return at
        count += 1
    return len(text) - count % 4
