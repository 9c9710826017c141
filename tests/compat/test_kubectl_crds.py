"""Custom kinds by kubectl: defining, defaulting, refusing, columns, versions, subresources, the end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.compat.objects import Raw, definition
from tests.support.connections import Connection
from tests.support.kubectls import Kubectl

pytestmark = pytest.mark.kubectl

SCHEMA: Raw = {
    "type": "object",
    "required": ["spec"],
    "properties": {
        "spec": {
            "type": "object",
            "required": ["size"],
            "properties": {
                "size": {"type": "integer", "minimum": 1, "maximum": 10},
                "color": {"type": "string", "enum": ["red", "blue"], "default": "red"},
                "port": {"x-kubernetes-int-or-string": True},
                "replicas": {"type": "integer", "minimum": 0},
                "parts": {
                    "type": "array",
                    "maxItems": 3,
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    "items": {
                        "type": "object",
                        "required": ["name"],
                        "properties": {
                            "name": {"type": "string", "pattern": "^[a-z]+$"},
                            "count": {"type": "integer", "default": 1},
                        },
                    },
                },
                "extra": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            },
            "x-kubernetes-validations": [
                {
                    "rule": "self.color != 'blue' || self.size > 3",
                    "message": "blue widgets are bigger than 3",
                },
                {
                    "rule": "self.size >= oldSelf.size",
                    "messageExpression": "'cannot shrink from %d'.format([oldSelf.size])",
                    "fieldPath": ".size",
                    "reason": "FieldValueForbidden",
                },
            ],
        },
        "status": {
            "type": "object",
            "properties": {
                "phase": {"type": "string"},
                "replicas": {"type": "integer"},
                "selector": {"type": "string"},
            },
        },
    },
}
COLUMNS = [
    {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
    {"name": "Phase", "type": "string", "jsonPath": ".status.phase"},
    {"name": "Color", "type": "string", "jsonPath": ".spec.color", "priority": 1},
    {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
]
SUBRESOURCES = {
    "status": {},
    "scale": {
        "specReplicasPath": ".spec.replicas",
        "statusReplicasPath": ".status.replicas",
        "labelSelectorPath": ".status.selector",
    },
}


@pytest.fixture
def group(kubectl: Kubectl, api: Connection) -> Iterator[str]:
    """A group of the test's own that serves widgets."""
    group = f"{kubectl.namespace}.example.com"
    raw = definition(
        group, "Widget", SCHEMA, additionalPrinterColumns=COLUMNS, subresources=SUBRESOURCES
    )
    raw["spec"]["names"] |= {"shortNames": ["wd"], "categories": ["machines"]}
    said = kubectl("apply", "-f", "-", stdin=raw).stdout
    assert said == f"customresourcedefinition.apiextensions.k8s.io/widgets.{group} created\n"
    kubectl("wait", "--for=condition=Established", f"crd/widgets.{group}", "--timeout=20s")
    yield group
    api.request(
        "DELETE", f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.{group}"
    )


def widget(group: str, name: str = "w", version: str = "v1", **spec: Any) -> Raw:
    return {
        "apiVersion": f"{group}/{version}",
        "kind": "Widget",
        "metadata": {"name": name},
        "spec": spec,
    }


def test_conditions_and_names(kubectl: Kubectl, group: str) -> None:
    got = kubectl("get", "crd", f"widgets.{group}", "-o", "json").json["status"]
    assert [(one["type"], one["status"], one["reason"]) for one in got["conditions"]] == [
        ("NamesAccepted", "True", "NoConflicts"),
        ("Established", "True", "InitialNamesAccepted"),
    ]
    assert got["acceptedNames"] == {
        "kind": "Widget",
        "listKind": "WidgetList",
        "plural": "widgets",
        "singular": "widget",
        "shortNames": ["wd"],
        "categories": ["machines"],
    }
    assert got["storedVersions"] == ["v1"]
    rows = kubectl("api-resources", f"--api-group={group}", "--no-headers").rows
    assert rows == [["widgets", "wd", f"{group}/v1", "true", "Widget"]]


def test_defaults_and_pruning(kubectl: Kubectl, group: str) -> None:
    raw = widget(group, size=2, parts=[{"name": "a"}], extra={"any": ["thing"]}, port="http")
    raw["spec"]["unknown"] = 1
    got = kubectl("create", "-f", "-", "--validate=ignore", "-o", "json", stdin=raw).json
    assert got["spec"] == {
        "color": "red",
        "extra": {"any": ["thing"]},
        "parts": [{"count": 1, "name": "a"}],
        "port": "http",
        "size": 2,
    }
    assert got["metadata"]["generation"] == 1
    strict = kubectl.fails("create", "-f", "-", stdin={**raw, "metadata": {"name": "other"}})
    assert 'strict decoding error: unknown field "spec.unknown"' in strict


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a missing field": ({}, "spec.size: Required value"),
    "a type": (
        {"size": "big"},
        'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
    ),
    "a maximum": (
        {"size": 11},
        "spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10",
    ),
    "a minimum": (
        {"size": 0},
        "spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1",
    ),
    "an enum": (
        {"size": 1, "color": "pink"},
        'spec.color: Unsupported value: "pink": supported values: "red", "blue"',
    ),
    "a pattern": (
        {"size": 1, "parts": [{"name": "A1"}]},
        "spec.parts[0].name: Invalid value: \"A1\": spec.parts[0].name in body should match '^[a-z]+$'",
    ),
    "too many items": (
        {"size": 1, "parts": [{"name": name} for name in "abcd"]},
        "spec.parts: Too many: 4: must have at most 3 items",
    ),
    "the same key twice": (
        {"size": 1, "parts": [{"name": "a"}, {"name": "a"}]},
        'spec.parts[1]: Duplicate value: {"name":"a"}',
    ),
    "a rule": (
        {"size": 2, "color": "blue"},
        "spec: Invalid value: blue widgets are bigger than 3",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(kubectl: Kubectl, group: str, case: str) -> None:
    spec, want = REFUSED[case]
    got = kubectl.fails("create", "-f", "-", stdin=widget(group, **spec))
    assert got.startswith('The Widget "w" is invalid: ')
    assert want in got


def test_transition_rules_hold_old_against_new(kubectl: Kubectl, group: str) -> None:
    kubectl("apply", "-f", "-", stdin=widget(group, size=5))
    got = kubectl.fails("apply", "-f", "-", stdin=widget(group, size=4))
    assert got == 'The Widget "w" is invalid: spec.size: Forbidden: cannot shrink from 5\n'
    assert kubectl("apply", "-f", "-", stdin=widget(group, size=6)).stdout == (
        f"widget.{group}/w configured\n"
    )


def test_columns(kubectl: Kubectl, group: str, api: Connection) -> None:
    kubectl("create", "-f", "-", stdin=widget(group, size=5))
    path = f"/apis/{group}/v1/namespaces/{kubectl.namespace}/widgets/w"
    api.merge(f"{path}/status", {"status": {"phase": "Turning"}})
    head, row = kubectl("get", "wd").rows
    assert head == ["NAME", "SIZE", "PHASE", "AGE"]
    assert row[:3] == ["w", "5", "Turning"]
    head, row = kubectl("get", f"widgets.{group}", "-o", "wide").rows
    assert head == ["NAME", "SIZE", "PHASE", "COLOR", "AGE"]
    assert row[:4] == ["w", "5", "Turning", "red"]
    assert kubectl("get", "machines", "-o", "name").stdout == f"widget.{group}/w\n"


def test_patches_of_custom_kinds(kubectl: Kubectl, group: str) -> None:
    kind = f"widgets.{group}"
    kubectl("create", "-f", "-", stdin=widget(group, size=5, parts=[{"name": "a"}]))
    kubectl("patch", kind, "w", "--type=merge", "-p", '{"spec":{"size":6}}')
    kubectl(
        "patch", kind, "w", "--type=json", "-p", '[{"op":"add","path":"/spec/port","value":80}]'
    )
    got = kubectl("get", kind, "w", "-o", "json").json
    assert (got["spec"]["size"], got["spec"]["port"]) == (6, 80)
    assert got["metadata"]["generation"] == 3
    strategic = kubectl.fails("patch", kind, "w", "-p", '{"spec":{"size":7}}')
    assert "application/strategic-merge-patch+json is not supported" in strategic or (
        "(UnsupportedMediaType)" in strategic
    )


def test_server_side_apply_merges_by_the_schemas_keys(kubectl: Kubectl, group: str) -> None:
    def apply(manager: str, raw: Raw) -> None:
        arguments = ["--server-side", f"--field-manager={manager}", "-f", "-"]
        kubectl("apply", *arguments, stdin=raw)

    apply("a", widget(group, size=5, parts=[{"name": "a", "count": 2}]))
    apply("b", widget(group, size=5, parts=[{"name": "b", "count": 3}]))
    shown = ["get", f"widgets.{group}", "w", "-o", "jsonpath={.spec.parts}"]
    assert kubectl(*shown).json == [{"count": 2, "name": "a"}, {"count": 3, "name": "b"}]
    apply("a", widget(group, size=5))
    assert kubectl(*shown).json == [{"count": 3, "name": "b"}]


def test_status_and_scale(kubectl: Kubectl, group: str) -> None:
    kind = f"widgets.{group}"
    kubectl("create", "-f", "-", stdin=widget(group, size=5, replicas=1))
    body = '{"status":{"phase":"Turning","replicas":1,"selector":"app=w"},"spec":{"size":9}}'
    kubectl("patch", kind, "w", "--subresource=status", "--type=merge", "-p", body)
    got = kubectl("get", kind, "w", "-o", "json").json
    assert got["spec"]["size"] == 5
    assert got["status"] == {"phase": "Turning", "replicas": 1, "selector": "app=w"}
    assert got["metadata"]["generation"] == 1
    assert kubectl("scale", f"{kind}/w", "--replicas=4").stdout == f"widget.{group}/w scaled\n"
    scale = kubectl("get", kind, "w", "--subresource=scale", "-o", "json").json
    assert (scale["spec"], scale["status"]) == (
        {"replicas": 4},
        {"replicas": 1, "selector": "app=w"},
    )
    assert kubectl("get", kind, "w", "-o", "jsonpath={.spec.replicas}").stdout == "4"


def test_several_versions(kubectl: Kubectl, group: str) -> None:
    crd = ["crd", f"widgets.{group}"]
    raw = kubectl("get", *crd, "-o", "json").json
    old = raw["spec"]["versions"][0]
    kubectl("create", "-f", "-", stdin=widget(group, "before", size=2))
    newer = {**old, "name": "v2"}
    raw["spec"]["versions"] = [
        {**old, "storage": False, "deprecated": True, "deprecationWarning": "use v2 widgets"},
        newer,
    ]
    kubectl("replace", "-f", "-", stdin=raw)
    assert kubectl("get", *crd, "-o", "jsonpath={.status.storedVersions}").json == ["v1", "v2"]
    created = kubectl("create", "-f", "-", stdin=widget(group, "after", "v2", size=3))
    assert created.stdout == f"widget.{group}/after created\n"
    seen = kubectl("get", f"widgets.v1.{group}", "after", "-o", "json")
    assert seen.json["apiVersion"] == f"{group}/v1"
    assert seen.stderr == "Warning: use v2 widgets\n"
    got = kubectl("get", f"widgets.v2.{group}", "before", "-o", "json").json
    assert (got["apiVersion"], got["spec"]["size"]) == (f"{group}/v2", 2)
    raw = kubectl("get", *crd, "-o", "json").json
    raw["spec"]["versions"][0]["served"] = False
    kubectl("replace", "-f", "-", stdin=raw)
    got = kubectl.fails("get", "--raw", f"/apis/{group}/v1/widgets")
    assert got == "Error from server (NotFound): the server could not find the requested resource\n"


def test_a_changed_schema_holds_for_the_next_write(kubectl: Kubectl, group: str) -> None:
    kubectl("create", "-f", "-", stdin=widget(group, size=2))
    path = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/level"
    change = f'[{{"op":"add","path":"{path}","value":{{"type":"integer","default":7}}}}]'
    kubectl("patch", "crd", f"widgets.{group}", "--type=json", "-p", change)
    shown = ["get", f"widgets.{group}", "w", "-o", "jsonpath={.spec.level}"]
    assert kubectl(*shown).stdout == "7"


WRONG: dict[str, tuple[Raw, str]] = {
    "no type at the root": ({"properties": {}}, "must not be empty at the root"),
    "no type inside": (
        {"type": "object", "properties": {"a": {}}},
        (
            "spec.validation.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object "
            "fields"
        ),
    ),
    "a default of another type": (
        {"type": "object", "properties": {"a": {"type": "string", "default": 5}}},
        'properties[a].default: Invalid value: "integer":  in body must be of type string: "integer"',
    ),
    "a rule that does not compile": (
        {"type": "object", "x-kubernetes-validations": [{"rule": "self.nope > 1"}]},
        "compilation failed: ERROR: <input>:1:5: undefined field 'nope'",
    ),
    "a rule that is no rule": (
        {"type": "object", "x-kubernetes-validations": [{"rule": "1 + 1"}]},
        "cel expression must evaluate to a bool",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_definition(kubectl: Kubectl, case: str) -> None:
    schema, want = WRONG[case]
    group = f"{kubectl.namespace}.example.com"
    got = kubectl.fails("create", "-f", "-", stdin=definition(group, "Widget", schema))
    assert f'The CustomResourceDefinition "widgets.{group}" is invalid: ' in got
    assert want in got


def test_names_that_are_taken_are_not_accepted(kubectl: Kubectl, group: str) -> None:
    second = definition(group, "Gadget", {"type": "object"})
    second["spec"]["names"]["shortNames"] = ["wd"]
    kubectl("create", "-f", "-", stdin=second)
    waiting = "--for=condition=NamesAccepted=False"
    kubectl("wait", waiting, f"crd/gadgets.{group}", "--timeout=20s")
    shape = 'jsonpath={.status.conditions[?(@.type=="NamesAccepted")].message}'
    got = kubectl("get", "crd", f"gadgets.{group}", "-o", shape).stdout
    assert got == '"wd" is already in use'
    kubectl("delete", "crd", f"gadgets.{group}")


def test_the_end_of_a_definition_is_the_end_of_its_objects(
    kubectl: Kubectl, group: str, api: Connection
) -> None:
    kubectl("create", "-f", "-", stdin=[widget(group, "one", size=1), widget(group, "two", size=2)])
    held = widget(group, "held", size=3)
    held["metadata"]["finalizers"] = ["example.com/hold"]
    kubectl("create", "-f", "-", stdin=held)
    kubectl("delete", "crd", f"widgets.{group}", "--wait=false")
    path = f"/apis/{group}/v1/namespaces/{kubectl.namespace}/widgets"
    api.until(f"{path}/one", 404)
    assert api.get(f"{path}/held")["metadata"]["deletionTimestamp"]
    refused = kubectl.fails("create", "-f", "-", stdin=widget(group, "late", size=1))
    assert "create not allowed while custom resource definition is terminating" in refused
    api.merge(f"{path}/held", {"metadata": {"finalizers": None}})
    api.until(f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.{group}", 404)
    assert "the server doesn't have a resource type" in kubectl.fails("get", f"widgets.{group}")
