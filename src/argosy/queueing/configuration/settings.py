"""What a Configuration says, as values: the v1beta2 form, with its defaults.

Durations are seconds. A block that is None is off. Settings of Kueue's own process (webhook port, certificates, leader
election, rate limits) are read, so that a file that works there works here, and mean nothing: this control plane has no
such parts.

The one default that is not upstream's: without a list of frameworks all job kinds whose resources the cluster serves
are managed, not batch/job alone. A file that lists frameworks decides.
"""

from __future__ import annotations

from typing import Final

import msgspec

from argosy.base.selectors import labels as selectors
from argosy.base.types import Json, Object

OWN_NAMESPACE: Final = "kueue-system"
CREATION, EVICTION = "Creation", "Eviction"
LESS_THAN_OR_EQUAL_TO_FINAL_SHARE: Final = "LessThanOrEqualToFinalShare"
LESS_THAN_INITIAL_SHARE: Final = "LessThanInitialShare"
BLOCK_UNDECLARED, IGNORE_UNDECLARED = "BlockUndeclared", "IgnoreUndeclared"
RETAIN, REPLACE = "Retain", "Replace"


class Duration(float):
    """Seconds, written as Go writes durations."""

    __slots__ = ()


class Amount(str):
    """A quantity, as text; files may give a number."""

    __slots__ = ()


class Setting(msgspec.Struct, frozen=True, rename="camel"):
    """The base of all blocks."""


class RequeuingStrategy(Setting, frozen=True):
    """When a workload whose pods did not get ready is tried again; None retries without end."""

    timestamp: str = EVICTION
    backoff_limit_count: int | None = None
    backoff_base_seconds: int = 60
    backoff_max_seconds: int = 3600


class WaitForPodsReady(Setting, frozen=True):
    """`recovery_timeout`: how long pods may be missing once all were ready; None means never mind."""

    timeout: Duration = Duration(30 * 60)
    block_admission: bool = False
    recovery_timeout: Duration | None = None
    requeuing_strategy: RequeuingStrategy = RequeuingStrategy()


class Integrations(Setting, frozen=True):
    """Which kinds of jobs are managed; none named are all that are served."""

    frameworks: tuple[str, ...] = ()
    external_frameworks: tuple[str, ...] = ()
    label_keys_to_copy: tuple[str, ...] = ()


class FairSharing(Setting, frozen=True):
    preemption_strategies: tuple[str, ...] = (
        LESS_THAN_OR_EQUAL_TO_FINAL_SHARE,
        LESS_THAN_INITIAL_SHARE,
    )


class AdmissionFairSharing(Setting, frozen=True):
    usage_half_life_time: Duration = Duration(0)
    usage_sampling_interval: Duration = Duration(5 * 60)
    resource_weights: dict[str, float] = msgspec.field(default_factory=dict)


class ResourceTransformation(Setting, frozen=True):
    """Outputs are quantities per unit of the input."""

    input: str = ""
    strategy: str = RETAIN
    multiply_by: str = ""
    outputs: dict[str, Amount] = msgspec.field(default_factory=dict)


class DeviceClassMapping(Setting, frozen=True):
    name: str = ""
    device_class_names: tuple[str, ...] = ()
    sources: tuple[Json, ...] = ()


class Resources(Setting, frozen=True):
    quota_check_strategy: str = BLOCK_UNDECLARED
    exclude_resource_prefixes: tuple[str, ...] = ()
    transformations: tuple[ResourceTransformation, ...] = ()
    device_class_mappings: tuple[DeviceClassMapping, ...] = ()


class WorkloadRetention(Setting, frozen=True):
    """None keeps them for ever."""

    after_finished: Duration | None = None
    after_deactivated_by_kueue: Duration | None = None


class ObjectRetentionPolicies(Setting, frozen=True):
    workloads: WorkloadRetention = WorkloadRetention()


class LocalQueueMetrics(Setting, frozen=True):
    enable: bool = True
    local_queue_selector: Json = None


class Metrics(Setting, frozen=True):
    bind_address: str = ":8443"
    enable_cluster_queue_resources: bool = False
    custom_labels: tuple[Json, ...] = ()
    local_queue_metrics: LocalQueueMetrics = LocalQueueMetrics()


class ExternalFramework(Setting, frozen=True):
    name: str = ""


class IncrementalDispatcher(Setting, frozen=True):
    step_size: int = 3


class MultiKueue(Setting, frozen=True):
    gc_interval: Duration = Duration(60)
    origin: str = "multikueue"
    worker_lost_timeout: Duration = Duration(15 * 60)
    dispatcher_name: str = "kueue.x-k8s.io/multikueue-dispatcher-all-at-once"
    incremental_dispatcher_config: IncrementalDispatcher = IncrementalDispatcher()
    external_frameworks: tuple[ExternalFramework, ...] = ()
    cluster_profile: Json = None


class VisibilityServer(Setting, frozen=True):
    bind_address: str = ""
    bind_port: int = 8082


class InternalCertManagement(Setting, frozen=True):
    enable: bool = True
    webhook_service_name: str = "kueue-webhook-service"
    webhook_secret_name: str = "kueue-webhook-server-cert"  # noqa: S105  (a name)


class ClientConnection(Setting, frozen=True):
    qps: float = 300.0
    burst: int = 500


class Controllers(Setting, frozen=True):
    group_kind_concurrency: dict[str, int] = msgspec.field(default_factory=dict)
    cache_sync_timeout: Json = None


class Configuration(Setting, frozen=True):
    """Everything. `managed_jobs_namespace_selector` holds for all jobs, also for those that name a queue."""

    namespace: str = OWN_NAMESPACE
    manage_jobs_without_queue_name: bool = False
    managed_jobs_namespace_selector: Object | None = None
    wait_for_pods_ready: WaitForPodsReady | None = WaitForPodsReady(
        recovery_timeout=Duration(30 * 60)
    )
    integrations: Integrations = Integrations()
    fair_sharing: FairSharing | None = None
    admission_fair_sharing: AdmissionFairSharing | None = None
    resources: Resources = Resources()
    object_retention_policies: ObjectRetentionPolicies = ObjectRetentionPolicies()
    feature_gates: dict[str, bool] = msgspec.field(default_factory=dict)
    metrics: Metrics = Metrics()
    multi_kueue: MultiKueue = MultiKueue()
    visibility_server: VisibilityServer = VisibilityServer()
    internal_cert_management: InternalCertManagement = InternalCertManagement()
    client_connection: ClientConnection = ClientConnection()
    controller: Controllers = Controllers()
    webhook: Json = None
    leader_election: Json = None
    health: Json = None
    pprof_bind_address: str = ""
    tls: Json = None

    @property
    def managed_namespaces(self) -> selectors.LabelSelector:
        """Matches the labels of namespaces whose jobs are managed."""
        return selectors.from_object(self.managed_jobs_namespace_selector or self._all_but_system)

    @property
    def _all_but_system(self) -> Object:
        names = ["kube-system", self.namespace]
        key = "kubernetes.io/metadata.name"
        return {"matchExpressions": [{"key": key, "operator": "NotIn", "values": names}]}
