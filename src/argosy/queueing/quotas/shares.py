"""The dominant resource share: how much of what its parent can lend a ClusterQueue or cohort has borrowed.

For every resource, what is used above the subtree's quota (summed over flavors), in thousandths of what could be lent;
the largest counts, divided by the weight. Whoever has a parent has a share; a root has none. With a weight of zero any
borrowing is an infinite share, and such borrowers are compared by what they have borrowed.

Shares are plain tuples whose order is the order of shares, so that they can be compared a million times a second.
Mirrors Kueue's `fair_sharing.go`, floating point included.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from argosy.queueing.quotas.amounts import UNLIMITED, FlavorResource
from argosy.queueing.quotas.nodes import Node


class Share(NamedTuple):
    """`weighted` then `unweighted` is the order; the second is only not 0 where the first is infinite."""

    weighted: float
    tie: float
    is_borrowing: bool
    dominant: str

    @property
    def order(self) -> tuple[float, float]:
        return self[:2]

    def rounded(self) -> int:
        """The share as statuses show it."""
        return UNLIMITED if math.isinf(self.weighted) else math.ceil(self.weighted)


NO_SHARE: Final = Share(0.0, 0.0, is_borrowing=False, dominant="")


def share_of(node: Node, more: Mapping[FlavorResource, int] | None = None) -> Share:
    """The share of a node, with `more` arriving at it beyond what is counted there."""
    if node.parent is None:
        return NO_SHARE
    usage, subtree = node.usage, node.subtree
    frs = node.layout.flavor_resources
    borrowed: dict[str, int] = {}
    extra = {node.position(fr): value for fr, value in more.items()} if more else {}
    for place in node.known:
        above = usage[place] - subtree[place] + extra.get(place, 0)
        if above > 0:
            resource = frs[place].resource
            borrowed[resource] = borrowed.get(resource, 0) + above
    if not borrowed:
        return NO_SHARE
    largest, dominant = 0.0, ""
    for resource in sorted(borrowed):
        lendable = node.lendable.get(resource, 0)
        if lendable > 0:
            ratio = borrowed[resource] * 1000.0 / lendable
            if ratio > largest:
                largest, dominant = ratio, resource
    weighted = weigh(largest, node.weight)
    tie = largest if math.isinf(weighted) else 0.0
    return Share(weighted, tie, is_borrowing=True, dominant=dominant)


def weigh(ratio: float, weight: float) -> float:
    """A ratio of what can be lent, by weight."""
    if ratio == 0.0:
        return 0.0
    return math.inf if weight == 0 else ratio / weight


def is_borrowing_on(node: Node, flavor_resources: Iterable[FlavorResource]) -> bool:
    """Whether a node with a parent uses more than its subtree's quota of any of these."""
    if node.parent is None:
        return False
    places = map(node.position, flavor_resources)
    return any(node.usage[place] > node.subtree[place] for place in places)
