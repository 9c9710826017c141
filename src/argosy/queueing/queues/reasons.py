"""Why a workload comes back from the scheduler, and what that means for its place: tried again at once, or parked.

StrictFIFO never looks past its head, so its head comes back at once unless its namespace does not belong there.
BestEffortFIFO parks what cannot be admitted and goes on, and takes back at once only what failed by bad luck or waits
for its own victims. A refusal says why a workload is not put in line at all; its text is Kueue's.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

BEST_EFFORT_FIFO: Final = "BestEffortFIFO"
STRICT_FIFO: Final = "StrictFIFO"
PENDING_EVALUATION: Final = "PendingEvaluation"


class RequeueReason(StrEnum):
    """How the scheduler's attempt ended."""

    GENERIC = ""
    FAILED_AFTER_NOMINATION = "FailedAfterNomination"
    NAMESPACE_MISMATCH = "NamespaceMismatch"
    PREEMPTION_GATED = "PreemptionGated"
    PENDING_PREEMPTION = "PendingPreemption"
    PENDING_MIGRATION = "PendingMigration"
    PREEMPTION_FAILED = "PreemptionFailed"
    NO_FIT = "NoFit"
    PREEMPTION_NO_CANDIDATES = "PreemptionNoCandidates"


class Refusal(StrEnum):
    """Why a workload is not in line."""

    INADMISSIBLE = "workload is inadmissible and can't be added to a LocalQueue"
    NO_LOCAL_QUEUE = "localQueue doesn't exist or inactive"
    NO_CLUSTER_QUEUE = "clusterQueue doesn't exist"


# The workload has victims that are about to go; what they free is meant for it.
PREEMPTING: Final = frozenset({RequeueReason.PENDING_PREEMPTION, RequeueReason.PENDING_MIGRATION})
# Every workload of the same shape would fail the same way.
SHARED_BY_EQUIVALENTS: Final = frozenset(
    {RequeueReason.NO_FIT, RequeueReason.PREEMPTION_NO_CANDIDATES}
)
_BEST_EFFORT_IMMEDIATE: Final = PREEMPTING | {
    RequeueReason.FAILED_AFTER_NOMINATION,
    RequeueReason.PREEMPTION_FAILED,
}


def is_immediate(reason: RequeueReason, strategy: str) -> bool:
    """Whether a workload goes back in line at once."""
    if strategy == STRICT_FIFO:
        return reason is not RequeueReason.NAMESPACE_MISMATCH
    return reason in _BEST_EFFORT_IMMEDIATE
