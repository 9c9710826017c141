"""Sums over the nodes and pods of a cluster, kept current in constant time per event.

What each object contributed is remembered beside the sums, so that a change takes back exactly what was added, whatever
the event said the old state was, and an object that is told of twice counts once. All amounts are integers; after any
sequence of events the sums are those of a recount (tests/unit/member/properties/test_laws.py).

A pod counts while it is bound and has not ended, for what kube-scheduler counts it for: containers together, or the
largest step of its start, sidecars and overhead included. Upstream leaves init containers and overhead out, which tells
of room that the scheduler does not see. A node counts whether it is ready or not, as upstream.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final, NamedTuple

from argosy.api.nodefit.podclasses import PodClass, PodClasses
from argosy.api.nodefit.requests import Resources, counted
from argosy.api.objects import Node, Pod
from argosy.api.wellknown import INSTANCE_TYPE, PRICE_PER_HOUR, REGION, ZONE
from argosy.base.quantities import NANOS, ParseError, parse

# How nodes name their SKU; the second is what older ones and upstream read.
_INSTANCE_TYPES: Final = (INSTANCE_TYPE, "beta.kubernetes.io/instance-type")
_UNKNOWN_SKU: Final = "undefined"
_ENDED: Final = frozenset({"Succeeded", "Failed"})
PODS: Final = "pods"
# No machine costs more in an hour; a price past it is a slip of the keyboard and would drown all others.
_HIGHEST_PRICE: Final = 1_000_000 * NANOS


class Sums:
    """Amounts per resource, and how many objects name each: a resource is there while somebody names it."""

    __slots__ = ("_amounts", "_named")

    def __init__(self) -> None:
        self._amounts: Counter[str] = Counter()
        self._named: Counter[str] = Counter()

    def add(self, resources: Mapping[str, int]) -> None:
        for name, amount in resources.items():
            self._amounts[name] += amount
            self._named[name] += 1

    def remove(self, resources: Mapping[str, int]) -> None:
        for name, amount in resources.items():
            self._amounts[name] -= amount
            self._named[name] -= 1
            if not self._named[name]:
                del self._named[name], self._amounts[name]

    def of(self, name: str) -> int:
        return self._amounts[name]

    def amounts(self) -> Resources:
        return dict(sorted(self._amounts.items()))


class _Share(NamedTuple):
    """What a node adds. The price is in billionths of a unit of money; None if it has none."""

    capacity: Resources
    allocatable: Resources
    sku: str
    region: str
    zone: str
    price: int | None


class Counts:
    """What all nodes have and what all pods ask for."""

    def __init__(self) -> None:
        self.capacity: Final = Sums()
        self.allocatable: Final = Sums()
        self.requested: Final = Sums()
        # What the nodes with a price have, and cost together.
        self.priced: Final = Sums()
        self.price = 0
        self.skus: Final[Counter[str]] = Counter()
        self.regions: Final[Counter[str]] = Counter()
        self.zones: Final[Counter[str]] = Counter()
        self.bound_pods = 0
        self._nodes: dict[str, _Share] = {}
        self._pods: dict[tuple[str, str], PodClass] = {}
        self._classes = PodClasses()

    @property
    def nodes(self) -> int:
        return len(self._nodes)

    def put_node(self, node: Node) -> None:
        share = _share(node)
        name = node.metadata.name
        if self._nodes.get(name) == share:
            return
        self.drop_node(name)
        self._nodes[name] = share
        self.capacity.add(share.capacity)
        self.allocatable.add(share.allocatable)
        if share.price is not None:
            self.priced.add(share.capacity)
            self.price += share.price
        _count(self.skus, share.sku, 1)
        _count(self.regions, share.region, 1)
        _count(self.zones, share.zone, 1)

    def drop_node(self, name: str) -> None:
        share = self._nodes.pop(name, None)
        if share is None:
            return
        self.capacity.remove(share.capacity)
        self.allocatable.remove(share.allocatable)
        if share.price is not None:
            self.priced.remove(share.capacity)
            self.price -= share.price
        _count(self.skus, share.sku, -1)
        _count(self.regions, share.region, -1)
        _count(self.zones, share.zone, -1)

    def put_pod(self, pod: Pod) -> None:
        if not pod.spec.node_name or pod.status.phase in _ENDED:
            self.drop_pod(pod.metadata.key)
            return
        # Alike pods share one class, so most events end here: the pod asks for what it asked for.
        needs = self._classes.of(pod)
        if self._pods.get(pod.metadata.key) is needs:
            return
        self.drop_pod(pod.metadata.key)
        self._pods[pod.metadata.key] = needs
        self.requested.add(needs.requests)
        self.bound_pods += 1

    def drop_pod(self, key: tuple[str, str]) -> None:
        needs = self._pods.pop(key, None)
        if needs is not None:
            self.requested.remove(needs.requests)
            self.bound_pods -= 1

    def available(self) -> Resources:
        """What is left for more pods of each resource that nodes offer; never less than nothing."""
        left = {
            name: max(0, amount - self.requested.of(name))
            for name, amount in self.allocatable.amounts().items()
        }
        if PODS in left:
            left[PODS] = max(0, self.allocatable.of(PODS) - self.bound_pods)
        return left


def _share(node: Node) -> _Share:
    labels = node.metadata.labels
    skus = (labels.get(name, "") for name in _INSTANCE_TYPES)
    return _Share(
        counted(node.status.capacity),
        counted(node.status.allocatable),
        next(filter(None, skus), _UNKNOWN_SKU),
        labels.get(REGION, ""),
        labels.get(ZONE, ""),
        _price(node.metadata.annotations.get(PRICE_PER_HOUR)),
    )


def _price(text: str | None) -> int | None:
    """What an hour of a node costs; None where nobody says it, or says nonsense."""
    if text is None:
        return None
    try:
        nanos = parse(text).nanos
    except ParseError:
        return None
    return nanos if 0 <= nanos <= _HIGHEST_PRICE else None


def _count(counter: Counter[str], name: str, change: int) -> None:
    if not name:
        return
    counter[name] += change
    if not counter[name]:
        del counter[name]
