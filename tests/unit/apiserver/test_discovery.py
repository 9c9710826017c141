"""Discovery documents, against those of a real API server (`discovery.json`, without what is not served here)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from argosy.api.builtin import builtin_kinds
from argosy.api.crds.ranking import version_rank
from argosy.api.kinds import Scheme
from argosy.apiserver.discovery import Discovery, Document
from tests.unit.widgets import widget_kind

RECORDED: dict[str, Any] = json.loads(Path(__file__).with_name("discovery.json").read_text())


@pytest.fixture
def scheme() -> Scheme:
    return Scheme(builtin_kinds())


def read(document: Document | None) -> Any:
    assert document is not None
    return json.loads(document.body)


@pytest.mark.parametrize("path", RECORDED)
def test_documents_are_those_of_a_real_server(scheme: Scheme, path: str) -> None:
    where, _, aggregated = path.partition(" ")
    got = read(Discovery(scheme).document(where, "v2" if aggregated else ""))
    # Compared as texts too: the order of groups, versions and resources counts.
    assert got == RECORDED[path]
    assert json.dumps(got) == json.dumps(RECORDED[path])


def test_the_core_document_names_the_server() -> None:
    got = read(Discovery(Scheme(builtin_kinds()), "127.0.0.1:6443").document("/api"))
    assert got == {
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [
            {"clientCIDR": "0.0.0.0/0", "serverAddress": "127.0.0.1:6443"}
        ],
    }


@pytest.mark.parametrize(
    "path",
    ["/api/v2", "/apis/nope", "/apis/batch/v9", "/apis/batch/v1/jobs", "/version", "/apis//v1"],
)
def test_nothing_is_served_elsewhere(scheme: Scheme, path: str) -> None:
    assert Discovery(scheme).document(path) is None


def test_custom_kinds_come_and_go_with_the_scheme(scheme: Scheme) -> None:
    discovery = Discovery(scheme)
    before = discovery.document("/apis", "v2")
    scheme.add(widget_kind())
    after = discovery.document("/apis", "v2")
    assert before is not None
    assert after is not None
    assert before.etag != after.etag
    assert read(after)["items"][-1]["metadata"] == {"name": "example.com"}
    scheme.remove("example.com", "widgets")
    assert discovery.document("/apis", "v2") == before


def test_a_custom_kind_in_both_formats(scheme: Scheme) -> None:
    scheme.add(widget_kind())
    discovery = Discovery(scheme)
    verbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"]
    legacy = read(discovery.document("/apis/example.com/v1"))
    assert legacy["resources"] == [
        {
            "name": "widgets",
            "singularName": "widget",
            "namespaced": True,
            "kind": "Widget",
            "verbs": verbs,
            "shortNames": ["wd"],
            "categories": ["all", "toys"],
            "storageVersionHash": legacy["resources"][0]["storageVersionHash"],
        },
        {
            "name": "widgets/status",
            "singularName": "",
            "namespaced": True,
            "kind": "Widget",
            "verbs": ["get", "patch", "update"],
        },
        {
            "name": "widgets/scale",
            "singularName": "",
            "namespaced": True,
            "group": "autoscaling",
            "version": "v1",
            "kind": "Scale",
            "verbs": ["get", "patch", "update"],
        },
    ]
    versions = read(discovery.document("/apis", "v2"))["items"][-1]["versions"]
    assert [version["version"] for version in versions] == ["v1", "v1beta1"]
    assert versions[0]["resources"][0]["responseKind"] == {
        "group": "example.com",
        "version": "v1",
        "kind": "Widget",
    }


def test_documents_are_kept_until_the_scheme_changes(scheme: Scheme) -> None:
    discovery = Discovery(scheme)
    assert discovery.document("/apis/batch/v1/") is discovery.document("/apis/batch/v1")


def test_paths_that_lead_nowhere_are_not_remembered(scheme: Scheme) -> None:
    discovery = Discovery(scheme)
    got = [discovery.document(f"/apis/nope{number}") for number in range(3)]
    assert (got, discovery._documents) == ([None] * 3, {})


def test_paths_are_listed_for_the_root() -> None:
    got = Discovery(Scheme([widget_kind()])).paths()
    assert got == [
        "/api",
        "/apis",
        "/apis/",
        "/apis/example.com",
        "/apis/example.com/v1",
        "/apis/example.com/v1beta1",
    ]


def test_versions_sort_by_maturity_then_number() -> None:
    want = [
        "v10",
        "v2",
        "v1",
        "v11beta2",
        "v10beta3",
        "v3beta1",
        "v12alpha1",
        "v11alpha2",
        "foo1",
        "foo10",
        "v1gamma1",
    ]
    assert sorted(set(want), key=version_rank) == want
