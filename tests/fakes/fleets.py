"""KubeFleet's kinds on a cluster in memory, made of upstream's own schemas."""

from __future__ import annotations

from pathlib import Path

import msgspec

from argosy.base.types import Object
from argosy.client.protocol import Client
from argosy.client.resources import CUSTOM_RESOURCE_DEFINITIONS


def fleet_definitions(shared: Path) -> list[Object]:
    """The CustomResourceDefinitions of both groups."""
    return [
        _definition(msgspec.json.decode(path.read_bytes()))
        for path in sorted(shared.glob("contract/schemas/*.kubernetes-fleet.io_*.json"))
    ]


async def install_fleet_kinds(client: Client, shared: Path) -> None:
    for definition in fleet_definitions(shared):
        await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition)


def _definition(spec: Object) -> Object:
    versions = [
        {**each, "schema": {"openAPIV3Schema": each["schema"]}} for each in spec["versions"]
    ]
    name = f"{spec['names']['plural']}.{spec['group']}"
    return {"metadata": {"name": name}, "spec": {**spec, "versions": versions}}
