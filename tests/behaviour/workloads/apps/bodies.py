"""Objects for the stories of sets of pods."""

from __future__ import annotations

from argosy.base.types import Json, Object
from argosy.client.protocol import PatchType
from argosy.client.resources import Resource
from tests.fakes.worlds import World


def template(image: str = "x") -> Object:
    return {
        "metadata": {"labels": {"app": "a"}},
        "spec": {"containers": [{"name": "main", "image": image}]},
    }


def pods_of(name: str, replicas: int | None = None, **spec: Json) -> Object:
    """A set of any kind; `replicas` None for a DaemonSet."""
    body: Object = {"selector": {"matchLabels": {"app": "a"}}, "template": template(), **spec}
    if replicas is not None:
        body["replicas"] = replicas
    return {"metadata": {"name": name}, "spec": body}


async def change(world: World, resource: Resource, name: str, **spec: Json) -> None:
    """Change fields of a spec, as a user would."""
    await world.client.patch(resource, name, {"spec": spec}, kind=PatchType.MERGE, namespace="ns")


async def status_of(world: World, resource: Resource, name: str) -> Object:
    found = await world.get(resource, name)
    assert found is not None
    status: Object = found["status"]
    return status
