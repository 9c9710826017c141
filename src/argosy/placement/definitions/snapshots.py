"""The CRDs of what a placement was at one time: policy snapshots and resource snapshots, of both scopes."""

from __future__ import annotations

from typing import Final

from argosy.api.definitions.fleet import BETA, PLACEMENT_CATEGORIES, STABLE
from argosy.api.definitions.kinds import AGE, STATUS, Definition, column
from argosy.api.definitions.metadata import conditions
from argosy.api.definitions.vocabulary import (
    data,
    flag,
    int32,
    int64,
    listed,
    must,
    struct,
    text,
    whole_resource,
)
from argosy.client.resources import (
    CLUSTER_RESOURCE_SNAPSHOTS,
    CLUSTER_SCHEDULING_POLICY_SNAPSHOTS,
    RESOURCE_SNAPSHOTS,
    SCHEDULING_POLICY_SNAPSHOTS,
)
from argosy.placement.definitions.policies import POLICY

_COLUMNS: Final = (column("Gen", ".metadata.generation", "Its generation."), AGE)

DECISION: Final = struct(
    "Whether a cluster was picked, and why.",
    clusterName=must(text("The cluster.")),
    clusterScore=struct(
        "How good it is, among those that were weighed.",
        affinityScore=int32("By the placement's preferences."),
        priorityScore=int32("By how evenly clusters are spread."),
    ),
    reason=must(text("A sentence that says why.")),
    selected=must(flag("Whether it was picked.")),
)

_POLICY_FIELDS: Final = {
    "spec": must(
        struct(
            "The policy.",
            policy=POLICY,
            policyHash=must(
                data("The hash of the policy, whatever number of clusters it asks for.")
            ),
        )
    ),
    "status": struct(
        "What the scheduler made of it.",
        conditions=conditions(),
        observedCRPGeneration=must(int64("The generation of the placement that this was said of.")),
        targetClusters=listed(
            "The clusters, those that were picked first.", DECISION, maxItems=1000
        ),
    ),
}
CLUSTER_SCHEDULING_POLICY_SNAPSHOT: Final = Definition(
    CLUSTER_SCHEDULING_POLICY_SNAPSHOTS,
    said="The policy of a ClusterResourcePlacement at one time, and the clusters picked by it.",
    versions=(STABLE, BETA),
    short_names=("csps",),
    categories=PLACEMENT_CATEGORIES,
    fields=_POLICY_FIELDS,
    columns=_COLUMNS,
    subresources=STATUS,
)
SCHEDULING_POLICY_SNAPSHOT: Final = Definition(
    SCHEDULING_POLICY_SNAPSHOTS,
    said="The policy of a ResourcePlacement at one time, and the clusters picked by it.",
    versions=(BETA,),
    short_names=("sps",),
    categories=PLACEMENT_CATEGORIES,
    fields=_POLICY_FIELDS,
    columns=_COLUMNS,
    subresources=STATUS,
)

_RESOURCE_FIELDS: Final = {
    "spec": must(
        struct(
            "The objects.",
            selectedResources=must(
                listed("Objects as members are to have them.", whole_resource("One object."))
            ),
        )
    ),
    "status": struct("What holds for it.", conditions=conditions()),
}
CLUSTER_RESOURCE_SNAPSHOT: Final = Definition(
    CLUSTER_RESOURCE_SNAPSHOTS,
    said="What a ClusterResourcePlacement selected at one time, or a part of it.",
    versions=(STABLE, BETA),
    short_names=("crs",),
    categories=PLACEMENT_CATEGORIES,
    fields=_RESOURCE_FIELDS,
    columns=_COLUMNS,
    subresources=STATUS,
)
RESOURCE_SNAPSHOT: Final = Definition(
    RESOURCE_SNAPSHOTS,
    said="What a ResourcePlacement selected at one time, or a part of it.",
    versions=(BETA,),
    # ReplicaSets have it too: `kubectl get rs` means those.
    short_names=("rs",),
    categories=PLACEMENT_CATEGORIES,
    fields=_RESOURCE_FIELDS,
    columns=_COLUMNS,
    subresources=STATUS,
)
