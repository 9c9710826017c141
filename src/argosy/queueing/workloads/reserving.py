"""Reserve quota for a workload, take it back, and keep its Admitted condition in step.

Admission has two steps: quota is reserved by the scheduler, and the workload is admitted once all its checks are ready
and no part of its placement is put off. `sync_admitted` says which; every change here ends with it. The time a
workload has been admitted is added up when it stops being so, because limits on execution time count all of it.
"""

from __future__ import annotations

from msgspec.structs import replace

from argosy.api.objects.kueue.workloads import (
    ADMITTED,
    BLOCKED_ON_PREEMPTION_GATES,
    EVICTED,
    PREEMPTED,
    QUOTA_RESERVED,
    REQUEUED,
    Admission,
    PodSetRequest,
    Workload,
)
from argosy.queueing.quotas.amounts import amounts, quantities
from argosy.queueing.workloads import reasons
from argosy.queueing.workloads.drafts import Happening, StatusDraft, happening
from argosy.queueing.workloads.infos import PodSetResources
from argosy.queueing.workloads.phases import are_checks_ready, is_topology_pending

_PAST = (EVICTED, PREEMPTED, BLOCKED_ON_PREEMPTION_GATES)


def reserve(draft: StatusDraft, admission: Admission) -> None:
    """Reserve quota: what happened to the workload before is now the past."""
    draft.status = replace(draft.status, admission=admission, resource_requests=())
    message = f"Quota reserved in ClusterQueue {admission.cluster_queue}"
    draft.set_condition(QUOTA_RESERVED, "True", reasons.QUOTA_RESERVED, message)
    for type_ in _PAST:
        old = draft.workload.condition(type_)
        if old is not None and old.status == "True":
            past = f"Previously: {old.message}"
            draft.set_condition(type_, "False", reasons.QUOTA_RESERVED, past)


def unreserve(draft: StatusDraft, reason: str, message: str) -> bool:
    """Say why there is no reservation, and give up the one there is; whether anything changed."""
    changed = draft.set_condition(QUOTA_RESERVED, "False", reason, message)
    if draft.status.admission is not None:
        draft.status = replace(draft.status, admission=None)
        changed = True
    return sync_admitted(draft) or changed


def sync_admitted(draft: StatusDraft) -> bool:
    """Make Admitted say what reservation, checks and placement amount to; whether it changed.

    A workload that nobody has looked at yet says nothing.
    """
    workload = draft.workload
    verdict = _unadmitted(workload)
    if verdict is None:
        if workload.is_admitted:
            return False
        return draft.set_condition(ADMITTED, "True", reasons.ADMITTED, "The workload is admitted")
    old = workload.condition(ADMITTED)
    if old is None and workload.condition(QUOTA_RESERVED) is None:
        return False
    _accumulate(draft)
    return draft.set_condition(ADMITTED, "False", *verdict)


def _unadmitted(workload: Workload) -> tuple[str, str] | None:
    if not workload.has_quota_reservation:
        return reasons.NO_RESERVATION, "The workload has no reservation"
    if not are_checks_ready(workload):
        return reasons.UNSATISFIED_CHECKS, "The workload has not all checks ready"
    if is_topology_pending(workload):
        return reasons.PENDING_TOPOLOGY_REQUESTS, "There are pending delayed topology requests"
    return None


def _accumulate(draft: StatusDraft) -> None:
    """Add up the time of an admission that ends."""
    old = draft.workload.condition(ADMITTED)
    if old is None or old.status != "True" or old.last_transition_time is None:
        return
    seconds = int((draft.now - old.last_transition_time).total_seconds())
    past = draft.status.accumulated_past_execution_time_seconds or 0
    draft.status = replace(draft.status, accumulated_past_execution_time_seconds=past + seconds)


def propagate_requests(draft: StatusDraft, requests: tuple[PodSetResources, ...]) -> bool:
    """Show what a waiting workload was found to ask for; whether that is news."""
    shown = draft.status.resource_requests
    same = len(shown) == len(requests) and all(
        old.name == new.name and amounts(old.resources) == new.requests
        for old, new in zip(shown, requests, strict=True)
    )
    if same:
        return False
    found = tuple(PodSetRequest(one.name, quantities(one.requests)) for one in requests)
    draft.status = replace(draft.status, resource_requests=found)
    return True


def set_back(
    draft: StatusDraft, reason: str, message: str, requests: tuple[PodSetResources, ...]
) -> Happening:
    """Say why an attempt to admit came to nothing, as conditions and as the event that is returned."""
    reason = reason or reasons.PENDING
    unreserve(draft, reason, message)
    propagate_requests(draft, requests)
    return happening("Warning", reason, message)


def release_evicted(draft: StatusDraft, *, may_requeue: bool = True) -> None:
    """Give up the reservation of an evicted workload whose pods are gone.

    Who was preempted, or lost nodes, is queued again at once; the others wait until what evicted them is over. A
    workload of a single pod never is: the pod does not come back.
    """
    evicted = draft.workload.condition(EVICTED)
    assert evicted is not None, "only the evicted are released"
    at_once = evicted.reason in (reasons.PREEMPTED, reasons.NODE_FAILURES) and may_requeue
    draft.set_condition(REQUEUED, str(at_once), evicted.reason, evicted.message)
    unreserve(draft, reasons.PENDING_EVALUATION, evicted.message)
