"""An opened object is the stored one, and is the stored one again when it is closed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.api.builtin import builtin_kinds
from argosy.api.kinds import Kind
from argosy.apiserver import encoding

POD = next(kind for kind in builtin_kinds() if kind.kind == "Pod")
CUSTOM = replace(POD, crd_uid="u")
ENTRY = {
    "apiVersion": "v1", "fieldsType": "FieldsV1", "operation": "Update", "time": "t",
    "fieldsV1": {"f:metadata": {"f:labels": {}}, "f:spec": {'k:{"name":"a"}': {}}}, "manager": '],"name":"x',
}  # fmt: skip
NASTY = ('"managedFields":[{', '],"name":"', '},"spec":{', '{"metadata":{', "\\", '"')

CASES: dict[str, dict[str, Any]] = {
    "a pod": {"metadata": {"creationTimestamp": "t", "managedFields": [ENTRY], "name": "a"}, "spec": {"x": 1}},
    "no owners": {"metadata": {"creationTimestamp": "t", "name": "a"}, "spec": {}},
    "owners deeper only": {
        "metadata": {"creationTimestamp": "t", "name": "a"},
        "spec": {"template": {"metadata": {"a": 1, "managedFields": [ENTRY], "name": "b"}, "spec": {}}},
    },
    "owners here and deeper": {
        "metadata": {"creationTimestamp": "t", "managedFields": [ENTRY, ENTRY], "name": "a"},
        "spec": {"template": {"metadata": {"a": 1, "managedFields": [ENTRY], "name": "b"}, "spec": {}}},
    },
    "nothing before the owners": {"metadata": {"managedFields": [ENTRY], "name": "a"}, "spec": {}},
    "no owner at all": {"metadata": {"creationTimestamp": "t", "managedFields": [], "name": "a"}, "spec": {}},
    "no spec": {"data": {"a": "b"}, "metadata": {"a": "b", "managedFields": [ENTRY], "name": "a"}},
    "owners in a field behind metadata": {
        "metadata": {"creationTimestamp": "t", "name": "a"},
        "payload": {"a": 1, "managedFields": [ENTRY], "name": "b"}, "spec": {},
    },
    "no spec behind metadata": {"metadata": {"a": "b", "managedFields": [ENTRY], "name": "a"}, "status": {}},
}  # fmt: skip


def check(obj: dict[str, Any], kind: Kind = POD) -> None:
    raw = msgspec.json.encode(obj, order="deterministic")
    want = encoding.from_bytes(kind, raw)
    owners = want["metadata"].pop("managedFields", None)
    got = encoding.opened(kind, raw)
    assert got.obj == want
    assert (msgspec.json.decode(got.managed) if got.managed else None) == owners
    assert encoding.to_bytes(encoding.closed(got)) == raw


@pytest.mark.parametrize("obj", CASES.values(), ids=CASES.keys())
def test_opening_and_closing(obj: dict[str, Any]) -> None:
    # No built-in kind has fields between metadata and spec.
    if "payload" not in obj:
        check(obj)
    check(obj, CUSTOM)


TEXTS = st.sampled_from(NASTY) | st.text(max_size=5)
MAPS = st.dictionaries(TEXTS, TEXTS, max_size=3)


@given(MAPS, MAPS, st.lists(TEXTS, max_size=2), st.lists(TEXTS, max_size=3), TEXTS)
def test_no_text_leads_astray(
    labels: dict[str, str],
    annotations: dict[str, str],
    finalizers: list[str],
    managers: list[str],
    name: str,
) -> None:
    meta: dict[str, Any] = {
        "annotations": annotations, "creationTimestamp": "t", "finalizers": finalizers, "labels": labels,
        "name": name, "ownerReferences": [{"name": name}],
    }  # fmt: skip
    if managers:
        meta["managedFields"] = [{**ENTRY, "manager": manager} for manager in managers]
    obj = {"metadata": meta, "spec": {"text": name, "managedFields": [{"a": name}], "name": name}}
    check(obj)
    check(obj, CUSTOM)
