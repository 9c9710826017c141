"""Reading an object's `Meta` from its bytes, and keeping equal mappings once.

Writers know the Meta of what they write; after a restart only the bytes are there. `describe` reads uid, labels
and owners from them and skips everything else without building it (2 µs for 2 KiB). It knows no kinds, so it
finds no selectable fields: the layer that does passes its own `describe` to the store.

`Sharing` makes equal mappings one object. The pods of a job carry equal labels and are created, and logged,
close to each other, so a small pool that is emptied when it is full shares nearly as well as one that remembers
everything, and can never grow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

import msgspec

from argosy.store.records import NOTHING, Meta

# (resource, raw) -> Meta
Describe: TypeAlias = Callable[[str, bytes], Meta]


class _Owner(msgspec.Struct, gc=False):
    uid: str = ""


class _Metadata(msgspec.Struct, gc=False, rename="camel"):
    uid: str = ""
    labels: dict[str, str] | None = None
    owner_references: list[_Owner] | None = None


class _Object(msgspec.Struct, gc=False):
    metadata: _Metadata


_OBJECT: Final = msgspec.json.Decoder(_Object)


def describe(_resource: str, raw: bytes) -> Meta:
    """Uid, labels and owners of any object."""
    found = _OBJECT.decode(raw).metadata
    owners = found.owner_references
    return Meta(
        found.uid,
        found.labels or NOTHING,
        tuple([owner.uid for owner in owners]) if owners else (),
    )


class Sharing:
    """A pool of mappings, from which equal ones come back as the same object."""

    __slots__ = ("_owners", "_pool")

    LIMIT: Final = 4096

    def __init__(self) -> None:
        self._pool: dict[tuple[tuple[str, str], ...], Mapping[str, str]] = {}
        self._owners: dict[tuple[str, ...], tuple[str, ...]] = {}

    def meta(self, meta: Meta) -> Meta:
        labels, fields, owners = meta.labels, meta.fields, meta.owners
        return Meta(
            meta.uid,
            self._mapping(labels) if labels else NOTHING,
            self._tuple(owners) if owners else (),
            self._mapping(fields) if fields else NOTHING,
        )

    def _mapping(self, mapping: Mapping[str, str]) -> Mapping[str, str]:
        pool = self._pool
        items = tuple(mapping.items())
        found = pool.get(items)
        if found is None:
            if len(pool) >= self.LIMIT:
                pool.clear()
            # A copy: the writer may go on changing its own.
            found = pool[items] = dict(items)
        return found

    def _tuple(self, owners: tuple[str, ...]) -> tuple[str, ...]:
        if len(self._owners) >= self.LIMIT:
            self._owners.clear()
        return self._owners.setdefault(owners, owners)
