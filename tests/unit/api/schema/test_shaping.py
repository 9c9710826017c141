"""Pruning and defaulting of custom resources."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import pytest

from argosy.api.schema.defaulting import apply_defaults, has_defaults
from argosy.api.schema.parsing import parse_schema
from argosy.api.schema.pruning import prune
from argosy.base.types import Object

TEXT = {"type": "string"}


def spec(**properties: Object) -> Object:
    return {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}


@dataclass(frozen=True)
class Case:
    schema: Object
    given: Object
    want: Object
    dropped: tuple[str, ...] = ()


CASES = {
    "unknown fields go, at any depth, in order of their paths": Case(
        spec(a=TEXT, l={"type": "array", "items": {"type": "object", "properties": {"k": TEXT}}}),
        {"spec": {"z": 1, "a": "x", "l": [{"k": "1"}, {"k": "2", "y": {}}]}, "foo": 1},
        {"spec": {"a": "x", "l": [{"k": "1"}, {"k": "2"}]}},
        ("foo", "spec.l[1].y", "spec.z"),
    ),
    "apiVersion, kind and metadata stay at the root": Case(
        {"type": "object"},
        {"apiVersion": "a/v1", "kind": "A", "metadata": {"x": 1}, "spec": {}},
        {"apiVersion": "a/v1", "kind": "A", "metadata": {"x": 1}},
        ("spec",),
    ),
    "preserved fields keep everything but what the schema knows better": Case(
        spec(m={
            "type": "object", "x-kubernetes-preserve-unknown-fields": True,
            "properties": {"n": {"type": "object", "properties": {"o": TEXT}}},
        }),
        {"spec": {"m": {"q": {"r": [{"s": 1}]}, "n": {"o": "1", "p": 2}}}},
        {"spec": {"m": {"q": {"r": [{"s": 1}]}, "n": {"o": "1"}}}},
        ("spec.m.n.p",),
    ),
    "maps keep their keys and prune their values": Case(
        spec(m={"type": "object", "additionalProperties": {"type": "object", "properties": {"a": TEXT}}}),
        {"spec": {"m": {"x": {"a": "1", "b": 2}}}},
        {"spec": {"m": {"x": {"a": "1"}}}},
        ("spec.m.x.b",),
    ),
    "a map of anything knows nothing of objects in it": Case(
        spec(m={"type": "object", "additionalProperties": True}),
        {"spec": {"m": {"x": 1, "y": {"a": 1}, "z": [{"b": 1}]}}},
        {"spec": {"m": {"x": 1, "y": {}, "z": [{}]}}},
        ("spec.m.y.a", "spec.m.z[0].b"),
    ),
    "an object where a string should be loses its fields": Case(
        spec(a=TEXT), {"spec": {"a": {"b": 1}}}, {"spec": {"a": {}}}, ("spec.a.b",)
    ),
    "an embedded resource keeps its own metadata": Case(
        spec(t={"type": "object", "x-kubernetes-embedded-resource": True, "properties": {"spec": {"type": "object"}}}),
        {"spec": {"t": {"apiVersion": "v1", "kind": "A", "metadata": {"n": 1}, "spec": {"x": 1}, "y": 1}}},
        {"spec": {"t": {"apiVersion": "v1", "kind": "A", "metadata": {"n": 1}, "spec": {}}}},
        ("spec.t.spec.x", "spec.t.y"),
    ),
    "a null that is neither allowed nor defaulted goes without a word": Case(
        spec(a=TEXT, b={"type": "string", "nullable": True}, c={"type": "string", "default": "d"},
             m={"type": "object", "additionalProperties": TEXT}),
        {"spec": {"a": None, "b": None, "c": None, "m": {"x": None}}},
        {"spec": {"b": None, "c": "d", "m": {}}},
    ),
    "defaults fill absent fields, and fields of defaults": Case(
        spec(p={"type": "object", "default": {}, "properties": {"q": {"type": "integer", "default": 7}}},
             l={"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer", "default": 1}}}}),
        {"spec": {"l": [{}, {"n": 2}]}},
        {"spec": {"l": [{"n": 1}, {"n": 2}], "p": {"q": 7}}},
    ),
    "no default without its parent": Case(
        spec(a={"type": "string", "default": "x"}), {}, {}
    ),
    "null items and map values take their default": Case(
        spec(l={"type": "array", "items": {"type": "string", "default": "x"}},
             m={"type": "object", "additionalProperties": {"type": "string", "default": "y"}}),
        {"spec": {"l": [None, "a"], "m": {"k": None}}},
        {"spec": {"l": ["x", "a"], "m": {"k": "y"}}},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_shape(case: Case) -> None:
    schema = parse_schema(case.schema)
    got = copy.deepcopy(case.given)
    dropped = prune(schema, got)
    apply_defaults(schema, got)
    assert got == case.want
    assert dropped == list(case.dropped)
    again = copy.deepcopy(got)
    assert prune(schema, again) == []
    apply_defaults(schema, again)
    assert again == got


def test_defaults_are_not_shared_between_objects() -> None:
    schema = parse_schema(spec(l={"type": "array", "items": TEXT, "default": ["a"]}))
    first: Object = {"spec": {}}
    second: Object = {"spec": {}}
    apply_defaults(schema, first)
    first["spec"]["l"].append("b")
    apply_defaults(schema, second)
    assert second == {"spec": {"l": ["a"]}}


def test_a_schema_knows_whether_it_holds_defaults() -> None:
    with_default = spec(
        a={
            "type": "array",
            "items": {"type": "object", "properties": {"b": {**TEXT, "default": "x"}}},
        }
    )
    assert has_defaults(parse_schema(with_default))
    assert not has_defaults(parse_schema(spec(a=TEXT)))
