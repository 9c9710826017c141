"""Columns of custom kinds: each type with each kind of value, as a real API server prints them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, NamedTuple

import pytest

from argosy.api import columns
from argosy.base.types import Object
from tests.unit.widgets import widget_kind

NOW = datetime(2026, 11, 16, 3, 49, 29, tzinfo=UTC)


class Case(NamedTuple):
    value: Any
    # As text, integer, number, boolean and date.
    want: list[Any]


CASES: dict[str, Case] = {
    "null prints as no value and is nothing else": Case(
        None, ["<no value>", None, None, None, None]
    ),
    "text is no date": Case("text", ["text", None, None, None, "<invalid>"]),
    "an integer is a number too": Case(3, ["3", 3, 3, None, None]),
    "a fraction is cut to an integer": Case(2.5, ["2.5", 2, 2.5, None, None]),
    "a boolean is no number": Case(True, ["true", None, None, True, None]),
    "a list prints as JSON that HTML can hold": Case(
        [1, {"b": 1, "a": "<x>&"}],
        ['[1,{"a":"\\u003cx\\u003e\\u0026","b":1}]', None, None, None, None],
    ),
    "a map prints with sorted keys and whole numbers whole": Case(
        {"z": 1.0, "a": []}, ['{"a":[],"z":1}', None, None, None, None]
    ),
    "a time becomes an age": Case(
        "2020-01-02T03:04:05Z", ["2020-01-02T03:04:05Z", None, None, None, "6y320d"]
    ),
    "a time with an offset becomes an age": Case(
        "2020-01-02T03:04:05.123+01:00",
        ["2020-01-02T03:04:05.123+01:00", None, None, None, "6y320d"],
    ),
    "a large integer prints in full": Case(10**12, ["1000000000000", 10**12, 10**12, None, None]),
    "a float beyond 64 bits wraps to the least integer": Case(
        1.5e30, ["1.5e+30", -(2**63), 1.5e30, None, None]
    ),
    "an empty time is unknown": Case("", ["", None, None, None, "<unknown>"]),
    "a whole float prints as an integer": Case(2.0, ["2", 2, 2, None, None]),
}


def widget(value: Any) -> Object:
    return {
        "metadata": {"name": "w", "creationTimestamp": "2026-11-16T00:49:29Z"},
        "spec": {
            "any": value,
            "replicas": 1,
            "list": [{"name": "x"}, {"name": "y", "lit": True}],
        },
    }


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_cells_follow_the_column_type(case: Case) -> None:
    got = columns.cells(widget_kind(), widget(case.value), NOW)
    assert got == ["w", 1, *case.want, "x", "y", None, "3h"]


def test_a_missing_field_is_null() -> None:
    got = columns.cells(widget_kind(), {"metadata": {"name": "w"}}, NOW)
    assert got == ["w", *[None] * 10]


def test_a_version_without_columns_shows_the_age() -> None:
    kind = widget_kind()
    got = columns.cells(kind, widget(1), NOW, version="v1beta1")
    names = [column.name for column in columns.column_definitions(kind, "v1beta1")]
    assert (names, got) == (["Name", "Age"], ["w", "3h"])


def test_columns_without_a_description_name_their_path() -> None:
    found = columns.column_definitions(widget_kind(), "v1")
    got = [column.description for column in found if column.name in {"Replicas", "Names"}]
    assert got == [
        "Custom resource definition column (in JSONPath format): .spec.replicas",
        "All names.",
    ]
