"""Sets of fields: algebra, printing, order, reading."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.api.apply import fieldsets
from argosy.api.apply.fieldsets import (
    BadFields,
    FieldSet,
    decode,
    difference,
    has,
    intersection,
    is_subset,
    leaves,
    of,
    paths,
    recursive_difference,
    union,
)
from argosy.base.types import Json

STEPS = st.sampled_from(["f:a", "f:b", 'k:{"n":"x"}', 'v:"x"'])
PATHS = st.lists(STEPS, min_size=1, max_size=3).map(tuple)
SETS = st.lists(PATHS, max_size=6).map(lambda found: of(*found))


def members(fields: FieldSet) -> set[tuple[str, ...]]:
    return {steps for _, steps in fieldsets.walk(fields)}


@given(st.lists(PATHS, max_size=6))
def test_a_set_has_just_its_paths(found: list[tuple[str, ...]]) -> None:
    got = of(*found)
    assert members(got) == set(found)
    assert all(has(got, *path) for path in found)
    assert decode(got) == got


@given(SETS, SETS)
def test_operations_are_those_of_sets(a: FieldSet, b: FieldSet) -> None:
    assert members(union(a, b)) == members(a) | members(b)
    assert members(difference(a, b)) == members(a) - members(b)
    assert members(intersection(a, b)) == members(a) & members(b)
    assert is_subset(a, b) == (members(a) <= members(b))


@given(SETS, SETS)
def test_equal_members_are_equal_values(a: FieldSet, b: FieldSet) -> None:
    assert union(a, b) == union(b, a)
    assert intersection(a, b) == intersection(b, a)
    assert union(difference(a, b), intersection(a, b)) == a
    assert difference(a, a) == {}


@given(SETS, SETS)
def test_recursive_difference_takes_what_is_below_too(a: FieldSet, b: FieldSet) -> None:
    taken = members(b)
    want = {
        path for path in members(a) if not any(path[: n + 1] in taken for n in range(len(path)))
    }
    assert members(recursive_difference(a, b)) == want


@given(SETS)
def test_leaves_have_nothing_below(a: FieldSet) -> None:
    everything = members(a)
    want = {p for p in everything if not any(q[: len(p)] == p and q != p for q in everything)}
    assert members(leaves(a)) == want


def test_the_whole_object_is_no_member() -> None:
    assert not has({"f:a": {}})
    assert not has({"f:a": {}}, "f:b")
    assert not has({"f:a": {"f:b": {}}}, "f:a")


def test_paths_print_members_before_what_is_below_them() -> None:
    fields = {
        "f:spec": {
            "f:ports": {
                'k:{"port":443,"protocol":"TCP"}': {".": {}, "f:name": {}},
                'k:{"port":80,"protocol":"TCP"}': {},
            },
            "f:replicas": {},
            "f:tags": {
                'v:"b"': {},
                'v:"a"': {},
                "v:true": {},
                "v:2": {},
                "v:1.5": {},
                "v:null": {},
            },
            "f:list": {"i:0": {}, 'k:{"x":[1,{"y":null}]}': {}},
        }
    }
    assert paths(fields) == [
        ".spec.replicas",
        ".spec.list[x=[1,y=null]]",
        ".spec.list[0]",
        '.spec.ports[port=80,protocol="TCP"]',
        '.spec.ports[port=443,protocol="TCP"]',
        '.spec.ports[port=443,protocol="TCP"].name',
        ".spec.tags[=1.5]",
        ".spec.tags[=2]",
        '.spec.tags[="a"]',
        '.spec.tags[="b"]',
        ".spec.tags[=true]",
        ".spec.tags[=null]",
    ]


def test_keys_have_one_form() -> None:
    sent = {'k:{"protocol": "TCP", "port": 80}': {}, 'v: "a<b"': {}, "i:3": {}, "z:new": {}}
    want: FieldSet = {'k:{"port":80,"protocol":"TCP"}': {}, 'v:"a\\u003cb"': {}, "i:3": {}}
    assert decode(sent) == want
    assert decode(None) == {}


BAD: dict[str, tuple[Json, str]] = {
    "a step of one letter": ({"f": {}}, "key must be 2 characters long:"),
    "a step without a colon": ({"field": {}}, "missing colon: field"),
    "no map": ([], "expected a map of fields"),
    "no map below": ({"f:a": 1}, "expected a map of fields"),
    "keys that are no object": ({"k:[1]": {}}, "expected an object of keys in k:[1]"),
    "an index that is no number": ({'i:"a"': {}}, 'expected a number in i:"a"'),
    "a value that is no JSON": ({"v:{": {}}, "Input data was truncated"),
}


@pytest.mark.parametrize(("fields", "message"), BAD.values(), ids=BAD)
def test_bad_fields_are_refused(fields: Json, message: str) -> None:
    with pytest.raises(BadFields) as caught:
        decode(fields)
    assert str(caught.value) == message
