"""JSON as Go writes it."""

from __future__ import annotations

import pytest

from argosy.api.gojson import go_json

CASES = {
    "plain": ({"b": 1, "a": [True, None]}, b'{"b":1,"a":[true,null]}'),
    "what could end a script": ({"a": "<b>&"}, rb'{"a":"\u003cb\u003e\u0026"}'),
    "line separators": ("\u2028\u2029", rb'"\u2028\u2029"'),
    "other letters stay": ("é", '"é"'.encode()),
    "nothing": (None, b"null"),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_written(case: tuple[object, bytes]) -> None:
    value, want = case
    assert go_json(value) == want
