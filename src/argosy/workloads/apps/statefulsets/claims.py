"""The PersistentVolumeClaims of a StatefulSet's pods: their names, and who owns them by which policy. Pure.

Claims are kept unless the policy says Delete. Then the owner whose end shall take a claim along is written into it: the
set for whenDeleted, the pod that is scaled away for whenScaled; the garbage collector does the rest. A claim that
another controller owns is left alone.
"""

from __future__ import annotations

from typing import Final

from argosy.api.objects import ObjectMeta, OwnerReference
from argosy.api.objects.apps import ClaimRetentionPolicy, StatefulSet
from argosy.api.objects.storage import PersistentVolumeClaim
from argosy.base.types import Object
from argosy.client.resources import PODS, STATEFUL_SETS, Resource
from argosy.workloads.pods.templates import owner_reference

_RETAIN: Final = ClaimRetentionPolicy()


def policy_of(owner: StatefulSet) -> ClaimRetentionPolicy:
    return owner.spec.persistent_volume_claim_retention_policy or _RETAIN


def claim_names(owner: StatefulSet, ordinal: int) -> dict[str, str]:
    """Claims of the pod by the name of their volume."""
    return {
        template["metadata"]["name"]: _name(template, owner, ordinal)
        for template in owner.spec.volume_claim_templates
    }


def claims_of(owner: StatefulSet, ordinal: int) -> list[Object]:
    """The claims of the pod, as they are made."""
    selected = (owner.spec.selector or {}).get("matchLabels") or {}
    made = []
    for template in owner.spec.volume_claim_templates:
        meta = template["metadata"]
        body = {
            "metadata": {
                **meta,
                "name": _name(template, owner, ordinal),
                "namespace": owner.metadata.namespace,
                "labels": {**(meta.get("labels") or {}), **selected},
            },
            "spec": template.get("spec") or {},
        }
        made.append(body)
    return made


def has_stale_pod(claim: PersistentVolumeClaim, pod: str, uid: str) -> bool:
    """Whether a pod of this name that is gone still owns the claim, which is therefore about to go."""
    return _is_stale(claim, PODS, pod, uid)


def is_contested(claim: PersistentVolumeClaim, owner: StatefulSet, pod: ObjectMeta) -> bool:
    """Whether something else controls the claim, so that the policy cannot be kept."""
    policy = policy_of(owner)
    if policy.when_scaled == policy.when_deleted == "Retain":
        return False
    for reference in claim.metadata.owner_references:
        if _means(reference, STATEFUL_SETS, owner.metadata.name):
            if reference.uid != owner.metadata.uid:
                return True
        elif _means(reference, PODS, pod.name):
            if reference.uid != pod.uid:
                return True
        elif reference.controller:
            return True
    return False


def is_up_to_date(
    claim: PersistentVolumeClaim, owner: StatefulSet, pod: ObjectMeta, *, is_leaving: bool
) -> bool:
    """Whether the owners of the claim are those the policy asks for; `is_leaving` when the pod is scaled away."""
    uids = {reference.uid for reference in claim.metadata.owner_references}
    has_set, has_pod = owner.metadata.uid in uids, pod.uid in uids
    if _is_stale(claim, STATEFUL_SETS, owner.metadata.name, owner.metadata.uid):
        return True
    if _is_stale(claim, PODS, pod.name, pod.uid):
        return True
    if is_contested(claim, owner, pod):
        return not (has_set or has_pod)
    if any(
        reference.uid in {owner.metadata.uid, pod.uid} and not reference.controller
        for reference in claim.metadata.owner_references
    ):
        return False
    return (has_set, has_pod) == _wanted(owner, is_leaving=is_leaving)


def owners_of(
    claim: PersistentVolumeClaim, owner: StatefulSet, pod: ObjectMeta, *, is_leaving: bool
) -> list[Object]:
    """The owner references the claim should have."""
    kept = [
        _written(reference)
        for reference in claim.metadata.owner_references
        if not _means(reference, STATEFUL_SETS, owner.metadata.name)
        and not _means(reference, PODS, pod.name)
    ]
    if is_contested(claim, owner, pod):
        return kept
    by_set, by_pod = _wanted(owner, is_leaving=is_leaving)
    if by_set:
        kept.append(owner_reference(STATEFUL_SETS, owner.metadata))
    if by_pod:
        kept.append(owner_reference(PODS, pod))
    return kept


def _wanted(owner: StatefulSet, *, is_leaving: bool) -> tuple[bool, bool]:
    """Whether the set, and whether the pod, should own the claim."""
    policy = policy_of(owner)
    by_pod = is_leaving and policy.when_scaled == "Delete"
    return policy.when_deleted == "Delete" and not by_pod, by_pod


def _name(template: Object, owner: StatefulSet, ordinal: int) -> str:
    return f"{template['metadata']['name']}-{owner.metadata.name}-{ordinal}"


def _means(reference: OwnerReference, resource: Resource, name: str) -> bool:
    return (reference.api_version, reference.kind, reference.name) == (
        resource.api_version,
        resource.kind,
        name,
    )


def _is_stale(claim: PersistentVolumeClaim, resource: Resource, name: str, uid: str) -> bool:
    return any(
        _means(reference, resource, name) and reference.uid != uid
        for reference in claim.metadata.owner_references
    )


def _written(reference: OwnerReference) -> Object:
    written: Object = {
        "apiVersion": reference.api_version,
        "kind": reference.kind,
        "name": reference.name,
        "uid": reference.uid,
    }
    if reference.controller is not None:
        written["controller"] = reference.controller
    if reference.block_owner_deletion is not None:
        written["blockOwnerDeletion"] = reference.block_owner_deletion
    return written
