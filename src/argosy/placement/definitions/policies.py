"""Which clusters a placement wants: policy, affinity, properties, spread, tolerations."""

from __future__ import annotations

from typing import Final

from argosy.api.definitions.metadata import label_selector
from argosy.api.definitions.vocabulary import (
    TEXT,
    choice,
    int32,
    listed,
    must,
    rule,
    ruled,
    struct,
    text,
)
from argosy.base.types import Object

_TERM: Final = struct(
    "What a cluster has to be; all that is said here has to hold.",
    labelSelector=label_selector("Its labels."),
    propertySelector=struct(
        "Its properties.",
        matchExpressions=must(
            listed(
                "Requirements, all of which hold.",
                struct(
                    "One requirement.",
                    name=must(text("The property.")),
                    operator=must(text("How it is compared: Gt, Ge, Eq, Ne, Lt or Le.")),
                    values=must(
                        listed("What it is compared with: one quantity.", TEXT, maxItems=1)
                    ),
                ),
            )
        ),
    ),
    propertySorter=struct(
        "A property by which clusters are ranked; only where clusters are preferred.",
        name=must(text("The property.")),
        sortOrder=must(
            choice("Whether a small or a large value is better.", "Ascending", "Descending")
        ),
    ),
)


def cluster_selector(said: str, /) -> Object:
    return struct(
        said, clusterSelectorTerms=must(listed("Terms, one of which holds.", _TERM, maxItems=10))
    )


_AFFINITY: Final = struct(
    "What clusters have to be, and which are better.",
    clusterAffinity=struct(
        "Of the clusters themselves.",
        preferredDuringSchedulingIgnoredDuringExecution=listed(
            "Which clusters are better, for PickN.",
            struct(
                "One preference.",
                preference=must(_TERM),
                weight=must(
                    int32(
                        "How much it counts; below zero, such clusters are worse.",
                        minimum=-100,
                        maximum=100,
                    )
                ),
            ),
        ),
        requiredDuringSchedulingIgnoredDuringExecution=cluster_selector(
            "Clusters that are not like this are not picked."
        ),
    ),
)
_SPREAD: Final = struct(
    "How evenly clusters are picked over regions, zones and the like.",
    maxSkew=int32("By how many clusters two domains may differ.", minimum=1, default=1),
    topologyKey=must(text("The label of clusters that says their domain.")),
    whenUnsatisfiable=choice(
        "Whether a cluster that would break this is left out or only worse.",
        "DoNotSchedule",
        "ScheduleAnyway",
        default="DoNotSchedule",
    ),
)
_TOLERATIONS: Final = ruled(
    listed(
        "Taints of clusters that do not keep this placement away.",
        struct(
            "One toleration.",
            effect=choice("The effect of these taints; empty means all.", "NoSchedule"),
            key=text("The key of these taints; empty means all, with operator Exists."),
            operator=choice(
                "Equal compares the value, Exists takes any.", "Equal", "Exists", default="Equal"
            ),
            value=text("What the taint's value is compared with."),
        ),
        maxItems=100,
    ),
    rule(
        "value must be empty when operator is Exists",
        "self.all(x, x.operator != 'Exists' || !has(x.value) || size(x.value) == 0)",
    ),
    rule(
        "operator must be Exists when key is empty",
        "self.all(x, (has(x.key) && size(x.key) > 0) || x.operator == 'Exists')",
    ),
)

# As it is kept in a snapshot: what was asked for has been judged.
POLICY: Final = struct(
    "Which clusters are picked; all, if nothing is said.",
    affinity=_AFFINITY,
    clusterNames=listed("The clusters, for PickFixed.", TEXT, maxItems=100),
    numberOfClusters=int32("How many clusters, for PickN.", minimum=0),
    placementType=choice(
        "PickAll takes every cluster that fits, PickN the best of them, PickFixed those that are named.",
        "PickAll",
        "PickN",
        "PickFixed",
        default="PickAll",
    ),
    tolerations=_TOLERATIONS,
    topologySpreadConstraints=listed("How clusters are spread, for PickN.", _SPREAD),
)
ASKED_POLICY: Final = ruled(
    POLICY,
    rule("placement type is immutable", "!(self.placementType != oldSelf.placementType)"),
    rule(
        "affinity, numberOfClusters, topologySpreadConstraints, and tolerations cannot be set when placementType is "
        "PickFixed",
        "self.placementType != 'PickFixed' || (!has(self.affinity) && !has(self.numberOfClusters) && "
        "!has(self.topologySpreadConstraints) && !has(self.tolerations))",
    ),
    rule(
        "clusterNames, numberOfClusters, and topologySpreadConstraints cannot be set when placementType is PickAll",
        "self.placementType != 'PickAll' || (!has(self.clusterNames) && !has(self.numberOfClusters) && "
        "!has(self.topologySpreadConstraints))",
    ),
    rule(
        "clusterNames cannot be set and numberOfClusters must be set when placementType is PickN",
        "self.placementType != 'PickN' || (!has(self.clusterNames) && has(self.numberOfClusters))",
    ),
)
