"""The CRDs of bindings: one placement on one cluster, of both scopes."""

from __future__ import annotations

from typing import Final

from argosy.api.definitions.fleet import BETA, PLACEMENT_CATEGORIES, STABLE
from argosy.api.definitions.kinds import AGE, STATUS, Definition, column
from argosy.api.definitions.metadata import conditions
from argosy.api.definitions.vocabulary import TEXT, listed, must, struct, text
from argosy.base.types import Object
from argosy.client.resources import CLUSTER_RESOURCE_BINDINGS, RESOURCE_BINDINGS
from argosy.placement.definitions.snapshots import DECISION
from argosy.placement.definitions.statuses import TROUBLES, overrides
from argosy.placement.definitions.strategies import APPLY_STRATEGY

_FIELDS: Final = {
    "spec": must(
        struct(
            "What the cluster is to have.",
            applyStrategy=APPLY_STRATEGY,
            clusterDecision=must(DECISION),
            clusterResourceOverrideSnapshots=listed(
                "Snapshots of ClusterResourceOverrides that apply.", TEXT
            ),
            resourceOverrideSnapshots=overrides("Snapshots of ResourceOverrides that apply."),
            resourceSnapshotName=must(
                text("The master of the resource snapshots; empty until it is let out.")
            ),
            schedulingPolicySnapshotName=must(text("The policy snapshot by which it was picked.")),
            state=must(
                text(
                    "Scheduled when it was picked, Bound when it was let out, Unscheduled when not."
                )
            ),
            targetCluster=must(text("The cluster.")),
        )
    ),
    "status": struct("How that stands.", conditions=conditions(), **TROUBLES),
}


def _condition(type_: str) -> str:
    return f'.status.conditions[?(@.type=="{type_}")].status'


_COLUMNS: Final[tuple[Object, ...]] = (
    column("WorkSynchronized", _condition("WorkSynchronized"), "Whether the Works are written."),
    column("ResourcesApplied", _condition("Applied"), "Whether the cluster has it."),
    column("ResourceAvailable", _condition("Available"), "Whether it works there.", priority=1),
    AGE,
)

CLUSTER_RESOURCE_BINDING: Final = Definition(
    CLUSTER_RESOURCE_BINDINGS,
    said="A ClusterResourcePlacement on one cluster.",
    versions=(STABLE, BETA),
    short_names=("crb",),
    categories=PLACEMENT_CATEGORIES,
    fields=_FIELDS,
    columns=_COLUMNS,
    subresources=STATUS,
)
RESOURCE_BINDING: Final = Definition(
    RESOURCE_BINDINGS,
    said="A ResourcePlacement on one cluster.",
    versions=(BETA,),
    short_names=("rb",),
    categories=PLACEMENT_CATEGORIES,
    fields=_FIELDS,
    columns=_COLUMNS,
    subresources=STATUS,
)
