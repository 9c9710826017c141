"""Which cluster is updated in which stage, and when within it.

A stage takes the clusters its selector matches; one without a selector takes none. Every cluster of the placement has
to be in exactly one stage. Within a stage clusters go by a label that counts, where the stage names one, then by name.

The same at every look for the same strategy, clusters and labels: nothing depends on the order of lists.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec
from msgspec.structs import replace

from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.updateruns import (
    APPROVAL,
    TIMED_WAIT,
    ClusterUpdatingStatus,
    StageConfig,
    StageTask,
    StageTaskStatus,
    StageUpdatingStatus,
    UpdateStrategySpec,
)
from argosy.api.objects.metadata import LabelSelector
from argosy.api.rules.integers import AtoiError, atoi
from argosy.base.durations import format_duration, parse_duration
from argosy.base.selectors.labels import LabelSelector as Matching
from argosy.base.selectors.labels import from_object
from argosy.base.selectors.requirements import SelectorError
from argosy.placement.updateruns.aborting import Aborted, by_user, invalid
from argosy.placement.updateruns.looks import Look, full

# So many clusters without a stage are named.
_NAMED: Final = 10
_LONGEST_BEFORE: Final = 1


def as_used(strategy: UpdateStrategySpec) -> UpdateStrategySpec:
    """The strategy as a run keeps it: waits in Go's own spelling, and none for approvals."""
    return replace(strategy, stages=tuple(_stage_as_used(each) for each in strategy.stages))


def _stage_as_used(stage: StageConfig) -> StageConfig:
    return replace(
        stage,
        before_stage_tasks=tuple(_task_as_used(each) for each in stage.before_stage_tasks),
        after_stage_tasks=tuple(_task_as_used(each) for each in stage.after_stage_tasks),
    )


def _task_as_used(task: StageTask) -> StageTask:
    if task.type == APPROVAL or task.wait_time is None:
        return replace(task, wait_time=None)
    return replace(task, wait_time=format_duration(parse_duration(task.wait_time)))


def stages(
    look: Look, strategy: UpdateStrategySpec, selected: Iterable[Binding]
) -> tuple[StageUpdatingStatus, ...]:
    """All stages with their clusters and tasks, nothing of them begun."""
    wanted = {binding.spec.target_cluster for binding in selected}
    placed: set[str] = set()
    found = []
    for stage in strategy.stages:
        _check_tasks(look, stage)
        clusters = _clusters(look, stage, wanted, placed)
        placed |= {cluster.metadata.name for cluster in clusters}
        found.append(_status(look, stage, clusters))
    if left := sorted(wanted - placed):
        message = by_user("some clusters are not placed in any stage")
        raise invalid(
            f"{message}, total {len(left)}, showing up to {_NAMED}: {', '.join(left[:_NAMED])}"
        )
    return tuple(found)


def _clusters(
    look: Look, stage: StageConfig, wanted: set[str], placed: set[str]
) -> list[MemberCluster]:
    matching = _selector(look, stage)
    found = []
    for member in look.members:
        name, labels = member.metadata.name, member.metadata.labels
        if name not in wanted or not matching.matches(labels):
            continue
        if name in placed:
            raise invalid(by_user(f"cluster `{name}` appears in more than one stages"))
        found.append((_rank(stage, name, labels), name, member))
    return [member for _, _, member in sorted(found, key=lambda each: each[:2])]


def _selector(look: Look, stage: StageConfig) -> Matching:
    try:
        return from_object(_document(stage.label_selector))
    except SelectorError as error:
        raise _wrong(look, stage, "stage label selector is", error) from None


def _document(selector: LabelSelector | None) -> dict[str, object] | None:
    if selector is None:
        return None
    built: dict[str, object] = msgspec.to_builtins(selector)
    return built


def _rank(stage: StageConfig, name: str, labels: dict[str, str]) -> int:
    key = stage.sorting_label_key
    if key is None:
        return 0
    value = labels.get(key, "")
    try:
        return atoi(value)
    except AtoiError as error:
        raise invalid(
            by_user(f"the sorting label `{key}:{value}` on cluster `{name}` is not valid: {error}")
        ) from None


def _status(
    look: Look, stage: StageConfig, clusters: Iterable[MemberCluster]
) -> StageUpdatingStatus:
    run = look.run.metadata.name
    return StageUpdatingStatus(
        stage_name=stage.name,
        clusters=tuple(ClusterUpdatingStatus(cluster.metadata.name) for cluster in clusters),
        before_stage_task_status=_tasks(stage.before_stage_tasks, f"{run}-before-{stage.name}"),
        after_stage_task_status=_tasks(stage.after_stage_tasks, f"{run}-after-{stage.name}"),
    )


def _tasks(tasks: Iterable[StageTask], request: str) -> tuple[StageTaskStatus, ...]:
    return tuple(
        StageTaskStatus(one.type, request if one.type == APPROVAL else "") for one in tasks
    )


def _check_tasks(look: Look, stage: StageConfig) -> None:
    """The kinds' own rules say most of this already; a strategy may be older than they are."""
    before, after = stage.before_stage_tasks, stage.after_stage_tasks
    if len(before) > _LONGEST_BEFORE:
        problem = "beforeStageTasks can have at most one task"
        raise _wrong(look, stage, "before stage tasks are", problem)
    for number, task in enumerate(before):
        if task.type != APPROVAL:
            problem = f"task {number} of type {task.type} is not allowed in beforeStageTasks, allowed type: Approval"
            raise _wrong(look, stage, "before stage tasks are", problem)
    if len(after) > 1 and after[0].type == after[1].type:
        problem = f"afterStageTasks cannot have two tasks of the same type: {after[0].type}"
        raise _wrong(look, stage, "after stage tasks are", problem)
    for number, task in enumerate(after):
        if task.type == TIMED_WAIT and (problem := _wait_problem(number, task.wait_time)):
            raise _wrong(look, stage, "after stage tasks are", problem)


def _wait_problem(number: int, wait_time: str | None) -> str:
    if wait_time is None:
        return f"task {number} of type TimedWait has wait duration set to nil"
    if parse_duration(wait_time) <= 0:
        return f"task {number} of type TimedWait has wait duration <= 0"
    return ""


def _wrong(look: Look, stage: StageConfig, what: str, problem: object) -> Aborted:
    strategy = full(look.strategy_key)
    return invalid(
        by_user(
            f"the {what} invalid, updateStrategy: `{strategy}`, stage: {stage.name}, err: {problem}"
        )
    )
