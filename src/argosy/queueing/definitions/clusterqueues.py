"""The CRD of ClusterQueue: quota, and how workloads get it."""

from __future__ import annotations

from typing import Final

from argosy.api.definitions.kinds import STATUS, column
from argosy.api.definitions.vocabulary import (
    atomic,
    choice,
    int32,
    listed,
    must,
    quantity,
    rule,
    ruled,
    struct,
    text,
    time,
)
from argosy.base.types import Object
from argosy.client.resources import CLUSTER_QUEUES
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
    SELECTOR,
    STOP_POLICY,
    name,
)
from argosy.queueing.definitions.versions import beta1, beta2, differs, kueue

_COHORT: Final = name("The cohort whose members lend each other what they do not use.")
_CHECKS: Final = struct(
    "Checks that a workload passes before it is let in.",
    admissionChecks=must(
        listed(
            "The checks.",
            struct(
                "One check.",
                name=must(text("The AdmissionCheck.", minLength=beta2(1), maxLength=316)),
                onFlavors=listed("For which flavors; for all, if empty.", FLAVOR)
                | {"maxItems": beta2(64), "x-kubernetes-list-type": beta2("set")},
            ),
        )
        | {
            "minItems": beta2(1),
            "maxItems": beta2(64),
            "x-kubernetes-list-type": beta2("map"),
            "x-kubernetes-list-map-keys": beta2(("name",)),
        },
        when=beta2(True),
    ),
)

_FUNGIBILITY: Final = ruled(
    struct(
        "Whether the next flavor is tried where one would do only at a price.",
        whenCanBorrow=choice(
            "When a flavor would do by borrowing: stop there, or try the next.",
            "MayStopSearch",
            "TryNextFlavor",
            beta1("Borrow"),
            default="MayStopSearch",
        ),
        whenCanPreempt=choice(
            "When a flavor would do by preempting: stop there, or try the next.",
            "MayStopSearch",
            "TryNextFlavor",
            beta1("Preempt"),
            default="TryNextFlavor",
        ),
        preference=choice(
            "What is better when all flavors were tried: to borrow or to preempt.",
            "BorrowingOverPreemption",
            "PreemptionOverBorrowing",
        ),
    )
    | {"default": {}},
    rule(
        "preference can only be set when both whenCanBorrow and whenCanPreempt are TryNextFlavor",
        "!has(self.preference) || (self.whenCanBorrow == 'TryNextFlavor' && self.whenCanPreempt == 'TryNextFlavor')",
    ),
)

_PREEMPTION: Final = ruled(
    struct(
        "Who may be sent out for a workload that waits.",
        withinClusterQueue=choice(
            "Workloads of this ClusterQueue.",
            "Never",
            "LowerPriority",
            "LowerOrNewerEqualPriority",
            default="Never",
        ),
        reclaimWithinCohort=choice(
            "Workloads of others in the cohort that borrow, when nominal quota is taken back.",
            "Never",
            "LowerPriority",
            "Any",
            default="Never",
        ),
        borrowWithinCohort=struct(
            "Workloads of others in the cohort, when more than the nominal quota is needed.",
            policy=choice("Which of them.", "Never", "LowerPriority", default="Never"),
            maxPriorityThreshold=int32("Only those of at most this priority."),
        )
        | {"default": {}},
    )
    | {"default": {}},
    rule(
        "reclaimWithinCohort=Never and borrowWithinCohort.Policy!=Never",
        "!(self.reclaimWithinCohort == 'Never' && has(self.borrowWithinCohort) &&  "
        "self.borrowWithinCohort.policy != 'Never')",
    ),
)

_CONCURRENT: Final = struct(
    "Lets a workload be tried in several flavors at the same time.",
    migration=must(
        struct(
            "What happens when a better flavor becomes free.",
            mode=must(
                choice(
                    "Whether a workload that was let in moves to it.",
                    "TryPreferredFlavors",
                    "RetainFirstAdmission",
                    maxLength=253,
                )
            ),
            constraints=struct(
                "How far it goes.",
                lastAcceptableFlavorName=name("The last flavor that is good enough."),
            ),
        )
    ),
)


def _borrowing_rule(cohort: str) -> Object:
    return rule(
        "borrowingLimit must be nil when cohort is empty",
        f"!has(self.{cohort}) && has(self.resourceGroups) ? self.resourceGroups.all(rg, "
        "rg.flavors.all(f, f.resources.all(r, !has(r.borrowingLimit)))) : true",
    )


_BORROWED: Final = quantity("How much of that is borrowed.")
_CLUSTER_QUEUE_SPEC: Final = ruled(
    struct(
        "What there is, who may use it, and in which order.",
        resourceGroups=RESOURCE_GROUPS,
        cohort=beta1(_COHORT),
        cohortName=beta2(_COHORT),
        queueingStrategy=choice(
            "StrictFIFO lets no workload pass one that does not fit; BestEffortFIFO does.",
            "StrictFIFO",
            "BestEffortFIFO",
            default="BestEffortFIFO",
        ),
        namespaceSelector=SELECTOR,
        flavorFungibility=_FUNGIBILITY,
        preemption=_PREEMPTION,
        admissionChecks=beta1(
            listed(
                "Checks that a workload passes before it is let in.",
                {"type": "string", "maxLength": 316},
            )
        ),
        admissionChecksStrategy=_CHECKS,
        stopPolicy=STOP_POLICY,
        fairSharing=FAIR_SHARING,
        admissionScope=struct(
            "Whether usage history decides who is let in next.",
            admissionMode=must(
                text(
                    "UsageBasedAdmissionFairSharing: whoever of its LocalQueues used least is next. "
                    "NoAdmissionFairSharing: by priority and time."
                )
                | {"enum": beta2(("UsageBasedAdmissionFairSharing", "NoAdmissionFairSharing"))}
            ),
        ),
        concurrentAdmissionPolicy=beta2(_CONCURRENT),
    ),
    differs(_borrowing_rule("cohort"), _borrowing_rule("cohortName")),
)
_PENDING_STATUS: Final = struct(
    "The head of the queue.",
    clusterQueuePendingWorkload=atomic(
        "Workloads in the order in which they wait.",
        struct(
            "One workload.",
            name=must(text("Its name.")),
            namespace=must(text("Its namespace.")),
        ),
    ),
    lastChangeTime=must(time("When this was worked out.")),
)

CLUSTER_QUEUE: Final = kueue(
    CLUSTER_QUEUES,
    short_names=("cq",),
    said="Quota that workloads of many namespaces wait for.",
    fields={
        "spec": _CLUSTER_QUEUE_SPEC,
        "status": struct(
            "Who waits and what is used.",
            conditions=CONDITIONS,
            flavorsReservation=usage("What is reserved.", borrowed=_BORROWED),
            flavorsUsage=usage("What workloads that are let in use.", borrowed=_BORROWED),
            pendingWorkloads=PENDING,
            reservingWorkloads=RESERVING,
            admittedWorkloads=ADMITTED,
            pendingWorkloadsStatus=beta1(_PENDING_STATUS),
            fairSharing=SHARE,
        ),
    },
    columns=(
        column("Cohort", differs(".spec.cohort", ".spec.cohortName"), "Who it lends to."),
        column("Strategy", ".spec.queueingStrategy", "In which order.", priority=1),
        column("Pending Workloads", ".status.pendingWorkloads", "How many wait.", "integer"),
        column(
            "Admitted Workloads", ".status.admittedWorkloads", "How many are let in.", "integer", 1
        ),
    ),
    subresources=STATUS,
)
