"""Versions that know less than the stored one: what they do not know is not shown."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import pytest

from argosy.api.crds.kinds import resource_schema
from argosy.api.crds.narrowing import narrowing
from argosy.api.definitions.vocabulary import anything, listed, mapped, struct, text
from argosy.api.schema.structural import Schema
from argosy.base.types import Json, Object

TEXT = text("")


@dataclass(slots=True, frozen=True)
class Case:
    stored: Object
    shown: Object
    value: Json
    want: Json


CASES = {
    "a field that is not known is left out": Case(
        struct("", a=TEXT, b=TEXT), struct("", a=TEXT), {"a": "1", "b": "2"}, {"a": "1"}
    ),
    "so is one below items of a list": Case(
        listed("", struct("", a=TEXT, b=TEXT)),
        listed("", struct("", a=TEXT)),
        [{"a": "1", "b": "2"}],
        [{"a": "1"}],
    ),
    "and one below values of a map": Case(
        mapped("", struct("", a=TEXT, b=TEXT)),
        mapped("", struct("", a=TEXT)),
        {"k": {"a": "1", "b": "2"}},
        {"k": {"a": "1"}},
    ),
    "what was open may have become closed": Case(
        anything("", type="object"), struct("", a=TEXT), {"a": "1", "b": "2"}, {"a": "1"}
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_what_a_version_does_not_know_is_not_shown(case: Case) -> None:
    narrow = narrowing(_schema(case.stored), _schema(case.shown))
    assert narrow is not None
    stored = {"metadata": {"name": "x"}, "spec": case.value}
    before = copy.deepcopy(stored)

    assert narrow(stored) == {"metadata": {"name": "x"}, "spec": case.want}
    assert stored == before


WIDER = {
    "versions that differ in nothing": (struct("", a=TEXT), struct("", a=TEXT)),
    "a version that knows more": (struct("", a=TEXT), struct("", a=TEXT, b=TEXT)),
    "a version that takes anything": (struct("", a=TEXT), anything("", type="object")),
    "a version that judges otherwise": (struct("", a=TEXT), struct("", a=text("", maxLength=1))),
    "a map instead of fields": (struct("", a=TEXT), mapped("", TEXT)),
}


@pytest.mark.parametrize(("stored", "shown"), WIDER.values(), ids=WIDER.keys())
def test_bytes_are_shared_with(stored: Object, shown: Object) -> None:
    assert narrowing(_schema(stored), _schema(shown)) is None


def _schema(spec: Object) -> Schema:
    return resource_schema({"type": "object", "properties": {"spec": spec}})
