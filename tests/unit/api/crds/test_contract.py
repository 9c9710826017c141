"""Every CRD of Kueue, KubeFleet, Ray and the Cluster Inventory API is accepted, and its rules compile."""

from __future__ import annotations

import json
from pathlib import Path

from argosy.api.cel.rules import compile_rules
from argosy.api.cel.rulesets import RuleSet
from argosy.api.crds import accept_names, decode_custom, default_crd, kind_from_crd, validate_crd
from argosy.api.schema.builtin import builtin_schema, type_name
from argosy.api.schema.decoding import decode
from argosy.base.types import Object


def crd_around(document: Object) -> Object:
    """A CRD object around the facts of a contract's schema file."""
    names = document["names"]
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": f"{names['plural']}.{document['group']}",
            "annotations": {"api-approved.kubernetes.io": "unapproved, for a test"},
        },
        "spec": {
            "group": document["group"],
            "names": names,
            "scope": document["scope"],
            "versions": [
                {**version, "schema": {"openAPIV3Schema": version["schema"]}}
                for version in document["versions"]
            ],
        },
    }


def problems(rules: RuleSet | None) -> list[str]:
    if rules is None:
        return []
    found = [
        rule.problem or rule.message_problem
        for rule in rules.rules
        if rule.problem or rule.message_problem
    ]
    for below in (rules.items, rules.additional, *rules.properties.values(), *rules.all_of):
        found += problems(below)
    return found


def test_every_crd_of_the_contracts_is_served(shared: Path) -> None:
    schema = builtin_schema(type_name("apiextensions.k8s.io", "v1", "CustomResourceDefinition"))
    files = sorted((shared / "contract" / "schemas").glob("*_*.json"))
    assert len(files) > 35
    for file in files:
        crd = crd_around(json.loads(file.read_text()))
        decoded = decode(schema, crd)
        assert (decoded.problem, decoded.unknown) == (None, []), file.name
        default_crd(crd)
        assert [str(error) for error in validate_crd(crd)] == [], file.name
        crd["status"] |= accept_names(crd, [], "2020-01-01T00:00:00Z")
        kind = kind_from_crd(crd)
        for version in kind.versions.values():
            assert problems(compile_rules(version.schema)) == [], file.name
            empty: Object = {"metadata": {"name": "a"}}
            assert decode_custom(version, empty).problem is None
