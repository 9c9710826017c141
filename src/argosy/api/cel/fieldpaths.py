"""`fieldPath` of a rule: a JSON path of names and map keys (`.spec['a.b'].c`) below the place of the rule."""

from __future__ import annotations

import re
from typing import Final

from argosy.api.schema.structural import Schema

_TOKEN: Final = re.compile(r"'(?:[^'\\]|\\.)*'|[.\[\]]|[^.\[\]']+|'", re.DOTALL)
_ESCAPES: Final = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "'": "'", "\\": "\\",
}  # fmt: skip


class FieldPathError(ValueError):
    """The path is malformed or leads nowhere; the text is Kubernetes'."""


def resolve(path: str, schema: Schema, *, brackets: bool = True) -> tuple[str, Schema]:
    """The path as field errors print it, and the schema it leads to; raises FieldPathError."""
    tokens = [found[0] for found in _TOKEN.finditer(path)]
    printed, position = "", 0
    while position < len(tokens):
        opener = tokens[position]
        if opener not in {".", "["}:
            raise FieldPathError(f"expected [ or . but got: {opener}")
        if opener == "[" and not brackets:
            raise FieldPathError("array notation is not allowed")
        if position + 1 >= len(tokens):
            raise FieldPathError("unexpected end of JSON path")
        name = tokens[position + 1]
        if opener == "[":
            name = _unquoted(name)
        schema, named = _step(schema, name)
        if not named:
            printed += f"[{name}]"
        else:
            printed += f".{name}" if printed else name
        position += 2
        if opener == "[":
            if position >= len(tokens):
                raise FieldPathError("unexpected end of JSON path")
            if tokens[position] != "]":
                raise FieldPathError(f"expected ] but got {tokens[position]}")
            position += 1
    return printed, schema


def _step(schema: Schema, name: str) -> tuple[Schema, bool]:
    if schema.properties:
        found = schema.properties.get(name)
        if found is not None:
            return found, True
    elif schema.additional is not None:
        return schema.additional, False
    raise FieldPathError("does not refer to a valid field")


def _unquoted(token: str) -> str:
    if len(token) < 2 or token[0] != "'" or token[-1] != "'":
        raise FieldPathError(f"expected single quoted string but got {token}")

    def replace(found: re.Match[str]) -> str:
        code = found[1]
        if code not in _ESCAPES:
            raise FieldPathError(f"invalid string literal: invalid escape char \\{code}")
        return _ESCAPES[code]

    return re.sub(r"\\(.)", replace, token[1:-1], flags=re.DOTALL)
