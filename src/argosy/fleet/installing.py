"""Custom kinds on their way into a cluster, embedded or not.

Most starts find what the last one left, so that what is there is read first, and only what differs is applied; all of
it at once, because writes that wait together share an fsync. What somebody changed by hand is changed back: these
kinds belong to the release that runs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Final

import msgspec

from argosy.api.crds import default_crd, vouch
from argosy.base.types import Object
from argosy.client.protocol import Client
from argosy.client.resources import CUSTOM_RESOURCE_DEFINITIONS

OWNER: Final = "argosy"


class _Manager(msgspec.Struct, gc=False):
    manager: str = ""
    operation: str = ""


class _Meta(msgspec.Struct, rename="camel"):
    name: str = ""
    managed_fields: list[_Manager] = []


class _Definition(msgspec.Struct):
    """What matters of a stored definition to who would write it."""

    metadata: _Meta
    spec: Object

    def is_ours(self) -> bool:
        return any(
            each.manager == OWNER and each.operation == "Apply"
            for each in self.metadata.managed_fields
        )


_decode: Final = msgspec.json.Decoder(_Definition).decode


def shipped(definitions: Iterable[Object]) -> tuple[Object, ...]:
    """Definitions of this release, which servers of this process take as good: tests have judged them, and judging them
    again is most of what a first start would do.
    """
    found = tuple(definitions)
    for definition in found:
        vouch(_kept(definition))
    return found


async def install(client: Client, definitions: Iterable[Object]) -> None:
    """Have these kinds served as defined here."""
    there = {
        raw.name: _decode(raw.body)
        for raw in (await client.list(CUSTOM_RESOURCE_DEFINITIONS)).items
    }
    await asyncio.gather(
        *(
            _apply(client, definition)
            for definition in definitions
            if not _is_current(there.get(definition["metadata"]["name"]), definition)
        )
    )


def _is_current(found: _Definition | None, definition: Object) -> bool:
    return found is not None and found.is_ours() and found.spec == _kept(definition)


async def _apply(client: Client, definition: Object) -> None:
    name = definition["metadata"]["name"]
    await client.apply(
        CUSTOM_RESOURCE_DEFINITIONS, name, definition, field_manager=OWNER, force=True
    )


def _kept(definition: Object) -> Object:
    """A definition's spec with what a server fills in."""
    spec: Object = definition["spec"]
    whole: Object = {"spec": {**spec, "names": dict(spec["names"])}}
    default_crd(whole)
    kept: Object = whole["spec"]
    return kept
