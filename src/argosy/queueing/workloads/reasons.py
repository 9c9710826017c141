"""The words of a Workload's conditions and events: reasons and messages, as users and scripts know them from Kueue.

They are an interface: the spelling is upstream's to the letter, and a reason never changes its meaning. Types of
conditions stand with the typed view (`argosy.api.objects.kueue.workloads`).
"""

from __future__ import annotations

from typing import Final

# Why a workload has no quota reserved. The first group is said by the scheduler and stands until its next look.
WAITING_FOR_QUOTA: Final = "WaitingForQuota"
NO_MATCHING_FLAVOR: Final = "NoMatchingFlavor"
EXCEEDS_MAX_QUOTA: Final = "ExceedsMaxQuota"
TOPOLOGY_PLACEMENT_FAILED: Final = "TopologyPlacementFailed"
WAITING_FOR_PREEMPTED_WORKLOADS: Final = "WaitingForPreemptedWorkloads"
WAITING_FOR_PODS_READY: Final = "WaitingForPodsReady"
PENDING_EVALUATION: Final = "PendingEvaluation"
MISCONFIGURED: Final = "Misconfigured"
SUSPENDED: Final = "Suspended"
ADMISSION_GATED: Final = "AdmissionGated"
ON_HOLD: Final = "OnHold"
DEACTIVATED: Final = "Deactivated"
# What older versions said; met in stored objects only.
PENDING: Final = "Pending"
INADMISSIBLE: Final = "Inadmissible"

SAID_BY_SCHEDULER: Final = frozenset(
    {
        WAITING_FOR_QUOTA,
        NO_MATCHING_FLAVOR,
        EXCEEDS_MAX_QUOTA,
        TOPOLOGY_PLACEMENT_FAILED,
        WAITING_FOR_PREEMPTED_WORKLOADS,
        WAITING_FOR_PODS_READY,
        PENDING_EVALUATION,
    }
)

# Why it has, and is or is not admitted.
QUOTA_RESERVED: Final = "QuotaReserved"
ADMITTED: Final = "Admitted"
NO_RESERVATION: Final = "NoReservation"
UNSATISFIED_CHECKS: Final = "UnsatisfiedAdmissionChecks"
PENDING_TOPOLOGY_REQUESTS: Final = "PendingDelayedTopologyRequests"

# Why it was evicted; DEACTIVATED also names its cause: `DeactivatedDueTo<Cause>`.
PREEMPTED: Final = "Preempted"
PODS_READY_TIMEOUT: Final = "PodsReadyTimeout"
ADMISSION_CHECK: Final = "AdmissionCheck"
CLUSTER_QUEUE_STOPPED: Final = "ClusterQueueStopped"
LOCAL_QUEUE_STOPPED: Final = "LocalQueueStopped"
NODE_FAILURES: Final = "NodeFailures"

# Why it may be queued again.
REACTIVATED: Final = "Reactivated"
BACKOFF_FINISHED: Final = "BackoffFinished"
CLUSTER_QUEUE_RESTARTED: Final = "ClusterQueueRestarted"
LOCAL_QUEUE_RESTARTED: Final = "LocalQueueRestarted"

# Why it is going to be deactivated.
REQUEUING_LIMIT_EXCEEDED: Final = "RequeuingLimitExceeded"
MAXIMUM_EXECUTION_TIME_EXCEEDED: Final = "MaximumExecutionTimeExceeded"

# Why it is over.
SUCCEEDED: Final = "Succeeded"
FAILED: Final = "Failed"
OUT_OF_SYNC: Final = "OutOfSync"
OWNER_NOT_FOUND: Final = "OwnerNotFound"
WORKLOAD_SLICE_REPLACED: Final = "WorkloadSliceReplaced"
FAILED_TO_START: Final = "FailedToStart"

# Whether its pods are ready.
STARTED: Final = "Started"
RECOVERED: Final = "Recovered"
WAIT_FOR_START: Final = "WaitForStart"
WAIT_FOR_RECOVERY: Final = "WaitForRecovery"

# States of admission checks.
CHECK_PENDING: Final = "Pending"
CHECK_READY: Final = "Ready"
CHECK_RETRY: Final = "Retry"
CHECK_REJECTED: Final = "Rejected"


def due_to(reason: str, cause: str) -> str:
    """A reason that names its cause."""
    return f"{reason}DueTo{cause}"
