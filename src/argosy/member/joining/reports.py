"""What a member's agent says in its InternalMemberCluster: pure, from what it said before and what it sees now.

The agent's conditions stand in the order Healthy, Joined, because health is looked at first; those of the property
provider follow in the object's own list. Each change is told as an event, once: events are found by comparing with
what was said before, so an agent that starts again and finds everything as it left it is silent.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final, Literal, NamedTuple

import msgspec

from argosy.api.objects.conditions import with_condition
from argosy.api.objects.fleet.members import (
    HEALTHY,
    JOINED,
    AgentStatus,
    InternalMemberCluster,
    MemberStatus,
)
from argosy.api.objects.fleet.names import MEMBER_AGENT
from argosy.api.objects.metadata import Condition, find_condition
from argosy.member.properties.facts import Collected

_PROVIDER_STARTED: Final = "ClusterPropertyProviderStarted"
_COLLECTION_SUCCEEDED: Final = "ClusterPropertyCollectionSucceeded"
_ANSWERS: Final = 200


class Note(NamedTuple):
    """An event about the InternalMemberCluster."""

    type: Literal["Normal", "Warning"]
    reason: str
    message: str


class Report(NamedTuple):
    status: MemberStatus
    notes: tuple[Note, ...] = ()


def joined(
    internal: InternalMemberCluster, health: int, collected: Collected | None, now: datetime
) -> Report:
    """A heartbeat. `health` is what the cluster's API server answered; nothing is collected before it is known."""
    draft = _Draft(internal, now)
    draft.beat()
    if health == _ANSWERS:
        draft.agent(HEALTHY, "True", "InternalMemberClusterHealthy", note="healthy")
    else:
        said = f"health probe failed with status code {health}"
        draft.agent(HEALTHY, "False", "InternalMemberClusterUnhealthy", said, note="unhealthy")
    draft.collect(collected)
    draft.agent(JOINED, "True", "InternalMemberClusterJoined", note="joined", is_renewed=True)
    return draft.report()


def left(internal: InternalMemberCluster, now: datetime) -> Report:
    draft = _Draft(internal, now)
    draft.agent(JOINED, "False", "InternalMemberClusterLeft", note="left", is_renewed=True)
    return draft.report()


def failed_to_leave(internal: InternalMemberCluster, error: str, now: datetime) -> Report:
    draft = _Draft(internal, now)
    reason = "InternalMemberClusterFailedToLeave"
    draft.agent(JOINED, "Unknown", reason, error, note="failed to leave", is_renewed=True)
    return draft.report()


def has_left(internal: InternalMemberCluster) -> bool:
    """Whether the agent has said already that it left, after it was last told to."""
    agent = agent_of(internal.status)
    said = find_condition(agent.conditions, JOINED) if agent is not None else None
    return (
        said is not None
        and said.status == "False"
        and said.observed_generation == internal.metadata.generation
    )


def agent_of(status: MemberStatus) -> AgentStatus | None:
    return next((each for each in status.agent_status if each.type == MEMBER_AGENT), None)


class _Draft:
    """A status that is being written."""

    def __init__(self, internal: InternalMemberCluster, now: datetime) -> None:
        self._generation = internal.metadata.generation
        self._now = now.replace(microsecond=0)
        self._before = internal.status
        self._status = internal.status
        self._agent = agent_of(internal.status) or AgentStatus(MEMBER_AGENT)
        self._notes: list[Note] = []

    def beat(self) -> None:
        self._agent = msgspec.structs.replace(self._agent, last_received_heartbeat=self._now)

    def agent(
        self,
        type_: str,
        status: str,
        reason: str,
        message: str = "",
        *,
        note: str,
        is_renewed: bool = False,
    ) -> None:
        """A condition of the agent; `is_renewed`: it is told of anew when it is said of a new generation."""
        old = find_condition(self._agent.conditions, type_)
        new = Condition(type_, status, reason, message, self._generation)
        conditions = with_condition(self._agent.conditions, new, self._now)
        self._agent = msgspec.structs.replace(self._agent, conditions=conditions)
        is_told = old is not None and old.status == status
        if is_told and is_renewed:
            is_told = old is not None and old.observed_generation == self._generation
        if not is_told:
            kind: Literal["Normal", "Warning"] = "Warning" if note == "unhealthy" else "Normal"
            self._notes.append(Note(kind, reason, f"internal member cluster {note}"))

    def collect(self, collected: Collected | None) -> None:
        if collected is None:
            self._provider("False", "TimedOut", "The property provider does not start up in time")
            return
        self._provider("True", "Started", "The property provider has started successfully")
        said = "The property provider has returned the latest cluster properties"
        self._condition(_COLLECTION_SUCCEEDED, "True", "PropertiesCollected", said)
        self._status = msgspec.structs.replace(
            self._status, properties=collected.properties, resource_usage=collected.usage
        )

    def _provider(self, status: Literal["True", "False"], reason: str, message: str) -> None:
        old = find_condition(self._status.conditions, _PROVIDER_STARTED)
        self._condition(_PROVIDER_STARTED, status, reason, message)
        if old is None or old.status != status:
            kind: Literal["Normal", "Warning"] = "Normal" if status == "True" else "Warning"
            self._notes.append(Note(kind, reason, message))

    def _condition(self, type_: str, status: str, reason: str, message: str) -> None:
        new = Condition(type_, status, reason, message, self._generation)
        conditions = with_condition(self._status.conditions, new, self._now)
        self._status = msgspec.structs.replace(self._status, conditions=conditions)

    def report(self) -> Report:
        agents = self._before.agent_status
        if any(each.type == MEMBER_AGENT for each in agents):
            agents = tuple(self._agent if each.type == MEMBER_AGENT else each for each in agents)
        else:
            agents = (*agents, self._agent)
        status = msgspec.structs.replace(self._status, agent_status=agents)
        return Report(status, tuple(self._notes))
