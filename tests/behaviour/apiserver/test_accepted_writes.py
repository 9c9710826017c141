"""Creates, updates, patches and applies that go through: what they answer, and who owns what after them."""

from __future__ import annotations

from typing import Any

from tests.behaviour.apiserver.asking import (
    APPLY,
    JSON_PATCH,
    MAPS,
    MERGE,
    STRATEGIC,
    Ask,
    Reply,
    asking,
)

ONE = f"{MAPS}/one"
ROLES = "/apis/rbac.authorization.k8s.io/v1/namespaces/ns/roles"


def replies(*requests: tuple[Any, ...], **query: str) -> list[Reply]:
    """What a fresh cluster answers to requests, one after the other."""
    got: list[Reply] = []

    async def story(ask: Ask) -> None:
        for request in requests:
            more = request[4] if len(request) > 4 else query
            reply = await ask(*request[:4], **more)
            assert reply.code < 300, reply.body
            got.append(reply)

    asking(story)
    return got


def make(**data: str) -> tuple[Any, ...]:
    return ("POST", MAPS, {"metadata": {"name": "one"}, "data": data})


def config(manager: str, data: dict[str, str], **query: str) -> tuple[Any, ...]:
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one"}, "data": data}
    return ("PATCH", ONE, body, APPLY, {"fieldManager": manager, **query})


def test_what_the_server_says_is_ignored_on_create() -> None:
    sent = {
        "name": "one", "uid": "zz", "creationTimestamp": "2001-01-01T00:00:00Z", "generation": 7, "selfLink": "/x",
        "deletionTimestamp": "2001-01-01T00:00:00Z", "deletionGracePeriodSeconds": 30,
    }  # fmt: skip
    meta = replies(("POST", MAPS, {"metadata": sent}))[0].body["metadata"]
    assert meta.pop("uid") != "zz"
    assert meta == {
        "name": "one", "namespace": "ns", "creationTimestamp": "2026-01-01T00:00:00Z", "generation": 7,
        "resourceVersion": "4",
    }  # fmt: skip


def test_a_replacement_drops_what_it_does_not_say_but_identity() -> None:
    made, got = replies(
        ("POST", MAPS, {"metadata": {"name": "one", "generateName": "o", "labels": {"a": "b"}}}),
        ("PUT", ONE, {"metadata": {"name": "one"}, "data": {"c": "d"}}),
    )
    want = {
        key: made.body["metadata"][key] for key in ("name", "namespace", "uid", "creationTimestamp")
    }
    meta = dict(got.body["metadata"])
    assert meta.pop("managedFields")[0]["fieldsV1"] == {"f:data": {".": {}, "f:c": {}}}
    assert meta == {**want, "resourceVersion": "5"}


def test_a_write_without_effect_keeps_the_version() -> None:
    made, put, merged, zero = replies(
        make(a="b"),
        ("PUT", ONE, {"metadata": {"name": "one"}, "data": {"a": "b"}}),
        ("PATCH", ONE, {"data": {"a": "b"}}, MERGE),
        ("PUT", ONE, {"metadata": {"name": "one", "resourceVersion": "0"}, "data": {"a": "b"}}),
    )
    assert put.body == merged.body == zero.body == made.body


def test_one_object_patched_in_every_format() -> None:
    got = replies(
        make(a="1", b="2", c="3"),
        ("PATCH", ONE, {"data": {"a": None}}, MERGE),
        ("PATCH", ONE, [{"op": "remove", "path": "/data/b"}], JSON_PATCH),
        ("PATCH", ONE, {"data": {"d": "4"}, "kind": "Secret"}, STRATEGIC),
        config("x", {"e": "5"}),
    )
    assert [reply.body["data"] for reply in got] == [
        {"a": "1", "b": "2", "c": "3"},
        {"b": "2", "c": "3"},
        {"c": "3"},
        {"c": "3", "d": "4"},
        {"c": "3", "d": "4", "e": "5"},
    ]


def test_patches_warn_of_what_is_odd_about_them() -> None:
    twice = b'{"data":{"x":"1","x":"2"},"foo":1}'
    got = replies(
        make(a="b"),
        ("PATCH", ONE, twice, MERGE),
        ("PATCH", ONE, twice, STRATEGIC),
        (
            "PATCH",
            ONE,
            b'[{"op":"add","op":"add","path":"/data/q","value":"1","why":1}]',
            JSON_PATCH,
        ),
        (
            "PATCH",
            ONE,
            b'{"apiVersion":"v1","kind":"ConfigMap","data":{"z":"1","z":"1"}}',
            APPLY,
            {"fieldManager": "x"},
        ),
    )
    odd = ('duplicate field "data.x"', 'unknown field "foo"')
    assert [reply.warnings for reply in got] == [
        (),
        odd,
        odd,
        ('json patch duplicate field "[0].op"', 'json patch unknown field "[0].why"'),
        ('line 1: key "z" already set in map',),
    ]


def test_managers_share_take_over_and_give_up() -> None:
    got = replies(
        config("alpha", {"a": "1", "b": "2"}),
        config("beta", {"b": "2", "c": "3"}),
        config("beta", {"a": "9"}, force="true"),
        config("alpha", {"b": "2"}),
    )
    assert [reply.body["data"] for reply in got] == [
        {"a": "1", "b": "2"},
        {"a": "1", "b": "2", "c": "3"},
        {"a": "9", "b": "2"},
        {"a": "9", "b": "2"},
    ]
    assert got[-1].owners == {
        "alpha Apply": {"f:data": {"f:b": {}}},
        "beta Apply": {"f:data": {"f:a": {}}},
    }


def test_a_conflict_names_the_manager() -> None:
    got: list[Reply] = []

    async def story(ask: Ask) -> None:
        for manager, value in (("alpha", "1"), ("beta", "2")):
            method, path, body, media, query = config(manager, {"a": value})
            got.append(await ask(method, path, body, media, **query))

    asking(story)
    assert got[1].said == (
        409,
        "Conflict",
        'Apply failed with 1 conflict: conflict with "alpha": .data.a',
    )


def test_a_dry_run_answers_and_writes_nothing() -> None:
    got = replies(
        make(a="b"),
        ("PATCH", ONE, {"data": {"a": "c"}}, MERGE, {"dryRun": "All"}),
        ("GET", ONE),
    )
    assert got[1].body["data"] == {"a": "c"}
    assert got[1].body["metadata"]["resourceVersion"] == got[0].body["metadata"]["resourceVersion"]
    assert got[2].body == got[0].body


def test_an_empty_list_is_owned_and_stored_as_nothing() -> None:
    given, absent = replies(
        ("POST", ROLES, {"metadata": {"name": "a"}, "rules": []}),
        ("POST", ROLES, {"metadata": {"name": "b"}}),
    )
    assert (given.body["rules"], given.owners) == (None, {"test Update": {"f:rules": {}}})
    assert (absent.body["rules"], absent.owners) == (None, {})


def test_an_owner_counts_once() -> None:
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "x", "uid": "u"}
    made, patched = replies(
        ("POST", MAPS, {"metadata": {"name": "one", "ownerReferences": [owner, owner]}}),
        ("PATCH", ONE, {"metadata": {"ownerReferences": [owner, owner]}}, MERGE),
    )
    assert made.body["metadata"]["ownerReferences"] == [owner]
    text = (
        ".metadata.ownerReferences contains duplicate entries{}; API server dedups owner references in 1.20+, and "
        "may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: u"
    )
    assert made.warnings == (text.format(""),)
    assert patched.warnings == (text.format(" after mutating admission happens"),)


def test_the_last_finalizer_takes_the_object_with_it() -> None:
    got: list[Reply] = []

    async def story(ask: Ask) -> None:
        await ask("POST", MAPS, {"metadata": {"name": "one", "finalizers": ["a/b"]}})
        deleted = await ask("DELETE", ONE)
        again = await ask("POST", MAPS, {"metadata": {"name": "one"}})
        last = await ask("PATCH", ONE, {"metadata": {"finalizers": None}}, MERGE)
        got.extend([deleted, again, last, await ask("GET", ONE)])

    asking(story)
    deleted, again, last, gone = got
    assert again.said == (
        409,
        "AlreadyExists",
        'object is being deleted: configmaps "one" already exists',
    )
    assert deleted.body["metadata"]["resourceVersion"] == last.body["metadata"]["resourceVersion"]
    assert "finalizers" not in last.body["metadata"]
    assert gone.said == (404, "NotFound", 'configmaps "one" not found')


def test_a_merge_patch_of_a_definitions_metadata_keeps_its_status() -> None:
    crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    schema = {"openAPIV3Schema": {"type": "object"}}
    version = {"name": "v1", "served": True, "storage": True, "schema": schema}
    names = {"plural": "ones", "singular": "one", "kind": "One", "listKind": "OneList"}
    spec = {"group": "example.com", "scope": "Cluster", "names": names, "versions": [version]}
    made, patched = replies(
        ("POST", crds, {"metadata": {"name": "ones.example.com"}, "spec": spec}),
        ("PATCH", f"{crds}/ones.example.com", {"metadata": {"labels": {"a": "b"}}}, MERGE),
    )
    assert patched.body["metadata"]["labels"] == {"a": "b"}
    assert patched.body["status"] == made.body["status"]
