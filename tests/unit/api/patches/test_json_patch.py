"""JSON patch as kube-apiserver speaks it; every text and code here was asked of a real one (v1.35)."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.api.patches.failures import Unprocessable
from argosy.api.patches.json_patch import MAX_COPY_BYTES, apply_json_patch
from argosy.base.errors import StatusError
from argosy.base.types import Json, Object

OBJECT: Object = {
    "kind": "ConfigMap",
    "metadata": {"name": "c", "finalizers": ["a", "b", "c"]},
    "data": {"x": "1", "y/z": "2", "t~": "3", "none": None},
}


@dataclass(frozen=True)
class Case:
    patch: Json
    want: Object


def changed(**parts: Json) -> Object:
    return {**OBJECT, **parts}


def finalizers(*names: str) -> Object:
    return changed(metadata={"name": "c", "finalizers": list(names)})


def data(**values: Json) -> Object:
    return changed(data={**OBJECT["data"], **values})


CASES: dict[str, Case] = {
    "add sets a key": Case([{"op": "add", "path": "/data/n", "value": "9"}], data(n="9")),
    "add replaces a key": Case([{"op": "add", "path": "/data/x", "value": "9"}], data(x="9")),
    "add without a value adds null": Case([{"op": "add", "path": "/data/n"}], data(n=None)),
    "~1 stands for a slash": Case(
        [{"op": "remove", "path": "/data/y~1z"}],
        changed(data={"x": "1", "t~": "3", "none": None}),
    ),
    "~0 stands for a tilde": Case(
        [{"op": "replace", "path": "/data/t~0", "value": "9"}],
        changed(data={**OBJECT["data"], "t~": "9"}),
    ),
    "replace of an absent key sets it": Case(
        [{"op": "replace", "path": "/data/q", "value": "n"}], data(q="n")
    ),
    "an item is inserted before its index": Case(
        [{"op": "add", "path": "/metadata/finalizers/1", "value": "n"}],
        finalizers("a", "n", "b", "c"),
    ),
    "the index behind the last appends": Case(
        [{"op": "add", "path": "/metadata/finalizers/3", "value": "n"}],
        finalizers("a", "b", "c", "n"),
    ),
    "a dash appends": Case(
        [{"op": "add", "path": "/metadata/finalizers/-", "value": "n"}],
        finalizers("a", "b", "c", "n"),
    ),
    "a negative index counts from the end": Case(
        [{"op": "replace", "path": "/metadata/finalizers/-1", "value": "n"}],
        finalizers("a", "b", "n"),
    ),
    "remove takes an item out": Case(
        [{"op": "remove", "path": "/metadata/finalizers/0"}], finalizers("b", "c")
    ),
    "move takes a value elsewhere": Case(
        [{"op": "move", "from": "/data/x", "path": "/data/n"}],
        changed(data={"y/z": "2", "t~": "3", "none": None, "n": "1"}),
    ),
    "copy from an absent key copies null": Case(
        [{"op": "copy", "from": "/data/absent", "path": "/data/n"}], data(n=None)
    ),
    "a copied container is its own": Case(
        [
            {"op": "copy", "from": "/metadata/finalizers", "path": "/data/l"},
            {"op": "add", "path": "/data/l/-", "value": "n"},
            {"op": "remove", "path": "/metadata/finalizers/0"},
        ],
        changed(
            metadata={"name": "c", "finalizers": ["b", "c"]},
            data={**OBJECT["data"], "l": ["a", "b", "c", "n"]},
        ),
    ),
    "a value of the patch is never written into": Case(
        [
            {"op": "add", "path": "/data/o", "value": {"a": {}}},
            {"op": "add", "path": "/data/o/a/b", "value": "1"},
        ],
        data(o={"a": {"b": "1"}}),
    ),
    "test of an absent key passes for null": Case(
        [{"op": "test", "path": "/data/absent", "value": None}], OBJECT
    ),
    "test compares whole values": Case(
        [{"op": "test", "path": "/metadata", "value": copy.deepcopy(OBJECT["metadata"])}], OBJECT
    ),
    "the text before the first slash does not count": Case(
        [{"op": "add", "path": "zz/kind", "value": "K"}], changed(kind="K")
    ),
    "replace of the root takes any container": Case(
        [{"op": "replace", "path": "", "value": {"a": 1}}], {"a": 1}
    ),
    "null is a patch without operations": Case(None, OBJECT),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_patched(case: Case) -> None:
    original, patch = copy.deepcopy(OBJECT), copy.deepcopy(case.patch)
    got = apply_json_patch(original, patch)
    assert got == case.want
    assert (original, patch) == (OBJECT, case.patch)


UNFIT: dict[str, Json] = {
    "remove of an absent key": [{"op": "remove", "path": "/data/zz"}],
    "a missing parent": [{"op": "remove", "path": "/dat/zz"}],
    "replace below a missing parent": [{"op": "replace", "path": "/dat/q", "value": "n"}],
    "a failed test": [{"op": "test", "path": "/data/x", "value": "n"}],
    "a test of another type of number": [
        {"op": "add", "path": "/data/n", "value": 1},
        {"op": "test", "path": "/data/n", "value": 1.0},
    ],
    "a test of a missing item": [{"op": "test", "path": "/metadata/finalizers/9", "value": None}],
    "an unknown operation": [{"op": "frob", "path": "/data/x"}],
    "no operation": [{"path": "/data/x"}],
    "a null operation": [None],
    "no path": [{"op": "add", "value": "n"}],
    "no from": [{"op": "move", "path": "/data/x"}],
    "an index that is no number": [{"op": "add", "path": "/metadata/finalizers/b", "value": "n"}],
    "an index out of range": [{"op": "add", "path": "/metadata/finalizers/7", "value": "n"}],
    "a negative index out of range": [{"op": "remove", "path": "/metadata/finalizers/-7"}],
    "a replaced item out of range": [
        {"op": "replace", "path": "/metadata/finalizers/7", "value": "n"}
    ],
    "a move from nowhere": [{"op": "move", "from": "/data/none9", "path": "/data/x"}],
    "a copy from nowhere": [{"op": "copy", "from": "/dat/none", "path": "/data/x"}],
    "a copy to nowhere": [{"op": "copy", "from": "/data/x", "path": "/dat/x"}],
    "a path through a scalar": [{"op": "add", "path": "/data/x/y", "value": "1"}],
    "a path through a missing item": [{"op": "add", "path": "/metadata/finalizers/9/y"}],
    "a path without a slash": [{"op": "add", "path": "", "value": {}}],
    "a root that is a scalar": [{"op": "replace", "path": "", "value": 5}],
}


@pytest.mark.parametrize("patch", UNFIT.values(), ids=UNFIT)
def test_operations_that_do_not_fit_share_one_answer(patch: Json) -> None:
    original = copy.deepcopy(OBJECT)
    with pytest.raises(Unprocessable) as caught:
        apply_json_patch(original, patch)
    assert caught.value.to_status() == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "the server rejected our request due to an error in our request",
        "reason": "Invalid",
        "details": {},
        "code": 422,
    }
    assert original == OBJECT


REFUSED: dict[str, tuple[Json, int, str]] = {
    "an object": (
        {"op": "x"},
        400,
        "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
    ),
    "a list of scalars": (
        [5],
        400,
        "error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp",
    ),
    "an op that is no text": (
        [{"op": 5, "path": "/data/x"}],
        400,
        "error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string",
    ),
    "a path that is no text": (
        [{"op": "add", "path": True}],
        400,
        "error decoding patch: json: cannot unmarshal bool into Go struct field jsonPatchOp.path of type string",
    ),
    "too many operations": (
        [{"op": "add", "path": "/data/x", "value": "1"}] * 10_001,
        413,
        "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001",
    ),
}


@pytest.mark.parametrize(("patch", "code", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_json_patch_is_refused(patch: Json, code: int, message: str) -> None:
    with pytest.raises(StatusError) as caught:
        apply_json_patch(OBJECT, patch)
    assert (caught.value.code, caught.value.message) == (code, message)


def test_copies_are_limited_in_bytes() -> None:
    big = {"data": {"x": "a" * (MAX_COPY_BYTES // 2)}}
    patch = [{"op": "copy", "from": "/data/x", "path": f"/data/y{n}"} for n in range(2)]
    with pytest.raises(Unprocessable) as caught:
        apply_json_patch(big, patch)
    assert caught.value.why.startswith("Unable to complete the copy, the accumulated size")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(0, 5) | st.text("ab/~", max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab/~", max_size=3), inner, max_size=3),
    max_leaves=12,
)  # fmt: skip
POINTERS = st.lists(st.sampled_from(["a", "b", "0", "1", "-1", "-", "~0", "~1"]), max_size=3).map(
    lambda tokens: "".join("/" + token for token in tokens)
)
OPERATIONS = st.fixed_dictionaries(
    {
        "op": st.sampled_from(["add", "remove", "replace", "move", "copy", "test"]),
        "path": POINTERS,
        "from": POINTERS,
        "value": JSON,
    }
)


@given(st.dictionaries(st.sampled_from("ab"), JSON), st.lists(OPERATIONS, max_size=5))
def test_no_patch_changes_its_arguments_or_fails_otherwise(original: Object, patch: Json) -> None:
    before = copy.deepcopy((original, patch))
    try:
        got = apply_json_patch(original, patch)
    except Unprocessable:
        got = original
    assert isinstance(got, dict | list)
    assert (original, patch) == before
