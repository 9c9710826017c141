"""LocalQueue: a namespace's door to a ClusterQueue, with its share of what its ClusterQueue's tenants consumed."""

from __future__ import annotations

from datetime import datetime

import msgspec

from argosy.api.objects.kueue.quotas import FairSharing, FlavorUsage
from argosy.api.objects.metadata import Condition, ObjectMeta, Quantities, View


class LocalQueueSpec(View, frozen=True):
    cluster_queue: str = ""
    stop_policy: str = "None"
    fair_sharing: FairSharing | None = None


class AdmissionFairSharingStatus(View, frozen=True):
    consumed_resources: Quantities = msgspec.field(default_factory=dict)
    last_update: datetime | None = None


class LocalQueueFairSharingStatus(View, frozen=True):
    weighted_share: int = 0
    admission_fair_sharing_status: AdmissionFairSharingStatus | None = None


class LocalQueueStatus(View, frozen=True):
    conditions: tuple[Condition, ...] = ()
    pending_workloads: int = 0
    reserving_workloads: int = 0
    admitted_workloads: int = 0
    flavors_reservation: tuple[FlavorUsage, ...] = ()
    flavors_usage: tuple[FlavorUsage, ...] = ()
    fair_sharing: LocalQueueFairSharingStatus | None = None


class LocalQueue(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: LocalQueueSpec = LocalQueueSpec()
    status: LocalQueueStatus = LocalQueueStatus()
