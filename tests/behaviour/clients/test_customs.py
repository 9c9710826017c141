"""Custom resources: created, defaulted, validated, patched, watched and scaled like any other."""

from __future__ import annotations

import pytest

from argosy.base.errors import Invalid, NotFound, UnsupportedMediaType
from argosy.base.types import Object
from argosy.client.objects import decode
from argosy.client.protocol import PatchType
from argosy.client.resources import Resource
from tests.behaviour.clients.conftest import Place
from tests.behaviour.clients.waiting import Watcher
from tests.behaviour.clients.widgets import WIDGETS, establish


async def widget(place: Place, name: str, **spec: object) -> Object:
    await establish(place.client)
    body = {"metadata": {"name": name}, "spec": spec}
    return decode(await place.client.create(WIDGETS, body, namespace=place.namespace))


async def test_defaults_and_pruning(place: Place) -> None:
    got = await widget(place, "a", unknown="x")
    assert (got["spec"], got["metadata"]["generation"]) == ({"replicas": 1, "size": "small"}, 1)


async def test_validation(place: Place) -> None:
    with pytest.raises(Invalid) as got:
        await widget(place, "a", size="huge")
    rest = (
        "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; "
        "correct the existing errors to complete validation"
    )
    assert got.value.message == (
        'Widget.contract.test "a" is invalid: '
        f'[spec.size: Unsupported value: "huge": supported values: "small", "large", {rest}]'
    )
    with pytest.raises(Invalid) as got:
        await widget(place, "a", replicas=-1, size="huge")
    assert got.value.details is not None
    # Upstream's order of the first two is by chance.
    assert sorted((c.field, c.reason) for c in got.value.details.causes) == [
        (".spec.replicas", "FieldValueInvalid"),
        ("<nil>", "FieldValueInvalid"),
        ("spec.replicas", "FieldValueInvalid"),
        ("spec.size", "FieldValueNotSupported"),
    ]


async def test_a_transition_rule(place: Place) -> None:
    await widget(place, "a", fixed="one")
    with pytest.raises(Invalid, match="fixed is fixed"):
        await place.client.patch(
            WIDGETS, "a", {"spec": {"fixed": "two"}}, namespace=place.namespace
        )


async def test_patches(place: Place) -> None:
    await widget(place, "a")
    where = place.namespace
    await place.client.patch(WIDGETS, "a", {"spec": {"size": "large"}}, namespace=where)
    operations = [{"op": "replace", "path": "/spec/replicas", "value": 3}]
    got = await place.client.patch(WIDGETS, "a", operations, kind=PatchType.JSON, namespace=where)
    assert decode(got)["spec"] == {"replicas": 3, "size": "large"}
    with pytest.raises(UnsupportedMediaType) as refused:
        await place.client.patch(WIDGETS, "a", {}, kind=PatchType.STRATEGIC, namespace=where)
    assert refused.value.message == (
        "the body of the request was in an unknown format - accepted media types include: "
        "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"
    )
    applied = await place.client.apply(
        WIDGETS, "b", {"spec": {"replicas": 2}}, field_manager="m", namespace=where
    )
    assert decode(applied)["spec"] == {"replicas": 2, "size": "small"}


async def test_status_and_scale(place: Place) -> None:
    await widget(place, "a", replicas=2)
    where = place.namespace
    status = {"status": {"phase": "Ready", "replicas": 2}, "spec": {"replicas": 9}}
    got = decode(
        await place.client.patch(WIDGETS, "a", status, namespace=where, subresource="status")
    )
    assert (got["status"], got["spec"]["replicas"]) == ({"phase": "Ready", "replicas": 2}, 2)
    patch = {"spec": {"replicas": 5}}
    scale = decode(
        await place.client.patch(WIDGETS, "a", patch, namespace=where, subresource="scale")
    )
    assert (scale["kind"], scale["spec"], scale["status"]) == (
        "Scale",
        {"replicas": 5},
        {"replicas": 2},
    )
    assert (await place.read(WIDGETS, "a"))["spec"]["replicas"] == 5


async def test_watching(place: Place) -> None:
    await establish(place.client)
    watch = place.client.watch(WIDGETS, namespace=place.namespace, initial_events=True)
    async with Watcher(watch) as watcher:
        assert (await watcher.next()).initial_end
        await widget(place, "a")
        await place.client.delete(WIDGETS, "a", namespace=place.namespace)
        assert await watcher.take(2) == ["ADDED a", "DELETED a"]


async def test_a_kind_nobody_defined(place: Place) -> None:
    nothing = Resource("contract.test", "v1", "gadgets", "Gadget")
    newer = Resource("contract.test", "v2", "widgets", "Widget")
    await establish(place.client)
    for resource in (nothing, newer):
        with pytest.raises(NotFound):
            await place.client.list(resource, namespace=place.namespace)
        with pytest.raises(NotFound):
            await place.client.create(
                resource, {"metadata": {"name": "a"}}, namespace=place.namespace
            )


async def test_another_kind_in_the_body(place: Place) -> None:
    await establish(place.client)
    body = {"apiVersion": "contract.test/v1", "kind": "Gadget", "metadata": {"name": "a"}}
    with pytest.raises(Invalid) as got:
        await place.client.create(WIDGETS, body, namespace=place.namespace)
    assert got.value.message == (
        'Gadget.contract.test "a" is invalid: kind: Invalid value: "Gadget": must be Widget'
    )
