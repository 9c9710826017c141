"""What a placement selected: the objects as they are passed on, who they are, and the hash of it all.

The hash is upstream's: of the JSON of a snapshot's spec with all objects in it. Objects are written with sorted keys,
so the same content has the same hash whatever the order in which a server wrote it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import msgspec

from argosy.api.gojson import go_json
from argosy.api.objects.fleet.placements import ResourceIdentifier
from argosy.api.objects.fleet.snapshots import ResourceSnapshot
from argosy.api.objects.metadata import View
from argosy.client.objects import decode
from argosy.client.resources import CLUSTER_RESOURCE_ENVELOPES, RESOURCE_ENVELOPES
from argosy.placement.selecting.picking import Picked
from argosy.placement.selecting.sanitizing import sanitize
from argosy.placement.selecting.watched import Watched

_ENVELOPES: Final = frozenset(
    (each.group, each.kind) for each in (CLUSTER_RESOURCE_ENVELOPES, RESOURCE_ENVELOPES)
)
_encode = msgspec.json.Encoder(order="sorted").encode


@dataclass(slots=True, frozen=True)
class Selection:
    """Objects in order, as JSON."""

    contents: tuple[bytes, ...]
    envelopes: int

    @property
    def digest(self) -> str:
        """What `resource-hash` says."""
        listed: dict[str, Sequence[msgspec.Raw]] = {
            "selectedResources": [msgspec.Raw(each) for each in self.contents]
        }
        return hashlib.sha256(go_json(listed)).hexdigest()


def selection(picked: Iterable[Picked]) -> Selection:
    contents, envelopes = [], 0
    for each in picked:
        contents.append(content(each.found))
        envelopes += (each.resource.group, each.resource.kind) in _ENVELOPES
    return Selection(tuple(contents), envelopes)


# Whoever selects many objects reads them all again when one of them changes.
@lru_cache(maxsize=4096)
def content(found: Watched) -> bytes:
    """An object as it is passed on."""
    obj = decode(found.raw)
    sanitize(obj)
    return _encode(obj)


class _Metadata(View, frozen=True):
    name: str = ""
    namespace: str = ""


class _Head(View, frozen=True):
    api_version: str = ""
    kind: str = ""
    metadata: _Metadata = _Metadata()


_decode_head = msgspec.json.Decoder(_Head).decode


def identifiers(shards: Iterable[ResourceSnapshot]) -> tuple[ResourceIdentifier, ...]:
    """Who is in the snapshots of one index, the master first."""
    return tuple(
        _identifier(_decode_head(raw)) for shard in shards for raw in shard.spec.selected_resources
    )


def _identifier(head: _Head) -> ResourceIdentifier:
    group, _, version = head.api_version.rpartition("/")
    return ResourceIdentifier(
        group=group,
        version=version,
        kind=head.kind,
        name=head.metadata.name,
        namespace=head.metadata.namespace,
    )
