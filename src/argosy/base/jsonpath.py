"""The JSONPath dialect of kubectl and of CRD columns: `.status.conditions[?(@.type=="Ready")].status`.

A path is compiled once into functions from a list of values to a list of values. `find` never fails: where
the path does not apply (a missing field, an index out of range, a filter over something that is no list) it
finds nothing, as a table cell then stays empty. Syntax errors come at once from `compile`, in upstream's
words.

Paths may be braced (`{.spec.x}`) or relaxed (`.spec.x`, `spec.x`). Templates with text, several blocks or
`range` are kubectl's output language and not read here.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, TypeAlias

from argosy.base.types import Json

Step: TypeAlias = Callable[[list[Json]], list[Json]]

_TERMINATORS: Final = frozenset(" \t\r\n.,[]$@{}")
_SLICE: Final = re.compile(r"(-?[0-9]*)(:-?[0-9]*)?(:-?[0-9]*)?")
_COMPARISON: Final = re.compile(r"([^!<>=]+)([!<>=]+)(.+?)", re.DOTALL)
_NUMBER: Final = re.compile(r"[+-]?[0-9.]*")
_COMPARE: Final[dict[str, Callable[[Json, Json], bool]]] = {
    "<": operator.lt,
    ">": operator.gt,
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
}


class JSONPathError(ValueError):
    """The path cannot be understood."""


class _Inapplicable(Exception):
    """The path asks for something the value cannot have, such as an index of a map."""


class JSONPath:
    """A compiled path."""

    __slots__ = ("_fields", "_steps", "text")

    def __init__(self, text: str, steps: list[Step], fields: tuple[str, ...] | None) -> None:
        self.text = text
        self._steps = tuple(steps)
        # Plain `.a.b.c`, the common case, needs no lists.
        self._fields = fields

    def find(self, value: Json) -> list[Json]:
        """Every value the path leads to, in document order; [] where it leads nowhere."""
        if self._fields is not None:
            for name in self._fields:
                if not isinstance(value, dict) or name not in value:
                    return []
                value = value[name]
            return [value]
        found = [value]
        try:
            for step in self._steps:
                found = step(found)
        except _Inapplicable:
            return []
        return found


@lru_cache(maxsize=4096)
def compile(text: str) -> JSONPath:  # noqa: A001  (as re.compile)
    """The path `text` describes; JSONPathError if it describes none."""
    inner = text
    if text.startswith("{") and text.endswith("}"):
        inner = text[1:-1]
    elif not text.startswith((".", "[", "$", "@")):
        inner = f".{text}"
    parser = _Parser(inner)
    steps = parser.parse()
    return JSONPath(text, steps, tuple(parser.fields) if parser.plain else None)


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._steps: list[Step] = []
        self._recursed = False
        self.fields: list[str] = []
        self.plain = True

    def parse(self) -> list[Step]:
        while self._at < len(self._text):
            self._next()
        return self._steps

    def _add(self, step: Step) -> None:
        self._steps.append(step)
        self.plain = False

    def _next(self) -> None:
        text, at = self._text, self._at
        recursed, self._recursed = self._recursed, False
        char = text[at]
        if text.startswith("[?(", at):
            self._filter()
        elif text.startswith("..", at):
            if recursed:
                raise JSONPathError("invalid multiple recursive descent")
            self._at += 2
            self._add(_descend)
            self._recursed = True
            if text[self._at : self._at + 1].isalnum() or text.startswith("_", self._at):
                self._field()
        elif char in " @$":
            self._at += 1
        elif char == "[":
            self._brackets()
        elif char in "\"'":
            self._quoted(char)
        elif char == ".":
            self._at += 1
            self._field()
        elif char in "+-" or char.isdigit():
            self._number()
        elif char == "_" or char.isalpha():
            self._word()
        elif char in "\r\n":
            raise JSONPathError("unclosed action")
        else:
            raise JSONPathError(f"unrecognized character in action: U+{ord(char):04X} '{char}'")

    def _name(self) -> str:
        start, text = self._at, self._text
        while self._at < len(text) and text[self._at] not in _TERMINATORS:
            self._at += 2 if text[self._at] == "\\" else 1
        return text[start : self._at]

    def _field(self) -> None:
        name = self._name()
        if name == "*":
            self._add(_children)
            return
        name = name.replace("\\", "")
        self.fields.append(name)
        self._steps.append(_member(name))

    def _word(self) -> None:
        word = self._name()
        if word not in {"true", "false"}:
            raise JSONPathError(f"unrecognized identifier {word}")
        self._add(_constant(word == "true"))

    def _number(self) -> None:
        found = _NUMBER.match(self._text, self._at)
        assert found is not None  # the expression matches the empty text
        self._at = found.end()
        try:
            self._add(_constant(float(found[0]) if "." in found[0] else int(found[0])))
        except ValueError:
            raise JSONPathError(f"cannot parse number {found[0]}") from None

    def _quoted(self, mark: str) -> None:
        end = self._at + 1
        while end < len(self._text) and self._text[end] != mark:
            end += 2 if self._text[end] == "\\" else 1
        if end >= len(self._text):
            raise JSONPathError("unterminated quoted string")
        body = self._text[self._at + 1 : end]
        self._at = end + 1
        self._add(_constant(re.sub(r"\\(.)", r"\1", body)))

    def _brackets(self) -> None:
        end = self._text.find("]", self._at)
        if end < 0:
            raise JSONPathError("unterminated array")
        body = self._text[self._at + 1 : end]
        self._at = end + 1
        parts = body.split(",")
        if len(parts) > 1:
            self._add(_union([_Parser(f"[{part.strip(' ')}]").parse() for part in parts]))
        elif len(body) > 1 and body[0] == body[-1] == "'" and body.count("'") == 2:
            # Upstream reads what is quoted as a path of its own: a dot in a key has to be escaped here too.
            inner = _Parser(f".{body[1:-1]}")
            self._steps += inner.parse()
            self.fields += inner.fields
            self.plain = self.plain and inner.plain
        else:
            self._add(_slice(":" if body == "*" else body))

    def _filter(self) -> None:
        start = self._at + 3
        end, quote = start, ""
        while end < len(self._text) and (quote or self._text[end] != ")"):
            char = self._text[end]
            if char == "\\":
                end += 1
            elif char == quote:
                quote = ""
            elif not quote and char in "\"'":
                quote = char
            end += 1
        if end >= len(self._text):
            raise JSONPathError("unterminated filter")
        if self._text[end + 1 : end + 2] != "]":
            raise JSONPathError("unclosed array expect ]")
        body = self._text[start:end]
        self._at = end + 2
        found = _COMPARISON.fullmatch(body)
        if found is None:
            self._add(_exists(_Parser(body).parse()))
            return
        compare = _COMPARE.get(found[2])
        if compare is None:
            raise JSONPathError(f"unrecognized filter operator {found[2]}")
        self._add(_compare(_Parser(found[1]).parse(), compare, _Parser(found[3]).parse()))


def _member(name: str) -> Step:
    return lambda found: [v[name] for v in found if isinstance(v, dict) and name in v]


def _constant(value: Json) -> Step:
    return lambda found: [value] * len(found)


def _items(value: Json) -> list[Json]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _children(found: list[Json]) -> list[Json]:
    return [item for value in found for item in _items(value)]


def _descend(found: list[Json]) -> list[Json]:
    """Every list and map at or below the values, outermost first."""
    out: list[Json] = []
    for value in found:
        if items := _items(value):
            out.append(value)
            out += _descend(items)
    return out


def _union(paths: list[list[Step]]) -> Step:
    return lambda found: [value for path in paths for value in _walk(path, found)]


def _walk(path: list[Step], found: list[Json]) -> list[Json]:
    for step in path:
        found = step(found)
    return found


def _slice(body: str) -> Step:
    parsed = _SLICE.fullmatch(body)
    if parsed is None:
        raise JSONPathError(f"invalid array index {body}")
    first, last, step = (part.lstrip(":") if part else part for part in parsed.groups())
    stride = int(step) if step else 1

    def index(found: list[Json]) -> list[Json]:
        out: list[Json] = []
        for value in found:
            if value is None:
                continue
            if not isinstance(value, list) or stride <= 0:
                raise _Inapplicable
            size = len(value)
            low = int(first or 0) + (size if first.startswith("-") else 0)
            if last is None:
                high = low + 1
            else:
                high = int(last) + (size if last.startswith("-") else 0) if last else size
            if low == high:
                return out
            if not 0 <= low < size or not low <= high <= size:
                raise _Inapplicable
            out += value[low:high:stride]
        return out

    return index


def _elements(found: list[Json]) -> list[Json]:
    if not all(isinstance(value, list) for value in found):
        raise _Inapplicable
    return [item for value in found for item in value]


def _exists(path: list[Step]) -> Step:
    return lambda found: [item for item in _elements(found) if _walk(path, [item])]


def _compare(left: list[Step], compare: Callable[[Json, Json], bool], right: list[Step]) -> Step:
    def passes(item: Json) -> bool:
        lefts, rights = _walk(left, [item]), _walk(right, [item])
        if not lefts or not rights:
            return False
        # Upstream compares two values of one basic type and gives up on anything else.
        if len(lefts) > 1 or len(rights) > 1 or type(lefts[0]) is not type(rights[0]):
            raise _Inapplicable
        if not isinstance(lefts[0], str | int | float | bool):
            raise _Inapplicable
        return compare(lefts[0], rights[0])

    return lambda found: [item for item in _elements(found) if passes(item)]
