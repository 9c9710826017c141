"""JobSets (jobset.x-k8s.io/v1alpha2). Job templates stay dicts, because Jobs are made from all of them."""

from __future__ import annotations

import msgspec

from argosy.api.objects.metadata import Condition, ObjectMeta, View, is_true
from argosy.base.types import Object


class DependsOn(View, frozen=True):
    name: str = ""
    status: str = ""


class ReplicatedJob(View, frozen=True):
    name: str = ""
    group_name: str = "default"
    replicas: int = 1
    template: Object = msgspec.field(default_factory=dict)
    depends_on: tuple[DependsOn, ...] = ()


class Network(View, frozen=True):
    enable_dns_hostnames: bool = msgspec.field(name="enableDNSHostnames", default=False)
    subdomain: str = ""
    publish_not_ready_addresses: bool = True


class SuccessPolicy(View, frozen=True):
    operator: str = "All"
    target_replicated_jobs: tuple[str, ...] = ()


class FailurePolicyRule(View, frozen=True):
    name: str = ""
    action: str = ""
    on_job_failure_reasons: tuple[str, ...] = ()
    on_job_failure_message_patterns: tuple[str, ...] = ()
    target_replicated_jobs: tuple[str, ...] = ()


class FailurePolicy(View, frozen=True):
    max_restarts: int = 0
    restart_strategy: str = "Recreate"
    rules: tuple[FailurePolicyRule, ...] = ()


class StartupPolicy(View, frozen=True):
    startup_policy_order: str = "AnyOrder"


class Coordinator(View, frozen=True):
    replicated_job: str = ""
    job_index: int = 0
    pod_index: int = 0


class JobSetSpec(View, frozen=True):
    replicated_jobs: tuple[ReplicatedJob, ...] = ()
    network: Network = Network()
    success_policy: SuccessPolicy = SuccessPolicy()
    failure_policy: FailurePolicy | None = None
    startup_policy: StartupPolicy = StartupPolicy()
    suspend: bool = False
    coordinator: Coordinator | None = None
    managed_by: str | None = None
    ttl_seconds_after_finished: int | None = None


class ReplicatedJobStatus(View, frozen=True):
    """How many child Jobs are in which state. All counters are always written."""

    name: str = ""
    ready: int = 0
    succeeded: int = 0
    failed: int = 0
    active: int = 0
    suspended: int = 0


class JobSetStatus(View, frozen=True):
    conditions: tuple[Condition, ...] = ()
    restarts: int = 0
    restarts_count_towards_max: int = 0
    terminal_state: str = ""
    replicated_jobs_status: tuple[ReplicatedJobStatus, ...] = ()


class JobSet(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: JobSetSpec = JobSetSpec()
    status: JobSetStatus = JobSetStatus()

    @property
    def is_finished(self) -> bool:
        conditions = self.status.conditions
        return is_true(conditions, "Completed") or is_true(conditions, "Failed")
