"""`'%s has %d'.format([...])`: the clauses, once for evaluation and once for the static check.

Numbers print as cel-go's version 2 of the string library prints them: `%f` and `%e` by the rules of en_US, grouped
thousands and a power of ten included.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Final

from argosy.api.cel.texts import to_text
from argosy.api.cel.values import CelError, Duration, Timestamp, TypeValue, type_name
from argosy.base.fielderrors import quote
from argosy.base.types import Json

_PRECISION: Final = 6
_SUPERSCRIPTS: Final = str.maketrans("0123456789-+", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺")
_SPECIALS: Final = {"NaN": "NaN", "Infinity": "∞", "-Infinity": "-∞"}

# What each clause takes: (type names allowed, the message for others).
CLAUSES: Final[dict[str, tuple[frozenset[str], str]]] = {
    "s": (
        frozenset(
            {
                "list", "map", "int", "uint", "double", "bool", "string", "google.protobuf.Timestamp", "bytes",
                "google.protobuf.Duration", "type", "null_type",
            }
        ),
        (
            "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, "
            "durations, and timestamps, was given"
        ),
    ),
    "d": (frozenset({"int", "uint"}), "decimal clause can only be used on integers, was given"),
    "f": (
        frozenset({"double", "string"}),
        "fixed-point clause can only be used on doubles, was given",
    ),
    "e": (
        frozenset({"double", "string"}),
        "scientific clause can only be used on doubles, was given",
    ),
    "b": (
        frozenset({"int", "uint", "bool"}),
        "only integers and bools can be formatted as binary, was given",
    ),
    "x": (
        frozenset({"int", "uint", "string", "bytes"}),
        "only integers, byte buffers, and strings can be formatted as hex, was given",
    ),
    "o": (frozenset({"int", "uint"}), "octal clause can only be used on integers, was given"),
}  # fmt: skip


class FormatError(Exception):
    """The format string or an argument is wrong; `argument` is the index of the argument to blame."""

    def __init__(self, message: str, argument: int | None = None) -> None:
        super().__init__(message)
        self.argument = argument


def interpolate(text: str, count: int, render: Callable[[int, str, int], str]) -> tuple[str, int]:
    """Replaces each clause by `render(index, clause, precision)`; gives the text and how many clauses there were."""
    out: list[str] = []
    index = position = 0
    while True:
        mark = text.find("%", position)
        if mark < 0:
            out.append(text[position:])
            return "".join(out), index
        out.append(text[position:mark])
        if text.startswith("%%", mark):
            out.append("%")
            position = mark + 2
            continue
        if mark + 1 >= len(text):
            raise FormatError("unexpected end of string")
        if index >= count:
            raise FormatError(f"index {index} out of range")
        clause, precision, position = _clause(text, mark + 1)
        out.append(render(index, clause, precision))
        index += 1


def _clause(text: str, position: int) -> tuple[str, int, int]:
    precision = _PRECISION
    if text[position] == ".":
        start = position = position + 1
        while position < len(text) and text[position] in "0123456789":
            position += 1
        if position >= len(text):
            problem = "could not find end of precision specifier"
            raise FormatError(
                f"could not parse formatting clause: error while parsing precision: {problem}"
            )
        if start == position:
            raise FormatError(
                "could not parse formatting clause: error while parsing precision: error while converting "
                'precision to integer: strconv.Atoi: parsing "": invalid syntax'
            )
        precision = int(text[start:position])
    clause = text[position]
    if clause.lower() not in CLAUSES or (clause.isupper() and clause != "X"):
        problem = f'unrecognized formatting clause "{clause}"'
        raise FormatError(f"could not parse formatting clause: {problem}")
    return clause, precision, position + 1


def format_string(text: str, arguments: list[Json]) -> str:
    """CEL's string.format."""

    def render(index: int, clause: str, precision: int) -> str:
        value = arguments[index]
        allowed, problem = CLAUSES[clause.lower()]
        name = type_name(value)
        special = isinstance(value, str) and value in _SPECIALS
        if name not in allowed or (clause in "fe" and isinstance(value, str) and not special):
            raise FormatError(f"error during formatting: {problem} {name}")
        return _RENDERERS[clause.lower()](value, clause, precision)

    try:
        return interpolate(text, len(arguments), render)[0]
    except FormatError as error:
        raise CelError(str(error)) from None


def _string(value: Json, _clause: str, _precision: int) -> str:
    return nested_text(value)


def nested_text(value: Json) -> str:
    """A value as `%s` shows it."""
    if value is None:
        return "null"
    if isinstance(value, list):
        return f"[{', '.join(map(_member_text, value))}]"
    if isinstance(value, dict):
        pairs = sorted((_member_text(k), _member_text(v)) for k, v in value.items())
        return f"{{{', '.join(f'{k}:{v}' for k, v in pairs)}}}"
    if isinstance(value, TypeValue):
        return value.name
    return to_text(value)


def _member_text(value: Json) -> str:
    """A value inside a list or a map: strings quoted, doubles as `%f` prints them."""
    match value:
        case float():
            text = _fixed(value, "f", _PRECISION).replace(",", "")
            return text if text[-1].isdigit() else quote(text)
        case Timestamp():
            return f"timestamp({quote(to_text(value))})"
        case Duration():
            return f"duration({quote(to_text(value))})"
        case str():
            return quote(value)
        case bytes():
            return f"b{quote(to_text(value))}"
        case _:
            return nested_text(value)


def _decimal(value: Json, _clause: str, _precision: int) -> str:
    return str(int(value))


def _fixed(value: Json, _clause: str, precision: int) -> str:
    if isinstance(value, str):
        return _SPECIALS[value]
    if not isfinite(value):
        return {"nan": "NaN", "inf": "∞", "-inf": "-∞"}[str(value)]
    return f"{value:,.{precision}f}"


def _scientific(value: Json, clause: str, precision: int) -> str:
    if isinstance(value, str) or not isfinite(value):
        return _fixed(value, clause, precision)
    mantissa, _, exponent = f"{value:.6e}".partition("e")
    power = f"{'-' if exponent[0] == '-' else ''}{int(exponent[1:]):02d}".translate(_SUPERSCRIPTS)
    return f"{mantissa}×10{power}"


def _binary(value: Json, _clause: str, _precision: int) -> str:
    return f"{int(value):b}"


def _hex(value: Json, clause: str, _precision: int) -> str:
    if isinstance(value, str):
        text = value.encode().hex()
    elif isinstance(value, bytes):
        text = value.hex()
    else:
        text = f"{int(value):x}"
    return text.upper() if clause == "X" else text


def _octal(value: Json, _clause: str, _precision: int) -> str:
    return f"{int(value):o}"


_RENDERERS: Final[dict[str, Callable[[Json, str, int], str]]] = {
    "s": _string,
    "d": _decimal,
    "f": _fixed,
    "e": _scientific,
    "b": _binary,
    "x": _hex,
    "o": _octal,
}
