"""The clusters of a fleet as their MemberClusters tell them: no member is asked, so eighty cost one list.

A cluster is `Joined` when its agent has joined and its heartbeats arrive. `Silent` is one whose heartbeats have
stopped, five minutes ago as for the scheduler, which by then gives it nothing new. `Joining` has not joined yet,
`Leaving` is on its way out, `Unhealthy` says itself that its API server does not answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.members import (
    HEALTHY,
    JOINED,
    AgentStatus,
    MemberCluster,
    MemberStatus,
    ResourceUsage,
    Taint,
)
from argosy.api.objects.metadata import decoder, find_condition, is_true
from argosy.api.prices import prices
from argosy.base.quantities import NANOS, ParseError, parse
from argosy.client.resources import MEMBER_CLUSTERS
from argosy.member.properties.facts import NODE_COUNT, PENDING_WORKLOADS, QUEUE_WAIT, REGION
from argosy.placement.scheduling.eligibility import HEARTBEAT_TIMEOUT, ineligibility
from argosy.sdk.connections import Connections

GPU: Final = "nvidia.com/gpu"
_decode: Final = decoder(MemberCluster)


class ClusterState(StrEnum):
    """How a cluster stands to its fleet."""

    JOINED = "Joined"
    JOINING = "Joining"
    LEAVING = "Leaving"
    SILENT = "Silent"
    UNHEALTHY = "Unhealthy"


@dataclass(slots=True, frozen=True)
class Amount:
    """How much of a resource a cluster has: CPU in cores, memory in bytes, anything else as it is counted."""

    total: float = 0
    allocatable: float = 0
    available: float = 0


@dataclass(slots=True, frozen=True)
class Cluster:
    """One member of the fleet. What it never reported is None, or an amount of nothing."""

    name: str
    state: ClusterState
    region: str = ""
    nodes: int | None = None
    # By resource: cpu, memory, nvidia.com/gpu, …
    resources: Mapping[str, Amount] = field(default_factory=dict)
    price_per_core_hour: float | None = None
    price_per_gib_hour: float | None = None
    pending_workloads: int | None = None
    queue_wait_seconds: float | None = None
    last_seen: datetime | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    # As kubectl prints them: key=value:effect.
    taints: tuple[str, ...] = ()
    # Why it is in its state, where that is not plain.
    message: str = ""

    @property
    def cpu(self) -> Amount:
        """Cores."""
        return self.resources.get("cpu", Amount())

    @property
    def memory(self) -> Amount:
        """Bytes."""
        return self.resources.get("memory", Amount())

    @property
    def gpus(self) -> Amount:
        return self.resources.get(GPU, Amount())


async def list_clusters(ways: Connections) -> list[Cluster]:
    """The members of the fleet, by name."""
    found = await members(ways)
    now = ways.clock.now()
    return sorted((read_cluster(each, now) for each in found), key=lambda each: each.name)


async def members(ways: Connections) -> list[MemberCluster]:
    """As the hub has them. Forbidden for whoever may not list them."""
    found = await ways.hub.list_all(MEMBER_CLUSTERS)
    return [_decode(bytes(raw.body)) for raw in found.items]


def read_cluster(member: MemberCluster, now: datetime) -> Cluster:
    """A MemberCluster in users' words. Pure."""
    status = member.status
    at = prices(status.properties)
    pending, wait = _number(status, PENDING_WORKLOADS), _number(status, QUEUE_WAIT)
    nodes = _number(status, NODE_COUNT)
    state, message = _state(member, now)
    agent = _agent(member)
    region = status.properties.get(REGION)
    return Cluster(
        member.metadata.name,
        state,
        region.value if region is not None else member.metadata.labels.get("region", ""),
        None if nodes is None else int(nodes),
        _resources(status.resource_usage),
        at.per_core,
        at.per_gib,
        None if pending is None else int(pending),
        wait,
        agent.last_received_heartbeat if agent is not None else None,
        member.metadata.labels,
        tuple(_taint(each) for each in member.spec.taints),
        message,
    )


def _state(member: MemberCluster, now: datetime) -> tuple[ClusterState, str]:
    if member.metadata.deletion_timestamp is not None:
        return ClusterState.LEAVING, "its MemberCluster is being deleted"
    agent = _agent(member)
    if agent is None or not is_true(member.status.conditions, JOINED):
        return ClusterState.JOINING, "its agent has not joined yet"
    why = ineligibility(member, now)
    if why:
        heard = agent.last_received_heartbeat
        is_silent = heard is None or now - heard > HEARTBEAT_TIMEOUT
        return (ClusterState.SILENT if is_silent else ClusterState.UNHEALTHY), why
    healthy = find_condition(agent.conditions, HEALTHY)
    if healthy is not None and healthy.status != "True":
        return ClusterState.UNHEALTHY, healthy.message
    return ClusterState.JOINED, ""


def _agent(member: MemberCluster) -> AgentStatus | None:
    agents = (each for each in member.status.agent_status if each.type == names.MEMBER_AGENT)
    return next(agents, None)


def _resources(usage: ResourceUsage) -> dict[str, Amount]:
    named = dict.fromkeys((*usage.capacity, *usage.allocatable, *usage.available))
    return {
        name: Amount(
            as_number(usage.capacity.get(name)),
            as_number(usage.allocatable.get(name)),
            as_number(usage.available.get(name)),
        )
        for name in named
    }


def _number(status: MemberStatus, name: str) -> float | None:
    found = status.properties.get(name)
    return None if found is None else as_number(found.value)


def as_number(text: str | float | None) -> float:
    """A quantity as a plain number; what cannot be read is nothing."""
    try:
        return parse(text).nanos / NANOS if text is not None else 0.0
    except ParseError:
        return 0.0


def _taint(taint: Taint) -> str:
    return (
        f"{taint.key}={taint.value}:{taint.effect}"
        if taint.value
        else f"{taint.key}:{taint.effect}"
    )
