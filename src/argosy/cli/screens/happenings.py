"""What happened last, as many as a screen may want to show, the newest by time.

It is told by how things read (a job that ran and is complete now, a cluster that has fallen silent), by the Warnings of
hub and members, and by what the program itself logs. What goes well on a cluster is not told: ten thousand pods start
every minute.
"""

from __future__ import annotations

import heapq
import logging
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from argosy.base.clock import Clock
from argosy.base.repeats import Repeats
from argosy.cli.screens.pictures import Happening
from argosy.client.objects import Raw, decode
from argosy.sdk.connections import HUB
from argosy.sdk.events import read_event
from argosy.sdk.jobs import FleetJob, JobState

_REMEMBERED: Final = 200


class Happenings:
    """Those of one screen."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._heap: list[tuple[datetime, int, Happening]] = []
        self._number = 0

    def newest_first(self) -> list[Happening]:
        return [each for _, _, each in sorted(self._heap, key=lambda each: each[:2], reverse=True)]

    def add(self, happening: Happening) -> None:
        self._number += 1
        entry = (happening.time, self._number, happening)
        if len(self._heap) < _REMEMBERED:
            heapq.heappush(self._heap, entry)
        else:
            heapq.heappushpop(self._heap, entry)

    def tell(self, where: str, what: str, text: str, *, is_trouble: bool = False) -> None:
        """Now."""
        self.add(Happening(self._clock.now(), where, what, text, is_trouble))

    def tell_event(self, cluster: str, raw: Raw) -> None:
        event = read_event(cluster, decode(raw))
        if event.time is None:
            return
        # What has no namespace has its events in `default`.
        is_plain = event.namespace in {"", "default"}
        what = event.object if is_plain else f"{event.namespace}/{event.object}"
        text = f"{event.reason}: {event.message}" if event.message else event.reason
        self.add(Happening(event.time, cluster, what, text, is_trouble=True))

    def tell_job(self, had: FleetJob | None, job: FleetJob) -> None:
        """A job reads differently, or is new."""
        if had is not None and (had.state, had.clusters) == (job.state, job.clusters):
            return
        is_change = had is not None and had.state != job.state
        text = f"{had.state} -> {job.state}" if had is not None and is_change else str(job.state)
        is_trouble = job.state is JobState.FAILED
        if is_trouble and job.message:
            text += f": {job.message}"
        self.tell(_where(job), _title(job), text, is_trouble=is_trouble)

    def tell_past(self, job: FleetJob) -> None:
        """What last became of a job that was there from the start."""
        time = job.ended or job.started
        if time is not None:
            is_trouble = job.state is JobState.FAILED
            self.add(Happening(time, _where(job), _title(job), str(job.state), is_trouble))


class HappeningHandler(logging.Handler):
    """Warnings and errors of this program among what happened. Whether a cluster answers is told by who follows it; its
    connections need not add to that.
    """

    def __init__(self, add: Callable[[Happening], None]) -> None:
        super().__init__(logging.WARNING)
        self._add = add
        self.addFilter(Repeats())
        self.addFilter(lambda record: not record.name.startswith("argosy.client."))

    def tell_to(self, add: Callable[[Happening], None]) -> None:
        self._add = add

    def emit(self, record: logging.LogRecord) -> None:
        time = datetime.fromtimestamp(record.created, UTC)
        what = record.name.removeprefix("argosy.")
        self._add(Happening(time, "argosy", what, record.getMessage(), is_trouble=True))


def _where(job: FleetJob) -> str:
    return ",".join(job.clusters) or HUB


def _title(job: FleetJob) -> str:
    return f"{job.namespace}/{job.name}"
