"""Garbage collection: what nobody owns any more goes.

An object goes when it had owners and none of them is left. An owner deleted in the foreground waits, marked, until
the dependents that block it are gone; an owner deleted with its dependents orphaned first takes its name off them.
Mirrors kube-controller-manager's garbage collector, but needs no graph of its own: the store knows the dependents of
a uid, so the cost of an event is the number of its dependents.

An owner in a scope that the dependent cannot refer to (a namespaced owner of a cluster-wide object) is never judged
missing, as upstream.
"""

from __future__ import annotations

import asyncio
from typing import Final

from argosy.apiserver import encoding
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.verbs.deleting import FOREGROUND, ORPHAN
from argosy.base.types import Object
from argosy.store import Event, Key, Record
from argosy.workloads.housekeeping.editing import delete, edit, kind_of, without_finalizer
from argosy.workloads.housekeeping.following import follow, is_leaving

# Deletes that wait for the disk together.
_CONCURRENT: Final = 256


async def collect_garbage(cluster: Cluster) -> None:
    collector = _Collector(cluster)
    async for events in follow(cluster, None):
        for event in events:
            collector.note(event)
        await collector.work()


class _Collector:
    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._queue: dict[Key, None] = {}
        # Owners deleted in the foreground that wait for dependents, by uid.
        self._waiting: dict[str, Key] = {}
        # Owners that were found, by uid, with the namespaces of dependents that found them: the thousands of pods of
        # one Job need not look for it each.
        self._found: dict[str, set[str]] = {}

    def note(self, event: Event) -> None:
        """Queue whatever an event may have made garbage."""
        record = event.record
        if event.type == "DELETED":
            self._waiting.pop(record.meta.uid, None)
            self._found.pop(record.meta.uid, None)
            for dependent in self._cluster.store.dependents(record.meta.uid):
                self._queue[dependent.key] = None
            self._wake_owners(record)
            return
        self._wake_owners(record)
        previous, owners = event.previous, record.meta.owners
        is_news = previous is None or previous.meta.owners != owners
        if owners and is_news and not self._are_found(owners, record.key.namespace):
            self._queue[record.key] = None
        if is_leaving(record) and b'"finalizers"' in record.raw:
            self._queue[record.key] = None

    def _are_found(self, owners: tuple[str, ...], namespace: str) -> bool:
        return all(namespace in self._found.get(owner, ()) for owner in owners)

    def _wake_owners(self, dependent: Record) -> None:
        """Owners that wait look again when a dependent has changed."""
        if self._waiting:
            for owner in dependent.meta.owners:
                if owner in self._waiting:
                    self._queue[self._waiting[owner]] = None

    async def work(self) -> None:
        """Judge what is queued, many at a time; what that makes garbage comes back as events."""
        while self._queue:
            keys = list(self._queue)[:_CONCURRENT]
            for key in keys:
                del self._queue[key]
            await asyncio.gather(*(self._judge(key) for key in keys))

    async def _judge(self, key: Key) -> None:
        record = self._cluster.store.get(key)
        kind = kind_of(self._cluster, key.resource)
        if record is None or kind is None:
            return
        obj = encoding.from_bytes(kind, record.raw)
        meta = obj["metadata"]
        if meta.get("deletionTimestamp"):
            finalizers = meta.get("finalizers") or ()
            if ORPHAN in finalizers:
                await self._orphan(record)
            elif FOREGROUND in finalizers:
                await self._wait_for_dependents(record)
            return
        if meta.get("ownerReferences"):
            await self._check_owners(record, obj)

    async def _orphan(self, owner: Record) -> None:
        uid = owner.meta.uid

        def forget(obj: Object) -> bool:
            return _drop_owners(obj, {uid})

        dependents = self._cluster.store.dependents(uid)
        await asyncio.gather(*(edit(self._cluster, d.key, forget) for d in dependents))
        await edit(self._cluster, owner.key, without_finalizer(ORPHAN))

    async def _wait_for_dependents(self, owner: Record) -> None:
        uid = owner.meta.uid
        blocking = [d for d in self._cluster.store.dependents(uid) if self._blocks(d, uid)]
        if not blocking:
            await edit(self._cluster, owner.key, without_finalizer(FOREGROUND))
            return
        if uid in self._waiting:
            return
        self._waiting[uid] = owner.key
        self._found.pop(uid, None)
        for dependent in blocking:
            self._queue[dependent.key] = None

    def _blocks(self, dependent: Record, uid: str) -> bool:
        kind = kind_of(self._cluster, dependent.key.resource)
        if kind is None:
            return False
        owners = encoding.from_bytes(kind, dependent.raw)["metadata"].get("ownerReferences") or ()
        return any(o["uid"] == uid and o.get("blockOwnerDeletion") for o in owners)

    async def _check_owners(self, record: Record, obj: Object) -> None:
        solid, waiting, missing = set(), set(), set()
        for owner in obj["metadata"]["ownerReferences"]:
            match self._state(owner, record.key.namespace):
                case "missing":
                    missing.add(owner["uid"])
                case "waiting":
                    waiting.add(owner["uid"])
                case state:
                    solid.add(owner["uid"])
                    if state == "solid":
                        self._found.setdefault(owner["uid"], set()).add(record.key.namespace)
        if solid:
            gone = missing | waiting
            if gone:
                await edit(self._cluster, record.key, lambda o: _drop_owners(o, gone))
            return
        dependents = self._cluster.store.dependents(record.meta.uid) if waiting else ()
        if dependents:
            policy = "Foreground"
            if any(dependent.meta.uid in self._waiting for dependent in dependents):
                # Whoever waits for this one is waited for by it: a circle, which one of them has to open.
                await edit(self._cluster, record.key, _unblock)
        else:
            finalizers = obj["metadata"].get("finalizers") or ()
            policy = (
                "Orphan"
                if ORPHAN in finalizers
                else "Foreground"
                if FOREGROUND in finalizers
                else "Background"
            )
        await delete(self._cluster, record.key, uid=record.meta.uid, propagation=policy)

    def _state(self, owner: Object, namespace: str) -> str:
        group, _, _ = str(owner.get("apiVersion", "")).rpartition("/")
        kind = self._cluster.scheme.by_kind(group, owner.get("kind", ""))
        if kind is None or (kind.namespaced and not namespace):
            return "unknown"
        key = Key(kind.stored_resource, namespace if kind.namespaced else "", owner["name"])
        record = self._cluster.store.latest(key)
        if record is None or record.meta.uid != owner["uid"]:
            return "missing"
        return "waiting" if owner["uid"] in self._waiting else "solid"


def _unblock(obj: Object) -> bool:
    """Let the owners go before this object."""
    blocking = [o for o in obj["metadata"]["ownerReferences"] if o.get("blockOwnerDeletion")]
    for owner in blocking:
        owner["blockOwnerDeletion"] = False
    return bool(blocking)


def _drop_owners(obj: Object, uids: set[str]) -> bool:
    owners = obj["metadata"].get("ownerReferences") or []
    kept = [owner for owner in owners if owner["uid"] not in uids]
    if len(kept) == len(owners):
        return False
    if kept:
        obj["metadata"]["ownerReferences"] = kept
    else:
        del obj["metadata"]["ownerReferences"]
    return True
