"""Bad patches of every type, by hand and made up, against built-in and custom kinds."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.chains import Chain, lawful
from tests.fuzz.samples import SAMPLES, path_of

JSON = "application/json-patch+json"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"
TYPES = (JSON, MERGE, STRATEGIC, APPLY)
QUERY = {"dryRun": "All", "fieldManager": "fuzz"}
TARGETS = [path_of(raw, named=True) for raw in SAMPLES]
WIDGET = "/apis/example.com/v1/namespaces/default/widgets/x"
DEPLOYMENT = "/apis/apps/v1/namespaces/default/deployments/x"
POD = "/api/v1/namespaces/default/pods/x"

OPERATIONS: dict[str, Any] = {
    "not a list": {},
    "not operations": [1, "x", None, []],
    "no operation": [{}],
    "an unknown operation": [{"op": "leap", "path": "/spec"}],
    "an operation that is no text": [{"op": 5, "path": "/spec"}],
    "no path": [{"op": "remove"}],
    "a path that is no text": [{"op": "remove", "path": 5}],
    "a path without a slash": [{"op": "remove", "path": "spec"}],
    "an empty path": [{"op": "replace", "path": "", "value": {}}],
    "the whole object gone": [{"op": "remove", "path": ""}],
    "a path into nothing": [{"op": "add", "path": "/a/b/c", "value": 1}],
    "a path into text": [{"op": "add", "path": "/kind/x", "value": 1}],
    "a bad escape": [{"op": "remove", "path": "/metadata/~2"}],
    "no value": [{"op": "add", "path": "/metadata/labels"}],
    "a null value": [{"op": "add", "path": "/metadata/labels", "value": None}],
    "an index beyond the end": [{"op": "add", "path": "/spec/containers/9", "value": {}}],
    "an index below zero": [{"op": "remove", "path": "/spec/containers/-1"}],
    "an index that is no number": [{"op": "remove", "path": "/spec/containers/x"}],
    "an index with zeros": [{"op": "remove", "path": "/spec/containers/00"}],
    "a huge index": [{"op": "remove", "path": "/spec/containers/" + "9" * 400}],
    "the dash for removing": [{"op": "remove", "path": "/spec/containers/-"}],
    "no source": [{"op": "move", "path": "/metadata/labels"}],
    "a source into nothing": [{"op": "copy", "from": "/a/b", "path": "/metadata/labels"}],
    "a move into itself": [{"op": "move", "from": "/metadata", "path": "/metadata/labels"}],
    "a test that fails": [{"op": "test", "path": "/kind", "value": "Other"}],
    "another name": [{"op": "replace", "path": "/metadata/name", "value": "other"}],
    "another kind": [{"op": "replace", "path": "/kind", "value": "Other"}],
    "a kind that is no text": [{"op": "replace", "path": "/kind", "value": 5}],
    "no metadata": [{"op": "remove", "path": "/metadata"}],
    "metadata that is a list": [{"op": "replace", "path": "/metadata", "value": []}],
    "ten thousand operations": [{"op": "test", "path": "/kind", "value": "x"}] * 10_000,
    "doubling": [{"op": "copy", "from": "/metadata", "path": "/metadata/annotations"}] * 40,
}

DOCUMENTS: dict[str, Any] = {
    "null": None,
    "a list": [],
    "a number": 5,
    "text": "text",
    "everything null": {"metadata": None, "spec": None, "kind": None, "apiVersion": None},
    "metadata as text": {"metadata": "x"},
    "spec as a list": {"spec": []},
    "another name": {"metadata": {"name": "other"}},
    "another namespace": {"metadata": {"namespace": "other"}},
    "another uid": {"metadata": {"uid": "5"}},
    "a stale revision": {"metadata": {"resourceVersion": "1"}},
    "a revision that is no number": {"metadata": {"resourceVersion": "x"}},
    "labels that are numbers": {"metadata": {"labels": {"a": 1}}},
    "finalizers that are text": {"metadata": {"finalizers": "x"}},
    "owners without a uid": {"metadata": {"ownerReferences": [{"kind": "Pod", "name": "x"}]}},
    "managed fields of nonsense": {"metadata": {"managedFields": [{"fieldsV1": {"x": 1}}]}},
    "managed fields of nobody": {"metadata": {"managedFields": [{"manager": 5, "operation": "X"}]}},
    "managed fields as text": {"metadata": {"managedFields": "x"}},
    "a directive of nonsense": {"spec": {"$patch": "leap"}},
    "a directive as a number": {"spec": {"$patch": 5}},
    "a delete of everything": {"$patch": "delete"},
    "a replace of everything": {"$patch": "replace"},
    "items without their key": {"spec": {"containers": [{"image": "x"}]}},
    "items that are text": {"spec": {"containers": ["x", 5, None]}},
    "items with a key that is a list": {"spec": {"containers": [{"name": []}]}},
    "a delete without a key": {"spec": {"containers": [{"$patch": "delete"}]}},
    "an order of nonsense": {"spec": {"$setElementOrder/containers": "x"}},
    "an order that is incomplete": {
        "spec": {"$setElementOrder/containers": [{"name": "no"}], "containers": [{"name": "yes"}]}
    },
    "an order of texts": {"spec": {"$setElementOrder/containers": ["x", 5]}},
    "retained keys of nonsense": {"spec": {"$retainKeys": "x"}},
    "retained keys that leave out what is set": {"spec": {"$retainKeys": ["a"], "replicas": 5}},
    "a primitive delete": {"metadata": {"$deleteFromPrimitiveList/finalizers": 5}},
    "a primitive delete of objects": {"spec": {"$deleteFromPrimitiveList/containers": [{"a": 1}]}},
    "unknown directives": {"$wonder": 1, "spec": {"$wonder/x": []}},
    "empty names": {"": {"": []}, "spec": {"": None}},
}


def _deep(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = {"spec": value}
    return value


@pytest.mark.parametrize("case", OPERATIONS)
def test_operations(chain: Chain, case: str) -> None:
    for path in (
        POD,
        DEPLOYMENT,
        WIDGET,
        f"{DEPLOYMENT}/scale",
        f"{POD}/status",
        f"{WIDGET}/scale",
    ):
        lawful(chain.send("PATCH", path, OPERATIONS[case], query=QUERY, content_type=JSON))


@pytest.mark.parametrize("case", DOCUMENTS)
def test_documents(chain: Chain, case: str) -> None:
    for path in (
        *TARGETS,
        f"{DEPLOYMENT}/scale",
        f"{POD}/status",
        f"{WIDGET}/scale",
        f"{WIDGET}/status",
    ):
        for kind in (MERGE, STRATEGIC, APPLY):
            lawful(chain.send("PATCH", path, DOCUMENTS[case], query=QUERY, content_type=kind))


@pytest.mark.parametrize("kind", TYPES)
def test_depth(chain: Chain, kind: str) -> None:
    for levels in (100, 900):
        for path in (POD, WIDGET):
            lawful(chain.send("PATCH", path, _deep(levels), query=QUERY, content_type=kind))


@pytest.mark.parametrize("kind", TYPES)
def test_bodies_that_are_no_documents(chain: Chain, kind: str) -> None:
    for body in (b"", b"{", b"\xff", b"[1,", b"a: [", b"---\n---\n", b"nul", b'{"a":1}{'):
        for path in (POD, WIDGET):
            lawful(chain.send("PATCH", path, body, query=QUERY, content_type=kind))


def test_apply_needs_a_manager_a_kind_and_no_managed_fields(chain: Chain) -> None:
    good = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}}
    sent = {
        "no manager": (good, {"dryRun": "All"}),
        "no kind": ({"metadata": {"name": "x"}}, QUERY),
        "another kind": ({**good, "kind": "Secret"}, QUERY),
        "managed fields": ({**good, "metadata": {"name": "x", "managedFields": [{}]}}, QUERY),
        "another name": ({**good, "metadata": {"name": "y"}}, QUERY),
        "forced merge": (good, {"force": "yes", "fieldManager": "a" * 200, "dryRun": "All"}),
    }
    for body, query in sent.values():
        got = lawful(chain.send("PATCH", POD, body, query=query, content_type=APPLY))
        assert got.status in {400, 415, 422}
    force = {**QUERY, "force": "true"}
    got = lawful(chain.send("PATCH", POD, {}, query=force, content_type=MERGE))
    assert got.status == 422


KEYS = st.sampled_from([
    *["metadata", "spec", "status", "labels", "name", "containers", "template", "image", "env", "ports", "replicas"],
    *["$patch", "$retainKeys", "$setElementOrder/containers", "$deleteFromPrimitiveList/finalizers", "finalizers"],
    *["managedFields", "parts", "tags", "size", "annotations", "selector", "matchLabels", "key", "", "data"],
])  # fmt: skip
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.sampled_from(["x", "", "delete", "main", "merge"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
POINTERS = st.lists(KEYS | st.sampled_from(["0", "-", "1", "~0", "~1", "~"]), max_size=5).map(
    lambda steps: "/" + "/".join(steps)
)
OPERATION = st.fixed_dictionaries(
    {"op": st.sampled_from(["add", "remove", "replace", "move", "copy", "test"]), "path": POINTERS},
    optional={"value": VALUES, "from": POINTERS},
)


@given(
    st.dictionaries(KEYS, VALUES, max_size=4), st.sampled_from(TYPES[1:]), st.sampled_from(TARGETS)
)
@settings(max_examples=500)
def test_random_documents(chain: Chain, body: dict[str, Any], kind: str, path: str) -> None:
    lawful(chain.send("PATCH", path, body, query=QUERY, content_type=kind))


@given(st.lists(OPERATION, max_size=4), st.sampled_from(TARGETS))
@settings(max_examples=400)
def test_random_operations(chain: Chain, body: list[Any], path: str) -> None:
    lawful(chain.send("PATCH", path, body, query=QUERY, content_type=JSON))
