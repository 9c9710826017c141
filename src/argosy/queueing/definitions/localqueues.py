"""The CRDs of LocalQueue, where the jobs of a namespace wait, and Cohort, where quota is shared."""

from __future__ import annotations

from typing import Final

from argosy.api.definitions.kinds import STATUS, column
from argosy.api.definitions.metadata import labels
from argosy.api.definitions.vocabulary import TEXT, atomic, distinct, keyed, must, ruled, struct
from argosy.client.resources import COHORTS, LOCAL_QUEUES
from argosy.queueing.definitions.quotas import (
    ADMITTED,
    PENDING,
    RESERVING,
    RESOURCE_GROUPS,
    SHARE,
    usage,
)
from argosy.queueing.definitions.values import (
    CONDITIONS,
    FAIR_SHARING,
    FLAVOR,
    IMMUTABLE,
    STOP_POLICY,
    TAINT,
    USAGE_HISTORY,
    WEIGHTED_SHARE,
    name,
)
from argosy.queueing.definitions.versions import beta1, beta2, kueue

_FLAVOR_STATUS: Final = struct(
    "One flavor.",
    name=must(FLAVOR),
    resources=distinct("What there is of it.", TEXT, maxItems=64),
    nodeLabels=labels("Labels of its nodes.", maxProperties=8)
    | {"x-kubernetes-map-type": "atomic"},
    nodeTaints=atomic("Taints of its nodes.", TAINT, maxItems=8),
    topology=struct(
        "How its nodes are arranged.",
        name=must(name("The Topology.")),
        levels=must(atomic("Labels of its levels.", TEXT, minItems=1, maxItems=16)),
    ),
)
_FLAVOR_USAGE: Final = usage("What workloads that are let in use.")

LOCAL_QUEUE: Final = kueue(
    LOCAL_QUEUES,
    short_names=("queue", "queues", "lq"),
    said="Where the jobs of a namespace are sent to.",
    fields={
        "spec": struct(
            "Which quota it leads to.",
            clusterQueue=ruled(name("The ClusterQueue behind it."), IMMUTABLE),
            stopPolicy=STOP_POLICY,
            fairSharing=FAIR_SHARING,
        ),
        "status": struct(
            "Who waits and what is used.",
            conditions=CONDITIONS,
            pendingWorkloads=PENDING,
            reservingWorkloads=RESERVING,
            admittedWorkloads=ADMITTED,
            flavorsReservation=usage("What is reserved."),
            flavorUsage=beta1(_FLAVOR_USAGE),
            flavorsUsage=beta2(_FLAVOR_USAGE),
            flavors=beta1(keyed("The flavors there are.", _FLAVOR_STATUS, "name", maxItems=64)),
            fairSharing=struct(
                "How much it had of what it shares with others.",
                weightedShare=must(WEIGHTED_SHARE),
                admissionFairSharingStatus=USAGE_HISTORY,
            ),
        ),
    },
    columns=(
        column("ClusterQueue", ".spec.clusterQueue", "The quota behind it."),
        column("Pending Workloads", ".status.pendingWorkloads", "How many wait.", "integer"),
        column(
            "Admitted Workloads", ".status.admittedWorkloads", "How many are let in.", "integer"
        ),
    ),
    subresources=STATUS,
)

COHORT: Final = kueue(
    COHORTS,
    short_names=("co",),
    said="ClusterQueues, and cohorts of them, that lend each other what they do not use.",
    fields={
        "spec": struct(
            "What all of them share, and whose part they are.",
            parentName=name("The cohort that this one is part of; it is a root, if not given."),
            resourceGroups=RESOURCE_GROUPS,
            fairSharing=FAIR_SHARING,
        ),
        "status": struct("How it stands.", fairSharing=SHARE),
    },
    subresources=STATUS,
)
