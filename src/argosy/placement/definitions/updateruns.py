"""The CRDs of update runs, of both scopes, and of the requests by which people approve their stages."""

from __future__ import annotations

from typing import Final

from argosy.api.definitions.fleet import (
    ALPHA,
    BETA,
    PLACEMENT_CATEGORIES,
    STABLE,
    grown,
    matured,
)
from argosy.api.definitions.kinds import AGE, STATUS, Definition, Version, column
from argosy.api.definitions.metadata import conditions
from argosy.api.definitions.vocabulary import (
    TEXT,
    choice,
    integer,
    listed,
    must,
    rule,
    ruled,
    struct,
    text,
    time,
)
from argosy.base.types import Json, Object
from argosy.client.resources import (
    APPROVAL_REQUESTS,
    CLUSTER_APPROVAL_REQUESTS,
    CLUSTER_STAGED_UPDATE_RUNS,
    STAGED_UPDATE_RUNS,
    Resource,
)
from argosy.placement.definitions.stages import STAGES, TASK_TYPE
from argosy.placement.definitions.statuses import overrides
from argosy.placement.definitions.strategies import APPLY_STRATEGY

_ALL: Final = (STABLE, ALPHA, BETA)
_FROZEN: Final = rule("The spec field is immutable", "self == oldSelf")


def _kept(name: str, schema: Object) -> Object:
    """A field that stays; in v1alpha1 the whole spec does."""
    kept = rule(f"{name} is immutable", "self == oldSelf")
    return schema | {"x-kubernetes-validations": grown((kept,))}


def _no_way(before: str, after: str) -> Object:
    return rule(
        f"invalid state transition: cannot transition from {before} to {after}",
        f"!(has(oldSelf.state) && oldSelf.state == '{before}' && self.state == '{after}')",
    )


def _name_rule(longest: int) -> Object:
    return rule(
        f"metadata.name max length is {longest}", f"size(self.metadata.name) < {longest + 1}"
    )


_SPEC: Final = struct(
    "What is updated, and how.",
    placementName=must(_kept("placementName", text("The placement.", maxLength=255))),
    resourceSnapshotIndex=must(
        _kept(
            "resourceSnapshotIndex",
            text("The index of the resource snapshot; the latest, if not given."),
        ),
        when=matured(True, False),
    ),
    stagedRolloutStrategyName=must(
        _kept("stagedRolloutStrategyName", text("The strategy that has the stages."))
    ),
    state=grown(
        choice(
            "Initialize only works out what is to be done, Run does it, Stop pauses it.",
            "Initialize",
            "Run",
            "Stop",
            default="Initialize",
        )
    ),
) | {
    "x-kubernetes-validations": matured(
        (_FROZEN,),
        (
            _no_way("Initialize", "Stop"),
            _no_way("Run", "Initialize"),
            _no_way("Stop", "Initialize"),
        ),
    )
}


def _tasks(said: str, most: int) -> Object:
    task = struct(
        "One task.",
        approvalRequestName=text("The request that somebody has to approve."),
        conditions=conditions(),
        type=must(TASK_TYPE),
    )
    return listed(said, task, maxItems=most)


def _stage_status(said: str) -> Object:
    return struct(
        said,
        afterStageTaskStatus=_tasks("How the tasks after it stand.", 2),
        beforeStageTaskStatus=grown(_tasks("How the task before it stands.", 1)),
        clusters=must(
            listed(
                "Its clusters, in order.",
                struct(
                    "One cluster.",
                    clusterName=must(text("Its name.")),
                    clusterResourceOverrideSnapshots=listed(
                        "Snapshots of ClusterResourceOverrides that apply there.", TEXT
                    ),
                    conditions=conditions(),
                    resourceOverrideSnapshots=overrides(
                        "Snapshots of ResourceOverrides that apply there."
                    ),
                ),
            )
        ),
        conditions=conditions(),
        endTime=time("When it was done."),
        stageName=must(text("Its name.")),
        startTime=time("When it began."),
    )


_STATUS: Final = struct(
    "How far it has come.",
    appliedStrategy=APPLY_STRATEGY,
    conditions=conditions(),
    deletionStageStatus=_stage_status("The stage in which clusters lose the placement."),
    policyObservedClusterCount=integer("How many clusters the policy snapshot picked."),
    policySnapshotIndexUsed=text("The index of the policy snapshot."),
    resourceSnapshotIndexUsed=grown(text("The index of the resource snapshot.")),
    stagedUpdateStrategySnapshot=STAGES,
    stagesStatus=listed("How the stages stand.", _stage_status("One stage.")),
)


def _condition(type_: str) -> str:
    return f'.status.conditions[?(@.type=="{type_}")].status'


_COLUMNS: Final[tuple[Json, ...]] = (
    column("Placement", ".spec.placementName", "What is updated."),
    column("Resource-Snapshot-Index", ".spec.resourceSnapshotIndex", "To which snapshot."),
    column("Policy-Snapshot-Index", ".status.policySnapshotIndexUsed", "On whose clusters."),
    column("Initialized", _condition("Initialized"), "Whether it is known what is to be done."),
    grown(column("Progressing", _condition("Progressing"), "Whether it is being done.")),
    column("Succeeded", _condition("Succeeded"), "Whether it is done."),
    AGE,
    column("Strategy", ".spec.stagedRolloutStrategyName", "In which stages.", priority=1),
)


def _run(
    resource: Resource, short_name: str, versions: tuple[Version, ...], said: str
) -> Definition:
    return Definition(
        resource,
        said=said,
        versions=versions,
        short_names=(short_name,),
        categories=PLACEMENT_CATEGORIES,
        fields={"spec": must(_SPEC), "status": _STATUS},
        rules=(matured(_name_rule(127), _name_rule(63)),),
        columns=_COLUMNS,
        subresources=STATUS,
    )


def _approval(
    resource: Resource, short_name: str, versions: tuple[Version, ...], said: str
) -> Definition:
    asked = struct(
        "What is asked.",
        parentStageRollout=must(text("The update run.")),
        targetStage=must(text("The stage.")),
    )
    return Definition(
        resource,
        said=said,
        versions=versions,
        short_names=(short_name,),
        categories=PLACEMENT_CATEGORIES,
        fields={
            "spec": must(ruled(asked, _FROZEN)),
            "status": struct("The answer.", conditions=conditions()),
        },
        columns=(
            column("Update-Run", ".spec.parentStageRollout", "Who asks."),
            column("Stage", ".spec.targetStage", "For which stage."),
            column("Approved", _condition("Approved"), "What somebody said."),
            AGE,
        ),
        subresources=STATUS,
    )


CLUSTER_STAGED_UPDATE_RUN: Final = _run(
    CLUSTER_STAGED_UPDATE_RUNS, "csur", _ALL, "Updates a ClusterResourcePlacement in stages."
)
STAGED_UPDATE_RUN: Final = _run(
    STAGED_UPDATE_RUNS, "sur", (STABLE, BETA), "Updates a ResourcePlacement in stages."
)
CLUSTER_APPROVAL_REQUEST: Final = _approval(
    CLUSTER_APPROVAL_REQUESTS, "careq", _ALL, "Asks whether a ClusterStagedUpdateRun may go on."
)
APPROVAL_REQUEST: Final = _approval(
    APPROVAL_REQUESTS, "areq", (STABLE, BETA), "Asks whether a StagedUpdateRun may go on."
)
