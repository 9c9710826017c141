"""Ending a pod that did nothing wrong: first say why, then delete it.

The condition DisruptionTarget tells a Job's podFailurePolicy, and whoever reads the pod afterwards, that the cluster
ended it and why. Where nobody is left on the node to report the end, the phase is set to Failed with it, and the object
is removed without grace.
"""

from __future__ import annotations

from argosy.api.objects import Pod
from argosy.base.errors import NotFound
from argosy.base.timestamps import format_time
from argosy.base.types import Object
from argosy.client.protocol import Client, PatchType
from argosy.client.resources import PODS


async def mark_disrupted(
    client: Client, pod: Pod, reason: str, message: str, now: float, *, phase: str = ""
) -> bool:
    """Patch the condition, and the phase where one is given. False when the pod is gone."""
    return await patch_status(client, pod, target(pod, reason, message, now), phase=phase)


def target(pod: Pod, reason: str, message: str, now: float) -> Object:
    """A patch of a pod's status that says why the cluster ends it."""
    condition: Object = {
        "type": "DisruptionTarget",
        "status": "True",
        "reason": reason,
        "message": message,
        "lastTransitionTime": format_time(now),
    }
    if pod.metadata.generation:
        condition["observedGeneration"] = pod.metadata.generation
    return adding(pod, condition)


def adding(pod: Pod, condition: Object) -> Object:
    """A patch of a pod's status that adds a condition behind those it has, or replaces the one of its type."""
    types = [known.type for known in pod.status.conditions]
    if condition["type"] not in types:
        types.append(condition["type"])
    order = [{"type": type_} for type_ in types]
    return {"$setElementOrder/conditions": order, "conditions": [condition]}


async def patch_status(
    client: Client, pod: Pod, status: Object, *, phase: str = "", field_manager: str = ""
) -> bool:
    """A strategic patch of this very pod's status. False when the pod is gone."""
    meta = pod.metadata
    if phase:
        status = {**status, "phase": phase}
    try:
        await client.patch(
            PODS,
            meta.name,
            {"metadata": {"uid": meta.uid}, "status": status},
            kind=PatchType.STRATEGIC,
            namespace=meta.namespace,
            subresource="status",
            field_manager=field_manager,
        )
    except NotFound:
        return False
    return True


async def delete_pod(client: Client, pod: Pod, *, grace_seconds: int | None = None) -> None:
    """Delete this very pod; one that is gone already is fine."""
    meta = pod.metadata
    try:
        await client.delete(
            PODS, meta.name, namespace=meta.namespace, grace_seconds=grace_seconds, uid=meta.uid
        )
    except NotFound:
        return
