"""Where a workload is in its life: pending, with quota reserved, admitted, finished; the last that is true counts.

Queues, cache and statuses turn on these four. What keeps a pending workload out of the queues stands here too:
`is_admissible` is asked before one is queued.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from argosy.api.objects.kueue.workloads import (
    QUOTA_RESERVED,
    WAITING_FOR_REPLACEMENT_PODS,
    PodSet,
    Workload,
)
from argosy.queueing.workloads.reasons import CHECK_READY, ON_HOLD

# A comma-separated list of who holds the admission up; empty is nobody.
ADMISSION_GATED_BY: Final = "kueue.x-k8s.io/admission-gated-by"
# The job a workload was made for.
JOB_UID: Final = "kueue.x-k8s.io/job-uid"
# Keeps an object that somebody still counts on.
RESOURCE_IN_USE: Final = "kueue.x-k8s.io/resource-in-use"


class Phase(StrEnum):
    PENDING = "pending"
    QUOTA_RESERVED = "quotaReserved"
    ADMITTED = "admitted"
    FINISHED = "finished"


def phase(workload: Workload) -> Phase:
    if workload.is_finished:
        return Phase.FINISHED
    if workload.is_admitted:
        return Phase.ADMITTED
    return Phase.QUOTA_RESERVED if workload.has_quota_reservation else Phase.PENDING


def gates(workload: Workload) -> str:
    """Who holds the admission up, as the annotation says."""
    return workload.metadata.annotations.get(ADMISSION_GATED_BY, "")


def is_on_hold(workload: Workload) -> bool:
    """Whether its owner gave the quota back on purpose and does not want to be queued, as a set scaled to zero."""
    found = workload.condition(QUOTA_RESERVED)
    return found is not None and found.status == "False" and found.reason == ON_HOLD


def is_admissible(workload: Workload) -> bool:
    """Whether it may stand in a queue."""
    return (
        workload.spec.active
        and not gates(workload)
        and not workload.is_finished
        and not workload.has_quota_reservation
        and not is_on_hold(workload)
        and not workload.holds(WAITING_FOR_REPLACEMENT_PODS)
    )


def holds_quota(workload: Workload) -> bool:
    """Whether its reservation counts in its ClusterQueue."""
    return workload.has_quota_reservation and not workload.is_finished and workload.spec.active


def is_orphan(workload: Workload) -> bool:
    """Whether nobody owns it any more: it is being deleted by hand, or its job is gone."""
    if workload.metadata.owner_references:
        return False
    if workload.metadata.deletion_timestamp is not None:
        return True
    return bool(workload.metadata.labels.get(JOB_UID))


def are_checks_ready(workload: Workload) -> bool:
    return all(check.state == CHECK_READY for check in workload.status.admission_checks)


def is_topology_pending(workload: Workload) -> bool:
    """Whether part of the placement was put off until the checks are ready, and is not there yet."""
    admission = workload.status.admission
    return admission is not None and any(
        one.topology_assignment is None and one.delayed_topology_request == "Pending"
        for one in admission.pod_set_assignments
    )


def asks_for_topology(*pod_sets: PodSet) -> bool:
    """Whether a pod set says itself where its pods must stand to each other."""
    return any(
        request is not None
        and (
            request.required is not None
            or request.preferred is not None
            or request.unconstrained is not None
            or request.pod_set_slice_required_topology is not None
            or request.pod_set_slice_size is not None
            or bool(request.podset_slice_required_topology_constraints)
        )
        for request in (one.topology_request for one in pod_sets)
    )
