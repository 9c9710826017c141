"""Small patches of custom objects end where the long way ends (`ways` plays both), whatever their schema says."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argosy.apiserver.access.identities import ADMIN
from argosy.apiserver.verbs.amending import Amendment
from argosy.base.errors import StatusError
from argosy.base.loops import run_virtual
from argosy.base.types import Json, Object
from argosy.client.local import LocalClient
from argosy.client.objects import decode
from argosy.client.protocol import PatchType
from argosy.client.resources import CUSTOM_RESOURCE_DEFINITIONS, NAMESPACES, Resource
from tests.fakes.clusters import memory_server
from tests.unit.apiserver.ways import TIMES, Step, both, later, outcome, slowly

WIDGETS = Resource("example.com", "v1", "widgets", "Widget", True)
OLDER = Resource("example.com", "v1beta1", "widgets", "Widget", True)
TEXT: Object = {"type": "string"}
NUMBER: Object = {"type": "integer"}
CONDITION: Object = {
    "type": "object", "required": ["type", "status"],
    "properties": {
        "type": {**TEXT, "maxLength": 20}, "status": {**TEXT, "enum": ["True", "False", "Unknown"]}, "reason": TEXT,
        "message": {**TEXT, "default": "none"}, "lastTransitionTime": {**TEXT, "format": "date-time"},
        "observedGeneration": {"type": "integer", "format": "int64", "minimum": 0},
    },
}  # fmt: skip
SPEC: Object = {
    "type": "object",
    "properties": {
        "size": {**NUMBER, "default": 1, "minimum": 0}, "name": {**TEXT, "nullable": True},
        "port": {"x-kubernetes-int-or-string": True}, "blob": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "parts": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["id"], "items": {
            "type": "object", "required": ["id"], "properties": {"id": TEXT, "count": {**NUMBER, "default": 3}}}},
    },
    "x-kubernetes-validations": [{"rule": "!has(self.name) || self.name != 'bad'", "message": "bad name"}],
}  # fmt: skip
STATUS: Object = {
    "type": "object",
    "properties": {
        "phase": {**TEXT, "default": "New"}, "count": {**NUMBER, "maximum": 9},
        "port": {"x-kubernetes-int-or-string": True}, "maybe": {**TEXT, "nullable": True},
        "blob": {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"known": {"type": "object", "properties": {"a": TEXT}}}},
        "names": {"type": "array", "x-kubernetes-list-type": "set", "items": TEXT},
        "owners": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["uid"], "items": {
            "type": "object", "required": ["uid"], "properties": {"uid": TEXT, "n": NUMBER}}},
        "labels": {"type": "object", "additionalProperties": TEXT},
        "whole": {"type": "object", "x-kubernetes-map-type": "atomic", "properties": {"a": TEXT, "b": TEXT}},
        "conditions": {
            "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"], "maxItems": 4,
            "items": CONDITION,
        },
    },
    "x-kubernetes-validations": [
        {"rule": "!has(oldSelf.count) || !has(self.count) || self.count >= oldSelf.count", "message": "only up"},
        {"rule": "!has(self.maybe) || self.maybe != 'x'", "messageExpression": "'not ' + self.maybe"},
    ],
}  # fmt: skip
OBJECT: Object = {
    "metadata": {"namespace": "ns", "labels": {"a": "b"}, "finalizers": ["example.com/a"]},
    "spec": {"name": "x", "port": "http", "blob": {"z": [1, None], "apiVersion": "v1", "kind": "Z"}, "parts": [{"id": "one"}, {"id": "two", "count": 1}]},
}  # fmt: skip


def definition(
    spec: Object = SPEC, status: Object | None = STATUS, scale: bool = False, **root: Json
) -> Object:
    """The CRD of widgets in two versions that share their form. `root` is added to the schema of the whole."""
    properties: Object = {"spec": spec, **root.pop("properties", {})}
    if status is not None:
        properties["status"] = status
    shared: Object = {
        "served": True,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": properties, **root}},
        "subresources": {"status": {}},
    }
    if scale:
        shared["subresources"]["scale"] = {
            "specReplicasPath": ".spec.size",
            "statusReplicasPath": ".status.count",
        }
    names = {"kind": "Widget", "plural": "widgets", "singular": "widget", "listKind": "WidgetList"}
    versions = [
        {"name": "v1", "storage": True, **shared},
        {"name": "v1beta1", "storage": False, **shared},
    ]
    return {
        "metadata": {"name": "widgets.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": names, "versions": versions},
    }  # fmt: skip


def status(
    said: Json, agent: str = "agent", resource: Resource = WIDGETS, **metadata: Json
) -> Step:
    patch = {"status": said, **({"metadata": metadata} if metadata else {})}
    return lambda client, name: client.patch(
        resource, name, patch, namespace="ns", subresource="status", field_manager=agent
    )


def meta(agent: str = "agent", /, resource: Resource = WIDGETS, **metadata: Json) -> Step:
    return lambda client, name: client.patch(
        resource, name, {"metadata": metadata}, namespace="ns", field_manager=agent
    )


def change(patch: Json, resource: Resource = WIDGETS, kind: PatchType = PatchType.MERGE) -> Step:
    return lambda client, name: client.patch(
        resource, name, patch, kind=kind, namespace="ns", field_manager="agent"
    )


def raw_status(body: bytes) -> Step:
    return lambda client, name: client.patch(
        WIDGETS, name, body, namespace="ns", subresource="status"
    )


def current(said: Json, *, part: str = "status") -> Step:
    """A patch that names the revision it means."""

    async def step(client: LocalClient, name: str) -> object:
        known = decode(await client.get(WIDGETS, name, namespace="ns"))["metadata"]
        named = {"resourceVersion": known["resourceVersion"]}
        if part == "status":
            return await status(said, uid=known["uid"], **named)(client, name)
        return await meta(**named, **said)(client, name)

    return step


def put_status(said: Json) -> Step:
    async def step(client: LocalClient, name: str) -> object:
        obj = decode(await client.get(WIDGETS, name, namespace="ns"))
        obj.pop("status", None)
        return await client.update(
            WIDGETS,
            {**obj, **({} if said is None else {"status": said})},
            namespace="ns",
            subresource="status",
        )

    return step


async def delete(client: LocalClient, name: str) -> None:
    await client.delete(WIDGETS, name, namespace="ns")


def redefine(crd: Object) -> Step:
    """The CRD changes; once for all objects."""

    async def step(client: LocalClient, name: str) -> None:
        if name.endswith("0"):
            wished = {"spec": crd["spec"]}
            patching = client.patch(CUSTOM_RESOURCE_DEFINITIONS, "widgets.example.com", wished)
            try:
                await patching
            except StatusError as error:
                raise AssertionError("no good definition") from error

    return step


def play(crd: Object, *steps: Step, obj: Object = OBJECT) -> None:
    async def story(client: LocalClient) -> list[Json]:
        await client.create(CUSTOM_RESOURCE_DEFINITIONS, crd)
        names = ["w-0", "w-1"]
        for name in names:
            owner = {"apiVersion": "v1", "kind": "X", "name": name, "uid": f"uid-{name}"}
            metadata = {**obj["metadata"], "name": name, "ownerReferences": [owner]}
            await client.create(WIDGETS, {**obj, "metadata": metadata}, field_manager="maker")
        return [await outcome(step, client, name) for step in steps for name in names]

    both(story)


def condition(kind: str, value: str = "True", **more: Json) -> Object:
    return {"type": kind, "status": value, "reason": "r", "lastTransitionTime": TIMES[0], **more}


READY: Object = {
    "phase": "Ready",
    "count": 1,
    "conditions": [condition("Ready"), condition("Seen")],
}
LATER: Object = {
    "conditions": [condition("Ready", "False"), condition("Other", observedGeneration=2)]
}
RESOURCE: Object = {
    "type": "object",
    "x-kubernetes-embedded-resource": True,
    "x-kubernetes-preserve-unknown-fields": True,
}
FOLLOWING: Object = {
    **SPEC,
    "x-kubernetes-validations": [{"rule": "self.size > oldSelf.size", "message": "grow"}],
}

PATCHES: dict[str, tuple[Step, ...]] = {
    "the life of an object": (
        status(READY), status(LATER), status(LATER), meta(finalizers=["example.com/a", "example.com/b"]),
        change({"spec": {"size": 2}}), status({"count": 2}), delete, meta(finalizers=["example.com/b"]), meta(finalizers=None),
    ),
    "a status by its revision": (current(READY), current(LATER), status(READY, resourceVersion="1"), status(LATER, uid="x")),
    "finalizers by revision": (
        current({"finalizers": []}, part="metadata"), meta(finalizers=["example.com/c"], resourceVersion="1"),
    ),
    "labels and annotations": (
        meta(labels={"a": None, "c": "d"}, annotations={"e": "f"}), meta(labels={"a": "-"}), meta(labels=None),
        meta(annotations={"e": None}), meta(labels={"x": 1}),
    ),
    "finalizers that are warned of": (meta(finalizers=["short"]), meta(finalizers=["a b"]), meta(finalizers=["a.b", "orphan"])),
    "nothing new": (status(READY), status(READY), status(READY, "other"), meta(labels={"a": "b"}), meta(), status({})),
    "two writers": (status(READY), status(LATER, "other"), status(READY, "third"), status({"count": 3}, "other")),
    "many writers": tuple(status({"count": number % 9, "labels": {f"k{number}": "x"}}, f"w{number}") for number in range(13)),
    "writers at other times": (
        later, status(READY), later, status({"count": 2}, "other"), later, status(LATER), later, meta("third", labels={"t": "u"}),
        status({"count": 3}, "other"), later, meta("maker", labels={"t": "v"}), status({"count": 4}), meta("other", labels={"t": "w"}),
    ),
    "many writers at other times": tuple(
        step for number in range(13)
        for step in (later, status({"count": number % 9, "labels": {f"k{number}": "x"}}, f"w{number * 5 % 7}"))
    ),
    "one writer at other times": (
        slowly(status(READY)), slowly(status(LATER)), status({"count": 2}), slowly(meta(labels={"t": "u"})), status({"count": 3}),
    ),
    "owners and a status": (
        status({"owners": [{"uid": "uid-w-0", "n": 1}, {"uid": "uid-w-1", "n": 1}]}), status({"owners": [{"uid": "uid-w-1", "n": 2}]}),
        status({"owners": [{"uid": "uid-w-0", "n": 2}, {"uid": "a", "n": 1}]}), status(READY), meta(labels={"t": "u"}),
    ),
    "writers in two versions": (
        status(READY), status(LATER, resource=OLDER), status(READY), meta(labels={"c": "d"}), meta(labels={"e": "f"}, resource=OLDER),
    ),
    "unknown fields": (status({"colour": "red"}), status({"conditions": [condition("Ready", colour="red")]}), meta(colour="red")),
    "unknown fields that are kept": (status({"blob": {"a": {"b": None}, "known": {"a": "x"}}}), status({"blob": {"known": {"b": 1}}})),
    "values of another type": (
        status({"count": "1"}), status({"conditions": {}}), status({"names": "x"}), status({"conditions": [None]}), meta(labels=[]),
    ),
    "values out of bounds": (
        status({"count": 10}), status({"count": -1}), status({"conditions": [condition("x" * 21)]}),
        status({"conditions": [condition(f"c{number}") for number in range(5)]}), status({"conditions": [{"type": "a"}]}),
    ),
    "items given twice": (
        status({"conditions": [condition("a"), condition("a", "False")]}), status({"names": ["a", "a"]}), status({"names": ["a", "b"]}),
        status({"names": ["b", "c"]}),
    ),
    "nulls": (
        status({"phase": None, "maybe": None, "count": None}), status(READY), status({"phase": None, "conditions": None}),
        status({"labels": {"a": "b", "c": None}}), status({"labels": {"a": None}}), status({"blob": {"a": None}}),
        status({"conditions": [condition("a", reason=None)]}),
    ),
    "a resource within": (
        status({"blob": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x", "labels": {"a": "b"}}, "spec": {}}}),
        meta(labels={"s": "t"}), status({"blob": {"metadata": {"labels": {"a": "-"}}}}), meta(labels={"u": "v"}),
        status({"blob": {"kind": "a b", "metadata": {"colour": "red"}}}), status({"blob": {"metadata": {"labels": []}}}),
        status({"blob": {"metadata": None}}), status({"blob": {"kind": None, "apiVersion": 1}}), meta(labels={"w": "x"}),
    ),
    "int or string": (status({"port": 1}), status({"port": "x"}), status({"port": 1.5})),
    "a transition that is refused": (status({"count": 5}), status({"count": 4}), status({"count": 6}), status({"count": None}), status({"count": 1})),
    "a rule that is broken": (status({"maybe": "x"}), status({"maybe": "y"})),
    "a whole that is owned as one": (status({"whole": {"a": "x"}}), status({"whole": {"b": "y"}}, "other")),
    "no status": (status(None), status([]), status(READY), status(None), put_status(None), put_status(READY), status(LATER)),
    "truth for a number": (change({"metadata": {"labels": {"n": "1"}}, "spec": {"size": True}}), status(READY)),
    "more than one part": (
        change({"metadata": {"labels": {"n": "1"}}, "spec": {"size": 4}}), change({"status": READY}),
        status({"count": 1}, labels={"a": "z"}),
    ),
    "other owners": (
        meta(ownerReferences=[{"apiVersion": "v1", "kind": "X", "name": "y", "uid": "z"}]), status(READY),
        meta(ownerReferences=[]), status(LATER),
    ),
    "other managers": (meta(managedFields=[]), status(READY), meta(labels={"q": "r"})),
    "by JSON patch": (
        change([{"op": "add", "path": "/metadata/labels/x", "value": "y"}], kind=PatchType.JSON),
        change([{"op": "remove", "path": "/metadata/finalizers"}], kind=PatchType.JSON),
    ),
    "keys given twice": (raw_status(b'{"status":{"count":1,"count":2}}'), raw_status(b'{"status":{"count":1}}'), raw_status(b"{")),
    "what the server sets": (meta(uid="x"), meta(name="x"), meta(generation=7, creationTimestamp=None, generateName="g")),
}  # fmt: skip

DEFINITIONS: dict[str, Object] = {
    "plain": definition(),
    "scaled": definition(scale=True),
    "judged as a whole": definition(
        **{
            "x-kubernetes-validations": [
                {"rule": "!has(self.status) || self.status.count < 5", "message": "whole"}
            ]
        }
    ),
    "judged by its content": definition(
        **{
            "x-kubernetes-validations": [
                {"rule": "self.metadata.name.startsWith('w') && self.spec.size < 9"}
            ]
        }
    ),
    "judged by a change": definition(
        **{
            "x-kubernetes-validations": [
                {
                    "rule": "has(oldSelf.status) && has(self.status) && has(self.status.count) && self.status.count > 2 "
                    "? oldSelf.spec.size == self.spec.size && self.spec.size < 5 : true",
                }
            ]
        }
    ),
    "resources within": definition(
        {**SPEC, "properties": {**SPEC["properties"], "blob": RESOURCE}},
        {**STATUS, "properties": {**STATUS["properties"], "blob": RESOURCE}},
    ),
    "content that must change": definition(FOLLOWING),
    "content that must change again": definition(
        {
            **SPEC,
            "x-kubernetes-validations": [{"rule": "self.size == 1 || self.size > oldSelf.size"}],
        }
    ),
    "a status that is owned as one": definition(
        status={**STATUS, "x-kubernetes-map-type": "atomic"}
    ),
    "a status of anything": definition(
        status={"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    ),
    "no schema of a status": definition(status=None),
    "a status by default": definition(status={**STATUS, "default": {"phase": "Made"}}),
    "names that are bounded": definition(
        properties={
            "metadata": {
                "type": "object",
                "properties": {"name": {"type": "string", "maxLength": 9}},
            }
        }
    ),
    "fields around": definition(properties={"data": TEXT, "payload": SPEC | {"default": {}}}),
}


@pytest.mark.parametrize("crd", DEFINITIONS.values(), ids=DEFINITIONS.keys())
@pytest.mark.parametrize("steps", PATCHES.values(), ids=PATCHES.keys())
def test_both_ways_end_alike(crd: Object, steps: tuple[Step, ...]) -> None:
    play(crd, *steps)


def tightened(**changes: Json) -> Object:
    """Content that was good when it was stored and is not any more."""
    properties = {**SPEC["properties"], **changes.pop("properties", {})}
    return definition({**SPEC, "properties": properties, **changes})


CHANGES: dict[str, Object] = {
    "a new default": tightened(properties={"colour": {**TEXT, "default": "red"}}),
    "a field less": definition({"type": "object", "properties": {"size": NUMBER}}),
    "another type": tightened(properties={"name": NUMBER}, **{"x-kubernetes-validations": []}),
    "another bound": tightened(properties={"size": {**NUMBER, "minimum": 5}}),
    "a new rule": tightened(**{"x-kubernetes-validations": [{"rule": "self.size > 5", "message": "small"}]}),
    "a rule for changes": definition(FOLLOWING),
    "a field that is needed": tightened(required=["missing"]),
    "another status": definition(status={**STATUS, "properties": {
        **STATUS["properties"], "more": {**TEXT, "default": "m"}, "phase": {**TEXT, "enum": ["New", "Done"]},
    }}),
    "a status of fewer fields": definition(status={"type": "object", "properties": {"count": NUMBER}}),
    "lists that are owned whole": tightened(properties={"parts": {
        **SPEC["properties"]["parts"], "x-kubernetes-list-type": "atomic", "x-kubernetes-list-map-keys": None,
    }}),
    "a status that is asked for": definition(required=["status"]),
    "nothing": definition(),
}  # fmt: skip


@pytest.mark.parametrize("crd", CHANGES.values(), ids=CHANGES.keys())
@pytest.mark.parametrize(
    "first", [meta(labels={"q": "r"}), status({"count": 2})], ids=["metadata", "status"]
)
def test_content_older_than_its_schema(crd: Object, first: Step) -> None:
    play(
        definition(), status(READY), later, meta(labels={"c": "d"}), redefine(crd), first,
        status(LATER), meta(labels={"e": "f"}), meta(finalizers=["example.com/z"]), status({"count": 3}),
        change({"spec": {"size": 2}}), status({"count": 4}), meta(labels={"g": "h"}), redefine(definition()), first,
        status({"count": 5}), meta(labels={"i": "j"}), change({"spec": {"size": 7}}), status({"count": 6}),
    )  # fmt: skip


TEXTS = st.sampled_from(["", "a", "True", "x", "bad", "null", *TIMES])
VALUES = TEXTS | st.none() | st.integers(-1, 10) | st.just({}) | st.just([])
STATUSES = st.fixed_dictionaries(
    {},
    optional={
        "phase": VALUES, "count": VALUES, "port": VALUES, "maybe": TEXTS | st.none(), "colour": TEXTS,
        "blob": st.dictionaries(st.sampled_from(["known", "b"]), VALUES, max_size=2),
        "names": st.lists(TEXTS, max_size=3) | st.none(), "labels": st.dictionaries(TEXTS, TEXTS | st.none(), max_size=2),
        "whole": st.dictionaries(st.sampled_from(["a", "b", "c"]), TEXTS, max_size=2),
        "conditions": st.none() | st.lists(st.builds(
            lambda kind, value, more: {"type": kind, "status": value, **more},
            st.sampled_from(["Ready", "Seen", "Other"]), st.sampled_from(["True", "False", "no"]),
            st.dictionaries(st.sampled_from(["reason", "message", "colour", "observedGeneration"]), VALUES, max_size=1),
        ), max_size=3),
    },
)  # fmt: skip
METADATA = st.fixed_dictionaries(
    {},
    optional={
        "labels": st.dictionaries(st.sampled_from(["a", "b/c", "a b"]), TEXTS | st.none(), max_size=2) | st.none(),
        "annotations": st.dictionaries(st.sampled_from(["a", "b"]), TEXTS | st.none(), max_size=2),
        "finalizers": st.lists(st.sampled_from(["example.com/a", "a/b", "a"]), max_size=2, unique=True) | st.none(),
    },
)  # fmt: skip
AGENTS = st.sampled_from(["agent", "other"])


@given(
    st.sampled_from(list(DEFINITIONS.values())),
    st.lists(
        st.builds(status, STATUSES, AGENTS)
        | st.builds(lambda m, who: meta(who, **m), METADATA, AGENTS)
        | st.builds(lambda size, name: change({"spec": {"size": size, "name": name}}), st.integers(-1, 9), TEXTS)
        | st.sampled_from([delete, later, status(READY), put_status(READY), *(redefine(crd) for crd in CHANGES.values())]),
        max_size=5,
    ),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_any_patches_end_alike(crd: Object, steps: list[Step]) -> None:
    play(crd, *steps)


async def is_short(crd: Object, *steps: Step) -> list[bool]:
    """Which steps go the short way."""
    server = memory_server()
    client = LocalClient(server, ADMIN, agent="test")
    await client.create(NAMESPACES, {"metadata": {"name": "ns"}})
    await client.create(CUSTOM_RESOURCE_DEFINITIONS, crd)
    await client.create(WIDGETS, {**OBJECT, "metadata": {**OBJECT["metadata"], "name": "w"}})
    found: list[bool] = []
    run: Callable[[Amendment], Object] = Amendment.run

    def long(amendment: Amendment) -> Object:
        found[-1] = False
        return run(amendment)

    Amendment.run = long  # type: ignore[method-assign]
    try:
        for step in steps:
            found.append(True)
            await outcome(step, client, "w")
    finally:
        Amendment.run = run  # type: ignore[method-assign]
    return found


SHORT = (
    status(READY),
    status(LATER),
    meta(labels={"c": "d"}),
    current({"finalizers": []}, part="metadata"),
    current(READY),
)


@pytest.mark.parametrize(
    ("crd", "expected"),
    [(DEFINITIONS[name], name in {"plain", "scaled", "judged as a whole", "judged by its content", "judged by a change", "resources within",
                                  "content that must change again", "a status of anything",
                                  "a status that is owned as one", "fields around"}) for name in DEFINITIONS],
    ids=DEFINITIONS.keys(),
)  # fmt: skip
def test_the_short_way_is_taken(crd: Object, expected: bool) -> None:
    assert run_virtual(is_short(crd, *SHORT)) == [expected] * len(SHORT)
