"""ClusterQueues, ResourceFlavors and AdmissionChecks that are in use stay until they are not.

Each carries a finalizer from its first sight. Once it is being deleted and nobody uses it any more, the finalizer goes
and the object with it: no workload holds quota of the ClusterQueue, no ClusterQueue names the flavor or the check.
"""

from __future__ import annotations

from argosy.api.objects.metadata import ObjectMeta
from argosy.base.types import Object
from argosy.queueing.workloads.phases import RESOURCE_IN_USE


def finalizers_after(meta: ObjectMeta, *, is_used: bool) -> tuple[str, ...]:
    """The finalizers an object should have; those it has if nothing is to be done."""
    has_it = RESOURCE_IN_USE in meta.finalizers
    if meta.deletion_timestamp is None:
        return meta.finalizers if has_it else (*meta.finalizers, RESOURCE_IN_USE)
    if is_used or not has_it:
        return meta.finalizers
    return without(meta.finalizers)


def without(finalizers: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(one for one in finalizers if one != RESOURCE_IN_USE)


def finalizers_patch(meta: ObjectMeta, finalizers: tuple[str, ...]) -> Object | None:
    """The merge patch that gives an object these finalizers, if it still is what was looked at; None if it has them."""
    if finalizers == meta.finalizers:
        return None
    known: Object = {"uid": meta.uid, "resourceVersion": meta.resource_version}
    return {"metadata": {**known, "finalizers": list(finalizers) or None}}
