"""Which parts of custom objects may be judged alone, and what is found then."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from argosy.api.crds import (
    is_apart,
    is_same_content,
    is_steady,
    kind_from_crd,
    settle_status,
    status_holds,
)
from argosy.api.kinds import Version
from argosy.base.types import Json, Object

TEXT: Object = {"type": "string"}
SPEC: Object = {
    "type": "object",
    "properties": {"size": {"type": "integer", "default": 1}, "name": TEXT},
}
STATUS: Object = {
    "type": "object",
    "properties": {"phase": {**TEXT, "default": "New"}, "count": {"type": "integer"}},
}


def rules(*texts: str) -> Object:
    return {"x-kubernetes-validations": [{"rule": text} for text in texts]}


def version(spec: Object = SPEC, status: Object | None = STATUS, **root: Json) -> Version:
    properties: Object = {"spec": spec, **root.pop("properties", {})}
    if status is not None:
        properties["status"] = status
    schema = {"type": "object", "properties": properties, **root}
    crd: Object = {"metadata": {"uid": "u"}, "spec": {
        "group": "example.com", "scope": "Namespaced", "names": {"kind": "Widget", "plural": "widgets"},
        "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema},
                      "subresources": {"status": {}}}],
    }}  # fmt: skip
    return kind_from_crd(crd).storage


def widget(spec: Object, **more: Json) -> Object:
    return {
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        "metadata": {"name": "w"},
        "spec": spec,
        **more,
    }


APART: dict[str, tuple[Version, bool]] = {
    "a plain one": (version(), True),
    "a rule of the whole": (version(**rules("!has(self.status) || self.spec.size == 1")), True),
    "no status": (version(status=None), False),
    "a status of any type": (version(status={"x-kubernetes-preserve-unknown-fields": True}), False),
    "a status by default": (version(status={**STATUS, "default": {}}), False),
    "a status that must be there": (version(required=["status"]), False),
    "a number of fields": (version(maxProperties=5), False),
    "alternatives": (version(anyOf=[{"required": ["spec"]}]), False),
    "names that are bounded": (
        version(properties={"metadata": {"type": "object", "properties": {"name": {**TEXT, "maxLength": 3}}}}), False,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("found", "expected"), APART.values(), ids=APART.keys())
def test_apart(found: Version, expected: bool) -> None:
    assert is_apart(found.schema) is expected


class Case(NamedTuple):
    version: Version
    spec: Object
    expected: bool


STEADY: dict[str, Case] = {
    "as it was decoded": Case(version(), {"size": 1}, True),
    "a default is missing": Case(version(), {}, False),
    "an unknown field": Case(version(), {"size": 1, "colour": "red"}, False),
    "a null": Case(version(), {"size": 1, "name": None}, False),
    "another type": Case(version(), {"size": "1"}, False),
    "a rule that holds": Case(version({**SPEC, **rules("self.size > 0")}), {"size": 1}, True),
    "a rule that is broken": Case(version({**SPEC, **rules("self.size > 1")}), {"size": 1}, False),
    "a rule that lets stay": Case(version({**SPEC, **rules("self.size >= oldSelf.size")}), {"size": 1}, True),
    "a rule that asks for a change": Case(version({**SPEC, **rules("self.size > oldSelf.size")}), {"size": 1}, False),
    "a rule of the whole about content": Case(version(**rules("self.spec.size > 1")), {"size": 1}, False),
    "a rule of the whole about more": Case(version(**rules("has(self.status)")), {"size": 1}, True),
}  # fmt: skip


@pytest.mark.parametrize("case", STEADY.values(), ids=STEADY.keys())
def test_steady(case: Case) -> None:
    assert is_steady(case.version, widget(case.spec)) is case.expected


HOLDS: dict[str, tuple[Version, Object | None, Object | None, bool]] = {
    "no status": (version(), None, {"count": 1}, True),
    "a good one": (version(), {"count": 1}, None, True),
    "another type": (version(), {"count": "1"}, None, False),
    "a transition": (version(status={**STATUS, **rules("self.count > oldSelf.count")}), {"count": 2}, {"count": 1}, True),
    "no transition": (version(status={**STATUS, **rules("self.count > oldSelf.count")}), {"count": 1}, {"count": 1}, False),
    "the first of its kind": (version(status={**STATUS, **rules("self.count > oldSelf.count")}), {"count": 1}, None, True),
    "the whole": (version(**rules("!has(self.status) || self.status.count == self.spec.size")), {"count": 7}, None, True),
    "not the whole": (version(**rules("!has(self.status) || self.status.count == self.spec.size")), {"count": 8}, None, False),
    "content is not asked again": (version({**SPEC, **rules("false")}), {"count": 1}, None, True),
}  # fmt: skip


@pytest.mark.parametrize(("found", "new", "old", "expected"), HOLDS.values(), ids=HOLDS.keys())
def test_status(found: Version, new: Object | None, old: Object | None, expected: bool) -> None:
    after = widget({"size": 7}, **({} if new is None else {"status": new}))
    before = widget({"size": 7}, **({} if old is None else {"status": old}))
    assert status_holds(found, after, before) is expected


def test_a_status_gets_its_shape() -> None:
    status: Object = {"count": 1, "phase": None}
    assert settle_status(version(), status)
    assert status == {"count": 1, "phase": "New"}
    assert not settle_status(version(), {"colour": "red"})


def test_content_is_compared_by_its_bytes() -> None:
    one = widget({"size": 1}, status={"count": 1})
    assert is_same_content(one, widget({"size": 1}, status={"count": 2}))
    assert not is_same_content(one, widget({"size": True}))
    assert not is_same_content(one, {**one, "data": 1})
