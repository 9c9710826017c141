"""ClusterResourceBinding and ResourceBinding: a placement on one cluster."""

from __future__ import annotations

from argosy.api.objects.fleet.placements import ApplyStrategy, NamespacedName
from argosy.api.objects.fleet.snapshots import ClusterDecision
from argosy.api.objects.metadata import Condition, ObjectMeta, View
from argosy.base.types import Object

# Its states.
SCHEDULED = "Scheduled"
BOUND = "Bound"
UNSCHEDULED = "Unscheduled"

# Its conditions, in the order they are reached.
ROLLOUT_STARTED = "RolloutStarted"
OVERRIDDEN = "Overridden"
WORK_SYNCHRONIZED = "WorkSynchronized"
APPLIED = "Applied"
AVAILABLE = "Available"
DIFF_REPORTED = "DiffReported"


class BindingSpec(View, frozen=True):
    state: str = ""
    resource_snapshot_name: str = ""
    resource_override_snapshots: tuple[NamespacedName, ...] = ()
    cluster_resource_override_snapshots: tuple[str, ...] = ()
    scheduling_policy_snapshot_name: str = ""
    target_cluster: str = ""
    cluster_decision: ClusterDecision = ClusterDecision("", False)
    apply_strategy: ApplyStrategy | None = None


class BindingStatus(View, frozen=True):
    failed_placements: tuple[Object, ...] = ()
    drifted_placements: tuple[Object, ...] = ()
    diffed_placements: tuple[Object, ...] = ()
    conditions: tuple[Condition, ...] = ()


class Binding(View, frozen=True):
    """Of either kind: it has a namespace or not."""

    metadata: ObjectMeta = ObjectMeta()
    spec: BindingSpec = BindingSpec()
    status: BindingStatus = BindingStatus()
