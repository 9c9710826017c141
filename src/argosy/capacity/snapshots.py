"""What the autoscaler decides on, and what it decides.

Everything is counted in classes: equal nodes are one `Room`, equal pods one `Demand`. Ten thousand pods of one Job on
five thousand equal nodes are a decision about two things. A snapshot is data, so is a plan; `deciding` makes one of
the other and nothing else happens.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from argosy.api.nodefit import HostPort, PodClass, Resources
from argosy.api.objects import Node
from argosy.capacity.neighbors import Bound


class IdleNode(NamedTuple):
    """A node that nothing runs on; since when, in seconds since the epoch."""

    name: str
    since: float
    # Somebody asked that it stays.
    is_protected: bool = False


class Stage(StrEnum):
    """How far a machine is; pods are placed in this order, so that idle ones stay idle where that is possible."""

    BUSY = "busy"
    IDLE = "idle"
    BOOTING = "booting"


@dataclass(slots=True)
class Room:
    """`count` nodes that admit the same pods and have the same room left."""

    template: Node
    free: Resources
    count: int
    stage: Stage
    # "" for nodes of no pool.
    pool: str = ""
    ports: tuple[HostPort, ...] = ()
    # The idle nodes themselves, from which the ones to remove are chosen.
    nodes: Iterable[IdleNode] = ()

    @property
    def is_cordoned(self) -> bool:
        """Whether new pods are kept away, so that these nodes are no spare ones."""
        return self.template.spec.unschedulable


@dataclass(frozen=True, slots=True)
class Demand:
    """`count` equal pods without a node. `key` names them, the same from one snapshot to the next."""

    pods: PodClass
    count: int
    key: str
    # How many of them one node may have: 1 for those that avoid each other.
    per_node: int | None = None
    # Rules about the pods of a node are the scheduler's: it has judged the nodes where pods run, so only nodes without
    # any can help.
    is_sociable: bool = False
    # Rules about the pods of a zone.
    bounds: tuple[Bound, ...] = ()


@dataclass(frozen=True, slots=True)
class Request:
    """Capacity asked for by a ProvisioningRequest: all of it or nothing."""

    key: str
    demands: tuple[Demand, ...]
    # Whether machines may be added for it.
    may_grow: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """How much and how often a pool may change; in machines and seconds."""

    step_up: int = 100
    step_down: int = 10
    interval: float = 10.0
    idle: float = 300.0
    unready: float = 1200.0


@dataclass(frozen=True, slots=True)
class PoolState:
    """One pool that takes part. `free` is what an empty machine has for pods."""

    name: str
    template: Node
    free: Resources
    price: float = 0.0
    minimum: int = 0
    maximum: int = 10
    spare: int = 0
    limits: Limits = Limits()
    # Every machine there is or will be; those that boot; those that are on their way out; those that do not answer.
    machines: int = 0
    booting: int = 0
    leaving: int = 0
    unready: int = 0
    silent: tuple[IdleNode, ...] = ()
    last_up: float = float("-inf")
    last_down: float = float("-inf")
    # The provider had no more machines: nobody asks again before.
    cooling_until: float = float("-inf")
    # The most machines that were needed within the stabilization window; None while it has not passed yet.
    highest: int | None = None

    @property
    def staying(self) -> int:
        """Machines that pods can count on."""
        return self.machines - self.leaving - self.unready


@dataclass(frozen=True, slots=True)
class Snapshot:
    now: float
    pools: tuple[PoolState, ...] = ()
    rooms: tuple[Room, ...] = ()
    demands: tuple[Demand, ...] = ()
    # Capacity that was promised and not yet taken.
    booked: tuple[Demand, ...] = ()
    requests: tuple[Request, ...] = ()


class Cause(StrEnum):
    """Why machines are added."""

    MINIMUM = "minimum"
    PODS = "pods"
    REQUEST = "request"
    SPARE = "spare"


@dataclass(frozen=True, slots=True)
class Growth:
    """Machines to add to a pool."""

    pool: str
    count: int
    cause: Cause
    # How many pods they are for.
    pods: int = 0


@dataclass(frozen=True, slots=True)
class Removal:
    """Nodes to take away from a pool, with the moment since which each has been idle, or silent."""

    pool: str
    nodes: tuple[IdleNode, ...]
    is_silent: bool = False


@dataclass(slots=True)
class Verdict:
    """What becomes of a demand: so many pods find room, so many get new machines, the rest waits or has no way."""

    demand: Demand
    placed: int = 0
    # Those among them that got new machines: the last of the placed.
    helped: int = 0
    # Pool -> machines added.
    grown: dict[str, int] = field(default_factory=dict)
    # A pool will take the rest as soon as its limits allow.
    is_waiting: bool = False
    # Why pools were not used; pool -> reasons.
    refusals: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def left(self) -> int:
        return self.demand.count - self.placed


@dataclass(slots=True)
class Plan:
    growths: list[Growth] = field(default_factory=list)
    removals: list[Removal] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    # By request: whether the capacity is there, and the pools that machines have to be added to.
    found: dict[str, bool] = field(default_factory=dict)
    grown_for: dict[str, frozenset[str]] = field(default_factory=dict)
    # Bookings for which there is no room any more.
    revoked: list[str] = field(default_factory=list)
    # By pool: machines needed now; pods that wait and could run there; pods refused because it is at its maximum.
    needs: dict[str, int] = field(default_factory=dict)
    pending: dict[str, int] = field(default_factory=dict)
    refused: dict[str, int] = field(default_factory=dict)

    def added(self, pool: str) -> int:
        return sum(growth.count for growth in self.growths if growth.pool == pool)

    def sizes(self, pools: Mapping[str, PoolState]) -> dict[str, tuple[int, int]]:
        """Machines before and after, of the pools that grow."""
        grown = {growth.pool for growth in self.growths}
        return {
            name: (pools[name].machines, pools[name].machines + self.added(name)) for name in grown
        }
