"""Short ways to write objects into a store, as the API server would."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Coroutine, Mapping
from typing import TypeVar

import msgspec

from argosy.base.selectors import fields as fieldselectors
from argosy.base.selectors import labels as labelselectors
from argosy.store import Event, Key, Meta, Record, Selection, Store

T = TypeVar("T")


def run(coroutine: Coroutine[object, object, T]) -> T:
    return asyncio.run(coroutine)


def key(name: str, namespace: str = "default", resource: str = "pods") -> Key:
    return Key(resource, namespace, name)


def encode(key: Key, revision: int, meta: Meta, body: object = None) -> bytes:
    metadata = {
        "labels": dict(meta.labels),
        "name": key.name,
        "namespace": key.namespace,
        "ownerReferences": [{"uid": uid} for uid in meta.owners],
        "resourceVersion": str(revision),
        "uid": meta.uid,
    }
    spec = {"body": body, **meta.fields}
    return msgspec.json.encode({"metadata": metadata, "spec": spec}, order="deterministic")


def describe(_resource: str, raw: bytes) -> Meta:
    """The inverse of `encode`, fields included."""
    found = msgspec.json.decode(raw)
    metadata, spec = found["metadata"], found["spec"]
    owners = tuple(owner["uid"] for owner in metadata["ownerReferences"])
    fields = {name: value for name, value in spec.items() if name != "body"}
    return Meta(metadata["uid"], metadata["labels"], owners, fields)


def put(
    store: Store,
    key: Key,
    labels: Mapping[str, str] | None = None,
    *,
    owners: tuple[str, ...] = (),
    fields: Mapping[str, str] | None = None,
    body: object = None,
    expect: int | None = None,
) -> Awaitable[Record]:
    """Create or replace, whatever is there."""
    current = store.latest(key)
    if expect is None:
        expect = 0 if current is None else current.revision
    meta = Meta(f"uid-{key.name}", labels or {}, owners, fields or {})
    return store.put(key, encode(key, store.next_revision(), meta, body), meta, expect=expect)


def delete(store: Store, key: Key) -> Awaitable[Record]:
    current = store.latest(key)
    assert current is not None
    raw = encode(key, store.next_revision(), current.meta, "deleted")
    return store.delete(key, raw, expect=current.revision)


def selection(labels: str = "", fields: str = "", namespace: str | None = None) -> Selection:
    return Selection(namespace, labelselectors.parse(labels), fieldselectors.parse(fields))


def names(records: list[Record]) -> list[str]:
    return [record.key.name for record in records]


def told(events: list[Event]) -> list[tuple[str, str, int]]:
    return [(event.type, event.record.key.name, event.revision) for event in events]
