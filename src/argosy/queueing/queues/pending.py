"""One ClusterQueue's pending workloads: those in line, those parked as inadmissible, and the one being looked at.

A workload is in exactly one of the three places. `pop` hands the first in line to the scheduler and remembers it as in
flight until it is requeued, deleted, or the next one is popped; updates of it meanwhile are not put in line. `requeue`
takes it back: in line if it deserves another look at once, else parked. Parked workloads return with the next flush.

A flush that happens while a workload is in flight must not be missed by it: `flush` notes which pop it followed, and a
workload that is requeued after a flush since its pop goes back in line. Where one workload failed for lack of room, the
others of its shape are parked with it, and those that arrive go straight there, until the next flush: these sleep in
the line (`lines`), so that parking and flushing thousands of them costs next to nothing.

The workload that waits for its victims is sticky: it stays first, so that what they free is not taken by another; only
BestEffortFIFO needs that. Mirrors Kueue's `cluster_queue.go`. Laws: tests/unit/queueing/queues/test_pending_laws.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from argosy.queueing.queues.backoffs import is_backoff_over
from argosy.queueing.queues.changes import may_fare_differently
from argosy.queueing.queues.lines import Line
from argosy.queueing.queues.reasons import (
    BEST_EFFORT_FIFO,
    PENDING_EVALUATION,
    PREEMPTING,
    SHARED_BY_EQUIVALENTS,
    RequeueReason,
    is_immediate,
)
from argosy.queueing.queues.tallies import Tally
from argosy.queueing.workloads.infos import Info


class PendingQueue:
    """The pending workloads of a ClusterQueue. With `usage_of`, its LocalQueues take turns by what they used."""

    __slots__ = (
        "_failed", "_flush_cycle", "_line", "_parked", "_parked_tally", "_pop_cycle",
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
        self._line = Line(usage_of)
        # Those that were sent away for a reason of their own, and how many they are by LocalQueue.
        self._parked: dict[str, Info] = {}
        self._parked_tally: Counter[str] = Counter()
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
        old = self._at_rest(key)
        if old is not None and not may_fare_differently(old, info):
            if key in self._parked:
                self._park(info)
            else:
                self._line.put(info)
        elif self._line.get(key) is not None and old is None:
            self._line_up(info)
        elif not is_backoff_over(info.obj, now):
            self._park(info)
        elif self._is_known_to_fail(info):
            self._unpark(key)
            self._line.put(info)
        else:
            self._line_up(info)

    def pop(self) -> Info | None:
        """Hand out the first in line. What was in flight before is no longer this queue's."""
        self._pop_cycle += 1
        self.in_flight = self._line.pop()
        return self.in_flight

    def requeue(
        self,
        info: Info,
        reason: RequeueReason,
        now: float,
        *,
        quota_reason: str = "",
        is_outdated: bool = False,
    ) -> bool:
        """Take back a workload that was not admitted; whether it was not here already. `quota_reason` is what its
        condition will say; `is_outdated` that it changed while it was looked at, so that the verdict is not about it.
        """
        key = info.key
        self._mark_sticky(key, reason)
        if self.in_flight is not None and self.in_flight.key == key:
            self.in_flight = None
        at_rest = self._at_rest(key) is not None
        if self._line.get(key) is not None and not at_rest:
            return False
        if is_backoff_over(info.obj, now) and (is_outdated or self._deserves_a_look(info, reason)):
            self._line_up(info)
            return True
        if at_rest:
            return False
        shape = info.scheduling_hash
        is_shared = not is_outdated and reason in SHARED_BY_EQUIVALENTS and bool(shape)
        if is_shared and self.strategy == BEST_EFFORT_FIFO:
            self._failed[shape] = quota_reason or PENDING_EVALUATION
            self._line.sleep(shape)
        if is_shared and self._line.sleeps(shape) and is_backoff_over(info.obj, now):
            self._line.put(info)
        else:
            self._park(info)
        return True

    def delete(self, key: str) -> None:
        """A workload waits here no longer, wherever it was."""
        if self.in_flight is not None and self.in_flight.key == key:
            self.in_flight = None
        self._line.discard(key)
        self._unpark(key)
        if self.sticky == key:
            self.sticky = ""

    def flush(self, now: float, takes: Callable[[str], bool]) -> int:
        """Put the parked workloads back in line, except those sent away and those from namespaces the ClusterQueue does
        not take. Returns how many.
        """
        self._flush_cycle = self._pop_cycle
        self._failed.clear()
        self._part_from(takes)
        moved = self._line.wake()
        taken: dict[str, bool] = {}
        for info in list(self._parked.values()):
            namespace = info.obj.metadata.namespace
            if namespace not in taken:
                taken[namespace] = takes(namespace)
            if taken[namespace] and is_backoff_over(info.obj, now):
                self._line_up(info)
                moved += 1
        return moved

    def _part_from(self, takes: Callable[[str], bool]) -> None:
        """Park those apart that sleep and belong here no longer."""
        namespaces = {name.partition("/")[0] for name in self._line.sleeping_local_queues()}
        strangers = {name for name in namespaces if not takes(name)}
        if strangers:
            for info in list(self._line.infos(asleep=True)):
                if info.obj.metadata.namespace in strangers:
                    self._park(info)

    def reorder(self, usage_of: Callable[[str], float] | None) -> None:
        """The order is another from now on."""
        awake, asleep = (list(self._line.infos(asleep=which)) for which in (False, True))
        self._line = Line(usage_of)
        for info in asleep:
            self._line.sleep(info.scheduling_hash)
            self._line.put(info)
        for info in awake:
            self._line_up(info)

    # Looking.

    @property
    def is_poppable(self) -> bool:
        """Whether a pop would change anything."""
        return self.in_flight is not None or self._line.awake > 0

    @property
    def head(self) -> str | None:
        """The key of the one that a pop would hand out."""
        return self._line.head()

    @property
    def active(self) -> int:
        """How many are in line or being looked at."""
        return self._line.awake + (self.in_flight is not None)

    @property
    def inadmissible(self) -> int:
        """How many are parked."""
        return len(self._parked) + self._line.asleep

    def __len__(self) -> int:
        return self.active + self.inadmissible

    def __iter__(self) -> Iterator[Info]:
        """All of them, in no order."""
        yield from self.in_line()
        yield from self.parked()
        if self.in_flight is not None:
            yield self.in_flight

    def tally(self, local_queue: str) -> Tally:
        """How many workloads of a LocalQueue are active and inadmissible here."""
        awake, asleep = self._line.tally(local_queue)
        flying = self.in_flight is not None and self.in_flight.local_queue == local_queue
        return Tally(awake + flying, asleep + self._parked_tally[local_queue])

    def shapes(self) -> Tally:
        """How many different shapes the workloads in line and the parked ones have."""
        parked = {info.scheduling_hash for info in self._parked.values()}
        return Tally(
            len(self._line.shapes(asleep=False)), len(parked | self._line.shapes(asleep=True))
        )

    def get(self, key: str) -> Info | None:
        """A workload, wherever it is."""
        if self.in_flight is not None and self.in_flight.key == key:
            return self.in_flight
        return self._line.get(key) or self._parked.get(key)

    def in_line(self) -> Iterator[Info]:
        return self._line.infos(asleep=False)

    def parked(self) -> Iterator[Info]:
        yield from self._parked.values()
        yield from self._line.infos(asleep=True)

    def ordered(self) -> list[Info]:
        """All of them as they would be popped, the parked ones and the one in flight included."""
        return sorted(self, key=lambda one: self._line.place(one, is_sticky=one.key == self.sticky))

    def bypass_reason(self, key: str) -> str:
        """Why an equivalent workload failed, for one that is parked because of that; empty for others."""
        info = self._at_rest(key)
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

    def _mark_sticky(self, key: str, reason: RequeueReason) -> None:
        old = self.sticky
        if reason in PREEMPTING:
            self.sticky = key if self.strategy == BEST_EFFORT_FIFO else ""
        elif old == key:
            self.sticky = ""
        for changed in {old, self.sticky} if old != self.sticky else ():
            info = self._line.get(changed)
            if info is not None and not self._line.is_asleep(changed):
                self._line_up(info)

    # The places.

    def _at_rest(self, key: str) -> Info | None:
        """A workload that is parked: by itself, or asleep with its like."""
        parked = self._parked.get(key)
        if parked is None and self._line.is_asleep(key):
            return self._line.get(key)
        return parked

    def _line_up(self, info: Info) -> None:
        """Have a workload looked at, whatever its like do."""
        self._unpark(info.key)
        self._line.put(
            info,
            is_sticky=info.key == self.sticky,
            alone=self._line.sleeps(info.scheduling_hash),
        )

    def _park(self, info: Info) -> None:
        self._line.discard(info.key)
        self._unpark(info.key)
        self._parked[info.key] = info
        self._parked_tally[info.local_queue] += 1

    def _unpark(self, key: str) -> None:
        info = self._parked.pop(key, None)
        if info is not None:
            self._parked_tally[info.local_queue] -= 1
