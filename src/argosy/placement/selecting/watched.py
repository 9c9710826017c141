"""An object of the hub as selection needs it: its bytes, and the few facts that tell whether it is selected."""

from __future__ import annotations

import msgspec

from argosy.client.objects import Raw


class _Metadata(msgspec.Struct, rename="camel", gc=False):
    labels: dict[str, str] | None = None
    owner_references: tuple[msgspec.Raw, ...] = ()
    deletion_timestamp: str | None = None


class _Head(msgspec.Struct, gc=False):
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)


_decode = msgspec.json.Decoder(_Head).decode


class Watched(msgspec.Struct, frozen=True, gc=False, eq=False):
    """`raw` shares the bytes of its source; they are decoded when somebody selects the object."""

    raw: Raw
    labels: dict[str, str]
    is_owned: bool
    is_deleting: bool

    @property
    def name(self) -> str:
        return self.raw.name

    @property
    def namespace(self) -> str:
        return self.raw.namespace


def read(raw: Raw) -> Watched:
    """Raises msgspec.DecodeError for what is no object."""
    meta = _decode(raw.body).metadata
    return Watched(
        raw, meta.labels or {}, bool(meta.owner_references), meta.deletion_timestamp is not None
    )
