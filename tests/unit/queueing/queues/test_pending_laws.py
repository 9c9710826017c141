"""A ClusterQueue's pending workloads against a list kept the naive way: nothing lost, nothing twice, in order."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from argosy.queueing.queues.heaps import rank_of
from argosy.queueing.queues.pending import PendingQueue
from argosy.queueing.queues.reasons import BEST_EFFORT_FIFO, STRICT_FIFO, RequeueReason
from argosy.queueing.workloads.infos import Info, LastAssignment
from tests.unit.queueing.queues.builders import NOW, info

NAMES = st.sampled_from([f"w{number}" for number in range(6)])
SHAPES = st.sampled_from(["small", "large", ""])
SELDOM = st.sampled_from([False, False, False, True])
IMMEDIATE = {
    RequeueReason.FAILED_AFTER_NOMINATION,
    RequeueReason.PENDING_PREEMPTION,
    RequeueReason.PENDING_MIGRATION,
    RequeueReason.PREEMPTION_FAILED,
}


@dataclass
class Waiting:
    """A workload of the model, and whether it is parked."""

    info: Info
    is_parked: bool


class Pending(RuleBasedStateMachine):
    """The queue beside a plain dict, scanned from end to end at every step."""

    @initialize(strategy=st.sampled_from([BEST_EFFORT_FIFO, STRICT_FIFO]), fair=st.booleans())
    def start(self, strategy: str, fair: bool) -> None:
        self.usage: dict[str, float] = {}
        self.fair = fair
        self.strategy = strategy
        usage_of = (lambda queue: self.usage.get(queue, 0.0)) if fair else None
        self.queue = PendingQueue("cq", strategy, usage_of)
        self.now = NOW
        self.model: dict[str, Waiting] = {}
        self.flight: Info | None = None
        self.failed: set[str] = set()
        self.sticky = ""
        self.is_flushed_since_pop = False
        self.versions = 0

    @rule(
        name=NAMES,
        queue=st.sampled_from(["a", "b"]),
        priority=st.integers(-1, 1),
        shape=SHAPES,
        wait=st.sampled_from([None, None, None, 5.0]),
        is_new=st.booleans(),
    )
    def put(
        self, name: str, queue: str, priority: int, shape: str, wait: float | None, is_new: bool
    ) -> None:
        old = self.model.get(f"ns/{name}")
        if old is not None and not is_new:
            self.queue.push_or_update(old.info, self.now)
            return
        self.versions += 1
        until = None if wait is None else self.now + wait
        one = info(
            name,
            queue,
            priority=priority,
            shape=shape,
            requeue_at=until,
            generation=self.versions,
        )
        self.queue.push_or_update(one, self.now)
        if self.flight is not None and self.flight.key == one.key:
            return
        in_line = old is not None and not old.is_parked
        knows = self.strategy == BEST_EFFORT_FIFO and shape in self.failed
        self.model[one.key] = Waiting(one, not in_line and (until is not None or knows))

    @rule()
    def pop(self) -> None:
        got = self.queue.pop()
        in_line = [one.info for one in self.model.values() if not one.is_parked]
        want = min(in_line, key=self.order, default=None)
        assert got is want
        self.flight = want
        self.is_flushed_since_pop = False
        if want is not None:
            del self.model[want.key]

    @precondition(lambda self: self.flight is not None)
    @rule(reason=st.sampled_from(RequeueReason), has_more_flavors=SELDOM, is_outdated=SELDOM)
    def requeue(self, reason: RequeueReason, has_more_flavors: bool, is_outdated: bool) -> None:
        one = self.flight
        assert one is not None
        tried = ({"cpu": 0 if has_more_flavors else -1},)
        one.last_assignment = LastAssignment(tried, 1)
        got = self.queue.requeue(one, reason, self.now, is_outdated=is_outdated)
        self.flight = None
        if reason in (RequeueReason.PENDING_PREEMPTION, RequeueReason.PENDING_MIGRATION):
            self.sticky = one.key if self.strategy == BEST_EFFORT_FIFO else ""
        elif self.sticky == one.key:
            self.sticky = ""
        is_immediate = (
            reason in IMMEDIATE
            if self.strategy == BEST_EFFORT_FIFO
            else reason is not RequeueReason.NAMESPACE_MISMATCH
        )
        goes_back = is_immediate or self.is_flushed_since_pop or has_more_flavors or is_outdated
        is_parked = not (goes_back and self.is_over(one))
        self.model[one.key] = Waiting(one, is_parked)
        assert got
        shares = reason in (RequeueReason.NO_FIT, RequeueReason.PREEMPTION_NO_CANDIDATES)
        if (
            is_parked
            and shares
            and not is_outdated
            and one.scheduling_hash
            and self.strategy == BEST_EFFORT_FIFO
        ):
            self.failed.add(one.scheduling_hash)
            for other in self.model.values():
                if not other.is_parked and other.info.scheduling_hash == one.scheduling_hash:
                    other.is_parked = True

    @precondition(lambda self: any(not one.is_parked for one in self.model.values()))
    @rule(reason=st.sampled_from(RequeueReason), is_flushed=st.booleans())
    def look_at_the_next(self, reason: RequeueReason, is_flushed: bool) -> None:
        self.pop()
        if is_flushed:
            self.flush()
        self.requeue(reason, has_more_flavors=False, is_outdated=False)

    @rule(name=NAMES)
    def delete(self, name: str) -> None:
        key = f"ns/{name}"
        self.queue.delete(key)
        self.model.pop(key, None)
        if self.flight is not None and self.flight.key == key:
            self.flight = None
        if self.sticky == key:
            self.sticky = ""

    @rule()
    def flush(self) -> None:
        want = 0
        for one in self.model.values():
            if one.is_parked and self.is_over(one.info):
                one.is_parked = False
                want += 1
        self.failed.clear()
        self.is_flushed_since_pop = True
        assert self.queue.flush(self.now, lambda namespace: namespace == "ns") == want

    @rule(seconds=st.sampled_from([1.0, 5.0, 60.0]))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @rule(queue=st.sampled_from(["ns/a", "ns/b"]), amount=st.floats(0, 3))
    def use(self, queue: str, amount: float) -> None:
        self.usage[queue] = amount

    @invariant()
    def everything_is_in_one_place(self) -> None:
        parked = {key for key, one in self.model.items() if one.is_parked}
        assert {one.key for one in self.queue.parked()} == parked
        assert {one.key for one in self.queue.in_line()} == set(self.model) - parked
        assert self.queue.in_flight is self.flight
        assert len(self.queue) == len(self.model) + (self.flight is not None)

    @invariant()
    def the_order_shown_is_the_order_of_all(self) -> None:
        everyone = [one.info for one in self.model.values()]
        if self.flight is not None:
            everyone.append(self.flight)
        assert self.queue.ordered() == sorted(everyone, key=self.order)

    @invariant()
    def counts_per_local_queue_are_those_of_a_scan(self) -> None:
        for queue in ("ns/a", "ns/b"):
            own = [one for one in self.model.values() if one.info.local_queue == queue]
            flying = self.flight is not None and self.flight.local_queue == queue
            parked = sum(one.is_parked for one in own)
            assert self.queue.tally(queue) == (len(own) - parked + flying, parked)

    @invariant()
    def shapes_are_those_of_a_scan(self) -> None:
        parked = {one.info.scheduling_hash for one in self.model.values() if one.is_parked}
        in_line = {one.info.scheduling_hash for one in self.model.values() if not one.is_parked}
        assert self.queue.shapes() == (len(in_line), len(parked))

    def order(self, one: Info) -> tuple:
        usage = self.usage.get(one.local_queue, 0.0) if self.fair else 0.0
        return (usage, rank_of(one, is_sticky=one.key == self.sticky))

    def is_over(self, one: Info) -> bool:
        state = one.obj.status.requeue_state
        return state is None or state.requeue_at.timestamp() <= self.now


Pending.TestCase.settings = settings(max_examples=120, stateful_step_count=40, deadline=None)
TestPending = Pending.TestCase
