"""The fleet's kinds on a cluster of a test."""

from __future__ import annotations

from pathlib import Path

from argosy.base.types import Object
from argosy.client.protocol import Client
from argosy.client.resources import CUSTOM_RESOURCE_DEFINITIONS
from argosy.member.definitions import definitions as member_definitions
from argosy.placement.definitions import definitions as hub_definitions

GROUPS = ("cluster.kubernetes-fleet.io", "placement.kubernetes-fleet.io")


def fleet_definitions(shared: Path | None = None) -> list[Object]:
    """All kinds, those of hubs and of members."""
    found = {each["metadata"]["name"]: each for each in (*hub_definitions(), *member_definitions())}
    return list(found.values())


async def install_fleet_kinds(
    client: Client, shared: Path | None = None, groups: tuple[str, ...] = GROUPS
) -> None:
    for definition in fleet_definitions():
        if definition["spec"]["group"] in groups:
            await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition)
