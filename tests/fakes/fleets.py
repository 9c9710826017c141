"""The fleet's kinds on a cluster of a test, as upstream defines them."""

from __future__ import annotations

import json
from pathlib import Path

from argosy.base.types import Object
from argosy.client.protocol import Client
from argosy.client.resources import CUSTOM_RESOURCE_DEFINITIONS

GROUPS = ("cluster.kubernetes-fleet.io", "placement.kubernetes-fleet.io")


def fleet_definitions(shared: Path) -> list[Object]:
    """All kinds, those of hubs and of members."""
    folder = shared / "contract" / "schemas"
    return [
        _definition(path) for group in GROUPS for path in sorted(folder.glob(f"{group}_*.json"))
    ]


async def install_fleet_kinds(
    client: Client, shared: Path, groups: tuple[str, ...] = GROUPS
) -> None:
    for definition in fleet_definitions(shared):
        if definition["spec"]["group"] in groups:
            await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition)


def _definition(path: Path) -> Object:
    spec = json.loads(path.read_text())
    for version in spec["versions"]:
        version["schema"] = {"openAPIV3Schema": version["schema"]}
    name = f"{spec['names']['plural']}.{spec['group']}"
    annotations = {"api-approved.kubernetes.io": "unapproved, a test"}
    return {"metadata": {"name": name, "annotations": annotations}, "spec": spec}
