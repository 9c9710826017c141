"""Bodies that are no objects: broken JSON, YAML and protobuf, wrong content types, deep and huge values."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.chains import Chain, lawful
from tests.fuzz.samples import SAMPLES, path_of

MAPS = "/api/v1/namespaces/default/configmaps"
GOOD = b'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"new"},"data":{"a":"1"}}'
MAGIC = b"k8s\x00"

JSON_CORPUS = {
    "nothing": b"",
    "blanks": b"   \n",
    "null": b"null",
    "a number": b"12",
    "a list": b"[]",
    "a string": b'"text"',
    "cut off": GOOD[:-1],
    "too much": GOOD + b"}",
    "two values": GOOD + GOOD,
    "a trailing comma": b'{"kind":"ConfigMap",}',
    "single quotes": b"{'kind':'ConfigMap'}",
    "no quotes": b"{kind:ConfigMap}",
    "a comment": b'{"kind":"ConfigMap"} // really',
    "not a number": b'{"data":NaN}',
    "infinity": b'{"data":Infinity}',
    "a huge exponent": b'{"metadata":{"name":"new","generation":1e999}}',
    "many digits": b'{"metadata":{"name":"new","generation":' + b"9" * 5000 + b"}}",
    "a zero in front": b'{"metadata":{"generation":01}}',
    "a bare control character": b'{"metadata":{"name":"a\nb"}}',
    "a zero byte": b'{"metadata":{"name":"a\x00b"}}',
    "bad UTF-8": b'{"metadata":{"name":"\xff\xfe"}}',
    "UTF-16": GOOD.decode().encode("utf-16"),
    "a byte order mark": b"\xef\xbb\xbf" + GOOD,
    "half a surrogate": b'{"metadata":{"name":"\\ud800"}}',
    "a bad escape": b'{"metadata":{"name":"\\x41"}}',
    "deep lists": b"[" * 100_000,
    "deep lists, closed": b'{"data":' + b"[" * 20_000 + b"]" * 20_000 + b"}",
    "deep objects": b'{"a":' * 50_000,
    "deep objects, closed": b'{"a":' * 20_000 + b"1" + b"}" * 20_000,
    "a deep label": b'{"metadata":{"labels":' + b'{"a":' * 5_000 + b"1" + b"}" * 5_000 + b"}}",
    "fields twice": b'{"kind":"ConfigMap","kind":"Pod","metadata":{"name":"new","name":"other"}}',
    "an empty field name": b'{"metadata":{"name":"new","":null},"":{"":[]}}',
    "a field named like a path": b'{"metadata":{"name":"new","[0]":1},"a.b[c]":{"[":1}}',
    "another kind": b'{"apiVersion":"v1","kind":"Pod","metadata":{"name":"new"}}',
    "a kind nobody knows": b'{"apiVersion":"v1","kind":"Wonder","metadata":{"name":"new"}}',
    "a version nobody knows": b'{"apiVersion":"v9","kind":"ConfigMap","metadata":{"name":"new"}}',
    "a kind that is no string": b'{"apiVersion":1,"kind":{},"metadata":{"name":"new"}}',
    "a list kind": b'{"apiVersion":"v1","kind":"List","items":[]}',
    "a status": b'{"apiVersion":"v1","kind":"Status","status":"Success"}',
    "another namespace": b'{"metadata":{"name":"new","namespace":"other"}}',
    "a name of slashes": b'{"metadata":{"name":"../../etc"}}',
    "a name of 300 letters": b'{"metadata":{"name":"' + b"a" * 300 + b'"}}',
    "a revision for a create": b'{"metadata":{"name":"new","resourceVersion":"5"}}',
}

YAML_CORPUS = {
    "nothing": b"",
    "a scalar": b"text",
    "two documents": b"kind: ConfigMap\n---\nkind: Pod\n",
    "an open flow": b"data: [1, 2",
    "tabs": b"data:\n\tkey: value\n",
    "bad indentation": b"a: 1\n  b: 2\n c: 3\n",
    "an unknown anchor": b"a: *nope",
    "laughter": b"a: &a [x,x,x,x,x,x,x,x,x]\n"
    + b"".join(
        b"%c: &%c [%s]\n" % (97 + n, 97 + n, b",".join([b"*%c" % (96 + n)] * 9))
        for n in range(1, 9)
    ),
    "a cycle": b"a: &a\n  b: *a\n",
    "a merge key": b"metadata:\n  <<: {name: new}\n",
    "a merge of a scalar": b"<<: 1\n",
    "a python object": b"!!python/object/apply:os.system ['true']\n",
    "binary": b"data: !!binary aGVsbG8=\n",
    "a set": b"data: !!set {a, b}\n",
    "a timestamp": b"metadata: {name: new}\ndata: {a: 2026-01-02}\n",
    "a key that is a list": b"? [a, b]\n: c\n",
    "a key that is null": b"? \n: c\n",
    "keys twice": b"metadata: {name: new, name: other}\n",
    "a directive": b"%YAML 9.9\n---\na: 1\n",
    "a control character": b"a: \x01\n",
    "bad UTF-8": b"a: \xff\n",
    "deep lists": b"[" * 5_000,
    "deep blocks": b"".join(b" " * n + b"a:\n" for n in range(1_000)),
    "octal and friends": b"metadata: {name: new}\ndata: {a: 0o17, b: 0x1f, c: 1_000, d: .inf, e: ~, f: yes}\n",
}

PROTOBUF_CORPUS = {
    "nothing": b"",
    "the magic alone": MAGIC,
    "not the magic": b"k9s\x00abc",
    "a length beyond the end": MAGIC + b"\x0a\x7fabc",
    "an endless number": MAGIC + b"\xff" * 40,
    "a field of number zero": MAGIC + b"\x02\x01a",
    "an unknown wire type": MAGIC + b"\x0f\x01",
    "a group": MAGIC + b"\x0b\x0c",
    "JSON behind the magic": MAGIC + GOOD,
    "an envelope around garbage": MAGIC + b"\x12\x04\xff\xff\xff\xff",
    "an envelope of another kind": MAGIC + b"\x0a\x0b\x0a\x02v1\x12\x03Pod\x12\x00",
    "an envelope of JSON": MAGIC
    + b"\x0a\x11\x0a\x02v1\x12\x09ConfigMap\x12\x02{}\x22\x10application/json",
    "a gigabyte announced": MAGIC + b"\x12\x80\x80\x80\x80\x04",
    "deep messages": MAGIC + b"\x12\x7f" * 5_000,
}


@pytest.mark.parametrize("case", JSON_CORPUS)
def test_json(chain: Chain, case: str) -> None:
    body = JSON_CORPUS[case]
    for query in ("dryRun=All", "dryRun=All&fieldValidation=Strict"):
        lawful(chain.send("POST", MAPS, body, query=query))
        lawful(chain.send("PUT", f"{MAPS}/x", body, query=query))
        lawful(
            chain.send("POST", "/apis/example.com/v1/namespaces/default/widgets", body, query=query)
        )
    # A body takes the place of a query's dryRun, so there must be nothing to delete.
    lawful(chain.send("DELETE", f"{MAPS}/none", body))
    lawful(chain.send("DELETE", MAPS, body, query="labelSelector=nothing=here"))
    for path in (
        "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        "/apis/authorization.k8s.io/v1/subjectaccessreviews",
        "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
        "/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews",
        "/apis/authentication.k8s.io/v1/tokenreviews",
        "/apis/authentication.k8s.io/v1/selfsubjectreviews",
        "/api/v1/namespaces/default/serviceaccounts/x/token",
        "/api/v1/namespaces/default/pods/x/eviction",
        "/api/v1/namespaces/default/pods/x/binding",
        "/api/v1/namespaces/default/bindings",
    ):
        lawful(chain.send("POST", path, body, query="dryRun=All"))
    for path in (
        "/apis/apps/v1/namespaces/default/deployments/x/scale",
        "/apis/example.com/v1/namespaces/default/widgets/x/scale",
        "/api/v1/namespaces/more/finalize",
    ):
        lawful(chain.send("PUT", path, body, query="dryRun=All"))


@pytest.mark.parametrize("case", YAML_CORPUS)
def test_yaml(chain: Chain, case: str) -> None:
    body = YAML_CORPUS[case]
    yaml = "application/yaml"
    lawful(chain.send("POST", MAPS, body, query="dryRun=All", content_type=yaml))
    lawful(chain.send("PUT", f"{MAPS}/x", body, query="dryRun=All", content_type=yaml))
    apply = "application/apply-patch+yaml"
    query = "fieldManager=me&dryRun=All"
    lawful(chain.send("PATCH", f"{MAPS}/x", body, query=query, content_type=apply))
    path = "/apis/example.com/v1/namespaces/default/widgets"
    lawful(chain.send("POST", path, body, query="dryRun=All", content_type=yaml))


@pytest.mark.parametrize("case", PROTOBUF_CORPUS)
def test_protobuf(chain: Chain, case: str) -> None:
    body = PROTOBUF_CORPUS[case]
    protobuf = "application/vnd.kubernetes.protobuf"
    lawful(chain.send("POST", MAPS, body, query="dryRun=All", content_type=protobuf))
    lawful(chain.send("PUT", f"{MAPS}/x", body, query="dryRun=All", content_type=protobuf))
    lawful(chain.send("DELETE", f"{MAPS}/none", body, content_type=protobuf))
    path = "/apis/example.com/v1/namespaces/default/widgets"
    lawful(chain.send("POST", path, body, query="dryRun=All", content_type=protobuf))


CONTENT_TYPES = (
    "", ";", "/", "text/plain", "application/xml", "application/json; charset=latin-9", "APPLICATION/JSON",
    "application/json;application/yaml", "application/cbor", "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x", "application/json-patch+json", "application/json\x00", "ü/ü", "a" * 5000,
    "application/vnd.kubernetes.protobuf", "application/yaml", "application/apply-patch+cbor",
)  # fmt: skip


@pytest.mark.parametrize("content_type", CONTENT_TYPES)
def test_content_types(chain: Chain, content_type: str) -> None:
    for method, path in (("POST", MAPS), ("PUT", f"{MAPS}/x"), ("PATCH", f"{MAPS}/x")):
        answer = lawful(
            chain.send(method, path, GOOD, query="dryRun=All", content_type=content_type)
        )
        assert answer.status in {200, 201, 400, 415, 422}


@given(st.binary(max_size=200), st.sampled_from(["json", "yaml", "vnd.kubernetes.protobuf"]))
@settings(max_examples=300)
def test_random_bytes(chain: Chain, body: bytes, kind: str) -> None:
    lead = MAGIC if kind.endswith("protobuf") else b""
    content = f"application/{kind}"
    lawful(chain.send("POST", MAPS, lead + body, query="dryRun=All", content_type=content))


@given(st.sampled_from(SAMPLES), st.data())
@settings(max_examples=400)
def test_good_bodies_with_a_few_wrong_bytes(
    chain: Chain, raw: dict[str, object], data: st.DataObject
) -> None:
    body = bytearray(json.dumps(raw).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(body) - 1))
        piece = data.draw(
            st.sampled_from([b"", b'"', b"{", b"}", b",", b"0", b"\xff", b"null", b"[]"])
        )
        body[place : place + data.draw(st.integers(0, 3))] = piece
    lawful(chain.send("POST", path_of(raw), bytes(body), query="dryRun=All"))
