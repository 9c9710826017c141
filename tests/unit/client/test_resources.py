"""Resources know their paths; objects travel as bytes."""

from __future__ import annotations

import msgspec
import pytest

from argosy.client import resources
from argosy.client.objects import Body, Key, Raw, decode, encode, key_of, read, read_event
from argosy.client.resources import JOBS, NODES, PODS, Resource

PATHS = {
    "a core list over all namespaces": (PODS.path(), "/api/v1/pods"),
    "a core object": (PODS.path("ns", "a"), "/api/v1/namespaces/ns/pods/a"),
    "a group's object": (JOBS.path("ns", "a"), "/apis/batch/v1/namespaces/ns/jobs/a"),
    "a subresource": (PODS.path("ns", "a", "eviction"), "/api/v1/namespaces/ns/pods/a/eviction"),
    "a cluster-scoped object": (NODES.path("ignored", "n"), "/api/v1/nodes/n"),
    "a name that needs escaping": (NODES.path(None, "a/b c"), "/api/v1/nodes/a%2Fb%20c"),
}


@pytest.mark.parametrize(("got", "want"), PATHS.values(), ids=PATHS.keys())
def test_paths(got: str, want: str) -> None:
    assert got == want


def test_names_of_resources() -> None:
    assert [PODS.qualified, JOBS.qualified, JOBS.api_version] == ["pods", "jobs.batch", "batch/v1"]
    obj = {"apiVersion": "ray.io/v1", "kind": "RayJob"}
    assert resources.of(obj, "rayjobs") == Resource("ray.io", "v1", "rayjobs", "RayJob")


class Meta(msgspec.Struct):
    name: str
    namespace: str = ""


class Pod(msgspec.Struct):
    metadata: Meta


class Kinded(msgspec.Struct):
    kind: str = "Pod"


ENCODED: dict[str, tuple[Body, bytes]] = {
    "a dict without kind": ({"a": 1}, b'{"kind":"Pod","apiVersion":"v1","a":1}'),
    "an empty dict": ({}, b'{"kind":"Pod","apiVersion":"v1"}'),
    "a dict with a kind of its own": ({"kind": "Eviction"}, b'{"kind":"Eviction"}'),
    "a struct without kind": (
        Pod(Meta("a")),
        b'{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":""}}',
    ),
    "a struct with kind": (Kinded(), b'{"kind":"Pod"}'),
    "bytes": (b"{}", b"{}"),
}


@pytest.mark.parametrize(("obj", "want"), ENCODED.values(), ids=ENCODED.keys())
def test_encoding(obj: Body, want: bytes) -> None:
    assert encode(PODS, obj) == want


def test_reading_an_object_with_and_without_kind() -> None:
    bare = read(PODS, b'{"metadata":{"name":"a","namespace":"ns","resourceVersion":"7"},"x":1}')
    assert (bare.key, bare.revision, bare.bare) == (Key("ns", "a"), "7", True)
    assert decode(bare)["kind"] == "Pod"
    whole = read(PODS, bare.raw)
    assert (whole.bare, whole.raw, decode(whole.raw)) == (False, bare.raw, decode(bare))


def test_reading_events() -> None:
    body = b'{"kind":"Pod","metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}}'
    got = read_event(PODS, "BOOKMARK", body)
    assert (got.initial_end, got.object.revision) == (True, "9")
    got = read_event(PODS, "ADDED", b'{"metadata":{"name":"a","resourceVersion":"9"}}')
    assert (got.type, got.object.name, got.initial_end) == ("ADDED", "a", False)


def test_where_an_object_belongs() -> None:
    pod = Pod(Meta("a", "ns"))
    got = [
        key_of(pod),
        key_of(pod, "other"),
        key_of({}, "ns", "b"),
        key_of(b"{}"),
        key_of(pod, None, "b"),
    ]
    assert got == [("ns", "a"), ("other", "a"), ("ns", "b"), ("", ""), ("ns", "b")]
    assert [str(Key("ns", "a")), str(Key("", "n"))] == ["ns/a", "n"]


def test_raw_from_a_view_of_a_larger_buffer() -> None:
    buffer = memoryview(b'[{"metadata":{}}]')
    assert (
        Raw(PODS, buffer[1:-1], bare=True).raw == b'{"kind":"Pod","apiVersion":"v1","metadata":{}}'
    )
