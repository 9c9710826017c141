"""How a job stands on all the clusters it was placed on. Pure.

A placement says where its objects go (its status names the clusters) and whether it found as many as it wants
(`Scheduled`); Works say how each job fares there. A job may be selected by several placements; it is on the clusters of
all of them. It is over when every placement has what it wants and the job has ended on every cluster. So a job that
waits for a second cluster is not over, however well it did on the first.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from argosy.api.objects.fleet.outcomes import earliest, started_at
from argosy.api.objects.fleet.placements import Placement
from argosy.api.objects.fleet.snapshots import SCHEDULED
from argosy.api.objects.history import JobOutcome, JobRecord
from argosy.api.objects.metadata import Condition, find_condition

# Clocks of hub and members that differ by more agree on no certificate either.
_SKEW: Final = timedelta(minutes=5)


class Run(NamedTuple):
    """A job on one cluster; `outcome` is what its Work says of it, None while it says nothing."""

    cluster: str
    outcome: Condition | None = None

    @property
    def is_over(self) -> bool:
        return self.outcome is not None and self.outcome.status == "True"

    @property
    def started(self) -> datetime | None:
        return started_at(self.outcome) if self.outcome is not None else None

    @property
    def ended(self) -> datetime | None:
        return self.outcome.last_transition_time if self.outcome and self.is_over else None


class Standing(NamedTuple):
    """`placement` is the title of the first that selects the job. `is_decided`: no placement looks for clusters."""

    placement: str = ""
    runs: tuple[Run, ...] = ()
    is_decided: bool = False

    @property
    def is_placed(self) -> bool:
        return bool(self.runs)

    @property
    def is_over(self) -> bool:
        return self.is_decided and self.is_placed and all(each.is_over for each in self.runs)

    @property
    def clusters(self) -> tuple[str, ...]:
        return tuple(sorted({each.cluster for each in self.runs}))

    @property
    def started(self) -> datetime | None:
        return earliest(each.started for each in self.runs)


def without_earlier(
    standing: Standing, created: datetime | None, previous: JobRecord | None
) -> Standing:
    """How a job stands that was created then, if the one before it that had its name is remembered so.

    A member may still have that one, and tell how it ended: where the new one cannot be put in its place, for ever.
    """
    runs = tuple(
        run._replace(outcome=None) if _is_earlier(run, created, previous) else run
        for run in standing.runs
    )
    return standing._replace(runs=runs)


def _is_earlier(run: Run, created: datetime | None, previous: JobRecord | None) -> bool:
    if created is not None and run.ended is not None and run.ended + _SKEW < created:
        return True
    if previous is None or run.started is None or run.cluster not in previous.clusters:
        return False
    if run.started == previous.started:
        return True
    # When a cancelled one ended is a time of the hub.
    is_told = previous.outcome != JobOutcome.CANCELLED and previous.ended is not None
    return is_told and run.started < previous.ended  # type: ignore[operator]  # is_told


def clusters_of(placement: Placement) -> tuple[str, ...]:
    """Those a placement has picked."""
    told = (each.cluster_name for each in placement.status.placement_statuses)
    return tuple(name for name in told if name)


def is_decided(placement: Placement) -> bool:
    """Whether a placement has all the clusters that it wants now."""
    kind = "ResourcePlacement" if placement.metadata.namespace else "ClusterResourcePlacement"
    said = find_condition(placement.status.conditions, kind + SCHEDULED)
    return (
        said is not None
        and said.status == "True"
        and said.observed_generation >= placement.metadata.generation
    )


def title(placement: Placement) -> str:
    """As the history writes it: rp/NAME, of the job's namespace, or crp/NAME."""
    return f"{'rp' if placement.metadata.namespace else 'crp'}/{placement.metadata.name}"


def ranked(placements: Iterable[Placement]) -> list[Placement]:
    """The one a job is said to belong to comes first: of its namespace, then the oldest."""
    return sorted(placements, key=_rank)


def _rank(placement: Placement) -> tuple[bool, float, str]:
    meta = placement.metadata
    created = meta.creation_timestamp.timestamp() if meta.creation_timestamp is not None else 0.0
    return not meta.namespace, created, meta.name
