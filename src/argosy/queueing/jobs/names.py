"""What job kinds and Kueue agree on by name: labels, annotations, gates, finalizers, reasons of events.

All of them are seen by users and other programs, so they are upstream's to the letter.
"""

from __future__ import annotations

from typing import Final

PREFIX: Final = "kueue.x-k8s.io/"

# Labels of jobs.
QUEUE_NAME: Final = f"{PREFIX}queue-name"
PRIORITY_CLASS: Final = f"{PREFIX}priority-class"
MAX_EXEC_TIME_SECONDS: Final = f"{PREFIX}max-exec-time-seconds"
PREBUILT_WORKLOAD: Final = f"{PREFIX}prebuilt-workload-name"

# Annotations of jobs.
MIN_PARALLELISM: Final = f"{PREFIX}job-min-parallelism"
COMPLETIONS_EQUAL_PARALLELISM: Final = f"{PREFIX}job-completions-equal-parallelism"
STOPPING: Final = f"{PREFIX}stopping"
ELASTIC_JOB: Final = f"{PREFIX}elastic-job"
PROVISIONING_PREFIX: Final = "provreq.kueue.x-k8s.io/"

# Annotations of pod templates, for topologies.
REQUIRED_TOPOLOGY: Final = f"{PREFIX}podset-required-topology"
PREFERRED_TOPOLOGY: Final = f"{PREFIX}podset-preferred-topology"
UNCONSTRAINED_TOPOLOGY: Final = f"{PREFIX}podset-unconstrained-topology"
SLICE_REQUIRED_TOPOLOGY: Final = f"{PREFIX}podset-slice-required-topology"
SLICE_SIZE: Final = f"{PREFIX}podset-slice-size"
SLICE_CONSTRAINTS: Final = f"{PREFIX}podset-slice-required-topology-constraints"
POD_SET_GROUP: Final = f"{PREFIX}podset-group-name"

# Pods, alone and in groups.
MANAGED: Final = f"{PREFIX}managed"
POD_GROUP_NAME: Final = f"{PREFIX}pod-group-name"
POD_GROUP_TOTAL_COUNT: Final = f"{PREFIX}pod-group-total-count"
POD_GROUP_FAST_ADMISSION: Final = f"{PREFIX}pod-group-fast-admission"
POD_GROUP_SERVING: Final = f"{PREFIX}pod-group-serving"
POD_GROUP_POD_INDEX: Final = f"{PREFIX}pod-group-pod-index"
POD_GROUP_POD_INDEX_LABEL: Final = f"{PREFIX}pod-group-pod-index-label"
ROLE_HASH: Final = f"{PREFIX}role-hash"
RETRIABLE_IN_GROUP: Final = f"{PREFIX}retriable-in-group"
IS_GROUP_WORKLOAD: Final = f"{PREFIX}is-group-workload"
SUSPENDING_PARENT: Final = f"{PREFIX}pod-suspending-parent"

# What pods are given at their start.
POD_SET_LABEL: Final = f"{PREFIX}podset"
LOCAL_QUEUE_LABEL: Final = f"{PREFIX}local-queue-name"
CLUSTER_QUEUE_LABEL: Final = f"{PREFIX}cluster-queue-name"
WORKLOAD_ANNOTATION: Final = f"{PREFIX}workload"

# Workloads.
MULTI_KUEUE_CONTROLLER: Final = f"{PREFIX}multikueue"

# Scheduling gates.
ADMISSION_GATE: Final = f"{PREFIX}admission"
TOPOLOGY_GATE: Final = f"{PREFIX}topology"

DEFAULT_LOCAL_QUEUE: Final = "default"
DEFAULT_PRIORITY_CLASS: Final = "default"
MAIN: Final = "main"

# Reasons of events about jobs.
STARTED: Final = "Started"
SUSPENDED: Final = "Suspended"
STOPPED: Final = "Stopped"
DELETED: Final = "Deleted"
CREATED_WORKLOAD: Final = "CreatedWorkload"
DELETED_WORKLOAD: Final = "DeletedWorkload"
UPDATED_WORKLOAD: Final = "UpdatedWorkload"
FINISHED_WORKLOAD: Final = "FinishedWorkload"
ERR_WORKLOAD_COMPOSE: Final = "ErrWorkloadCompose"
UPDATED_ADMISSION_CHECK: Final = "UpdatedAdmissionCheck"
JOB_NESTING_TOO_DEEP: Final = "JobNestingTooDeep"
PRIORITY_CLASS_NOT_FOUND: Final = "WorkloadPriorityClassNotFound"
# Ours: the queue was found where old guides put it.
QUEUE_NAME_ANNOTATION: Final = "QueueNameAnnotation"
