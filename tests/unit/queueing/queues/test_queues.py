"""All queues: objects in any order, moves between queues, heads, flushes by tree."""

from __future__ import annotations

from argosy.api.objects.metadata import LabelSelector
from argosy.queueing.queues.consuming import AdmissionFairSharing, nanos_of
from argosy.queueing.queues.flushing import BATCH_SECONDS
from argosy.queueing.queues.reasons import STRICT_FIFO, Refusal, RequeueReason
from argosy.queueing.queues.tallies import Tally
from tests.unit.queueing.queues.builders import NOW, Lines, delayed, info


def test_workloads_are_queued_whatever_order_objects_come_in() -> None:
    lines = Lines()
    assert lines.queues.put_workload(info("a"), NOW) is Refusal.NO_LOCAL_QUEUE
    lines.local_queue("lq", "cq")
    assert lines.queues.put_workload(info("b", at=1.0), NOW) is Refusal.NO_CLUSTER_QUEUE
    assert lines.queues.tally("ns/lq") == Tally(0, 2)
    lines.cluster_queue("cq")
    assert lines.queues.tally("ns/lq") == Tally(2, 0)
    assert [lines.heads(), lines.heads(), lines.heads()] == [["a"], ["b"], []]


def test_a_queue_that_goes_takes_its_workloads_out_and_brings_them_back() -> None:
    lines = Lines()
    lines.cluster_queue("cq")
    lines.local_queue("lq", "cq")
    lines.queues.put_workload(info("a"), NOW)
    lines.queues.drop_local_queue("ns/lq")
    assert lines.heads() == []
    lines.local_queue("lq", "cq")
    lines.queues.drop_cluster_queue("cq")
    assert lines.heads() == []
    lines.cluster_queue("cq")
    assert lines.heads() == ["a"]


def test_a_workload_that_must_not_wait_leaves_by_being_put() -> None:
    lines = Lines()
    lines.cluster_queue("cq")
    lines.local_queue("lq", "cq")
    lines.queues.put_workload(info("a"), NOW)
    reserved = info("a", conditions={"QuotaReserved": "True/QuotaReserved"})
    assert lines.queues.put_workload(reserved, NOW) is Refusal.INADMISSIBLE
    assert lines.heads() == []
    assert lines.queues.waiting("ns/lq") == {}


def test_a_workload_moves_with_its_queue_name_and_its_penalty_is_refunded() -> None:
    lines = Lines(AdmissionFairSharing(10.0, 10.0))
    for name in ("one", "two"):
        lines.cluster_queue(f"cq-{name}")
        lines.local_queue(name, f"cq-{name}")
    lines.queues.put_workload(info("a", "one"), NOW)
    lines.queues.ledger.charge("ns/one", "ns/a", nanos_of({"cpu": "4"}), NOW)
    lines.queues.put_workload(info("a", "two"), NOW)
    assert lines.queues.ledger.usage("ns/one") == 0.0
    assert len(lines.queues.cluster_queue("cq-one")) == 0
    assert [one.cluster_queue for one in lines.queues.heads(NOW)] == ["cq-two"]


def test_heads_are_one_of_each_active_queue_by_name() -> None:
    lines = Lines()
    for name in ("b", "a", "c", "empty"):
        lines.cluster_queue(f"cq-{name}")
        lines.local_queue(name, f"cq-{name}")
    for queue in ("b", "a", "c"):
        for number in range(2):
            lines.queues.put_workload(info(f"{queue}{number}", queue, at=float(number)), NOW)
    got = lines.queues.heads(NOW, lambda name: name != "cq-c")
    assert [one.obj.metadata.name for one in got] == ["a0", "b0"]


def test_heads_look_only_at_queues_with_something_to_pop() -> None:
    lines = Lines()
    asked: list[str] = []
    for number in range(100):
        lines.cluster_queue(f"cq-{number}")
        lines.local_queue(f"lq-{number}", f"cq-{number}")
    lines.queues.put_workload(info("a", "lq-7"), NOW)
    lines.queues.heads(NOW, lambda name: not asked.append(name))
    lines.queues.heads(NOW, lambda name: not asked.append(name))
    lines.queues.heads(NOW, lambda name: not asked.append(name))
    assert asked == ["cq-7", "cq-7"], "once to pop it, once to learn that nothing came back"


def test_a_head_that_was_deleted_meanwhile_is_not_requeued() -> None:
    lines = Lines()
    lines.cluster_queue("cq", strategy=STRICT_FIFO)
    lines.local_queue("lq", "cq")
    lines.queues.put_workload(info("a"), NOW)
    head = lines.queues.heads(NOW)[0]
    lines.queues.forget_workload("ns/a")
    got = lines.queues.requeue(head, RequeueReason.GENERIC, NOW)
    assert not got
    assert lines.heads() == []


def test_a_head_is_requeued_as_it_is_now_with_what_was_tried() -> None:
    lines = Lines()
    lines.cluster_queue("cq", strategy=STRICT_FIFO)
    lines.local_queue("lq", "cq")
    lines.queues.put_workload(info("a"), NOW)
    head = lines.queues.heads(NOW)[0]
    newer = info("a", priority=5, generation=2)
    lines.queues.put_workload(newer, NOW)
    lines.queues.requeue(head, RequeueReason.GENERIC, NOW)
    assert lines.queues.heads(NOW) == [newer]


def test_a_head_that_changed_while_it_was_looked_at_gets_another_look() -> None:
    lines = Lines()
    lines.cluster_queue("cq")
    lines.local_queue("lq", "cq")
    lines.queues.put_workload(info("a", shape="large"), NOW)
    head = lines.queues.heads(NOW)[0]
    lines.queues.put_workload(info("a", shape="small", generation=2), NOW)
    lines.queues.requeue(head, RequeueReason.NO_FIT, NOW)
    assert lines.heads() == ["a"]
    assert not lines.queues.cluster_queue("cq").has_failed("small")


def test_flushes_reach_the_whole_tree_a_moment_after_the_first_request() -> None:
    lines = Lines()
    lines.forest.put_cohort("team", {}, parent="root", weight=1.0)
    for name, cohort in {"near": "team", "far": "root", "other": ""}.items():
        lines.cluster_queue(name, cohort=cohort, now=NOW - 60)
        lines.local_queue(name, name)
        lines.queues.put_workload(info(name, name), NOW)
    lines.queues.flush_due(NOW)
    for head in lines.queues.heads(NOW):
        lines.queues.requeue(head, RequeueReason.NO_FIT, NOW)
    lines.queues.flushes.request(["near"], NOW)
    lines.queues.flushes.request(["far"], NOW + 0.9 * BATCH_SECONDS)
    assert lines.queues.next_time == NOW + BATCH_SECONDS
    assert lines.queues.flush_due(NOW + 0.99 * BATCH_SECONDS) == 0
    assert lines.queues.flush_due(NOW + BATCH_SECONDS) == 2
    assert lines.heads() == ["far", "near"]
    assert lines.queues.next_time is None


def test_a_change_of_a_cluster_queue_asks_for_a_flush_and_a_status_does_not() -> None:
    lines = Lines()
    lines.cluster_queue("cq")
    lines.queues.flush_due(NOW + 1)
    lines.cluster_queue("cq", now=NOW + 2)
    assert lines.queues.next_time is None
    lines.cluster_queue("cq", strategy=STRICT_FIFO, now=NOW + 3)
    assert lines.queues.next_time == NOW + 3 + BATCH_SECONDS


def test_namespaces_are_matched_as_they_are_when_flushed() -> None:
    lines = Lines()
    lines.cluster_queue("cq", selector=LabelSelector({"team": "a"}))
    lines.local_queue("lq", "cq")
    lines.queues.put_workload(info("a"), NOW)
    lines.queues.requeue(lines.queues.heads(NOW)[0], RequeueReason.NAMESPACE_MISMATCH, NOW)
    assert lines.queues.flush(["cq"], NOW) == 0
    lines.labels["ns"] = {"team": "a"}
    assert lines.queues.flush(["cq"], NOW) == 1
    del lines.labels["ns"]
    lines.queues.requeue(lines.queues.heads(NOW)[0], RequeueReason.NAMESPACE_MISMATCH, NOW)
    assert lines.queues.flush(["cq"], NOW) == 0


def test_the_reason_of_an_equivalent_is_found_by_key() -> None:
    lines = Lines()
    lines.cluster_queue("cq")
    lines.local_queue("lq", "cq")
    for name in ("a", "b"):
        lines.queues.put_workload(info(name, shape="large"), NOW)
    head = lines.queues.heads(NOW)[0]
    assert lines.queues.requeue(head, RequeueReason.NO_FIT, NOW, "ExceedsMaxQuota")
    assert lines.queues.bypass_reason("ns/b") == "ExceedsMaxQuota"
    assert lines.queues.bypass_reason("ns/unknown") == ""


def test_a_second_pass_keeps_its_time_while_the_workload_has_its_quota() -> None:
    lines = Lines()
    lines.queues.second_passes.offer(delayed("a"), NOW)
    lines.queues.drop_workload("ns/a")
    lines.queues.second_passes.offer(delayed("a"), NOW + 0.9)
    assert lines.queues.next_time == NOW + 1.0
    assert lines.heads(NOW + 1.0) == ["a"]


def test_a_second_pass_ends_when_the_quota_is_lost_or_the_workload_deleted() -> None:
    lines = Lines()
    lines.queues.second_passes.offer(delayed("a"), NOW)
    lines.queues.put_workload(info("a", conditions={"QuotaReserved": "False/Pending"}), NOW)
    lines.queues.second_passes.offer(delayed("b"), NOW)
    lines.queues.forget_workload("ns/b")
    assert lines.queues.next_time is None


def test_local_queues_take_turns_by_usage_where_the_cluster_queue_says_so() -> None:
    lines = Lines(AdmissionFairSharing(10.0, 10.0))
    lines.cluster_queue("cq", is_fair=True)
    for name in ("a", "b"):
        lines.local_queue(name, "cq")
        for number in range(2):
            lines.queues.put_workload(info(f"{name}{number}", name, at=float(number)), NOW)
    order = []
    for _ in range(4):
        head = lines.queues.heads(NOW)[0]
        order.append(head.obj.metadata.name)
        requests = nanos_of({"cpu": "1"})
        lines.queues.ledger.charge(head.local_queue, head.key, requests, NOW)
        lines.queues.drop_workload(head.key)
    assert order == ["a0", "b0", "a1", "b1"]


def test_a_weight_of_zero_goes_last_and_a_changed_weight_counts_at_once() -> None:
    lines = Lines(AdmissionFairSharing(10.0, 10.0))
    lines.cluster_queue("cq", is_fair=True)
    lines.local_queue("a", "cq", weight="0")
    lines.local_queue("b", "cq", weight="1")
    for name in ("a", "b"):
        lines.queues.put_workload(info(name, name), NOW)
    ordered = lines.queues.cluster_queue("cq").ordered()
    assert [one.obj.metadata.name for one in ordered] == ["b", "a"]
    lines.local_queue("a", "cq", weight="1")
    assert lines.heads() == ["a"]
