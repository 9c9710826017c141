"""Staged update runs, their strategies and approvals, for placements of a namespace and of the cluster alike."""

from __future__ import annotations

from datetime import datetime

from argosy.api.objects.fleet.placements import ApplyStrategy, NamespacedName
from argosy.api.objects.metadata import Condition, LabelSelector, ObjectMeta, View

INITIALIZE = "Initialize"
RUN = "Run"
STOP = "Stop"
TIMED_WAIT = "TimedWait"
APPROVAL = "Approval"


class StageTask(View, frozen=True):
    type: str
    wait_time: str | None = None


class StageConfig(View, frozen=True):
    name: str
    label_selector: LabelSelector | None = None
    sorting_label_key: str | None = None
    max_concurrency: int | str | None = None
    after_stage_tasks: tuple[StageTask, ...] = ()
    before_stage_tasks: tuple[StageTask, ...] = ()


class UpdateStrategySpec(View, frozen=True):
    stages: tuple[StageConfig, ...] = ()


class UpdateStrategy(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: UpdateStrategySpec = UpdateStrategySpec()


class UpdateRunSpec(View, frozen=True):
    placement_name: str = ""
    resource_snapshot_index: str = ""
    staged_rollout_strategy_name: str = ""
    state: str = INITIALIZE


class ClusterUpdatingStatus(View, frozen=True):
    cluster_name: str
    resource_override_snapshots: tuple[NamespacedName, ...] = ()
    cluster_resource_override_snapshots: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()


class StageTaskStatus(View, frozen=True):
    type: str
    approval_request_name: str = ""
    conditions: tuple[Condition, ...] = ()


class StageUpdatingStatus(View, frozen=True):
    stage_name: str
    clusters: tuple[ClusterUpdatingStatus, ...]
    after_stage_task_status: tuple[StageTaskStatus, ...] = ()
    before_stage_task_status: tuple[StageTaskStatus, ...] = ()
    start_time: datetime | None = None
    end_time: datetime | None = None
    conditions: tuple[Condition, ...] = ()


class UpdateRunStatus(View, frozen=True):
    policy_snapshot_index_used: str = ""
    policy_observed_cluster_count: int = 0
    resource_snapshot_index_used: str = ""
    applied_strategy: ApplyStrategy | None = None
    staged_update_strategy_snapshot: UpdateStrategySpec | None = None
    stages_status: tuple[StageUpdatingStatus, ...] = ()
    deletion_stage_status: StageUpdatingStatus | None = None
    conditions: tuple[Condition, ...] = ()


class UpdateRun(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: UpdateRunSpec = UpdateRunSpec()
    status: UpdateRunStatus = UpdateRunStatus()


class ApprovalRequestSpec(View, frozen=True):
    parent_stage_rollout: str = ""
    target_stage: str = ""


class ApprovalRequestStatus(View, frozen=True):
    conditions: tuple[Condition, ...] = ()


class ApprovalRequest(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: ApprovalRequestSpec = ApprovalRequestSpec()
    status: ApprovalRequestStatus = ApprovalRequestStatus()
