"""All quota trees of a cluster, built from ClusterQueues and cohorts as they come and go.

A cohort that a ClusterQueue or another cohort names exists, without quota, until somebody describes it and after
nobody does. Cohorts that are their own ancestors form a cycle: such a tree is frozen, and its ClusterQueues are not in
any tree, until it is mended.

A change of quotas or of the hierarchy rebuilds the trees it touches when they are next looked at, from the usage that
ClusterQueues hold; each rebuild raises the `generation` of its ClusterQueues. Usage itself is kept by deltas.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from argosy.queueing.quotas.amounts import FlavorResource
from argosy.queueing.quotas.nodes import Layout, Node, Quota

Quotas = Mapping[FlavorResource, Quota]


@dataclass(slots=True)
class _Member:
    """What is known of a ClusterQueue or cohort apart from its tree."""

    quotas: Quotas
    weight: float
    parent: str
    usage: dict[FlavorResource, int] = field(default_factory=dict)
    node: Node | None = None
    generation: int = 0


class Forest:
    """The quota trees. ClusterQueues and cohorts are known by name; the two may share names."""

    def __init__(self) -> None:
        self._queues: Final[dict[str, _Member]] = {}
        self._cohorts: Final[dict[str, _Member]] = {}
        # Children by the parent's name.
        self._queues_of: Final[dict[str, set[str]]] = {}
        self._cohorts_of: Final[dict[str, set[str]]] = {}
        self._stale = False
        self._dirty: set[str] = set()
        self._lone: set[str] = set()
        self._nodes: Final[dict[str, Node]] = {}
        # How often trees were rebuilt: nodes looked up before are out of date when it has changed.
        self.version = 0

    # What exists.

    def put_cluster_queue(
        self, name: str, quotas: Quotas, *, cohort: str = "", weight: float = 1.0
    ) -> None:
        """A ClusterQueue is there, or is different from before. Its usage stays."""
        old = self._queues.get(name)
        if old is not None and (old.quotas, old.weight, old.parent) == (quotas, weight, cohort):
            return
        if old is not None:
            self._touch(name, old.parent)
            self._queues_of.get(old.parent, set()).discard(name)
        member = _Member(quotas, weight, cohort)
        if old is not None:
            member.usage, member.generation = old.usage, old.generation
        self._queues[name] = member
        if cohort:
            self._queues_of.setdefault(cohort, set()).add(name)
        self._touch(name, cohort)

    def drop_cluster_queue(self, name: str) -> None:
        member = self._queues.pop(name)
        self._queues_of.get(member.parent, set()).discard(name)
        self._touch("", member.parent)

    def put_cohort(
        self, name: str, quotas: Quotas, *, parent: str = "", weight: float = 1.0
    ) -> None:
        """A cohort is described, or described differently."""
        old = self._cohorts.get(name)
        if old is not None and (old.quotas, old.weight, old.parent) == (quotas, weight, parent):
            return
        if old is not None and old.parent:
            self._cohorts_of[old.parent].discard(name)
            self._touch("", old.parent)
        self._cohorts[name] = _Member(quotas, weight, parent)
        if parent:
            self._cohorts_of.setdefault(parent, set()).add(name)
        self._touch("", name)

    def drop_cohort(self, name: str) -> None:
        """Nobody describes the cohort any more; it lives on while somebody names it."""
        member = self._cohorts.pop(name)
        if member.parent:
            self._cohorts_of[member.parent].discard(name)
            self._touch("", member.parent)
        self._touch("", name)

    def _touch(self, queue: str, cohort: str) -> None:
        """Have the tree of a cohort, or a ClusterQueue without one, built again."""
        if cohort:
            self._dirty.add(cohort)
        elif queue:
            self._lone.add(queue)
        self._stale = True

    # Looking.

    def cluster_queue(self, name: str) -> Node | None:
        """The ClusterQueue's node; none where there is no such ClusterQueue or its cohorts form a cycle."""
        self.settle()
        member = self._queues.get(name)
        return member.node if member else None

    def cohort(self, name: str) -> Node | None:
        """A cohort's node, described or only named; none for unknown ones and those in or below a cycle."""
        self.settle()
        return self._nodes.get(name)

    def cohorts(self) -> Iterable[str]:
        """Every cohort that is described or named, in no order."""
        named = {name for name, queues in self._queues_of.items() if queues}
        named |= {name for name, cohorts in self._cohorts_of.items() if cohorts}
        return named | set(self._cohorts)

    def is_frozen(self, queue: str) -> bool:
        """Whether the ClusterQueue's cohorts form a cycle."""
        member = self._queues.get(queue)
        return member is not None and self.cluster_queue(queue) is None

    # Usage.

    def add(self, queue: str, usage: Mapping[FlavorResource, int]) -> None:
        """Count a workload's usage in a ClusterQueue."""
        member = self._queues[queue]
        held = member.usage
        for flavor_resource, value in usage.items():
            held[flavor_resource] = held.get(flavor_resource, 0) + value
        if member.node is not None:
            member.node.add(usage)

    def remove(self, queue: str, usage: Mapping[FlavorResource, int]) -> None:
        """The opposite of `add`."""
        member = self._queues[queue]
        held = member.usage
        for flavor_resource, value in usage.items():
            held[flavor_resource] -= value
        member.generation += 1
        if member.node is not None:
            member.node.remove(usage)
            member.node.generation = member.generation

    # Building.

    def settle(self) -> None:
        """Rebuild what changed. Looking does it too."""
        if self._stale:
            self._settle()

    def _settle(self) -> None:
        self._stale = False
        self.version += 1
        roots = {self._root_of(name) for name in self._dirty}
        frozen = {name for name in self._dirty if self._root_of(name) is None}
        for root in sorted(root for root in roots if root is not None):
            self._build(root)
        for name in frozen:
            self._freeze(name)
        for name in self._lone:
            member = self._queues.get(name)
            if member is not None and not member.parent:
                self._build_lone(name, member)
        self._dirty = set()
        self._lone = set()

    def _root_of(self, cohort: str) -> str | None:
        """The root above a cohort; none if going up leads back."""
        seen = {cohort}
        while True:
            member = self._cohorts.get(cohort)
            if member is None or not member.parent:
                return cohort
            cohort = member.parent
            if cohort in seen:
                return None
            seen.add(cohort)

    def _freeze(self, cohort: str) -> None:
        """Take everything at and below a cohort out of its tree."""
        waiting, seen = [cohort], set[str]()
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            self._nodes.pop(name, None)
            for queue in self._queues_of.get(name, ()):
                self._queues[queue].node = None
                self._queues[queue].generation += 1
            waiting += self._cohorts_of.get(name, ())
            member = self._cohorts.get(name)
            if member is not None and member.parent:
                waiting.append(member.parent)

    def _build(self, root: str) -> None:
        flavor_resources: set[FlavorResource] = set()
        self._collect(root, flavor_resources)
        layout = Layout(flavor_resources)
        node = self._cohort_node(root, None, layout)
        if not node.children and root not in self._cohorts:
            self._nodes.pop(root, None)
            return
        _finish(node)

    def _collect(self, cohort: str, into: set[FlavorResource]) -> None:
        if cohort in self._cohorts:
            into.update(self._cohorts[cohort].quotas)
        for name in self._queues_of.get(cohort, ()):
            into.update(self._queues[name].quotas)
            into.update(self._queues[name].usage)
        for name in self._cohorts_of.get(cohort, ()):
            self._collect(name, into)

    def _cohort_node(self, name: str, parent: Node | None, layout: Layout) -> Node:
        member = self._cohorts.get(name) or _Member({}, 1.0, "")
        node = _node(name, member, layout, parent, is_cohort=True)
        self._nodes[name] = node
        for child in sorted(self._queues_of.get(name, ())):
            node.children.append(self._queue_node(child, node, layout))
        heights = [0]
        for child in sorted(self._cohorts_of.get(name, ())):
            below = self._cohort_node(child, node, layout)
            node.children.append(below)
            heights.append(below.height)
        node.height = 1 + max(heights) if node.children else 0
        return node

    def _queue_node(self, name: str, parent: Node | None, layout: Layout) -> Node:
        member = self._queues[name]
        member.node = _node(name, member, layout, parent, is_cohort=False)
        member.generation += 1
        member.node.generation = member.generation
        for flavor_resource, value in member.usage.items():
            member.node.usage[layout.positions[flavor_resource]] = value
        return member.node

    def _build_lone(self, name: str, member: _Member) -> None:
        layout = Layout(set(member.quotas) | set(member.usage))
        _finish(self._queue_node(name, None, layout))


def _node(
    name: str, member: _Member, layout: Layout, parent: Node | None, *, is_cohort: bool
) -> Node:
    size = len(layout.flavor_resources)
    given = [member.quotas.get(fr) for fr in layout.flavor_resources]
    return Node(
        name=name,
        is_cohort=is_cohort,
        quotas=member.quotas,
        weight=member.weight,
        layout=layout,
        parent=parent,
        children=[],
        nominal=[quota.nominal if quota else 0 for quota in given],
        borrowing_limits=[quota.borrowing_limit if quota else None for quota in given],
        lending_limits=[quota.lending_limit if quota else None for quota in given],
        subtree=[0] * size,
        local=[0] * size,
        potential=[0] * size,
        usage=[0] * size,
        known=[index for index, quota in enumerate(given) if quota is not None],
        lendable={},
    )


def _finish(root: Node) -> None:
    """Work out quotas and usage from the leaves up, then what could be available from the root down."""
    _sum_up(root)
    _hand_down(root)


def _sum_up(node: Node) -> None:
    subtree = node.subtree = list(node.nominal)
    known = set(node.known)
    for child in node.children:
        _sum_up(child)
        known.update(child.known)
        for place in range(len(subtree)):
            subtree[place] += child.subtree[place] - child.local[place]
            node.usage[place] += max(0, child.usage[place] - child.local[place])
    node.known = sorted(known)
    node.local = [
        0 if limit is None else max(0, own - limit)
        for own, limit in zip(subtree, node.lending_limits, strict=True)
    ]


def _hand_down(node: Node) -> None:
    parent = node.parent
    if parent is None:
        node.potential = list(node.subtree)
    else:
        node.potential = [node.local[p] + above for p, above in enumerate(parent.potential)]
        for place, limit in enumerate(node.borrowing_limits):
            if limit is not None:
                most = node.subtree[place] + limit
                node.potential[place] = min(node.potential[place], most)
        node.lendable = _lendable(parent)
    for child in node.children:
        _hand_down(child)


def _lendable(parent: Node) -> dict[str, int]:
    found: dict[str, int] = {}
    for place, (_, resource) in enumerate(parent.layout.flavor_resources):
        found[resource] = found.get(resource, 0) + parent.potential[place]
    return found
