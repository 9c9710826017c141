"""Custom resources and their definitions are answered as kube-apiserver answers them.

Upstream walks maps in random order, so causes are compared without their order.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

from argosy.api.crds import (
    RULES,
    decode_custom,
    default_crd,
    kind_from_crd,
    validate_crd,
    validate_custom,
    validate_custom_status,
    validate_custom_update,
)
from argosy.api.crds.kinds import resource_schema
from argosy.api.kinds import Version
from argosy.api.schema.bodies import duplicates, parse_json, strict_problem, strict_texts
from argosy.api.schema.builtin import builtin_schema, type_name
from argosy.api.schema.decoding import cannot_be_handled, decode
from argosy.base.fielderrors import FieldError
from argosy.base.types import Object


def recorded(name: str) -> Object:
    document: Object = json.loads((Path(__file__).parent / "recorded" / f"{name}.json").read_text())
    return document


def causes(errors: list[FieldError]) -> list[list[str]]:
    return sorted([error.reason, error.field, error.body] for error in errors)


WIDGETS = recorded("widgets")
DEFINITIONS = recorded("definitions")
UPDATES = recorded("updates")
CRD = builtin_schema(type_name("apiextensions.k8s.io", "v1", "CustomResourceDefinition"))


@pytest.fixture(scope="module")
def widget() -> Version:
    crd = copy.deepcopy(WIDGETS["crd"])
    crd["metadata"]["uid"] = "u"
    default_crd(crd)
    return kind_from_crd(crd).versions["v1"]


@pytest.mark.parametrize("case", WIDGETS["cases"].values(), ids=WIDGETS["cases"].keys())
def test_custom_resource(widget: Version, case: Object) -> None:
    request = case["request"]
    body = (request if isinstance(request, str) else json.dumps(request)).encode()
    obj = parse_json(body)
    repeated = duplicates(body, obj)
    decoded = decode_custom(widget, obj)
    texts = strict_texts(repeated, decoded.unknown)
    if case["code"] == 400:
        problem = decoded.problem or strict_problem(texts)
        assert cannot_be_handled("Widget", "v1", problem) == case["message"]
        return
    assert decoded.problem is None
    assert texts == case.get("warnings", [])
    assert causes(validate_custom(widget, obj)) == sorted(case.get("causes", []))
    if case["code"] == 201:
        assert obj["spec"] == case["spec"]


@pytest.mark.parametrize("case", DEFINITIONS["cases"].values(), ids=DEFINITIONS["cases"].keys())
def test_definition(case: Object) -> None:
    crd = copy.deepcopy(case["request"])
    decoded = decode(CRD, crd)
    assert decoded.problem is None
    if case["code"] == 400:
        problem = strict_problem(strict_texts([], decoded.unknown))
        got = cannot_be_handled("CustomResourceDefinition", "v1", problem)
        assert got == case["message"]
        return
    default_crd(crd)
    assert RULES.prepare_create is not None
    assert RULES.warnings is not None
    RULES.prepare_create(crd)
    assert causes(validate_crd(crd)) == sorted(case.get("causes", []))
    assert RULES.warnings(crd, None) == case.get("warnings", [])
    if case["code"] == 201:
        assert crd["spec"] == case["spec"]
        assert crd["status"] == case["status"]


@pytest.mark.parametrize("case", UPDATES["cases"].values(), ids=UPDATES["cases"].keys())
def test_update_of_an_object_the_schema_has_outgrown(case: Object) -> None:
    version = Version("v1", resource_schema(UPDATES["schema"]))
    got = causes(validate_custom_update(version, case["new"], case["old"]))
    assert got == sorted(case["causes"])


def test_status_is_validated_alone_and_below_its_own_path(widget: Version) -> None:
    old = {"metadata": {"name": "a"}, "spec": {"a": "not valid anymore"}}
    new = {**old, "status": {"n": 0, "k": {}}}
    got = sorted(str(error) for error in validate_custom_status(widget, new, old))
    unchecked = (
        "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; "
        "correct the existing errors to complete validation"
    )
    assert got == [
        unchecked,
        "status.k.x: Required value",
        "status.n: Invalid value: 0: n in body should be greater than or equal to 1",
        'status: Invalid value: "": "k" must validate one and only one schema (oneOf). Found none valid',
    ]


def test_scale_numbers_are_not_negative(widget: Version) -> None:
    old: Object = {"spec": {}}
    new = {**old, "status": {"n": -5}}
    got = validate_custom_status(widget, new, old)
    assert ".status.n: Invalid value: -5: should be a non-negative integer" in [
        str(one) for one in got
    ]
