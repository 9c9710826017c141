"""Who may use how much: ResourceFlavor, ClusterQueue, Cohort, and the quota shapes they share."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from argosy.api.objects.metadata import Condition, LabelSelector, ObjectMeta, View
from argosy.api.objects.nodes import Taint
from argosy.api.objects.pods import Toleration

# A quantity as it was written: custom resources keep a number a number.
Amount: TypeAlias = str | int | float


class ResourceFlavorSpec(View, frozen=True):
    node_labels: dict[str, str] = msgspec.field(default_factory=dict)
    node_taints: tuple[Taint, ...] = ()
    tolerations: tuple[Toleration, ...] = ()
    topology_name: str = ""


class ResourceFlavor(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: ResourceFlavorSpec = ResourceFlavorSpec()


class ResourceQuota(View, frozen=True):
    """One resource of one flavor. No limit given is not the same as a limit of zero."""

    name: str = ""
    nominal_quota: Amount = "0"
    borrowing_limit: Amount | None = None
    lending_limit: Amount | None = None


class FlavorQuotas(View, frozen=True):
    name: str = ""
    resources: tuple[ResourceQuota, ...] = ()


class ResourceGroup(View, frozen=True):
    covered_resources: tuple[str, ...] = ()
    flavors: tuple[FlavorQuotas, ...] = ()


class FairSharing(View, frozen=True):
    weight: Amount = "1"


class FairSharingStatus(View, frozen=True):
    weighted_share: int = 0


class FlavorFungibility(View, frozen=True):
    when_can_borrow: str = "MayStopSearch"
    when_can_preempt: str = "TryNextFlavor"
    preference: str = ""


class BorrowWithinCohort(View, frozen=True):
    policy: str = "Never"
    max_priority_threshold: int | None = None


class ClusterQueuePreemption(View, frozen=True):
    within_cluster_queue: str = "Never"
    reclaim_within_cohort: str = "Never"
    borrow_within_cohort: BorrowWithinCohort | None = None


class AdmissionCheckStrategyRule(View, frozen=True):
    """A check, and the flavors it is for; none named are all."""

    name: str = ""
    on_flavors: tuple[str, ...] = ()


class AdmissionChecksStrategy(View, frozen=True):
    admission_checks: tuple[AdmissionCheckStrategyRule, ...] = ()


class AdmissionScope(View, frozen=True):
    admission_mode: str = ""


class ClusterQueueSpec(View, frozen=True):
    """No namespace selector matches nothing, an empty one everything."""

    resource_groups: tuple[ResourceGroup, ...] = ()
    cohort_name: str = ""
    queueing_strategy: str = "BestEffortFIFO"
    namespace_selector: LabelSelector | None = None
    flavor_fungibility: FlavorFungibility = FlavorFungibility()
    preemption: ClusterQueuePreemption = ClusterQueuePreemption()
    admission_checks_strategy: AdmissionChecksStrategy = AdmissionChecksStrategy()
    stop_policy: str = "None"
    fair_sharing: FairSharing | None = None
    admission_scope: AdmissionScope | None = None


class ResourceUsage(View, frozen=True):
    name: str = ""
    total: str = "0"
    borrowed: str = "0"


class FlavorUsage(View, frozen=True):
    name: str = ""
    resources: tuple[ResourceUsage, ...] = ()


class ClusterQueueStatus(View, frozen=True):
    conditions: tuple[Condition, ...] = ()
    flavors_reservation: tuple[FlavorUsage, ...] = ()
    flavors_usage: tuple[FlavorUsage, ...] = ()
    pending_workloads: int = 0
    reserving_workloads: int = 0
    admitted_workloads: int = 0
    fair_sharing: FairSharingStatus | None = None


class ClusterQueue(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: ClusterQueueSpec = ClusterQueueSpec()
    status: ClusterQueueStatus = ClusterQueueStatus()


class CohortSpec(View, frozen=True):
    parent_name: str = ""
    resource_groups: tuple[ResourceGroup, ...] = ()
    fair_sharing: FairSharing | None = None


class CohortStatus(View, frozen=True):
    fair_sharing: FairSharingStatus | None = None


class Cohort(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: CohortSpec = CohortSpec()
    status: CohortStatus = CohortStatus()
