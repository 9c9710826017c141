"""Whether a run still lives in the world it was initialized in, and where it is.

Placement, policy, clusters, stages and their order have to be as they were; anything else ends the run for good, as
upstream does. Then its own status has to make sense: stages are done one after the other, the deleting one last.
"""

from __future__ import annotations

from dataclasses import dataclass

from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.placements import ApplyStrategy
from argosy.api.objects.fleet.updateruns import (
    StageUpdatingStatus,
    UpdateRunStatus,
    UpdateStrategySpec,
)
from argosy.api.objects.metadata import find_condition
from argosy.placement.updateruns import checking, staging
from argosy.placement.updateruns.aborting import aborted, by_user, unexpected
from argosy.placement.updateruns.concurrency import at_once
from argosy.placement.updateruns.looks import Look
from argosy.placement.updateruns.marking import PROGRESSING, STARTED, SUCCEEDED, status_of


@dataclass(slots=True, frozen=True)
class Position:
    """Where a run is. `stage` is the index of the stage to work on; the number of stages stands for the deleting one,
    None for a run that is through.
    """

    stage: int | None
    strategy: UpdateStrategySpec
    deletion: StageUpdatingStatus
    selected: dict[str, Binding]
    leaving: tuple[Binding, ...]


def validated(look: Look, status: UpdateRunStatus) -> Position:
    """Where to go on. Raises Aborted where that is nowhere, Unsettled where it is not clear yet."""
    latest = checking.apply_strategy(look)
    if latest != status.applied_strategy:
        recorded = _go(status.applied_strategy)
        raise aborted(
            by_user(
                f"the applyStrategy in the updateRun is outdated, latest: {_go(latest)}, recorded: {recorded}"
            )
        )
    policy = checking.latest_policy(look)
    checking.check_scheduled(policy)
    if policy.index != status.policy_snapshot_index_used:
        raise aborted(
            f"the policy snapshot index used in the updateRun is outdated, latest: {policy.index}, "
            f"recorded: {status.policy_snapshot_index_used}"
        )
    if policy.count not in {None, status.policy_observed_cluster_count}:
        raise aborted(
            f"the cluster count initialized in the updateRun is outdated, latest: {policy.count}, "
            f"recorded: {status.policy_observed_cluster_count}"
        )
    bound = checking.bindings(look, policy)
    strategy = status.staged_update_strategy_snapshot
    if strategy is None:
        raise aborted(unexpected("the updateRun has nil updateStrategySnapshot"))
    stages = staging.stages(look, strategy, bound.selected)
    if not status.stages_status:
        raise aborted(unexpected("the updateRun has nil stagesStatus"))
    _compare(status.stages_status, stages)
    updating, finished = _walk(status.stages_status, strategy)
    deletion = status.deletion_stage_status
    if deletion is None:
        raise aborted(unexpected("the updateRun has nil deletionStageStatus"))
    return Position(
        stage=_stage(updating, finished, len(stages), deletion, bound.leaving),
        strategy=strategy,
        deletion=deletion,
        selected={binding.spec.target_cluster: binding for binding in bound.selected},
        leaving=bound.leaving,
    )


def _compare(
    existing: tuple[StageUpdatingStatus, ...], new: tuple[StageUpdatingStatus, ...]
) -> None:
    if len(existing) != len(new):
        raise aborted(
            f"the number of stages in the updateRun has changed, new: {len(new)}, existing: {len(existing)}"
        )
    for index, (old, now) in enumerate(zip(existing, new, strict=True)):
        if old.stage_name != now.stage_name:
            raise aborted(
                f"index `{index}` stage name in the updateRun has changed, new: {now.stage_name}, "
                f"existing: {old.stage_name}"
            )
        if len(old.clusters) != len(now.clusters):
            raise aborted(
                f"the number of clusters in index `{index}` stage has changed, new: {len(now.clusters)}, "
                f"existing: {len(old.clusters)}"
            )
        for place, (was, is_) in enumerate(zip(old.clusters, now.clusters, strict=True)):
            if was.cluster_name != is_.cluster_name:
                raise aborted(
                    f"the `{place}` cluster in the `{index}` stage has changed, new: {is_.cluster_name}, "
                    f"existing: {was.cluster_name}"
                )


def _walk(
    stages: tuple[StageUpdatingStatus, ...], strategy: UpdateStrategySpec
) -> tuple[int | None, int]:
    """The stage that is being updated, and the last one that is finished, -1 if none is."""
    updating: int | None = None
    finished = -1
    for index, stage in enumerate(stages):
        succeeded = find_condition(stage.conditions, SUCCEEDED)
        if succeeded is not None and succeeded.status == "True":
            _check_finished(stage, index, updating, finished)
            finished = index
        elif succeeded is not None and succeeded.status == "False":
            raise aborted(f"the stage `{stage.stage_name}` has failed, err: {succeeded.message}")
        elif find_condition(stage.conditions, PROGRESSING) is not None:
            limit = at_once(strategy.stages[index].max_concurrency, len(stage.clusters))
            _check_updating(stage, index, updating, finished, limit)
            updating = index
    return updating, finished


def _check_finished(
    stage: StageUpdatingStatus, index: int, updating: int | None, finished: int
) -> None:
    if updating is not None:
        raise aborted(
            unexpected(f"the finished stage `{index}` is after the updating stage `{updating}`")
        )
    for cluster in stage.clusters:
        if status_of(cluster.conditions, SUCCEEDED) != "True":
            raise aborted(
                unexpected(
                    f"cluster `{cluster.cluster_name}` in the finished stage `{stage.stage_name}` has not succeeded"
                )
            )
    _check_next(stage, "finished", index, finished)


def _check_updating(
    stage: StageUpdatingStatus, index: int, updating: int | None, finished: int, limit: int
) -> None:
    if updating is not None:
        raise aborted(
            unexpected(
                f"the stage `{stage.stage_name}` is updating, but there is already a stage with index "
                f"`{updating}` updating"
            )
        )
    _check_next(stage, "updating", index, finished)
    count = sum(
        status_of(cluster.conditions, STARTED) == "True"
        and status_of(cluster.conditions, SUCCEEDED) != "True"
        for cluster in stage.clusters
    )
    if count > limit:
        raise aborted(
            unexpected(
                f"the number of updating clusters `{count}` in the updating stage `{stage.stage_name}` exceeds "
                f"maxConcurrency `{limit}`"
            )
        )


def _check_next(stage: StageUpdatingStatus, what: str, index: int, finished: int) -> None:
    if index != finished + 1:
        raise aborted(
            unexpected(
                f"the {what} stage `{stage.stage_name}` is not right after the last finished stage with index "
                f"`{finished}`"
            )
        )


def _stage(
    updating: int | None,
    finished: int,
    count: int,
    deletion: StageUpdatingStatus,
    leaving: tuple[Binding, ...],
) -> int | None:
    known = {cluster.cluster_name for cluster in deletion.clusters}
    for binding in leaving:
        if binding.spec.target_cluster not in known:
            raise aborted(
                unexpected(
                    f"the cluster `{binding.spec.target_cluster}` to be deleted is not in the delete stage"
                )
            )
    ended = find_condition(deletion.conditions, SUCCEEDED)
    if updating is not None or finished < count - 1:
        if ended is not None or status_of(deletion.conditions, PROGRESSING) == "True":
            at = -1 if updating is None else updating
            raise aborted(
                unexpected(
                    f"the delete stage is active, but there are still stages updating, updatingStageIndex: {at}, "
                    f"lastFinishedStageIndex: {finished}"
                )
            )
        return finished + 1 if updating is None else updating
    if ended is None:
        return count
    if ended.status == "False":
        raise aborted(f"the delete stage has failed, err: {ended.message}")
    return None


def _go(strategy: ApplyStrategy | None) -> str:
    """How Go prints such a struct."""
    if strategy is None:
        return "<nil>"
    config = strategy.server_side_apply_config
    fields = (
        strategy.comparison_option,
        strategy.when_to_apply,
        strategy.type,
        str(strategy.allow_co_ownership).lower(),
        "<nil>" if config is None else f"&{{{str(config.force).lower()}}}",
        strategy.when_to_take_over,
    )
    return f"&{{{' '.join(fields)}}}"
