"""From a CRD to a kind."""

from __future__ import annotations

import copy

from argosy.api.crds import kind_from_crd
from argosy.api.crds.kinds import AGE, finalizer_warnings
from argosy.api.kinds import Column, ScalePaths
from argosy.base.types import Object


def crd(**version: object) -> Object:
    return {
        "metadata": {"name": "things.example.com", "uid": "u1"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {
                "plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList",
                "shortNames": ["th"], "categories": ["all"],
            },
            "versions": [{
                "name": "v1", "served": True, "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                    "metadata": {"type": "object", "properties": {"name": {"type": "string", "maxLength": 3}}},
                    "spec": {"type": "object", "properties": {"color": {"type": "string"}}},
                }}},
                **version,
            }],
        },
    }  # fmt: skip


def test_names_scope_and_versions() -> None:
    kind = kind_from_crd(crd())
    got = (
        kind.group, kind.kind, kind.plural, kind.singular, kind.list_kind, kind.short_names, kind.categories,
        kind.namespaced, kind.storage_version, kind.custom, list(kind.versions),
    )  # fmt: skip
    want = (
        "example.com", "Thing", "things", "thing", "ThingList", ("th",), ("all",), True, "v1", True, ["v1"],
    )  # fmt: skip
    assert got == want


def test_granted_names_win_over_asked_ones() -> None:
    given = crd()
    given["status"] = {"acceptedNames": {"plural": "things", "kind": "Thing", "singular": "thing"}}
    assert kind_from_crd(given).short_names == ()


def test_subresources_columns_and_deprecation() -> None:
    version = kind_from_crd(
        crd(
            subresources={
                "status": {},
                "scale": {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n"},
            },
            additionalPrinterColumns=[
                {"name": "Color", "type": "string", "jsonPath": ".spec.color", "priority": 1}
            ],
            deprecated=True,
        )
    ).storage
    assert version.subresources == {"status", "scale"}
    assert version.scale == ScalePaths(".spec.n", ".status.n")
    assert version.columns == (Column("Color", "string", priority=1, path=".spec.color"),)
    assert version.deprecation_warning == "example.com/v1 Thing is deprecated"


def test_age_is_shown_when_no_columns_are_given() -> None:
    assert kind_from_crd(crd()).storage.columns == (AGE,)


def test_metadata_merges_as_everywhere_and_is_judged_by_the_crd() -> None:
    metadata = kind_from_crd(crd()).storage.schema.properties["metadata"]
    assert metadata.properties["ownerReferences"].map_keys == ("uid",)
    assert metadata.restriction is not None
    assert metadata.restriction.properties["name"].max_length == 3


def test_selectable_fields_read_the_object() -> None:
    kind = kind_from_crd(crd(selectableFields=[{"jsonPath": ".spec.color"}]))
    read = kind.rules.selectable["spec.color"]
    assert [read({"spec": {"color": "red"}}), read({"spec": {"color": True}}), read({})] == [
        "red",
        "true",
        "",
    ]


def test_status_belongs_to_its_subresource() -> None:
    rules = kind_from_crd(crd(subresources={"status": {}})).rules
    assert rules.prepare_create is not None
    assert rules.prepare_update is not None
    assert rules.prepare_status is not None
    old: Object = {
        "metadata": {"name": "a", "managedFields": [1]},
        "spec": {"x": 1},
        "status": {"n": 1},
    }
    new: Object = {
        "metadata": {"name": "a", "labels": {"b": "c"}, "managedFields": [2]},
        "spec": {"x": 2},
        "status": {"n": 2},
    }
    created, updated, reported = copy.deepcopy(new), copy.deepcopy(new), copy.deepcopy(new)
    rules.prepare_create(created)
    rules.prepare_update(updated, old)
    rules.prepare_status(reported, old)
    assert "status" not in created
    assert updated == {**new, "status": {"n": 1}}
    assert reported == {
        "metadata": {"name": "a", "managedFields": [2]},
        "spec": {"x": 1},
        "status": {"n": 2},
    }


def test_finalizers_that_may_clash_are_warned_of_when_they_are_new() -> None:
    new = {"metadata": {"finalizers": ["a", "b.c", "d.e/f", "orphan"]}}
    assert finalizer_warnings(new, {"metadata": {"finalizers": ["a"]}}) == [
        (
            'metadata.finalizers: "b.c": prefer a domain-qualified finalizer name including a path (/) to avoid accidental '
            "conflicts with other finalizer writers"
        )
    ]
