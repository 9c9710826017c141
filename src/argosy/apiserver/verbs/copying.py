"""The shortest way of a new pod: a copy of one that was made within this second from the same body.

A Job, or a ReplicaSet, asks for a thousand pods with one and the same body and leaves their names to the server. The
first is made as every object is; the others are its bytes with a name, a uid and a revision of their own. That both
ways end alike rests on this (tests/unit/apiserver/test_copying.py plays both):

* What a body becomes follows from it, its namespace, the writer, the second, and what admission plugins read: each
  says which resources that are, and nothing of them may have changed since, or be on its way to disk.
* Where quotas are kept every pod is charged, and a plugin may say which pods it treats one by one: those are no copies.
* No rule looks at a generated name beyond its prefix, which the body has.
* What was made with a word said (a warning) is not kept, nor where name, uid and revision do not stand apart.

Only the server's own encoder is listened to: other bodies may name a key twice, and the long way has words for that.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Final

import msgspec

from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.remembering import LARGEST_BYTES, Original, OriginalKey
from argosy.apiserver.verbs import metadata, storing
from argosy.apiserver.verbs.creating import NAME_ATTEMPTS
from argosy.base.types import Object
from argosy.store import Key, Meta, Record, stamp

_QUOTAS: Final = "resourcequotas"


def key_of(cluster: Cluster, call: Call, body: bytes) -> OriginalKey | None:
    """What all copies of a new pod have in common; None for everything that is never copied."""
    if call.kind.resource != "pods" or call.subresource or not call.options.is_plain_write:
        return None
    if len(body) > LARGEST_BYTES or cluster.store.count(_QUOTAS):
        return None
    if any(each in body for each in cluster.treated_singly):
        return None
    changed = cluster.store.changed(cluster.read_by_admission)
    if changed is None:
        return None
    return body, call.namespace, call.manager, cluster.now(), changed


def store(cluster: Cluster, call: Call, original: Original) -> Awaitable[Record] | None:
    """Write a copy; None where no free name was found, which the long way has words for."""
    prefix, meta = original.prefix, original.meta
    name, uid = prefix + cluster.ids.suffix(), cluster.ids.uid()
    for _ in range(NAME_ATTEMPTS):
        key = Key(call.kind.stored_resource, call.namespace, name)
        if cluster.store.latest(key) is None:
            break
        name = prefix + cluster.ids.suffix()
    else:
        return None
    head, middle, tail, end = original.pieces
    revision = cluster.store.next_revision()
    raw = b"%b%b%b%d%b%b%b" % (head, name.encode(), middle, revision, tail, uid.encode(), end)
    new = Meta(uid, meta.labels, meta.owners, meta.fields)
    return storing.put(cluster, call, key, raw, new, expect=0)


def learn(cluster: Cluster, call: Call, key: OriginalKey, made: Object) -> None:
    """Keep the pod that has just been made as the original of copies to come, if it can be one."""
    meta = made["metadata"]
    name, prefix = meta["name"], meta.get("generateName", "")[: metadata.MAX_PREFIX]
    record = cluster.store.latest(Key(call.kind.stored_resource, call.namespace, name))
    if record is None or call.warnings or not prefix or not _leaves_name_open(key[0]):
        return
    raw = record.raw
    named, known = b'"name":"%b"' % name.encode(), b'"uid":"%b"' % meta["uid"].encode()
    stamped = stamp(record.revision)
    if not raw.count(named) == raw.count(known) == raw.count(stamped) == 1:
        return
    # In canonical bytes they come in this order.
    first, rest = raw.split(named)
    second, rest = rest.split(stamped)
    third, end = rest.split(known)
    pieces = (
        first + b'"name":"', b'"' + second + b'"resourceVersion":"', b'"' + third + b'"uid":"',
        b'"' + end,
    )  # fmt: skip
    cluster.memory.originals[key] = Original(prefix, pieces, record.meta)


class _Metadata(msgspec.Struct, gc=False):
    name: str = ""


class _Body(msgspec.Struct, gc=False):
    metadata: _Metadata


_read: Final = msgspec.json.Decoder(_Body).decode


def _leaves_name_open(body: bytes) -> bool:
    return not _read(body).metadata.name
