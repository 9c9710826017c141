"""Differences, in upstream's order and words; and the law that there are none exactly between equals."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.base.types import Json, Object
from argosy.member.comparing.cleaning import cleaned
from argosy.member.comparing.diffing import MOST, Difference, differences

CASES: dict[str, tuple[Object, Object, list[Difference]]] = {
    "equal objects": ({"a": [1, {"b": None}]}, {"a": [1.0, {"b": None}]}, []),
    "a value of the member only": ({}, {"a": 1}, [Difference("/a", "1")]),
    "a value of the hub only": ({"a": 1}, {}, [Difference("/a", "", "1")]),
    "another value": ({"a": "x"}, {"a": "y"}, [Difference("/a", "y", "x")]),
    "large numbers print differently on both sides": (
        {"a": 2000000},
        {"a": 1000000},
        [Difference("/a", "1e+06", "2000000")],
    ),
    "true is not one": ({"a": True}, {"a": 1}, [Difference("/a", "1", "true")]),
    "another type": ({"a": {"b": 1}}, {"a": [1]}, [Difference("/a", "[1]", "map[b:1]")]),
    "null is a value": ({"a": None}, {"a": {}}, [Difference("/a", "map[]", "<nil>")]),
    "keys in order": (
        {"b": 1, "a": {"z": 1, "y": 1}},
        {"b": 2, "a": {"z": 2, "y": 2}},
        [Difference("/a/y", "2", "1"), Difference("/a/z", "2", "1"), Difference("/b", "2", "1")],
    ),
    "keys are escaped": (
        {},
        {"a/b": 1, "c~d": 2},
        [Difference("/a~1b", "1"), Difference("/c~0d", "2")],
    ),
    "surplus of the hub comes first, always at the same place and with the same value": (
        {"a": ["x", "b", "c", "d"]},
        {"a": ["y"]},
        [
            Difference("/a/1", "", "b"),
            Difference("/a/1", "", "b"),
            Difference("/a/1", "", "b"),
            Difference("/a/0", "y", "x"),
        ],
    ),
    "surplus of the member comes last": (
        {"a": ["x"]},
        {"a": ["y", {"k": "v"}, 3]},
        [
            Difference("/a/0", "y", "x"),
            Difference("/a/-", "map[k:v]"),
            Difference("/a/-", "3"),
        ],
    ),
    "a label that only the member has": (
        {},
        {"metadata": {"labels": {"x": "y", "k8s.io/z": "w"}}},
        [Difference("/metadata/labels/x", "y")],
    ),
    "secrets tell that they differ, not how": (
        {"apiVersion": "v1", "kind": "Secret", "data": {"a": "1", "c": ""}, "type": "x"},
        {"apiVersion": "v1", "kind": "Secret", "data": {"a": "2", "b": "3"}, "type": "y"},
        [
            Difference(
                "/data/a", "(redacted for security reasons)", "(redacted for security reasons)"
            ),
            Difference("/data/b", "(redacted for security reasons)"),
            Difference("/data/c"),
            Difference("/type", "y", "x"),
        ],
    ),
    "others have no secrets": (
        {"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "1"}},
        {"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "2"}},
        [Difference("/data/a", "2", "1")],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_differences(case: str) -> None:
    hub, member, want = CASES[case]
    assert list(differences(hub, member)) == want


def test_no_more_than_a_hundred_are_told() -> None:
    member = {"data": {f"k{number:03}": "v" for number in range(MOST + 50)}}
    found = differences({"data": {}}, member)
    assert len(found) == MOST
    assert found[-1].path == "/data/k099"


SCALARS = st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["", "a", "b"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b/c", "d~e"]), inner, max_size=3)
    ),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.sampled_from(["data", "spec"]), VALUES, max_size=2)


@given(OBJECTS, OBJECTS)
def test_there_are_differences_exactly_between_what_is_not_equal(
    hub: Object, member: Object
) -> None:
    kept = copy.deepcopy((hub, member))
    found = differences(hub, member)
    assert (found == ()) == _equal(cleaned(hub), cleaned(member))
    assert differences(hub, member) == found
    assert (hub, member) == kept


def _equal(one: Json, other: Json) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    return type(one) is type(other) and one == other
