"""Informers of resources that are not served yet, or not any more, in virtual time."""

from __future__ import annotations

from argosy.base.types import Object
from argosy.client.resources import CUSTOM_RESOURCE_DEFINITIONS, Resource
from argosy.control.assemblies import Assembly
from argosy.control.informers import Informer
from tests.fakes.worlds import World, running

BOATS = Resource("example.com", "v1", "boats", "Boat")
DEFINITION: Object = {
    "metadata": {"name": "boats.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "boats", "kind": "Boat"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "x-kubernetes-preserve-unknown-fields": True,
                    }
                },
            }
        ],
    },
}


def test_nobody_waits_and_objects_are_seen_once_their_kind_is_served() -> None:
    informers: list[Informer[Object]] = []

    def add(assembly: Assembly) -> None:
        informers.append(assembly.informer_when_served(BOATS, dict))
        assert assembly.informer_when_served(BOATS, dict) is informers[0]

    async def story(world: World) -> None:
        (boats,) = informers
        await world.pass_time(60)
        assert not boats.is_synced
        await world.create(CUSTOM_RESOURCE_DEFINITIONS, DEFINITION)
        await world.create(BOATS, {"metadata": {"name": "anna"}})
        await world.settle()
        assert boats.is_synced
        assert [key.name for key, _ in boats.items()] == ["anna"]

    running(story, add)


def test_another_version_is_not_waited_for_in_vain() -> None:
    informers: list[Informer[Object]] = []

    def add(assembly: Assembly) -> None:
        informers.append(assembly.informer_when_served(BOATS, dict))

    async def story(world: World) -> None:
        other = {**DEFINITION["spec"]["versions"][0], "name": "v2"}
        spec = {**DEFINITION["spec"], "versions": [other]}
        await world.create(CUSTOM_RESOURCE_DEFINITIONS, {**DEFINITION, "spec": spec})
        await world.pass_time(60)
        assert not informers[0].is_synced
        both = [other, {**DEFINITION["spec"]["versions"][0], "storage": False}]
        patch = {"spec": {"versions": both}}
        await world.client.patch(CUSTOM_RESOURCE_DEFINITIONS, "boats.example.com", patch)
        await world.settle()
        assert informers[0].is_synced

    running(story, add)


def test_a_kind_that_goes_and_comes_again_is_followed_again() -> None:
    informers: list[Informer[Object]] = []

    def add(assembly: Assembly) -> None:
        informers.append(assembly.informer_when_served(BOATS, dict))

    async def story(world: World) -> None:
        await world.create(CUSTOM_RESOURCE_DEFINITIONS, DEFINITION)
        await world.create(BOATS, {"metadata": {"name": "anna"}})
        await world.settle()
        await world.client.delete(BOATS, "anna", namespace="ns")
        await world.client.delete(CUSTOM_RESOURCE_DEFINITIONS, "boats.example.com")
        crd = await world.get(CUSTOM_RESOURCE_DEFINITIONS, "boats.example.com", "")
        if crd is not None:
            # Nobody keeps house here: the last step of the deletion is the story's.
            crd["metadata"].pop("finalizers", None)
            await world.client.update(CUSTOM_RESOURCE_DEFINITIONS, crd)
        await world.pass_time(120)
        assert len(informers[0]) == 0
        await world.create(CUSTOM_RESOURCE_DEFINITIONS, DEFINITION)
        await world.create(BOATS, {"metadata": {"name": "berta"}})
        await world.pass_time(60)
        assert [key.name for key, _ in informers[0].items()] == ["berta"]

    running(story, add)
