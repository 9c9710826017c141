"""A job of the fleet as its users see it, wherever it runs and whether it is still there.

    Unplaced ──┐
    Placing ───┴─> Queued ──> Running ──> Complete | Failed
       any of them ──> Cancelled, when it was deleted before its end; Suspended, when somebody holds it back

Everything comes from the hub: the object, its placement, and the JobHistory, which keeps what has gone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final


class JobState(StrEnum):
    """Where a job stands."""

    UNPLACED = "Unplaced"
    PLACING = "Placing"
    QUEUED = "Queued"
    RUNNING = "Running"
    COMPLETE = "Complete"
    FAILED = "Failed"
    CANCELLED = "Cancelled"
    SUSPENDED = "Suspended"


ENDED: Final = frozenset((JobState.COMPLETE, JobState.FAILED, JobState.CANCELLED))


@dataclass(slots=True, frozen=True)
class FleetJob:
    """One job. Times are UTC; what has not happened is None."""

    namespace: str
    name: str
    kind: str
    state: JobState
    queue: str = ""
    clusters: tuple[str, ...] = ()
    message: str = ""
    pods: int = 0
    created: datetime | None = None
    started: datetime | None = None
    ended: datetime | None = None
    # The ResourcePlacement (in the job's namespace) or ClusterResourcePlacement that brings it to its clusters.
    placement: str = ""
    # The object is gone; the JobHistory remembers it.
    from_history: bool = False
    api_version: str = ""
    uid: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    # What an hour of it costs on the clusters it is on, in the fleet's currency; None where no price is known.
    price_per_hour: float | None = None
    # What it has cost in all, where the history says so.
    price_paid: float | None = None

    @property
    def key(self) -> tuple[str, str]:
        return self.namespace, self.name

    @property
    def is_ended(self) -> bool:
        return self.state in ENDED

    def wait_seconds(self, now: datetime) -> float | None:
        """From its creation to its start; so far, if it has not started; None if nobody knows when that was."""
        is_unknown = self.started is None and self.state in {JobState.COMPLETE, JobState.FAILED}
        if self.created is None or is_unknown:
            return None
        until = self.started or self.ended or now
        return max(0.0, (until - self.created).total_seconds())

    def run_seconds(self, now: datetime) -> float | None:
        """From its start to its end; so far, if it runs; None if it never started."""
        if self.started is None:
            return None
        return max(0.0, ((self.ended or now) - self.started).total_seconds())

    def price(self, now: datetime) -> float | None:
        """What it has cost so far: what it asks for, at its clusters' prices, for as long as it has run."""
        if self.price_paid is not None:
            return self.price_paid
        ran = self.run_seconds(now)
        if self.price_per_hour is None or ran is None:
            return None
        return self.price_per_hour * ran / 3600
