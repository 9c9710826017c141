"""The two halves of the placement API: for the whole cluster, and for one namespace.

They behave alike and differ in names. A placement is known by a `Key`; one of the cluster has no namespace, and that is
how every controller knows which half it works on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from argosy.client.resources import (
    APPROVAL_REQUESTS,
    CLUSTER_APPROVAL_REQUESTS,
    CLUSTER_RESOURCE_BINDINGS,
    CLUSTER_RESOURCE_PLACEMENTS,
    CLUSTER_RESOURCE_SNAPSHOTS,
    CLUSTER_SCHEDULING_POLICY_SNAPSHOTS,
    CLUSTER_STAGED_UPDATE_RUNS,
    CLUSTER_STAGED_UPDATE_STRATEGIES,
    RESOURCE_BINDINGS,
    RESOURCE_PLACEMENTS,
    RESOURCE_SNAPSHOTS,
    SCHEDULING_POLICY_SNAPSHOTS,
    STAGED_UPDATE_RUNS,
    STAGED_UPDATE_STRATEGIES,
    Resource,
)


@dataclass(slots=True, frozen=True)
class Scope:
    """The kinds of one half."""

    placements: Resource
    policy_snapshots: Resource
    resource_snapshots: Resource
    bindings: Resource
    update_runs: Resource
    update_strategies: Resource
    approval_requests: Resource

    def condition(self, type_: str) -> str:
        """How a condition is called on a placement: `ResourcePlacementApplied`."""
        return self.placements.kind + type_


CLUSTER: Final = Scope(
    CLUSTER_RESOURCE_PLACEMENTS,
    CLUSTER_SCHEDULING_POLICY_SNAPSHOTS,
    CLUSTER_RESOURCE_SNAPSHOTS,
    CLUSTER_RESOURCE_BINDINGS,
    CLUSTER_STAGED_UPDATE_RUNS,
    CLUSTER_STAGED_UPDATE_STRATEGIES,
    CLUSTER_APPROVAL_REQUESTS,
)
NAMESPACE: Final = Scope(
    RESOURCE_PLACEMENTS,
    SCHEDULING_POLICY_SNAPSHOTS,
    RESOURCE_SNAPSHOTS,
    RESOURCE_BINDINGS,
    STAGED_UPDATE_RUNS,
    STAGED_UPDATE_STRATEGIES,
    APPROVAL_REQUESTS,
)
SCOPES: Final = (CLUSTER, NAMESPACE)


def scope_of(namespace: str) -> Scope:
    return NAMESPACE if namespace else CLUSTER
