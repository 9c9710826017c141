"""What a ClusterProfile says of a member's control plane."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from argosy.api.objects.fleet.members import AgentStatus, MemberCluster, MemberStatus
from argosy.api.objects.metadata import Condition
from argosy.placement.membership.profiles import health

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def agents(healthy: str = "", *, minutes: float = 1) -> tuple[AgentStatus, ...]:
    conditions = (Condition("Healthy", healthy),) if healthy else ()
    return (AgentStatus("MemberAgent", conditions, NOW - timedelta(minutes=minutes)),)


CASES: dict[str, tuple[tuple[AgentStatus, ...], str]] = {
    "nobody reported": ((), "Unknown MemberAgentReportedNoStatus"),
    "nothing of health": (agents(), "Unknown MemberAgentReportedNoHealthInfo"),
    "no news for long": (agents("True", minutes=4), "False MemberAgentHeartbeatLost"),
    "health unknown": (agents("Unknown"), "Unknown MemberAgentReportedNoHealthInfo"),
    "unhealthy": (agents("False"), "False MemberClusterAPIServerUnhealthy"),
    "healthy": (agents("True"), "True MemberClusterAPIServerHealthy"),
    "just in time": (agents("True", minutes=3), "True MemberClusterAPIServerHealthy"),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_health(case: tuple[tuple[AgentStatus, ...], str]) -> None:
    said, want = case
    got = health(MemberCluster(status=MemberStatus(agent_status=said)), NOW)
    assert f"{got.status} {got.reason}" == want
    assert got.type == "ControlPlaneHealthy"
    assert got.message.startswith("The Fleet member agent ")
