"""What a member's agent says, and what of it is worth an event."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec

from argosy.api.objects.fleet.members import (
    AgentStatus,
    InternalMemberCluster,
    InternalMemberClusterSpec,
    MemberStatus,
    PropertyValue,
    ResourceUsage,
)
from argosy.api.objects.metadata import ObjectMeta
from argosy.member.joining import reports
from argosy.member.properties.facts import Collected

NOW = datetime(2026, 1, 1, 12, 0, 0, 250_000, tzinfo=UTC)
SECOND = NOW.replace(microsecond=0)
EMPTY = MemberStatus()
COLLECTED = Collected({"x": PropertyValue("1", SECOND)}, ResourceUsage(observation_time=SECOND))


def internal(status: MemberStatus = EMPTY, generation: int = 1) -> InternalMemberCluster:
    return InternalMemberCluster(
        ObjectMeta(name="m", generation=generation), InternalMemberClusterSpec("Join"), status
    )


def _said(report: reports.Report) -> list[str]:
    return [f"{note.type} {note.reason}: {note.message}" for note in report.notes]


def test_the_first_report() -> None:
    got = reports.joined(internal(), 200, COLLECTED, NOW)
    (agent,) = got.status.agent_status
    assert [(c.type, c.status, c.reason, c.message) for c in agent.conditions] == [
        ("Healthy", "True", "InternalMemberClusterHealthy", ""),
        ("Joined", "True", "InternalMemberClusterJoined", ""),
    ]
    assert agent.last_received_heartbeat == SECOND
    assert [(c.type, c.reason, c.message) for c in got.status.conditions] == [
        (
            "ClusterPropertyProviderStarted",
            "Started",
            "The property provider has started successfully",
        ),
        (
            "ClusterPropertyCollectionSucceeded",
            "PropertiesCollected",
            "The property provider has returned the latest cluster properties",
        ),
    ]
    assert got.status.properties == COLLECTED.properties
    assert _said(got) == [
        "Normal InternalMemberClusterHealthy: internal member cluster healthy",
        "Normal Started: The property provider has started successfully",
        "Normal InternalMemberClusterJoined: internal member cluster joined",
    ]


def test_a_second_report_moves_the_heartbeat_and_says_nothing() -> None:
    first = reports.joined(internal(), 200, COLLECTED, NOW)
    later = NOW + timedelta(minutes=1)
    got = reports.joined(internal(first.status), 200, COLLECTED, later)
    beat = msgspec.structs.replace(
        first.status.agent_status[0], last_received_heartbeat=later.replace(microsecond=0)
    )
    assert got.status == msgspec.structs.replace(first.status, agent_status=(beat,))
    assert got.notes == ()


def test_joining_is_told_again_of_a_new_generation() -> None:
    first = reports.joined(internal(), 200, COLLECTED, NOW)
    got = reports.joined(internal(first.status, 2), 200, COLLECTED, NOW)
    assert _said(got) == ["Normal InternalMemberClusterJoined: internal member cluster joined"]
    assert {c.observed_generation for c in got.status.agent_status[0].conditions} == {2}


def test_an_ill_cluster_is_a_member_all_the_same() -> None:
    first = reports.joined(internal(), 200, COLLECTED, NOW)
    got = reports.joined(internal(first.status), 503, COLLECTED, NOW + timedelta(minutes=1))
    healthy, joined = got.status.agent_status[0].conditions
    assert (healthy.status, healthy.reason, healthy.message) == (
        "False",
        "InternalMemberClusterUnhealthy",
        "health probe failed with status code 503",
    )
    assert healthy.last_transition_time == SECOND + timedelta(minutes=1)
    assert joined.last_transition_time == SECOND
    assert _said(got) == [
        "Warning InternalMemberClusterUnhealthy: internal member cluster unhealthy"
    ]


def test_what_was_collected_before_stays_while_nothing_can_be_collected() -> None:
    first = reports.joined(internal(), 200, COLLECTED, NOW)
    got = reports.joined(internal(first.status), 200, None, NOW)
    assert got.status.properties == COLLECTED.properties
    assert _said(got) == ["Warning TimedOut: The property provider does not start up in time"]


def test_leaving_says_so_and_keeps_the_rest() -> None:
    first = reports.joined(internal(), 200, COLLECTED, NOW)
    there = internal(first.status, 2)
    got = reports.left(there, NOW)
    healthy, joined = got.status.agent_status[0].conditions
    assert healthy == first.status.agent_status[0].conditions[0]
    assert (joined.status, joined.reason, joined.observed_generation) == (
        "False",
        "InternalMemberClusterLeft",
        2,
    )
    assert _said(got) == ["Normal InternalMemberClusterLeft: internal member cluster left"]
    assert not reports.has_left(there)
    assert reports.has_left(internal(got.status, 2))
    assert not reports.has_left(internal(got.status, 3))


def test_failing_to_leave_says_why() -> None:
    got = reports.failed_to_leave(internal(), "no way out", NOW)
    (joined,) = got.status.agent_status[0].conditions
    assert (joined.status, joined.reason, joined.message) == (
        "Unknown",
        "InternalMemberClusterFailedToLeave",
        "no way out",
    )


def test_other_agents_keep_their_words() -> None:
    other = AgentStatus("MultiClusterServiceAgent", (), SECOND)
    got = reports.joined(internal(MemberStatus(agent_status=(other,))), 200, None, NOW)
    assert got.status.agent_status[0] == other
    assert got.status.agent_status[1].type == "MemberAgent"
