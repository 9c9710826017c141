"""What a preemption says: the message of the conditions, the events of the victim and of the preemptor."""

from __future__ import annotations

from typing import Final

from argosy.api.objects.kueue.workloads import Workload
from argosy.queueing.preemption.targets import (
    IN_CLUSTER_QUEUE,
    IN_COHORT_FAIR_SHARING,
    IN_COHORT_RECLAIM_WHILE_BORROWING,
    IN_COHORT_RECLAMATION,
    Target,
)
from argosy.queueing.quotas.nodes import Node
from argosy.queueing.workloads.infos import Info
from argosy.queueing.workloads.phases import JOB_UID

_UNKNOWN: Final = "UNKNOWN"

_REASONS: Final = {
    IN_CLUSTER_QUEUE: "prioritization in the ClusterQueue",
    IN_COHORT_RECLAMATION: "reclamation within the cohort",
    IN_COHORT_FAIR_SHARING: "Fair Sharing within the cohort",
    IN_COHORT_RECLAIM_WHILE_BORROWING: "reclamation within the cohort while borrowing",
}


def message(preemptor: Workload, reason: str, preemptor_path: str, preemptee_path: str) -> str:
    """What the conditions Preempted and Evicted of a victim say."""
    uid = preemptor.metadata.uid or _UNKNOWN
    job_uid = preemptor.metadata.labels.get(JOB_UID) or _UNKNOWN
    return (
        f"Preempted to accommodate a workload (UID: {uid}, JobUID: {job_uid})"
        f" due to {_REASONS.get(reason, _UNKNOWN)}"
        f"; preemptor path: {preemptor_path or _UNKNOWN}"
        f"; preemptee path: {preemptee_path or _UNKNOWN}"
    )


def path(queue: Node) -> str:
    """A ClusterQueue by all its cohorts, from the root."""
    return "".join(f"/{node.name}" for node in reversed(list(queue.path())))


def preempted_event(preemptor: Info, target: Target, said: str) -> str:
    """The victim's event `Preempted`; `said` is the message of its conditions."""
    return f"{said}; {_priorities(preemptor, target.info)}"


def preempted_workload_event(preemptor: Info, target: Target) -> str:
    """The preemptor's event `PreemptedWorkload`."""
    metadata = target.info.obj.metadata
    name = f"{metadata.namespace}/{metadata.name}" if metadata.namespace else metadata.name
    return (
        f"Preempted workload {name} (UID: {metadata.uid})"
        f" in ClusterQueue {target.info.cluster_queue}; {_priorities(preemptor, target.info)}"
    )


def priorities(info: Info) -> tuple[int, int, int]:
    """Effective priority, that of the spec, and the boost between them."""
    base = info.obj.spec.priority or 0
    return info.priority, base, info.priority - base


def _priorities(preemptor: Info, preemptee: Info) -> str:
    return "; ".join(
        f"{who} effective priority: {effective} (base: {base}, boost: {boost})"
        for who, (effective, base, boost) in (
            ("preemptor", priorities(preemptor)),
            ("preemptee", priorities(preemptee)),
        )
    )
