"""The quota trees of a cluster as they are shown: every cohort and ClusterQueue with what it has, uses and could lend.

All numbers are the scheduler's own. A cohort's `used` counts what its children use beyond what they keep to themselves,
which is what its `subtree` quota is held against; a ClusterQueue's is all it uses. Roots have no share: nobody above
them could lend anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from argosy.queueing.cache.caches import Cache
from argosy.queueing.explaining.pictures import Picture
from argosy.queueing.quotas.amounts import UNLIMITED
from argosy.queueing.quotas.nodes import Node
from argosy.queueing.quotas.shares import share_of


@dataclass(slots=True, frozen=True)
class Line:
    """One resource of one flavor at one node. `lendable` is what others may use of it at most; `available` what could
    still be used here, below zero where quotas shrank under the usage.
    """

    flavor: str
    resource: str
    nominal: int
    subtree: int
    used: int
    borrowed: int
    available: int
    lendable: int
    borrowing_limit: int | None
    lending_limit: int | None


@dataclass(slots=True, frozen=True)
class Branch:
    """A cohort or a ClusterQueue. `share` is None for roots and UNLIMITED for borrowers without weight.

    `is_implicit`: a cohort that is only named. `problem` is why a ClusterQueue cannot admit workloads.
    """

    kind: str
    name: str
    weight: float
    share: int | None
    dominant: str
    lines: tuple[Line, ...]
    children: tuple[Branch, ...]
    is_implicit: bool = False
    problem: str = ""
    reserving: int = 0
    pending: int = 0


def branches(picture: Picture) -> list[Branch]:
    """All trees: cohorts, then ClusterQueues without one, then those whose cohorts form a cycle; each by name."""
    cache = picture.cache
    roots = [
        node
        for node in (cache.forest.cohort(name) for name in sorted(cache.forest.cohorts()))
        if node is not None and node.parent is None
    ]
    alone = [
        node
        for node in (cache.forest.cluster_queue(name) for name in sorted(cache.objects))
        if node is not None and node.parent is None
    ]
    found = [_branch(node, picture) for node in (*roots, *alone)]
    frozen = [name for name in sorted(cache.objects) if cache.forest.is_frozen(name)]
    return found + [_frozen(name, picture) for name in frozen]


def tree_of(found: list[Branch], name: str) -> list[Branch]:
    """The trees that a cohort or ClusterQueue of this name is in."""
    return [branch for branch in found if any(one.name == name for one in _walk(branch))]


def _walk(branch: Branch) -> Iterator[Branch]:
    yield branch
    for child in branch.children:
        yield from _walk(child)


def _branch(node: Node, picture: Picture) -> Branch:
    cache = picture.cache
    share = share_of(node)
    children = tuple(_branch(child, picture) for child in node.children)
    lines = tuple(_line(node, place) for place in _places(node))
    told = share.rounded() if node.parent is not None else None
    if node.is_cohort:
        return Branch(
            "Cohort",
            node.name,
            node.weight,
            told,
            share.dominant,
            lines,
            children,
            is_implicit=node.name not in cache.cohorts,
        )
    return Branch(
        "ClusterQueue",
        node.name,
        node.weight,
        told,
        share.dominant,
        lines,
        children,
        problem=_problem(node.name, cache),
        reserving=_reserving(node.name, picture),
        pending=_pending(node.name, picture),
    )


def _places(node: Node) -> list[int]:
    """Positions with a quota at or below the node, and those that are used without one, in order of names."""
    frs = node.layout.flavor_resources
    used = {place for place, value in enumerate(node.usage) if value}
    return sorted(used | set(node.known), key=lambda place: frs[place])


def _line(node: Node, place: int) -> Line:
    flavor, resource = node.layout.flavor_resources[place]
    subtree, used = node.subtree[place], node.usage[place]
    return Line(
        flavor,
        resource,
        node.nominal[place],
        subtree,
        used,
        # Without anybody to borrow from, more than the quota is just that.
        max(0, used - subtree) if node.parent is not None else 0,
        node.available_at(place),
        subtree - node.local[place] if node.parent is not None else 0,
        node.borrowing_limits[place],
        node.lending_limits[place],
    )


def _frozen(name: str, picture: Picture) -> Branch:
    queue = picture.cache.objects[name]
    return Branch(
        "ClusterQueue",
        name,
        1.0,
        None,
        "",
        (),
        (),
        problem=f"its cohort {queue.spec.cohort_name} is part of a cycle",
        reserving=_reserving(name, picture),
        pending=_pending(name, picture),
    )


def _problem(name: str, cache: Cache) -> str:
    judged = cache.readiness(name)
    return "" if judged.is_active else judged.message


def _reserving(name: str, picture: Picture) -> int:
    if not picture.sees_all:
        return picture.cache.objects[name].status.reserving_workloads
    holdings = picture.cache.holdings.get(name)
    return holdings.reserving if holdings is not None else 0


def _pending(name: str, picture: Picture) -> int:
    if not picture.sees_all:
        return picture.cache.objects[name].status.pending_workloads
    return picture.waiting_counts.get(name, 0)


def is_infinite(share: int | None) -> bool:
    return share == UNLIMITED
