"""Who is next, who backs off, who waits for a change."""

from __future__ import annotations

import pytest

from argosy.api.objects import Node, Pod
from argosy.workloads.scheduling.deciding import Candidate, Decider
from argosy.workloads.scheduling.diagnoses import NO_NODES
from argosy.workloads.scheduling.profiles import Profile
from argosy.workloads.scheduling.queueing import SchedulingQueue
from tests.unit.workloads.scheduling.builders import decider, node, pod


class Line:
    """A queue and what it is asked for."""

    def __init__(self) -> None:
        self.decider: Decider = decider([node("n1")])
        self.queue = SchedulingQueue()
        self._profiles: dict[str, Profile] = {}

    def put(self, name: str, **more: object) -> Candidate:
        candidate = self.decider.candidate(pod(name, **more))  # type: ignore[arg-type]
        self.queue.put(candidate)
        self._profiles[name] = candidate.profile
        return candidate

    def pop(self, most: int = 1, now: float = 0.0) -> list[str]:
        batch = self.queue.pop(most, self.decider.are_alike, now)
        return [each.pod.metadata.name for each in batch]

    def refuse(self, *names: str, now: float = 0.0) -> None:
        for name in names:
            self.queue.refused(name, now, self.profile(name))

    def profile(self, name: str) -> Profile:
        return self._profiles[name]

    def wake(self) -> None:
        for group in self.queue.groups:
            self.queue.wake(group)


@pytest.fixture
def line() -> Line:
    return Line()


def test_priority_goes_before_age(line: Line) -> None:
    for name, priority in (("a", 0), ("b", 2), ("c", 1), ("d", 2)):
        line.put(name, priority=priority)
    assert [line.pop() for _ in range(5)] == [["b"], ["d"], ["c"], ["a"], []]


def test_a_batch_is_a_run_of_alike_pods(line: Line) -> None:
    for name, cpu in (("a", 1), ("b", 1), ("c", 2), ("d", 1)):
        line.put(name, cpu=cpu)
    assert [line.pop(10) for _ in range(3)] == [["a", "b"], ["c"], ["d"]]


def test_a_batch_has_a_limit(line: Line) -> None:
    for name in "abc":
        line.put(name)
    assert [line.pop(2), line.pop(2)] == [["a", "b"], ["c"]]


def test_pods_put_back_are_first_again(line: Line) -> None:
    for name in "abc":
        line.put(name)
    batch = line.queue.pop(2, line.decider.are_alike, 0.0)
    line.queue.put_back(batch[1:])
    assert (line.pop(3), line.queue.ready) == (["b", "c"], 0)


def test_refused_pods_wait_until_they_are_woken_oldest_first(line: Line) -> None:
    for name in "abc":
        line.put(name)
    line.refuse(*line.pop(10))
    assert (line.pop(10, now=100), line.queue.waiting()) == ([], 3)
    line.wake()
    assert (line.pop(2, now=100), line.pop(2, now=100), line.queue.waiting()) == (
        ["a", "b"],
        ["c"],
        0,
    )


def test_the_first_refusal_puts_the_rest_to_sleep(line: Line) -> None:
    for name in "abcd":
        line.put(name)
    line.refuse(*line.pop(10))
    line.wake()
    assert line.pop(now=100) == ["a"]
    line.queue.remove("a")
    assert line.pop(now=100) == ["b"]
    line.refuse("b", now=100)
    assert (line.pop(10, now=200), line.queue.ready) == ([], 0)
    line.wake()
    assert line.pop(10, now=200) == ["b", "c", "d"]


def test_a_refusal_of_one_alone_lets_each_other_try_once(line: Line) -> None:
    for name in "abc":
        line.put(name)
    line.refuse(*line.pop(10))
    line.wake()
    tried = []
    while batch := line.pop(now=100):
        tried += batch
        line.queue.refused(batch[0], 100, line.profile(batch[0]), holds_for_all=False)
    assert tried == ["a", "b", "c"]


def test_when_the_one_called_up_is_gone_the_next_is_called_up(line: Line) -> None:
    for name in "abc":
        line.put(name)
    line.refuse(*line.pop(10))
    line.wake()
    line.put("x", cpu=2)
    assert line.pop(now=0.5) == ["x"]
    line.queue.remove("a")
    assert line.pop(10, now=0.5) == ["b", "c"]


def test_pods_called_up_keep_the_place_of_their_group(line: Line) -> None:
    for name in "abc":
        line.put(name)
    line.refuse(*line.pop(10))
    line.wake()
    for name in "xy":
        line.put(name, cpu=2)
    assert [line.pop(2, now=100) for _ in range(3)] == [["a", "b"], ["c"], ["x", "y"]]


def test_one_pod_can_be_woken_without_its_group(line: Line) -> None:
    for name in "abc":
        line.put(name)
    line.refuse(*line.pop(10))
    line.queue.wake_one("b", 100)
    assert (line.pop(10, now=100), line.queue.waiting()) == (["b"], 2)


def test_groups_not_tried_for_long_are_leftovers(line: Line) -> None:
    line.put("a")
    line.put("b", cpu=2)
    line.refuse(*line.pop(), now=0)
    line.refuse(*line.pop(), now=200)
    left = [group.uids() for group in line.queue.leftovers(10)]
    assert left == [["a"]]


def test_a_woken_pod_backs_off_while_others_are_ready(line: Line) -> None:
    line.put("a")
    line.refuse(*line.pop())
    line.wake()
    line.put("b")
    assert line.pop(now=0.5) == ["b"]
    assert line.queue.next_due() == 1.0
    assert line.pop(now=0.5) == ["a"]


def test_back_off_doubles_up_to_ten_seconds(line: Line) -> None:
    line.put("a")
    got = []
    for attempt in range(6):
        now = 100.0 * attempt
        assert line.pop(now=now) == ["a"]
        line.queue.failed("a", now)
        due = line.queue.next_due()
        assert due is not None
        got.append(due - now)
    assert got == [1, 2, 4, 8, 10, 10]


def test_a_failed_pod_waits_out_its_back_off(line: Line) -> None:
    line.put("a")
    line.pop()
    line.queue.failed("a", 0.0)
    assert [line.pop(now=0.9), line.pop(now=1.0)] == [[], ["a"]]


def test_a_pod_whose_rules_change_is_ready_again(line: Line) -> None:
    line.put("a", cpu=1)
    line.refuse(*line.pop())
    line.put("a", cpu=1)
    assert line.pop() == []
    line.put("a", cpu=2)
    assert (line.pop(), line.queue.waiting()) == (["a"], 0)


def test_a_removed_pod_is_nowhere(line: Line) -> None:
    for name in "abc":
        line.put(name)
    line.refuse(*line.pop(2))
    line.wake()
    for name in "abc":
        line.queue.remove(name)
    assert (line.pop(now=100), len(line.queue), line.queue.ready) == ([], 0, 0)
    line.refuse("a")
    assert (len(line.queue), line.queue.next_due()) == (0, None)


def test_a_retried_pod_needs_no_change(line: Line) -> None:
    line.put("a")
    line.refuse(*line.pop())
    line.queue.retry("a")
    assert line.pop(now=1.0) == ["a"]


HELPED = {
    "a node with room": ([node("n1")], [], True),
    "no node": ([], [], False),
    "a full node": ([node("n1", cpu=1)], [pod("x", on="n1")], False),
    "a node it may not use": ([node("n1", cordoned=True)], [], False),
}


@pytest.mark.parametrize(("nodes", "pods", "want"), HELPED.values(), ids=HELPED.keys())
def test_whom_the_cluster_helps(nodes: list[Node], pods: list[Pod], want: bool) -> None:
    made = decider(nodes, pods)
    profile = made.candidate(pod("a")).profile
    assert made.helped(profile, {"n1", "gone"}) is want


def test_who_was_told_that_there_is_no_node_hears_of_the_first_even_if_it_is_full() -> None:
    made = decider([node("n1", cpu=1)], [pod("x", on="n1")])
    profile = made.candidate(pod("a")).profile
    assert made.helped(profile, (), NO_NODES)
    assert not decider([]).helped(profile, (), "")


def test_a_touched_node_with_victims_helps_the_more_important() -> None:
    made = decider([node("n1", cpu=1)], [pod("x", on="n1")])
    profile = made.candidate(pod("a", priority=1)).profile
    assert not made.helped(profile, ())
    assert made.helped(profile, {"n1"})
    assert not made.helped(made.candidate(pod("b")).profile, {"n1"})
    assert not made.helped(made.candidate(pod("c", cpu=2, priority=1)).profile, {"n1"})


def test_a_place_held_for_another_does_not_help() -> None:
    made = decider([node("n1", cpu=1)])
    made.nominate(made.candidate(pod("held", nominated="n1")))
    profile = made.candidate(pod("a")).profile
    assert not made.helped(profile, {"n1"})
    assert made.helped(made.candidate(pod("b", priority=1)).profile, {"n1"})
    assert (made.expectant({"n1"}, ()), made.expectant({"n2"}, ())) == (["held"], [])
    assert (made.expectant((), {"n1"}), made.expectant((), {"n2"})) == (["held"], [])
