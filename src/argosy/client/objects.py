"""What a client hands out and takes in: objects as JSON bytes, decoded by whoever needs them.

`Raw` is one object. Its `body` is the object's JSON, with or without kind and apiVersion, exactly as the
source had it: a local client shares the store's bytes, a remote one a slice of the response. Typed decoders
read `body` and skip what they do not know, so nothing is ever copied to add two fields; `raw` adds them where
somebody wants the whole object.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

import msgspec

from argosy.base.types import Object
from argosy.client.resources import Resource

# What create, update and apply take.
Body: TypeAlias = Object | msgspec.Struct | bytes

INITIAL_EVENTS_END: Final = "k8s.io/initial-events-end"


class Key(NamedTuple):
    """Names an object within its resource; `namespace` is "" for cluster-scoped ones."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


class Raw(msgspec.Struct, frozen=True, gc=False, eq=False):
    """One object as bytes, with the metadata every reader asks for first."""

    resource: Resource
    body: bytes | memoryview
    namespace: str = ""
    name: str = ""
    revision: str = ""
    # The body opens without kind and apiVersion.
    bare: bool = False

    @property
    def key(self) -> Key:
        return Key(self.namespace, self.name)

    @property
    def raw(self) -> bytes:
        """The whole object, kind and apiVersion included."""
        body = bytes(self.body)
        return self.resource.prefix + body[1:] if self.bare else body


class ListResult(msgspec.Struct, frozen=True):
    """One page. `revision` is where a watch that follows the list begins."""

    items: list[Raw]
    revision: str
    continue_: str = ""
    remaining: int | None = None


class WatchEvent(msgspec.Struct, frozen=True, gc=False):
    """`type` is ADDED, MODIFIED, DELETED or BOOKMARK. A bookmark's object has a revision and nothing else."""

    type: str
    object: Raw
    # This bookmark ends the initial events of a watch that asked for them.
    initial_end: bool = False


class _Metadata(msgspec.Struct, gc=False):
    name: str = ""
    namespace: str = ""
    resourceVersion: str = ""  # noqa: N815  (the wire's name)
    annotations: dict[str, str] | None = None


class _Head(msgspec.Struct, gc=False):
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)
    kind: str = ""


_decode_head = msgspec.json.Decoder(_Head).decode
_decode_object = msgspec.json.Decoder(Object).decode
_encode = msgspec.json.Encoder().encode


def decode(raw: Raw | bytes) -> Object:
    """The object as a dict, kind and apiVersion included."""
    return _decode_object(raw.raw if isinstance(raw, Raw) else raw)


def read(resource: Resource, body: bytes | memoryview) -> Raw:
    """The `Raw` of an object's JSON; one partial decoding."""
    head = _decode_head(body)
    meta = head.metadata
    return Raw(resource, body, meta.namespace, meta.name, meta.resourceVersion, bare=not head.kind)


def read_event(resource: Resource, event_type: str, body: bytes | memoryview) -> WatchEvent:
    """The event of one watch frame's object."""
    if event_type != "BOOKMARK":
        return WatchEvent(event_type, read(resource, body))
    meta = _decode_head(body).metadata
    ended = (meta.annotations or {}).get(INITIAL_EVENTS_END) == "true"
    return WatchEvent(event_type, Raw(resource, body, revision=meta.resourceVersion), ended)


def encode(resource: Resource, obj: Body) -> bytes:
    """The JSON to send for `obj`; kind and apiVersion are filled in where they are missing."""
    if isinstance(obj, bytes):
        return obj
    body = _encode(obj)
    has_kind = "kind" in obj if isinstance(obj, dict) else bool(getattr(obj, "kind", ""))
    if has_kind:
        return body
    return resource.prefix + body[1:] if body != b"{}" else resource.prefix[:-1] + b"}"


def named(obj: Body, name: str) -> Body:
    """`obj` with this name in its metadata, which an apply must carry and the caller has said already."""
    if not isinstance(obj, dict):
        return obj
    meta = obj.get("metadata") or {}
    return (
        obj
        if not isinstance(meta, dict) or meta.get("name")
        else {**obj, "metadata": {**meta, "name": name}}
    )


def key_of(obj: Body, namespace: str | None = None, name: str = "") -> Key:
    """Where `obj` belongs: what the caller says, else what its metadata says.

    A body that cannot be read belongs nowhere in particular: the server says what is wrong with it.
    """
    if namespace is not None and name:
        return Key(namespace, name)
    try:
        meta = _decode_head(obj if isinstance(obj, bytes) else _encode(obj)).metadata
    except msgspec.DecodeError:
        meta = _Metadata()
    return Key(meta.namespace if namespace is None else namespace, name or meta.name)


def revision_of(body: bytes) -> str:
    """The resourceVersion an object or a merge patch names; "" for none, and for what is no object."""
    try:
        return _decode_head(body).metadata.resourceVersion
    except msgspec.DecodeError:
        return ""
