"""A run that is to stop: what has begun comes to its end, nothing new begins, and then the run rests.

Upstream never comes to rest when it is stopped right before the deleting stage with bindings left to delete; here a run
rests as soon as nothing is under way.
"""

from __future__ import annotations

from msgspec.structs import replace

from argosy.api.objects.fleet.updateruns import StageUpdatingStatus, UpdateRunStatus
from argosy.placement.updateruns import progress
from argosy.placement.updateruns.aborting import Aborted
from argosy.placement.updateruns.decisions import CLUSTER_SECONDS, Decision
from argosy.placement.updateruns.executing import missing, with_stage
from argosy.placement.updateruns.looks import Look
from argosy.placement.updateruns.marking import (
    STARTED,
    SUCCEEDED,
    cluster_succeeded,
    run_failed,
    run_stopped,
    run_stopping,
    run_stuck,
    stage_failed,
    stage_stopped,
    stage_stopping,
    status_of,
)
from argosy.placement.updateruns.validating import Position


def stopped(look: Look, status: UpdateRunStatus, position: Position) -> Decision:
    index = position.stage
    if index is None or index >= len(status.stages_status):
        return _stop_deleting(look, status, position)
    stage = status.stages_status[index]
    try:
        stage, updating, stuck = _waited(look, position, stage)
    except Aborted as error:
        message = str(error)
        failed = with_stage(status, index, stage_failed(stage, look.moment, message))
        return Decision(run_failed(failed, look.moment, message))
    if not updating:
        status = with_stage(status, index, stage_stopped(stage, look.moment))
        return Decision(run_stopped(status, look.moment))
    status = with_stage(status, index, stage_stopping(stage, look.moment))
    if stuck:
        status = run_stuck(status, look.moment, stuck, stage.stage_name)
    else:
        status = run_stopping(status, look.moment)
    return Decision(status, again=CLUSTER_SECONDS)


def _waited(
    look: Look, position: Position, stage: StageUpdatingStatus
) -> tuple[StageUpdatingStatus, int, list[str]]:
    """The stage with what has arrived meanwhile; how many clusters are on their way, and which of them are stuck."""
    clusters = list(stage.clusters)
    updating, stuck = 0, []
    for place, cluster in enumerate(clusters):
        has_ended = status_of(cluster.conditions, SUCCEEDED) != ""
        if has_ended or not status_of(cluster.conditions, STARTED):
            continue
        binding = position.selected.get(cluster.cluster_name)
        if binding is None:
            raise missing(cluster, stage)
        if progress.has_arrived(binding):
            clusters[place] = cluster_succeeded(cluster, look.moment)
            continue
        updating += 1
        if progress.is_stuck(look, cluster):
            stuck.append(cluster.cluster_name)
    return replace(stage, clusters=tuple(clusters)), updating, stuck


def _stop_deleting(look: Look, status: UpdateRunStatus, position: Position) -> Decision:
    started = {
        cluster.cluster_name
        for cluster in position.deletion.clusters
        if status_of(cluster.conditions, STARTED) == "True"
    }
    if any(binding.spec.target_cluster in started for binding in position.leaving):
        stage = stage_stopping(position.deletion, look.moment)
        status = replace(status, deletion_stage_status=stage)
        return Decision(run_stopping(status, look.moment), again=CLUSTER_SECONDS)
    stage = stage_stopped(position.deletion, look.moment)
    status = replace(status, deletion_stage_status=stage)
    return Decision(run_stopped(status, look.moment))
