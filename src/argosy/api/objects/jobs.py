"""Jobs. The pod template stays a dict, because pods are made from all of it."""

from __future__ import annotations

from datetime import datetime

import msgspec

from argosy.api.objects.metadata import Condition, LabelSelector, ObjectMeta, View, is_true
from argosy.base.types import Object


class JobSpec(View, frozen=True):
    parallelism: int | None = None
    completions: int | None = None
    completion_mode: str = "NonIndexed"
    backoff_limit: int | None = None
    backoff_limit_per_index: int | None = None
    max_failed_indexes: int | None = None
    active_deadline_seconds: int | None = None
    ttl_seconds_after_finished: int | None = None
    suspend: bool = False
    selector: LabelSelector | None = None
    template: Object = msgspec.field(default_factory=dict)
    pod_failure_policy: Object | None = None
    success_policy: Object | None = None
    pod_replacement_policy: str | None = None
    managed_by: str | None = None


class UncountedTerminatedPods(View, frozen=True):
    """Pods that have ended and are not in the counters yet; by uid."""

    succeeded: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


class JobStatus(View, frozen=True):
    active: int = 0
    ready: int | None = None
    succeeded: int = 0
    failed: int = 0
    terminating: int | None = None
    start_time: datetime | None = None
    completion_time: datetime | None = None
    completed_indexes: str = ""
    failed_indexes: str | None = None
    uncounted_terminated_pods: UncountedTerminatedPods | None = None
    conditions: tuple[Condition, ...] = ()


class Job(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: JobSpec = JobSpec()
    status: JobStatus = JobStatus()

    @property
    def is_finished(self) -> bool:
        conditions = self.status.conditions
        return is_true(conditions, "Complete") or is_true(conditions, "Failed")
