"""Writes of the housekeepers: small changes of objects nobody sent a request for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from argosy.api.kinds import Kind
from argosy.apiserver import encoding
from argosy.apiserver.access.identities import MASTERS, User
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.options import Options
from argosy.apiserver.verbs import deleting, owning, updating
from argosy.base.errors import Conflict, NotFound
from argosy.base.types import Object
from argosy.store import Key

HOUSEKEEPER: Final = User("system:kube-controller-manager", groups=(MASTERS,))
AGENT: Final = "kube-controller-manager"


def kind_of(cluster: Cluster, resource: str) -> Kind | None:
    """The kind a store's resource name stands for."""
    plural, _, group = resource.partition(".")
    return cluster.scheme.find(group, plural)


async def edit(
    cluster: Cluster,
    key: Key,
    change: Callable[[Object], bool],
    *,
    subresource: str = "",
    agent: str = AGENT,
) -> bool:
    """Change an object in place; `change` says whether there was anything to do. False when the object is gone.
    `agent` is the name fields are owned by.
    """
    kind = kind_of(cluster, key.resource)
    record = cluster.store.latest(key)
    if kind is None or record is None:
        return False
    new = encoding.from_bytes(kind, record.raw)
    if not change(new):
        return False
    old = encoding.from_bytes(kind, record.raw)
    call = Call(
        HOUSEKEEPER,
        "update",
        kind,
        kind.storage_version,
        key.namespace,
        key.name,
        subresource,
        agent=agent,
    )
    owning.track(cluster, call, new, old)
    try:
        await updating.change(cluster, call, new, old, record)
    except (Conflict, NotFound):
        return False
    return True


async def delete(cluster: Cluster, key: Key, *, uid: str, propagation: str = "Background") -> bool:
    """Delete an object if it is still the one with this uid."""
    kind = kind_of(cluster, key.resource)
    if kind is None:
        return False
    options = Options(propagation=propagation, precondition_uid=uid)
    call = Call(
        HOUSEKEEPER,
        "delete",
        kind,
        kind.storage_version,
        key.namespace,
        key.name,
        options=options,
        agent=AGENT,
    )
    try:
        await deleting.delete(cluster, call)
    except (Conflict, NotFound):
        return False
    return True


def without_finalizer(name: str) -> Callable[[Object], bool]:
    """A change that takes one finalizer away."""

    def change(obj: Object) -> bool:
        finalizers = obj["metadata"].get("finalizers") or []
        if name not in finalizers:
            return False
        obj["metadata"]["finalizers"] = [f for f in finalizers if f != name]
        if not obj["metadata"]["finalizers"]:
            del obj["metadata"]["finalizers"]
        return True

    return change
