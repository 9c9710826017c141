"""A scenario as it is played: what there is, what happens, and when. Plain values; `reading` makes them of a file.

Times are seconds since the beginning of the scenario.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from argosy.base.types import Object
from argosy.control.assemblies import UPKEEP, Upkeep
from argosy.fleet.shapes import MemberShape
from argosy.member.applying.backoffs import PACE, Pace

# A Monday, so that weekends are where one expects them.
START: Final = datetime(2026, 1, 5, tzinfo=UTC)


@dataclass(slots=True, frozen=True)
class Distribution:
    """Of seconds or of numbers. `kind` says which of the others count; see `drawing`."""

    kind: str
    values: tuple[float, ...] = ()
    weights: tuple[float, ...] = ()
    least: float = 0.0
    most: float = float("inf")


@dataclass(slots=True, frozen=True)
class Burst:
    """So many jobs at once, again and again; `spread` seconds between the first and the last."""

    every: float
    size: int
    spread: float = 0.0
    first: float = 0.0


@dataclass(slots=True, frozen=True)
class Arrivals:
    """When jobs come: a Poisson process of `per_hour`, bent by the hour of the day and the weekend; bursts; a list."""

    per_hour: float = 0.0
    # The hour of the day with the most arrivals, and how far the quietest one is below the mean: 0 flat, 1 silent.
    peak_hour: float = 14.0
    swing: float = 0.0
    weekend: float = 1.0
    bursts: tuple[Burst, ...] = ()
    at: tuple[float, ...] = ()
    since: float = 0.0
    until: float = float("inf")


@dataclass(slots=True, frozen=True)
class Traced:
    """A line of a trace: it overrides what its stream says."""

    at: float
    seconds: float | None = None
    pods: int | None = None
    resources: dict[str, str] = field(default_factory=dict)
    name: str = ""


@dataclass(slots=True, frozen=True)
class Stream:
    """Jobs of one kind: whose they are, what they ask for, how they behave and where they may go.

    `manifest` is the text of what is created for each job instead of what `argosy submit` would create; see
    `manifests`. `spread`: on how many clusters at once each job is. `cluster`: where jobs are created without the hub.
    """

    name: str
    team: str
    kind: str = "Job"
    classed: str = ""
    namespace: str = "default"
    queue: str = ""
    priority: str = ""
    arrivals: Arrivals = Arrivals()
    trace: tuple[Traced, ...] = ()
    seconds: Distribution = Distribution("constant", (60.0,))
    pods: Distribution = Distribution("constant", (1.0,))
    resources: dict[str, str] = field(default_factory=dict)
    node_selector: dict[str, str] = field(default_factory=dict)
    tolerations: tuple[Object, ...] = ()
    failure_rate: float = 0.0
    retries: int = 6
    prefer: str = ""
    cluster_labels: dict[str, str] = field(default_factory=dict)
    reschedule: str = ""
    manifest: str = ""
    spread: int = 1
    cluster: str = ""


@dataclass(slots=True, frozen=True)
class Outage:
    """Clusters that cannot be reached by the hub, nor reach it, for a while."""

    clusters: tuple[str, ...]
    since: float
    until: float
    what: str = ""


@dataclass(slots=True, frozen=True)
class Change:
    """Objects applied on the hub at a moment: a queue with another quota, a cordoned pool."""

    at: float
    objects: tuple[Object, ...]
    what: str = ""


@dataclass(slots=True, frozen=True)
class Scenario:
    """All of it. `unit`: the resource that shares, use and money are counted by."""

    name: str
    path: Path
    horizon: float
    members: tuple[MemberShape, ...]
    streams: tuple[Stream, ...]
    description: str = ""
    seed: int = 1
    start: datetime = START
    unit: str = "cpu"
    settle: float = 60.0
    keep: float = 600.0
    objects: tuple[Object, ...] = ()
    outages: tuple[Outage, ...] = ()
    changes: tuple[Change, ...] = ()
    queueing: Object | None = None
    upkeep: Upkeep = UPKEEP
    pace: Pace = PACE
