"""delete and delete_collection: preconditions, propagation, grace, finalizers."""

from __future__ import annotations

import asyncio

import pytest

from argosy.base.errors import Conflict, MethodNotAllowed, NotFound
from argosy.base.types import Object
from argosy.client.objects import decode
from argosy.client.protocol import Propagation
from argosy.client.resources import CONFIG_MAPS, PODS, REPLICA_SETS
from tests.behaviour.clients.conftest import Place
from tests.behaviour.clients.waiting import eventually

POD: Object = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}


async def gone(place: Place, name: str) -> bool:
    try:
        await place.client.get(CONFIG_MAPS, name, namespace=place.namespace)
    except NotFound:
        return True
    return False


async def test_delete(place: Place) -> None:
    await place.put("a")
    await place.client.delete(CONFIG_MAPS, "a", namespace=place.namespace)
    assert await gone(place, "a")
    with pytest.raises(NotFound) as got:
        await place.client.delete(CONFIG_MAPS, "a", namespace=place.namespace)
    assert got.value.message == 'configmaps "a" not found'


async def test_preconditions(place: Place) -> None:
    raw = await place.put("a")
    uid = decode(raw)["metadata"]["uid"]
    for options, has in (
        ({"uid": "other"}, uid),
        ({"uid": uid, "resource_version": "1"}, raw.revision),
    ):
        with pytest.raises(Conflict, match=f"precondition.*{has}"):
            await place.client.delete(CONFIG_MAPS, "a", namespace=place.namespace, **options)
    assert not await gone(place, "a")
    await place.client.delete(
        CONFIG_MAPS, "a", namespace=place.namespace, uid=uid, resource_version=raw.revision
    )
    assert await gone(place, "a")


async def test_a_finalizer_holds_the_object(place: Place) -> None:
    body = {"metadata": {"name": "a", "finalizers": ["contract.test/hold"]}}
    await place.client.create(CONFIG_MAPS, body, namespace=place.namespace)
    await place.client.delete(CONFIG_MAPS, "a", namespace=place.namespace)
    held = await place.read(CONFIG_MAPS, "a")
    assert held["metadata"]["deletionTimestamp"]
    release = {"metadata": {"finalizers": None}}
    await place.client.patch(CONFIG_MAPS, "a", release, namespace=place.namespace)
    assert await gone(place, "a")


async def owner_and_dependent(place: Place) -> None:
    owner = decode(await place.put("owner"))
    reference = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "name": "owner",
        "uid": owner["metadata"]["uid"],
    }
    reference["blockOwnerDeletion"] = True
    body = {"metadata": {"name": "dependent", "ownerReferences": [reference]}}
    await place.client.create(CONFIG_MAPS, body, namespace=place.namespace)


async def vanish(place: Place, *names: str) -> None:
    async def look() -> None:
        assert all([await gone(place, name) for name in names])

    await eventually(look, AssertionError)


async def test_background_deletes_dependents_later(place: Place) -> None:
    await owner_and_dependent(place)
    await place.client.delete(
        CONFIG_MAPS, "owner", namespace=place.namespace, propagation=Propagation.BACKGROUND
    )
    assert await gone(place, "owner")
    await vanish(place, "dependent")


async def test_foreground_deletes_dependents_first(place: Place) -> None:
    await owner_and_dependent(place)
    await place.client.delete(
        CONFIG_MAPS, "owner", namespace=place.namespace, propagation=Propagation.FOREGROUND
    )
    await vanish(place, "owner", "dependent")


async def test_orphan_leaves_dependents_alone(place: Place) -> None:
    await owner_and_dependent(place)
    await place.client.delete(
        CONFIG_MAPS, "owner", namespace=place.namespace, propagation=Propagation.ORPHAN
    )
    await vanish(place, "owner")

    async def freed() -> None:
        meta = (await place.read(CONFIG_MAPS, "dependent"))["metadata"]
        assert "ownerReferences" not in meta

    await eventually(freed, AssertionError)


async def test_an_unknown_owner_is_no_owner_for_long(place: Place) -> None:
    reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "never", "uid": "no-such-uid"}
    body = {"metadata": {"name": "orphaned", "ownerReferences": [reference]}}
    await place.client.create(CONFIG_MAPS, body, namespace=place.namespace)
    await vanish(place, "orphaned")


async def test_a_pod_on_a_node_gets_its_grace(place: Place) -> None:
    pod = {**POD, "spec": {**POD["spec"], "nodeName": "somewhere"}}
    where = place.namespace
    await place.client.create(PODS, pod, namespace=where)
    await place.client.delete(PODS, "p", namespace=where, grace_seconds=100)
    meta = (await place.read(PODS, "p"))["metadata"]
    assert (meta["deletionGracePeriodSeconds"], bool(meta["deletionTimestamp"])) == (100, True)
    # Asked again it may only be shorter.
    await place.client.delete(PODS, "p", namespace=where, grace_seconds=200)
    assert (await place.read(PODS, "p"))["metadata"]["deletionGracePeriodSeconds"] == 100
    await place.client.delete(PODS, "p", namespace=where, grace_seconds=5)
    assert (await place.read(PODS, "p"))["metadata"]["deletionGracePeriodSeconds"] == 5
    await place.client.delete(PODS, "p", namespace=where, grace_seconds=0)
    with pytest.raises(NotFound):
        await place.client.get(PODS, "p", namespace=where)


async def test_a_pod_without_a_node_goes_at_once(place: Place) -> None:
    await place.client.create(PODS, POD, namespace=place.namespace)
    await place.client.delete(PODS, "p", namespace=place.namespace)
    with pytest.raises(NotFound):
        await place.client.get(PODS, "p", namespace=place.namespace)


async def test_delete_collection_deletes_the_selection(place: Place) -> None:
    for name, tier in (("a", "front"), ("b", "back"), ("c", "front")):
        await place.put(name, tier=tier)
    where = place.namespace
    await place.client.delete_collection(CONFIG_MAPS, namespace=where, label_selector="tier=front")
    assert [await gone(place, name) for name in "abc"] == [True, False, True]
    await place.client.delete_collection(
        CONFIG_MAPS,
        namespace=where,
        field_selector="metadata.name=b",
        propagation=Propagation.BACKGROUND,
    )
    assert await gone(place, "b")
    # Nothing to delete is no error.
    await place.client.delete_collection(REPLICA_SETS, namespace=where)


async def test_a_collection_is_of_one_namespace(place: Place) -> None:
    with pytest.raises(MethodNotAllowed) as got:
        await place.client.delete_collection(CONFIG_MAPS)
    assert got.value.message == "the server does not allow this method on the requested resource"


async def test_many_deletes_at_once(place: Place) -> None:
    for number in range(10):
        await place.put(f"n{number}")
    results = await asyncio.gather(
        *(
            place.client.delete(CONFIG_MAPS, f"n{number % 10}", namespace=place.namespace)
            for number in range(20)
        ),
        return_exceptions=True,
    )
    # Each was deleted by exactly one of the two who tried.
    assert (results.count(None), sum(isinstance(r, NotFound) for r in results)) == (10, 10)
