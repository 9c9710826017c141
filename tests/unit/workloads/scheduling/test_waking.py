"""Nobody waits beside a node that has room: the queue and the deciding core together, with changes in any portions.

The driver does what the scheduler's loop does, but looks at those who wait, and decides, at moments that hypothesis
picks: pods woken for one change take the room of the next, those called up are deleted, victims leave late.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from argosy.workloads.scheduling.deciding import Assigned, Decider
from argosy.workloads.scheduling.placements import placement
from argosy.workloads.scheduling.queueing import Group, SchedulingQueue
from argosy.workloads.scheduling.screening import Screen
from tests.unit.workloads.scheduling.builders import APP, HOST, node, pod, required, spread, term

KINDS: dict[str, dict[str, object]] = {
    "small": {"cpu": 1},
    "small with a label": {"cpu": 1, "labels": APP},
    "large": {"cpu": 3},
    "important": {"cpu": 2, "priority": 1},
    "with a port": {"cpu": 1, "ports": [80]},
    "apart": {"labels": APP, "affinity": required("podAntiAffinity", term(HOST))},
    "even": {"labels": APP, "topologySpreadConstraints": [spread(HOST)]},
}


@dataclass
class Loop:
    """The scheduler without its writes."""

    decider: Decider = field(default_factory=Decider)
    queue: SchedulingQueue = field(default_factory=SchedulingQueue)
    touched: set[str] = field(default_factory=set)
    left: set[str] = field(default_factory=set)
    now: float = 0.0
    tries: Counter[str] = field(default_factory=Counter)
    leaving: list[str] = field(default_factory=list)

    def node(self, name: str, cpu: int) -> None:
        self.decider.ledger.put_node(node(name, cpu=cpu))
        self.touched.add(name)

    def pod(self, name: str, kind: str) -> None:
        self.queue.put(self.decider.candidate(pod(name, **KINDS[kind])))  # type: ignore[arg-type]

    def leave(self, uid: str) -> None:
        self.queue.remove(uid)
        held = self.decider.nominations.pop(uid, None)
        placed = self.decider.ledger.displace(uid)
        if placed is not None:
            self.left.add(placed.node)
        self.touched |= {one.node for one in (held, placed) if one is not None}

    def look(self) -> list[Group]:
        touched, self.touched = self.touched, set()
        left, self.left = self.left, set()
        for uid in self.decider.expectant(touched, left):
            self.queue.wake_one(uid, self.now)
        groups = self.queue.groups
        helped = [
            g
            for g in groups
            if self.decider.helped(g.profile, touched, g.objection, is_expectant=g.is_expectant)
        ]
        for group in helped:
            self.queue.wake(group)
        return helped

    def decide(self, most: int) -> bool:
        """Decide on one batch; whether there was one."""
        batch = self.queue.pop(most, self.decider.are_alike, self.now)
        if not batch:
            return False
        decided = self.decider.decide(batch)
        self.queue.put_back(batch[len(decided) :])
        for one in decided:
            uid = one.candidate.pod.metadata.uid
            self.tries[uid] += 1
            if one.released:
                self.touched.add(one.released)
            if isinstance(one, Assigned):
                self.queue.remove(uid)
                continue
            common = self.decider.waits_as(one.candidate.profile)
            group = self.queue.refused(uid, self.now, common, holds_for_all=not one.nominated)
            assert group is not None
            if not one.nominated:
                group.objection = one.diagnosis.objection
            self.touched |= {other.node for other in one.denominated}
            self.leaving += [victim.uid for victim in one.victims]
            for victim in one.victims:
                self._end(victim.uid)
        return True

    def _end(self, uid: str) -> None:
        """A victim is told to go: it still counts, as one that is leaving."""
        before = self.decider.ledger.displace(uid)
        if before is not None:
            before.is_deleting = before.is_preempted = True
            self.decider.ledger.place(before)
            self.touched.add(before.node)

    def rest(self) -> None:
        """Until nothing more happens."""
        for _ in range(1000):
            self.now += 20.0
            self.look()
            if self.decide(64) or self.queue.ready:
                continue
            if self.leaving:
                self.leave(self.leaving.pop())
            elif not self.touched:
                return
        raise AssertionError("it never comes to rest")


steps = st.lists(
    st.one_of(
        st.tuples(st.just("nodes"), st.integers(1, 4), st.integers(1, 4)),
        st.tuples(st.just("pods"), st.integers(1, 6), st.sampled_from(sorted(KINDS))),
        st.tuples(st.just("leave"), st.integers(0, 99), st.none()),
        st.tuples(st.just("lose"), st.integers(0, 99), st.none()),
        st.tuples(st.just("look"), st.none(), st.none()),
        st.tuples(st.just("decide"), st.integers(1, 3), st.none()),
        st.tuples(st.just("time"), st.integers(0, 8), st.none()),
    ),
    max_size=30,
)


def play(loop: Loop, changes: list[tuple[str, int, object]]) -> dict[str, str]:
    """Play it all; the kinds of the pods by name."""
    kinds: dict[str, str] = {}
    nodes = 0
    for what, number, detail in changes:
        match what:
            case "nodes":
                for _ in range(number):
                    loop.node(f"n{nodes}", int(str(detail)))
                    nodes += 1
            case "pods":
                for _ in range(number):
                    name = f"p{len(kinds)}"
                    kinds[name] = str(detail)
                    loop.pod(name, kinds[name])
            case "leave" if kinds:
                loop.leave(sorted(kinds)[number % len(kinds)])
            case "lose" if loop.decider.ledger.rows:
                names = sorted(loop.decider.ledger.rows)
                loop.decider.ledger.remove_node(names[number % len(names)])
                loop.touched.add(names[number % len(names)])
            case "look":
                loop.look()
            case "decide":
                loop.decide(number)
            case "time":
                loop.now += number
    return kinds


@settings(max_examples=100)
@given(steps)
def test_in_the_end_nobody_waits_beside_a_node_that_takes_him(
    changes: list[tuple[str, int, object]],
) -> None:
    loop = Loop()
    play(loop, changes)
    loop.rest()
    made = loop.decider
    assert not made.nominations
    waiting = [entry for group in loop.queue.groups for entry in group.members.values()]
    assert len(waiting) == len(loop.queue)
    for entry in waiting:
        profile = entry.candidate.profile
        feasible = Screen(made._cluster, profile).feasible()
        assert not feasible.any(), (profile.labels, feasible)


def test_portions_that_come_while_pods_are_decided() -> None:
    loop = Loop()
    for number in range(200):
        loop.pod(f"p{number}", "large")
    while loop.decide(64):
        pass
    for number in range(100):
        loop.node(f"n{number}", 6)
        if number % 40 == 39:
            loop.look()
            loop.decide(64)
    loop.rest()
    assert (len(loop.decider.ledger.placements), len(loop.queue)) == (200, 0)


def test_a_change_that_helps_nobody_has_nobody_tried() -> None:
    loop = Loop()
    loop.node("n0", 1)
    for number in range(200):
        loop.pod(f"p{number}", "large")
    loop.rest()
    before = loop.tries.total()
    for number in range(1, 50):
        loop.node(f"n{number}", 2)
        loop.rest()
    assert loop.tries.total() == before


def test_room_for_one_has_one_batch_tried_at_most() -> None:
    loop = Loop()
    loop.node("n0", 1)
    for number in range(1000):
        loop.pod(f"p{number}", "large")
    loop.rest()
    before = loop.tries.total()
    loop.node("n1", 3)
    loop.rest()
    assert len(loop.decider.ledger.placements) == 1
    assert loop.tries.total() - before <= 64


def test_room_for_one_of_many_jobs_has_few_of_them_tried_and_the_oldest_gets_it() -> None:
    """Jobs differ in labels and owners, which no node looks at."""
    loop = Loop()
    loop.node("n0", 1)
    for number in range(400):
        name = f"p{number:04}"
        owner = {"kind": "Job", "name": name, "uid": name, "controller": True}
        labels = {"batch.kubernetes.io/job-name": name}
        loop.queue.put(loop.decider.candidate(pod(name, cpu=3, labels=labels, owner=owner)))
    loop.rest()
    assert len(loop.queue.groups) == 1
    before = loop.tries.total()
    for number in range(1, 11):
        loop.node(f"n{number}", 3)
        loop.rest()
    assert sorted(loop.decider.ledger.placements) == [f"p{number:04}" for number in range(10)]
    assert loop.tries.total() - before <= 40


def test_those_whom_a_new_rule_keeps_out_wait_apart_from_the_others() -> None:
    loop = Loop()
    loop.node("n0", 1)
    for number in range(4):
        labels = APP if number % 2 else {}
        loop.queue.put(loop.decider.candidate(pod(f"p{number}", cpu=2, labels=labels)))
    loop.rest()
    assert [group.uids() for group in loop.queue.groups] == [["p0", "p1", "p2", "p3"]]
    loop.pod("rule", "apart")
    loop.rest()
    loop.decider.ledger.put_node(node("n0", cpu=9))
    loop.touched.add("n0")
    loop.rest()
    assert sorted(loop.decider.ledger.placements) == ["p0", "p2", "rule"]
    loop.leave("rule")
    loop.rest()
    assert not len(loop.queue)


def test_a_pod_more_important_than_the_rest_takes_the_place_of_one_when_another_leaves() -> None:
    """The node has room for it then only if a victim goes, too."""
    loop = Loop()
    loop.node("n0", 3)
    first, second = pod("first", cpu=2, priority=2, on="n0"), pod("second", on="n0")
    for each in (first, second):
        made = loop.decider
        made.ledger.place(placement(each, made.profiles.of(each), "n0"))
    loop.queue.put(loop.decider.candidate(pod("asking", cpu=3, priority=1)))
    loop.rest()
    assert list(loop.decider.ledger.placements) == ["first", "second"]
    loop.leave("first")
    loop.rest()
    assert list(loop.decider.ledger.placements) == ["asking"]
