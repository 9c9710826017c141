"""What the hub says of a member, from what its agents report."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from argosy.api.objects.fleet.members import (
    AgentStatus,
    InternalMemberCluster,
    MemberCluster,
    MemberStatus,
    PropertyValue,
    ResourceUsage,
)
from argosy.api.objects.metadata import Condition, ObjectMeta
from argosy.placement.membership import statuses

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
BEFORE = NOW - timedelta(hours=1)
THREE = frozenset({"MemberAgent", "MultiClusterServiceAgent", "ServiceExportImportAgent"})


def member(*conditions: Condition, agents: tuple[AgentStatus, ...] = ()) -> MemberCluster:
    return MemberCluster(
        ObjectMeta(name="m", generation=7),
        status=MemberStatus(conditions=conditions, agent_status=agents),
    )


def agent(joined: str | None = "True", type_: str = "MemberAgent") -> AgentStatus:
    conditions = [Condition("Healthy", "True", "Well", "", 1, BEFORE)]
    if joined is not None:
        conditions.append(Condition("Joined", joined, "Said", "", 1, BEFORE))
    return AgentStatus(type_, tuple(conditions), BEFORE)


def internal(*agents: AgentStatus, **more: object) -> InternalMemberCluster:
    return InternalMemberCluster(
        ObjectMeta(name="m", generation=2),
        status=MemberStatus(agent_status=agents, **more),  # type: ignore[arg-type]
    )


NEW = member()


@dataclass
class Case:
    reported: InternalMemberCluster | None
    want: dict[str, str]
    told: list[str]
    before: MemberCluster = NEW
    expected: frozenset[str] = statuses.EXPECTED


READY = "True MemberClusterReadyToJoin: Member cluster is ready to join the fleet"
JOINED = "True MemberClusterJoined: Member cluster has successfully joined the fleet"
LEFT = "False MemberClusterLeft: Member cluster has left the fleet"
UNKNOWN = "Unknown MemberClusterJoinStateUnknown: "
CASES = {
    "where nobody reports yet, only the hub is ready": Case(
        None, {"ReadyToJoin": READY}, ["member cluster ready to join"]
    ),
    "an agent that has said nothing leaves it unknown": Case(
        internal(),
        {
            "ReadyToJoin": READY,
            "Joined": UNKNOWN
            + "Member cluster m has not reported all the expected agents, expected 1, got 0",
        },
        ["member cluster ready to join", "member cluster join state unknown"],
    ),
    "an agent without a word on joining": Case(
        internal(agent(None)),
        {
            "ReadyToJoin": READY,
            "Joined": UNKNOWN
            + "Member cluster m has not reported the join condition for agent MemberAgent",
        },
        ["member cluster ready to join", "member cluster join state unknown"],
    ),
    "an agent that nobody expects does not count": Case(
        internal(agent(type_="Stranger")),
        {
            "ReadyToJoin": READY,
            "Joined": UNKNOWN
            + "Member cluster m has not reported all the expected agents, expected 1, got 0",
        },
        ["member cluster ready to join", "member cluster join state unknown"],
    ),
    "an agent that could not join": Case(
        internal(agent("Unknown")),
        {"ReadyToJoin": READY, "Joined": UNKNOWN + "Member agents are not in a consistent state"},
        ["member cluster ready to join", "member cluster join state unknown"],
    ),
    "joined": Case(
        internal(agent()),
        {"ReadyToJoin": READY, "Joined": JOINED},
        ["member cluster ready to join", "member cluster joined"],
    ),
    "joined as before is no news": Case(
        internal(agent()),
        {"ReadyToJoin": READY, "Joined": JOINED},
        [],
        member(Condition("ReadyToJoin", "True"), Condition("Joined", "True")),
    ),
    "left, and so not ready any more": Case(
        internal(agent("False")),
        {
            "ReadyToJoin": "False MemberClusterNotReadyToJoin: Member cluster is not ready to join the fleet",
            "Joined": LEFT,
        },
        ["member cluster left"],
        member(Condition("ReadyToJoin", "True"), Condition("Joined", "True")),
    ),
    "one of three agents is not enough": Case(
        internal(agent(None)),
        {
            "ReadyToJoin": READY,
            "Joined": UNKNOWN
            + "Member cluster m has not reported all the expected agents, expected 3, got 1",
        },
        ["member cluster ready to join", "member cluster join state unknown"],
        expected=THREE,
    ),
    "three agents that disagree": Case(
        internal(
            agent(),
            agent("False", "MultiClusterServiceAgent"),
            agent(type_="ServiceExportImportAgent"),
        ),
        {"ReadyToJoin": READY, "Joined": UNKNOWN + "Member agents are not in a consistent state"},
        ["member cluster ready to join", "member cluster join state unknown"],
        expected=THREE,
    ),
    "three agents that agree": Case(
        internal(*(agent(type_=each) for each in sorted(THREE))),
        {"ReadyToJoin": READY, "Joined": JOINED},
        ["member cluster ready to join", "member cluster joined"],
        expected=THREE,
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_joining(case: Case) -> None:
    told = statuses.joining(case.before, case.reported, NOW, case.expected)
    got = {c.type: f"{c.status} {c.reason}: {c.message}" for c in told.status.conditions}
    assert got == case.want
    assert [note.message for note in told.notes] == case.told
    assert {c.observed_generation for c in told.status.conditions} == {7}


def test_everything_an_agent_reports_is_passed_on_with_the_members_generation() -> None:
    started = Condition("ClusterPropertyProviderStarted", "True", "Started", "It has", 2, BEFORE)
    reported = internal(
        agent(),
        conditions=(started,),
        properties={"kubernetes-fleet.io/node-count": PropertyValue("3", BEFORE)},
        resource_usage=ResourceUsage({"cpu": "4"}, {"cpu": "3"}, {"cpu": "2"}, BEFORE),
        namespaces={"work": "some-work"},
    )
    told = statuses.joining(member(), reported, NOW).status
    assert told.properties == reported.status.properties
    assert told.resource_usage == reported.status.resource_usage
    assert told.namespaces == {"work": "some-work"}
    assert [c.observed_generation for c in told.agent_status[0].conditions] == [7, 7]
    assert told.agent_status[0].last_received_heartbeat == BEFORE
    copied = told.conditions[-1]
    assert (copied.type, copied.observed_generation, copied.last_transition_time) == (
        "ClusterPropertyProviderStarted",
        7,
        BEFORE,
    )


def test_leaving_says_nothing_of_readiness_before_the_agent_has_left() -> None:
    ready = Condition("ReadyToJoin", "True", "MemberClusterReadyToJoin", "", 6, BEFORE)
    told = statuses.leaving(member(ready), internal(agent()), NOW)
    assert told.status.conditions[0] == ready


def test_an_internal_member_that_was_emptied_does_not_take_back_what_was_said() -> None:
    before = member(Condition("Joined", "True"), agents=(agent(),))
    told = statuses.joining(before, internal(), NOW)
    assert told.status.agent_status == before.status.agent_status
    assert {c.type: c.status for c in told.status.conditions}["Joined"] == "True"
