"""An explanation of one workload: what it is doing, by whose word, what stands in its way and what would help.

`explain` asks the deciding code itself: what its condition says is what the scheduler or the Workload controller wrote,
and a pending workload is nominated again on the picture of this moment, which tells whether it would fit now, whom it
would preempt, or what is missing where. Only then are amounts, holders and remedies added.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from argosy.api.objects.kueue.workloads import Workload
from argosy.api.objects.metadata import Condition
from argosy.queueing.explaining.holders import Holder
from argosy.queueing.explaining.looks import FlavorLook, Need
from argosy.queueing.explaining.remedies import Remedy
from argosy.queueing.preemption.targets import Target
from argosy.queueing.quotas.amounts import FlavorResource, Usage
from argosy.queueing.quotas.nodes import Node
from argosy.queueing.workloads.phases import Phase


class Outlook(StrEnum):
    """What would come of a look at a pending workload now."""

    # It is not pending.
    NONE = ""
    # Something other than quota is in the way.
    BLOCKED = "Blocked"
    # It fits, when it is its turn.
    FITS = "Fits"
    # It fits once others have gone, and may have them go.
    PREEMPTS = "Preempts"
    # It does not fit.
    WAITS = "Waits"


class Position(NamedTuple):
    """Where a workload stands in its ClusterQueue, from 0, and among how many; `ahead` is who comes right before it."""

    place: int
    length: int
    ahead: str = ""


@dataclass(slots=True, frozen=True)
class Level:
    """A node on the way from the ClusterQueue to the root, for one resource of one flavor."""

    kind: str
    name: str
    where: FlavorResource
    quota: int
    used: int
    free: int
    borrowing_limit: int | None
    lending_limit: int | None


@dataclass(slots=True, frozen=True)
class Said:
    """A condition's reason and message, and since when."""

    reason: str
    message: str
    since: datetime | None = None


@dataclass(slots=True)
class Explanation:
    """Everything there is to tell; what does not apply is empty."""

    workload: Workload
    phase: Phase
    cluster_queue: str
    # The cohorts above, the nearest first.
    cohorts: tuple[str, ...] = ()
    said: Said | None = None
    # What a look says now, where that differs.
    now: Said | None = None
    outlook: Outlook = Outlook.NONE
    position: Position | None = None
    is_strict: bool = False
    usage: Usage = field(default_factory=dict)
    looks: list[FlavorLook] = field(default_factory=list)
    levels: list[Level] = field(default_factory=list)
    holders: list[Holder] = field(default_factory=list)
    victims: list[Target] = field(default_factory=list)
    remedies: list[Remedy] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def key(self) -> str:
        meta = self.workload.metadata
        return f"{meta.namespace}/{meta.name}"


def said_by(condition: Condition | None) -> Said | None:
    if condition is None:
        return None
    return Said(condition.reason, condition.message, condition.last_transition_time)


def levels_of(node: Node, need: Need) -> list[Level]:
    """The way up for what is missing."""
    place = node.position(need.where)
    return [
        Level(
            "Cohort" if level.is_cohort else "ClusterQueue",
            level.name,
            need.where,
            level.subtree[place],
            level.usage[place],
            level.available_at(place),
            level.borrowing_limits[place],
            level.lending_limits[place],
        )
        for level in node.path()
    ]
