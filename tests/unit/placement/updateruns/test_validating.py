"""Where a run goes on, and everything that may have changed under it so that it cannot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from msgspec.structs import replace

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.placements import (
    ApplyStrategy,
    Placement,
    PlacementSpec,
    RolloutStrategy,
    ServerSideApplyConfig,
)
from argosy.api.objects.fleet.policies import PlacementPolicy
from argosy.api.objects.fleet.updateruns import UpdateRunStatus
from argosy.api.objects.metadata import ObjectMeta
from argosy.placement.updateruns.aborting import Aborted
from argosy.placement.updateruns.executing import with_stage
from argosy.placement.updateruns.looks import Look
from argosy.placement.updateruns.marking import (
    cluster_started,
    cluster_succeeded,
    stage_failed,
    stage_skipped,
    stage_started,
    stage_stopping,
    stage_succeeded,
    stage_waiting,
)
from argosy.placement.updateruns.validating import validated
from tests.unit.placement.updateruns.builders import (
    begun,
    binding,
    changed,
    look,
    member,
    placement,
    policy,
    stage,
)

PREFIX = "cannot continue the updateRun: "
INVALID = PREFIX + "failed to validate the updateRun: "
USER = "failed to process the request due to a client error: "
ODD = "unexpected behavior which cannot be handled by the controller: "
TWO = look(
    member("a", env="dev"),
    member("b", env="prod"),
    member("c", env="prod"),
    stages=[stage("one", "dev"), stage("two", "prod")],
    leaving=["x"],
)
STATUS = begun(TWO)
PICK_N = PlacementPolicy("PickN", number_of_clusters=2)
Change = Callable[[Look, UpdateRunStatus], tuple[Look, UpdateRunStatus]]


def seeing(**facts: object) -> Change:
    return lambda seen, status: (changed(seen, **facts), status)


def having(make: Callable[[UpdateRunStatus], UpdateRunStatus]) -> Change:
    return lambda seen, status: (seen, make(status))


def finished(status: UpdateRunStatus, index: int) -> UpdateRunStatus:
    """With a stage that is through, its clusters too."""
    one = status.stages_status[index]
    clusters = tuple(cluster_succeeded(each, TWO.moment) for each in one.clusters)
    return with_stage(status, index, stage_succeeded(replace(one, clusters=clusters), TWO.moment))


def updating(status: UpdateRunStatus, index: int, *places: int) -> UpdateRunStatus:
    """With a stage in which clusters have begun."""
    one = status.stages_status[index]
    clusters = [
        cluster_started(each, TWO.moment) if place in places else each
        for place, each in enumerate(one.clusters)
    ]
    one = replace(one, clusters=tuple(clusters))
    return with_stage(status, index, stage_started(one, TWO.moment))


def deletion(status: UpdateRunStatus, mark: str) -> UpdateRunStatus:
    one = status.deletion_stage_status
    assert one is not None
    marks = {
        "started": stage_started,
        "succeeded": stage_succeeded,
        "failed": lambda what, moment: stage_failed(what, moment, "why"),
    }
    return replace(status, deletion_stage_status=marks[mark](one, TWO.moment))


def through(status: UpdateRunStatus) -> UpdateRunStatus:
    return finished(finished(status, 0), 1)


APPLYING = Placement(
    ObjectMeta(name="app", generation=2),
    PlacementSpec(
        strategy=RolloutStrategy(
            "External",
            apply_strategy=ApplyStrategy(
                type="ServerSideApply", server_side_apply_config=ServerSideApplyConfig(True)
            ),
        )
    ),
)


@dataclass
class Refusal:
    change: Change
    want: str


REFUSALS = {
    "the placement is gone": Refusal(
        seeing(placement=None), INVALID + USER + "parent placement not found"
    ),
    "the placement rolls out by itself now": Refusal(
        seeing(placement=placement("RollingUpdate")),
        INVALID
        + USER
        + "parent placement does not have an external rollout strategy, current strategy: RollingUpdate",
    ),
    "resources are to be applied otherwise": Refusal(
        seeing(placement=APPLYING),
        PREFIX
        + USER
        + "the applyStrategy in the updateRun is outdated, "
        + "latest: &{PartialComparison Always ServerSideApply false &{true} Always}, "
        + "recorded: &{PartialComparison Always ClientSideApply false <nil> Always}",
    ),
    "the policy has changed": Refusal(
        seeing(policies=[policy(index="1")]),
        PREFIX
        + "the policy snapshot index used in the updateRun is outdated, latest: 1, recorded: 0",
    ),
    "the policy is being scheduled again": Refusal(
        seeing(policies=[policy(scheduled="Unknown")]),
        INVALID + "policy snapshot `app-0` not fully scheduled yet",
    ),
    "PickN wants another number": Refusal(
        seeing(policies=[policy(PICK_N, annotations={names.NUMBER_OF_CLUSTERS: "2"})]),
        PREFIX
        + "the cluster count initialized in the updateRun is outdated, latest: 2, recorded: 3",
    ),
    "a cluster has joined": Refusal(
        seeing(
            bindings=[*TWO.bindings, binding("new")],
            members=[*TWO.members, member("new", env="prod")],
        ),
        PREFIX + "the number of clusters in index `1` stage has changed, new: 3, existing: 2",
    ),
    "a cluster is in another stage now": Refusal(
        seeing(members=[member("a", env="prod"), member("b", env="dev"), member("c", env="prod")]),
        PREFIX + "the `0` cluster in the `0` stage has changed, new: b, existing: a",
    ),
    "another cluster is to be deleted": Refusal(
        seeing(bindings=[*TWO.bindings, binding("y", "Unscheduled")]),
        PREFIX + ODD + "the cluster `y` to be deleted is not in the delete stage",
    ),
    "the status has lost its strategy": Refusal(
        having(lambda status: replace(status, staged_update_strategy_snapshot=None)),
        PREFIX + ODD + "the updateRun has nil updateStrategySnapshot",
    ),
    "the status has lost its stages": Refusal(
        having(lambda status: replace(status, stages_status=())),
        PREFIX + ODD + "the updateRun has nil stagesStatus",
    ),
    "the status has lost one of its stages": Refusal(
        having(lambda status: replace(status, stages_status=status.stages_status[:1])),
        PREFIX + "the number of stages in the updateRun has changed, new: 2, existing: 1",
    ),
    "the status has its stages in another order": Refusal(
        having(lambda status: replace(status, stages_status=status.stages_status[::-1])),
        PREFIX + "index `0` stage name in the updateRun has changed, new: one, existing: two",
    ),
    "the status has lost its deleting stage": Refusal(
        having(lambda status: replace(status, deletion_stage_status=None)),
        PREFIX + ODD + "the updateRun has nil deletionStageStatus",
    ),
    "a stage has failed": Refusal(
        having(
            lambda status: with_stage(
                status, 0, stage_failed(status.stages_status[0], TWO.moment, "why")
            )
        ),
        PREFIX + "the stage `one` has failed, err: why",
    ),
    "a stage is through before its clusters": Refusal(
        having(
            lambda status: with_stage(
                status, 0, stage_succeeded(status.stages_status[0], TWO.moment)
            )
        ),
        PREFIX + ODD + "cluster `a` in the finished stage `one` has not succeeded",
    ),
    "a stage is through before the one before it": Refusal(
        having(lambda status: finished(status, 1)),
        PREFIX
        + ODD
        + "the finished stage `two` is not right after the last finished stage with index `-1`",
    ),
    "a stage is through while the one before it is updating": Refusal(
        having(lambda status: finished(updating(status, 0), 1)),
        PREFIX + ODD + "the finished stage `1` is after the updating stage `0`",
    ),
    "a stage is updating before its turn": Refusal(
        having(lambda status: updating(status, 1)),
        PREFIX
        + ODD
        + "the updating stage `two` is not right after the last finished stage with index `-1`",
    ),
    "two stages are updating": Refusal(
        having(lambda status: updating(updating(status, 0), 1)),
        PREFIX
        + ODD
        + "the stage `two` is updating, but there is already a stage with index `0` updating",
    ),
    "more clusters are updating than may": Refusal(
        having(lambda status: updating(finished(status, 0), 1, 0, 1)),
        PREFIX
        + ODD
        + "the number of updating clusters `2` in the updating stage `two` exceeds maxConcurrency `1`",
    ),
    "the deleting stage is updating before its turn": Refusal(
        having(lambda status: deletion(finished(status, 0), "started")),
        PREFIX
        + ODD
        + "the delete stage is active, but there are still stages updating, updatingStageIndex: -1, "
        + "lastFinishedStageIndex: 0",
    ),
    "the deleting stage is through while another is updating": Refusal(
        having(lambda status: deletion(updating(status, 0), "succeeded")),
        PREFIX
        + ODD
        + "the delete stage is active, but there are still stages updating, updatingStageIndex: 0, "
        + "lastFinishedStageIndex: -1",
    ),
    "the deleting stage has failed": Refusal(
        having(lambda status: deletion(through(status), "failed")),
        PREFIX + "the delete stage has failed, err: why",
    ),
}


@pytest.mark.parametrize("case", REFUSALS.values(), ids=REFUSALS)
def test_why_a_run_cannot_go_on(case: Refusal) -> None:
    with pytest.raises(Aborted) as raised:
        validated(*case.change(TWO, STATUS))
    assert str(raised.value) == case.want


@dataclass
class Going:
    change: Change
    want: int | None


GOING = {
    "nothing has begun": Going(having(lambda status: status), 0),
    "the first stage is updating": Going(having(lambda status: updating(status, 0, 0)), 0),
    "the first stage waits for people": Going(
        having(
            lambda status: with_stage(
                status, 0, stage_waiting(status.stages_status[0], TWO.moment, "before-stage")
            )
        ),
        0,
    ),
    "the first stage is stopping": Going(
        having(
            lambda status: with_stage(
                status, 0, stage_stopping(status.stages_status[0], TWO.moment)
            )
        ),
        0,
    ),
    "the first stage is through": Going(having(lambda status: finished(status, 0)), 1),
    "all stages are through": Going(having(through), 2),
    "the deleting stage is updating": Going(
        having(lambda status: deletion(through(status), "started")), 2
    ),
    "everything is through": Going(
        having(lambda status: deletion(through(status), "succeeded")), None
    ),
    "what was to be deleted has gone": Going(seeing(bindings=TWO.bindings[:3]), 0),
    "the strategy was changed or deleted": Going(seeing(strategy=None), 0),
}


@pytest.mark.parametrize("case", GOING.values(), ids=GOING)
def test_where_a_run_goes_on(case: Going) -> None:
    assert validated(*case.change(TWO, STATUS)).stage == case.want


def test_a_stage_that_was_skipped_is_through() -> None:
    seen = look("a", stages=[stage("none", "nobody"), stage("all")])
    status = begun(seen)
    status = with_stage(status, 0, stage_skipped(status.stages_status[0], seen.moment))
    assert validated(seen, status).stage == 1
