"""Workload: what a job asks for, and what was decided about it."""

from __future__ import annotations

from datetime import datetime

import msgspec

from argosy.api.objects.metadata import (
    Condition,
    ObjectMeta,
    Quantities,
    View,
    find_condition,
    is_true,
)
from argosy.api.objects.pods import Toleration
from argosy.base.types import Object

QUOTA_RESERVED = "QuotaReserved"
ADMITTED = "Admitted"
EVICTED = "Evicted"
PREEMPTED = "Preempted"
FINISHED = "Finished"
REQUEUED = "Requeued"
PODS_READY = "PodsReady"
DEACTIVATION_TARGET = "DeactivationTarget"
WAITING_FOR_REPLACEMENT_PODS = "WaitingForReplacementPods"
BLOCKED_ON_PREEMPTION_GATES = "BlockedOnPreemptionGates"


class SliceConstraint(View, frozen=True):
    topology: str = ""
    size: int = 0


class TopologyRequest(View, frozen=True):
    required: str | None = None
    preferred: str | None = None
    unconstrained: bool | None = None
    pod_index_label: str | None = None
    sub_group_index_label: str | None = None
    sub_group_count: int | None = None
    pod_set_group_name: str | None = None
    pod_set_slice_required_topology: str | None = None
    pod_set_slice_size: int | None = None
    podset_slice_required_topology_constraints: tuple[SliceConstraint, ...] = ()


class PodSet(View, frozen=True):
    """Pods of one shape. The template stays a dict."""

    name: str = "main"
    count: int = 1
    min_count: int | None = None
    template: Object = msgspec.field(default_factory=dict)
    topology_request: TopologyRequest | None = None


class PriorityClassRef(View, frozen=True):
    group: str = ""
    kind: str = ""
    name: str = ""


class PreemptionGate(View, frozen=True):
    name: str = ""


class WorkloadSpec(View, frozen=True):
    pod_sets: tuple[PodSet, ...] = ()
    queue_name: str = ""
    priority_class_ref: PriorityClassRef | None = None
    priority: int | None = None
    active: bool = True
    maximum_execution_time_seconds: int | None = None
    preemption_gates: tuple[PreemptionGate, ...] = ()


class PodSetAssignment(View, frozen=True):
    """`resource_usage` is the whole pod set's, not a pod's."""

    name: str = "main"
    flavors: dict[str, str] = msgspec.field(default_factory=dict)
    resource_usage: Quantities = msgspec.field(default_factory=dict)
    count: int | None = None
    topology_assignment: Object | None = None
    delayed_topology_request: str | None = None


class Admission(View, frozen=True):
    cluster_queue: str = ""
    pod_set_assignments: tuple[PodSetAssignment, ...] = ()


class RequeueState(View, frozen=True):
    count: int | None = None
    requeue_at: datetime | None = None


class ReclaimablePod(View, frozen=True):
    name: str = ""
    count: int = 0


class PodSetUpdate(View, frozen=True):
    name: str = ""
    labels: dict[str, str] = msgspec.field(default_factory=dict)
    annotations: dict[str, str] = msgspec.field(default_factory=dict)
    node_selector: dict[str, str] = msgspec.field(default_factory=dict)
    tolerations: tuple[Toleration, ...] = ()


class AdmissionCheckState(View, frozen=True):
    name: str = ""
    state: str = ""
    last_transition_time: datetime | None = None
    message: str = ""
    requeue_after_seconds: int | None = None
    retry_count: int | None = None
    pod_set_updates: tuple[PodSetUpdate, ...] = ()


class PodSetRequest(View, frozen=True):
    name: str = ""
    resources: Quantities = msgspec.field(default_factory=dict)


class EvictionCount(View, frozen=True):
    reason: str = ""
    underlying_cause: str = ""
    count: int = 0


class SchedulingStats(View, frozen=True):
    evictions: tuple[EvictionCount, ...] = ()


class UnhealthyNode(View, frozen=True):
    name: str = ""


class PreemptionGateState(View, frozen=True):
    name: str = ""
    position: str = ""
    last_transition_time: datetime | None = None


class WorkloadStatus(View, frozen=True):
    conditions: tuple[Condition, ...] = ()
    admission: Admission | None = None
    requeue_state: RequeueState | None = None
    reclaimable_pods: tuple[ReclaimablePod, ...] = ()
    admission_checks: tuple[AdmissionCheckState, ...] = ()
    resource_requests: tuple[PodSetRequest, ...] = ()
    accumulated_past_execution_time_seconds: int | None = None
    scheduling_stats: SchedulingStats | None = None
    nominated_cluster_names: tuple[str, ...] = ()
    cluster_name: str | None = None
    unhealthy_nodes: tuple[UnhealthyNode, ...] = ()
    preemption_gates: tuple[PreemptionGateState, ...] = ()


class Workload(View, frozen=True):
    """Finished, admitted, with quota reserved, or pending: the first that is true."""

    metadata: ObjectMeta = ObjectMeta()
    spec: WorkloadSpec = WorkloadSpec()
    status: WorkloadStatus = WorkloadStatus()

    def condition(self, type_: str) -> Condition | None:
        return find_condition(self.status.conditions, type_)

    def holds(self, type_: str) -> bool:
        """Whether the condition of a type is True."""
        return is_true(self.status.conditions, type_)

    @property
    def is_finished(self) -> bool:
        return self.holds(FINISHED)

    @property
    def is_admitted(self) -> bool:
        return self.holds(ADMITTED)

    @property
    def is_evicted(self) -> bool:
        return self.holds(EVICTED)

    @property
    def has_quota_reservation(self) -> bool:
        return self.holds(QUOTA_RESERVED)
