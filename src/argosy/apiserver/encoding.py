"""Between stored bytes and objects.

Stored bytes are canonical JSON of an object in its storage version without apiVersion and kind. Most reads never
decode them: a version's prefix is put before the bytes, and lists are joined. Only a version with a real conversion,
or a custom object that is older than its schema's last change, is decoded on reading.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import msgspec

from argosy.api.kinds import Kind, prefix_for
from argosy.api.schema.defaulting import apply_defaults
from argosy.base.types import Json, Object
from argosy.store import Meta, Record

# etcd's default request limit, which bounds objects in Kubernetes.
MAX_OBJECT_BYTES: Final = 1536 * 1024

_encode = msgspec.json.Encoder(order="deterministic").encode
_plain = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode
_cut = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_HEAD: Final = b'{"metadata":{'
_MANAGED: Final = b',"managedFields":['
_NAME: Final = b'],"name":"'
_SPEC: Final = b'},"spec":{'
_NO_LABELS: Final[dict[str, str]] = {}
_prefixes: dict[tuple[str, str, str], bytes] = {}


def prefix(kind: Kind, version: str) -> bytes:
    key = (kind.group, kind.plural, version)
    found = _prefixes.get(key)
    if found is None or kind.custom:
        found = prefix_for(kind, version)
        if not kind.custom:
            _prefixes[key] = found
    return found


def to_bytes(obj: Object) -> bytes:
    """An object in its stored form."""
    bare = dict(obj)
    bare.pop("apiVersion", None)
    bare.pop("kind", None)
    return _encode(bare)


def from_bytes(kind: Kind, raw: bytes) -> Object:
    """A stored object, whole again, in the storage version. The caller owns it."""
    obj: Object = {"apiVersion": kind.api_version(kind.storage_version), "kind": kind.kind}
    obj.update(_decode(raw))
    return obj


class Opened(NamedTuple):
    """A stored object whose managedFields stay as they are stored: they are its longest part, and few look at them."""

    # Without managedFields.
    obj: Object
    # b"" where there are none.
    managed: bytes


def opened(kind: Kind, raw: bytes) -> Opened:
    """`from_bytes` for those who have no business with managedFields. The caller owns the object.

    Canonical bytes tell where they are. In metadata, which comes first, only strings and lists of strings stand before
    them, and a quote within a string is escaped, so their opening and the name that follows them (the first key behind
    that list: what is in it are objects and strings) are found by looking for them. An object with anything before
    its metadata, or without a spec that ends it, is read whole.
    """
    if kind.custom:
        return _opened_custom(kind, raw)
    start = raw.find(_MANAGED) if raw.startswith(_HEAD) else -1
    end = raw.find(_NAME, start) if start > 0 else -1
    if end < 0 or raw.find(_SPEC) < end:
        obj = from_bytes(kind, raw)
        found = obj["metadata"].pop("managedFields", None)
        return Opened(obj, _encode(found) if found is not None else b"")
    obj = {"apiVersion": kind.api_version(kind.storage_version), "kind": kind.kind}
    obj.update(_decode(raw[:start] + raw[end + 1 :]))
    return Opened(obj, raw[start + len(_MANAGED) - 1 : end + 1])


def _opened_custom(kind: Kind, raw: bytes) -> Opened:
    """Custom objects may have any fields behind their metadata, which is therefore cut out first."""
    parts = _cut(raw)
    whole = bytes(parts.pop("metadata"))
    start = whole.find(_MANAGED)
    end = whole.find(_NAME, start) if start > 0 else -1
    managed = b""
    if end > 0:
        metadata = _decode(whole[:start] + whole[end + 1 :])
        managed = whole[start + len(_MANAGED) - 1 : end + 1]
    else:
        metadata = _decode(whole)
        found = metadata.pop("managedFields", None)
        if found is not None:
            managed = _encode(found)
    obj: Object = {"apiVersion": kind.api_version(kind.storage_version), "kind": kind.kind}
    obj["metadata"] = metadata
    for field, part in parts.items():
        obj[field] = _decode(part)
    return Opened(obj, managed)


def closed(found: Opened) -> Object:
    """The object whole again, for `to_bytes`: its managedFields are put there as bytes."""
    if found.managed:
        found.obj["metadata"]["managedFields"] = msgspec.Raw(found.managed)
    return found.obj


def copied(value: Json) -> Json:
    """A value once more, the caller's own."""
    return _decode(_plain(value))


def to_json(obj: object) -> bytes:
    """Any answer that is not a stored object."""
    return msgspec.json.encode(obj)


def meta_of(kind: Kind, obj: Object) -> Meta:
    """What the store indexes of an object."""
    metadata = obj["metadata"]
    owners = metadata.get("ownerReferences")
    selectable = kind.rules.selectable
    return Meta(
        uid=metadata.get("uid", ""),
        labels=metadata.get("labels") or _NO_LABELS,
        owners=tuple(owner["uid"] for owner in owners) if owners else (),
        fields={name: read(obj) for name, read in selectable.items()} if selectable else _NO_LABELS,
    )


def present(kind: Kind, version: str, record: Record) -> bytes:
    """One stored object as JSON in a version."""
    convert = kind.versions[version].from_storage
    if convert is None and record.revision >= kind.crd_revision:
        return prefix(kind, version) + record.raw[1:]
    obj = revived(kind, record, version if convert is None else kind.storage_version)
    if convert is not None:
        obj = convert(obj)
    obj["apiVersion"] = kind.api_version(version)
    return to_json(obj)


def revived(kind: Kind, record: Record, version: str) -> Object:
    """A stored object, with the defaults that a custom kind's schema has gained since it was written. The caller owns
    it.
    """
    obj = from_bytes(kind, record.raw)
    if record.revision < kind.crd_revision:
        apply_defaults(kind.versions[version].schema, obj)
    return obj


def present_item(kind: Kind, version: str, record: Record) -> bytes:
    """One stored object as an item of a list: items of built-in kinds carry no kind, as in Kubernetes."""
    if kind.custom or kind.versions[version].from_storage is not None:
        return present(kind, version, record)
    return record.raw
