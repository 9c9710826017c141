"""How the jobs of a burst are spread: one line while it goes on, and a table at its end. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from statistics import median
from typing import Final

from argosy.sdk.clusters import Cluster
from argosy.sdk.jobs import ENDED, FleetJob, JobState
from argosy.sdk.tables import table

_HEAD: Final = ("CLUSTER", "JOBS", "COMPLETE", "WAIT MEDIAN", "WAIT MOST", "RUN MEDIAN", "RUN MOST")


class Starts:
    """When jobs were seen to have started: of one that has ended, not everybody can tell any more."""

    def __init__(self) -> None:
        self._seen: dict[str, datetime] = {}

    def filled(self, jobs: Sequence[FleetJob]) -> list[FleetJob]:
        """The jobs, with what was seen of them before."""
        self._seen |= {each.name: each.started for each in jobs if each.started is not None}
        return [
            replace(each, started=self._seen.get(each.name)) if each.started is None else each
            for each in jobs
        ]


class Spread:
    """Jobs and clusters at one moment."""

    def __init__(self, jobs: Sequence[FleetJob], clusters: Sequence[Cluster]) -> None:
        self.jobs = jobs
        self._clusters = clusters
        self._states = Counter(each.state for each in jobs)

    @property
    def ended(self) -> int:
        return sum(self._states[state] for state in ENDED)

    @property
    def failed(self) -> int:
        return self._states[JobState.FAILED] + self._states[JobState.CANCELLED]

    def line(self, submitted: int) -> str:
        running = Counter(
            name for each in self.jobs if each.state == JobState.RUNNING for name in each.clusters
        )
        waiting = len(self.jobs) - self.ended - self._states[JobState.RUNNING]
        where = "  ".join(f"{each.name} {running[each.name]}" for each in self._clusters)
        return (
            f"submitted {submitted}  waiting {waiting}  running {running.total()} ({where})  "
            f"ended {self.ended}"
        )


def summary(jobs: Sequence[FleetJob], seconds: float) -> list[str]:
    """A row per cluster and one for all of them."""
    names = sorted({name for each in jobs for name in each.clusters})
    rows = [_row(name, [each for each in jobs if name in each.clusters]) for name in names]
    lines = table([_HEAD, *rows, _row("all", jobs)]).splitlines()
    rate = len(jobs) / seconds if seconds else 0.0
    return [
        *lines,
        f"{len(jobs)} jobs in {seconds:.0f} s: {rate:.1f} a second from submission to end",
    ]


def _row(name: str, jobs: Sequence[FleetJob]) -> tuple[str, ...]:
    # All have ended: what it is now does not count.
    now = datetime.now(UTC)
    waits = [wait for each in jobs if (wait := each.wait_seconds(now)) is not None]
    runs = [run for each in jobs if (run := each.run_seconds(now)) is not None]
    complete = sum(each.state == JobState.COMPLETE for each in jobs)
    numbers = (_told(waits, median), _told(waits, max), _told(runs, median), _told(runs, max))
    return (name, str(len(jobs)), str(complete), *numbers)


def _told(seconds: Sequence[float], of: Callable[[Sequence[float]], float]) -> str:
    return f"{of(seconds):.0f}s" if seconds else "-"
