"""JobHistory: how the jobs of a namespace ended, kept on the hub when the jobs themselves have long gone.

One object holds up to a few hundred records, so that a day of jobs is a handful of objects, and `kubectl get
jobhistories` a handful of lines. A record is written once, when its job has ended, and never changed; a job is known by
its uid on the hub.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Final

from argosy.api.objects.metadata import ObjectMeta, View

# How long after its end a Job or a placement may stay on the hub: a duration such as 10m (an annotation of either).
KEEP: Final = "argosy.dev/keep-after-end"


class JobOutcome(StrEnum):
    """What became of a job."""

    COMPLETE = "Complete"
    FAILED = "Failed"
    CANCELLED = "Cancelled"


class JobRecord(View, frozen=True):
    """One job that has ended. `placement` is `rp/NAME`, of the job's namespace, or `crp/NAME`.

    `pods`, `cpu` and `memory` are of one run of the job; one that ran on several clusters ran on each of them. `price`
    is of all of them together, and None where a cluster told no prices or nothing ran.
    """

    kind: str = ""
    api_version: str = ""
    name: str = ""
    uid: str = ""
    queue: str = ""
    clusters: tuple[str, ...] = ()
    placement: str = ""
    outcome: str = ""
    message: str = ""
    created: datetime | None = None
    # None for a job that was cancelled before it ran.
    started: datetime | None = None
    ended: datetime | None = None
    pods: int = 0
    cpu: str = "0"
    memory: str = "0"
    price: float | None = None


class HistorySummary(View, frozen=True):
    """The records of one object, counted. `forgotten_until`: what ended by then may have been dropped."""

    jobs: int = 0
    complete: int = 0
    failed: int = 0
    cancelled: int = 0
    first_ended: datetime | None = None
    last_ended: datetime | None = None
    forgotten_until: datetime | None = None


class JobHistory(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    summary: HistorySummary = HistorySummary()
    records: tuple[JobRecord, ...] = ()
