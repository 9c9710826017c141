"""The book of nodes: what runs where, what room is left, since when nothing runs there.

Follows nodes and bound pods by deltas, O(1) each, and keeps equal nodes together, so that a snapshot costs as much as
there are kinds of nodes. A pod counts from the moment it is bound until it has ended or is gone. DaemonSet pods and
mirror pods come with every node: they take room but keep no node busy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import msgspec

from argosy.api.nodefit import PodClass, PodClasses, Resources, allocatable
from argosy.api.objects import Node, ObjectMeta, Pod, Taint, is_true
from argosy.api.wellknown import HOSTNAME, NODE_POOL
from argosy.base.clock import Clock
from argosy.capacity.snapshots import IdleNode, Room, Stage
from argosy.client.objects import Key

# The taint by which cluster-autoscaler marks a node it is about to delete.
LEAVING: Final = "ToBeDeletedByClusterAutoscaler"
# A spot node that got its notice.
RECLAIMED: Final = "argosy.dev/reclaimed"
PROTECTED: Final = "cluster-autoscaler.kubernetes.io/scale-down-disabled"
_MIRROR: Final = "kubernetes.io/config.mirror"
_encode: Final = msgspec.json.Encoder(order="sorted").encode


class _Bound(NamedTuple):
    """A pod on a node."""

    pod: Pod
    pods: PodClass
    comes_with_node: bool


@dataclass(slots=True)
class Occupied:
    """A node with what is on it."""

    node: Node
    pool: str
    total: Resources
    signature: bytes
    is_ready: bool
    taint: Taint | None
    bound: dict[Key, _Bound] = field(default_factory=dict)
    used: Resources = field(default_factory=dict)
    workloads: int = 0
    # Since when no workload has been here, and since when the node does not answer; seconds since the epoch.
    idle_since: float = 0.0
    silent_since: float | None = None
    group: tuple[object, ...] | None = None

    @property
    def is_leaving(self) -> bool:
        return self.taint is not None or self.node.metadata.deletion_timestamp is not None

    def workload_pods(self) -> list[Pod]:
        """The pods that would miss the node."""
        return [one.pod for one in self.bound.values() if not one.comes_with_node]

    def free(self) -> Resources:
        free = {name: amount - self.used.get(name, 0) for name, amount in self.total.items()}
        free["pods"] = self.total.get("pods", 0) - len(self.bound)
        return free


class Occupancy:
    """All nodes of a cluster."""

    def __init__(self, clock: Clock, classes: PodClasses) -> None:
        self._clock = clock
        self._classes = classes
        self._nodes: dict[str, Occupied] = {}
        # Pods bound to nodes that have not been seen (yet).
        self._homeless: dict[str, dict[Key, _Bound]] = {}
        self._where: dict[Key, str] = {}
        self._groups: dict[tuple[object, ...], dict[str, Occupied]] = {}
        self._pools: dict[str, dict[str, Occupied]] = {}
        # What nodes of a signature look like to pods: no name and no hostname.
        self._looks: dict[bytes, Node] = {}

    # Reading.

    def get(self, name: str) -> Occupied | None:
        return self._nodes.get(name)

    def __iter__(self) -> Iterator[Occupied]:
        return iter(self._nodes.values())

    def of_pool(self, pool: str) -> dict[str, Occupied]:
        return self._pools.get(pool, {})

    def rooms(self) -> Iterator[Room]:
        """The nodes that pods can be put on, equal ones together."""
        for group in self._groups.values():
            first = next(iter(group.values()))
            is_idle = not first.workloads
            yield Room(
                self._looks[first.signature],
                first.free(),
                len(group),
                Stage.IDLE if is_idle else Stage.BUSY,
                first.pool,
                tuple(port for one in first.bound.values() for port in one.pods.ports),
                [idle_node(one) for one in group.values()] if is_idle and first.pool else (),
            )

    # Following.

    def node_changed(self, old: Node | None, new: Node | None) -> None:
        if new is None:
            assert old is not None
            self._forget(old.metadata.name)
            return
        name, now = new.metadata.name, self._clock.time()
        known = self._nodes.get(name)
        pool = new.metadata.labels.get(NODE_POOL, "")
        is_ready = is_true(new.status.conditions, "Ready")
        taint = next((t for t in new.spec.taints if t.key in {LEAVING, RECLAIMED}), None)
        if known is None:
            known = Occupied(new, pool, {}, b"", is_ready, taint, idle_since=now)
            self._nodes[name] = known
            for key, bound in self._homeless.pop(name, {}).items():
                self._bind(known, key, bound)
        elif known.pool != pool:
            self._pools[known.pool].pop(name, None)
        self._pools.setdefault(pool, {})[name] = known
        known.node, known.pool, known.is_ready, known.taint = new, pool, is_ready, taint
        if old is None or old.status.allocatable != new.status.allocatable or not known.total:
            known.total = allocatable(new)
        known.signature = _signature(new)
        if is_ready:
            known.silent_since = None
        elif known.silent_since is None:
            known.silent_since = now
        self._regroup(known)

    def pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        pod = new or old
        assert pod is not None
        key = Key(*pod.metadata.key)
        node = new.spec.node_name if new is not None and not new.is_terminal else ""
        before = self._where.get(key, "")
        if before and before != node:
            self._unbind(before, key)
        if not node or new is None:
            return
        if before == node:
            self._renew(node, key, new)
            return
        bound = _Bound(new, self._classes.of(new), _comes_with_node(new))
        self._where[key] = node
        if (occupied := self._nodes.get(node)) is None:
            self._homeless.setdefault(node, {})[key] = bound
        else:
            self._bind(occupied, key, bound)
            self._regroup(occupied)

    def _renew(self, node: str, key: Key, pod: Pod) -> None:
        """Keep the newest state of a pod where it is."""
        found = self._nodes.get(node)
        bound = found.bound if found is not None else self._homeless.get(node, {})
        if bound[key].pod.metadata.generation != pod.metadata.generation:
            # Resized: what it asks for may be another.
            self._unbind(node, key)
            self.pod_changed(None, pod)
        else:
            bound[key] = bound[key]._replace(pod=pod)

    def _bind(self, node: Occupied, key: Key, bound: _Bound) -> None:
        node.bound[key] = bound
        for name, amount in bound.pods.requests.items():
            node.used[name] = node.used.get(name, 0) + amount
        if not bound.comes_with_node:
            node.workloads += 1

    def _unbind(self, name: str, key: Key) -> None:
        del self._where[key]
        node = self._nodes.get(name)
        if node is None:
            homeless = self._homeless.get(name, {})
            homeless.pop(key, None)
            if not homeless:
                self._homeless.pop(name, None)
            return
        bound = node.bound.pop(key)
        for resource, amount in bound.pods.requests.items():
            node.used[resource] -= amount
        if not bound.comes_with_node:
            node.workloads -= 1
            if not node.workloads:
                node.idle_since = self._clock.time()
        self._regroup(node)

    def _forget(self, name: str) -> None:
        node = self._nodes.pop(name, None)
        if node is None:
            return
        if node.bound:
            self._homeless[name] = node.bound
        self._leave_group(node)
        of_pool = self._pools[node.pool]
        of_pool.pop(name, None)
        if not of_pool:
            del self._pools[node.pool]

    def _regroup(self, node: Occupied) -> None:
        self._leave_group(node)
        if not node.is_ready or node.is_leaving:
            return
        # Not before: the taint of a node that leaves has the time in it, and each would be a look of its own.
        if node.signature not in self._looks:
            self._looks[node.signature] = _look(node.node)
        ports = tuple(sorted(port for one in node.bound.values() for port in one.pods.ports))
        free = tuple(sorted(node.free().items()))
        node.group = (node.signature, free, not node.workloads, ports)
        self._groups.setdefault(node.group, {})[node.node.metadata.name] = node

    def _leave_group(self, node: Occupied) -> None:
        if node.group is not None:
            group = self._groups[node.group]
            group.pop(node.node.metadata.name, None)
            if not group:
                del self._groups[node.group]
            node.group = None


def idle_node(node: Occupied) -> IdleNode:
    meta = node.node.metadata
    since = node.idle_since if node.silent_since is None else node.silent_since
    return IdleNode(meta.name, since, meta.annotations.get(PROTECTED) == "true")


def _signature(node: Node) -> bytes:
    """Equal for nodes that admit the same pods, wherever they name no node."""
    taints = [(t.key, t.value, t.effect) for t in node.spec.taints]
    return _encode((_shared_labels(node), taints, node.spec.unschedulable))


def _look(node: Node) -> Node:
    return Node(metadata=ObjectMeta(labels=_shared_labels(node)), spec=node.spec)


def _shared_labels(node: Node) -> dict[str, str]:
    return {key: value for key, value in node.metadata.labels.items() if key != HOSTNAME}


def _comes_with_node(pod: Pod) -> bool:
    owner = pod.metadata.controller
    return (owner is not None and owner.kind == "DaemonSet") or _MIRROR in pod.metadata.annotations
