"""Which nodes still show that they live, and since when others do not.

A node lives by a source: its own lease in kube-node-lease, else the lease it names in its annotation (one agent renews
one lease for thousands of nodes), else its status, whose Ready condition carries the time of the last heartbeat. A new
status is a sign of life in any case. Times on the wire are only compared with each other; how long a source has been
silent is measured by our own clock from the moment we saw it change, so a skewed clock or a restart of this controller
condemns nobody.

Sources are kept in the order of their last sign, so finding the silent ones costs their number, not the number of
nodes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Final

from argosy.api.objects import Lease, Node, find_condition
from argosy.api.wellknown import HEARTBEAT_LEASE

# How long a node may be silent, and how long it may take to report for the first time, in lives of a sign of life.
# With upstream's leases of 40 seconds: 50 and 60 seconds.
_GRACE: Final = 1.25
_STARTUP_GRACE: Final = 1.5

_LEASE: Final = "lease/"
_NODE: Final = "node/"


class Heartbeats:
    """The sources of all nodes and when each last gave a sign, in seconds of the controller's clock."""

    def __init__(self, lease_seconds: float = 40.0) -> None:
        """`lease_seconds`: how long a sign of life holds; a node is silent when a quarter more has passed."""
        self.grace_seconds: Final = lease_seconds * _GRACE
        self.startup_seconds: Final = lease_seconds * _STARTUP_GRACE
        # The mark is what must change for a sign: a lease's renew time, a condition's heartbeat time.
        self._marks: dict[str, object] = {}
        self._signs: OrderedDict[str, float] = OrderedDict()
        self._nodes: dict[str, set[str]] = {}
        self._source: dict[str, str] = {}
        self._leases: set[str] = set()
        self._known: dict[str, Node] = {}
        # When each node's status last told a new heartbeat.
        self._told: dict[str, float] = {}

    def lease_changed(self, name: str, lease: Lease | None, now: float) -> None:
        if lease is None:
            self._leases.discard(name)
            self._marks.pop(_LEASE + name, None)
            self._signs.pop(_LEASE + name, None)
            for node in sorted(self._nodes.get(_LEASE + name, ())):
                self._attach(self._known[node], now)
            return
        is_new = name not in self._leases
        self._leases.add(name)
        self._sign(_LEASE + name, lease.spec.renew_time, now)
        # A node with a lease of its own lives by it from now on.
        if is_new and name in self._known:
            self._attach(self._known[name], now)

    def node_changed(self, node: Node, now: float) -> None:
        self._known[node.metadata.name] = node
        ready = find_condition(node.status.conditions, "Ready")
        mark = ready.last_heartbeat_time if ready is not None else None
        name = node.metadata.name
        if name not in self._told or self._marks.get(_NODE + name) != mark:
            self._told[name] = now
        self._attach(node, now)
        if self._source[name] == _NODE + name:
            self._sign(_NODE + name, mark, now)
        else:
            self._marks[_NODE + name] = mark

    def node_gone(self, name: str) -> None:
        self._known.pop(name, None)
        self._told.pop(name, None)
        source = self._source.pop(name, None)
        if source is not None:
            self._nodes[source].discard(name)
        self._marks.pop(_NODE + name, None)
        self._signs.pop(_NODE + name, None)

    def silent_seconds(self, name: str, now: float) -> float:
        """How long nothing has been heard of a node, by its source or by its status."""
        source = self._source.get(name)
        if source is None:
            return 0.0
        return now - max(self._signs.get(source, now), self._told.get(name, now))

    def silent(self, now: float) -> Iterator[str]:
        """Nodes whose source has been silent for longer than the grace, longest first."""
        for source, when in self._signs.items():
            if now - when <= self.grace_seconds:
                return
            for name in sorted(self._nodes.get(source, ())):
                if self.silent_seconds(name, now) > self.grace_seconds:
                    yield name

    def _sign(self, source: str, mark: object, now: float) -> None:
        if source not in self._signs or self._marks.get(source) != mark:
            self._marks[source] = mark
            self._signs[source] = now
            self._signs.move_to_end(source)

    def _attach(self, node: Node, now: float) -> None:
        name = node.metadata.name
        shared = node.metadata.annotations.get(HEARTBEAT_LEASE, "")
        if name in self._leases:
            source = _LEASE + name
        elif shared:
            source = _LEASE + shared
            # A lease that is not there yet has the grace to appear.
            self._signs.setdefault(source, now)
        else:
            source = _NODE + name
            if source not in self._signs:
                self._signs[source] = now
        before = self._source.get(name)
        if before == source:
            return
        if before is not None:
            self._nodes[before].discard(name)
            if before == _NODE + name:
                self._signs.pop(before, None)
        self._source[name] = source
        self._nodes.setdefault(source, set()).add(name)
