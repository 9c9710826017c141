"""AdmissionCheck, WorkloadPriorityClass, Topology, and the parameters of checks: MultiKueue and provisioning."""

from __future__ import annotations

import msgspec

from argosy.api.objects.metadata import Condition, ObjectMeta, View


class CheckParameters(View, frozen=True):
    api_group: str = ""
    kind: str = ""
    name: str = ""


class AdmissionCheckSpec(View, frozen=True):
    controller_name: str = ""
    parameters: CheckParameters | None = None


class AdmissionCheckStatus(View, frozen=True):
    conditions: tuple[Condition, ...] = ()


class AdmissionCheck(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: AdmissionCheckSpec = AdmissionCheckSpec()
    status: AdmissionCheckStatus = AdmissionCheckStatus()


class WorkloadPriorityClass(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    value: int = 0
    description: str = ""


class TopologyLevel(View, frozen=True):
    node_label: str = ""


class TopologySpec(View, frozen=True):
    levels: tuple[TopologyLevel, ...] = ()


class Topology(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: TopologySpec = TopologySpec()


class RetryStrategy(View, frozen=True):
    backoff_limit_count: int = 3
    backoff_base_seconds: int = 60
    backoff_max_seconds: int = 1800


class ProvisioningRequestConfigSpec(View, frozen=True):
    provisioning_class_name: str = ""
    parameters: dict[str, str] = msgspec.field(default_factory=dict)
    managed_resources: tuple[str, ...] = ()
    retry_strategy: RetryStrategy = RetryStrategy()
    pod_set_merge_policy: str | None = None


class ProvisioningRequestConfig(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: ProvisioningRequestConfigSpec = ProvisioningRequestConfigSpec()
