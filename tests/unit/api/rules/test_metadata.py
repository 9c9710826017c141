"""Metadata: creation, updates, and the two checks upstream makes of both."""

from __future__ import annotations

import pytest

from argosy.api.rules.metadata import (
    immutable,
    validate_common_create,
    validate_common_update,
    validate_field_manager,
    validate_metadata,
    validate_metadata_update,
)
from argosy.api.rules.names import is_dns1123_subdomain
from argosy.base.types import Object


def meta(**fields: object) -> Object:
    return {"metadata": {"name": "a", "namespace": "n", "resourceVersion": "7", **fields}}


CREATES: dict[str, tuple[Object, bool, list[str]]] = {
    "a good object": (meta(labels={"a": "b"}, finalizers=["x.y/z"]), True, []),
    "no namespace": (meta(namespace=""), True, ["metadata.namespace: Required value"]),
    "a namespace where none goes": (
        meta(),
        False,
        ["metadata.namespace: Forbidden: not allowed on this type"],
    ),
    "a negative generation": (
        meta(generation=-1),
        True,
        ["metadata.generation: Invalid value: -1: must be greater than or equal to 0"],
    ),
    "managed fields that are none": (
        meta(managedFields=[{"operation": "Merge", "fieldsType": "V2", "manager": "a\n"}]),
        True,
        [
            'metadata.managedFields[0].operation: Invalid value: "Merge": must be `Apply` or `Update`',
            'metadata.managedFields[0].fieldsType: Invalid value: "V2": must be `FieldsV1`',
            (
                'metadata.managedFields[0].manager: Invalid value: "a\\n": invalid character U+000A '
                "(at position 1)"
            ),
        ],
    ),
    "a finalizer without a domain": (
        meta(finalizers=["mine"]),
        True,
        [
            (
                'metadata.finalizers[0]: Invalid value: "mine": name is neither a standard finalizer '
                "name nor is it fully qualified"
            )
        ],
    ),
}


@pytest.mark.parametrize(("obj", "namespaced", "want"), CREATES.values(), ids=CREATES.keys())
def test_creates(obj: Object, namespaced: bool, want: list[str]) -> None:
    got = validate_metadata(obj, namespaced, is_dns1123_subdomain)
    assert [str(error) for error in got] == want


UPDATES: dict[str, tuple[Object, Object, list[str]]] = {
    "nothing changed": (meta(), meta(), []),
    "no resource version": (
        meta(resourceVersion=""),
        meta(),
        ['metadata.resourceVersion: Invalid value: "": must be specified for an update'],
    ),
    "another name and uid": (
        meta(name="b", uid="2"),
        meta(uid="1"),
        [
            'metadata.name: Invalid value: "b": field is immutable',
            'metadata.uid: Invalid value: "2": field is immutable',
        ],
    ),
    "a deletion time that comes by an update": (
        meta(deletionTimestamp="2026-01-02T03:04:05Z"),
        meta(),
        [
            'metadata.deletionTimestamp: Invalid value: "2026-01-02T03:04:05Z": field is immutable',
        ],
    ),
    "a creation time that goes": (
        meta(),
        meta(creationTimestamp="2026-01-02T03:04:05Z"),
        ["metadata.creationTimestamp: Invalid value: null: field is immutable"],
    ),
    "a generation that falls": (
        meta(generation=1),
        meta(generation=2),
        ["metadata.generation: Invalid value: 1: must not be decremented"],
    ),
    "new finalizers while deleting": (
        meta(deletionTimestamp="t", finalizers=["a/b", "c/d", "e/f"]),
        meta(deletionTimestamp="t", finalizers=["c/d"]),
        [
            (
                "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being "
                'deleted, found new finalizers []string{"a/b", "e/f"}'
            )
        ],
    ),
}


@pytest.mark.parametrize(("new", "old", "want"), UPDATES.values(), ids=UPDATES.keys())
def test_updates(new: Object, old: Object, want: list[str]) -> None:
    assert [str(error) for error in validate_metadata_update(new, old)] == want


def test_the_generic_server_takes_any_name_that_fits_into_a_path() -> None:
    assert validate_common_create(meta(name="system:a B"), True) == []
    got = [str(error) for error in validate_common_create(meta(name="a/b"), True)]
    assert got == ["metadata.name: Invalid value: \"a/b\": may not contain '/'"]


def test_a_bad_label_of_an_update_counts_twice() -> None:
    new = meta(labels={"a": "-"})
    got = [error.field for error in validate_common_update(new, meta(), True)]
    assert got == ["metadata.labels", "metadata.labels"]


def test_field_managers_are_short() -> None:
    got = [str(error) for error in validate_field_manager("a" * 129, "fieldManager")]
    assert got == ["fieldManager: Too long: may not be more than 128 bytes"]


def test_nothing_and_an_empty_collection_are_the_same() -> None:
    assert immutable(None, [], "p") == []
    assert immutable({}, None, "p") == []
    assert [str(error) for error in immutable(0, 1, "p")] == [
        "p: Invalid value: 0: field is immutable"
    ]
