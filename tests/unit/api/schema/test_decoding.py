"""What typed decoding does to a good object: drop, print canonically, fill in."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.api.schema.builtin import builtin_schema, type_name
from argosy.api.schema.decoding import decode
from argosy.base.types import Json, Object

POD = builtin_schema(type_name("", "v1", "Pod"))


@dataclass(frozen=True)
class Case:
    kind: tuple[str, str, str]
    given: Object
    want: Object
    unknown: tuple[str, ...] = ()


def container(**fields: Json) -> Object:
    return {"name": "c", **fields}


CASES = {
    "nulls, empty lists, empty maps and empty optional strings go": Case(
        ("", "v1", "Pod"),
        {
            "metadata": {"name": "a", "annotations": {}, "finalizers": [], "generateName": ""},
            "spec": {
                "containers": [container(command=[], resources=None, stdin=False, image="")],
                "nodeSelector": {},
                "hostname": "",
                "nodeName": None,
                "hostNetwork": False,
            },
        },
        {
            "metadata": {"name": "a"},
            "spec": {"containers": [{"name": "c", "resources": {}}]},
            "status": {},
        },
    ),
    "pointers keep what was given, however empty": Case(
        ("", "v1", "Pod"),
        {
            "metadata": {"name": "a"},
            "spec": {
                "containers": [container(securityContext={}, restartPolicy="")],
                "affinity": {},
                "terminationGracePeriodSeconds": 0,
                "automountServiceAccountToken": False,
                "volumes": [{"name": "v", "emptyDir": {}}],
            },
        },
        {
            "metadata": {"name": "a"},
            "spec": {
                "containers": [
                    {"name": "c", "securityContext": {}, "restartPolicy": "", "resources": {}}
                ],
                "affinity": {},
                "terminationGracePeriodSeconds": 0,
                "automountServiceAccountToken": False,
                "volumes": [{"name": "v", "emptyDir": {}}],
            },
            "status": {},
        },
    ),
    "null items and map values become zero values": Case(
        ("", "v1", "Pod"),
        {
            "metadata": {"labels": {"a": None, "b": ""}},
            "spec": {"containers": [container(args=[None], env=[None, {"name": "x"}])]},
        },
        {
            "metadata": {"labels": {"a": "", "b": ""}},
            "spec": {
                "containers": [
                    {
                        "name": "c",
                        "args": [""],
                        "env": [{"name": ""}, {"name": "x"}],
                        "resources": {},
                    }
                ]
            },
            "status": {},
        },
    ),
    "quantities and times are printed canonically": Case(
        ("", "v1", "Pod"),
        {
            "metadata": {"creationTimestamp": "2020-01-01T01:02:03.9+02:00"},
            "spec": {
                "containers": [
                    container(resources={"limits": {"cpu": "0.5", "memory": 1048576, "x/y": None}})
                ]
            },
        },
        {
            "metadata": {"creationTimestamp": "2019-12-31T23:02:03Z"},
            "spec": {
                "containers": [
                    {
                        "name": "c",
                        "resources": {"limits": {"cpu": "500m", "memory": "1048576", "x/y": "0"}},
                    }
                ]
            },
            "status": {},
        },
    ),
    "what Go prints even when empty is filled in": Case(
        ("", "v1", "Event"),
        {"metadata": {"name": "a"}, "involvedObject": {}},
        {
            "metadata": {"name": "a"},
            "involvedObject": {},
            "source": {},
            "firstTimestamp": None,
            "lastTimestamp": None,
            "eventTime": None,
            "reportingComponent": "",
            "reportingInstance": "",
        },
    ),
    "a list that Go always prints is null when it is not given": Case(
        ("rbac.authorization.k8s.io", "v1", "Role"),
        {"metadata": {"name": "a"}},
        {"metadata": {"name": "a"}, "rules": None},
    ),
    "a list of the whole object that is given empty stays so until it is stored": Case(
        ("rbac.authorization.k8s.io", "v1", "Role"),
        {"metadata": {"name": "a"}, "rules": []},
        {"metadata": {"name": "a"}, "rules": []},
    ),
    "base64 loses its line breaks": Case(
        ("", "v1", "Secret"),
        {"metadata": {"name": "a"}, "data": {"a": "YQ==\n", "b": "", "c": None}},
        {"metadata": {"name": "a"}, "data": {"a": "YQ==", "b": "", "c": ""}},
    ),
    "unknown fields go and are named; names are case sensitive": Case(
        ("", "v1", "Pod"),
        {"spec": {"containers": [container(foo=1)], "Containers": [], "bar": {"x": 1}}, "zz": 1},
        {"metadata": {}, "spec": {"containers": [{"name": "c", "resources": {}}]}, "status": {}},
        unknown=("spec.containers[0].foo", "spec.Containers", "spec.bar", "zz"),
    ),
    "managed fields and raw extensions stay as they are": Case(
        ("apps", "v1", "ControllerRevision"),
        {
            "metadata": {"managedFields": [{"fieldsV1": {"f:a": {"x": None, "": []}}}]},
            "data": {"a": {"b": None}},
            "revision": 1,
        },
        {
            "metadata": {"managedFields": [{"fieldsV1": {"f:a": {"x": None, "": []}}}]},
            "data": {"a": {"b": None}},
            "revision": 1,
        },
    ),
    "schemas inside a schema are decoded too, their unknown fields without a word": Case(
        ("apiextensions.k8s.io", "v1", "JSONSchemaProps"),
        {"type": "array", "items": {"type": "object", "nullable": False, "foo": 1}, "format": ""},
        {"type": "array", "items": {"type": "object"}},
    ),
}

CRD_TYPES = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1."


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_decoded(case: Case) -> None:
    kind = case.kind[2]
    name = f"{CRD_TYPES}{kind}" if kind == "JSONSchemaProps" else type_name(*case.kind)
    got = copy.deepcopy(case.given)
    decoded = decode(builtin_schema(name), got)
    assert decoded.problem is None
    assert decoded.unknown == list(case.unknown)
    assert got == case.want


def test_at_most_a_hundred_unknown_fields_are_named() -> None:
    decoded = decode(POD, {"spec": {f"x{i}": 1 for i in range(200)}})
    assert len(decoded.unknown) == 100


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.sampled_from(["", "a", "1", "2020-01-01T00:00:00Z"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "env", "labels", "ports", "x"]), inner, max_size=3
        )
    ),
    max_leaves=10,
)
pods = st.fixed_dictionaries(
    {},
    optional={
        "metadata": json_values,
        "spec": st.dictionaries(st.sampled_from(sorted(POD.properties["spec"].properties)), json_values)
        | st.fixed_dictionaries(
            {"containers": st.lists(st.dictionaries(
                st.sampled_from(["name", "args", "env", "resources", "livenessProbe"]), json_values
            ), max_size=2)}
        ),
    },
)  # fmt: skip


@given(pods)
def test_anything_is_decoded_or_refused_and_decoding_twice_changes_nothing(pod: Object) -> None:
    decoded = decode(POD, pod)
    if decoded.problem is not None:
        assert (
            "unmarshal" in decoded.problem
            or "quantit" in decoded.problem
            or "parsing time" in decoded.problem
        )
        return
    once = copy.deepcopy(pod)
    again = decode(POD, pod)
    assert again.problem is None
    assert again.unknown == []
    assert pod == once
