"""What people and time have to say before a stage begins and after it is through.

An approval is asked for by an object that people answer. Once the run has used the answer it says so on the object, and
from then on it holds, whatever the object says later. A request that vanishes unanswered is made again. A wait counts
from the moment the stage came to wait.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

from msgspec.structs import replace

from argosy.api.objects.conditions import is_current
from argosy.api.objects.fleet.updateruns import (
    APPROVAL,
    TIMED_WAIT,
    ApprovalRequest,
    StageConfig,
    StageTaskStatus,
    StageUpdatingStatus,
)
from argosy.api.objects.metadata import find_condition
from argosy.base.durations import parse_duration
from argosy.client.objects import Key
from argosy.placement.updateruns.aborting import aborted, unexpected
from argosy.placement.updateruns.decisions import (
    ACCEPTED,
    AFTER_STAGE,
    APPROVED,
    BEFORE_STAGE,
    STAGE_SECONDS,
    Request,
)
from argosy.placement.updateruns.looks import Look, full
from argosy.placement.updateruns.marking import (
    PROGRESSING,
    REQUEST_APPROVED,
    status_of,
    task_approved,
    task_elapsed,
    task_requested,
)


@dataclass(slots=True)
class Answers:
    """How the tasks of a stage stand; what has to be asked and accepted comes with it."""

    passed: bool = True
    # How long nothing but people can change that.
    wait: float = STAGE_SECONDS
    requests: list[Request] = field(default_factory=list)
    accepted: list[ApprovalRequest] = field(default_factory=list)


def before(
    look: Look, config: StageConfig, stage: StageUpdatingStatus
) -> tuple[StageUpdatingStatus, Answers]:
    answers = Answers()
    tasks = list(stage.before_stage_task_status)
    for index, task in enumerate(config.before_stage_tasks):
        if task.type != APPROVAL:
            raise aborted(
                unexpected(f"found unsupported task type in before stage tasks: {task.type}")
            )
        tasks[index] = _approval(look, config, tasks[index], BEFORE_STAGE, answers)
    return replace(stage, before_stage_task_status=tuple(tasks)), answers


def after(
    look: Look, config: StageConfig, stage: StageUpdatingStatus
) -> tuple[StageUpdatingStatus, Answers]:
    """The stage is waiting already."""
    answers = Answers()
    tasks = list(stage.after_stage_task_status)
    for index, task in enumerate(config.after_stage_tasks):
        if task.type == TIMED_WAIT:
            left = _left(look, stage, task.wait_time or "0")
            if left > 0:
                answers.passed, answers.wait = False, left
            else:
                tasks[index] = task_elapsed(tasks[index], look.moment)
        elif task.type == APPROVAL:
            tasks[index] = _approval(look, config, tasks[index], AFTER_STAGE, answers)
    return replace(stage, after_stage_task_status=tuple(tasks)), answers


def _left(look: Look, stage: StageUpdatingStatus, wait_time: str) -> float:
    said = find_condition(stage.conditions, PROGRESSING)
    since = said.last_transition_time if said is not None else None
    if since is None:
        since = look.now
    return (since + timedelta(seconds=parse_duration(wait_time)) - look.now).total_seconds()


def _approval(
    look: Look, config: StageConfig, task: StageTaskStatus, kind: str, answers: Answers
) -> StageTaskStatus:
    if status_of(task.conditions, REQUEST_APPROVED) == "True":
        return task
    name = task.approval_request_name
    task = task_requested(task, look.moment)
    request = look.approvals.get(name)
    if request is None:
        answers.passed = False
        answers.requests.append(Request(name, config.name, kind))
        return task
    _check_target(look, config, request)
    is_accepted = _is_said(request, ACCEPTED)
    is_approved = _is_said(request, APPROVED)
    if not is_accepted and not is_approved:
        answers.passed = False
        return task
    if not is_accepted:
        answers.accepted.append(request)
    return task_approved(task, look.moment)


def _is_said(request: ApprovalRequest, type_: str) -> bool:
    said = find_condition(request.status.conditions, type_)
    return is_current(said, request.metadata.generation, "True")


def _check_target(look: Look, config: StageConfig, request: ApprovalRequest) -> None:
    run, spec = look.run.metadata, request.spec
    if spec.target_stage == config.name and spec.parent_stage_rollout == run.name:
        return
    namespace = request.metadata.namespace
    raise aborted(
        unexpected(
            f"the approval request task `{full(Key(*request.metadata.key))}` is targeting update run "
            f"`{namespace}/{spec.parent_stage_rollout}` and stage `{spec.target_stage}`, want target update run "
            f"`{namespace}/{run.name} and stage `{config.name}`"
        )
    )
