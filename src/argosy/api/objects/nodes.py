"""Nodes, and leases, by which nodes and leaders show that they live."""

from __future__ import annotations

from datetime import datetime

import msgspec

from argosy.api.objects.metadata import Condition, ObjectMeta, Quantities, View


class Taint(View, frozen=True):
    key: str = ""
    value: str = ""
    effect: str = ""
    time_added: datetime | None = None


class NodeSpec(View, frozen=True):
    unschedulable: bool = False
    taints: tuple[Taint, ...] = ()
    provider_id: str = msgspec.field(default="", name="providerID")
    pod_cidr: str = msgspec.field(default="", name="podCIDR")


class NodeAddress(View, frozen=True):
    type: str = ""
    address: str = ""


class NodeStatus(View, frozen=True):
    capacity: Quantities = msgspec.field(default_factory=dict)
    allocatable: Quantities = msgspec.field(default_factory=dict)
    conditions: tuple[Condition, ...] = ()
    addresses: tuple[NodeAddress, ...] = ()


class Node(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()


class LeaseSpec(View, frozen=True):
    holder_identity: str | None = None
    lease_duration_seconds: int | None = None
    acquire_time: datetime | None = None
    renew_time: datetime | None = None
    lease_transitions: int | None = None


class Lease(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: LeaseSpec = LeaseSpec()
