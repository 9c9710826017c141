"""The next step of a run that is to run.

Stages come one after the other. Before one, people may be asked; then so many clusters as may be updated at once get
their resources, the next one when one has arrived; after the last, people and time may be asked again. The stage that
deletes comes at the end. What happened to a cluster behind the run's back ends the run: somebody else is updating it.

Upstream gives a cluster whose resources failed back as an error and tries again with growing pauses; here the
binding's next change wakes the run. A cluster that a crash or an earlier run had begun is marked as begun even if it
fails, so that it can be told to be stuck.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from msgspec.structs import replace

from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.updateruns import (
    ClusterUpdatingStatus,
    StageUpdatingStatus,
    UpdateRunStatus,
)
from argosy.client.objects import Key
from argosy.placement.updateruns import approving, progress
from argosy.placement.updateruns.aborting import Aborted, aborted, by_user, together, unexpected
from argosy.placement.updateruns.concurrency import at_once
from argosy.placement.updateruns.decisions import (
    CLUSTER_SECONDS,
    STAGE_SECONDS,
    Decision,
    Start,
)
from argosy.placement.updateruns.deleting import deleted
from argosy.placement.updateruns.looks import Look
from argosy.placement.updateruns.marking import (
    AFTER,
    BEFORE,
    STARTED,
    SUCCEEDED,
    cluster_failed,
    cluster_started,
    cluster_succeeded,
    run_failed,
    run_progressing,
    run_progressing_unless_held,
    run_stuck,
    run_waiting,
    stage_failed,
    stage_skipped,
    stage_started,
    stage_succeeded,
    stage_waiting,
    status_of,
)
from argosy.placement.updateruns.validating import Position


def executed(look: Look, status: UpdateRunStatus, position: Position) -> Decision:
    """One step; `position` names a stage."""
    index = position.stage
    if index is None or index >= len(status.stages_status):
        return deleted(look, status, position)
    stage = status.stages_status[index]
    try:
        return _step(look, status, position, index)
    except _StageAborted as error:
        stage, message = error.stage, error.message
    except Aborted as error:
        message = str(error)
    failed = with_stage(status, index, stage_failed(stage, look.moment, message))
    return Decision(run_failed(failed, look.moment, message))


def with_stage(status: UpdateRunStatus, index: int, stage: StageUpdatingStatus) -> UpdateRunStatus:
    stages = list(status.stages_status)
    stages[index] = stage
    return replace(status, stages_status=tuple(stages))


class _StageAborted(Exception):
    """Clusters of a stage failed; `stage` tells which."""

    def __init__(self, stage: StageUpdatingStatus, message: str) -> None:
        super().__init__(message)
        self.stage = stage
        self.message = message


def _step(look: Look, status: UpdateRunStatus, position: Position, index: int) -> Decision:
    moment, stage = look.moment, status.stages_status[index]
    config = position.strategy.stages[index]
    if not stage.clusters:
        status = run_progressing_unless_held(status, moment)
        return Decision(with_stage(status, index, stage_skipped(stage, moment)), again=0)
    stage, answers = approving.before(look, config, stage)
    if not answers.passed:
        status = with_stage(status, index, stage_waiting(stage, moment, BEFORE))
        status = run_waiting(status, moment, BEFORE, stage.stage_name)
        decision = Decision(status, again=STAGE_SECONDS)
    else:
        decision = _update(look, status, position, index, stage)
    return decision.asking(
        (*decision.requests, *answers.requests), (*answers.accepted, *decision.accepted)
    )


@dataclass(slots=True)
class _Tally:
    """The clusters of a stage while they are gone through."""

    clusters: list[ClusterUpdatingStatus]
    finished: int = 0
    updating: int = 0
    begun: list[int] = field(default_factory=list)
    starts: list[Start] = field(default_factory=list)
    stuck: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    # Some cluster was found to have arrived that counted as updating in this pass.
    more: bool = False


def _update(
    look: Look,
    status: UpdateRunStatus,
    position: Position,
    index: int,
    stage: StageUpdatingStatus,
) -> Decision:
    moment = look.moment
    limit = at_once(position.strategy.stages[index].max_concurrency, len(stage.clusters))
    tally = _Tally(list(stage.clusters))
    for place, cluster in enumerate(stage.clusters):
        if tally.updating >= limit:
            break
        _take(look, status, stage, tally, place, position.selected.get(cluster.cluster_name))
    if tally.errors:
        message = together(tally.errors)
        raise _StageAborted(replace(stage, clusters=tuple(tally.clusters)), message)
    for place in tally.begun:
        tally.clusters[place] = cluster_started(tally.clusters[place], moment)
    stage = replace(stage, clusters=tuple(tally.clusters))
    if tally.begun:
        stage = stage_started(stage, moment)
    if tally.finished == len(stage.clusters):
        return _complete(look, status, position, index, stage)
    status = with_stage(status, index, stage)
    if tally.stuck:
        status = run_stuck(status, moment, tally.stuck, stage.stage_name)
    else:
        status = run_progressing(status, moment)
    again = 0.0 if tally.more else CLUSTER_SECONDS
    return Decision(status, again=again, starts=tuple(tally.starts))


def _take(
    look: Look,
    status: UpdateRunStatus,
    stage: StageUpdatingStatus,
    tally: _Tally,
    place: int,
    binding: Binding | None,
) -> None:
    """One cluster: done, begun, under way, or lost."""
    cluster, moment = tally.clusters[place], look.moment
    succeeded = status_of(cluster.conditions, SUCCEEDED)
    if succeeded == "True":
        tally.finished += 1
        return
    tally.updating += 1
    if succeeded == "False":
        problem = f"the cluster `{cluster.cluster_name}` in the stage {stage.stage_name} has failed"
        tally.errors.append(str(aborted(problem)))
    elif binding is None:
        tally.errors.append(str(missing(cluster, stage)))
    elif status_of(cluster.conditions, STARTED) != "True":
        start = progress.start(look, status, cluster, binding)
        if start is not None:
            tally.starts.append(start)
        elif progress.has_arrived(binding):
            tally.clusters[place] = cluster_succeeded(cluster, moment)
            tally.more = True
        tally.begun.append(place)
    elif not progress.is_undisturbed(look, status, cluster, binding):
        problem = _disturbed(cluster, stage, binding)
        tally.clusters[place] = cluster_failed(cluster, moment, problem)
        tally.errors.append(str(aborted(problem)))
    elif progress.has_arrived(binding):
        tally.clusters[place] = cluster_succeeded(cluster, moment)
        tally.finished += 1
        tally.updating -= 1
    elif progress.is_stuck(look, cluster):
        tally.stuck.append(cluster.cluster_name)


def missing(cluster: ClusterUpdatingStatus, stage: StageUpdatingStatus) -> Aborted:
    return aborted(
        unexpected(
            f"the binding for cluster `{cluster.cluster_name}` in stage `{stage.stage_name}` is not found in the "
            "toBeUpdatedBindings map"
        )
    )


def _disturbed(cluster: ClusterUpdatingStatus, stage: StageUpdatingStatus, binding: Binding) -> str:
    return by_user(
        f"the binding of the updating cluster `{cluster.cluster_name}` in the stage `{stage.stage_name}` is not "
        f"up-to-date with the desired status, please check the status of binding `{Key(*binding.metadata.key)}` and "
        "see if there is a concurrent updateRun referencing the same placement and updating the same cluster"
    )


def _complete(
    look: Look,
    status: UpdateRunStatus,
    position: Position,
    index: int,
    stage: StageUpdatingStatus,
) -> Decision:
    """All clusters have arrived: the tasks after the stage."""
    moment = look.moment
    stage = stage_waiting(stage, moment, AFTER)
    stage, answers = approving.after(look, position.strategy.stages[index], stage)
    if answers.passed:
        status = with_stage(status, index, stage_succeeded(stage, moment))
        decision = Decision(run_progressing(status, moment), again=0)
    else:
        status = with_stage(status, index, stage)
        status = run_waiting(status, moment, AFTER, stage.stage_name)
        decision = Decision(status, again=answers.wait)
    return decision.asking(tuple(answers.requests), tuple(answers.accepted))
