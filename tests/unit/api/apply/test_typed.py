"""From objects to sets and back: what is owned by part and what whole."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from argosy.api.apply.fieldsets import FieldSet
from argosy.api.apply.shapes import Mistyped, shape_of
from argosy.api.apply.typed import (
    Comparison,
    compare,
    extract,
    reconcile,
    remove_items,
    set_of,
    with_parents,
)
from argosy.api.schema.builtin import builtin_schema
from argosy.base.types import Json, Object
from tests.unit.api.apply.widgets import WIDGET, spec

ITEM_A = 'k:{"k":"a","p":1}'
ITEM_B = 'k:{"k":"b","p":2}'

APPLIED: dict[str, tuple[Json, FieldSet]] = {
    "a scalar is a leaf": ({"replicas": 1}, spec(replicas={})),
    "null is a leaf": ({"replicas": None, "m": None}, spec(replicas={}, m={})),
    "a struct with fields is not named": ({"a": {"x": 1}}, spec(a={"f:x": {}})),
    "an empty struct is": ({"a": {}}, spec(a={})),
    "the keys of a map are": ({"m": {"q": "1"}}, spec(m={"f:q": {}})),
    "items are named with their keys, defaults filled in": (
        {"items": [{"k": "a", "v": 1}, {"k": "b", "p": 2}]},
        spec(items={
            ITEM_A: {".": {}, "f:k": {}, "f:v": {}},
            ITEM_B: {".": {}, "f:k": {}, "f:p": {}},
        }),
    ),
    "an empty list that is owned by item is nobody's": ({"items": [], "replicas": 1}, spec(replicas={})),
    "set items are named by value": ({"tags": ["x", "y"]}, spec(tags={'v:"x"': {}, 'v:"y"': {}})),
    "duplicate items are owned together": (
        {"items": [{"k": "a", "v": 1}, {"k": "a", "v": 2}]}, spec(items={ITEM_A: {}}),
    ),
    "an atomic list is a leaf": ({"list": ["x"]}, spec(list={})),
    "an atomic map is a leaf": ({"whole": {"p": 1}}, spec(whole={})),
    "free fields are owned by key, their lists whole": (
        {"free": {"l": [1], "o": {"p": {}}, "s": 1}},
        spec(free={"f:l": {}, "f:o": {".": {}, "f:p": {}}, "f:s": {}}),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("value", "want"), APPLIED.values(), ids=APPLIED)
def test_the_set_of_a_configuration(value: Json, want: FieldSet) -> None:
    assert set_of(WIDGET, {"spec": value}) == want


@dataclass(frozen=True)
class Case:
    old: Json
    new: Json
    added: FieldSet
    modified: FieldSet
    removed: FieldSet


NOTHING: FieldSet = {}
COMPARED: dict[str, Case] = {
    "equal objects": Case({"a": {"x": 1}}, {"a": {"x": 1}}, NOTHING, NOTHING, NOTHING),
    "a changed leaf": Case({"replicas": 1}, {"replicas": 2}, NOTHING, spec(replicas={}), NOTHING),
    "a new struct is added with itself": Case(
        {}, {"a": {"x": 1}}, spec(a={".": {}, "f:x": {}}), NOTHING, NOTHING
    ),
    "a removed map is removed with itself": Case(
        {"m": {"q": "1"}}, {}, NOTHING, NOTHING, spec(m={".": {}, "f:q": {}})
    ),
    "a key in a map": Case(
        {"m": {"q": "1"}}, {"m": {"q": "2", "r": "3"}}, spec(m={"f:r": {}}), spec(m={"f:q": {}}), NOTHING
    ),
    "items by key, in any order": Case(
        {"items": [{"k": "a", "v": 1}, {"k": "b", "p": 2}]},
        {"items": [{"k": "b", "p": 2, "v": 5}, {"k": "c"}]},
        spec(items={ITEM_B: {"f:v": {}}, 'k:{"k":"c","p":1}': {".": {}, "f:k": {}}}),
        NOTHING,
        spec(items={ITEM_A: {".": {}, "f:k": {}, "f:v": {}}}),
    ),
    "set items by value": Case(
        {"tags": ["x", "y"]}, {"tags": ["y", "z"]},
        spec(tags={'v:"z"': {}}), NOTHING, spec(tags={'v:"x"': {}}),
    ),
    "an atomic list as one": Case({"list": ["a"]}, {"list": ["b"]}, NOTHING, spec(list={}), NOTHING),
    "an atomic map as one": Case({"whole": {"p": 1}}, {"whole": {}}, NOTHING, spec(whole={}), NOTHING),
    "null gives way to what is below": Case({"m": None}, {"m": {"q": "1"}}, spec(m={"f:q": {}}), NOTHING, NOTHING),
    "what is below gives way to null": Case({"m": {"q": "1"}}, {"m": None}, NOTHING, NOTHING, spec(m={"f:q": {}})),
    "null is not an empty map": Case({"m": None}, {"m": {}}, NOTHING, spec(m={}), NOTHING),
    "an emptied map loses its keys": Case({"m": {"q": "1"}}, {"m": {}}, NOTHING, NOTHING, spec(m={"f:q": {}})),
    "a filled list gains its items": Case({"tags": []}, {"tags": ["x"]}, spec(tags={'v:"x"': {}}), NOTHING, NOTHING),
    "another type changes the field": Case(
        {"free": {"x": {"y": 1}}}, {"free": {"x": 1}},
        NOTHING, spec(free={"f:x": {}}), spec(free={"f:x": {"f:y": {}}}),
    ),
    "a container in the place of a leaf": Case(
        {"free": {"x": 1}},
        {"free": {"x": {"y": 1}}},
        spec(free={"f:x": {"f:y": {}}}),
        spec(free={"f:x": {}}),
        NOTHING,
    ),
    "an item that becomes two": Case(
        {"items": [{"k": "a", "v": 1}]}, {"items": [{"k": "a"}, {"k": "a", "v": 2}]},
        spec(items={ITEM_A: {}}), NOTHING, spec(items={ITEM_A: {".": {}, "f:k": {}, "f:v": {}}}),
    ),
    "two items that become one": Case(
        {"items": [{"k": "a"}, {"k": "a", "v": 2}]}, {"items": [{"k": "a"}]},
        spec(items={ITEM_A: {".": {}, "f:k": {}}}), NOTHING, spec(items={ITEM_A: {}}),
    ),
    "two items that change": Case(
        {"items": [{"k": "a"}, {"k": "a", "v": 2}]}, {"items": [{"k": "a"}, {"k": "a", "v": 3}]},
        NOTHING, spec(items={ITEM_A: {}}), NOTHING,
    ),
    "two items that go": Case(
        {"items": [{"k": "a"}, {"k": "a"}, {"k": "b", "p": 2}]}, {"items": [{"k": "b", "p": 2}]},
        NOTHING, NOTHING, spec(items={ITEM_A: {}}),
    ),
    "two items that come": Case(
        {"items": [{"k": "b", "p": 2}]}, {"items": [{"k": "a"}, {"k": "a"}, {"k": "b", "p": 2}]},
        spec(items={ITEM_A: {}}), NOTHING, NOTHING,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", COMPARED.values(), ids=COMPARED)
def test_compared(case: Case) -> None:
    got = compare(WIDGET, {"spec": case.old}, {"spec": case.new})
    assert got == Comparison(case.added, case.modified, case.removed)


def test_structs_of_built_in_kinds_are_there_from_the_start() -> None:
    schema = builtin_schema("io.k8s.api.apps.v1.StatefulSet")
    new: Object = {
        "spec": {
            "serviceName": "",
            "updateStrategy": {"rollingUpdate": {"partition": 0}},
            "template": {
                "spec": {"containers": [{"name": "a"}], "securityContext": {"fsGroup": 1}}
            },
        }
    }
    got = compare(schema, {}, new)
    assert got.changed == {
        "f:spec": {
            "f:updateStrategy": {"f:rollingUpdate": {".": {}, "f:partition": {}}},
            "f:template": {
                "f:spec": {
                    "f:containers": {'k:{"name":"a"}': {".": {}, "f:name": {}}},
                    "f:securityContext": {".": {}, "f:fsGroup": {}},
                }
            },
        }
    }
    assert compare(schema, new, {}).removed == {
        "f:spec": {
            "f:updateStrategy": {"f:rollingUpdate": {".": {}, "f:partition": {}}},
            "f:template": {
                "f:spec": {
                    "f:containers": {'k:{"name":"a"}': {".": {}, "f:name": {}}},
                    "f:securityContext": {".": {}, "f:fsGroup": {}},
                }
            },
        }
    }


OBJECT: Object = {
    "spec": {
        "replicas": 1,
        "a": {"x": 1, "y": "z"},
        "m": {"q": "1"},
        "items": [{"k": "a", "v": 1}, {"k": "b", "p": 2}],
        "tags": ["x", "y"],
        "list": ["l"],
    }
}
PARTS: dict[str, tuple[FieldSet, Object, Object]] = {
    "a field": (spec(replicas={}), {"replicas": 1}, {k: v for k, v in OBJECT["spec"].items() if k != "replicas"}),
    "an item keeps its keys when taken out": (
        spec(items={ITEM_B: {}}),
        {"items": [{"k": "b", "p": 2}]},
        {**OBJECT["spec"], "items": [{"k": "a", "v": 1}]},
    ),
    "a part of an item": (
        spec(items={ITEM_A: {"f:v": {}}}, tags={'v:"y"': {}}),
        {"items": [{"k": "a", "v": 1}], "tags": ["y"]},
        {**OBJECT["spec"], "items": [{"k": "a"}, {"k": "b", "p": 2}], "tags": ["x"]},
    ),
    "everything below leaves null": (
        spec(m={"f:q": {}}, a={"f:x": {}}),
        {"m": {"q": "1"}, "a": {"x": 1}},
        {**OBJECT["spec"], "m": None, "a": {"y": "z"}},
    ),
    "nothing below what is whole": (
        spec(list={'v:"l"': {}}),
        {"list": ["l"]},
        {**OBJECT["spec"], "list": None},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("fields", "taken", "left"), PARTS.values(), ids=PARTS)
def test_taken_apart(fields: FieldSet, taken: Object, left: Object) -> None:
    assert extract(WIDGET, OBJECT, fields) == {"spec": taken}
    assert remove_items(WIDGET, OBJECT, fields) == {"spec": left}


def test_nothing_is_left_of_an_object() -> None:
    assert remove_items(WIDGET, OBJECT, {"f:spec": {}}) == {}
    assert extract(WIDGET, OBJECT, {"f:nope": {}}) == {}


def test_named_fields_above_members_become_members() -> None:
    fields = spec(a={"f:x": {}}, m={"f:q": {}}, items={ITEM_A: {"f:v": {}}}, tags={'v:"x"': {}})
    want = {
        "f:spec": {
            ".": {},
            "f:a": {".": {}, "f:x": {}},
            "f:m": {".": {}, "f:q": {}},
            "f:items": {".": {}, ITEM_A: {"f:v": {}}},
            "f:tags": {".": {}, 'v:"x"': {}},
        }
    }
    assert with_parents(shape_of(WIDGET), fields) == want


def test_owners_of_a_part_own_the_whole_once_it_is_whole() -> None:
    fields = spec(
        whole={".": {}, "f:p": {}}, list={'v:"x"': {}}, a={"f:x": {}}, free={"f:z": {"f:y": {}}}
    )
    want = spec(whole={}, list={}, a={"f:x": {}}, free={"f:z": {"f:y": {}}})
    assert reconcile(shape_of(WIDGET), fields) == want
    assert reconcile(shape_of(WIDGET), want) is want


MISTYPED: dict[str, tuple[Json, str]] = {
    "a null item": ({"items": [None]}, "associative list with keys may not have a null element"),
    "a scalar item": ({"items": [1]}, "associative list with keys may not have non-map elements"),
    "a null in a set": ({"tags": [None]}, "associative list without keys has an element that's an explicit null"),
    "a map in a set": ({"tags": [{}]}, "associative list without keys has an element that's a map type"),
    "a list in a set": ({"tags": [[]]}, "not supported: associative list with lists as elements"),
}  # fmt: skip


@pytest.mark.parametrize(("value", "message"), MISTYPED.values(), ids=MISTYPED)
def test_items_that_cannot_be_told_apart(value: Json, message: str) -> None:
    with pytest.raises(Mistyped) as caught:
        set_of(WIDGET, {"spec": value})
    assert str(caught.value) == message


def test_a_default_is_key_enough() -> None:
    want = spec(items={'k:{"p":1}': {".": {}, "f:v": {}}})
    assert set_of(WIDGET, {"spec": {"items": [{"v": 1}]}}) == want
