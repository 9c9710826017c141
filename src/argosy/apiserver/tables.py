"""Other shapes of an answer: the Table that `kubectl get` prints, and PartialObjectMetadata for those who want labels.

A client asks by `Accept: application/json;as=Table;g=meta.k8s.io;v=v1` (or v1beta1). Rows carry, by `includeObject`,
the object's metadata (default), the whole object in the requested version, or nothing. In a watch, only the first
Table names its columns; the later ones say null.

Objects are given as they are stored (in the storage version, with or without apiVersion and kind) and never changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from argosy.api import columns
from argosy.api.columns.printers import Printer
from argosy.api.kinds import Column, Kind
from argosy.base.errors import BadRequest, NotAcceptable
from argosy.base.fielderrors import invalid
from argosy.base.types import Object

IncludeObject: TypeAlias = Literal["Metadata", "Object", "None"]

META_V1: Final = "meta.k8s.io/v1"


def parse_include_object(value: str) -> IncludeObject:
    """The `includeObject` parameter of a request for a Table."""
    match value:
        case "" | "Metadata":
            return "Metadata"
        case "Object" | "None":
            return value
        case _:
            problem = invalid(
                "includeObject", value, "must be 'Metadata', 'Object', 'None', or empty"
            )
            raise BadRequest(f"Unable to convert to Table as requested: {problem}")


def table(
    kind: Kind,
    version: str,
    objects: Iterable[Object],
    *,
    list_meta: Object,
    include_object: IncludeObject = "Metadata",
    now: datetime,
    headers: bool = True,
    api_version: str = META_V1,
) -> Object:
    """A Table of objects. `list_meta` is the metadata of the list, or of the one object's resourceVersion."""
    found = columns.printer(kind, version)
    rows = [_row(kind, version, found, obj, include_object, now, api_version) for obj in objects]
    return {
        "kind": "Table",
        "apiVersion": api_version,
        "metadata": list_meta,
        "columnDefinitions": column_definitions(found.columns) if headers else None,
        "rows": rows if rows or not found.null_rows else None,
    }


def partial_metadata(obj: Object, api_version: str = META_V1) -> Object:
    """An object reduced to its metadata."""
    return {
        "kind": "PartialObjectMetadata",
        "apiVersion": api_version,
        "metadata": obj["metadata"],
    }


def partial_metadata_list(
    objects: Iterable[Object], *, list_meta: Object, api_version: str = META_V1
) -> Object:
    return {
        "kind": "PartialObjectMetadataList",
        "apiVersion": api_version,
        "metadata": list_meta,
        "items": [partial_metadata(obj, api_version) for obj in objects],
    }


def refuse_partial_metadata(kind: Kind, *, is_list: bool) -> NotAcceptable:
    """What a client hears who asks for one object's metadata and means a list, or the other way round."""
    name = f"*unstructured.Unstructured{'List' if is_list else ''}"
    if not kind.custom:
        package = kind.group.split(".", 1)[0] or "core"
        name = f"*{package}.{(kind.list_kind or f'{kind.kind}List') if is_list else kind.kind}"
    if is_list:
        return NotAcceptable(
            f"you requested PartialObjectMetadata, but the requested object is a list ({name})"
        )
    return NotAcceptable(
        f"you requested PartialObjectMetadataList, but the requested object is not a list ({name})"
    )


def _row(
    kind: Kind,
    version: str,
    found: Printer,
    obj: Object,
    include_object: IncludeObject,
    now: datetime,
    api_version: str,
) -> Object:
    convert = kind.versions[version].from_storage
    shown = obj
    if convert is not None and (kind.custom or include_object == "Object"):
        shown = convert(obj)
    row: Object = {"cells": found.cells(shown if kind.custom else obj, now)}
    conditions = columns.row_conditions(kind, obj)
    if conditions:
        row["conditions"] = conditions
    match include_object:
        case "Metadata":
            row["object"] = partial_metadata(shown, api_version)
        case "Object":
            named = {"kind": kind.kind, "apiVersion": kind.api_version(version)}
            row["object"] = {**named, **shown, **named}
        case "None":
            row["object"] = None
    return row


@lru_cache(maxsize=1024)
def column_definitions(definitions: tuple[Column, ...]) -> list[Object]:
    """Columns as a Table names them. Shared: never change them."""
    return [
        {
            "name": column.name,
            "type": column.type,
            "format": column.format,
            "description": column.description,
            "priority": column.priority,
        }
        for column in definitions
    ]
