"""The CRDs of update strategies, of both scopes: clusters in stages, one after the other."""

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
from argosy.api.definitions.kinds import STATUS, Definition
from argosy.api.definitions.metadata import label_selector
from argosy.api.definitions.vocabulary import (
    choice,
    int_or_string,
    listed,
    must,
    rule,
    ruled,
    struct,
    text,
)
from argosy.client.resources import CLUSTER_STAGED_UPDATE_STRATEGIES, STAGED_UPDATE_STRATEGIES

# Lengths of time such as 1h30m; v1alpha1 takes a bare 0 too.
_LENGTHS: Final = r"(?:(?:0|[1-9][0-9]*)(\.[0-9]+)?(?:s|m|h))+"
_NO_WAIT: Final = rule(
    "AfterStageTaskType is Approval, waitTime is not allowed",
    "!self.exists(e, e.type == 'Approval' && has(e.waitTime))",
)

TASK_TYPE: Final = choice(
    "Whether time has to pass, or somebody has to approve.", "TimedWait", "Approval"
)
_TASK: Final = struct(
    "One thing that has to happen.",
    type=must(TASK_TYPE),
    waitTime=text("How long, for TimedWait.")
    | {"pattern": matured(rf"^(?:0|{_LENGTHS})$", f"^{_LENGTHS}$")},
)
_AFTER: Final = listed("What has to happen before the next stage.", _TASK, maxItems=2) | {
    "x-kubernetes-validations": grown(
        (
            _NO_WAIT,
            rule(
                "AfterStageTaskType is TimedWait, waitTime is required",
                "!self.exists(e, e.type == 'TimedWait' && !has(e.waitTime))",
            ),
        )
    )
}
_BEFORE: Final = ruled(
    listed("What has to happen before this stage.", _TASK, maxItems=1),
    _NO_WAIT,
    rule("BeforeStageTaskType cannot be TimedWait", "!self.exists(e, e.type == 'TimedWait')"),
)
_STAGE: Final = struct(
    "Clusters that are updated before those of the next stage.",
    afterStageTasks=_AFTER,
    beforeStageTasks=grown(_BEFORE),
    labelSelector=label_selector("Which clusters, by their labels."),
    maxConcurrency=grown(
        ruled(
            int_or_string(
                "How many clusters are updated at the same time.",
                pattern="^(100|[1-9][0-9]?)%$",
                default=1,
            ),
            rule(
                "maxConcurrency must be at least 1",
                "self == null || type(self) != int || self >= 1",
            ),
        )
    ),
    name=must(text("The name of the stage.", maxLength=63, pattern="^[a-z0-9]+$")),
    sortingLabelKey=text(
        "A label of clusters whose number says their order; by name, if not given."
    ),
)

STAGES: Final = struct(
    "The stages.",
    stages=must(listed("Stages in order.", _STAGE, maxItems=31)),
)

CLUSTER_STAGED_UPDATE_STRATEGY: Final = Definition(
    CLUSTER_STAGED_UPDATE_STRATEGIES,
    said="In which stages ClusterResourcePlacements are updated.",
    versions=(STABLE, ALPHA, BETA),
    short_names=("csus",),
    categories=PLACEMENT_CATEGORIES,
    fields={"spec": must(STAGES)},
    subresources=STATUS,
)
STAGED_UPDATE_STRATEGY: Final = Definition(
    STAGED_UPDATE_STRATEGIES,
    said="In which stages ResourcePlacements of its namespace are updated.",
    versions=(STABLE, BETA),
    short_names=("sus",),
    categories=PLACEMENT_CATEGORIES,
    fields={"spec": must(STAGES)},
)
