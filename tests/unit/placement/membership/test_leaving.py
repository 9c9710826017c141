"""What is next for a member that is being deleted."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from argosy.api.objects.core import Namespace
from argosy.api.objects.fleet.members import (
    InternalMemberCluster,
    InternalMemberClusterSpec,
    MemberCluster,
    MemberStatus,
)
from argosy.api.objects.metadata import Condition, ObjectMeta
from argosy.placement.membership.leaving import Next, Step, next_step

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
PATIENCE = timedelta(minutes=15)
THERE = Namespace(ObjectMeta(name="fleet-member-m"))
GOING = Namespace(ObjectMeta(name="fleet-member-m", deletion_timestamp=NOW))


def member(minutes: float = 1, joined: str = "True", generation: int = 5) -> MemberCluster:
    since = NOW - timedelta(minutes=minutes)
    said = Condition("Joined", joined, observed_generation=generation)
    return MemberCluster(
        ObjectMeta(name="m", generation=5, deletion_timestamp=since),
        status=MemberStatus(conditions=(said,)),
    )


def internal(state: str = "Leave") -> InternalMemberCluster:
    return InternalMemberCluster(spec=InternalMemberClusterSpec(state))


CASES: dict[str, tuple[MemberCluster, Namespace | None, InternalMemberCluster | None, Next]] = {
    "the namespace is gone": (member(), None, None, Next(Step.FINISH)),
    "the namespace is going": (member(99), GOING, internal(), Next(Step.WAIT, 1.0)),
    "there is nobody to tell": (member(), THERE, None, Next(Step.COLLECT)),
    "the agent knows nothing of it": (member(), THERE, internal("Join"), Next(Step.TELL, 840.0)),
    "the agent has not answered": (member(), THERE, internal(), Next(Step.TELL, 840.0)),
    "the agent has left": (member(joined="False"), THERE, internal(), Next(Step.COLLECT)),
    "the agent left in another life": (
        member(joined="False", generation=4),
        THERE,
        internal(),
        Next(Step.TELL, 840.0),
    ),
    "the agent has had its time": (member(15), THERE, internal(), Next(Step.COLLECT)),
    "an agent that was never told gets a moment": (
        member(60),
        THERE,
        internal("Join"),
        Next(Step.TELL, 1.0),
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_next_step(
    case: tuple[MemberCluster, Namespace | None, InternalMemberCluster | None, Next],
) -> None:
    given, namespace, told, want = case
    assert next_step(given, namespace, told, NOW, PATIENCE) == want
