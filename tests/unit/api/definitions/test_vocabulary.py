"""The words that definitions are written in: what differs between versions is said once, at its place."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from argosy.api.definitions.vocabulary import (
    Versioned,
    choice,
    keyed,
    must,
    only,
    resolved,
    rule,
    ruled,
    struct,
    text,
)
from argosy.base.types import Json


def beta1(value: Json) -> Versioned:
    return only(value, "v1beta1")


def beta2(value: Json) -> Versioned:
    return only(value, "v1beta2")


@dataclass(slots=True, frozen=True)
class Case:
    value: Json
    v1beta1: Json
    v1beta2: Json


TEXT = {"description": "", "type": "string"}

CASES = {
    "what is said plainly is the same in both": Case(text(""), TEXT, TEXT),
    "a limit may be in one version only": Case(
        text("", maxLength=beta2(63)), TEXT, TEXT | {"maxLength": 63}
    ),
    "a value of a list may be in one version only": Case(
        choice("", "A", beta1("B")), TEXT | {"enum": ["A", "B"]}, TEXT | {"enum": ["A"]}
    ),
    "a field may have another name": Case(
        struct("", old=beta1(text("")), new=beta2(text(""))),
        {"description": "", "type": "object", "properties": {"old": TEXT}},
        {"description": "", "type": "object", "properties": {"new": TEXT}},
    ),
    "required fields are listed by name": Case(
        struct("", b=must(text("")), a=must(text("")), c=text("")),
        *[{
            "description": "", "type": "object", "required": ["a", "b"],
            "properties": {"a": TEXT, "b": TEXT, "c": TEXT},
        }] * 2,
    ),
    "a field may be required in one version only": Case(
        struct("", a=must(text(""), when=beta1(True))),
        {"description": "", "type": "object", "required": ["a"], "properties": {"a": TEXT}},
        {"description": "", "type": "object", "properties": {"a": TEXT}},
    ),
    "a required field may be in one version only": Case(
        struct("", a=must(beta2(text("")))),
        {"description": "", "type": "object", "properties": {}},
        {"description": "", "type": "object", "required": ["a"], "properties": {"a": TEXT}},
    ),
    "a rule may differ": Case(
        ruled(text(""), Versioned({"v1beta1": rule("m", "1"), "v1beta2": rule("m", "2")}), beta2(rule("n", "3"))),
        TEXT | {"x-kubernetes-validations": [{"rule": "1", "message": "m"}]},
        TEXT
        | {
            "x-kubernetes-validations": [
                {"rule": "2", "message": "m"},
                {"rule": "3", "message": "n"},
            ]
        },
    ),
    "keys of a list become a list": Case(
        keyed("", text(""), "a", "b"),
        *[{
            "description": "", "type": "array", "items": TEXT,
            "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a", "b"],
        }] * 2,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_a_type_of_one_version(case: Case) -> None:
    assert resolved(case.value, "v1beta1") == case.v1beta1
    assert resolved(case.value, "v1beta2") == case.v1beta2


def test_types_are_not_changed_by_being_resolved() -> None:
    inner = must(text("", maxLength=beta2(1)))
    outer = struct("", a=inner, b=inner)
    first = resolved(outer, "v1beta1")

    assert resolved(outer, "v1beta1") == first
    assert inner["must"] is True


def test_a_type_that_is_not_in_a_version_is_a_mistake() -> None:
    with pytest.raises(AssertionError, match="nothing is left of it in v1beta1"):
        resolved(beta2(text("")), "v1beta1")
