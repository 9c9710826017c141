"""Custom kinds: cells along the JSON paths of additionalPrinterColumns.

The first value a path finds becomes the cell. A column of type string takes any value and prints it as JSONPath output
would; the other types take only values of their own kind; dates become ages. What is missing or of the wrong type is
null, which kubectl shows as nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from typing import Final, TypeAlias

import msgspec

from argosy.api.columns.formatting import name_of, since
from argosy.api.columns.printers import NAME, Printer
from argosy.api.kinds import Column
from argosy.base import jsonpath
from argosy.base.fielderrors import format_float
from argosy.base.types import Json, Object

_Cell: TypeAlias = Callable[[Object, datetime], Json]


@lru_cache(maxsize=1024)
def custom_printer(columns: tuple[Column, ...]) -> Printer:
    """The printer of a custom kind's columns, compiled once for each set of columns.

    A path that is none ends the table: upstream shows the columns before it.
    """
    readers: list[_Cell] = []
    for column in columns:
        try:
            readers.append(_reader(column))
        except jsonpath.JSONPathError:
            break

    def cells(obj: Object, now: datetime) -> list[Json]:
        return [name_of(obj), *(read(obj, now) for read in readers)]

    return Printer((NAME, *map(_described, columns[: len(readers)])), cells)


def _described(column: Column) -> Column:
    text = f"Custom resource definition column (in JSONPath format): {column.path}"
    return Column(
        column.name, column.type, column.format, column.description or text, column.priority
    )


def _reader(column: Column) -> _Cell:
    find = jsonpath.compile(column.path).find
    convert = _text if column.type == "string" else _CONVERTERS.get(column.type, _nothing)

    def read(obj: Object, now: datetime) -> Json:
        found = find(obj)
        return convert(found[0], now) if found else None

    return read


def _text(value: Json, _: datetime) -> Json:
    match value:
        case None:
            return "<no value>"
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return format_float(value)
        case _:
            return _go_json(value)


# Go's encoder escapes what HTML would trip over.
_HTML: Final = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def _go_json(value: Json) -> str:
    encoded = msgspec.json.encode(_whole_numbers(value), order="deterministic")
    return encoded.decode().translate(_HTML)


def _whole_numbers(value: Json) -> Json:
    """The value with 2.0 as 2, as Go prints floats without a fraction."""
    match value:
        case float():
            return int(value) if value.is_integer() and abs(value) < 1e21 else value
        case dict():
            return {key: _whole_numbers(inner) for key, inner in value.items()}
        case list():
            return [_whole_numbers(inner) for inner in value]
        case _:
            return value


def _integer(value: Json, _: datetime) -> Json:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # A float beyond int64 becomes what the processor makes of it.
    return int(value) if -(2**63) <= value < 2**63 else -(2**63)


def _number(value: Json, _: datetime) -> Json:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return _whole_numbers(value)


def _boolean(value: Json, _: datetime) -> Json:
    return value if isinstance(value, bool) else None


def _date(value: Json, now: datetime) -> Json:
    if not isinstance(value, str):
        return None
    try:
        return since(value, now)
    except ValueError:
        return "<invalid>"


def _nothing(_: Json, __: datetime) -> Json:
    return None


_CONVERTERS: dict[str, Callable[[Json, datetime], Json]] = {
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "date": _date,
}
