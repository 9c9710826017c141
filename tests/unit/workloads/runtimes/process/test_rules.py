"""Small rules of the process runtime: limits, pauses, probes, ports."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.base.types import Object
from argosy.workloads.runtimes.process.limits import choose_cpus, memory_bytes
from argosy.workloads.runtimes.process.probing import Judge, port_of
from argosy.workloads.runtimes.process.restarting import LAST_SECONDS, Backoff, go_seconds
from tests.unit.workloads.runtimes.making import pod


def limited(**limits: str) -> Object:
    return {"name": "a", "resources": {"limits": limits}}


CPUS = {
    "no limit": (limited(), [], []),
    "part of a processor": (limited(cpu="500m"), [], []),
    "more than there are": (limited(cpu="8"), [], []),
    "as many as there are": (limited(cpu="4"), [], []),
    "two": (limited(cpu="2"), [], [0, 1]),
    "two where some are taken": (limited(cpu="2"), [0, 0, 1], [2, 3]),
    "one where all are taken": (limited(cpu="1"), [0, 1, 2, 3, 0, 1, 3], [2]),
}


@pytest.mark.parametrize("case", CPUS)
def test_processors_for(case: str) -> None:
    container, taken, want = CPUS[case]
    assert choose_cpus(pod(container).spec.containers[0], range(4), taken) == want


def test_memory() -> None:
    assert memory_bytes(pod(limited(memory="2Gi")).spec.containers[0]) == 2 * 1024**3
    assert memory_bytes(pod(limited()).spec.containers[0]) == 0


def test_pauses_double_and_are_forgiven_after_ten_minutes() -> None:
    backoff = Backoff()
    assert [backoff.after(1) for _ in range(8)] == [0, 10, 20, 40, 80, 160, 300, 300]
    assert [backoff.after(600), backoff.after(1)] == [0, 10]


@given(st.lists(st.floats(0, 10_000)))
def test_pauses_are_never_longer_than_five_minutes(lengths: list[float]) -> None:
    backoff = Backoff()
    assert all(backoff.after(one) <= LAST_SECONDS for one in lengths)


def test_durations_read_as_in_go() -> None:
    assert [go_seconds(one) for one in (10, 80, 300)] == ["10s", "1m20s", "5m0s"]


JUDGES: dict[str, tuple[Object, list[bool], list[bool | None]]] = {
    "three failures in a row": ({}, [False, False, False, False], [None, None, False, False]),
    "a success in between": ({}, [False, False, True, False], [None, None, True, None]),
    "one success is enough": ({}, [True], [True]),
    "two successes are wanted": ({"successThreshold": 2}, [True, True, False, True], [None, True, None, None]),
    "one failure is enough": ({"failureThreshold": 1}, [False], [False]),
}  # fmt: skip


@pytest.mark.parametrize("case", JUDGES)
def test_a_probe_is_judged(case: str) -> None:
    probe, results, want = JUDGES[case]
    judge = Judge.of(probe)
    assert [judge.judge(one) for one in results] == want


def test_ports_by_number_and_by_name() -> None:
    one = pod({"name": "a", "ports": [{"name": "web", "containerPort": 80}]}).spec.containers[0]
    assert [port_of(given, one) for given in (8080, "web", "8081", "none")] == [8080, 80, 8081, 0]
