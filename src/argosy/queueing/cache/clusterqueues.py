"""A ClusterQueue as the scheduler sees it: its policies, its flavors in order, its place in the quota tree, and the
workloads that hold its quota.

The policies are read from the object once; the node is the quota tree's own, so what is counted there is seen here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from argosy.api.objects.kueue.quotas import (
    Amount,
    ClusterQueue,
    ClusterQueuePreemption,
    FlavorFungibility,
    ResourceGroup,
)
from argosy.base.quantities import parse
from argosy.base.selectors.labels import LabelSelector, from_object, nothing
from argosy.queueing.cache.holders import Holders
from argosy.queueing.quotas.amounts import FlavorResource, amount
from argosy.queueing.quotas.nodes import Node, Quota

STRICT_FIFO: Final = "StrictFIFO"
NEVER: Final = "Never"


@dataclass(slots=True, frozen=True)
class Group:
    """Resources that get their flavor together, and the flavors in the order they are tried."""

    resources: frozenset[str]
    flavors: tuple[str, ...]


@dataclass(slots=True)
class CachedQueue:
    """A ClusterQueue and the workloads that hold its quota."""

    name: str
    groups: tuple[Group, ...]
    preemption: ClusterQueuePreemption
    fungibility: FlavorFungibility
    namespaces: LabelSelector
    strategy: str
    node: Node
    workloads: Holders = field(default_factory=Holders)

    @property
    def cohort(self) -> Node | None:
        return self.node.parent

    def group_of(self, resource: str) -> Group | None:
        """The resource group that covers a resource."""
        return next((group for group in self.groups if resource in group.resources), None)


def groups_of(resource_groups: Sequence[ResourceGroup]) -> tuple[Group, ...]:
    return tuple(
        Group(frozenset(group.covered_resources), tuple(flavor.name for flavor in group.flavors))
        for group in resource_groups
    )


def quotas_of(resource_groups: Sequence[ResourceGroup]) -> Mapping[FlavorResource, Quota]:
    """The quotas of a ClusterQueue or cohort by flavor and resource."""
    return {
        FlavorResource(flavor.name, quota.name): Quota(
            amount(quota.name, quota.nominal_quota),
            None if quota.borrowing_limit is None else amount(quota.name, quota.borrowing_limit),
            None if quota.lending_limit is None else amount(quota.name, quota.lending_limit),
        )
        for group in resource_groups
        for flavor in group.flavors
        for quota in flavor.resources
    }


def weight_of(text: Amount | None) -> float:
    """A fair sharing weight; 1 where none is given."""
    return 1.0 if text is None else parse(text).nanos / 1e9


def namespaces_of(queue: ClusterQueue) -> LabelSelector:
    """The namespaces a ClusterQueue takes workloads from: none without a selector, all with an empty one."""
    selector = queue.spec.namespace_selector
    if selector is None:
        return nothing()
    return from_object(
        {
            "matchLabels": selector.match_labels,
            "matchExpressions": [
                {"key": one.key, "operator": one.operator, "values": list(one.values)}
                for one in selector.match_expressions
            ],
        }
    )
