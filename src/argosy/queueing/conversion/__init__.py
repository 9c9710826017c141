"""v1beta1 and v1beta2 of Kueue's kinds, turned into each other: pure functions on plain objects.

They take an object of one version and return it in the other, apiVersion included. What they are given stays as it
is; what did not change is shared with it. Kinds that are not here are the same in both versions.

Dropped, because the other version cannot say it: from v1beta1 `retryDelayMinutes`, `pendingWorkloadsStatus`, the
flavors of a LocalQueue's status and the history of use of queues that are no LocalQueues; from v1beta2
`concurrentAdmissionPolicy`, `preemptionGates`, `podsetSliceRequiredTopologyConstraints` and `quotaManagement`.

`add_versions` has a cluster serve both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from argosy.api.crds import Dialects
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.customs import teach
from argosy.base.types import Object
from argosy.client.resources import (
    ADMISSION_CHECKS,
    CLUSTER_QUEUES,
    COHORTS,
    LOCAL_QUEUES,
    MULTI_KUEUE_CLUSTERS,
    MULTI_KUEUE_CONFIGS,
    WORKLOADS,
    Resource,
)
from argosy.queueing.conversion import checks, queues, workloads
from argosy.queueing.conversion.spellings import respell_cohort

Change = Callable[[Object], Object]
# From which version to which.
Converters = Mapping[tuple[str, str], Change]

_V1BETA1: Final = "v1beta1"
_V1BETA2: Final = "v1beta2"


def _between(resource: Resource, up: Change, down: Change) -> tuple[str, Converters]:
    return resource.kind, {
        (_V1BETA1, _V1BETA2): _stamped(resource, up, _V1BETA2),
        (_V1BETA2, _V1BETA1): _stamped(resource, down, _V1BETA1),
    }


def _stamped(resource: Resource, change: Change, version: str) -> Change:
    api_version = f"{resource.group}/{version}"

    def convert(obj: Object) -> Object:
        return {**change(obj), "apiVersion": api_version}

    return convert


# By kind.
CONVERTERS: Final[Mapping[str, Converters]] = dict(
    (
        _between(CLUSTER_QUEUES, queues.cluster_queue_to_v1beta2, queues.cluster_queue_to_v1beta1),
        _between(LOCAL_QUEUES, queues.local_queue_to_v1beta2, queues.local_queue_to_v1beta1),
        _between(COHORTS, queues.cohort_to_v1beta2, queues.cohort_to_v1beta1),
        _between(WORKLOADS, workloads.workload_to_v1beta2, workloads.workload_to_v1beta1),
        _between(
            ADMISSION_CHECKS, checks.admission_check_to_v1beta2, checks.admission_check_to_v1beta1
        ),
        _between(MULTI_KUEUE_CLUSTERS, checks.cluster_to_v1beta2, checks.cluster_to_v1beta1),
        _between(MULTI_KUEUE_CONFIGS, checks.config_to_v1beta2, checks.config_to_v1beta1),
    )
)


def add_versions(cluster: Cluster) -> None:
    """Have a cluster convert Kueue's kinds between their versions."""
    for kind, converters in CONVERTERS.items():
        respell = respell_cohort if kind == COHORTS.kind else None
        teach(cluster, COHORTS.group, kind, Dialects(converters, respell))
