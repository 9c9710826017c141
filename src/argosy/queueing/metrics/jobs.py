"""Jobs and their pods in numbers: how long a job waits for its Workload, and an admitted pod for its gate to go."""

from __future__ import annotations

from datetime import datetime

from argosy.api.objects.kueue.workloads import ADMITTED, Workload
from argosy.base.metrics import Registry
from argosy.base.timestamps import parse_time
from argosy.base.types import Object
from argosy.queueing.metrics.families import ROLE, histogram


class JobMetrics:
    """One registry, one of these."""

    def __init__(self, registry: Registry) -> None:
        self._creations = histogram(
            registry,
            "workload_creation_latency_seconds",
            "From the creation of a job to that of its Workload.",
            ("job_kind",),
        )
        self._removals = histogram(
            registry,
            "pod_scheduling_gate_removal_seconds",
            "From admission to the removal of a pod's scheduling gate.",
            ("name", "cluster_queue", "is_group"),
        )

    def created(self, kind: str, job: Object, now: datetime) -> None:
        """A job's Workload was made."""
        made = parse_time(job["metadata"]["creationTimestamp"])
        self._creations.observe((kind, ROLE), max(0.0, (now - made).total_seconds()))

    def ungated(self, gate: str, workload: Workload, now: datetime, *, is_group: bool) -> None:
        """A pod of an admitted workload lost its gate."""
        admitted, admission = workload.condition(ADMITTED), workload.status.admission
        if admitted is None or admitted.last_transition_time is None or admission is None:
            return
        # Conditions keep whole seconds, and clocks differ.
        took = max(0.0, (now - admitted.last_transition_time).total_seconds())
        labels = (gate, admission.cluster_queue, str(is_group).lower(), ROLE)
        self._removals.observe(labels, took)
