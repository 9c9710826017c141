"""The words of a run's status: conditions of the run, its stages, their clusters and tasks.

Each function gives the thing as it is after the word was said. Types, reasons and messages are upstream's, to the byte;
so is the order in which conditions come to stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from msgspec.structs import replace

from argosy.api.objects.conditions import with_condition
from argosy.api.objects.fleet.updateruns import (
    ClusterUpdatingStatus,
    StageTaskStatus,
    StageUpdatingStatus,
    UpdateRunStatus,
)
from argosy.api.objects.metadata import Condition, find_condition

INITIALIZED: Final = "Initialized"
PROGRESSING: Final = "Progressing"
SUCCEEDED: Final = "Succeeded"
STARTED: Final = "Started"
REQUEST_CREATED: Final = "ApprovalRequestCreated"
REQUEST_APPROVED: Final = "ApprovalRequestApproved"
WAIT_ELAPSED: Final = "WaitTimeElapsed"

BEFORE: Final = "before-stage"
AFTER: Final = "after-stage"
_HELD: Final = frozenset({"UpdateRunWaiting", "UpdateRunStuck"})
# So many names stand in a message about clusters that do not get ready.
_NAMED: Final = 3


@dataclass(slots=True, frozen=True)
class Moment:
    """When something is said, and of which generation of the run."""

    generation: int
    now: datetime

    @property
    def second(self) -> datetime:
        """As it is written down."""
        return self.now.replace(microsecond=0)


def status_of(conditions: Sequence[Condition], type_: str) -> str:
    """True, False or Unknown; "" if nothing was said."""
    found = find_condition(conditions, type_)
    return "" if found is None else found.status


# The run.


def run_initialized(run: UpdateRunStatus, moment: Moment) -> UpdateRunStatus:
    reason, message = "UpdateRunInitializedSuccessfully", "The UpdateRun initialized successfully"
    return _of_run(run, moment, INITIALIZED, "True", reason, message)


def run_not_initialized(run: UpdateRunStatus, moment: Moment, message: str) -> UpdateRunStatus:
    return _of_run(run, moment, INITIALIZED, "False", "UpdateRunInitializedFailed", message)


def run_progressing(run: UpdateRunStatus, moment: Moment) -> UpdateRunStatus:
    reason, message = "UpdateRunProgressing", "The update run is making progress"
    return _of_run(run, moment, PROGRESSING, "True", reason, message)


def run_progressing_unless_held(run: UpdateRunStatus, moment: Moment) -> UpdateRunStatus:
    """A run that waits or is stuck says so until it has moved."""
    said = find_condition(run.conditions, PROGRESSING)
    if said is not None and said.status == "False" and said.reason in _HELD:
        return run
    return run_progressing(run, moment)


def run_waiting(run: UpdateRunStatus, moment: Moment, tasks: str, stage: str) -> UpdateRunStatus:
    message = f"The updateRun is waiting for {tasks} tasks in stage {stage} to complete"
    return _of_run(run, moment, PROGRESSING, "False", "UpdateRunWaiting", message)


def run_stuck(
    run: UpdateRunStatus, moment: Moment, clusters: Sequence[str], stage: str
) -> UpdateRunStatus:
    named = ", ".join(clusters[:_NAMED]) + ("..." if len(clusters) > _NAMED else "")
    message = (
        f"The updateRun is stuck waiting for {named} cluster(s) in stage {stage} to finish updating, "
        "please check placement status for potential errors"
    )
    return _of_run(run, moment, PROGRESSING, "False", "UpdateRunStuck", message)


def run_stopping(run: UpdateRunStatus, moment: Moment) -> UpdateRunStatus:
    message = (
        "The update run is the process of stopping, waiting for all the updating clusters to finish updating "
        "before completing the stop process"
    )
    return _of_run(run, moment, PROGRESSING, "Unknown", "UpdateRunStopping", message)


def run_stopped(run: UpdateRunStatus, moment: Moment) -> UpdateRunStatus:
    reason, message = "UpdateRunStopped", "The update run has been stopped"
    return _of_run(run, moment, PROGRESSING, "False", reason, message)


def run_succeeded(run: UpdateRunStatus, moment: Moment) -> UpdateRunStatus:
    reason = "UpdateRunSucceeded"
    run = _of_run(run, moment, PROGRESSING, "False", reason, "All stages are completed")
    message = "All stages are completed successfully"
    return _of_run(run, moment, SUCCEEDED, "True", reason, message)


def run_failed(run: UpdateRunStatus, moment: Moment, message: str) -> UpdateRunStatus:
    reason, end = "UpdateRunFailed", "The stages are aborted due to a non-recoverable error"
    run = _of_run(run, moment, PROGRESSING, "False", reason, end)
    return _of_run(run, moment, SUCCEEDED, "False", reason, message)


# A stage.


def stage_started(stage: StageUpdatingStatus, moment: Moment) -> StageUpdatingStatus:
    stage = replace(stage, start_time=stage.start_time or moment.second)
    reason, message = "StageUpdatingStarted", "Clusters in the stage started updating"
    return _of_stage(stage, moment, PROGRESSING, "True", reason, message)


def stage_waiting(stage: StageUpdatingStatus, moment: Moment, tasks: str) -> StageUpdatingStatus:
    message = (
        "Not all before-stage tasks are completed, waiting for approval"
        if tasks == BEFORE
        else "All clusters in the stage are updated, waiting for after-stage tasks to complete"
    )
    return _of_stage(stage, moment, PROGRESSING, "False", "StageUpdatingWaiting", message)


def stage_stopping(stage: StageUpdatingStatus, moment: Moment) -> StageUpdatingStatus:
    message = "Waiting for all the updating clusters to finish updating before completing the stop process"
    return _of_stage(stage, moment, PROGRESSING, "Unknown", "StageUpdatingStopping", message)


def stage_stopped(stage: StageUpdatingStatus, moment: Moment) -> StageUpdatingStatus:
    message = "All the updating clusters have finished updating, the stage is now stopped, waiting to be resumed"
    return _of_stage(stage, moment, PROGRESSING, "False", "StageUpdatingStopped", message)


def stage_succeeded(stage: StageUpdatingStatus, moment: Moment) -> StageUpdatingStatus:
    stage = replace(stage, end_time=stage.end_time or moment.second)
    reason = "StageUpdatingSucceeded"
    message = "All clusters in the stage are updated and after-stage tasks are completed"
    stage = _of_stage(stage, moment, PROGRESSING, "False", reason, message)
    message = "Stage update completed successfully"
    return _of_stage(stage, moment, SUCCEEDED, "True", reason, message)


def stage_skipped(stage: StageUpdatingStatus, moment: Moment) -> StageUpdatingStatus:
    stage = replace(
        stage,
        start_time=stage.start_time or moment.second,
        end_time=stage.end_time or moment.second,
    )
    reason, message = "StageUpdatingSkippedNoClusters", "Stage skipped because it has no clusters"
    stage = _of_stage(stage, moment, PROGRESSING, "False", reason, message)
    return _of_stage(stage, moment, SUCCEEDED, "True", reason, message)


def stage_failed(stage: StageUpdatingStatus, moment: Moment, message: str) -> StageUpdatingStatus:
    stage = replace(stage, end_time=stage.end_time or moment.second)
    reason, end = "StageUpdatingFailed", "Stage update aborted due to a non-recoverable error"
    stage = _of_stage(stage, moment, PROGRESSING, "False", reason, end)
    return _of_stage(stage, moment, SUCCEEDED, "False", reason, message)


# A cluster of a stage.


def cluster_started(cluster: ClusterUpdatingStatus, moment: Moment) -> ClusterUpdatingStatus:
    reason, message = "ClusterUpdatingStarted", "Cluster update started"
    return _of_cluster(cluster, moment, STARTED, "True", reason, message)


def cluster_succeeded(cluster: ClusterUpdatingStatus, moment: Moment) -> ClusterUpdatingStatus:
    reason, message = "ClusterUpdatingSucceeded", "Cluster update completed successfully"
    return _of_cluster(cluster, moment, SUCCEEDED, "True", reason, message)


def cluster_failed(
    cluster: ClusterUpdatingStatus, moment: Moment, message: str
) -> ClusterUpdatingStatus:
    return _of_cluster(cluster, moment, SUCCEEDED, "False", "ClusterUpdatingFailed", message)


# A task before or after a stage.


def task_requested(task: StageTaskStatus, moment: Moment) -> StageTaskStatus:
    reason, message = "StageTaskApprovalRequestCreated", "ApprovalRequest object is created"
    return _of_task(task, moment, REQUEST_CREATED, reason, message)


def task_approved(task: StageTaskStatus, moment: Moment) -> StageTaskStatus:
    reason, message = "StageTaskApprovalRequestApproved", "ApprovalRequest object is approved"
    return _of_task(task, moment, REQUEST_APPROVED, reason, message)


def task_elapsed(task: StageTaskStatus, moment: Moment) -> StageTaskStatus:
    return _of_task(
        task, moment, WAIT_ELAPSED, "AfterStageTaskWaitTimeElapsed", "Wait time elapsed"
    )


# All of it.


def renewed(run: UpdateRunStatus, generation: int) -> UpdateRunStatus:
    """Everything that was said, said of this generation: only a run's state can change, and that unsays nothing."""
    deletion = run.deletion_stage_status
    return replace(
        run,
        conditions=_renewed(run.conditions, generation),
        stages_status=tuple(_renewed_stage(each, generation) for each in run.stages_status),
        deletion_stage_status=deletion and _renewed_stage(deletion, generation),
    )


def _renewed_stage(stage: StageUpdatingStatus, generation: int) -> StageUpdatingStatus:
    return replace(
        stage,
        conditions=_renewed(stage.conditions, generation),
        clusters=tuple(
            replace(each, conditions=_renewed(each.conditions, generation))
            for each in stage.clusters
        ),
        before_stage_task_status=_renewed_tasks(stage.before_stage_task_status, generation),
        after_stage_task_status=_renewed_tasks(stage.after_stage_task_status, generation),
    )


def _renewed_tasks(
    tasks: tuple[StageTaskStatus, ...], generation: int
) -> tuple[StageTaskStatus, ...]:
    return tuple(replace(each, conditions=_renewed(each.conditions, generation)) for each in tasks)


def _renewed(conditions: tuple[Condition, ...], generation: int) -> tuple[Condition, ...]:
    return tuple(replace(each, observed_generation=generation) for each in conditions)


def _of_run(
    run: UpdateRunStatus, moment: Moment, type_: str, status: str, reason: str, message: str
) -> UpdateRunStatus:
    said = _said(run.conditions, moment, type_, status, reason, message)
    return replace(run, conditions=said)


def _of_stage(
    stage: StageUpdatingStatus, moment: Moment, type_: str, status: str, reason: str, message: str
) -> StageUpdatingStatus:
    said = _said(stage.conditions, moment, type_, status, reason, message)
    return replace(stage, conditions=said)


def _of_cluster(
    cluster: ClusterUpdatingStatus,
    moment: Moment,
    type_: str,
    status: str,
    reason: str,
    message: str,
) -> ClusterUpdatingStatus:
    said = _said(cluster.conditions, moment, type_, status, reason, message)
    return replace(cluster, conditions=said)


def _of_task(
    task: StageTaskStatus, moment: Moment, type_: str, reason: str, message: str
) -> StageTaskStatus:
    return replace(task, conditions=_said(task.conditions, moment, type_, "True", reason, message))


def _said(
    conditions: tuple[Condition, ...],
    moment: Moment,
    type_: str,
    status: str,
    reason: str,
    message: str,
) -> tuple[Condition, ...]:
    new = Condition(type_, status, reason, message, moment.generation)
    return with_condition(conditions, new, moment.now)
