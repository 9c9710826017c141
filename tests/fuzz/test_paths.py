"""Paths and methods that lead nowhere, for somebody who may everything and for somebody who may nothing."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.chains import Chain, lawful

METHODS = (
    "GET",
    "HEAD",
    "POST",
    "PUT",
    "PATCH",
    "DELETE",
    "OPTIONS",
    "TRACE",
    "CONNECT",
    "PROPFIND",
    "get",
    "",
)
PATHS = (
    "/", "", "//", "/api", "/api/", "/api//", "/api/v1", "/api/v1/", "/api/v2", "/api/v1/wonders", "/api/v1//pods",
    "/apis", "/apis/", "/apis/apps", "/apis/apps/", "/apis/apps/v1", "/apis/apps/v9", "/apis/wonders/v1/x",
    "/apis//v1/pods", "/api/v1/namespaces", "/api/v1/namespaces/", "/api/v1/namespaces//pods", "/api/v1/namespaces/default/",
    "/api/v1/namespaces/default/pods/", "/api/v1/namespaces/default/pods//log", "/api/v1/namespaces/default/pods/x/wonder",
    "/api/v1/namespaces/default/pods/x/log/more/and/more", "/api/v1/namespaces/default/pods/x/exec",
    "/api/v1/namespaces/default/pods/x/portforward", "/api/v1/namespaces/default/pods/x/attach",
    "/api/v1/namespaces/default/pods/x/proxy/path", "/api/v1/namespaces/default/services/x/proxy",
    "/api/v1/namespaces/default/pods/x/ephemeralcontainers", "/api/v1/namespaces/default/pods/x/resize",
    "/api/v1/namespaces/default/namespaces/x", "/api/v1/namespaces/default/nodes/x", "/api/v1/pods/x", "/api/v1/nodes/x/status",
    "/api/v1/namespaces/default/wonders/x", "/api/v1/namespaces/nowhere/pods", "/api/v1/namespaces/nowhere/pods/x",
    "/api/v1/namespaces/DEFAULT/pods", "/api/v1/namespaces/default/pods/../secrets/x", "/api/v1/namespaces/ü/pods/ü",
    "/api/v1/namespaces/default/pods/" + "x" * 5000, "/api/v1/namespaces/default/pods/a b", "/api/v1/namespaces/\x00/pods",
    "/api/v1/watch", "/api/v1/watch/pods", "/api/v1/watch/namespaces/default/pods/x", "/api/v1/watch/watch/pods",
    "/api/v1/watch/wonders", "/apis/example.com/v1/widgets", "/apis/example.com/v2/widgets",
    "/apis/example.com/v1/namespaces/default/widgets/x/scale", "/apis/example.com/v1/namespaces/default/widgets/x/wonder",
    "/apis/batch/v1/namespaces/default/jobs/x/scale", "/apis/apps/v1/namespaces/default/deployments/none/scale",
    "/apis/apps/v1/namespaces/default/deployments/none/status", "/api/v1/namespaces/default/finalize", "/api/v1/bindings",
    "/api/v1/namespaces/default/bindings/x", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews/x",
    "/apis/authorization.k8s.io/v1/namespaces/default/selfsubjectaccessreviews", "/openapi", "/openapi/v2/x", "/openapi/v3/x",
    "/openapi/v3/apis/wonders/v1", "/openapi/v3/../v2", "/metrics/x", "/healthz/x", "/livez/ping", "/version/x", "/logs",
    "/debug/pprof", "/.well-known/openid-configuration", "/swagger.json", "/apis/apps/v1/namespaces/default/deployments/x/a/b/c",
    "http://example.com/api/v1/pods", "*", "/api/v1/namespaces/default/pods?x", "/%2e%2e/x", "/api/v1/namespaces/default/events",
)  # fmt: skip
CHANGING = {"query": "dryRun=All"}


@pytest.mark.parametrize("method", METHODS)
def test_every_path_with_every_method(chain: Chain, method: str) -> None:
    for path in PATHS:
        content = "application/merge-patch+json" if method == "PATCH" else "application/json"
        body = {"metadata": {"name": "new"}} if method in {"POST", "PUT", "PATCH"} else b""
        for token in ("t", "nobody", "wrong"):
            headers = {"authorization": f"Bearer {token}"}
            answer = lawful(
                chain.send(
                    method, path, body, content_type=content, headers=headers, query="dryRun=All"
                )
            )
            is_open = path == "/livez/ping" and method in {"GET", "HEAD"}
            assert token != "wrong" or answer.status == 401 or is_open


def test_a_user_without_rights_changes_nothing(chain: Chain) -> None:
    headers = {"authorization": "Bearer nobody"}
    for path in PATHS:
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            answer = lawful(chain.send(method, path, {}, headers=headers))
            assert answer.status >= 400 or "subject" in path, (method, path, answer)


WORDS = st.sampled_from([
    *["api", "apis", "v1", "v2", "apps", "batch", "namespaces", "default", "pods", "x", "status", "scale", "log"],
    *["watch", "deployments", "example.com", "widgets", "", ".", "..", "ü", "a b", "\x00", "X" * 70, "-", "openapi"],
])  # fmt: skip


@given(st.lists(WORDS, max_size=9), st.sampled_from(METHODS))
@settings(max_examples=500)
def test_random_paths(chain: Chain, words: list[str], method: str) -> None:
    lawful(chain.send(method, "/" + "/".join(words), query="dryRun=All"))
