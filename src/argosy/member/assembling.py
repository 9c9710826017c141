"""A member's agent, put together: it joins, tells what its cluster has, applies the Works of its namespace, and
ends those that the hub may have given to others.
"""

from __future__ import annotations

from dataclasses import dataclass

from argosy.control.assemblies import Assembly
from argosy.member.applying.backoffs import PACE, Pace
from argosy.member.applying.controllers import Applying
from argosy.member.fencing.controllers import Fencing
from argosy.member.joining.agents import add_joining


@dataclass(slots=True, frozen=True)
class MemberSettings:
    """How an agent works. `pace`: how often it looks at what it has applied. `holds_jobs`: jobs have a finalizer, so
    that none goes before the hub knows how it ended.
    """

    pace: Pace = PACE
    holds_jobs: bool = True


def add_member(hub: Assembly, member: Assembly, name: str, settings: MemberSettings) -> None:
    """Have a cluster be the member of this name."""
    joining = add_joining(hub, member, name)
    Applying(
        hub,
        member,
        name,
        joined=lambda: joining.is_joined,
        has_left=lambda: joining.has_left,
        pace=settings.pace,
        holds_jobs=settings.holds_jobs,
        permits=Fencing(hub, member, joining),
    )
