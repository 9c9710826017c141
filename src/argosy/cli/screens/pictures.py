"""A fleet at one moment, as it is to be shown. Values only; the order of jobs is that of the screen."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from argosy.sdk.clusters import Cluster
from argosy.sdk.jobs import ENDED, FleetJob, JobState
from argosy.sdk.queues import Queue, QueueUse

_RANKS: Final = {
    JobState.RUNNING: 0,
    JobState.UNPLACED: 1,
    JobState.PLACING: 2,
    JobState.QUEUED: 2,
    JobState.SUSPENDED: 3,
}
_ENDED_RANK: Final = 4
_NUMBERS: Final = re.compile(r"(\d+)")


@dataclass(slots=True, frozen=True)
class Happening:
    """Something that happened: to a job, to a cluster, or to the program that shows it."""

    time: datetime
    where: str
    what: str
    text: str
    is_trouble: bool = False


@dataclass(slots=True, frozen=True)
class Picture:
    """`problems` says of a cluster why it cannot be asked (`hub` is the hub); `happenings` begin with the last."""

    clusters: Sequence[Cluster] = ()
    queues: Sequence[Queue] = ()
    jobs: Sequence[FleetJob] = ()
    happenings: Sequence[Happening] = ()
    problems: Mapping[str, str] = field(default_factory=dict)
    counts: Mapping[JobState, int] = field(default_factory=dict)


def picture_of(
    clusters: Iterable[Cluster],
    queues: Iterable[Queue],
    jobs: Iterable[FleetJob],
    happenings: Iterable[Happening] = (),
    problems: Mapping[str, str] | None = None,
) -> Picture:
    """Everything in its order."""
    ordered = sorted(jobs, key=job_order)
    return Picture(
        sorted(clusters, key=lambda each: natural(each.name)),
        sorted(queues, key=lambda each: (natural(each.name), natural(each.cluster))),
        ordered,
        sorted(happenings, key=lambda each: each.time, reverse=True),
        problems or {},
        Counter(each.state for each in ordered),
    )


def job_order(job: FleetJob) -> tuple[int, float, str, str]:
    """What runs, the latest first; what waits, the longest wait first; what has ended, the latest first."""
    rank = _RANKS.get(job.state, _ENDED_RANK)
    time = job.started if rank == 0 else job.ended if rank == _ENDED_RANK else None
    if time is None:
        time = job.created
    seconds = time.timestamp() if time is not None else 0.0
    is_newest_first = rank in {0, _ENDED_RANK}
    return rank, -seconds if is_newest_first else seconds, job.namespace, job.name


def natural(name: str) -> tuple[tuple[str, int], ...]:
    """For sorting: cluster-2 is before cluster-10."""
    parts = _NUMBERS.split(name)
    numbers = [*parts[1::2], ""]
    return tuple(
        (text, int(number[:18] or -1)) for text, number in zip(parts[::2], numbers, strict=True)
    )


def is_ended(state: JobState) -> bool:
    return state in ENDED


def over_clusters(queues: Iterable[Queue]) -> list[tuple[Queue, int]]:
    """Queues of the same name as one, and on how many clusters it is; those with something in them first."""
    by_name: dict[str, list[Queue]] = {}
    for queue in queues:
        by_name.setdefault(queue.name, []).append(queue)
    found = [(_summed(same), len(same)) for same in by_name.values()]
    return sorted(found, key=lambda each: (_is_idle(each[0]), natural(each[0].name)))


def _is_idle(queue: Queue) -> bool:
    return queue.pending + queue.reserving + queue.admitted == 0


def _summed(queues: Sequence[Queue]) -> Queue:
    first = queues[0]
    stopped = [each for each in queues if not each.is_active]
    return Queue(
        first.cluster if len(queues) == 1 else "",
        first.name,
        first.cohort,
        sum(each.pending for each in queues),
        sum(each.reserving for each in queues),
        sum(each.admitted for each in queues),
        tuple(use for queue in queues for use in queue.uses),
        first.weight,
        not stopped,
        stopped[0].message if stopped else "",
    )


def by_resource(uses: Iterable[QueueUse]) -> dict[str, QueueUse]:
    """What is used of a resource, over all its flavors."""
    found: dict[str, QueueUse] = {}
    for use in uses:
        had = found.get(use.resource)
        if had is None:
            found[use.resource] = use
        else:
            found[use.resource] = QueueUse(
                "",
                use.resource,
                had.used + use.used,
                had.nominal + use.nominal,
                had.borrowed + use.borrowed,
            )
    return found
