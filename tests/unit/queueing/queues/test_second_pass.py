"""Second passes: when they are due, how long they wait, which version is handed out."""

from __future__ import annotations

import pytest

from argosy.api.objects.kueue.workloads import (
    Admission,
    PodSetAssignment,
    UnhealthyNode,
    WorkloadStatus,
)
from argosy.api.objects.metadata import Condition
from argosy.queueing.queues.second_pass import (
    SecondPasses,
    delay_seconds,
    needs_second_pass,
    used_nodes,
)
from argosy.queueing.workloads.infos import Info
from tests.unit.queueing.queues.builders import NOW, RESERVED, delayed, info, workload


def placed(name: str, level: dict[str, object], *, unhealthy: str = "") -> Info:
    """An admitted workload with pods on nodes."""
    places = {
        "levels": ["rack", "kubernetes.io/hostname"],
        "slices": [
            {
                "domainCount": len((level.get("individual") or {}).get("roots") or "1"),
                "valuesPerLevel": [{"universal": "r1"}, level],
                "podCounts": {"universal": 1},
            }
        ],
    }
    status = WorkloadStatus(
        conditions=(RESERVED, Condition(type="Admitted", status="True")),
        admission=Admission("cq", (PodSetAssignment(topology_assignment=places),)),
        unhealthy_nodes=(UnhealthyNode(unhealthy),) if unhealthy else (),
    )
    return info(name, obj=workload(name, status=status))


def keys(infos: list[Info]) -> list[str]:
    return [one.obj.metadata.name for one in infos]


@pytest.mark.parametrize(
    ("iteration", "want"), [(1, 1.0), (2, 2.0), (3, 4.0), (5, 16.0), (6, 30.0), (60, 30.0)]
)
def test_each_try_waits_twice_as_long_up_to_half_a_minute(iteration: int, want: float) -> None:
    assert delay_seconds(iteration) == want


def test_retries_wait_longer_and_a_fresh_start_waits_a_second() -> None:
    passes = SecondPasses()
    assert passes.offer(delayed("a"), NOW)
    now, waits = NOW, []
    for _ in range(4):
        waits.append(passes.next_time - now)
        now = passes.next_time
        (one,) = passes.take_due(now)
        assert passes.retry(one, now)
    assert waits == [1.0, 2.0, 4.0, 8.0]
    passes.discard("ns/a")
    assert passes.offer(delayed("a"), now)
    assert passes.next_time == now + 1.0


def test_those_due_come_in_order_of_their_time() -> None:
    passes = SecondPasses()
    for name, at in {"c": 0.0, "b": 0.5, "a": 0.5, "late": 9.0}.items():
        passes.offer(delayed(name), NOW + at)
    assert keys(passes.take_due(NOW + 2)) == ["c", "a", "b"]
    assert passes.take_due(NOW + 2) == []


def test_the_newest_version_is_handed_out_at_the_first_ones_time() -> None:
    passes = SecondPasses()
    passes.offer(delayed("a"), NOW)
    newer = delayed("a")
    assert not passes.offer(newer, NOW + 0.9)
    assert passes.take_due(NOW + 1) == [newer]


def test_one_that_needs_no_place_any_more_is_dropped() -> None:
    passes = SecondPasses()
    passes.offer(delayed("a"), NOW)
    evicted = delayed("a", conditions=(Condition(type="Evicted", status="True"),))
    assert not passes.offer(evicted, NOW)
    assert passes.next_time is None
    passes.offer(delayed("a"), NOW)
    (one,) = passes.take_due(NOW + 1)
    assert one.key == "ns/a"
    assert not passes.retry(evicted, NOW + 1)
    assert passes.next_time is None


def test_who_needs_one() -> None:
    finished = (Condition(type="Finished", status="True"),)
    roots = {"individual": {"prefix": "n-", "roots": ["1", "2"], "suffix": ".x"}}
    want = {
        "checks ready": (delayed("a"), True),
        "checks pending": (delayed("a", check="Pending"), False),
        "finished": (delayed("a", conditions=finished), False),
        "healthy": (placed("a", roots), False),
        "on an unhealthy node": (placed("a", roots, unhealthy="n-2.x"), True),
        "another node is unhealthy": (placed("a", roots, unhealthy="n-3.x"), False),
        "all on one unhealthy node": (placed("a", {"universal": "n"}, unhealthy="n"), True),
    }
    got = {name: needs_second_pass(one.obj) for name, (one, _) in want.items()}
    assert got == {name: needed for name, (_, needed) in want.items()}


def test_the_nodes_of_an_admitted_workload() -> None:
    one = placed("a", {"individual": {"roots": ["n2", "n1", "n2"]}})
    assert used_nodes(one.obj) == ["n1", "n2"]
