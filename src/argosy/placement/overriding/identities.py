"""Who the objects in a resource snapshot are, read from their JSON without decoding the rest of it.

An envelope is a box: for overrides it stands for the objects inside, not for itself. `content` reads one for those
who unpack it.
"""

from __future__ import annotations

from typing import Final

import msgspec

from argosy.api.objects.fleet.snapshots import ResourceSnapshot
from argosy.client.resources import CLUSTER_RESOURCE_ENVELOPES, RESOURCE_ENVELOPES
from argosy.placement.overriding.matching import Identified

_ENVELOPES: Final = frozenset({CLUSTER_RESOURCE_ENVELOPES.kind, RESOURCE_ENVELOPES.kind})


class _Meta(msgspec.Struct, gc=False):
    name: str = ""
    namespace: str = ""


class _Head(msgspec.Struct, gc=False, rename="camel"):
    api_version: str = ""
    kind: str = ""
    metadata: _Meta = msgspec.field(default_factory=_Meta)


class _Content(msgspec.Struct, gc=False):
    data: dict[str, msgspec.Raw] = msgspec.field(default_factory=dict)


_decode_head: Final = msgspec.json.Decoder(_Head).decode
_decode_content: Final = msgspec.json.Decoder(_Content).decode


def identify(manifest: msgspec.Raw) -> Identified:
    """Who an object is. Raises msgspec.DecodeError for what is none."""
    head = _decode_head(manifest)
    group, _, version = head.api_version.rpartition("/")
    return Identified(group, version, head.kind, head.metadata.namespace, head.metadata.name)


def is_envelope(who: Identified) -> bool:
    return who.group == RESOURCE_ENVELOPES.group and who.kind in _ENVELOPES


def content(envelope: msgspec.Raw) -> dict[str, msgspec.Raw]:
    """The objects in an envelope, by its keys."""
    return _decode_content(envelope).data


def identities(shard: ResourceSnapshot) -> frozenset[Identified]:
    """All objects of a shard that overrides can change."""
    found: set[Identified] = set()
    for manifest in shard.spec.selected_resources:
        who = identify(manifest)
        if is_envelope(who):
            found.update(_known(content(manifest)))
        else:
            found.add(who)
    return frozenset(found)


def _known(data: dict[str, msgspec.Raw]) -> list[Identified]:
    """Whatever is in an envelope and can be read; the rest is refused when it is unpacked."""
    found: list[Identified] = []
    for manifest in data.values():
        try:
            found.append(identify(manifest))
        except msgspec.DecodeError:
            continue
    return found
