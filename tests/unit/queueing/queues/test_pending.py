"""A ClusterQueue's pending workloads, rule by rule."""

from __future__ import annotations

import pytest

from argosy.queueing.queues.pending import PendingQueue
from argosy.queueing.queues.reasons import (
    BEST_EFFORT_FIFO,
    PENDING_EVALUATION,
    STRICT_FIFO,
    RequeueReason,
    is_immediate,
)
from argosy.queueing.queues.tallies import Tally
from tests.unit.queueing.queues.builders import NOW, info


def everywhere(_: str) -> bool:
    return True


def names(queue: PendingQueue) -> list[str]:
    return [one.obj.metadata.name for one in queue.ordered()]


def test_an_update_of_the_workload_in_flight_does_not_put_it_in_line_a_second_time() -> None:
    queue = PendingQueue()
    queue.push_or_update(info("a"), NOW)
    queue.pop()
    queue.push_or_update(info("a", generation=2), NOW)
    assert queue.pop() is None


def test_the_workload_in_flight_counts_as_active_until_the_next_pop() -> None:
    queue = PendingQueue()
    queue.push_or_update(info("a"), NOW)
    queue.pop()
    assert (queue.active, queue.tally("ns/lq")) == (1, Tally(1, 0))
    queue.pop()
    assert (queue.active, queue.tally("ns/lq")) == (0, Tally(0, 0))


def test_a_flush_while_a_workload_is_in_flight_is_not_missed_by_it() -> None:
    queue = PendingQueue()
    queue.push_or_update(info("a"), NOW)
    popped = queue.pop()
    queue.flush(NOW, everywhere)
    queue.requeue(popped, RequeueReason.NO_FIT, NOW)
    assert (queue.active, queue.inadmissible) == (1, 0)


def test_a_flush_before_the_pop_does_not_count() -> None:
    queue = PendingQueue()
    queue.push_or_update(info("a"), NOW)
    queue.flush(NOW, everywhere)
    queue.requeue(queue.pop(), RequeueReason.NO_FIT, NOW)
    assert (queue.active, queue.inadmissible) == (0, 1)


def test_equivalents_are_parked_together_and_arrive_parked_until_the_next_flush() -> None:
    queue = PendingQueue()
    for name in ("a", "b", "c"):
        queue.push_or_update(info(name, shape="large"), NOW)
    queue.push_or_update(info("d", shape="small"), NOW)
    assert queue.requeue(queue.pop(), RequeueReason.NO_FIT, NOW, quota_reason="WaitingForQuota")
    assert sorted(one.key for one in queue.parked()) == ["ns/a", "ns/b", "ns/c"]
    queue.push_or_update(info("e", shape="large"), NOW)
    assert [one.key for one in queue.in_line()] == ["ns/d"]
    assert queue.bypass_reason("ns/e") == "WaitingForQuota"
    assert queue.flush(NOW, everywhere) == 4
    assert queue.bypass_reason("ns/e") == ""
    queue.push_or_update(info("f", shape="large"), NOW)
    assert queue.inadmissible == 0


def test_without_a_reason_of_its_own_a_bypassed_workload_is_pending_evaluation() -> None:
    queue = PendingQueue()
    queue.requeue(info("a", shape="large"), RequeueReason.PREEMPTION_NO_CANDIDATES, NOW)
    assert queue.bypass_reason("ns/a") == PENDING_EVALUATION


def test_strict_fifo_does_not_look_past_equivalents() -> None:
    queue = PendingQueue(strategy=STRICT_FIFO)
    for name in ("a", "b"):
        queue.push_or_update(info(name, shape="large"), NOW)
    queue.requeue(queue.pop(), RequeueReason.NO_FIT, NOW)
    assert names(queue) == ["a", "b"]
    assert queue.inadmissible == 0


def test_strict_fifo_parks_nobody_for_a_head_that_was_sent_away() -> None:
    queue = PendingQueue(strategy=STRICT_FIFO)
    for name in ("a", "b"):
        queue.push_or_update(info(name, shape="large"), NOW)
    queue.pop()
    sent_away = info("a", shape="large", requeue_at=NOW + 60)
    assert queue.requeue(sent_away, RequeueReason.NO_FIT, NOW)
    assert (queue.active, queue.inadmissible) == (1, 1)


def test_a_preemptor_stays_first_until_it_is_deleted() -> None:
    queue = PendingQueue()
    queue.push_or_update(info("low"), NOW)
    queue.requeue(queue.pop(), RequeueReason.PENDING_PREEMPTION, NOW)
    queue.push_or_update(info("high", priority=9), NOW)
    assert names(queue) == ["low", "high"]
    queue.delete("ns/low")
    queue.push_or_update(info("low"), NOW)
    assert names(queue) == ["high", "low"]


def test_a_preemptor_that_comes_back_without_victims_is_first_no_longer() -> None:
    queue = PendingQueue()
    queue.push_or_update(info("low"), NOW)
    queue.requeue(queue.pop(), RequeueReason.PENDING_PREEMPTION, NOW)
    queue.push_or_update(info("high", priority=9), NOW)
    queue.requeue(queue.pop(), RequeueReason.FAILED_AFTER_NOMINATION, NOW)
    assert names(queue) == ["high", "low"]


def test_a_new_preemptor_takes_the_first_place_of_the_old_one() -> None:
    queue = PendingQueue()
    for name in ("a", "b"):
        queue.push_or_update(info(name), NOW)
    first = queue.pop()
    second = queue.pop()
    queue.requeue(first, RequeueReason.PENDING_PREEMPTION, NOW)
    queue.requeue(second, RequeueReason.PENDING_MIGRATION, NOW)
    assert names(queue) == ["b", "a"]
    assert queue.pop() is second


def test_usage_of_local_queues_goes_before_the_sticky_workload() -> None:
    usage = {"ns/greedy": 5.0, "ns/modest": 1.0}
    queue = PendingQueue(usage_of=usage.__getitem__)
    queue.push_or_update(info("a", "greedy"), NOW)
    queue.requeue(queue.pop(), RequeueReason.PENDING_PREEMPTION, NOW)
    queue.push_or_update(info("b", "modest"), NOW)
    assert names(queue) == ["b", "a"]


def test_a_workload_sent_away_is_parked_through_flushes_until_its_time() -> None:
    queue = PendingQueue()
    queue.push_or_update(info("a", requeue_at=NOW + 60), NOW)
    assert queue.flush(NOW + 59, everywhere) == 0
    assert queue.flush(NOW + 60, everywhere) == 1


def test_a_flush_leaves_workloads_of_namespaces_the_queue_does_not_take() -> None:
    queue = PendingQueue()
    for name in ("a", "b"):
        queue.requeue(info(name, namespace=f"ns-{name}"), RequeueReason.GENERIC, NOW)
    assert queue.flush(NOW, lambda namespace: namespace == "ns-a") == 1
    assert [one.key for one in queue.parked()] == ["ns-b/b"]


@pytest.mark.parametrize("is_fair", [True, False])
def test_a_change_of_the_order_loses_nobody(is_fair: bool) -> None:
    usage = {"ns/a": 2.0, "ns/b": 1.0}
    queue = PendingQueue(usage_of=None if is_fair else usage.__getitem__)
    queue.push_or_update(info("first", "a", priority=1), NOW)
    queue.push_or_update(info("second", "b"), NOW)
    queue.reorder(usage.__getitem__ if is_fair else None)
    want = ["second", "first"] if is_fair else ["first", "second"]
    assert names(queue) == want
    assert [queue.pop().obj.metadata.name, queue.pop().obj.metadata.name] == want


def test_shapes_are_counted_in_line_and_parked() -> None:
    queue = PendingQueue()
    queue.push_or_update(info("a", shape="small"), NOW)
    queue.push_or_update(info("b", shape="small"), NOW)
    queue.requeue(info("c", shape="large"), RequeueReason.GENERIC, NOW)
    assert queue.shapes() == Tally(1, 1)


BEST_EFFORT = {
    RequeueReason.FAILED_AFTER_NOMINATION,
    RequeueReason.PENDING_PREEMPTION,
    RequeueReason.PENDING_MIGRATION,
    RequeueReason.PREEMPTION_FAILED,
}


@pytest.mark.parametrize("reason", RequeueReason)
def test_which_reasons_put_back_in_line_at_once(reason: RequeueReason) -> None:
    assert is_immediate(reason, BEST_EFFORT_FIFO) == (reason in BEST_EFFORT)
    assert is_immediate(reason, STRICT_FIFO) == (reason is not RequeueReason.NAMESPACE_MISMATCH)
