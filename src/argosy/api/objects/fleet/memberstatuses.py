"""The status of a MemberCluster and of an InternalMemberCluster as a merge patch: only what is new.

Agents write the one every heartbeat and the hub copies it to the other, so most patches hold a time or two. A merge
patch keeps what it does not name: what has gone from a map is named with null.
"""

from __future__ import annotations

from collections.abc import Mapping

from argosy.api.objects.conditions import condition_documents
from argosy.api.objects.fleet.members import (
    AgentStatus,
    MemberStatus,
    PropertyValue,
    ResourceUsage,
)
from argosy.base.timestamps import format_time
from argosy.base.types import Json, Object


def status_patch(old: MemberStatus, new: MemberStatus) -> Object:
    """What turns `old` into `new`; empty if they are equal."""
    patch: Object = {}
    if old.conditions != new.conditions:
        patch["conditions"] = condition_documents(new.conditions)
    if old.agent_status != new.agent_status:
        patch["agentStatus"] = [_agent(each) for each in new.agent_status]
    if old.properties != new.properties:
        patch["properties"] = _changed(
            {name: _property(value) for name, value in old.properties.items()},
            {name: _property(value) for name, value in new.properties.items()},
        )
    if old.resource_usage != new.resource_usage:
        patch["resourceUsage"] = _usage(old.resource_usage, new.resource_usage)
    if old.namespaces != new.namespaces:
        patch["namespaces"] = (
            _changed(old.namespaces or {}, new.namespaces) if new.namespaces is not None else None
        )
    return patch


def _agent(agent: AgentStatus) -> Object:
    document: Object = {"type": agent.type, "conditions": condition_documents(agent.conditions)}
    if agent.last_received_heartbeat is not None:
        document["lastReceivedHeartbeat"] = format_time(agent.last_received_heartbeat)
    return document


def _property(value: PropertyValue) -> Object:
    when = value.observation_time
    return {
        "value": value.value,
        "observationTime": format_time(when) if when is not None else None,
    }


def _usage(old: ResourceUsage, new: ResourceUsage) -> Object:
    when = new.observation_time
    patch: Object = {"observationTime": format_time(when) if when is not None else None}
    for name in ("capacity", "allocatable", "available"):
        if change := _changed(getattr(old, name), getattr(new, name)):
            patch[name] = change
    return patch


def _changed(old: Mapping[str, Json], new: Mapping[str, Json]) -> Object:
    """The entries of `new` that `old` has not, and null for those that have gone."""
    gone: Object = {name: None for name in old if name not in new}
    return gone | {name: value for name, value in new.items() if old.get(name) != value}
