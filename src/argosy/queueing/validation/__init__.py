"""What Kueue's webhooks refuse: pure functions from an object (and what it was) to field errors.

They see objects in v1beta2 that have passed their schema and its rules. `admission` asks them on every write.
"""

from __future__ import annotations

from argosy.queueing.validation.annotations import validate_gates, validate_gates_update
from argosy.queueing.validation.flavors import validate_resource_flavor
from argosy.queueing.validation.gates import DEFAULTS, Gates
from argosy.queueing.validation.queues import (
    validate_cluster_queue,
    validate_cluster_queue_update,
    validate_cohort,
)
from argosy.queueing.validation.workloads import validate_workload, validate_workload_update

__all__ = [
    "DEFAULTS",
    "Gates",
    "validate_cluster_queue",
    "validate_cluster_queue_update",
    "validate_cohort",
    "validate_gates",
    "validate_gates_update",
    "validate_resource_flavor",
    "validate_workload",
    "validate_workload_update",
]
