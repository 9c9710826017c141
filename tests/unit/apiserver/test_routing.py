"""From methods and paths to what is asked."""

from __future__ import annotations

import pytest

from argosy.apiserver.routing import Route, route

CASES: dict[str, tuple[tuple[str, str], dict[str, object], dict[str, object]]] = {
    "one object of the core group": (
        ("GET", "/api/v1/namespaces/ns/pods/p"), {},
        {"verb": "get", "version": "v1", "namespace": "ns", "resource": "pods", "name": "p"},
    ),
    "a list of a named group": (
        ("GET", "/apis/batch/v1/namespaces/ns/jobs"), {},
        {"verb": "list", "group": "batch", "version": "v1", "namespace": "ns", "resource": "jobs"},
    ),
    "a list over all namespaces": (
        ("GET", "/api/v1/pods"), {}, {"verb": "list", "version": "v1", "resource": "pods"},
    ),
    "a watch": (
        ("GET", "/api/v1/pods"), {"watch": True}, {"verb": "watch", "version": "v1", "resource": "pods"},
    ),
    "a watch of one name": (
        ("GET", "/api/v1/pods"), {"watch": True, "field_name": "p"},
        {"verb": "watch", "version": "v1", "resource": "pods", "name": "p"},
    ),
    "a get stays one, whatever the query says": (
        ("GET", "/api/v1/namespaces/ns/pods/p"), {"watch": True},
        {"verb": "get", "version": "v1", "namespace": "ns", "resource": "pods", "name": "p"},
    ),
    "the old way to watch": (
        ("GET", "/apis/apps/v1/watch/namespaces/ns/deployments/d"), {},
        {
            "verb": "watch", "group": "apps", "version": "v1", "namespace": "ns", "resource": "deployments",
            "name": "d",
        },
    ),
    "a create": (
        ("POST", "/api/v1/namespaces/ns/pods"), {},
        {"verb": "create", "version": "v1", "namespace": "ns", "resource": "pods"},
    ),
    "a subresource": (
        ("POST", "/api/v1/namespaces/ns/pods/p/eviction"), {},
        {
            "verb": "create", "version": "v1", "namespace": "ns", "resource": "pods", "name": "p",
            "subresource": "eviction",
        },
    ),
    "what follows a subresource": (
        ("GET", "/api/v1/namespaces/ns/services/s/proxy/a/b"), {},
        {
            "verb": "get", "version": "v1", "namespace": "ns", "resource": "services", "name": "s",
            "subresource": "proxy", "rest": ("a", "b"),
        },
    ),
    "a namespace": (
        ("GET", "/api/v1/namespaces/ns"), {},
        {"verb": "get", "version": "v1", "namespace": "ns", "resource": "namespaces", "name": "ns"},
    ),
    "a namespace's status": (
        ("PUT", "/api/v1/namespaces/ns/status"), {},
        {
            "verb": "update", "version": "v1", "namespace": "ns", "resource": "namespaces", "name": "ns",
            "subresource": "status",
        },
    ),
    "a deletion of all": (
        ("DELETE", "/api/v1/namespaces/ns/pods"), {},
        {"verb": "deletecollection", "version": "v1", "namespace": "ns", "resource": "pods"},
    ),
    "a verb of another protocol": (
        ("LOCK", "/api/v1/namespaces/ns/pods/p"), {},
        {"verb": "lock", "version": "v1", "namespace": "ns", "resource": "pods", "name": "p"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_resources(case: str) -> None:
    (method, path), given, want = CASES[case]
    assert route(method, path, **given) == Route(is_resource=True, path=path, **want)  # type: ignore[arg-type]


PATHS = {
    "/healthz": ("GET", "get"),
    "/apis": ("GET", "get"),
    "/apis/batch/v1": ("GET", "get"),
    "/version": ("DELETE", "delete"),
    "/": ("POST", "post"),
}


@pytest.mark.parametrize("path", PATHS)
def test_other_paths(path: str) -> None:
    method, verb = PATHS[path]
    assert route(method, path) == Route(is_resource=False, path=path, verb=verb)
