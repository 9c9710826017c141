"""Writes that are refused, in the words of a real kube-apiserver, and that change nothing."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from tests.behaviour.apiserver.asking import (
    APPLY,
    JSON,
    JSON_PATCH,
    MAPS,
    MERGE,
    STRATEGIC,
    Ask,
    Reply,
    asking,
)

ONE = f"{MAPS}/one"
NO_NAME = "the name of the object (one based on URL) was undeterminable: name must be provided"
OTHER_NAMESPACE = (
    "the namespace of the provided object does not match the namespace sent on the request"
)
UID = 'ConfigMap "one" is invalid: metadata.uid: Invalid value: "zz": field is immutable'
NO_MAP = "json: cannot unmarshal array into Go value of type map[string]interface {}"
UNMARSHAL = "error decoding YAML: error converting YAML to JSON: yaml: "


class Case(NamedTuple):
    method: str
    body: Any
    want: tuple[int, str, str]
    media: str = JSON
    query: Mapping[str, str] = MappingProxyType({})
    path: str = ONE


def shown(text: str, problem: str) -> tuple[int, str, str]:
    return 422, "Invalid", f' "" is invalid: patch: Invalid value: "{text}": {problem}'


def config(**more: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", **more}


X = {"fieldManager": "x"}
CASES: dict[str, Case] = {
    "create with a version": Case(
        "POST", {"metadata": {"name": "two", "resourceVersion": "7"}},
        (400, "BadRequest", "resourceVersion should not be set on objects to be created"), path=MAPS,
    ),
    "create what is there": Case(
        "POST", {"metadata": {"name": "one"}},
        (409, "AlreadyExists", 'configmaps "one" already exists'), path=MAPS,
    ),
    "create what is there in a dry run": Case(
        "POST", {"metadata": {"name": "one"}},
        (409, "AlreadyExists", 'configmaps "one" already exists'), query={"dryRun": "All"}, path=MAPS,
    ),
    "create nothing": Case(
        "POST", b"null",
        (422, "Invalid", 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required'),
        path=MAPS,
    ),
    "a kind that is a number": Case(
        "POST", {"kind": 5},
        (400, "BadRequest", ("the object provided is unrecognized (must be of type ConfigMap): couldn't get "
         "version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string "
         '({"kind": 5})')),
        path=MAPS,
    ),
    "a group of two parts": Case(
        "POST", {"apiVersion": "a/b/c"},
        (400, "BadRequest", ("the object provided is unrecognized (must be of type ConfigMap): unexpected "
         'GroupVersion string: a/b/c ({"apiVersion": "a/b/c"})')),
        path=MAPS,
    ),
    "a number without end": Case(
        "POST", b'{"metadata":{"name":"two","generation":' + b"9" * 5000 + b"}}",
        (
            400, "BadRequest",
            ('ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number +Inf into Go '
            "struct field ObjectMeta.metadata.generation of type int64"),
        ),
        path=MAPS,
    ),
    "update without a name": Case("PUT", {"metadata": {}}, (400, "BadRequest", NO_NAME)),
    "update in another namespace": Case(
        "PUT", {"metadata": {"name": "one", "namespace": "o"}}, (400, "BadRequest", OTHER_NAMESPACE)
    ),
    "update with a version that is none": Case(
        "PUT", {"metadata": {"name": "one", "resourceVersion": "-5"}},
        (400, "BadRequest", 'strconv.ParseUint: parsing "-5": invalid syntax'),
    ),
    "update with a version out of range": Case(
        "PUT", {"metadata": {"name": "one", "resourceVersion": "9" * 20}},
        (400, "BadRequest", f'strconv.ParseUint: parsing "{"9" * 20}": value out of range'),
    ),
    "update with a deletion timestamp": Case(
        "PUT", {"metadata": {"name": "one", "deletionTimestamp": "2001-01-01T00:00:00Z"}},
        (422, "Invalid", ('ConfigMap "one" is invalid: metadata.deletionTimestamp: Invalid value: '
         '"2001-01-01T00:00:00Z": field is immutable')),
    ),
    "update of what is not there": Case(
        "PUT", {"metadata": {"name": "no"}}, (404, "NotFound", 'configmaps "no" not found'), path=f"{MAPS}/no"
    ),
    "merge: another uid": Case("PATCH", {"metadata": {"uid": "zz"}}, (422, "Invalid", UID), MERGE),
    "merge: no name": Case("PATCH", {"metadata": {"name": None}}, (400, "BadRequest", NO_NAME), MERGE),
    "merge: a list": Case("PATCH", [], (400, "BadRequest", f"error decoding patch: {NO_MAP}"), MERGE),
    "merge: no JSON": Case(
        "PATCH", b'{"a', (400, "BadRequest", "error decoding patch: unexpected end of JSON input"), MERGE
    ),
    "merge: no JSON, nobody looks": Case(
        "PATCH", b'{"a', (400, "BadRequest", "Invalid JSON Patch"), MERGE, {"fieldValidation": "Ignore"}
    ),
    "json: no JSON, nobody looks": Case(
        "PATCH", b'{"a', (400, "BadRequest", "unexpected end of JSON input"), JSON_PATCH,
        {"fieldValidation": "Ignore"},
    ),
    "json: the object becomes a list": Case(
        "PATCH", [{"op": "replace", "path": "", "value": [1]}],
        shown("[1]", "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of "
              'type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string '
              '"json:\\"kind,omitempty\\"" }'),
        JSON_PATCH,
    ),
    "strategic: no JSON": Case("PATCH", b"{", (400, "BadRequest", "unexpected end of JSON input"), STRATEGIC),
    "strategic: an unknown field": Case(
        "PATCH", {"dta": {"a": "b"}},
        shown("map[dta:map[a:b]]", 'strict decoding error: unknown field "dta"'),
        STRATEGIC, {"fieldValidation": "Strict"},
    ),
    "strategic: a number for text": Case(
        "PATCH", {"data": {"x": 5}}, shown("map[data:map[x:5]]", "cannot convert int64 to string"), STRATEGIC
    ),
    "strategic: a truth for text": Case(
        "PATCH", {"data": {"x": True}}, shown("map[data:map[x:true]]", "unrecognized type: string"), STRATEGIC
    ),
    "strategic: a number for a map": Case(
        "PATCH", {"data": 5}, shown("map[data:5]", "cannot restore map from int64"), STRATEGIC
    ),
    "strategic: a text for a list": Case(
        "PATCH", {"metadata": {"finalizers": "a"}},
        shown("map[metadata:map[finalizers:a]]", "cannot restore slice from string"), STRATEGIC,
    ),
    "strategic: no time": Case(
        "PATCH", {"metadata": {"creationTimestamp": 5}},
        shown("map[metadata:map[creationTimestamp:5]]",
              "json: cannot unmarshal number into Go value of type string"),
        STRATEGIC,
    ),
    "strategic: no base64": Case(
        "PATCH", {"binaryData": {"a": "!!"}},
        shown("map[binaryData:map[a:!!]]", "error decoding from json: illegal base64 data at input byte 0"),
        STRATEGIC,
    ),
    "apply: another uid": Case("PATCH", config(metadata={"uid": "zz"}), (422, "Invalid", UID), APPLY, X),
    "apply: a uid for what is not there": Case(
        "PATCH", config(metadata={"name": "no", "uid": "zz"}),
        (409, "Conflict", ('Operation cannot be fulfilled on configmaps "no": uid mismatch: the provided object '
         "specified uid zz, and no existing object was found")),
        APPLY, X, f"{MAPS}/no",
    ),
    "apply: no name for what is not there": Case(
        "PATCH", config(), (400, "BadRequest", NO_NAME.replace("one", "no")), APPLY, X, f"{MAPS}/no"
    ),
    "apply: another name": Case(
        "PATCH", config(metadata={"name": "other"}),
        (400, "BadRequest", "the name of the object (other) does not match the name on the URL (one)"), APPLY, X,
    ),
    "apply: another namespace": Case(
        "PATCH", config(metadata={"namespace": "other"}), (400, "BadRequest", OTHER_NAMESPACE), APPLY, X
    ),
    "apply: a key twice": Case(
        "PATCH", b'{"apiVersion":"v1","kind":"ConfigMap","data":{"z":"1","z":"1"}}',
        (400, "BadRequest", ("error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n"
         '  line 1: key "z" already set in map')),
        APPLY, {**X, "fieldValidation": "Strict"},
    ),
    "apply: half of a body": Case(
        "PATCH", b'{"apiVersion":"v1",',
        (400, "BadRequest", f"{UNMARSHAL}line 1: did not find expected node content"), APPLY, X,
    ),
    "apply: a list": Case(
        "PATCH", [1],
        (400, "BadRequest", f"error decoding YAML: error unmarshaling JSON: while decoding JSON: {NO_MAP}"), APPLY, X,
    ),
    "apply: nothing": Case("PATCH", b" ", (400, "BadRequest", "invalid object type: /, Kind="), APPLY, X),
    "apply: an unknown field": Case(
        "PATCH", config(metadata={"name": "one"}, colour="blue"),
        (400, "BadRequest", ("failed to create typed patch object (/one; /v1, Kind=ConfigMap): .colour: field not declared in "
         "schema")),
        APPLY, X,
    ),
    "apply: no manager": Case(
        "PATCH", config(),
        (422, "Invalid", ('PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for '
         "apply patch")),
        APPLY,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_refused(name: str) -> None:
    case = CASES[name]
    got: list[Reply] = []

    async def story(ask: Ask) -> None:
        made = await ask("POST", MAPS, {"metadata": {"name": "one"}, "data": {"a": "b"}})
        got.append(await ask(case.method, case.path, case.body, case.media, **case.query))
        after = await ask("GET", ONE)
        assert after.body == made.body

    asking(story)
    assert got[0].said == case.want


def test_a_refused_document_is_printed_in_the_order_of_its_parts() -> None:
    got: list[Any] = []

    async def story(ask: Ask) -> None:
        made = await ask("POST", MAPS, {"metadata": {"name": "one"}, "data": {"a": "<b>"}})
        reply = await ask("PATCH", ONE, {"data": {"c": 5}}, MERGE)
        uid = made.body["metadata"]["uid"]
        got.append(reply.body["details"]["causes"][0]["message"].replace(uid, "UID"))

    asking(story)
    document = (
        '{"apiVersion":"v1","data":{"a":"\\u003cb\\u003e","c":5},"kind":"ConfigMap","metadata":{"name":"one",'
        '"namespace":"ns","uid":"UID","resourceVersion":"4","creationTimestamp":"2026-01-01T00:00:00Z",'
        '"managedFields":[{"manager":"test","operation":"Update","apiVersion":"v1","time":"2026-01-01T00:00:00Z",'
        '"fieldsType":"FieldsV1","fieldsV1":{"f:data":{".":{},"f:a":{}}}}]}}'
    )
    quoted = document.replace("\\", "\\\\").replace('"', '\\"')
    problem = "json: cannot unmarshal number into Go struct field ConfigMap.data of type string"
    assert got == [f'Invalid value: "{quoted}": {problem}']


def test_another_uid_of_a_replacement_is_a_failed_precondition() -> None:
    got: list[str] = []

    async def story(ask: Ask) -> None:
        made = await ask("POST", MAPS, {"metadata": {"name": "one"}})
        reply = await ask("PUT", ONE, {"metadata": {"name": "one", "uid": "zz"}})
        got.append(reply.body["message"].replace(made.body["metadata"]["uid"], "UID"))

    asking(story)
    assert got == [
        (
            'Operation cannot be fulfilled on configmaps "one": StorageError: invalid object, Code: 4, Key: '
            "/registry/configmaps/ns/one, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in "
            "precondition: zz, UID in object meta: UID"
        )
    ]
