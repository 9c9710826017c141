"""delete and deletecollection: at once, with grace, or when the last finalizer has gone.

A delete removes the object at once unless it has finalizers, is given some by the propagation policy (`orphan`,
`foregroundDeletion`), or is a pod that a node must stop first. Then it is only marked with deletionTimestamp, and goes
when the last holder lets go. Namespaces and CRDs are always marked first, because what is in them has to go before
them. Dependents are the garbage collector's work, later.
"""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from argosy.api.crds import begin_ending
from argosy.apiserver import encoding
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.verbs import reading, storing
from argosy.base import errors
from argosy.base.durations import LONGEST_SECONDS
from argosy.base.timestamps import format_time
from argosy.base.types import Object
from argosy.store import Mismatch, Record

ORPHAN: Final = "orphan"
FOREGROUND: Final = "foregroundDeletion"

# Kinds whose dependents stay when nobody says otherwise, for Kubernetes' oldest clients.
_ORPHANING: Final = frozenset({"jobs.batch", "replicationcontrollers"})
_JOB_WARNING: Final = (
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or "
    "set propagationPolicy=Orphan to suppress this warning"
)


@dataclass(slots=True, frozen=True)
class Deleted:
    """What became of a delete: the object's last state, and whether it is gone already."""

    record: Record
    gone: bool


async def delete(cluster: Cluster, call: Call) -> Deleted:
    pending, gone = _deleted(cluster, call)
    return Deleted(await pending, gone)


def _deleted(cluster: Cluster, call: Call) -> tuple[Awaitable[Record], bool]:
    current = cluster.store.latest(call.key)
    if current is None:
        raise call.not_found()
    found = encoding.opened(call.kind, current.raw)
    obj = found.obj
    _check_preconditions(call, obj)
    for plugin in cluster.admission:
        plugin.admit(cluster, call, None, obj)
    for plugin in cluster.admission:
        plugin.validate(cluster, call, None, obj)
    encoding.closed(found)
    begin = _BEGINNINGS.get(call.kind.resource)
    if begin is not None and not obj["metadata"].get("deletionTimestamp"):
        obj["metadata"]["deletionTimestamp"] = cluster.now()
        begin(cluster, call, obj)
        gone = False
    else:
        gone = _mark(cluster, call, obj)
    try:
        if gone:
            return storing.remove(cluster, call, obj, expect=current.revision), True
        if encoding.to_bytes(obj) == current.raw:
            return storing.ready(current), False
        return storing.store(cluster, call, obj, expect=current.revision), False
    except Mismatch:
        raise call.conflict(
            "the object has been modified; please apply your changes to the latest version and try again"
        ) from None


async def delete_collection(cluster: Cluster, call: Call) -> reading.Listing:
    """Delete what a list shows. An object that is gone meanwhile is no error."""
    listing = reading.list_(cluster, call)
    for record in listing.records:
        if cluster.store.latest(record.key) is None:
            continue
        one = Call(
            call.user, "delete", call.kind, call.version, record.key.namespace, record.key.name,
            options=call.options, agent=call.agent, warnings=call.warnings,
        )  # fmt: skip
        await delete(cluster, one)
    return listing


def _check_preconditions(call: Call, obj: Object) -> None:
    meta, options = obj["metadata"], call.options
    for label, given, have, what in (
        ("UID", options.precondition_uid, meta.get("uid", ""), "deleted and then recreated"),
        ("ResourceVersion", options.precondition_revision, meta.get("resourceVersion", ""), "modified"),
    ):  # fmt: skip
        if given is not None and given != have:
            why = (
                f"the {label} in the precondition ({given}) does not match the {label} in record ({have}). "
                f"The object might have been {what}"
            )
            raise errors.conflict(call.kind.group, call.kind.kind, call.name, why)


def _mark(cluster: Cluster, call: Call, obj: Object) -> bool:
    """Mark the object as deleted, in place; True when nothing holds it."""
    meta = obj["metadata"]
    finalizers = _finalizers(call, meta)
    grace = _grace(call, obj)
    held = bool(finalizers) or grace > 0
    if call.kind.resource == "namespaces" and (obj.get("spec") or {}).get("finalizers"):
        # It is emptied already; who asks again changes nothing.
        return False
    if finalizers:
        meta["finalizers"] = finalizers
    else:
        meta.pop("finalizers", None)
    if held or call.kind.rules.grace_seconds is not None:
        _stamp(cluster, meta, grace)
    return not held


def _begin_namespace(cluster: Cluster, call: Call, namespace: Object) -> None:
    meta = namespace["metadata"]
    namespace.setdefault("status", {})["phase"] = "Terminating"
    finalizers = _finalizers(call, meta)
    if finalizers:
        meta["finalizers"] = finalizers
    else:
        meta.pop("finalizers", None)


def _begin_definition(cluster: Cluster, call: Call, crd: Object) -> None:
    begin_ending(crd, cluster.now())


# Kinds whose first delete only says that the end has begun: no grace, no new generation.
_BEGINNINGS: Final = {
    "namespaces": _begin_namespace,
    "customresourcedefinitions.apiextensions.k8s.io": _begin_definition,
}


def _stamp(cluster: Cluster, meta: Object, grace: int) -> None:
    """deletionTimestamp is when the grace ends; a later delete may only shorten it."""
    pending = meta.get("deletionGracePeriodSeconds", 0)
    if meta.get("deletionTimestamp") and grace >= pending:
        meta["deletionGracePeriodSeconds"] = pending
        return
    if meta.get("deletionTimestamp") is None and meta.get("generation", 0) > 0:
        meta["generation"] += 1
    ends = cluster.clock.now() + timedelta(seconds=min(grace, LONGEST_SECONDS))
    meta["deletionTimestamp"] = format_time(ends)
    meta["deletionGracePeriodSeconds"] = grace


def _grace(call: Call, obj: Object) -> int:
    seconds = call.kind.rules.grace_seconds
    if seconds is None:
        return 0
    default, given = seconds(obj), call.options.grace_seconds
    if given is None or default == 0:
        # No node has the pod, or it has ended: nobody needs the grace.
        return default
    return given if given >= 0 else 1


def _finalizers(call: Call, meta: Object) -> list[str]:
    have = list(meta.get("finalizers") or ())
    policy = call.options.propagation
    if policy is None:
        if ORPHAN in have or FOREGROUND in have or call.kind.resource not in _ORPHANING:
            return have
        if call.kind.resource == "jobs.batch":
            call.warn(_JOB_WARNING)
        policy = "Orphan"
    kept = [f for f in have if f not in {ORPHAN, FOREGROUND}]
    match policy:
        case "Orphan":
            kept.append(ORPHAN)
        case "Foreground":
            kept.append(FOREGROUND)
    return kept
