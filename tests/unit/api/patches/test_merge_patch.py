"""JSON merge patch: RFC 7386 and the one step kube-apiserver goes further."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.api.patches.merge_patch import apply_merge_patch, without_nulls
from argosy.base.errors import BadRequest
from argosy.base.types import Json, Object

CASES: dict[str, tuple[Object, Object, Object]] = {
    "a value replaces": ({"a": "b"}, {"a": "c"}, {"a": "c"}),
    "a key is added": ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
    "null removes": ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
    "null of an absent key does nothing": ({"a": "b"}, {"z": None}, {"a": "b"}),
    "a list is replaced whole": ({"a": [1, 2]}, {"a": [3]}, {"a": [3]}),
    "objects merge": ({"a": {"b": 1, "c": 2}}, {"a": {"b": None, "d": 3}}, {"a": {"c": 2, "d": 3}}),
    "an object replaces a list": ({"a": [1]}, {"a": {"b": 1}}, {"a": {"b": 1}}),
    "an object replaces null": ({"a": None}, {"a": {"b": None}}, {"a": {}}),
    "nulls of a new object are left out": ({}, {"a": {"b": {"c": None}}}, {"a": {"b": {}}}),
    "nulls of objects in a new list are left out": ({}, {"a": [{"b": None}, None]}, {"a": [{}, None]}),
    "a list over an object is taken as it is": ({"a": {"b": 1}}, {"a": [{"c": None}]}, {"a": [{"c": None}]}),
}  # fmt: skip


@pytest.mark.parametrize(("original", "patch", "want"), CASES.values(), ids=CASES)
def test_patched(original: Object, patch: Object, want: Object) -> None:
    before = copy.deepcopy((original, patch))
    assert apply_merge_patch(original, patch) == want
    assert (original, patch) == before


def test_untouched_parts_are_shared() -> None:
    original: Object = {"spec": {"a": [1]}, "status": {"b": {}}}
    got = apply_merge_patch(original, {"status": {"c": 1}})
    assert got["spec"] is original["spec"]
    assert got["status"]["b"] is original["status"]["b"]


REFUSED: dict[str, tuple[Json, str]] = {
    "null": (None, "Invalid JSON Patch"),
    "a list": (
        [1],
        "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
    ),
    "a text": (
        "x",
        "error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}",
    ),
}


@pytest.mark.parametrize(("patch", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_object_is_refused(patch: Json, message: str) -> None:
    with pytest.raises(BadRequest) as caught:
        apply_merge_patch({}, patch)
    assert caught.value.message == message


LEAVES = st.booleans() | st.integers(0, 3) | st.text("ab", max_size=2)
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner),
    max_leaves=10,
)
OBJECTS = st.dictionaries(st.sampled_from("abc"), JSON)
PATCHES = st.dictionaries(
    st.sampled_from("abc"),
    st.recursive(
        LEAVES | st.none(), lambda i: st.dictionaries(st.sampled_from("abc"), i), max_leaves=8
    ),
)


def diff(old: Json, new: Json) -> Json:
    """A merge patch from one object to another."""
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return new
    out: Object = {key: None for key in old if key not in new}
    for key, value in new.items():
        if key not in old:
            out[key] = value
        elif type(old[key]) is not type(value) or old[key] != value:
            out[key] = diff(old[key], value)
    return out


@given(OBJECTS, PATCHES)
def test_a_patch_twice_is_the_patch_once(original: Object, patch: Object) -> None:
    once = apply_merge_patch(original, patch)
    assert apply_merge_patch(once, patch) == once


@given(OBJECTS, OBJECTS)
def test_the_difference_of_two_objects_takes_one_to_the_other(old: Object, new: Object) -> None:
    assert apply_merge_patch(old, diff(old, new)) == new


@given(OBJECTS)
def test_an_empty_patch_changes_nothing(original: Object) -> None:
    assert apply_merge_patch(original, {}) == original


@given(PATCHES)
def test_a_patch_of_nothing_has_no_nulls(patch: Object) -> None:
    got = apply_merge_patch({}, patch)
    assert got == without_nulls(patch)
    assert without_nulls(got) is got
