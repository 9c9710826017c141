"""JSONPath in the dialect of kubectl and CRD columns."""

from __future__ import annotations

import pytest

from argosy.base import jsonpath
from argosy.base.jsonpath import JSONPathError
from argosy.base.types import Json

OBJECT = {
    "status": {
        "conditions": [
            {"type": "Ready", "status": "True", "n": 3, "ok": True},
            {"type": "Old", "status": "False", "f": 1.5},
        ],
        "a.b": 1,
        "none": None,
    },
    "list": [1, 2, 3, 4],
    "matrix": [[1, 2], [3]],
}

FOUND = {
    "a field": (".status.none", [None]),
    "relaxed": ("status.none", [None]),
    "braced": ("{.status.none}", [None]),
    "from the root": ("{$.status.none}", [None]),
    "a missing field": (".status.nope.deeper", []),
    "a field of a list": (".list.x", []),
    "an escaped dot": (r".status.a\.b", [1]),
    "a quoted key": ("['status']['none']", [None]),
    "a quoted key with a dot in it": (r".status['a\.b']", [1]),
    "a dot in a quoted key is a step": (".status['a.b']", []),
    "an index": (".list[0]", [1]),
    "an index from the end": (".list[-1]", [4]),
    "an index out of range": (".list[9]", []),
    "an index of a map": (".status[0]", []),
    "a slice": (".list[1:3]", [2, 3]),
    "a slice from the end": (".list[-2:]", [3, 4]),
    "a slice with a step": (".list[::2]", [1, 3]),
    "an empty slice": (".list[2:2]", []),
    "a union": (".list[0, 2]", [1, 3]),
    "all items": (".list[*]", [1, 2, 3, 4]),
    "all values": (".matrix[*][*]", [1, 2, 3]),
    "a wildcard": (".matrix.*", [[1, 2], [3]]),
    "everything below": ("..type", ["Ready", "Old"]),
    "a filter": ('.status.conditions[?(@.type=="Ready")].status', ["True"]),
    "a filter in single quotes": (".status.conditions[?(@.type=='Ready')].status", ["True"]),
    "a filter with spaces": (".status.conditions[?( @.type == 'Old' )].status", ["False"]),
    "a filter that excludes": (".status.conditions[?(@.type!='Old')].status", ["True"]),
    "a filter with a number": (".status.conditions[?(@.n>2)].type", ["Ready"]),
    "a filter with a fraction": (".status.conditions[?(@.f<=1.5)].type", ["Old"]),
    "a filter with a boolean": (".status.conditions[?(@.ok==true)].type", ["Ready"]),
    "a filter for existence": (".status.conditions[?(@.n)].type", ["Ready"]),
    "a filter between types": (".status.conditions[?(@.n=='3')].type", []),
    "a filter over a map": (".status[?(@.n)]", []),
}


@pytest.mark.parametrize(("path", "want"), FOUND.values(), ids=FOUND.keys())
def test_finding(path: str, want: list[Json]) -> None:
    assert jsonpath.compile(path).find(OBJECT) == want


REFUSED = {
    "an open bracket": (".a[0", "unterminated array"),
    "a strange index": (".a[x]", "invalid array index x"),
    "an open filter": (".a[?(@.b", "unterminated filter"),
    "a filter without its bracket": (".a[?(@.b)", "unclosed array expect ]"),
    "an unknown comparison": (".a[?(@.b=<1)]", "unrecognized filter operator =<"),
    "twice recursive": ("....a", "invalid multiple recursive descent"),
    "an open quote": ("{'a}", "unterminated quoted string"),
    "a word": ("{range .a}", "unrecognized identifier range"),
    "a brace inside": (".a}b", "unrecognized character in action: U+007D '}'"),
    "a broken number": ("{1.2.3}", "cannot parse number 1.2.3"),
    "a line break": (".a\n", "unclosed action"),
}


@pytest.mark.parametrize(("path", "want"), REFUSED.values(), ids=REFUSED.keys())
def test_refusing(path: str, want: str) -> None:
    with pytest.raises(JSONPathError) as got:
        jsonpath.compile(path)
    assert str(got.value) == want
