"""The kinds of kueue.x-k8s.io as CustomResourceDefinitions, v1beta1 and v1beta2, built from the types in this folder.

`argosy crds` prints them, `fleet` installs them. That they say what upstream's say, field by field, is checked by
tests/unit/queueing/definitions against the contract's schemas.
"""

from __future__ import annotations

from typing import Final

from argosy.base.types import Object
from argosy.queueing.definitions.checks import (
    ADMISSION_CHECK,
    MULTI_KUEUE_CLUSTER,
    MULTI_KUEUE_CONFIG,
    PROVISIONING_REQUEST_CONFIG,
)
from argosy.queueing.definitions.clusterqueues import CLUSTER_QUEUE
from argosy.queueing.definitions.flavors import RESOURCE_FLAVOR, TOPOLOGY, WORKLOAD_PRIORITY_CLASS
from argosy.queueing.definitions.localqueues import COHORT, LOCAL_QUEUE
from argosy.queueing.definitions.workloads import WORKLOAD

KINDS: Final = (
    RESOURCE_FLAVOR,
    CLUSTER_QUEUE,
    LOCAL_QUEUE,
    COHORT,
    WORKLOAD,
    WORKLOAD_PRIORITY_CLASS,
    ADMISSION_CHECK,
    TOPOLOGY,
    MULTI_KUEUE_CONFIG,
    MULTI_KUEUE_CLUSTER,
    PROVISIONING_REQUEST_CONFIG,
)


def definitions() -> list[Object]:
    """All of them, to be applied before anything here runs."""
    return [kind.document() for kind in KINDS]
