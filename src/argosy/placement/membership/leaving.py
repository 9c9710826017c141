"""What is to be done next for a MemberCluster that is being deleted.

First the agent is told to leave and given time; when it says that it left, or has said nothing for too long, the Works
in its namespace lose their finalizers and the namespace goes; when that is gone, so is the MemberCluster. What the
member runs is left alone. The steps are found anew from what is there each time, so it does not matter where an earlier
look was interrupted.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from argosy.api.objects.core import Namespace
from argosy.api.objects.fleet.members import JOINED, LEAVE, InternalMemberCluster, MemberCluster
from argosy.api.objects.metadata import find_condition


class Step(StrEnum):
    # The namespace is gone: let the MemberCluster go.
    FINISH = "Finish"
    # It is going.
    WAIT = "Wait"
    # Nobody is there any more: take everything away.
    COLLECT = "Collect"
    # Tell the agent, and wait for its answer.
    TELL = "Tell"


class Next(NamedTuple):
    step: Step
    # When to look again if nothing happens.
    after_seconds: float | None = None


def next_step(
    member: MemberCluster,
    namespace: Namespace | None,
    internal: InternalMemberCluster | None,
    now: datetime,
    patience: timedelta,
) -> Next:
    """`member` carries what its agents said last."""
    if namespace is None:
        return Next(Step.FINISH)
    if namespace.metadata.deletion_timestamp is not None:
        return Next(Step.WAIT, 1.0)
    if internal is None or has_left(member):
        return Next(Step.COLLECT)
    since = member.metadata.deletion_timestamp or now
    waited = now - since
    if internal.spec.state == LEAVE and waited >= patience:
        return Next(Step.COLLECT)
    return Next(Step.TELL, max(1.0, (patience - waited).total_seconds()))


def has_left(member: MemberCluster) -> bool:
    joined = find_condition(member.status.conditions, JOINED)
    return (
        joined is not None
        and joined.status == "False"
        and joined.observed_generation == member.metadata.generation
    )
