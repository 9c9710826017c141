"""What the members of a fleet look like when nobody says otherwise: clusters in three regions, each larger than the one
before, so that there is something to choose between.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from argosy.base.types import Object
from argosy.client.resources import MEMBER_CLUSTERS, NODE_POOLS

_REGIONS: Final = ("eu-west", "us-east", "asia-south")
# Dollars an hour for a machine of eight cores; regions differ, as they do.
_PRICES: Final = (0.40, 0.34, 0.31)
_POOL: Final = "general"


@dataclass(slots=True, frozen=True)
class MemberShape:
    """One member: its name, its machines, where they are and what they cost."""

    name: str
    nodes: int = 2
    cpu: str = "8"
    memory: str = "32Gi"
    region: str = ""
    price_per_hour: float = 0.0
    heartbeat_seconds: int = 15
    labels: dict[str, str] = field(default_factory=dict)

    def member_cluster(self, user: str) -> Object:
        """Its entry on the hub, where its agent is this user."""
        labels = dict(self.labels)
        if self.region:
            labels.setdefault("region", self.region)
        return {
            "apiVersion": MEMBER_CLUSTERS.api_version,
            "kind": MEMBER_CLUSTERS.kind,
            "metadata": {"name": self.name, "labels": labels},
            "spec": {
                "identity": {
                    "kind": "User",
                    "apiGroup": "rbac.authorization.k8s.io",
                    "name": user,
                },
                "heartbeatPeriodSeconds": self.heartbeat_seconds,
            },
        }

    def node_pool(self) -> Object:
        """Its machines."""
        spec: Object = {
            "machine": {"cpu": self.cpu, "memory": self.memory},
            "minimum": self.nodes,
            "maximum": self.nodes,
            "pricePerHour": self.price_per_hour,
            "bootTime": "0s",
            "runtime": "simulated",
        }
        if self.region:
            spec["region"] = self.region
        return {
            "apiVersion": NODE_POOLS.api_version,
            "kind": NODE_POOLS.kind,
            "metadata": {"name": _POOL},
            "spec": spec,
        }


def default_shapes(members: int) -> tuple[MemberShape, ...]:
    return tuple(_shape(number) for number in range(members))


def _shape(number: int) -> MemberShape:
    turn = number % len(_REGIONS)
    return MemberShape(
        f"cluster-{number + 1}",
        nodes=number + 2,
        region=_REGIONS[turn],
        price_per_hour=_PRICES[turn],
    )
