"""Server-side apply: ownership, conflicts that name the manager, force, fields given up."""

from __future__ import annotations

import pytest

from argosy.base.errors import Cause, Conflict, Invalid
from argosy.base.types import Object
from argosy.client.objects import decode
from argosy.client.resources import CONFIG_MAPS, DEPLOYMENTS
from tests.behaviour.clients.conftest import Place


async def apply(place: Place, manager: str, data: dict[str, str], **options: bool) -> Object:
    raw = await place.client.apply(
        CONFIG_MAPS,
        "a",
        {"data": data},
        field_manager=manager,
        namespace=place.namespace,
        **options,
    )
    return decode(raw)


async def test_apply_creates_and_shares(place: Place) -> None:
    await apply(place, "one", {"x": "1"})
    got = await apply(place, "two", {"y": "2"})
    assert got["data"] == {"x": "1", "y": "2"}
    managers = [(e["manager"], e["operation"]) for e in got["metadata"]["managedFields"]]
    assert managers == [("one", "Apply"), ("two", "Apply")]


async def test_applying_the_same_again_changes_nothing(place: Place) -> None:
    first = await apply(place, "one", {"x": "1"})
    assert await apply(place, "one", {"x": "1"}) == first


async def test_fields_given_up_are_removed(place: Place) -> None:
    await apply(place, "one", {"x": "1", "y": "1"})
    await apply(place, "two", {"y": "1"})
    got = await apply(place, "one", {})
    assert got["data"] == {"y": "1"}


async def test_a_conflict_names_the_manager_and_force_takes(place: Place) -> None:
    before = await apply(place, "one", {"x": "1"})
    with pytest.raises(Conflict) as got:
        await apply(place, "two", {"x": "2"})
    assert got.value.message == 'Apply failed with 1 conflict: conflict with "one": .data.x'
    assert got.value.details is not None
    assert got.value.details.causes == (
        Cause("FieldManagerConflict", 'conflict with "one"', ".data.x"),
    )
    assert await place.read(CONFIG_MAPS, "a") == before
    taken = await apply(place, "two", {"x": "2"}, force=True)
    assert taken["data"] == {"x": "2"}
    assert [e["manager"] for e in taken["metadata"]["managedFields"]] == ["two"]


async def test_a_dry_run_of_an_apply(place: Place) -> None:
    await apply(place, "one", {"x": "1"})
    dry = await apply(place, "one", {"x": "2"}, dry_run=True)
    assert (dry["data"], (await place.read(CONFIG_MAPS, "a"))["data"]) == ({"x": "2"}, {"x": "1"})


async def test_apply_merges_lists_by_key(place: Place) -> None:
    async def container(manager: str, name: str) -> None:
        labels = {"app": "web"}
        pod = {
            "metadata": {"labels": labels},
            "spec": {"containers": [{"name": name, "image": "i"}]},
        }
        spec = {"selector": {"matchLabels": labels}, "template": pod}
        await place.client.apply(
            DEPLOYMENTS, "web", {"spec": spec}, field_manager=manager, namespace=place.namespace
        )

    await container("one", "a")
    await container("two", "b")
    got = await place.read(DEPLOYMENTS, "web")
    assert [c["name"] for c in got["spec"]["template"]["spec"]["containers"]] == ["a", "b"]


async def test_an_apply_needs_a_manager(place: Place) -> None:
    with pytest.raises(Invalid) as got:
        await apply(place, "", {})
    assert got.value.message == (
        'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch'
    )
