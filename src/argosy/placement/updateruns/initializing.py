"""The beginning of a run: who, in which order, with what. Written down once and never asked again.

Two steps, because between them resources may have to be selected: a placement whose rollout is external has no resource
snapshot until a run wants one. First `planned` finds policy, clusters and stages; then `initialized` takes the shards
of the snapshot and freezes the overrides of every cluster. Where something is wrong, the status says so under
Initialized, beside as much as was found out, and the run ends there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.snapshots import ResourceSnapshot
from argosy.api.objects.fleet.updateruns import (
    ClusterUpdatingStatus,
    StageUpdatingStatus,
    UpdateRunStatus,
)
from argosy.api.rules.integers import AtoiError, atoi
from argosy.placement.picks import Overrides
from argosy.placement.updateruns import checking, staging
from argosy.placement.updateruns.aborting import Aborted, by_user, invalid, unexpected
from argosy.placement.updateruns.looks import Look, full
from argosy.placement.updateruns.marking import run_initialized, run_not_initialized


def planned(look: Look) -> UpdateRunStatus:
    """Policy, clusters and stages. A failure stands under Initialized; without one nothing stands there yet."""
    status = UpdateRunStatus(conditions=look.run.status.conditions)
    try:
        status = replace(status, applied_strategy=checking.apply_strategy(look))
        policy = checking.latest_policy(look)
        status = replace(
            status,
            policy_snapshot_index_used=policy.index,
            policy_observed_cluster_count=-1 if policy.count is None else policy.count,
        )
        checking.check_scheduled(policy)
        bound = checking.bindings(look, policy)
        status = replace(status, policy_observed_cluster_count=len(bound.selected))
        if look.strategy is None:
            name = full(look.strategy_key)
            raise invalid(by_user(f"referenced updateStrategy not found: `{name}`"))
        strategy = staging.as_used(look.strategy.spec)
        status = replace(status, staged_update_strategy_snapshot=strategy)
        stages = staging.stages(look, strategy, bound.selected)
        return replace(status, stages_status=stages, deletion_stage_status=_deletion(bound.leaving))
    except Aborted as error:
        return run_not_initialized(status, look.moment, str(error))


def initialized(
    status: UpdateRunStatus,
    look: Look,
    *,
    index: str,
    snapshots: Iterable[ResourceSnapshot],
    overrides: Overrides,
) -> UpdateRunStatus:
    """`snapshots` are all of the placement; those of `index` are let out."""
    try:
        shards = _shards(look, index, snapshots)
    except Aborted as error:
        return run_not_initialized(status, look.moment, str(error))
    members = {member.metadata.name: member for member in look.members}
    stages = tuple(
        _frozen(stage, look, shards, members, overrides) for stage in status.stages_status
    )
    status = replace(status, resource_snapshot_index_used=index, stages_status=stages)
    return run_initialized(status, look.moment)


def _deletion(leaving: Iterable[Binding]) -> StageUpdatingStatus:
    clusters = sorted(binding.spec.target_cluster for binding in leaving)
    return StageUpdatingStatus(
        stage_name=names.DELETE_STAGE,
        clusters=tuple(ClusterUpdatingStatus(cluster) for cluster in clusters),
    )


def _shards(
    look: Look, index: str, snapshots: Iterable[ResourceSnapshot]
) -> Sequence[ResourceSnapshot]:
    placement = full(look.placement_key)
    try:
        number = atoi(index)
    except AtoiError:
        number = -1
    if number < 0:
        raise invalid(
            by_user(f"invalid resource snapshot index `{index}` provided, expected an integer >= 0")
        )
    shards = [each for each in snapshots if each.metadata.labels.get(names.RESOURCE_INDEX) == index]
    if not shards:
        raise invalid(
            by_user(f"no resourceSnapshots with index `{number}` found for placement `{placement}`")
        )
    if not any(each.metadata.annotations.get(names.RESOURCE_HASH) for each in shards):
        raise invalid(
            unexpected(
                f"no master resourceSnapshot found for placement `{placement}` with index `{number}`"
            )
        )
    return shards


def _frozen(
    stage: StageUpdatingStatus,
    look: Look,
    shards: Sequence[ResourceSnapshot],
    members: dict[str, MemberCluster],
    overrides: Overrides,
) -> StageUpdatingStatus:
    """The stage with the overrides of its clusters as they are now.

    Upstream asks for them by the placement's name only, and so misses those that name a placement of a namespace.
    """
    clusters = []
    for cluster in stage.clusters:
        picked = overrides(look.placement_key, shards, members[cluster.cluster_name])
        clusters.append(
            replace(
                cluster,
                resource_override_snapshots=picked.overrides,
                cluster_resource_override_snapshots=picked.cluster_overrides,
            )
        )
    return replace(stage, clusters=tuple(clusters))
