"""What the stories about volumes share: claims, volumes, and what became of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from argosy.base.types import Json, Object
from argosy.client.resources import (
    PERSISTENT_VOLUME_CLAIMS,
    PERSISTENT_VOLUMES,
)
from argosy.control.assemblies import Assembly
from argosy.workloads.volumes import add_volumes
from tests.fakes.worlds import World


def volumes(directory: Path | None = None) -> Callable[[Assembly], None]:
    return lambda assembly: add_volumes(assembly, directory)


def claim(name: str, size: str = "2Gi", **spec: Json) -> Object:
    asked = {"requests": {"storage": size}}
    return {
        "metadata": {"name": name},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": asked, **spec},
    }


def volume(name: str, size: str = "5Gi", **spec: Json) -> Object:
    return {
        "metadata": {"name": name, "labels": spec.pop("labels", {})},
        "spec": {
            "capacity": {"storage": size},
            "accessModes": ["ReadWriteOnce"],
            "hostPath": {"path": f"/data/{name}"},
            "storageClassName": "manual",
            **spec,
        },
    }


async def phases(world: World, name: str) -> tuple[str, str]:
    """Of the claim, and the volume it has."""
    await world.settle()
    found = await world.get(PERSISTENT_VOLUME_CLAIMS, name)
    assert found is not None
    return found["status"]["phase"], found["spec"].get("volumeName", "")


async def phase(world: World, name: str) -> str:
    await world.settle()
    found = await world.get(PERSISTENT_VOLUMES, name)
    return found["status"]["phase"] if found is not None else "gone"


async def remove_claim(world: World, name: str) -> None:
    """Delete a claim that nobody uses."""
    patch = {"metadata": {"finalizers": None}}
    await world.client.patch(PERSISTENT_VOLUME_CLAIMS, name, patch, namespace="ns")
    await world.client.delete(PERSISTENT_VOLUME_CLAIMS, name, namespace="ns")
    await world.settle()
