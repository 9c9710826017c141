"""JSONPath against what kubectl v1.35 printed for the same object (`kubectl get -o jsonpath={...}`).

A path that kubectl reads but cannot follow in this object finds nothing here: a table cell stays empty. Where the order
of a map's members would show, kubectl's is random, and the path is not in the table.
"""

from __future__ import annotations

import msgspec
import pytest

from argosy.base import jsonpath
from argosy.base.jsonpath import JSONPathError
from argosy.base.types import Json

OBJECT: Json = {
    "apiVersion": "jp.test/v1",
    "kind": "Path",
    "metadata": {"name": "a"},
    "status": {
        "conditions": [
            {"type": "Ready", "status": "True", "n": 3, "ok": True, "f": 2.5},
            {"type": "Old", "status": "False", "n": 1, "ok": False},
            {"type": "Bare"},
        ],
        "a.b": 1,
        "a-b": 2,
        "empty": {},
        "zero": 0,
        "text": "hello world",
        "html": "<b>&",
        "quote": 'say "hi"',
        "deep": {"x": {"name": "one", "list": [{"name": "two"}]}, "name": "three"},
    },
    "list": [1, 2, 3, 4, 5],
    "matrix": [[1, 2], [3], []],
    "mixed": [1, "1", True, 2.5, {"a": 1}, [7]],
    "words": ["a", "b", "c"],
    "none": [],
    "big": 12345678901,
    "frac": 0.1,
    "spec": {
        "containers": [
            {"name": "c1", "ports": [{"p": 80}, {"p": 81}], "args": ["x", "y"]},
            {"name": "c2", "ports": [{"p": 90}]},
            {"name": "c3"},
        ]
    },
}

PRINTED = {
    ".status.text": "hello world",
    ".status.none": "",
    ".status.nope.deeper": "",
    ".status.empty": "{}",
    ".status.zero": "0",
    ".status.html": "<b>&",
    ".status.quote": 'say "hi"',
    ".status['a.b']": "",
    ".status.a\\.b": "1",
    ".status['a-b']": "2",
    ".status.a-b": "2",
    "['status']['text']": "hello world",
    ".status['text','zero']": "hello world 0",
    ".list": "[1,2,3,4,5]",
    ".list[0]": "1",
    ".list[-1]": "5",
    ".list[4]": "5",
    ".list[1:3]": "2 3",
    ".list[1:]": "2 3 4 5",
    ".list[:2]": "1 2",
    ".list[-2:]": "4 5",
    ".list[:-3]": "1 2",
    ".list[0:5:2]": "1 3 5",
    ".list[::2]": "1 3 5",
    ".list[1:1]": "",
    ".list[*]": "1 2 3 4 5",
    ".list[0,2]": "1 3",
    ".list[0,2,4]": "1 3 5",
    ".list[0:2,4]": "1 2 5",
    ".list[-1,0]": "5 1",
    ".none": "[]",
    ".none[*]": "",
    ".none[?(@.x)]": "",
    ".matrix[*]": "[1,2] [3] []",
    ".matrix[*][*]": "1 2 3",
    ".matrix[0][1]": "2",
    ".matrix.*": "[1,2] [3] []",
    ".mixed[*]": '1 1 true 2.5 {"a":1} [7]',
    ".mixed[3]": "2.5",
    '.words[?(@=="b")]': "b",
    '.words[?(@!="b")]': "a c",
    ".big": "12345678901",
    ".frac": "0.1",
    ".list[?(@>3)]": "4 5",
    ".list[?(@>=3)]": "3 4 5",
    ".list[?(@<2)]": "1",
    ".list[?(@<=2)]": "1 2",
    ".list[?(@==3)]": "3",
    ".list[?(@!=3)]": "1 2 4 5",
    ".list[?(3<@)]": "4 5",
    '.status.conditions[?(@.type=="Ready")].status': "True",
    ".status.conditions[?(@.type=='Ready')].status": "True",
    ".status.conditions[?(@.type!='Ready')].type": "Old Bare",
    ".status.conditions[?(@.status)].type": "Ready Old",
    ".status.conditions[?(@.ok)].type": "Ready Old",
    ".status.conditions[?(@.ok==true)].type": "Ready",
    ".status.conditions[?(@.n>2)].type": "Ready",
    ".status.conditions[?(@.n>=1)].type": "Ready Old",
    ".status.conditions[?(@.f==2.5)].type": "Ready",
    ".status.conditions[?(@.n==3)]['type','status']": "Ready True",
    ".status.conditions[*].type": "Ready Old Bare",
    ".status.conditions[*]['type','n']": "Ready Old Bare 3 1",
    ".status.conditions[-1:].type": "Bare",
    '.status.conditions[?(@.type=="Nope")].status': "",
    '.status.conditions[?(@.nope.deeper=="x")].type': "",
    '.status.conditions[?(@[\'type\']=="Old")].status': "False",
    ".status.deep..name": "three one two",
    ".status..name": "three one two",
    "..list": '[1,2,3,4,5] [{"name":"two"}]',
    "..p": "80 81 90",
    ".spec..name": "c1 c2 c3",
    "..containers[0].name": "c1",
    ".spec.containers[*].name": "c1 c2 c3",
    ".spec.containers[*].ports[*].p": "80 81 90",
    ".spec.containers[*].ports[0].p": "80 90",
    ".spec.containers[*]['name','args']": 'c1 c2 c3 ["x","y"]',
    ".spec.containers[?(@.ports[0].p==80)].name": "c1",
    '.spec.containers[?(@.name=="c1")].ports[?(@.p>80)].p': "81",
    '.spec.containers[0].args[?(@=="y")]': "y",
    ".spec.containers[*].args[*]": "x y",
    ".spec.containers[0]['name']": "c1",
    ".spec.containers['name']": "",
    ".status.text.x": "",
    "$.status.text": "hello world",
    "@.status.text": "hello world",
    "$..type": "Ready Old Bare",
    "['list'][0]": "1",
    ".list.0": "",
    ".list[0 , 1]": "1 2",
    ".status.conditions[?( @.type == 'Old' )].status": "False",
    ".": "",
    ".status.conditions.*.type": "Ready Old Bare",
    ".list[]": "1",
    ".status['nope']": "",
    ".status['nope','text']": "hello world",
    ".status.conditions[0,1].type": "Ready Old",
    ".status.conditions[0:2].type": "Ready Old",
    ".status.conditions[?(@.n)].n": "3 1",
    ".status.conditions[?(@.ok==false)].type": "Old",
    '.status.conditions[?(@.type>"P")].type': "Ready",
    '.status.conditions[?(@.type<"P")].type': "Old Bare",
    ".spec.containers[?(@.args)].name": "c1",
    ".metadata.name": "a",
}  # fmt: skip

# kubectl: index out of bounds, not an array, incompatible types, ...
FOLLOWED_NOWHERE = [
    ".list[5]",
    ".list[-6]",
    ".list[2:1]",
    ".list[0:9]",
    ".list[9:10]",
    ".list[0,9]",
    ".none[0]",
    ".matrix[*][0]",
    ".mixed[?(@==1)]",
    '.mixed[?(@=="1")]',
    ".list[?(@>2.5)]",
    ".list[?(@>'3')]",
    ".status.conditions[?(@.f>2)].type",
    ".spec.containers[?(@.ports[*].p==80)].name",
    ".spec.containers[?(@.ports[*].p==90)].name",
    ".spec[0]",
    ".status.text[0]",
    ".status[?(@.n)]",
    ".status.text[?(@.n)]",
    "[*]",
    ".list[1:3:0]",
    ".list[3:1:-1]",
    ".list[::-1]",
    ".status[]",
]  # fmt: skip

REFUSED = {
    "status.text": "unrecognized identifier status",
    ".list[ 0 ]": "invalid array index  0 ",
    '.status.conditions[?(@.type=="Ready" && @.ok)].status': "unrecognized character in action: U+0026 '&'",
    ".list[x]": "invalid array index x",
    ".list[0": "unterminated array",
    ".list[?(@.x]": "unterminated filter",
    ".list[?(@.x)": "unclosed array expect ]",
    ".list[?(@ =< 1)]": "unrecognized filter operator =<",
    "....name": "invalid multiple recursive descent",
    ".status.conditions[(@.length-1)].type": "invalid array index (@.length-1)",
    ".list[+1]": "invalid array index +1",
}


def shown(value: Json) -> str:
    """As kubectl prints one result: text plain, everything else as JSON."""
    if isinstance(value, str):
        return value
    return msgspec.json.encode(value, order="sorted").decode()


@pytest.mark.parametrize(("path", "want"), PRINTED.items(), ids=PRINTED.keys())
def test_what_kubectl_prints(path: str, want: str) -> None:
    got = jsonpath.compile(f"{{{path}}}").find(OBJECT)
    assert " ".join(map(shown, got)) == want


@pytest.mark.parametrize("path", FOLLOWED_NOWHERE)
def test_what_kubectl_cannot_follow(path: str) -> None:
    assert jsonpath.compile(f"{{{path}}}").find(OBJECT) == []


@pytest.mark.parametrize(("path", "want"), REFUSED.items(), ids=REFUSED.keys())
def test_what_kubectl_refuses(path: str, want: str) -> None:
    with pytest.raises(JSONPathError) as got:
        jsonpath.compile(f"{{{path}}}")
    assert str(got.value) == want
