"""MemberCluster, a cluster of the fleet, and InternalMemberCluster, where its agent reports."""

from __future__ import annotations

from datetime import datetime

import msgspec

from argosy.api.objects.metadata import Condition, ObjectMeta, Quantities, View

JOIN = "Join"
LEAVE = "Leave"
READY_TO_JOIN = "ReadyToJoin"
JOINED = "Joined"
HEALTHY = "Healthy"


class Subject(View, frozen=True):
    kind: str = ""
    api_group: str = ""
    name: str = ""
    namespace: str = ""


class Taint(View, frozen=True):
    key: str = ""
    value: str = ""
    effect: str = ""


class DeleteOptions(View, frozen=True):
    validation_mode: str = "Strict"


class PropertyValue(View, frozen=True):
    value: str = ""
    observation_time: datetime | None = None


class ResourceUsage(View, frozen=True):
    capacity: Quantities = msgspec.field(default_factory=dict)
    allocatable: Quantities = msgspec.field(default_factory=dict)
    available: Quantities = msgspec.field(default_factory=dict)
    observation_time: datetime | None = None


class AgentStatus(View, frozen=True):
    type: str = ""
    conditions: tuple[Condition, ...] = ()
    last_received_heartbeat: datetime | None = None


class MemberStatus(View, frozen=True):
    """Of both kinds; `namespaces` is None where nobody collects them."""

    conditions: tuple[Condition, ...] = ()
    properties: dict[str, PropertyValue] = msgspec.field(default_factory=dict)
    namespaces: dict[str, str] | None = None
    resource_usage: ResourceUsage = ResourceUsage()
    agent_status: tuple[AgentStatus, ...] = ()


class MemberClusterSpec(View, frozen=True):
    identity: Subject = Subject()
    heartbeat_period_seconds: int = 60
    taints: tuple[Taint, ...] = ()
    delete_options: DeleteOptions | None = None


class MemberCluster(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: MemberClusterSpec = MemberClusterSpec()
    status: MemberStatus = MemberStatus()


class InternalMemberClusterSpec(View, frozen=True):
    state: str = ""
    heartbeat_period_seconds: int = 60


class InternalMemberCluster(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: InternalMemberClusterSpec = InternalMemberClusterSpec()
    status: MemberStatus = MemberStatus()
