"""Columns of `kubectl get`: which there are, and what stands in them.

`column_definitions` and `cells` are one lookup in the table of printers below; each kind's printer lives with its
neighbors (`pods`, `apps`, `batch`, ...). Custom kinds bring columns in their CRD, and without any get an age. Built-in
kinds without a printer show when they were made, as a date, because the API server does so.

Objects are given in their stored form for built-in kinds, in the requested version for custom kinds.
"""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import Final

from argosy.api.columns import access, apps, batch, core, networks, nodes, pods, scaling, volumes
from argosy.api.columns.custom import custom_printer
from argosy.api.columns.formatting import name_of
from argosy.api.columns.printers import AGE, NAME, Printer, Printers
from argosy.api.kinds import Column, Kind
from argosy.base.types import Json, Object

__all__ = ["cells", "column_definitions", "printer", "row_conditions"]

# What a CRD without columns gets.
_CUSTOM_AGE: Final = (
    Column("Age", "date", description=AGE.description, path=".metadata.creationTimestamp"),
)
# The time of an object that has none.
_ZERO_TIME: Final = "0001-01-01T00:00:00Z"


def _created_at(obj: Object, _: datetime) -> list[Json]:
    return [name_of(obj), obj["metadata"].get("creationTimestamp") or _ZERO_TIME]


_DEFAULT: Final = Printer(
    (NAME, Column("Created At", "date", description="When the object was created.")),
    _created_at,
    null_rows=True,
)


@cache
def _printers() -> Printers:
    modules = (access, apps, batch, core, networks, nodes, pods, scaling, volumes)
    return {key: found for module in modules for key, found in module.PRINTERS.items()}


def printer(kind: Kind, version: str) -> Printer:
    """The printer of a kind: look it up once for many rows."""
    if kind.custom:
        return custom_printer(kind.versions[version].columns or _CUSTOM_AGE)
    return _printers().get((kind.group, kind.kind), _DEFAULT)


def column_definitions(kind: Kind, version: str) -> list[Column]:
    return list(printer(kind, version).columns)


def cells(
    kind: Kind, obj: Object, now: datetime, wide: bool = True, version: str = ""
) -> list[Json]:
    """The cells of one row. The server always sends the wide ones; clients choose by priority."""
    found = printer(kind, version or kind.storage_version)
    row = found.cells(obj, now)
    if wide:
        return row
    return [cell for cell, column in zip(row, found.columns, strict=False) if column.priority == 0]


def row_conditions(kind: Kind, obj: Object) -> list[Object]:
    """Marks on the row, beside its cells: finished pods carry one."""
    return pods.row_conditions(obj) if not kind.group and kind.kind == "Pod" else []
