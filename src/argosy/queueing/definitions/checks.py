"""What else has a say: AdmissionCheck, and what its controllers are told by MultiKueueConfig, MultiKueueCluster and
ProvisioningRequestConfig.
"""

from __future__ import annotations

from typing import Final

from argosy.api.definitions.kinds import AGE, STATUS, column
from argosy.api.definitions.metadata import LABEL, QUALIFIED
from argosy.api.definitions.vocabulary import (
    TEXT,
    choice,
    distinct,
    int32,
    int64,
    listed,
    mapped,
    must,
    rule,
    ruled,
    struct,
    text,
)
from argosy.client.resources import (
    ADMISSION_CHECKS,
    MULTI_KUEUE_CLUSTERS,
    MULTI_KUEUE_CONFIGS,
    PROVISIONING_REQUEST_CONFIGS,
)
from argosy.queueing.definitions.values import CONDITIONS, IMMUTABLE, UNIQUE, name
from argosy.queueing.definitions.versions import beta1, beta2, differs, kueue

ADMISSION_CHECK: Final = kueue(
    ADMISSION_CHECKS,
    short_names=("ac",),
    said="Something that has to agree before a workload is let in.",
    fields={
        "spec": struct(
            "Who decides, and by what.",
            controllerName=must(
                ruled(
                    text("The controller that decides.", minLength=beta2(1), maxLength=beta2(253)),
                    IMMUTABLE,
                )
            ),
            retryDelayMinutes=beta1(int64("No longer used.", default=15)),
            parameters=struct(
                "The object that tells the controller more.",
                apiGroup=must(name("Its API group.", minLength=beta2(1))),
                kind=must(
                    text(
                        "Its kind.",
                        minLength=beta2(1),
                        maxLength=63,
                        pattern=r"^(?i)[a-z]([-a-z0-9]*[a-z0-9])?$",
                    )
                ),
                name=must(text("Its name.", minLength=beta2(1), maxLength=63, pattern=LABEL)),
            ),
        ),
        "status": struct("Whether it works.", conditions=CONDITIONS),
    },
    subresources=STATUS,
)

MULTI_KUEUE_CONFIG: Final = kueue(
    MULTI_KUEUE_CONFIGS,
    short_names=("mkconf",),
    said="The clusters that a MultiKueue check chooses from.",
    fields={
        "spec": struct(
            "The clusters.",
            clusters=must(
                listed("Clusters, in order.", {"type": "string", "maxLength": beta2(256)})
                | {
                    "minItems": 1,
                    "maxItems": 20,
                    "x-kubernetes-list-type": differs("set", "atomic"),
                    "x-kubernetes-validations": beta2((UNIQUE,)),
                }
            ),
            quotaManagement=beta2(
                choice("Who sets the quota of this cluster.", "Manual", "Automated")
            ),
        )
    },
)

_PROFILE: Final = struct(
    "A ClusterProfile that says how to reach it.",
    name=must(text("Its name.", minLength=1, maxLength=256)),
)
_KUBECONFIG: Final = struct(
    "A kubeconfig that says how to reach it.",
    location=must(
        text("Where it is: the name of a secret, or a path.")
        | {"minLength": beta2(1), "maxLength": beta2(256)}
    ),
    locationType=must(
        choice("What the location is.", "Secret", "Path", default="Secret"), when=beta1(True)
    ),
)
_SOURCE: Final = ruled(
    struct("How to reach it.", kubeConfig=_KUBECONFIG, clusterProfileRef=_PROFILE),
    rule(
        "exactly one of the fields in [kubeConfig clusterProfileRef] must be set",
        "[has(self.kubeConfig),has(self.clusterProfileRef)].filter(x,x==true).size() == 1",
    ),
)
MULTI_KUEUE_CLUSTER: Final = kueue(
    MULTI_KUEUE_CLUSTERS,
    short_names=("mkc",),
    said="A cluster that workloads are sent to.",
    fields={
        "spec": struct(
            "Which cluster it is.",
            kubeConfig=must(beta1(_KUBECONFIG)),
            clusterProfileRef=beta1(_PROFILE),
            clusterSource=must(beta2(_SOURCE)),
        ),
        "status": struct("Whether it is reached.", conditions=CONDITIONS),
    },
    columns=(
        column(
            "Connected", ".status.conditions[?(@.type=='Active')].status", "Whether it is reached."
        ),
        AGE,
    ),
    subresources=STATUS,
)

_BACKOFF: Final = {"backoffBaseSeconds": 60, "backoffLimitCount": 3, "backoffMaxSeconds": 1800}
_SELECTED: Final = listed(
    "Labels that pods are kept to.",
    struct(
        "One label.",
        key=must(text("Its key.", minLength=1, maxLength=317, pattern=QUALIFIED)),
        valueFromProvisioningClassDetail=must(
            text("Which detail of the request is its value.", minLength=1, maxLength=32768)
        ),
    ),
) | {
    "maxItems": 8,
    "x-kubernetes-list-type": beta2("map"),
    "x-kubernetes-list-map-keys": beta2(("key",)),
}
PROVISIONING_REQUEST_CONFIG: Final = kueue(
    PROVISIONING_REQUEST_CONFIGS,
    short_names=("prc",),
    said="How nodes are asked for before a workload is let in.",
    fields={
        "spec": struct(
            "What is asked, and how often.",
            provisioningClassName=must(name("The class of the requests.", minLength=beta2(1))),
            parameters=mapped(
                "What the class is told.", {"type": "string", "maxLength": 255}, maxProperties=100
            ),
            managedResources=distinct(
                "Resources that nodes are asked for; all, if empty.", TEXT, maxItems=100
            ),
            retryStrategy=struct(
                "What happens when a request fails.",
                backoffLimitCount=int32("How often it is tried again.", default=3),
                backoffBaseSeconds=int32("How long before the first time.", default=60),
                backoffMaxSeconds=int32("The longest wait; it doubles each time.", default=1800),
            )
            | {"default": _BACKOFF},
            podSetUpdates=struct(
                "What the pods get of the answer.",
                nodeSelector=_SELECTED,
            ),
            podSetMergePolicy=choice(
                "Which pod sets are asked for as one.",
                "IdenticalPodTemplates",
                "IdenticalWorkloadSchedulingRequirements",
            ),
        )
    },
)
