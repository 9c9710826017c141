"""Rules on objects. The wanted texts were taken from a real kube-apiserver v1.35.4."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from argosy.api.cel.rules import validate_rules
from argosy.api.cel.rulesets import compile_rules
from argosy.api.schema.parsing import parse_schema
from argosy.base.types import Json, Object

TEXT: Object = {"type": "string"}
NUMBER: Object = {"type": "integer"}
TEXTS: Object = {"type": "array", "items": TEXT}
SET: Object = {**TEXTS, "x-kubernetes-list-type": "set"}
OBJECT: Object = {
    "type": "object",
    "properties": {
        "a": {"type": "string", "nullable": True},
        "b": {"type": "integer"},
        "a-b": {"type": "integer"},
        "m": {"type": "object", "additionalProperties": {"type": "string"}},
        "o": {"type": "object", "properties": {"a": {"type": "string"}}},
    },
}
FLEXIBLE: Object = {"x-kubernetes-int-or-string": True}
GROWING = [{"rule": "self >= oldSelf"}, {"rule": "self < 5"}]
MAP_LIST: Object = {
    "type": "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k"],
    "items": {
        "type": "object",
        "properties": {
            "k": {"type": "string"},
            "v": {"type": "integer", "x-kubernetes-validations": GROWING},
        },
    },
}
LIST: Object = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"v": {"type": "integer", "x-kubernetes-validations": GROWING[1:]}},
    },
}
MAP: Object = {
    "type": "object",
    "additionalProperties": {"type": "integer", "x-kubernetes-validations": GROWING},
}


@dataclass
class Case:
    schema: Object
    rule: Object | None
    new: Json
    old: Json = None
    # "FIELD: body", with x for the field the schema stands at.
    want: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


CREATE: dict[str, Case] = {
    "a rule that holds": Case(TEXT, {"rule": "self == 'a'"}, "a"),
    "a scalar is shown": Case(
        TEXT, {"rule": "self=='b'"}, "a", want=["x: Invalid value: \"a\": failed rule: self=='b'"]
    ),
    "the message speaks for the rule": Case(
        TEXT, {"rule": "false", "message": " must be b "}, "a",
        want=['x: Invalid value: "a": must be b'],
    ),
    "an object is not shown": Case(
        OBJECT, {"rule": "self.a=='b'"}, {"a": "a"},
        want=["x: Invalid value: failed rule: self.a=='b'"],
    ),
    "a missing field is an error that names its type": Case(
        OBJECT, {"rule": "self.a=='b'"}, {},
        want=["x: Invalid value: \"object\": no such key: a evaluating rule: self.a=='b'"],
    ),
    "a null field is missing": Case(
        OBJECT, {"rule": "has(self.a)"}, {"a": None},
        want=["x: Invalid value: failed rule: has(self.a)"],
    ),
    "null itself is not judged": Case(
        {**TEXT, "nullable": True}, {"rule": "self == 'b'"}, None
    ),
    "a type mismatch at run time": Case(
        FLEXIBLE, {"rule": "self < 5"}, "x",
        want=[
            ("x: Invalid value: \"\": 'no such overload': call arguments did not match a supported operator, "
            "function or macro signature for rule: self < 5")
        ],
    ),
    "division by zero": Case(
        NUMBER, {"rule": "self / 0 == 1"}, 1,
        want=['x: Invalid value: "integer": division by zero evaluating rule: self / 0 == 1'],
    ),
    "an index beyond the end": Case(
        TEXTS, {"rule": "self[3]=='b'"}, ["a"],
        want=["x: Invalid value: \"array\": index out of bounds: 3 evaluating rule: self[3]=='b'"],
    ),
    "forbidden": Case(
        TEXTS, {"rule": "false", "reason": "FieldValueForbidden"}, ["a"],
        want=["x: Forbidden: failed rule: false"],
    ),
    "required": Case(
        TEXTS, {"rule": "false", "reason": "FieldValueRequired"}, ["a"],
        want=["x: Required value: failed rule: false"],
    ),
    "a duplicate list": Case(
        TEXTS, {"rule": "false", "reason": "FieldValueDuplicate"}, ["a"], want=["x: Duplicate value"]
    ),
    "a duplicate text": Case(
        TEXT, {"rule": "false", "reason": "FieldValueDuplicate"}, "a", want=['x: Duplicate value: "a"']
    ),
    "fieldPath names a field": Case(
        OBJECT, {"rule": "false", "fieldPath": ".o['a']"}, {},
        want=["x.o.a: Invalid value: failed rule: false"],
    ),
    "fieldPath names a key": Case(
        OBJECT, {"rule": "false", "fieldPath": ".m.foo"}, {},
        want=["x.m[foo]: Invalid value: failed rule: false"],
    ),
    "messageExpression speaks": Case(
        TEXT, {"rule": "false", "messageExpression": "'got %s'.format([self])", "message": "m"}, "a",
        want=['x: Invalid value: "a": got a'],
    ),
    "messageExpression that fails leaves the message": Case(
        TEXT, {"rule": "false", "messageExpression": "self.substring(9)", "message": "m"}, "a",
        want=['x: Invalid value: "a": m'],
    ),
    "messageExpression with a line break leaves the rule": Case(
        TEXT, {"rule": "false", "messageExpression": "'a\\nb'"}, "a",
        want=['x: Invalid value: "a": failed rule: false'],
    ),
    "an escaped field by its own name": Case(
        OBJECT, {"rule": "self.a__dash__b == 1"}, {"a-b": 1}
    ),
    "a whole number is a double": Case(
        {"type": "number"}, {"rule": "type(self) == double && self / 2.0 == 0.5"}, 1
    ),
    "times and durations are parsed": Case(
        {"type": "object", "properties": {"t": {"type": "string", "format": "date-time"},
                                          "d": {"type": "string", "format": "duration"},
                                          "b": {"type": "string", "format": "byte"}}},
        {"rule": "self.t.getFullYear() == 2024 && self.d == duration('1h') && self.b == b'hi'"},
        {"t": "2024-01-01T00:00:00Z", "d": "60m", "b": "aGk="},
    ),
    "every element is judged": Case(
        LIST, None, [{"v": 9}, {"v": 1}, {"v": 7}],
        want=[
            "x[0].v: Invalid value: 9: failed rule: self < 5",
            "x[2].v: Invalid value: 7: failed rule: self < 5",
        ],
    ),
    "every entry is judged": Case(
        MAP, None, {"p": 9}, want=["x[p]: Invalid value: 9: failed rule: self < 5"]
    ),
    "a transition rule waits for an update": Case(TEXT, {"rule": "self == oldSelf"}, "a"),
    "an optional old value may be absent": Case(
        TEXT, {"rule": "oldSelf.hasValue()", "optionalOldSelf": True}, "a",
        want=['x: Invalid value: "a": failed rule: oldSelf.hasValue()'],
    ),
}  # fmt: skip

UPDATE: dict[str, Case] = {
    "a transition that is not allowed": Case(
        TEXT, {"rule": "self == oldSelf"}, "b", "a",
        want=['x: Invalid value: "b": failed rule: self == oldSelf'],
    ),
    "a transition rule without an old value": Case(TEXT, {"rule": "self == oldSelf"}, "b"),
    "an unchanged flaw is a warning": Case(
        TEXT, {"rule": "self == 'z'"}, "a", "a",
        warnings=["x: Invalid value: \"a\": failed rule: self == 'z'"],
    ),
    "a changed flaw is an error": Case(
        TEXT, {"rule": "self == 'z'"}, "b", "a",
        want=["x: Invalid value: \"b\": failed rule: self == 'z'"],
    ),
    "an unchanged evaluation error stays an error": Case(
        OBJECT, {"rule": "self.b / 0 < 5"}, {"b": 9}, {"b": 9},
        want=['x: Invalid value: "object": division by zero evaluating rule: self.b / 0 < 5'],
    ),
    "an optional old value is there": Case(
        TEXT, {"rule": "oldSelf.orValue('x') == 'x'", "optionalOldSelf": True}, "b", "b",
        want=["x: Invalid value: \"b\": failed rule: oldSelf.orValue('x') == 'x'"],
    ),
    "elements of a map list correlate by key": Case(
        MAP_LIST, None,
        [{"k": "a", "v": 9}, {"k": "b", "v": 1}, {"k": "c", "v": 7}],
        [{"k": "b", "v": 2}, {"k": "a", "v": 9}],
        want=[
            "x[1].v: Invalid value: 1: failed rule: self >= oldSelf",
            "x[2].v: Invalid value: 7: failed rule: self < 5",
        ],
        warnings=["x[0].v: Invalid value: 9: failed rule: self < 5"],
    ),
    "elements of other lists do not": Case(
        LIST, None, [{"v": 9}, {"v": 1}], [{"v": 9}, {"v": 8}],
        want=["x[0].v: Invalid value: 9: failed rule: self < 5"],
    ),
    "an unchanged list keeps its flaws": Case(
        LIST, None, [{"v": 9}], [{"v": 9}],
        warnings=["x[0].v: Invalid value: 9: failed rule: self < 5"],
    ),
    "entries of a map correlate by key": Case(
        MAP, None, {"p": 9, "q": 1, "r": 7}, {"p": 9, "q": 2},
        want=[
            "x[q]: Invalid value: 1: failed rule: self >= oldSelf",
            "x[r]: Invalid value: 7: failed rule: self < 5",
        ],
        warnings=["x[p]: Invalid value: 9: failed rule: self < 5"],
    ),
    "sets are equal in any order": Case(SET, {"rule": "self == oldSelf"}, ["a", "b"], ["b", "a"]),
    "sets with other elements are not": Case(
        SET, {"rule": "self == oldSelf"}, ["a", "c"], ["b", "a"],
        want=["x: Invalid value: failed rule: self == oldSelf"],
    ),
    "lists are not equal in any order": Case(
        TEXTS, {"rule": "self == oldSelf"}, ["a", "b"], ["b", "a"],
        want=["x: Invalid value: failed rule: self == oldSelf"],
    ),
    "map lists are equal in any order": Case(
        MAP_LIST, {"rule": "self == oldSelf"},
        [{"k": "a", "v": 1}, {"k": "b", "v": 1}], [{"k": "b", "v": 1}, {"k": "a", "v": 1}],
    ),
    "map lists are unchanged in any order": Case(
        MAP_LIST, {"rule": "self.size() < 1"},
        [{"k": "a", "v": 1}, {"k": "b", "v": 1}], [{"k": "b", "v": 1}, {"k": "a", "v": 1}],
        warnings=["x: Invalid value: failed rule: self.size() < 1"],
    ),
    "a message may use oldSelf if a rule here does": Case(
        OBJECT,
        {"rule": "self.b == oldSelf.b", "messageExpression": "'was %d'.format([oldSelf.b])"},
        {"b": 2}, {"b": 1}, want=["x: Invalid value: was 1"],
    ),
    "a message cannot use oldSelf if no rule here does": Case(
        OBJECT, {"rule": "false", "messageExpression": "oldSelf.a"}, {"a": "x"}, {"a": "y"},
        want=["x: Invalid value: failed rule: false"],
    ),
    "objects without a field differ": Case(
        OBJECT, {"rule": "self == oldSelf"}, {"b": 9}, {"a": "y", "b": 9},
        want=["x: Invalid value: failed rule: self == oldSelf"],
    ),
}  # fmt: skip


def judge(case: Case, *, update: bool) -> tuple[list[str], list[str]]:
    schema = dict(case.schema)
    if case.rule is not None:
        schema["x-kubernetes-validations"] = [case.rule]
    parsed = parse_schema({"type": "object", "properties": {"x": schema}})
    old: Object | None = None
    if update:
        old = {"metadata": {"resourceVersion": "1"}}
        if case.old is not None:
            old["x"] = case.old
    warnings: list[str] = []
    errors = validate_rules(parsed, {"x": case.new}, old, warnings)
    return [str(error) for error in errors], warnings


@pytest.mark.parametrize("name", CREATE)
def test_create(name: str) -> None:
    case = CREATE[name]
    assert judge(case, update=False) == (case.want, case.warnings)


@pytest.mark.parametrize("name", UPDATE)
def test_update(name: str) -> None:
    case = UPDATE[name]
    assert judge(case, update=True) == (case.want, case.warnings)


def rooted(*rules: Object) -> Object:
    return {
        "type": "object",
        "x-kubernetes-validations": list(rules),
        "properties": {"spec": {"type": "object"}},
    }


def test_the_root_has_no_path_and_knows_the_name() -> None:
    schema = parse_schema(rooted({"rule": "self.metadata.name == 'b' && self.kind == 'K'"}))
    obj = {"apiVersion": "v1", "kind": "K", "metadata": {"name": "a"}}
    [error] = validate_rules(schema, obj)
    assert str(error) == (
        "<nil>: Invalid value: failed rule: self.metadata.name == 'b' && self.kind == 'K'"
    )


def test_rules_in_all_of_apply() -> None:
    schema = parse_schema(
        {
            "type": "object",
            "properties": {
                "x": {
                    "type": "integer",
                    "allOf": [{"x-kubernetes-validations": [{"rule": "self > 5"}]}],
                }
            },
        }
    )
    [error] = validate_rules(schema, {"x": 1})
    assert str(error) == "x: Invalid value: 1: failed rule: self > 5"


def test_a_schema_without_rules_compiles_to_nothing() -> None:
    schema = parse_schema({"type": "object", "properties": {"a": OBJECT, "b": TEXTS}})
    assert compile_rules(schema) is None
    assert validate_rules(schema, {"a": {"b": 1}}) == []


def test_a_rule_that_never_ends_is_cut_off() -> None:
    rule = "self.all(a, self.all(b, self.all(c, a + b + c != '')))"
    case = Case(TEXTS, {"rule": rule}, [str(n) for n in range(200)])
    errors, _ = judge(case, update=False)
    assert errors == [
        (
            "x: Invalid value: \"array\": 'operation cancelled: actual cost limit exceeded': no further validation "
            f"rules will be run due to call cost exceeds limit for rule: {rule}"
        )
    ]


def test_all_rules_together_have_a_budget() -> None:
    rule = "self.all(a, self.all(b, a != b || a == b))"
    schema = {**TEXTS, "x-kubernetes-validations": [{"rule": rule}]}
    parsed = parse_schema({"type": "object", "additionalProperties": schema})
    # Each of the lists takes a good part of the budget of one call; together they exceed that of the object.
    value = [str(n) for n in range(370)]
    errors = validate_rules(parsed, {f"k{n}": value for n in range(40)})
    assert [error.detail for error in errors] == [
        "validation failed due to running out of cost budget, no further validation rules will be run"
    ]


def test_metadata_has_the_rules_its_own_schema_gives_it() -> None:
    name = {"type": "string", "x-kubernetes-validations": [{"rule": "self != 'a'"}]}
    own = parse_schema({"type": "object", "properties": {"name": name}})
    shape = parse_schema({"type": "object", "properties": {"name": TEXT, "uid": TEXT}})
    schema = parse_schema(rooted({"rule": "has(self.metadata.name)"}))
    schema.properties["metadata"] = replace(shape, restriction=own)
    got = [str(error) for error in validate_rules(schema, {"metadata": {"name": "a", "uid": "u"}})]
    assert got == ["metadata.name: Invalid value: \"a\": failed rule: self != 'a'"]


def test_a_field_the_schema_does_not_know_counts_as_changed() -> None:
    schema = parse_schema(
        {
            "type": "object",
            "x-kubernetes-validations": [{"rule": "has(self.spec.a)"}],
            "properties": {"spec": {**OBJECT, "x-kubernetes-validations": [{"rule": "false"}]}},
        }
    )
    obj = {"metadata": {"name": "a"}, "spec": {"b": 1}}
    warnings: list[str] = []
    errors = validate_rules(schema, obj, obj, warnings)
    assert [str(error) for error in errors] == [
        "<nil>: Invalid value: failed rule: has(self.spec.a)"
    ]
    assert warnings == ["spec: Invalid value: failed rule: false"]


def test_an_old_object_of_another_shape_is_no_overload() -> None:
    schema = parse_schema({
        "type": "object",
        "properties": {
            "a": {
                "type": "object",
                "properties": {"b": {"type": "string"}},
                "x-kubernetes-validations": [{"rule": "oldSelf.b.startsWith('x')"}],
            }
        },
    })  # fmt: skip
    got = [str(error) for error in validate_rules(schema, {"a": {"b": "y"}}, {"a": {"b": 5}})]
    assert got == [
        (
            "a: Invalid value: \"object\": 'no such overload': call arguments did not match a supported operator, function or macro "
            "signature for rule: oldSelf.b.startsWith('x')"
        )
    ]
