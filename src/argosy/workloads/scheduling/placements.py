"""A pod on a node, as the scheduler counts it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from argosy.api.objects import Pod, is_true
from argosy.workloads.scheduling.profiles import Profile


@dataclass(slots=True, eq=False)
class Placement:
    """One pod that is bound, assumed or nominated."""

    uid: str
    namespace: str
    name: str
    labels: dict[str, str]
    profile: Profile
    node: str
    started: datetime | None = None
    is_deleting: bool = False
    # Being deleted to make room for another pod.
    is_preempted: bool = False
    # The node's row, while the ledger counts the pod.
    row: int = -1


def placement(pod: Pod, profile: Profile, node: str) -> Placement:
    meta = pod.metadata
    deleting = meta.deletion_timestamp is not None
    return Placement(
        uid=meta.uid,
        namespace=meta.namespace,
        name=meta.name,
        labels=meta.labels,
        profile=profile,
        node=node,
        started=pod.status.start_time,
        is_deleting=deleting,
        is_preempted=deleting and _is_preempted(pod),
    )


def _is_preempted(pod: Pod) -> bool:
    return is_true(pod.status.conditions, "DisruptionTarget") and any(
        condition.reason == "PreemptionByScheduler"
        for condition in pod.status.conditions
        if condition.type == "DisruptionTarget"
    )
