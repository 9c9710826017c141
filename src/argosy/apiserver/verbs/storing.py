"""The last steps of every write: give it a revision, encode it, hand it to the store, wait until it is on disk.

`store` and `remove` are functions that hand over and return what is left to wait for. Verbs are built the same way: who
waits for the disk holds no object meanwhile, so hundreds of waiting writes cost neither memory nor the garbage
collector's time. What hangs on a kind (custom kinds on CRDs, permissions on
roles) is told of the write after it is visible and before the writer gets its answer, so that a client which has
created a CRD can use it at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence

from argosy.api.kinds import Kind
from argosy.apiserver import encoding
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster, Committed
from argosy.base import errors
from argosy.base.errors import BadRequest, ServiceUnavailable, TooLarge
from argosy.base.fielderrors import quote
from argosy.base.types import Object
from argosy.store import Key, Meta, Mismatch, Record, StoreUnavailable


def store(cluster: Cluster, call: Call, obj: Object, *, expect: int) -> Awaitable[Record]:
    """Write `obj` over the revision `expect` (0: it must be new). With dryRun nothing is written. Raises Mismatch at
    once.
    """
    return _commit(cluster, call.kind, hand_over(cluster, call, obj, expect=expect))


def hand_over(cluster: Cluster, call: Call, obj: Object, *, expect: int) -> Awaitable[Record]:
    """The synchronous part: on return the write has its place in the order of all writes."""
    metadata = obj["metadata"]
    key = Key(call.kind.stored_resource, metadata.get("namespace", ""), metadata["name"])
    if not call.options.dry_run:
        metadata["resourceVersion"] = str(cluster.store.next_revision())
    raw = encoding.to_bytes(obj)
    _check_size(call, key, raw)
    meta = encoding.meta_of(call.kind, obj)
    if call.options.dry_run:
        current = cluster.store.latest(key)
        if (current.revision if current is not None else 0) != expect:
            raise Mismatch(current)
        return ready(Record(key, expect, raw, meta))
    return cluster.store.put(key, raw, meta, expect=expect)


def put(
    cluster: Cluster, call: Call, key: Key, raw: bytes, meta: Meta, *, expect: int
) -> Awaitable[Record]:
    """Write an object's bytes, which carry the next revision, over the revision `expect` (0: it must be new)."""
    _check_size(call, key, raw)
    return _commit(cluster, call.kind, cluster.store.put(key, raw, meta, expect=expect))


def _check_size(call: Call, key: Key, raw: bytes) -> None:
    if len(raw) > encoding.MAX_OBJECT_BYTES:
        raise TooLarge(
            f'{call.kind.resource} "{key.name}" is too large: {len(raw)} bytes, the limit of one object is '
            f"{encoding.MAX_OBJECT_BYTES} bytes; split it or keep large data outside the cluster"
        )


def remove(cluster: Cluster, call: Call, obj: Object, *, expect: int) -> Awaitable[Record]:
    """Take an object out of the store; `obj` is its last state, which watchers are shown."""
    metadata = obj["metadata"]
    key = Key(call.kind.stored_resource, metadata.get("namespace", ""), metadata["name"])
    if call.options.dry_run:
        return ready(Record(key, expect, encoding.to_bytes(obj), encoding.meta_of(call.kind, obj)))
    metadata["resourceVersion"] = str(cluster.store.next_revision())
    pending = cluster.store.delete(key, encoding.to_bytes(obj), expect=expect)
    return _commit(cluster, call.kind, pending, deleted=True)


async def _commit(
    cluster: Cluster, kind: Kind, pending: Awaitable[Record], *, deleted: bool = False
) -> Record:
    hooks = cluster.committed.get(kind.stored_resource)
    if hooks:
        # A writer that goes away while it waits must not take the news with it: others live on it.
        pending = asyncio.shield(_tell(pending, hooks, kind, deleted))
    try:
        return await pending
    except StoreUnavailable as error:
        raise ServiceUnavailable(str(error)) from error


async def _tell(
    pending: Awaitable[Record], hooks: Sequence[Committed], kind: Kind, deleted: bool
) -> Record:
    record = await pending
    for hook in hooks:
        hook(kind, record, deleted)
    return record


async def ready(record: Record) -> Record:
    """A write that has nothing to wait for."""
    return record


def revision(text: str) -> int:
    """The number of a resourceVersion; 0 where none is given."""
    if not text:
        return 0
    if not text.isascii() or not text.isdigit():
        raise BadRequest(f"strconv.ParseUint: parsing {quote(text)}: invalid syntax")
    number = int(text)
    if number >= 1 << 64:
        raise BadRequest(f"strconv.ParseUint: parsing {quote(text)}: value out of range")
    return number


def check_revision(call: Call, given: str, current: Record) -> None:
    """Optimistic concurrency: a write that names a revision must name the current one."""
    if revision(given) not in (0, current.revision):
        raise errors.stale(call.kind.group, call.kind.plural, call.name)
