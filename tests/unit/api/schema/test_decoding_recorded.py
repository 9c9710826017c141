"""Decoding built-in kinds says what kube-apiserver says, word for word."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from argosy.api.schema.bodies import duplicates, parse_json, strict_problem, strict_texts
from argosy.api.schema.builtin import builtin_schema, type_name
from argosy.api.schema.decoding import cannot_be_handled, decode
from argosy.base.types import Object

RECORDED: Object = json.loads((Path(__file__).parent / "recorded" / "decoding.json").read_text())


@pytest.mark.parametrize("case", RECORDED["cases"].values(), ids=RECORDED["cases"].keys())
def test_message(case: Object) -> None:
    group, version, kind = case["kind"]
    schema = builtin_schema(type_name(group, version, kind))
    body = case["body"].encode()
    obj = parse_json(body)
    repeated = duplicates(body, obj, schema)
    decoded = decode(schema, obj)
    problem = decoded.problem or strict_problem(strict_texts(repeated, decoded.unknown))
    got = cannot_be_handled(kind, version, problem)
    assert got == case["message"]
