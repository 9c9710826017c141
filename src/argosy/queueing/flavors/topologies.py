"""Topologies of flavors as flavor assignment knows them: what is asked of them, and the strategy that places pods.

`Topology` is the seam: matching asks it for levels, assigning asks it for places. `Levels` knows levels alone, so that
requests are matched with flavors before there is anything to place pods by.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol

from argosy.api.objects.kueue.workloads import PodSet, TopologyRequest
from argosy.base.types import Object
from argosy.queueing.workloads.infos import Info

PENDING: Final = "Pending"
READY: Final = "Ready"


@dataclass(slots=True, frozen=True)
class PlacementRequest:
    """Pods to place in the topology of a flavor. Implied ones ask for no level of their own."""

    flavor: str
    pod_set: PodSet
    count: int
    is_implied: bool


class Failure(NamedTuple):
    """The first pod set that cannot be placed, and why."""

    pod_set: str
    flavor: str
    reason: str


@dataclass(slots=True, frozen=True)
class Placement:
    """Where the pods of each pod set go, or which of them found no place."""

    assignments: Mapping[str, Object] = field(default_factory=dict)
    failure: Failure | None = None


class Topology(Protocol):
    """What is known of the topologies of flavors, by the name of the flavor."""

    def is_known(self, flavor: str) -> bool:
        """Whether the flavor's topology can be placed in."""

    def has_levels(self, flavor: str, request: TopologyRequest) -> bool:
        """Whether the topology has every level the request names."""

    def is_delayed(self, info: Info, flavor: str) -> bool:
        """Whether placing waits for an admission check to provide the nodes, or happens on another cluster."""

    def is_intact(self, place: Object, info: Info) -> bool:
        """Whether a place from an earlier pass has no node that failed since."""

    def place(
        self, requests: Sequence[PlacementRequest], info: Info, *, as_if_empty: bool
    ) -> Placement:
        """Find a place for all pods together."""


class Levels:
    """Topologies by their levels alone: requests are matched, nothing is placed and nothing refused for lack of room.

    Without levels every flavor is taken for known, and for having what is asked for.
    """

    def __init__(self, levels: Mapping[str, Sequence[str]] | None = None) -> None:
        self._levels = levels

    def is_known(self, flavor: str) -> bool:
        return self._levels is None or flavor in self._levels

    def has_levels(self, flavor: str, request: TopologyRequest) -> bool:
        if self._levels is None:
            return True
        named = {
            request.required or request.preferred,
            request.pod_set_slice_required_topology,
            *(one.topology for one in request.podset_slice_required_topology_constraints),
        }
        return named - {None, ""} <= {*self._levels[flavor]}

    def is_delayed(self, info: Info, flavor: str) -> bool:
        return False

    def is_intact(self, place: Object, info: Info) -> bool:
        return not info.obj.status.unhealthy_nodes

    def place(
        self, requests: Sequence[PlacementRequest], info: Info, *, as_if_empty: bool
    ) -> Placement:
        return Placement()


def asks_for_topology(request: TopologyRequest | None) -> bool:
    """Whether a pod set asks for a topology itself; to be of a group is not enough."""
    return request is not None and (
        request.required is not None
        or request.preferred is not None
        or request.unconstrained is not None
        or request.pod_set_slice_required_topology is not None
        or request.pod_set_slice_size is not None
        or bool(request.podset_slice_required_topology_constraints)
    )
