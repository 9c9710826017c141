"""Sets of pods: ReplicaSet and ReplicationController, Deployment, StatefulSet, DaemonSet, and their revisions.

Pod templates, claim templates and selectors stay dicts: pods and claims are made from all of a template, and selectors
are compiled as they are. Statuses are complete, because their controllers compare them as a whole.
"""

from __future__ import annotations

from datetime import datetime
from typing import TypeAlias

import msgspec

from argosy.api.objects.metadata import Condition, ObjectMeta, View
from argosy.base.types import Object

# A number, or a percentage such as "25%".
IntOrPercent: TypeAlias = int | str


class ReplicaSetSpec(View, frozen=True):
    replicas: int = 1
    min_ready_seconds: int = 0
    selector: Object | None = None
    template: Object = msgspec.field(default_factory=dict)


class ReplicaSetStatus(View, frozen=True):
    replicas: int = 0
    fully_labeled_replicas: int = 0
    ready_replicas: int = 0
    available_replicas: int = 0
    terminating_replicas: int | None = None
    observed_generation: int = 0
    conditions: tuple[Condition, ...] = ()


class ReplicaSet(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: ReplicaSetSpec = ReplicaSetSpec()
    status: ReplicaSetStatus = ReplicaSetStatus()

    @property
    def selector(self) -> Object | None:
        return self.spec.selector

    @property
    def size(self) -> int:
        """How many pods it was last seen to have."""
        return self.status.replicas


class ReplicationControllerSpec(View, frozen=True):
    replicas: int = 1
    min_ready_seconds: int = 0
    selector: dict[str, str] = msgspec.field(default_factory=dict)
    template: Object = msgspec.field(default_factory=dict)


class ReplicationController(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: ReplicationControllerSpec = ReplicationControllerSpec()
    status: ReplicaSetStatus = ReplicaSetStatus()

    @property
    def selector(self) -> Object | None:
        """As a selector of a ReplicaSet would say it."""
        return {"matchLabels": self.spec.selector} if self.spec.selector else None

    @property
    def size(self) -> int:
        """How many pods it was last seen to have."""
        return self.status.replicas


class RollingUpdateDeployment(View, frozen=True):
    max_surge: IntOrPercent | None = None
    max_unavailable: IntOrPercent | None = None


class DeploymentStrategy(View, frozen=True):
    type: str = "RollingUpdate"
    rolling_update: RollingUpdateDeployment | None = None


class DeploymentSpec(View, frozen=True):
    replicas: int = 1
    selector: Object | None = None
    template: Object = msgspec.field(default_factory=dict)
    strategy: DeploymentStrategy = DeploymentStrategy()
    min_ready_seconds: int = 0
    revision_history_limit: int | None = None
    paused: bool = False
    progress_deadline_seconds: int | None = None


class DeploymentCondition(View, frozen=True):
    """A condition that also says when it was last looked at with news."""

    type: str = ""
    status: str = ""
    last_update_time: datetime | None = None
    last_transition_time: datetime | None = None
    reason: str = ""
    message: str = ""


class DeploymentStatus(View, frozen=True):
    observed_generation: int = 0
    replicas: int = 0
    updated_replicas: int = 0
    ready_replicas: int = 0
    available_replicas: int = 0
    unavailable_replicas: int = 0
    terminating_replicas: int | None = None
    conditions: tuple[DeploymentCondition, ...] = ()
    collision_count: int | None = None


class Deployment(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: DeploymentSpec = DeploymentSpec()
    status: DeploymentStatus = DeploymentStatus()

    @property
    def selector(self) -> Object | None:
        return self.spec.selector


class RollingUpdateStatefulSet(View, frozen=True):
    partition: int = 0
    max_unavailable: IntOrPercent | None = None


class StatefulSetUpdateStrategy(View, frozen=True):
    type: str = "RollingUpdate"
    rolling_update: RollingUpdateStatefulSet | None = None


class StatefulSetOrdinals(View, frozen=True):
    start: int = 0


class ClaimRetentionPolicy(View, frozen=True):
    when_deleted: str = "Retain"
    when_scaled: str = "Retain"


class StatefulSetSpec(View, frozen=True):
    replicas: int = 1
    selector: Object | None = None
    template: Object = msgspec.field(default_factory=dict)
    volume_claim_templates: tuple[Object, ...] = ()
    service_name: str = ""
    pod_management_policy: str = "OrderedReady"
    update_strategy: StatefulSetUpdateStrategy = StatefulSetUpdateStrategy()
    revision_history_limit: int | None = None
    min_ready_seconds: int = 0
    persistent_volume_claim_retention_policy: ClaimRetentionPolicy | None = None
    ordinals: StatefulSetOrdinals | None = None


class StatefulSetStatus(View, frozen=True):
    observed_generation: int = 0
    replicas: int = 0
    ready_replicas: int = 0
    current_replicas: int = 0
    updated_replicas: int = 0
    available_replicas: int = 0
    current_revision: str = ""
    update_revision: str = ""
    collision_count: int | None = None


class StatefulSet(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: StatefulSetSpec = StatefulSetSpec()
    status: StatefulSetStatus = StatefulSetStatus()

    @property
    def selector(self) -> Object | None:
        return self.spec.selector

    @property
    def size(self) -> int:
        """How many pods it was last seen to have."""
        return self.status.replicas


class RollingUpdateDaemonSet(View, frozen=True):
    max_unavailable: IntOrPercent | None = None
    max_surge: IntOrPercent | None = None


class DaemonSetUpdateStrategy(View, frozen=True):
    type: str = "RollingUpdate"
    rolling_update: RollingUpdateDaemonSet | None = None


class DaemonSetSpec(View, frozen=True):
    selector: Object | None = None
    template: Object = msgspec.field(default_factory=dict)
    update_strategy: DaemonSetUpdateStrategy = DaemonSetUpdateStrategy()
    min_ready_seconds: int = 0
    revision_history_limit: int | None = None


class DaemonSetStatus(View, frozen=True):
    current_number_scheduled: int = 0
    number_misscheduled: int = 0
    desired_number_scheduled: int = 0
    number_ready: int = 0
    observed_generation: int = 0
    updated_number_scheduled: int = 0
    number_available: int = 0
    number_unavailable: int = 0
    collision_count: int | None = None


class DaemonSet(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: DaemonSetSpec = DaemonSetSpec()
    status: DaemonSetStatus = DaemonSetStatus()

    @property
    def selector(self) -> Object | None:
        return self.spec.selector

    @property
    def size(self) -> int:
        """How many pods it was last seen to have."""
        return self.status.current_number_scheduled


class ControllerRevision(View, frozen=True):
    """What a set was at some revision: the patch that brings it back."""

    metadata: ObjectMeta = ObjectMeta()
    revision: int = 0
    data: Object = msgspec.field(default_factory=dict)
