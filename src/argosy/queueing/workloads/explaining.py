"""Why a workload without a reservation waits, said without an attempt to admit it.

The scheduler speaks when it has tried. Before, and whenever something stands in the way of a try, the Workload
controller speaks: the first of these that holds. What the scheduler said stays until it looks again; a workload that
nobody has looked at says nothing, unless it is passed over for a while because its like were found not to fit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from argosy.api.objects.core import Namespace
from argosy.api.objects.kueue.localqueues import LocalQueue
from argosy.api.objects.kueue.quotas import ClusterQueue
from argosy.api.objects.kueue.workloads import QUOTA_RESERVED, Workload
from argosy.api.objects.metadata import Condition
from argosy.base.selectors.labels import LabelSelector, nothing
from argosy.queueing.workloads import reasons
from argosy.queueing.workloads.admissibility import problem
from argosy.queueing.workloads.limitranges import Summary
from argosy.queueing.workloads.phases import gates, is_on_hold

NONE: Final = "None"
HOLD_AND_DRAIN: Final = "HoldAndDrain"
BYPASSED: Final = "Bypassed scheduling evaluation because an equivalent workload recently failed"
WAITS: Final = "Workload is pending evaluation in the scheduling queue"

# How long a workload may be passed over without a word: most that wait less need none.
PATIENCE_SECONDS: Final = 5.0

# After these a workload may have gone back to a queue where its like were found not to fit.
_MAY_BE_PARKED: Final = frozenset(
    {"", reasons.DEACTIVATED, reasons.PENDING_EVALUATION, reasons.SUSPENDED, reasons.PENDING}
)


@dataclass(slots=True, frozen=True)
class Surroundings:
    """What of the world a look at a workload depends on.

    `cluster_queue_name` is the one its LocalQueue leads to, whether that is there or not. `is_active` is the cache's
    verdict on it; `namespaces` is its namespace selector, or `selector_error` says why that is none. `parked_reason` is
    why workloads like this one were found not to fit since the last change; empty if they were not.
    """

    now: datetime
    local_queue: LocalQueue | None = None
    cluster_queue_name: str = ""
    cluster_queue: ClusterQueue | None = None
    is_active: bool = False
    namespaces: LabelSelector = field(default_factory=nothing)
    selector_error: str = ""
    namespace: Namespace | None = None
    limits: Summary = field(default_factory=dict)
    parked_reason: str = ""


def explanation(workload: Workload, around: Surroundings) -> tuple[str, str] | None:
    """The reason and message of QuotaReserved=False; None where nothing is to be said yet."""
    said = workload.condition(QUOTA_RESERVED)
    if not workload.spec.active:
        return reasons.DEACTIVATED, "The workload is deactivated"
    if is_on_hold(workload) and said is not None:
        return said.reason, said.message
    return (
        queue_blocker(workload, around)
        or _own_problem(workload, around)
        or _gated(workload)
        or _parked(workload, said, around)
        or _waiting(said)
    )


def queue_blocker(workload: Workload, around: Surroundings) -> tuple[str, str] | None:
    """What is wrong with the queues that the workload goes through."""
    local = workload.spec.queue_name
    if around.local_queue is None:
        return reasons.MISCONFIGURED, f"LocalQueue {local} doesn't exist"
    if around.local_queue.spec.stop_policy != NONE:
        return reasons.SUSPENDED, f"LocalQueue {local} is inactive"
    name = around.cluster_queue_name
    if around.cluster_queue is None:
        return reasons.MISCONFIGURED, f"ClusterQueue {name} doesn't exist"
    if not around.is_active:
        return reasons.SUSPENDED, f"ClusterQueue {name} is inactive"
    return None


def _own_problem(workload: Workload, around: Surroundings) -> tuple[str, str] | None:
    if around.selector_error:
        return reasons.MISCONFIGURED, f"invalid namespace selector: {around.selector_error}"
    found = problem(workload, around.namespaces, around.namespace, around.limits)
    return (found.reason, found.message) if found is not None else None


def _gated(workload: Workload) -> tuple[str, str] | None:
    found = gates(workload)
    return (reasons.ADMISSION_GATED, f"Admission is gated by: {found}") if found else None


def _parked(
    workload: Workload, said: Condition | None, around: Surroundings
) -> tuple[str, str] | None:
    if not around.parked_reason or (said is None and is_new(workload, around.now)):
        return None
    if said is not None and said.reason not in _MAY_BE_PARKED:
        return None
    return around.parked_reason, BYPASSED


def is_new(workload: Workload, now: datetime) -> bool:
    """Whether a workload may still be silent about why it waits."""
    created = workload.metadata.creation_timestamp
    return created is None or (now - created).total_seconds() < PATIENCE_SECONDS


def _waiting(said: Condition | None) -> tuple[str, str] | None:
    if said is None:
        return None
    if said.reason in reasons.SAID_BY_SCHEDULER:
        return said.reason, said.message
    return reasons.PENDING_EVALUATION, WAITS
