"""create: from a decoded, defaulted object to a stored one."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Final

from argosy.apiserver import bodies, encoding
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.verbs import metadata, owning, sparing, storing, validating
from argosy.base import errors
from argosy.base.errors import BadRequest
from argosy.base.types import Object
from argosy.store import Key, Mismatch, Record

# Kubernetes tries this often to find a free name for generateName.
NAME_ATTEMPTS: Final = 8


def create(cluster: Cluster, call: Call, obj: Object) -> Awaitable[Record]:
    """`obj` is in the storage version and is the call's to change."""
    metadata.check_scope(call, obj)
    metadata.wipe(obj)
    metadata.dedupe_owners(call, obj)
    owning.track_create(cluster, call, obj)
    return insert(cluster, call, obj)


def insert(cluster: Cluster, call: Call, obj: Object) -> Awaitable[Record]:
    """The rest of a create, for those that have settled managedFields themselves (server-side apply)."""
    decoded = sparing.decoded_content(call, obj)
    for plugin in cluster.admission:
        plugin.admit(cluster, call, obj, None)
    metadata.dedupe_owners(call, obj, admitted=True)
    generated = not obj["metadata"].get("name") and bool(obj["metadata"].get("generateName"))
    metadata.identify(cluster, call, obj)
    if call.kind.rules.prepare_create is not None:
        call.kind.rules.prepare_create(obj)
    validating.check_create(call, obj, cluster.memory)
    sparing.note_new(cluster.memory, call, obj, decoded)
    if generated:
        _find_free_name(cluster, call, obj)
    if storing.revision(obj["metadata"].pop("resourceVersion", "")):
        raise BadRequest("resourceVersion should not be set on objects to be created")
    bodies.read_back(call, obj)
    for plugin in cluster.admission:
        plugin.validate(cluster, call, obj, None)
    name = obj["metadata"]["name"]
    try:
        return storing.store(cluster, call, obj, expect=0)
    except Mismatch as found:
        raise _taken(call, name, found.current) from None


def _taken(call: Call, name: str, current: Record | None) -> errors.AlreadyExists:
    error = errors.already_exists(call.kind.group, call.kind.plural, name)
    if current is not None:
        live = encoding.from_bytes(call.kind, current.raw)
        if live["metadata"].get("deletionTimestamp"):
            error.message = f"object is being deleted: {error.message}"
    return error


def _find_free_name(cluster: Cluster, call: Call, obj: Object) -> None:
    meta = obj["metadata"]
    for _ in range(NAME_ATTEMPTS):
        if (
            cluster.store.latest(
                Key(call.kind.stored_resource, meta.get("namespace", ""), meta["name"])
            )
            is None
        ):
            return
        meta["name"] = meta["generateName"][: metadata.MAX_PREFIX] + cluster.ids.suffix()
    raise errors.already_exists(call.kind.group, call.kind.plural, meta["generateName"])
