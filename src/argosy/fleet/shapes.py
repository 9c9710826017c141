"""What the members of a fleet look like: where they are, what they are called by, what machines they have.

A shape is said by a fleet file (`argosy.fleet.files`), or is one of those below, when nobody says otherwise: clusters
in three regions, each larger than the one before, so that there is something to choose between. It is written down in
fleet.json, so that the next start knows what this one brought.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from argosy.base.types import Object
from argosy.client.resources import MEMBER_CLUSTERS, NODE_POOLS

# How often an agent reports when nobody says it: soon enough to see what happens, rarely enough for eighty of them.
HEARTBEAT_SECONDS: Final = 15
# As many as one hub on one machine is made for, and some more.
MOST_MEMBERS: Final = 200
# By these labels placements find the members of a place.
REGION: Final = "region"
ZONE: Final = "zone"

_REGIONS: Final = ("eu-west", "us-east", "asia-south")
# Dollars an hour for a machine of eight cores; regions differ, as they do.
_PRICES: Final = (0.40, 0.34, 0.31)
_POOL: Final = "general"


@dataclass(slots=True, frozen=True)
class PoolShape:
    """A NodePool of a member: its name and its spec."""

    name: str
    spec: Object

    def node_pool(self) -> Object:
        return {
            "apiVersion": NODE_POOLS.api_version,
            "kind": NODE_POOLS.kind,
            "metadata": {"name": self.name},
            "spec": dict(self.spec),
        }


@dataclass(slots=True, frozen=True)
class MemberShape:
    """One member. `taints` are those of its MemberCluster; `queueing` is a Kueue Configuration of its own, as written
    in the file, None for the fleet's.
    """

    name: str
    region: str = ""
    zone: str = ""
    heartbeat_seconds: int = HEARTBEAT_SECONDS
    labels: dict[str, str] = field(default_factory=dict)
    taints: tuple[Object, ...] = ()
    pools: tuple[PoolShape, ...] = ()
    queueing: Object | None = None

    def all_labels(self) -> dict[str, str]:
        """Those of its MemberCluster."""
        places = {REGION: self.region, ZONE: self.zone}
        return {name: value for name, value in places.items() if value} | self.labels

    def member_cluster(self, user: str) -> Object:
        """Its entry on the hub, where its agent is this user."""
        spec: Object = {
            "identity": {"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": user},
            "heartbeatPeriodSeconds": self.heartbeat_seconds,
        }
        if self.taints:
            spec["taints"] = list(self.taints)
        return {
            "apiVersion": MEMBER_CLUSTERS.api_version,
            "kind": MEMBER_CLUSTERS.kind,
            "metadata": {"name": self.name, "labels": self.all_labels()},
            "spec": spec,
        }

    def node_pools(self) -> list[Object]:
        """Its machines."""
        return [pool.node_pool() for pool in self.pools]


def machines(
    nodes: int, cpu: str = "8", memory: str = "32Gi", *, region: str = "", price: float = 0.0
) -> PoolShape:
    """Simulated machines, of which there are always so many."""
    spec: Object = {
        "machine": {"cpu": cpu, "memory": memory},
        "minimum": nodes,
        "maximum": nodes,
        "pricePerHour": price,
        "bootTime": "0s",
        "runtime": "simulated",
    }
    if region:
        spec["region"] = region
    return PoolShape(_POOL, spec)


def default_shapes(members: int) -> tuple[MemberShape, ...]:
    return tuple(_shape(number) for number in range(members))


def _shape(number: int) -> MemberShape:
    turn = number % len(_REGIONS)
    region = _REGIONS[turn]
    pool = machines(number + 2, region=region, price=_PRICES[turn])
    return MemberShape(f"cluster-{number + 1}", region=region, pools=(pool,))
