"""OpenAPI documents: what kubectl and generators of clients look for in them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from argosy.api.builtin import builtin_kinds, is_virtual
from argosy.api.crds import kind_from_crd
from argosy.api.kinds import Scheme
from argosy.apiserver.discovery import group_versions
from argosy.apiserver.openapi import OpenAPI
from tests.unit.widgets import SCHEMA, widget_kind

OPERATIONS = Path(__file__).with_name("operations.txt").read_text().splitlines()
SCHEME = Scheme((*builtin_kinds(), widget_kind()))
PATHS = [
    f"apis/{group}/{version}" if group else f"api/{version}"
    for group, versions in group_versions(SCHEME).items()
    for version in versions
]


@pytest.fixture(scope="module")
def openapi() -> OpenAPI:
    return OpenAPI(SCHEME)


def read(openapi: OpenAPI, path: str) -> Any:
    document = openapi.v3(path)
    assert document is not None
    return json.loads(document.body)


def refs(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for inner in value.values():
            yield from refs(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from refs(inner)


def operations(document: Any) -> Iterator[tuple[str, str, Any]]:
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method != "parameters":
                yield path, method, operation


@pytest.mark.parametrize("path", PATHS)
def test_every_reference_leads_somewhere(openapi: OpenAPI, path: str) -> None:
    document = read(openapi, path)
    known = {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}
    assert set(refs(document)) <= known


def test_operations_are_those_of_a_real_server(openapi: OpenAPI) -> None:
    got = sorted(
        f"{method} {path} {operation['operationId']}"
        for where in PATHS
        if "example.com" not in where
        for path, method, operation in operations(read(openapi, where))
    )
    assert got == OPERATIONS


def test_every_kind_can_be_found_and_validated(openapi: OpenAPI) -> None:
    """kubectl looks for the patch of a kind, and in it for fieldValidation and for strategic merge."""
    patches: dict[tuple[str, str, str], Any] = {}
    for where in PATHS:
        for path, method, operation in operations(read(openapi, where)):
            if method == "patch" and path.endswith("{name}"):
                gvk = operation["x-kubernetes-group-version-kind"]
                patches[gvk["group"], gvk["version"], gvk["kind"]] = operation
    want = {
        (kind.group, version, kind.kind): not kind.custom
        for kind in SCHEME
        if not is_virtual(kind)
        for version in kind.versions
        if kind.serves(version)
    }
    strategic = "application/strategic-merge-patch+json"
    got = {
        gvk: strategic in operation["requestBody"]["content"]
        for gvk, operation in patches.items()
        if any(p["name"] == "fieldValidation" for p in operation["parameters"])
    }
    assert got == want


def test_types_say_how_their_fields_merge(openapi: OpenAPI) -> None:
    schemas = read(openapi, "api/v1")["components"]["schemas"]
    volumes = schemas["io.k8s.api.core.v1.PodSpec"]["properties"]["volumes"]
    assert volumes == {
        "description": "Volumes that containers can mount.",
        "type": "array",
        "items": {"$ref": "#/components/schemas/io.k8s.api.core.v1.Volume"},
        "x-kubernetes-list-map-keys": ["name"],
        "x-kubernetes-list-type": "map",
        "x-kubernetes-patch-merge-key": "name",
        "x-kubernetes-patch-strategy": "merge,retainKeys",
    }
    pod = schemas["io.k8s.api.core.v1.Pod"]
    assert pod["description"] == "Pod is a group of containers that run together on one node."
    assert pod["x-kubernetes-group-version-kind"] == [{"group": "", "kind": "Pod", "version": "v1"}]


def test_quantities_and_ports_are_of_two_types(openapi: OpenAPI) -> None:
    schemas = read(openapi, "api/v1")["components"]["schemas"]
    quantity = schemas["io.k8s.apimachinery.pkg.api.resource.Quantity"]
    port = schemas["io.k8s.apimachinery.pkg.util.intstr.IntOrString"]
    assert quantity["oneOf"] == [{"type": "string"}, {"type": "number"}]
    assert port["oneOf"] == [{"type": "integer"}, {"type": "string"}]


def test_a_custom_kind_keeps_its_schema_and_gets_what_every_object_has(openapi: OpenAPI) -> None:
    schemas = read(openapi, "apis/example.com/v1")["components"]["schemas"]
    widget = schemas["com.example.v1.Widget"]
    spec = widget["properties"].pop("spec")
    size = spec["properties"].pop("size")
    template = spec["properties"].pop("template")
    want = json.loads(json.dumps(SCHEMA["properties"]["spec"]))
    del want["properties"]["size"], want["properties"]["template"]
    assert spec == want
    assert size == {
        "anyOf": [{"type": "integer"}, {"type": "string"}],
        "x-kubernetes-int-or-string": True,
    }
    assert template["required"] == ["kind", "apiVersion"]
    assert widget["properties"].keys() == {"apiVersion", "kind", "metadata", "status"}
    assert (widget["description"], widget["required"]) == ("A widget.", ["spec"])
    assert widget["x-kubernetes-group-version-kind"] == [
        {"group": "example.com", "kind": "Widget", "version": "v1"}
    ]
    assert "com.example.v1.WidgetList" in schemas


def test_the_index_leads_to_every_document_by_its_hash(openapi: OpenAPI) -> None:
    paths = json.loads(openapi.v3_index().body)["paths"]
    got = {path: entry["serverRelativeURL"] for path, entry in paths.items()}
    want = {}
    for path in PATHS:
        document = openapi.v3(path)
        assert document is not None
        want[path] = f"/openapi/v3/{path}?hash={document.etag}"
    assert got == want


def test_documents_change_with_their_kinds_only() -> None:
    scheme = Scheme(builtin_kinds())
    openapi = OpenAPI(scheme)
    before = openapi.v3("apis/batch/v1")
    index = openapi.v3_index()
    scheme.add(widget_kind())
    first = openapi.v3("apis/example.com/v1")
    scheme.add(builtin_kinds()[0])
    assert openapi.v3("apis/batch/v1") is before
    assert openapi.v3("apis/example.com/v1") is first
    assert openapi.v3_index() != index
    scheme.remove("example.com", "widgets")
    assert openapi.v3("apis/example.com/v1") is None
    assert openapi.v3_index() == index


def test_servers_share_the_documents_of_built_in_groups(openapi: OpenAPI) -> None:
    other = OpenAPI(Scheme(builtin_kinds()))
    assert other.v3("api/v1") is openapi.v3("api/v1")


def test_servers_with_the_same_custom_kinds_share_their_documents(openapi: OpenAPI) -> None:
    other = OpenAPI(Scheme([widget_kind()]))
    assert other.v3("apis/example.com/v1") is openapi.v3("apis/example.com/v1")


def test_every_contracts_kind_has_a_document(shared: Path) -> None:
    files = sorted((shared / "contract" / "schemas").glob("*_*.json"))
    specs = [json.loads(file.read_text()) for file in files]
    crds = [{"metadata": {"uid": "u"}, "spec": spec} for spec in specs]
    scheme = Scheme(kind_from_crd(crd) for crd in crds)
    openapi = OpenAPI(scheme)
    found = set()
    for path in json.loads(openapi.v3_index().body)["paths"]:
        document = read(openapi, path)
        schemas = document["components"]["schemas"]
        assert {ref.rsplit("/", 1)[1] for ref in refs(document)} <= schemas.keys()
        found |= {
            gvk["kind"]
            for schema in schemas.values()
            for gvk in schema.get("x-kubernetes-group-version-kind", ())
        }
    assert {kind.kind for kind in scheme} <= found


def test_the_old_format_says_the_same_with_fewer_words(openapi: OpenAPI) -> None:
    document = json.loads(openapi.v2().body)
    assert (document["swagger"], document["info"]) == (
        "2.0",
        {"title": "Kubernetes", "version": "1.35"},
    )
    known = {f"#/definitions/{name}" for name in document["definitions"]}
    assert set(refs(document)) <= known
    spec = document["definitions"]["com.example.v1.Widget"]["properties"]["spec"]["properties"]
    assert spec["any"] == {"x-kubernetes-preserve-unknown-fields": True}
    assert spec["size"] == {"x-kubernetes-int-or-string": True}
    assert spec["mode"] == {"type": "string", "enum": ["a", "b"], "pattern": "^[ab]$"}
    patch = document["paths"]["/apis/example.com/v1/namespaces/{namespace}/widgets/{name}"]["patch"]
    assert patch["consumes"] == [
        "application/apply-patch+yaml",
        "application/json-patch+json",
        "application/merge-patch+json",
    ]
    assert [p["name"] for p in patch["parameters"]] == [
        "body",
        "dryRun",
        "fieldManager",
        "fieldValidation",
        "force",
    ]
