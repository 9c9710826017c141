"""Tables and partial metadata around the cells."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from argosy.api.builtin import builtin_kinds
from argosy.api.kinds import Kind, Scheme
from argosy.apiserver.tables import (
    parse_include_object,
    partial_metadata,
    partial_metadata_list,
    refuse_partial_metadata,
    table,
)
from argosy.base.errors import BadRequest
from argosy.base.types import Object
from tests.unit.widgets import widget_kind

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
META: Object = {"name": "n", "resourceVersion": "7", "creationTimestamp": "2026-01-02T03:00:00Z"}
NAMESPACE: Object = {"metadata": META, "spec": {}, "status": {"phase": "Active"}}


def kind_of(group: str, plural: str) -> Kind:
    found = Scheme(builtin_kinds()).find(group, plural)
    assert found is not None
    return found


def table_of_one(kind: Kind, version: str, obj: Object, **more: Any) -> Object:
    return table(kind, version, [obj], list_meta={}, now=NOW, **more)


def test_a_table_of_a_list() -> None:
    got = table(
        kind_of("", "namespaces"), "v1", [NAMESPACE], list_meta={"resourceVersion": "9"}, now=NOW
    )
    headers = got.pop("columnDefinitions")
    assert [header["name"] for header in headers] == ["Name", "Status", "Age"]
    assert list(headers[0]) == ["name", "type", "format", "description", "priority"]
    assert got == {
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": {"resourceVersion": "9"},
        "rows": [
            {
                "cells": ["n", "Active", "4m5s"],
                "object": {
                    "kind": "PartialObjectMetadata",
                    "apiVersion": "meta.k8s.io/v1",
                    "metadata": META,
                },
            }
        ],
    }


@pytest.mark.parametrize(
    ("include", "want"),
    [("None", None), ("Object", {"kind": "Namespace", "apiVersion": "v1", **NAMESPACE})],
)
def test_rows_carry_what_is_asked_for(include: Any, want: Object | None) -> None:
    got = table_of_one(kind_of("", "namespaces"), "v1", NAMESPACE, include_object=include)
    assert got["rows"] == [{"cells": ["n", "Active", "4m5s"], "object": want}]


def test_later_events_of_a_watch_do_not_name_the_columns() -> None:
    got = table_of_one(kind_of("", "namespaces"), "v1", NAMESPACE, headers=False)
    assert got["columnDefinitions"] is None


def test_a_bookmark_is_a_row_of_nothing() -> None:
    bookmark: Object = {"metadata": {"resourceVersion": "8"}}
    got = table_of_one(kind_of("", "namespaces"), "v1", bookmark, headers=False)
    assert got["rows"][0]["cells"] == ["", "", "<unknown>"]


def test_rows_of_finished_pods_are_marked() -> None:
    pod = {"metadata": META, "spec": {}, "status": {"phase": "Failed"}}
    got = table_of_one(kind_of("", "pods"), "v1", pod)["rows"][0]
    want = [
        {"type": "Completed", "status": "True", "reason": "Failed", "message": "The pod failed."}
    ]
    assert (list(got), got["conditions"]) == (["cells", "conditions", "object"], want)


def test_whole_objects_come_in_the_requested_version() -> None:
    event = {"metadata": META, "involvedObject": {"kind": "Pod", "name": "p"}, "message": "m"}
    got = table_of_one(kind_of("events.k8s.io", "events"), "v1", event, include_object="Object")[
        "rows"
    ][0]
    assert got["cells"][3] == "pod/p"
    assert got["object"] == {
        "kind": "Event",
        "apiVersion": "events.k8s.io/v1",
        "metadata": META,
        "regarding": {"kind": "Pod", "name": "p"},
        "note": "m",
    }


def test_partial_metadata_of_one_and_of_many() -> None:
    one = {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": META}
    got = partial_metadata_list([NAMESPACE], list_meta={"resourceVersion": "9"})
    assert partial_metadata(NAMESPACE) == one
    assert got == {
        "kind": "PartialObjectMetadataList",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": {"resourceVersion": "9"},
        "items": [one],
    }


def test_the_wrong_shape_is_refused_in_the_servers_words() -> None:
    namespaces, widgets = kind_of("", "namespaces"), widget_kind()
    got = [
        refuse_partial_metadata(namespaces, is_list=True).message,
        refuse_partial_metadata(namespaces, is_list=False).message,
        refuse_partial_metadata(widgets, is_list=True).message,
    ]
    assert got == [
        "you requested PartialObjectMetadata, but the requested object is a list (*core.NamespaceList)",
        "you requested PartialObjectMetadataList, but the requested object is not a list (*core.Namespace)",
        (
            "you requested PartialObjectMetadata, but the requested object is a list"
            " (*unstructured.UnstructuredList)"
        ),
    ]


def test_an_unknown_include_object_is_refused() -> None:
    assert [parse_include_object(v) for v in ("", "Metadata", "Object", "None")] == [
        "Metadata",
        "Metadata",
        "Object",
        "None",
    ]
    with pytest.raises(BadRequest) as caught:
        parse_include_object("Foo")
    assert caught.value.message == (
        'Unable to convert to Table as requested: includeObject: Invalid value: "Foo": '
        "must be 'Metadata', 'Object', 'None', or empty"
    )
