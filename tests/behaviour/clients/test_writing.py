"""create, update and the three kinds of patches, with dry runs and what is refused."""

from __future__ import annotations

import msgspec
import pytest

from argosy.base.errors import (
    AlreadyExists,
    BadRequest,
    Conflict,
    Invalid,
    NotFound,
    TooLarge,
)
from argosy.base.types import Json
from argosy.client.objects import decode
from argosy.client.protocol import PatchType
from argosy.client.resources import CONFIG_MAPS, DEPLOYMENTS
from tests.behaviour.clients.conftest import Place


class Meta(msgspec.Struct):
    name: str
    namespace: str


class Typed(msgspec.Struct):
    metadata: Meta
    data: dict[str, str]


async def test_bodies_may_be_dicts_structs_and_bytes(place: Place) -> None:
    where = place.namespace
    bodies = {
        "dict": {"metadata": {"name": "dict", "namespace": where}, "data": {"v": "1"}},
        "struct": Typed(Meta("struct", where), {"v": "1"}),
        "bytes": b'{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"bytes","namespace":"%b"},"data":{"v":"1"}}'
        % where.encode(),
    }
    for name, body in bodies.items():
        created = await place.client.create(CONFIG_MAPS, body)
        assert (created.name, decode(created)["data"]) == (name, {"v": "1"})
        updated = await place.client.update(CONFIG_MAPS, body)
        assert (updated.key, updated.revision) == (created.key, created.revision)


async def test_generated_names(place: Place) -> None:
    body = {"metadata": {"generateName": "job-"}}
    got = [
        await place.client.create(CONFIG_MAPS, body, namespace=place.namespace) for _ in range(3)
    ]
    assert all(raw.name.startswith("job-") and len(raw.name) == 9 for raw in got)
    assert len({raw.name for raw in got}) == 3


async def test_the_server_fills_in_what_it_knows(place: Place) -> None:
    meta = decode(await place.put("a"))["metadata"]
    assert sorted(meta) == [
        "creationTimestamp", "managedFields", "name", "namespace", "resourceVersion", "uid",
    ]  # fmt: skip
    (entry,) = meta["managedFields"]
    assert (entry["manager"], entry["operation"]) == ("contract", "Update")


async def test_the_given_field_manager_is_noted(place: Place) -> None:
    body = {"metadata": {"name": "a"}, "data": {"x": "1"}}
    where = place.namespace
    await place.client.create(CONFIG_MAPS, body, namespace=where, field_manager="one")
    await place.client.patch(
        CONFIG_MAPS, "a", {"data": {"y": "2"}}, namespace=where, field_manager="two"
    )
    got = (await place.read(CONFIG_MAPS, "a"))["metadata"]["managedFields"]
    assert [(e["manager"], sorted(e["fieldsV1"]["f:data"])) for e in got] == [
        ("one", [".", "f:x"]),
        ("two", ["f:y"]),
    ]


async def test_a_name_is_taken_once(place: Place) -> None:
    await place.put("a")
    with pytest.raises(AlreadyExists) as got:
        await place.put("a")
    assert got.value.message == 'configmaps "a" already exists'


async def test_update_replaces_the_whole_object(place: Place) -> None:
    obj = decode(await place.put("a", "1", tier="front"))
    obj["data"] = {"w": "2"}
    del obj["metadata"]["labels"]
    updated = await place.client.update(CONFIG_MAPS, obj)
    got = await place.read(CONFIG_MAPS, "a")
    assert (got["data"], "labels" in got["metadata"]) == ({"w": "2"}, False)
    assert got["metadata"]["resourceVersion"] == updated.revision


async def test_a_stale_update_is_refused_and_changes_nothing(place: Place) -> None:
    old = decode(await place.put("a", "1"))
    fresh = await place.client.patch(
        CONFIG_MAPS, "a", {"data": {"v": "2"}}, namespace=place.namespace
    )
    with pytest.raises(Conflict) as got:
        await place.client.update(CONFIG_MAPS, old)
    assert got.value.message == (
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; '
        "please apply your changes to the latest version and try again"
    )
    stale = {
        "metadata": {"resourceVersion": old["metadata"]["resourceVersion"]},
        "data": {"v": "3"},
    }
    with pytest.raises(Conflict):
        await place.client.patch(CONFIG_MAPS, "a", stale, namespace=place.namespace)
    assert (
        await place.client.get(CONFIG_MAPS, "a", namespace=place.namespace)
    ).revision == fresh.revision


async def test_an_unconditional_update(place: Place) -> None:
    await place.put("a", "1")
    body = {"metadata": {"name": "a"}, "data": {"v": "2"}}
    got = await place.client.update(CONFIG_MAPS, body, namespace=place.namespace)
    assert decode(got)["data"] == {"v": "2"}
    with pytest.raises(NotFound):
        await place.client.update(
            CONFIG_MAPS, {"metadata": {"name": "b"}}, namespace=place.namespace
        )


POD = {"containers": [{"name": "a", "image": "one"}, {"name": "b", "image": "two"}]}
DEPLOYMENT = {
    "metadata": {"name": "web", "annotations": {"keep": "1", "drop": "1"}},
    "spec": {
        "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": POD},
    },
}


def images(obj: Json) -> dict[str, str]:
    return {c["name"]: c["image"] for c in obj["spec"]["template"]["spec"]["containers"]}


PATCHES: dict[str, tuple[PatchType, Json, dict[str, str]]] = {
    "strategic merge by key": (
        PatchType.STRATEGIC,
        {"spec": {"template": {"spec": {"containers": [{"name": "b", "image": "new"}]}}}},
        {"a": "one", "b": "new"},
    ),
    "merge replaces lists": (
        PatchType.MERGE,
        {"spec": {"template": {"spec": {"containers": [{"name": "b", "image": "new"}]}}}},
        {"b": "new"},
    ),
    "JSON patch by position": (
        PatchType.JSON,
        [{"op": "replace", "path": "/spec/template/spec/containers/1/image", "value": "new"}],
        {"a": "one", "b": "new"},
    ),
    "a patch in bytes": (
        PatchType.JSON,
        b'[{"op":"remove","path":"/spec/template/spec/containers/0"}]',
        {"b": "two"},
    ),
}


@pytest.mark.parametrize(("kind", "patch", "want"), PATCHES.values(), ids=PATCHES.keys())
async def test_patches(place: Place, kind: PatchType, patch: Json, want: dict[str, str]) -> None:
    await place.client.create(DEPLOYMENTS, DEPLOYMENT, namespace=place.namespace)
    dry = await place.client.patch(
        DEPLOYMENTS, "web", patch, kind=kind, namespace=place.namespace, dry_run=True
    )
    before = await place.read(DEPLOYMENTS, "web")
    assert (images(decode(dry)), images(before)) == (want, {"a": "one", "b": "two"})
    done = decode(
        await place.client.patch(DEPLOYMENTS, "web", patch, kind=kind, namespace=place.namespace)
    )
    assert (images(done), done["metadata"]["generation"]) == (want, 2)
    assert await place.read(DEPLOYMENTS, "web") == done


async def test_null_removes_in_a_merge_patch(place: Place) -> None:
    await place.client.create(DEPLOYMENTS, DEPLOYMENT, namespace=place.namespace)
    for kind in (PatchType.MERGE, PatchType.STRATEGIC):
        patch = {"metadata": {"annotations": {"drop": None}}}
        got = await place.client.patch(
            DEPLOYMENTS, "web", patch, kind=kind, namespace=place.namespace
        )
        assert decode(got)["metadata"]["annotations"] == {"keep": "1"}


async def test_dry_runs_change_nothing(place: Place) -> None:
    where = place.namespace
    body = {"metadata": {"name": "dry"}, "data": {"v": "1"}}
    dry = await place.client.create(CONFIG_MAPS, body, namespace=where, dry_run=True)
    assert (dry.name, dry.revision, decode(dry)["data"]) == ("dry", "", {"v": "1"})
    with pytest.raises(NotFound):
        await place.client.get(CONFIG_MAPS, "dry", namespace=where)
    real = await place.put("a", "1")
    changed = {**decode(real), "data": {"v": "2"}}
    assert decode(await place.client.update(CONFIG_MAPS, changed, dry_run=True))["data"] == {
        "v": "2"
    }
    await place.client.delete(CONFIG_MAPS, "a", namespace=where, dry_run=True)
    await place.client.delete_collection(CONFIG_MAPS, namespace=where, dry_run=True)
    assert decode(await place.client.get(CONFIG_MAPS, "a", namespace=where)) == decode(real)


async def test_what_is_no_object_is_refused_in_the_servers_words(place: Place) -> None:
    for body in (b"{", b"[]", b'"text"', b'{"metadata": 5}'):
        with pytest.raises(BadRequest) as got:
            await place.client.create(CONFIG_MAPS, body, namespace=place.namespace)
        assert "ConfigMap" in got.value.message
        with pytest.raises(BadRequest):
            await place.client.update(CONFIG_MAPS, body, namespace=place.namespace, name="a")


async def test_a_patch_that_is_no_patch(place: Place) -> None:
    await place.put("a")
    where = place.namespace
    for kind, patch in (
        (PatchType.MERGE, b"{"),
        (PatchType.JSON, b"{}"),
        (PatchType.STRATEGIC, b"[1"),
    ):
        with pytest.raises(BadRequest):
            await place.client.patch(CONFIG_MAPS, "a", patch, kind=kind, namespace=where)
    missing = [{"op": "remove", "path": "/nope"}]
    with pytest.raises(Invalid) as got:
        await place.client.patch(CONFIG_MAPS, "a", missing, kind=PatchType.JSON, namespace=where)
    assert got.value.message == "the server rejected our request due to an error in our request"


async def test_field_managers_are_checked(place: Place) -> None:
    for manager, problem in (
        ("m" * 129, "fieldManager: Too long: may not be more than 128 bytes"),
        ("a\nb", 'fieldManager: Invalid value: "a\\nb": invalid character U+000A (at position 1)'),
    ):
        with pytest.raises(Invalid) as got:
            await place.client.create(
                CONFIG_MAPS,
                {"metadata": {"name": "a"}},
                namespace=place.namespace,
                field_manager=manager,
            )
        assert got.value.message == f'CreateOptions.meta.k8s.io "" is invalid: {problem}'
        with pytest.raises(Invalid, match="PatchOptions"):
            await place.client.apply(
                CONFIG_MAPS, "a", {}, namespace=place.namespace, field_manager=manager
            )


async def test_a_body_over_the_limit(place: Place) -> None:
    body = {"metadata": {"name": "a"}, "data": {"v": "x" * (3 * 1024 * 1024)}}
    with pytest.raises(TooLarge) as got:
        await place.client.create(CONFIG_MAPS, body, namespace=place.namespace)
    assert (got.value.code, got.value.message) == (
        413,
        "Request entity too large: limit is 3145728",
    )


async def test_objects_of_another_namespace_or_name_are_refused(place: Place) -> None:
    with pytest.raises(BadRequest) as got:
        await place.client.create(
            CONFIG_MAPS,
            {"metadata": {"name": "a", "namespace": "other"}},
            namespace=place.namespace,
        )
    assert got.value.message == (
        "the namespace of the provided object does not match the namespace sent on the request"
    )
    await place.put("a")
    with pytest.raises(BadRequest) as got:
        await place.client.update(
            CONFIG_MAPS, {"metadata": {"name": "b"}}, namespace=place.namespace, name="a"
        )
    assert got.value.message == "the name of the object (b) does not match the name on the URL (a)"
