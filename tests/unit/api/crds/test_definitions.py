"""Rules of CRD objects that recordings do not show: updates, names, webhooks."""

from __future__ import annotations

import copy

import pytest

from argosy.api.crds import accept_names, default_crd, validate_crd
from argosy.base.types import Object


def crd(plural: str = "things", kind: str = "Thing", **names: object) -> Object:
    made: Object = {
        "metadata": {"name": f"{plural}.example.com", "uid": "u", "resourceVersion": "1"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": plural, "kind": kind, **names},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": {"type": "object"}},
                }
            ],
        },
    }
    default_crd(made)
    return made


def established(made: Object) -> Object:
    made["status"] |= accept_names(made, [], "2020-01-01T00:00:00Z")
    return made


IMMUTABLE = {
    "scope": lambda spec: spec.update(scope="Cluster"),
    "names.kind": lambda spec: spec["names"].update(kind="Other"),
    "names.plural": lambda spec: spec["names"].update(plural="others"),
    "group": lambda spec: spec.update(group="other.com"),
}


@pytest.mark.parametrize("field", IMMUTABLE)
def test_what_names_stored_objects_cannot_change(field: str) -> None:
    old = established(crd())
    new = copy.deepcopy(old)
    IMMUTABLE[field](new["spec"])
    got = [(error.field, error.detail) for error in validate_crd(new, old)]
    assert got == [(f"spec.{field}", "field is immutable")]


def test_a_stored_version_stays() -> None:
    old = established(crd())
    new = copy.deepcopy(old)
    new["spec"]["versions"][0]["name"] = "v2"
    new["status"]["storedVersions"] = ["v1", "v2"]
    assert [str(error) for error in validate_crd(new, old)] == [
        (
            'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, '
            "and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes "
            "v1 from status.storedVersions"
        )
    ]


def test_webhooks_are_refused_with_a_way_out() -> None:
    new = crd()
    webhook = {"clientConfig": {"url": "https://here"}, "conversionReviewVersions": ["v1"]}
    new["spec"]["conversion"] = {"strategy": "Webhook", "webhook": webhook}
    assert [str(error) for error in validate_crd(new)] == [
        (
            "spec.conversion.strategy: Forbidden: conversion by webhook is not available here: versions are converted by their "
            'apiVersion, and by what this server knows of its own kinds; set strategy to "None"'
        )
    ]


def test_a_marker_names_a_builtin_type() -> None:
    new = crd()
    schema = new["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    schema["properties"] = {
        "a": {"x-embedded": "core/v1 PodSpec"},
        "b": {"x-embedded": "core/v1 Nonsense"},
    }
    assert [error.field for error in validate_crd(new)] == [
        "spec.validation.openAPIV3Schema.properties[b].x-embedded"
    ]


def test_names_without_conflict_are_granted() -> None:
    status = accept_names(crd(shortNames=["th"], categories=["all"]), [], "2020-01-01T00:00:00Z")
    assert status == {
        "storedVersions": ["v1"],
        "acceptedNames": {
            "plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList",
            "shortNames": ["th"], "categories": ["all"],
        },
        "conditions": [
            {
                "type": "NamesAccepted", "status": "True", "lastTransitionTime": "2020-01-01T00:00:00Z",
                "reason": "NoConflicts", "message": "no conflicts found",
            },
            {
                "type": "Established", "status": "True", "lastTransitionTime": "2020-01-01T00:00:00Z",
                "reason": "InitialNamesAccepted", "message": "the initial names have been accepted",
            },
        ],
    }  # fmt: skip


def test_a_taken_kind_is_told_and_not_granted() -> None:
    first = established(crd("gadgets", "Gadget", shortNames=["gg"]))
    second = crd("doodads", "Gadget", shortNames=["gg", "dd"])
    status = accept_names(second, [first, second], "2020-01-01T00:00:00Z")
    assert status["acceptedNames"] == {"plural": "doodads", "kind": ""}
    got = [
        (one["type"], one["status"], one["reason"], one["message"]) for one in status["conditions"]
    ]
    assert got == [
        ("NamesAccepted", "False", "ListKindConflict", '"GadgetList" is already in use'),
        ("Established", "False", "NotAccepted", "not all names are accepted"),
    ]


def test_a_crd_that_is_established_stays_so_when_new_names_clash() -> None:
    first = established(crd("gadgets", "Gadget", shortNames=["gg"]))
    second = established(crd("doodads", "Doodad"))
    second["spec"]["names"]["shortNames"] = ["gg"]
    status = accept_names(second, [first], "2021-01-01T00:00:00Z")
    assert "shortNames" not in status["acceptedNames"]
    got = [(one["type"], one["status"], one["reason"]) for one in status["conditions"]]
    assert got == [
        ("NamesAccepted", "False", "ShortNamesConflict"),
        ("Established", "True", "InitialNamesAccepted"),
    ]


APPROVALS = {
    "": ("False", "MissingAnnotation"),
    "yes": ("False", "InvalidAnnotation"),
    "unapproved, for now": ("False", "UnapprovedAnnotation"),
    "https://example.com/1": ("True", "ApprovedAnnotation"),
}


@pytest.mark.parametrize("annotation", APPROVALS)
def test_a_protected_group_shows_its_approval(annotation: str) -> None:
    made = crd()
    made["spec"]["group"] = "example.k8s.io"
    made["metadata"]["annotations"] = {"api-approved.kubernetes.io": annotation}
    condition = accept_names(made, [], "2020-01-01T00:00:00Z")["conditions"][-1]
    assert condition["type"] == "KubernetesAPIApprovalPolicyConformant"
    assert (condition["status"], condition["reason"]) == APPROVALS[annotation]


def test_judging_names_again_changes_nothing() -> None:
    made = established(crd())
    assert accept_names(made, [], "2022-01-01T00:00:00Z") == made["status"]
