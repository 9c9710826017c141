"""Rows of built-in kinds, as a real API server printed them (`recorded.json`)."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from argosy.api import columns
from argosy.api.builtin import builtin_kinds, is_virtual
from argosy.api.conversions import events
from argosy.api.kinds import Kind
from argosy.base.types import Object

RECORDED = json.loads(Path(__file__).with_name("recorded.json").read_text())
ROWS = {f"{row['kind']} {row['object']['metadata']['name']}": row for row in RECORDED["rows"]}


def kind_named(named: str) -> Kind:
    group, name = named.rsplit("/", 1)
    return next(kind for kind in builtin_kinds() if (kind.group, kind.kind) == (group, name))


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_a_row_has_the_cells_a_real_server_prints(row: Object) -> None:
    kind = kind_named(row["kind"])
    obj = events.to_core(row["object"]) if kind.stored_as else row["object"]
    now = datetime.fromtimestamp(row["now"], UTC)
    got = (columns.cells(kind, obj, now), columns.row_conditions(kind, obj))
    assert got == (row["cells"], row.get("conditions", []))


@pytest.mark.parametrize("named", RECORDED["columns"])
def test_a_kind_has_the_columns_a_real_server_has(named: str) -> None:
    kind = kind_named(named)
    got = [
        [column.name, column.type, column.format, column.priority]
        for column in columns.column_definitions(kind, kind.storage_version)
    ]
    assert got == RECORDED["columns"][named]


def test_every_stored_kind_is_recorded_and_every_column_is_described() -> None:
    stored = {f"{kind.group}/{kind.kind}" for kind in builtin_kinds() if not is_virtual(kind)}
    assert stored == RECORDED["columns"].keys()
    silent = [
        (kind.kind, column.name)
        for kind in builtin_kinds()
        for column in columns.column_definitions(kind, kind.storage_version)
        if not column.description
    ]
    assert silent == []


def test_narrow_rows_leave_out_what_only_wide_output_shows() -> None:
    row = ROWS["/Pod running"]
    now = datetime.fromtimestamp(row["now"], UTC)
    got = columns.cells(kind_named("/Pod"), row["object"], now, wide=False)
    assert got == row["cells"][:5]


def test_objects_without_a_creation_time_are_of_unknown_age() -> None:
    bare: Object = {"metadata": {}}
    now = datetime(2026, 1, 1, tzinfo=UTC)
    got = (
        columns.cells(kind_named("/Namespace"), bare, now),
        columns.cells(kind_named("/LimitRange"), bare, now),
    )
    assert got == (["", "", "<unknown>"], ["", "0001-01-01T00:00:00Z"])
