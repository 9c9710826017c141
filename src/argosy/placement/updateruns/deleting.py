"""The last stage: bindings that the scheduler gave up are deleted, and waited for.

Upstream ends a run when a binding that it has deleted does not look deleted yet; here it is deleted once more, because
all that this can mean is that the deletion has not been heard of.
"""

from __future__ import annotations

from msgspec.structs import replace

from argosy.api.objects.fleet.updateruns import ClusterUpdatingStatus, UpdateRunStatus
from argosy.placement.updateruns.aborting import aborted, unexpected
from argosy.placement.updateruns.decisions import CLUSTER_SECONDS, Decision
from argosy.placement.updateruns.looks import Look
from argosy.placement.updateruns.marking import (
    STARTED,
    SUCCEEDED,
    Moment,
    cluster_started,
    cluster_succeeded,
    run_failed,
    run_progressing_unless_held,
    run_succeeded,
    stage_failed,
    stage_started,
    stage_succeeded,
    status_of,
)
from argosy.placement.updateruns.validating import Position


def deleted(look: Look, status: UpdateRunStatus, position: Position) -> Decision:
    moment = look.moment
    stage = stage_started(position.deletion, moment)
    leaving = {binding.spec.target_cluster: binding for binding in position.leaving}
    clusters, deletions = [], []
    for cluster in stage.clusters:
        binding = leaving.get(cluster.cluster_name)
        if binding is None:
            clusters.append(_gone(cluster, moment))
            continue
        if status_of(cluster.conditions, SUCCEEDED) == "True":
            problem = f"the deleted cluster `{cluster.cluster_name}` in the deleting stage still has a binding"
            message = str(aborted(unexpected(problem)))
            failed = replace(status, deletion_stage_status=stage_failed(stage, moment, message))
            return Decision(run_failed(failed, moment, message))
        if binding.metadata.deletion_timestamp is None:
            deletions.append(binding)
        clusters.append(_going(cluster, moment))
    stage = replace(stage, clusters=tuple(clusters))
    if leaving:
        status = replace(status, deletion_stage_status=stage)
        status = run_progressing_unless_held(status, moment)
        return Decision(status, again=CLUSTER_SECONDS, deletions=tuple(deletions))
    status = replace(status, deletion_stage_status=stage_succeeded(stage, moment))
    return Decision(run_succeeded(status, moment))


def _going(cluster: ClusterUpdatingStatus, moment: Moment) -> ClusterUpdatingStatus:
    has_started = status_of(cluster.conditions, STARTED) == "True"
    return cluster if has_started else cluster_started(cluster, moment)


def _gone(cluster: ClusterUpdatingStatus, moment: Moment) -> ClusterUpdatingStatus:
    return cluster_succeeded(_going(cluster, moment), moment)
