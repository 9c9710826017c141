"""What is said of a MemberCluster: pure, from what its agents report.

ReadyToJoin says that the hub has done its part, Joined what all expected agents say together; conditions, properties,
usage and namespaces are passed on as the agent wrote them, with the generation of the MemberCluster in place of the
InternalMemberCluster's. A turn of ReadyToJoin or Joined is an event; leaving is told under the reason of joining, as
upstream tells it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final, Literal, NamedTuple

import msgspec

from argosy.api.objects.conditions import with_condition
from argosy.api.objects.fleet.members import (
    JOINED,
    READY_TO_JOIN,
    AgentStatus,
    InternalMemberCluster,
    MemberCluster,
    MemberStatus,
)
from argosy.api.objects.fleet.names import MEMBER_AGENT
from argosy.api.objects.metadata import Condition, find_condition

# Whose word counts. Upstream expects two agents more where its networking is installed.
EXPECTED: Final = frozenset({MEMBER_AGENT})


class Note(NamedTuple):
    """An event about the MemberCluster."""

    type: Literal["Normal", "Warning"]
    reason: str
    message: str


class Told(NamedTuple):
    status: MemberStatus
    notes: tuple[Note, ...] = ()


def joining(
    member: MemberCluster,
    internal: InternalMemberCluster | None,
    now: datetime,
    expected: frozenset[str] = EXPECTED,
) -> Told:
    """Of a member for which the hub is ready."""
    ready = Condition(
        READY_TO_JOIN,
        "True",
        "MemberClusterReadyToJoin",
        "Member cluster is ready to join the fleet",
        member.metadata.generation,
    )
    conditions = with_condition(member.status.conditions, ready, now)
    notes: tuple[Note, ...] = ()
    if _is_new(member.status.conditions, ready):
        notes = (Note("Normal", ready.reason, "member cluster ready to join"),)
    status = msgspec.structs.replace(member.status, conditions=conditions)
    told = _copied(member, status, internal, now, expected)
    return Told(told.status, notes + told.notes)


def leaving(
    member: MemberCluster,
    internal: InternalMemberCluster,
    now: datetime,
    expected: frozenset[str] = EXPECTED,
) -> Told:
    """Of a member that is on its way out: only what the agents say."""
    return _copied(member, member.status, internal, now, expected)


def _copied(
    member: MemberCluster,
    status: MemberStatus,
    internal: InternalMemberCluster | None,
    now: datetime,
    expected: frozenset[str],
) -> Told:
    if internal is None:
        return Told(status)
    generation, reported = member.metadata.generation, internal.status
    agents = tuple(_of_generation(each, generation) for each in reported.agent_status)
    joined = _joined(member, agents or status.agent_status, expected)
    conditions = with_condition(status.conditions, joined, now)
    if joined.status == "False":
        conditions = with_condition(conditions, _not_ready(generation), now)
    for each in reported.conditions:
        passed = msgspec.structs.replace(each, observed_generation=generation)
        conditions = with_condition(conditions, passed, now)
    told = msgspec.structs.replace(
        reported, conditions=conditions, agent_status=agents or status.agent_status
    )
    is_new = _is_new(status.conditions, joined)
    return Told(told, (_NOTES[joined.status],) if is_new else ())


def _joined(
    member: MemberCluster, agents: Sequence[AgentStatus], expected: frozenset[str]
) -> Condition:
    """What all expected agents say together."""
    name, generation = member.metadata.name, member.metadata.generation
    said: dict[str, str] = {}
    for agent in agents if len(agents) >= len(expected) else ():
        if agent.type not in expected:
            continue
        condition = find_condition(agent.conditions, JOINED)
        if condition is None:
            missing = f"has not reported the join condition for agent {agent.type}"
            return _unknown(f"Member cluster {name} {missing}", generation)
        said[agent.type] = condition.status
    if len(said) < len(expected):
        got = min(len(agents), len(expected) - 1) if not said else len(said)
        missing = f"has not reported all the expected agents, expected {len(expected)}, got {got}"
        return _unknown(f"Member cluster {name} {missing}", generation)
    words = set(said.values())
    if words == {"True"}:
        message = "Member cluster has successfully joined the fleet"
        return Condition(JOINED, "True", "MemberClusterJoined", message, generation)
    if words == {"False"}:
        message = "Member cluster has left the fleet"
        return Condition(JOINED, "False", "MemberClusterLeft", message, generation)
    return _unknown("Member agents are not in a consistent state", generation)


def _unknown(message: str, generation: int) -> Condition:
    return Condition(JOINED, "Unknown", "MemberClusterJoinStateUnknown", message, generation)


def _not_ready(generation: int) -> Condition:
    return Condition(
        READY_TO_JOIN,
        "False",
        "MemberClusterNotReadyToJoin",
        "Member cluster is not ready to join the fleet",
        generation,
    )


_NOTES: Final = {
    "True": Note("Normal", "MemberClusterJoined", "member cluster joined"),
    "False": Note("Normal", "MemberClusterJoined", "member cluster left"),
    "Unknown": Note(
        "Warning", "MemberClusterJoinStateUnknown", "member cluster join state unknown"
    ),
}


def _of_generation(agent: AgentStatus, generation: int) -> AgentStatus:
    conditions = tuple(
        msgspec.structs.replace(each, observed_generation=generation) for each in agent.conditions
    )
    return msgspec.structs.replace(agent, conditions=conditions)


def _is_new(conditions: tuple[Condition, ...], new: Condition) -> bool:
    old = find_condition(conditions, new.type)
    return old is None or old.status != new.status
