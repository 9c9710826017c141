"""A node of the quota tree and the arithmetic on it: what is local, what bubbles up, what is still available.

For every flavor and resource a node has a quota of its own (`nominal`), the quota of its subtree (`subtree`: own plus
what the children lend), the part of that nobody else may use (`local`: what lies above its lending limit), and
`usage`. A child's usage counts at its parent only where it exceeds the child's local quota, so a node's usage is a pure
function of the usage below it: adding and removing the same amounts in any order leaves the tree as it was. Trials are
therefore undone by the opposite call and never need a copy.

Vectors are indexed by position in the tree's `Layout`. Mirrors Kueue's `resource_node.go`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from argosy.queueing.quotas.amounts import FlavorResource


class Quota(NamedTuple):
    """What a ClusterQueue or cohort is given of a flavor's resource. No limit is not a limit of zero."""

    nominal: int
    borrowing_limit: int | None = None
    lending_limit: int | None = None


class Layout:
    """The order of flavors and resources in the vectors of one tree. Grows at the end only."""

    __slots__ = ("flavor_resources", "positions")

    def __init__(self, flavor_resources: Iterable[FlavorResource]) -> None:
        self.flavor_resources: Final = sorted(flavor_resources)
        self.positions: Final = {fr: index for index, fr in enumerate(self.flavor_resources)}


@dataclass(slots=True, eq=False)
class Node:
    """A ClusterQueue or a cohort of the tree.

    `height` is 0 for ClusterQueues and childless cohorts, else one more than the highest child cohort's (at least 1).
    `lendable` is what the parent could hand out at most, by resource: the denominator of shares.
    """

    name: str
    is_cohort: bool
    quotas: Mapping[FlavorResource, Quota]
    weight: float
    layout: Layout
    parent: Node | None
    children: list[Node]
    nominal: list[int]
    borrowing_limits: list[int | None]
    lending_limits: list[int | None]
    subtree: list[int]
    local: list[int]
    potential: list[int]
    usage: list[int]
    # Positions this node or anything below it has a quota for.
    known: list[int]
    lendable: dict[str, int]
    height: int = 0
    # Of ClusterQueues: raised whenever more of its own workloads may fit than before.
    generation: int = 0

    @property
    def root(self) -> Node:
        node = self
        while node.parent is not None:
            node = node.parent
        return node

    def path(self) -> Iterator[Node]:
        """This node, its parent, and so on to the root."""
        node: Node | None = self
        while node is not None:
            yield node
            node = node.parent

    def leaves(self) -> Iterator[Node]:
        """The ClusterQueues of the subtree, in order of names within each cohort."""
        if not self.is_cohort:
            yield self
        for child in self.children:
            yield from child.leaves()

    def position(self, flavor_resource: FlavorResource) -> int:
        """Where the vectors hold this; a new place in all vectors of the tree if nothing there knows it."""
        place = self.layout.positions.get(flavor_resource)
        return self._extended(flavor_resource) if place is None else place

    def _extended(self, flavor_resource: FlavorResource) -> int:
        layout = self.layout
        place = layout.positions[flavor_resource] = len(layout.flavor_resources)
        layout.flavor_resources.append(flavor_resource)
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            waiting += node.children
            for vector in (node.nominal, node.subtree, node.local, node.potential, node.usage):
                vector.append(0)
            node.borrowing_limits.append(None)
            node.lending_limits.append(None)
        return place

    def add(self, usage: Mapping[FlavorResource, int]) -> None:
        """Count what is used here, and above where it exceeds local quotas.

        Trials do this and its opposite by the million, hence no call of `position`.
        """
        positions = self.layout.positions
        for flavor_resource, value in usage.items():
            place = positions.get(flavor_resource)
            if place is None:
                place = self._extended(flavor_resource)
            node: Node | None = self
            while node is not None:
                spare = node.local[place] - node.usage[place]
                node.usage[place] += value
                if spare > 0:
                    value -= spare
                    if value <= 0:
                        break
                node = node.parent

    def remove(self, usage: Mapping[FlavorResource, int]) -> None:
        """The opposite of `add`."""
        positions = self.layout.positions
        for flavor_resource, value in usage.items():
            place = positions.get(flavor_resource)
            if place is None:
                place = self._extended(flavor_resource)
            node: Node | None = self
            while node is not None:
                above = node.usage[place] - node.local[place]
                node.usage[place] -= value
                if above <= 0:
                    break
                value = min(value, above)
                node = node.parent

    def available_at(self, place: int) -> int:
        """What could still be used here; below zero where quotas shrank under the usage."""
        parent = self.parent
        if parent is None:
            return self.subtree[place] - self.usage[place]
        local, used = self.local[place], self.usage[place]
        above = parent.available_at(place)
        limit = self.borrowing_limits[place]
        if limit is not None:
            lent = max(0, used - local)
            above = min(above, self.subtree[place] - local - lent + limit)
        return max(0, local - used) + above

    def available(self, flavor_resource: FlavorResource) -> int:
        """What could still be used here, at least zero."""
        return max(0, self.available_at(self.position(flavor_resource)))

    def potentially_available(self, flavor_resource: FlavorResource) -> int:
        """What could be used here if nobody used anything."""
        return self.potential[self.position(flavor_resource)]

    def is_borrowing(self, flavor_resource: FlavorResource, more: int = 0) -> bool:
        """Whether more than the own subtree's quota is used, or would be."""
        place = self.position(flavor_resource)
        return self.usage[place] + more > self.subtree[place]

    def is_within_nominal(self, flavor_resources: Iterable[FlavorResource]) -> bool:
        """Whether nothing of these is borrowed."""
        usage, subtree = self.usage, self.subtree
        return all(usage[p] <= subtree[p] for p in map(self.position, flavor_resources))

    def height_that_fits(self, flavor_resource: FlavorResource, value: int) -> tuple[int, bool]:
        """How high the lowest subtree is that has room for `value` more, and whether anything lies above that.

        The height is how far one has to borrow: 0 is within the ClusterQueue's own quota.
        """
        place = self.position(flavor_resource)
        if self.parent is None or self.usage[place] + value <= self.subtree[place]:
            return 0, self.parent is not None
        left = value - max(0, self.local[place] - self.usage[place])
        node = self.parent
        while True:
            if node.usage[place] + left <= node.subtree[place]:
                return node.height, node.parent is not None
            if node.parent is None:
                return node.height, False
            left -= max(0, node.local[place] - node.usage[place])
            node = node.parent

    def fits_in_quota(
        self, requests: Mapping[FlavorResource, int]
    ) -> tuple[bool, dict[FlavorResource, int]]:
        """Whether the subtree's own quota has room for these, and what of them its parent would have to give."""
        fits = True
        rest: dict[FlavorResource, int] = {}
        for flavor_resource, value in requests.items():
            place = self.position(flavor_resource)
            fits = fits and self.subtree[place] >= self.usage[place] + value
            rest[flavor_resource] = max(0, value - max(0, self.local[place] - self.usage[place]))
        return fits, rest
