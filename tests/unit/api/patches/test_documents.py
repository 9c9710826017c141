"""The document of a refused patch: untouched parts as declared, touched ones sorted, new ones as they came."""

from __future__ import annotations

import pytest

from argosy.api.patches.documents import document_text
from argosy.api.patches.merge_patch import apply_merge_patch
from argosy.api.schema.builtin import builtin_schema
from argosy.api.schema.structural import ANYTHING, Schema
from argosy.base.types import Json, Object

MAP = builtin_schema("io.k8s.api.core.v1.ConfigMap")
BEFORE: Object = {"metadata": {"labels": {"b": "1", "a": "2"}, "name": "x"}, "data": {"k": "v"}}
CASES: dict[str, tuple[Schema, Json, str]] = {
    "what is untouched has the order of its declaration": (
        MAP, {"data": {"j": 1}},
        '{"data":{"j":1,"k":"v"},"metadata":{"name":"x","labels":{"b":"1","a":"2"}}}',
    ),
    "what is touched is sorted": (
        MAP, {"metadata": {"uid": "u"}},
        '{"data":{"k":"v"},"metadata":{"labels":{"b":"1","a":"2"},"name":"x","uid":"u"}}',
    ),
    "what is new is as it came": (
        MAP, {"data": None, "x": {"b": 1, "a": [{"d": 2, "c": 3}]}},
        '{"metadata":{"name":"x","labels":{"b":"1","a":"2"}},"x":{"b":1,"a":[{"d":2,"c":3}]}}',
    ),
    "custom objects have no declared order": (
        ANYTHING, {"data": {"j": "<"}},
        '{"data":{"j":"\\u003c","k":"v"},"metadata":{"labels":{"b":"1","a":"2"},"name":"x"}}',
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_document(name: str) -> None:
    schema, patch, want = CASES[name]
    assert document_text(schema, BEFORE, apply_merge_patch(BEFORE, patch)) == want
