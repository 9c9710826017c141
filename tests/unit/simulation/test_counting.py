"""Pods by what their Jobs say of them: how many run, for how long, and what became of them."""

from __future__ import annotations

import io

import pytest

from argosy.api.objects import ObjectMeta
from argosy.api.objects.jobs import Job, JobSpec, JobStatus, UncountedTerminatedPods
from argosy.api.objects.nodepools import NodePool, NodePoolStatus
from argosy.fleet.shapes import MemberShape, machines
from argosy.simulation.arriving import Arrival
from argosy.simulation.counting import Counting
from argosy.simulation.ledgers import Ledger, Record
from argosy.simulation.plans import Stream


class World:
    """One member with two machines of 8 cores at 4 an hour each, and one job of four pods with two cores each."""

    def __init__(self) -> None:
        self.now = 0.0
        self.ledger = Ledger(100.0, lambda: self.now, io.BytesIO())
        pool = machines(2, price=4.0)
        self.counting = Counting(MemberShape("here", pools=(pool,)), self.ledger, "cpu")
        stream = Stream("train", "research", namespace="ns")
        arrival = Arrival(0.0, "job", stream, 10.0, 4, {"cpu": "2"})
        self.record: Record = self.ledger.submitted(arrival, 2.0)
        self._last: Job | None = None

    def tell(self, at: float, **status: object) -> None:
        self.now = at
        spec = JobSpec(
            template={"spec": {"containers": [{"resources": {"requests": {"cpu": "2"}}}]}}
        )
        meta = ObjectMeta(name="job", namespace="ns", uid="u")
        job = Job(meta, spec, JobStatus(**status))  # type: ignore[arg-type]  # fields of the status
        self.counting._counted(self._last, job)
        self._last = job

    def remove(self, at: float) -> None:
        self.now = at
        self.counting._counted(self._last, None)

    def used(self) -> float:
        return self.ledger.meter("used", "here").amount


def test_pods_begin_and_end_with_the_counters_of_their_job() -> None:
    world = World()
    world.tell(1, ready=0)
    world.tell(2, ready=4)
    assert (world.used(), world.record.started) == (8.0, 2)
    world.tell(12, ready=1, succeeded=3)
    assert world.used() == 2.0
    world.tell(14, ready=0, succeeded=4)
    assert (world.used(), world.record.running) == (0.0, {})
    # Three for ten seconds, one for twelve; a quarter of a machine each.
    assert world.record.used == pytest.approx(2.0 * 42)
    assert world.record.cost == pytest.approx(42 * 1.0 / 3600)
    assert world.record.wasted == 0


def test_pods_whose_end_is_not_counted_yet_have_ended() -> None:
    world = World()
    world.tell(2, ready=4)
    ended = UncountedTerminatedPods(succeeded=("a", "b", "c", "d"))
    world.tell(12, ready=0, uncounted_terminated_pods=ended)
    world.tell(13, ready=0, succeeded=4)
    assert world.record.used == pytest.approx(2.0 * 40)
    assert world.record.wasted == 0


def test_pods_that_vanish_have_worked_for_nothing() -> None:
    world = World()
    world.tell(2, ready=4)
    world.tell(7, ready=0)
    assert world.record.wasted == pytest.approx(2.0 * 20)


def test_one_that_failed_and_was_replaced_between_two_looks_is_told() -> None:
    world = World()
    world.tell(2, ready=4)
    world.tell(5, ready=4, failed=1)
    assert (world.used(), world.record.pod_failures) == (8.0, 1)
    assert world.record.wasted == pytest.approx(2.0 * 3)


def test_pods_that_nobody_saw_are_counted_with_the_time_they_were_to_run() -> None:
    world = World()
    world.tell(1, ready=0)
    world.tell(12, ready=0, succeeded=4)
    assert world.record.used == pytest.approx(2.0 * 40)
    assert world.used() == 0.0


def test_a_job_that_is_removed_takes_its_pods_along() -> None:
    world = World()
    world.tell(2, ready=4)
    world.remove(6)
    assert (world.used(), world.record.running) == (0.0, {})
    assert world.record.wasted == pytest.approx(2.0 * 16)


def test_what_runs_at_the_end_has_run_until_then() -> None:
    world = World()
    world.tell(2, ready=4)
    world.now = 12.0
    world.counting.close()
    assert world.record.used == pytest.approx(2.0 * 40)


def test_machines_are_those_of_the_pools() -> None:
    world = World()
    pool = NodePool(ObjectMeta(name="general"))
    more = NodePool(ObjectMeta(name="general"), status=NodePoolStatus(nodes=2))
    world.counting._pool(None, pool)
    world.counting._pool(pool, more)
    amounts = {what: world.ledger.meter(what, "here").amount for what in ("nodes", "capacity")}
    assert amounts == {"nodes": 2, "capacity": 16.0}
    assert world.ledger.meter("price", "here").amount == 8.0
    world.counting._pool(more, None)
    assert world.ledger.meter("nodes", "here").amount == 0
