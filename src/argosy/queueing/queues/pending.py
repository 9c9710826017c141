"""One ClusterQueue's pending workloads: those in line, those parked as inadmissible, and the one being looked at.

A workload is in exactly one of the three places. `pop` hands the first in line to the scheduler and remembers it as in
flight until it is requeued, deleted, or the next one is popped; updates of it meanwhile are not put in line. `requeue`
takes it back: in line if it deserves another look at once, else parked. Parked workloads return with the next flush.

A flush that happens while a workload is in flight must not be missed by it: `flush` notes which pop it followed, and a
workload that is requeued after a flush since its pop goes back in line. Where one workload failed for lack of room, the
others of its shape are parked with it, and those that arrive go straight there, until the next flush.

The workload that waits for its victims is sticky: it stays first, so that what they free is not taken by another; only
BestEffortFIFO needs that. Mirrors Kueue's `cluster_queue.go`. Laws: tests/unit/queueing/queues/test_pending_laws.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from argosy.queueing.queues.backoffs import is_backoff_over
from argosy.queueing.queues.changes import may_fare_differently
from argosy.queueing.queues.heaps import Heap, Lanes, Line
from argosy.queueing.queues.reasons import (
    BEST_EFFORT_FIFO,
    PENDING_EVALUATION,
    PREEMPTING,
    SHARED_BY_EQUIVALENTS,
    RequeueReason,
    is_immediate,
)
from argosy.queueing.queues.tallies import Tallies, Tally
from argosy.queueing.workloads.infos import Info


class Requeued(NamedTuple):
    """What came of a requeue: whether the workload was put anywhere, and the equivalent ones parked with it."""

    is_added: bool
    bypassed: tuple[Info, ...] = ()


NOT_REQUEUED = Requeued(is_added=False)


class PendingQueue:
    """The pending workloads of a ClusterQueue. With `usage_of`, its LocalQueues take turns by what they used."""

    __slots__ = (
        "_failed", "_flush_cycle", "_line", "_parked", "_pop_cycle", "_tallies",
        "in_flight", "name", "sticky", "strategy",
    )  # fmt: skip

    def __init__(
        self,
        name: str = "",
        strategy: str = BEST_EFFORT_FIFO,
        usage_of: Callable[[str], float] | None = None,
    ) -> None:
        self.name = name
        self.strategy = strategy
        self.in_flight: Info | None = None
        # The key of the workload that waits for its victims.
        self.sticky = ""
        self._line: Line = Heap() if usage_of is None else Lanes(usage_of)
        self._parked: dict[str, Info] = {}
        self._tallies = Tallies()
        # Shapes that did not fit since the last flush, with the reason their workloads are told.
        self._failed: dict[str, str] = {}
        self._pop_cycle = 0
        self._flush_cycle = -1

    # Coming and going.

    def push_or_update(self, info: Info, now: float) -> None:
        """A workload arrived or changed."""
        key = info.key
        if self.in_flight is not None and self.in_flight.key == key:
            return
        parked = self._parked.get(key)
        if parked is not None and not may_fare_differently(parked, info):
            self._park(info)
        elif self._line.get(key) is not None:
            self._line_up(info)
        elif not is_backoff_over(info.obj, now) or self._is_known_to_fail(info):
            self._park(info)
        else:
            self._line_up(info)

    def pop(self) -> Info | None:
        """Hand out the first in line. What was in flight before is no longer this queue's."""
        self._pop_cycle += 1
        self._land()
        info = self._line.pop()
        if info is not None:
            self.in_flight = info
            self._tallies.unshape(info)
        return info

    def requeue(
        self,
        info: Info,
        reason: RequeueReason,
        now: float,
        *,
        quota_reason: str = "",
        is_outdated: bool = False,
    ) -> Requeued:
        """Take back a workload that was not admitted, unless it is here already. `quota_reason` is what its condition
        will say; `is_outdated` that it changed while it was looked at, so that the verdict is not about it.
        """
        key = info.key
        self._mark_sticky(key, reason)
        if self.in_flight is not None and self.in_flight.key == key:
            self._land()
        if self._line.get(key) is not None:
            return NOT_REQUEUED
        if is_backoff_over(info.obj, now) and (is_outdated or self._deserves_a_look(info, reason)):
            self._line_up(info)
            return Requeued(is_added=True)
        if key in self._parked:
            return NOT_REQUEUED
        self._park(info)
        if is_outdated or reason not in SHARED_BY_EQUIVALENTS:
            return Requeued(is_added=True)
        return Requeued(is_added=True, bypassed=self._park_equivalents(info, quota_reason))

    def delete(self, key: str) -> None:
        """A workload waits here no longer, wherever it was."""
        if self.in_flight is not None and self.in_flight.key == key:
            self._land()
        waiting = self._line.discard(key)
        if waiting is not None:
            self._tallies.leave(waiting)
        parked = self._parked.pop(key, None)
        if parked is not None:
            self._tallies.leave_parking(parked)
        if self.sticky == key:
            self.sticky = ""

    def flush(self, now: float, takes: Callable[[str], bool]) -> int:
        """Put the parked workloads back in line, except those sent away and those from namespaces the ClusterQueue does
        not take. Returns how many.
        """
        self._flush_cycle = self._pop_cycle
        self._failed.clear()
        taken: dict[str, bool] = {}
        moving = []
        for info in self._parked.values():
            namespace = info.obj.metadata.namespace
            if namespace not in taken:
                taken[namespace] = takes(namespace)
            if taken[namespace] and is_backoff_over(info.obj, now):
                moving.append(info)
        for info in moving:
            self._line_up(info)
        return len(moving)

    def reorder(self, usage_of: Callable[[str], float] | None) -> None:
        """The order is another from now on."""
        waiting = list(self._line)
        self._line = Heap() if usage_of is None else Lanes(usage_of)
        for info in waiting:
            self._line.put(info, is_sticky=info.key == self.sticky)

    # Looking.

    @property
    def is_poppable(self) -> bool:
        """Whether a pop would change anything."""
        return self.in_flight is not None or len(self._line) > 0

    @property
    def head(self) -> str | None:
        """The key of the one that a pop would hand out."""
        return self._line.head()

    @property
    def active(self) -> int:
        """How many are in line or being looked at."""
        return len(self._line) + (self.in_flight is not None)

    @property
    def inadmissible(self) -> int:
        """How many are parked."""
        return len(self._parked)

    def __len__(self) -> int:
        return self.active + self.inadmissible

    def __iter__(self) -> Iterator[Info]:
        """All of them, in no order."""
        yield from self._line
        yield from self._parked.values()
        if self.in_flight is not None:
            yield self.in_flight

    def tally(self, local_queue: str) -> Tally:
        """How many workloads of a LocalQueue are active and inadmissible here."""
        return self._tallies.of(local_queue)

    def shapes(self) -> Tally:
        """How many different shapes the workloads in line and the parked ones have."""
        parked = {info.scheduling_hash for info in self._parked.values()}
        return Tally(self._tallies.shapes_in_line, len(parked))

    def get(self, key: str) -> Info | None:
        """A workload, wherever it is."""
        if self.in_flight is not None and self.in_flight.key == key:
            return self.in_flight
        return self._line.get(key) or self._parked.get(key)

    def in_line(self) -> Iterator[Info]:
        return iter(self._line)

    def parked(self) -> Iterator[Info]:
        return iter(self._parked.values())

    def ordered(self) -> list[Info]:
        """All of them as they would be popped, the parked ones and the one in flight included."""
        return sorted(self, key=lambda one: self._line.place(one, is_sticky=one.key == self.sticky))

    def bypass_reason(self, key: str) -> str:
        """Why an equivalent workload failed, for one that is parked because of that; empty for others."""
        info = self._parked.get(key)
        return "" if info is None else self._failed.get(info.scheduling_hash, "")

    def has_failed(self, scheduling_hash: str) -> bool:
        """Whether workloads of this shape are parked without a look."""
        return scheduling_hash in self._failed

    # The rules.

    def _deserves_a_look(self, info: Info, reason: RequeueReason) -> bool:
        """Whether trying again at once may end otherwise."""
        last = info.last_assignment
        return (
            is_immediate(reason, self.strategy)
            or self._flush_cycle >= self._pop_cycle
            or (last is not None and last.has_pending_flavors)
        )

    def _is_known_to_fail(self, info: Info) -> bool:
        return self.strategy == BEST_EFFORT_FIFO and info.scheduling_hash in self._failed

    def _park_equivalents(self, info: Info, quota_reason: str) -> tuple[Info, ...]:
        shape = info.scheduling_hash
        if self.strategy != BEST_EFFORT_FIFO or not shape:
            return ()
        self._failed[shape] = quota_reason or PENDING_EVALUATION
        found = [self._line.get(key) for key in self._tallies.in_line(shape)]
        equivalents = tuple(one for one in found if one is not None)
        for one in equivalents:
            self._park(one)
        return equivalents

    def _mark_sticky(self, key: str, reason: RequeueReason) -> None:
        old = self.sticky
        if reason in PREEMPTING:
            self.sticky = key if self.strategy == BEST_EFFORT_FIFO else ""
        elif old == key:
            self.sticky = ""
        for changed in {old, self.sticky} if old != self.sticky else ():
            info = self._line.get(changed)
            if info is not None:
                self._line.put(info, is_sticky=changed == self.sticky)

    # The places.

    def _line_up(self, info: Info) -> None:
        parked = self._parked.pop(info.key, None)
        if parked is not None:
            self._tallies.leave_parking(parked)
        else:
            old = self._line.get(info.key)
            if old is not None:
                self._tallies.leave(old)
        self._line.put(info, is_sticky=info.key == self.sticky)
        self._tallies.enter(info)

    def _park(self, info: Info) -> None:
        old = self._line.discard(info.key)
        if old is not None:
            self._tallies.leave(old)
        parked = self._parked.get(info.key)
        if parked is not None:
            self._tallies.leave_parking(parked)
        self._parked[info.key] = info
        self._tallies.enter_parking(info)

    def _land(self) -> None:
        """Nothing is in flight any more."""
        if self.in_flight is not None:
            self._tallies.land(self.in_flight)
            self.in_flight = None
