"""The fleet's kinds on a cluster of a test, as upstream defines them."""

from __future__ import annotations

import json
from pathlib import Path

from argosy.base.types import Object
from argosy.client.protocol import Client
from argosy.client.resources import CUSTOM_RESOURCE_DEFINITIONS

GROUPS = ("cluster.kubernetes-fleet.io", "placement.kubernetes-fleet.io")


async def install_fleet_kinds(
    client: Client, shared: Path, groups: tuple[str, ...] = GROUPS
) -> None:
    for group in groups:
        for path in sorted((shared / "contract" / "schemas").glob(f"{group}_*.json")):
            await client.create(CUSTOM_RESOURCE_DEFINITIONS, _definition(path))


def _definition(path: Path) -> Object:
    spec = json.loads(path.read_text())
    for version in spec["versions"]:
        version["schema"] = {"openAPIV3Schema": version["schema"]}
    name = f"{spec['names']['plural']}.{spec['group']}"
    annotations = {"api-approved.kubernetes.io": "unapproved, a test"}
    return {"metadata": {"name": name, "annotations": annotations}, "spec": spec}
