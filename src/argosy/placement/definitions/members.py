"""The CRDs of MemberCluster, a cluster of the fleet, and of InternalMemberCluster, where its agent reports."""

from __future__ import annotations

from typing import Final

from argosy.api.definitions.fleet import BETA, CLUSTER_CATEGORIES, STABLE, beta
from argosy.api.definitions.kinds import AGE, STATUS, Definition, column
from argosy.api.definitions.metadata import CONDITION, conditions, labels
from argosy.api.definitions.vocabulary import (
    AMOUNT,
    choice,
    int32,
    listed,
    mapped,
    must,
    rule,
    struct,
    text,
    time,
)
from argosy.base.types import Object
from argosy.client.resources import INTERNAL_MEMBER_CLUSTERS, MEMBER_CLUSTERS

_HEARTBEAT: Final = int32(
    "How often the agent reports, in seconds.", minimum=1, maximum=600, default=60
)


def _status(said: str, held: Object) -> Object:
    return struct(
        said,
        agentStatus=listed(
            "Agents of the cluster.",
            struct(
                "One agent.",
                conditions=conditions(),
                lastReceivedHeartbeat=time("When it last reported."),
                type=must(text("Which agent it is.")),
            ),
        ),
        conditions=held,
        namespaces=beta(
            labels("Namespaces of the cluster, each with the AppliedWork that owns it, if any.")
        ),
        properties=mapped(
            "What the cluster says of itself, by name.",
            struct(
                "One property.",
                observationTime=must(time("When it was looked at.")),
                value=must(text("What it is, as a quantity.")),
            ),
        ),
        resourceUsage=struct(
            "What the nodes of the cluster have.",
            allocatable=mapped("How much pods may use.", AMOUNT),
            available=mapped("How much pods do not use yet.", AMOUNT),
            capacity=mapped("How much there is.", AMOUNT),
            observationTime=time("When it was looked at."),
        ),
    )


_HELD: Final = "What holds for the cluster now, one entry per type."
_USAGE: Final = ".status.resourceUsage"

MEMBER_CLUSTER: Final = Definition(
    MEMBER_CLUSTERS,
    said="A cluster of the fleet.",
    versions=(STABLE, BETA),
    short_names=("cluster",),
    categories=CLUSTER_CATEGORIES,
    fields={
        "spec": must(
            struct(
                "Who it is.",
                deleteOptions=beta(
                    struct(
                        "How it leaves.",
                        validationMode=choice(
                            "Whether it is looked for services that others still use.",
                            "Skip",
                            "Strict",
                            default="Strict",
                        ),
                    )
                ),
                heartbeatPeriodSeconds=_HEARTBEAT,
                identity=must(
                    struct(
                        "Who its agent is on the hub.",
                        apiGroup=text("The group of the kind."),
                        kind=must(text("User, Group or ServiceAccount.")),
                        name=must(text("The name.")),
                        namespace=text("The namespace of a ServiceAccount."),
                    )
                    | {"x-kubernetes-map-type": "atomic"}
                ),
                taints=listed(
                    "What keeps placements away that do not tolerate it.",
                    struct(
                        "One taint.",
                        effect=must(
                            choice("NoSchedule: what is there already stays.", "NoSchedule")
                        ),
                        key=must(text("What placements have to tolerate.")),
                        value=text("The value that goes with the key."),
                    ),
                    maxItems=100,
                ),
            )
        ),
        "status": _status("How it is.", conditions(_HELD)),
    },
    rules=(rule("metadata.name max length is 63", "size(self.metadata.name) < 64"),),
    columns=(
        column("Joined", '.status.conditions[?(@.type=="Joined")].status', "Whether it is in."),
        AGE,
        column(
            "Member-Agent-Last-Seen",
            '.status.agentStatus[?(@.type=="MemberAgent")].lastReceivedHeartbeat',
            "How long ago its agent reported.",
            "date",
        ),
        column(
            "Node-Count",
            r".status.properties.kubernetes-fleet\.io/node-count.value",
            "How many nodes it has.",
        ),
        column("Available-CPU", f"{_USAGE}.available.cpu", "CPU that no pod uses."),
        column("Available-Memory", f"{_USAGE}.available.memory", "Memory that no pod uses."),
        column("Allocatable-CPU", f"{_USAGE}.allocatable.cpu", "CPU for pods.", priority=1),
        column(
            "Allocatable-Memory", f"{_USAGE}.allocatable.memory", "Memory for pods.", priority=1
        ),
    ),
    subresources=STATUS,
)
INTERNAL_MEMBER_CLUSTER: Final = Definition(
    INTERNAL_MEMBER_CLUSTERS,
    said="What the hub wants of one member's agent, and what the agent reports; it lives in the member's namespace.",
    versions=(STABLE, BETA),
    short_names=("imc",),
    categories=CLUSTER_CATEGORIES,
    fields={
        "spec": must(
            struct(
                "What the hub wants.",
                heartbeatPeriodSeconds=_HEARTBEAT,
                state=must(text("Join, or Leave.")),
            )
        ),
        "status": _status("What the agent reports.", listed(_HELD, CONDITION)),
    },
    columns=(AGE,),
    subresources=STATUS,
)
