"""How a Workload stands: conditions, checks, what was given back, how often it was sent out."""

from __future__ import annotations

from typing import Final

from argosy.api.definitions.metadata import labels
from argosy.api.definitions.vocabulary import (
    AMOUNT,
    atomic,
    choice,
    int32,
    keyed,
    listed,
    mapped,
    must,
    rule,
    ruled,
    struct,
    text,
    time,
)
from argosy.queueing.definitions.assignments import ADMISSION
from argosy.queueing.definitions.values import (
    CONDITIONS,
    PREEMPTION_GATE,
    TOLERATION,
    TOLERATION_RULES,
    pod_set_name,
)
from argosy.queueing.definitions.versions import beta1, beta2

_UPDATE: Final = struct(
    "What the pods of one set get.",
    name=must(pod_set_name("The pod set.")),
    labels=labels("Labels."),
    annotations=labels("Annotations."),
    nodeSelector=labels("Labels of nodes that they are kept to."),
    tolerations=ruled(
        listed("Tolerations.", TOLERATION)
        | {"maxItems": 8, "x-kubernetes-list-type": beta2("atomic")},
        *TOLERATION_RULES,
    ),
)
_CHECK: Final = struct(
    "How one check stands.",
    name=must(text("The AdmissionCheck.", minLength=beta2(1), maxLength=316)),
    state=must(
        choice("What it says: wait, yes, later, or never.", "Pending", "Ready", "Retry", "Rejected")
    ),
    lastTransitionTime=must(time("When the state last turned.")),
    message=must(text("A sentence for people.", maxLength=32768)),
    podSetUpdates=atomic("What the pods get when they start.", _UPDATE, maxItems=18),
    requeueAfterSeconds=int32("How long until it is tried again.", minimum=0),
    retryCount=int32("How often it was tried again.", minimum=0),
)
_EVICTION: Final = struct(
    "One cause.",
    reason=must(text("Why it was sent out.", maxLength=316)),
    underlyingCause=must(text("What is behind that reason.", maxLength=316)),
    count=must(int32("How often.", minimum=0)),
)
_PAST: Final = int32("How long it ran the other times it was let in.")

WORKLOAD_STATUS: Final = ruled(
    struct(
        "How it stands.",
        conditions=CONDITIONS,
        admission=ADMISSION,
        requeueState=struct(
            "When it waits again after it was sent out.",
            count=int32("How often it was put back.", minimum=0),
            requeueAt=time("Not before this time."),
        ),
        reclaimablePods=keyed(
            "Pods that are done and whose share is free again.",
            struct(
                "Those of one set.",
                name=must(pod_set_name("The pod set.")),
                count=must(int32("How many.", minimum=0)),
            ),
            "name",
            maxItems=18,
        ),
        admissionChecks=keyed("How its checks stand.", _CHECK, "name", maxItems=8),
        resourceRequests=keyed(
            "How much it asks for, while it waits.",
            struct(
                "One pod set.",
                name=must(pod_set_name("The pod set.")),
                resources=mapped("How much, for all pods of the set together.", AMOUNT),
            ),
            "name",
            maxItems=18,
        ),
        accumulatedPastExexcutionTimeSeconds=beta1(_PAST),
        accumulatedPastExecutionTimeSeconds=beta2(_PAST),
        schedulingStats=struct(
            "How often it was sent out.",
            evictions=keyed(
                "By cause.", _EVICTION, "reason", "underlyingCause", maxItems=beta2(256)
            ),
        ),
        nominatedClusterNames=atomic(
            "Clusters that it may be sent to.",
            {"type": "string", "maxLength": beta2(256)},
            maxItems=20,
        ),
        clusterName=text("The cluster that it was sent to.", maxLength=beta2(256)),
        unhealthyNodes=listed(
            "Nodes that its pods have to leave.",
            struct("One node.", name=must(text("Its name.", maxLength=beta2(63)))),
        )
        | {
            "maxItems": beta2(8),
            "x-kubernetes-list-type": beta2("map"),
            "x-kubernetes-list-map-keys": beta2(("name",)),
        },
        preemptionGates=beta2(
            keyed(
                "How its gates stand.",
                struct(
                    "One gate.",
                    name=must(PREEMPTION_GATE),
                    position=must(choice("Whether it is open.", "Closed", "Open")),
                    lastTransitionTime=must(time("When that last turned.")),
                ),
                "name",
                maxItems=8,
            )
        ),
    ),
    rule(
        "clusterName is immutable once set",
        "!has(oldSelf.clusterName) || !has(self.clusterName) || oldSelf.clusterName == self.clusterName",
    ),
    rule(
        "clusterName and nominatedClusterNames are mutually exclusive",
        "!has(self.clusterName) || (!has(self.nominatedClusterNames) || (has(self.nominatedClusterNames) && "
        "size(self.nominatedClusterNames) == 0))",
    ),
)
