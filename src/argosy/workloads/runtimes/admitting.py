"""Whether a node takes a pod that was bound to it, as a kubelet looks before it runs anything.

The scheduler has looked too, but pods may be bound by hand, two schedulers may bind at once, and nodes change. A pod
that does not fit any more is Failed with the kubelet's reason: OutOfcpu, OutOfmemory, OutOfpods, NodeAffinity,
NodePorts, TaintToleration. Extended resources that the node does not have at all are not looked at, as upstream.

Books are kept per node: what its admitted, unfinished pods ask for. Alike pods are compiled once, so a pod costs a few
microseconds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from argosy.api.nodefit.podclasses import PodClass, PodClasses
from argosy.api.nodefit.ports import HostPort, clashes
from argosy.api.nodefit.requests import Resources, allocatable, shortages
from argosy.api.nodefit.taints import untolerated
from argosy.api.objects import Node, Pod

_NATIVE: Final = frozenset({"cpu", "memory", "ephemeral-storage", "pods"})


class Rejection(NamedTuple):
    """Why a node does not take a pod."""

    reason: str
    message: str


@dataclass(slots=True)
class _Books:
    """What one node has, and what its pods have of it."""

    node: Node
    allocatable: Resources
    used: Resources = field(default_factory=dict)
    pods: dict[str, PodClass] = field(default_factory=dict)


class Admission:
    """Decides for the nodes of one agent."""

    def __init__(self) -> None:
        self._classes = PodClasses()
        self._books: dict[str, _Books] = {}

    def node_changed(self, node: Node) -> None:
        books = self._books.get(node.metadata.name)
        if books is None:
            self._books[node.metadata.name] = _Books(node, allocatable(node))
            return
        if books.node.status.allocatable != node.status.allocatable:
            books.allocatable = allocatable(node)
        books.node = node

    def node_gone(self, name: str) -> None:
        self._books.pop(name, None)

    def admit(self, pod: Pod) -> Rejection | None:
        """Enter a new pod into its node's books; or say why not."""
        books = self._books[pod.spec.node_name]
        kind = self._classes.of(pod)
        rejection = _judge(books, kind)
        if rejection is None:
            self._enter(books, pod, kind)
        return rejection

    def keep(self, pod: Pod) -> None:
        """Enter a pod that runs already: it was admitted before."""
        self._enter(self._books[pod.spec.node_name], pod, self._classes.of(pod))

    def leave(self, pod: Pod) -> None:
        """The pod has ended or is gone: what it had is free again."""
        books = self._books.get(pod.spec.node_name)
        kind = books.pods.pop(pod.metadata.uid, None) if books is not None else None
        if books is not None and kind is not None:
            for name, amount in kind.requests.items():
                books.used[name] -= amount

    def _enter(self, books: _Books, pod: Pod, kind: PodClass) -> None:
        if pod.metadata.uid not in books.pods:
            books.pods[pod.metadata.uid] = kind
            for name, amount in kind.requests.items():
                books.used[name] = books.used.get(name, 0) + amount


def _judge(books: _Books, kind: PodClass) -> Rejection | None:
    node, has, used = books.node, books.allocatable, books.used
    if len(books.pods) + 1 > has.get("pods", 0):
        return _insufficient("pods", 1, len(books.pods), has.get("pods", 0))
    wanted = {name: n for name, n in kind.requests.items() if name in has or name in _NATIVE}
    free = {name: has.get(name, 0) - used.get(name, 0) for name in wanted}
    if short := shortages(wanted, free):
        name = short[0]
        return _insufficient(name, wanted[name], used.get(name, 0), has.get(name, 0))
    if not kind.required.matches(node.metadata.labels, node.metadata.name):
        return _failed("NodeAffinity", "node(s) didn't match Pod's node affinity/selector")
    if kind.ports and clashes(kind.ports, _ports(books)):
        return _failed("NodePorts", "node(s) didn't have free ports for the requested pod ports")
    evicting = [taint for taint in node.spec.taints if taint.effect == "NoExecute"]
    if evicting and untolerated(kind.tolerations, evicting) is not None:
        return _failed("TaintToleration", "node(s) had taints that the pod didn't tolerate")
    return None


def _ports(books: _Books) -> list[HostPort]:
    return [port for kind in books.pods.values() for port in kind.ports]


def _insufficient(name: str, requested: int, used: int, capacity: int) -> Rejection:
    return Rejection(
        f"OutOf{name}",
        f"Node didn't have enough resource: {name}, requested: {requested}, used: {used}, capacity: {capacity}",
    )


def _failed(predicate: str, why: str) -> Rejection:
    return Rejection(predicate, f"Predicate {predicate} failed: {why}")
