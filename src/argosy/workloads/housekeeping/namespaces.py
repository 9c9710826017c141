"""The end of a namespace: all that is in it is deleted, what holds out is said in its conditions, then it goes."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Final

import msgspec

from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.specials.namespaces import set_finalizers
from argosy.base.errors import NotFound
from argosy.base.types import Object
from argosy.store import Key, Record, Selection
from argosy.workloads.housekeeping.editing import AGENT, HOUSEKEEPER, delete, edit
from argosy.workloads.housekeeping.following import attend, follow, is_leaving

FINALIZER: Final = "kubernetes"
_CONCURRENT: Final = 256

# Conditions of a namespace that ends well: (status, reason, message).
_DISCOVERED: Final = (False, "ResourcesDiscovered", "All resources successfully discovered")
_PARSED: Final = (False, "ParsedGroupVersions", "All legacy kube types successfully parsed")
_DELETED: Final = (
    False, "ContentDeleted", "All content successfully deleted, may be waiting on finalization",
)  # fmt: skip
_EMPTY: Final = (False, "ContentRemoved", "All content successfully removed")
_UNHELD: Final = (False, "ContentHasNoFinalizers", "All content-preserving finalizers finished")


async def end_namespaces(cluster: Cluster) -> None:
    """One task per namespace that is ending."""
    await attend(cluster, "namespaces", is_leaving, lambda key: _end(cluster, key.name))


async def _end(cluster: Cluster, name: str) -> None:
    """Empty the namespace again whenever something in it changes, until it is empty."""
    if FINALIZER not in _own_finalizers(cluster, name):
        # It is empty already and waits for somebody else.
        return
    async for _ in follow(cluster, None, Selection(namespace=name)):
        if await _empty(cluster, name):
            return
    raise AssertionError("following never ends by itself")


async def _empty(cluster: Cluster, name: str) -> bool:
    """One pass: delete what is there; finalize when nothing is."""
    content = _content(cluster, name)
    fresh = [record for record in content if b'"deletionTimestamp"' not in record.raw]
    for start in range(0, len(fresh), _CONCURRENT):
        batch = fresh[start : start + _CONCURRENT]
        await asyncio.gather(*(delete(cluster, r.key, uid=r.meta.uid) for r in batch))
    left = _content(cluster, name)
    await edit(
        cluster,
        Key("namespaces", "", name),
        lambda obj: _explain(cluster, obj, left),
        subresource="status",
    )
    if left:
        return False
    kind = cluster.kind("", "namespaces")
    call = Call(HOUSEKEEPER, "update", kind, "v1", "", name, "finalize", agent=AGENT)
    kept = [one for one in _own_finalizers(cluster, name) if one != FINALIZER]
    try:
        await set_finalizers(cluster, call, kept)
    except NotFound:
        return True
    return True


def _own_finalizers(cluster: Cluster, name: str) -> list[str]:
    """Those of its spec, which hold a namespace until it is empty."""
    namespace = cluster.latest(cluster.kind("", "namespaces"), "", name) or {}
    found: list[str] = (namespace.get("spec") or {}).get("finalizers") or []
    return found


def _content(cluster: Cluster, name: str) -> list[Record]:
    store = cluster.store
    return [
        record
        for kind in cluster.scheme
        if kind.namespaced and not kind.stored_as and store.count(kind.resource)
        for record in store.list(kind.resource, Selection(namespace=name)).records
    ]


def _explain(cluster: Cluster, namespace: Object, left: list[Record]) -> bool:
    """The conditions of a namespace that is ending."""
    resources = Counter(record.key.resource for record in left)
    finalizers: Counter[str] = Counter()
    for record in left:
        finalizers.update(_finalizers(record))
    remaining = ", ".join(
        f"{_dotted(name)} has {n} resource instances" for name, n in sorted(resources.items())
    )
    holding = ", ".join(
        f"{name} in {n} resource instances" for name, n in sorted(finalizers.items())
    )
    wanted = [
        ("NamespaceDeletionDiscoveryFailure", *_DISCOVERED),
        ("NamespaceDeletionGroupVersionParsingFailure", *_PARSED),
        ("NamespaceDeletionContentFailure", *_DELETED),
        ("NamespaceContentRemaining", *(
            (True, "SomeResourcesRemain", f"Some resources are remaining: {remaining}") if left else _EMPTY
        )),
        ("NamespaceFinalizersRemaining", *(
            (True, "SomeFinalizersRemain", f"Some content in the namespace has finalizers remaining: {holding}")
            if finalizers else _UNHELD
        )),
    ]  # fmt: skip
    conditions = namespace.setdefault("status", {}).setdefault("conditions", [])
    changed = False
    for kind, is_true, reason, message in wanted:
        found = next((c for c in conditions if c["type"] == kind), None)
        status = "True" if is_true else "False"
        new = {"type": kind, "status": status, "reason": reason, "message": message}
        if found is not None and found["status"] == status:
            new["lastTransitionTime"] = found.get("lastTransitionTime", cluster.now())
        else:
            new["lastTransitionTime"] = cluster.now()
        if found != new:
            changed = True
            if found is None:
                conditions.append(new)
            else:
                found.clear()
                found.update(new)
    return changed


def _dotted(resource: str) -> str:
    """Resource and group with a dot between them, even where the group is the nameless one."""
    return resource if "." in resource else f"{resource}."


def _finalizers(record: Record) -> list[str]:
    if b'"finalizers"' not in record.raw:
        return []
    found: list[str] = msgspec.json.decode(record.raw)["metadata"].get("finalizers") or []
    return found
