"""Queries and headers that make no sense: selectors, continue tokens, revisions, flags, media types, identities."""

from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.chains import Chain, lawful

PODS = "/api/v1/namespaces/default/pods"
MAPS = "/api/v1/namespaces/default/configmaps"


def token(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


SELECTORS = (
    "=", "==", "!=", "a=b=c", "a,,b", ",", "a in", "a in (", "a in (b", "a in b", "a notin ()", "a in (,)", "!",
    "!a=b", "a>b", "a>1<2", "a<", "(a)", "a b", "a=b c", "-a=b", "a=-b", "a/b/c=d", "/a=b", "a" * 64 + "=b",
    "a=" + "b" * 64, "ü=1", "a=ü", "a\x00=b", "a in (" + ",".join(["b"] * 2000) + ")", "a=b," * 500, "'a'='b'", "=b",
    "a!b", "a!!=b", "in in (in)", "notin", "a exists", "*", "a=*", "((((", "\n",
)  # fmt: skip
FIELDS = (
    "=", "a", "a=b", "metadata.name", "metadata.name=", "metadata.name==", "metadata.name!=", "metadata.name>a",
    "metadata.name=a=b", "metadata.name=a,metadata.name=b", ",", "metadata.name=a,", "metadata.namespace=\\", "\\,=a",
    "status.phase=\\x", "spec.nodeName=" + "x" * 5000, "status.phase in (Running)", "metadata.labels.a=b", "ü=1",
    "metadata.name=\x00", "!metadata.name",
)  # fmt: skip
TOKENS = (
    "x", "=", "ü", "e30", token({}), token([]), token(1), token({"v": "meta.k8s.io/v1"}),
    token({"v": "meta.k8s.io/v1", "rv": -1, "start": "a"}), token({"v": "meta.k8s.io/v1", "rv": 0, "start": "a"}),
    token({"v": "meta.k8s.io/v1", "rv": 2**70, "start": "a"}), token({"v": "meta.k8s.io/v1", "rv": 1, "start": "../a"}),
    token({"v": "v9", "rv": 1, "start": "a"}), token({"v": "meta.k8s.io/v1", "rv": "1", "start": 5}), "a" * 10_000,
    token({"v": "meta.k8s.io/v1", "rv": 1, "start": "\x00"}), "....", "-_-_", "%00",
)  # fmt: skip
REVISIONS = (
    "-1", "x", "1.5", "1e3", "99999999999999999999", "9" * 5000, "0x10", " 1", "+1", "01", "ü", "00", "1", "999999999",
    "١", "1_0",
)  # fmt: skip
NUMBERS = ("", "-1", "x", "1.5", "9" * 30, "1e3", "+5", " 5", "٣", "1_0", "-0", "0x1")
OTHERS = {
    "dryRun": ("all", "None", "All,All", "true", "ü", ""),
    "fieldValidation": ("strict", "Warnings", "ü", "Ignore,Strict"),
    "fieldManager": ("a" * 129, "a\nb", "\x00", "ü" * 70, ""),
    "propagationPolicy": ("background", "All", "ü", "Orphan,Foreground"),
    "orphanDependents": ("x", "1", "TRUE", "ü"),
    "resourceVersionMatch": ("exact", "Exact", "NotOlderThan", "x", "ü"),
    "watch": ("x", "TRUE", "2", "ü"),
    "sendInitialEvents": ("x", "true", "false", "1"),
    "allowWatchBookmarks": ("x", "1"),
    "includeObject": ("x", "none", "ü", "Object,None"),
    "pretty": ("x", "1", "ü"),
    "force": ("x", "1", "ü"),
    "labelSelector": SELECTORS,
    "fieldSelector": FIELDS,
    "continue": TOKENS,
    "resourceVersion": REVISIONS,
    "limit": NUMBERS,
    "timeoutSeconds": NUMBERS,
    "gracePeriodSeconds": NUMBERS,
}
CASES = [(name, value) for name, values in OTHERS.items() for value in values]
READS: tuple[tuple[str, dict[str, str]], ...] = (
    (PODS, {}),
    (PODS, {"watch": "1"}),
    (f"{PODS}/x", {}),
    ("/apis/example.com/v1/widgets", {}),
)


@pytest.mark.parametrize("name", OTHERS)
def test_one_bad_option(chain: Chain, name: str) -> None:
    for value in OTHERS[name]:
        for path, query in READS:
            lawful(chain.send("GET", path, query={**query, name: value}))
        body = {"metadata": {"name": "new"}}
        lawful(chain.send("POST", MAPS, body, query={"dryRun": "All", name: value}))
        lawful(chain.send("PUT", f"{MAPS}/x", body, query={"dryRun": "All", name: value}))
        lawful(chain.send("DELETE", f"{MAPS}/none", query={name: value}))
        lawful(chain.send("DELETE", MAPS, query={"dryRun": "All", name: value}))
        patch = {
            "query": {"dryRun": "All", name: value},
            "content_type": "application/merge-patch+json",
        }
        lawful(chain.send("PATCH", f"{MAPS}/x", {}, **patch))  # type: ignore[arg-type]


@given(
    st.lists(st.sampled_from(CASES), min_size=2, max_size=5),
    st.sampled_from([PODS, MAPS, f"{PODS}/x/log", "/api/v1/events", "/apis/apps/v1/deployments"]),
)
@settings(max_examples=400)
def test_several_bad_options(chain: Chain, options: list[tuple[str, str]], path: str) -> None:
    lawful(chain.send("GET", path, query=dict(options)))
    lawful(chain.send("DELETE", MAPS, query={**dict(options), "dryRun": "All"}))


@given(st.text(max_size=40), st.sampled_from(["labelSelector", "fieldSelector", "continue"]))
@settings(max_examples=400)
def test_random_text(chain: Chain, text: str, name: str) -> None:
    lawful(chain.send("GET", PODS, query={name: text, "limit": "1"}))


ACCEPTS = (
    "", ",", ";", "*", "*/*;q=0", "text/html", "application/xml", "application/json;as=Table", "application/json;as=X;g=y;v=z",
    "application/json;as=Table;g=meta.k8s.io;v=v9", "application/json;as=Table;g=meta.k8s.io;v=v1;;=;x",
    "application/yaml", "application/yaml;as=Table;g=meta.k8s.io;v=v1", "application/cbor", "ü", "a" * 5000,
    "application/vnd.kubernetes.protobuf", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", "application/json;stream=watch",
    "application/json;as=APIGroupDiscoveryList;g=apidiscovery.k8s.io;v=v2", "application/json;v",
)  # fmt: skip


@pytest.mark.parametrize("accept", ACCEPTS)
def test_accept(chain: Chain, accept: str) -> None:
    paths = (
        PODS,
        f"{PODS}/x",
        "/api",
        "/apis",
        "/openapi/v2",
        "/openapi/v3",
        "/api/v1",
        "/version",
        "/nowhere",
    )
    for path in paths:
        lawful(chain.send("GET", path, headers={"accept": accept}))
    lawful(chain.send("GET", PODS, query="watch=1", headers={"accept": accept}))
    body = {"metadata": {"name": "new"}}
    lawful(chain.send("POST", MAPS, body, query="dryRun=All", headers={"accept": accept}))
    lawful(chain.send("DELETE", f"{MAPS}/none", headers={"accept": accept}))


def jwt(head: object, claims: object, signature: str = "AAAA") -> str:
    return f"{token(head)}.{token(claims)}.{signature}"


CREDENTIALS = (
    "", "Bearer", "Bearer ", "bearer t", "Bearer  t", "Basic dDp0", "Bearer x", "Bearer t t", "Bearer \x00", "Bearer ü",
    "Bearer a.b.c", "Bearer ...", "Bearer " + "a" * 10_000, "Bearer " + jwt({"alg": "none"}, {}),
    "Bearer " + jwt({"alg": "ES256"}, {"sub": "system:serviceaccount:default:x"}), "Bearer " + jwt([], []),
    "Bearer " + jwt({"alg": "HS256", "kid": "../../x"}, {"exp": 10**400}), "Bearer " + jwt({"alg": 5}, 5, "ü"),
    "Negotiate x",
)  # fmt: skip


@pytest.mark.parametrize("credentials", CREDENTIALS)
def test_credentials(chain: Chain, credentials: str) -> None:
    answer = lawful(chain.send("GET", PODS, headers={"authorization": credentials}))
    assert answer.status in {200, 401}
    assert answer.status == 401 or credentials.split() == ["Bearer", "t"]


IMPERSONATIONS: tuple[dict[str, str], ...] = (
    {"impersonate-user": ""},
    {"impersonate-group": "devs"},
    {"impersonate-uid": "1"},
    {"impersonate-extra-a": "b"},
    {"impersonate-user": "\x00"},
    {"impersonate-user": "ü" * 500},
    {"impersonate-user": "system:serviceaccount:"},
    {"impersonate-user": "system:serviceaccount:a:b:c"},
    {"impersonate-user": "system:serviceaccount:default:x"},
    {"impersonate-user": "a", "impersonate-group": "\n\n"},
    {"impersonate-user": "a", "impersonate-extra-%zz": "b"},
    {"impersonate-user": "a", "impersonate-extra-": "b"},
    {"impersonate-user": "a", "impersonate-wonder": "b"},
)


@pytest.mark.parametrize("headers", IMPERSONATIONS, ids=str)
def test_impersonation(chain: Chain, headers: dict[str, str]) -> None:
    assert lawful(chain.send("GET", PODS, headers=headers)).status >= 400
    nobody = {"authorization": "Bearer nobody", **headers}
    assert lawful(chain.send("GET", PODS, headers=nobody)).status >= 400
