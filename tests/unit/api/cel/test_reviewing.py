"""What a CRD is told about its rules besides their CEL."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from argosy.api.cel.rules import check_rules
from argosy.api.schema.parsing import parse_schema
from argosy.base.types import Object

TEXT: Object = {"type": "string"}
OBJECT: Object = {"type": "object", "properties": {"a": TEXT, "m": {"type": "object", "additionalProperties": TEXT}}}  # fmt: skip


@dataclass
class Case:
    rule: Object
    schema: Object = field(default_factory=lambda: dict(TEXT))
    want: list[str] = field(default_factory=list)


CASES: dict[str, Case] = {
    "no rule": Case({"rule": " "}, want=["rule: Required value: rule is not specified"]),
    "a blank message": Case(
        {"rule": "true", "message": " "},
        want=['message: Invalid value: " ": must be non-empty if specified'],
    ),
    "a message of two lines": Case(
        {"rule": "true", "message": "a\nb"},
        want=['message: Invalid value: "a\\nb": must not contain line breaks'],
    ),
    "a rule of two lines needs a message": Case(
        {"rule": "true &&\ntrue"},
        want=["message: Required value: message must be specified if rule contains line breaks"],
    ),
    "a blank messageExpression": Case(
        {"rule": "true", "messageExpression": " "},
        want=["messageExpression: Required value: messageExpression must be non-empty if specified"],
    ),
    "an unknown reason": Case(
        {"rule": "true", "reason": "InternalError"},
        want=[
            ('reason: Unsupported value: "InternalError": supported values: "FieldValueDuplicate", '
            '"FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"')
        ],
    ),
    "a path to nowhere": Case(
        {"rule": "true", "fieldPath": ".b"}, OBJECT,
        ['fieldPath: Invalid value: ".b": must be a valid path'],
    ),
    "a path without a dot": Case(
        {"rule": "true", "fieldPath": "a"}, OBJECT,
        ['fieldPath: Invalid value: "a": must be a valid path'],
    ),
    "a good path": Case({"rule": "true", "fieldPath": ".m['x.y']"}, OBJECT),
    "a rule that is no bool": Case(
        {"rule": "self"},
        want=[
            ('rule: Invalid value: {"Rule":"self","Message":"","MessageExpression":"","Reason":null,"FieldPath":"",'
            '"OptionalOldSelf":null}: cel expression must evaluate to a bool')
        ],
    ),
    "a message that is no string": Case(
        {"rule": "true", "messageExpression": "1", "optionalOldSelf": None},
        want=[
            ('messageExpression: Invalid value: {"Rule":"true","Message":"","MessageExpression":"1","Reason":null,'
            '"FieldPath":"","OptionalOldSelf":null}: messageExpression must evaluate to a string')
        ],
    ),
    "optionalOldSelf without oldSelf": Case(
        {"rule": "true", "optionalOldSelf": True},
        want=["optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule"],
    ),
    "optionalOldSelf makes an optional": Case(
        {"rule": "oldSelf.orValue('') == self", "optionalOldSelf": True}
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_review(name: str) -> None:
    case = CASES[name]
    schema = {**case.schema, "x-kubernetes-validations": [case.rule]}
    parsed = parse_schema({"type": "object", "properties": {"x": schema}})
    place = "s.properties[x].x-kubernetes-validations[0]."
    assert [str(e) for e in check_rules(parsed, "s")] == [place + want for want in case.want]


def test_old_values_of_list_elements_cannot_be_known() -> None:
    items = {**TEXT, "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}
    schema = parse_schema(
        {"type": "object", "properties": {"x": {"type": "array", "items": items}}}
    )
    assert [str(e) for e in check_rules(schema, "s")] == [
        (
            's.properties[x].items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be '
            "used on the uncorrelatable portion of the schema within s.properties[x]"
        )
    ]


def test_the_topmost_lost_place_is_told() -> None:
    leaf = {"type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}
    keyed = {
        "type": "array", "items": {"type": "object", "properties": {"k": leaf}, "required": ["k"]},
        "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
    }  # fmt: skip
    whole = {
        "type": "object",
        "x-kubernetes-map-type": "atomic",
        "properties": {"x": keyed, "y": leaf},
    }
    schema = parse_schema({"type": "object", "properties": {"w": whole}})
    within = (
        "oldSelf cannot be used on the uncorrelatable portion of the schema within s.properties[w]"
    )
    assert [(error.field, error.detail) for error in check_rules(schema, "s")] == [
        (
            "s.properties[w].properties[x].items.properties[k].x-kubernetes-validations[0].rule",
            within,
        ),
        ("s.properties[w].properties[y].x-kubernetes-validations[0].rule", within),
    ]


def test_texts_first_and_cel_only_where_the_texts_are_good() -> None:
    schema = parse_schema(
        {
            "type": "object",
            "x-kubernetes-validations": [{"rule": "self.nope"}],
            "properties": {
                "a": {**TEXT, "x-kubernetes-validations": [{"rule": "1"}]},
                "b": {**TEXT, "x-kubernetes-validations": [{"rule": ""}]},
            },
        }
    )
    assert [error.field for error in check_rules(schema, "s")] == [
        "s.properties[b].x-kubernetes-validations[0].rule",
        "s.properties[a].x-kubernetes-validations[0].rule",
    ]
