"""When failed pods may be replaced."""

from __future__ import annotations

import msgspec
import pytest

from argosy.api.objects import Pod
from argosy.workloads.jobs.backoffs import (
    NO_FAILURES,
    BackoffRecord,
    after,
    finished_at,
    remaining,
    remaining_of_index,
)
from tests.unit.workloads.jobs.builders import at, pod


@pytest.mark.parametrize(
    ("failures", "elapsed", "want"),
    [(0, 0, 0), (1, 0, 10), (1, 4, 6), (1, 11, 0), (2, 0, 20), (6, 0, 320), (7, 0, 600), (90, 0, 600)],
)  # fmt: skip
def test_the_pause_doubles(failures: int, elapsed: float, want: float) -> None:
    assert remaining(failures, at(0), at(elapsed)) == want


def test_failures_add_up_until_a_success() -> None:
    first = after(NO_FAILURES, [], [pod("a", "Failed", ended=3), pod("b", "Failed", ended=1)])
    assert first == BackoffRecord(2, at(3))
    assert after(first, [], []) == first
    assert after(first, [], [pod("c", "Failed", ended=9)]) == BackoffRecord(3, at(9))
    assert after(first, [pod("d", "Succeeded", ended=4)], []) == NO_FAILURES


def test_failures_before_a_success_of_the_same_look_do_not_count() -> None:
    failed = [pod("a", "Failed", ended=1), pod("b", "Failed", ended=5), pod("c", "Failed", ended=4)]
    got = after(BackoffRecord(7, at(0)), [pod("d", "Succeeded", ended=4)], failed)
    assert got == BackoffRecord(1, at(5))


def test_an_index_waits_by_what_its_pod_carries() -> None:
    marks = {
        "batch.kubernetes.io/job-index-failure-count": "1",
        "batch.kubernetes.io/job-index-ignored-failure-count": "1",
    }
    failed = pod("a", "Failed", ended=0, annotations=marks)
    assert remaining_of_index(failed, at(5)) == 35
    assert remaining_of_index(None, at(5)) == 0


NOT_READY = {"type": "Ready", "status": "False", "lastTransitionTime": at(8)}


@pytest.mark.parametrize(
    ("found", "want"),
    [
        (pod("containers", "Failed", ended=3), 3),
        (pod("readiness", "Failed", conditions=(NOT_READY,)), 8),
        (pod("deletion", "Running", going=True, created=1), 0),
        (pod("creation", "Failed", created=2), 2),
    ],
    ids=lambda value: value.metadata.name if isinstance(value, Pod) else str(value),
)
def test_a_pod_has_ended_at(found: Pod, want: float) -> None:
    if found.metadata.name == "deletion":
        statuses = msgspec.structs.replace(found.status, container_statuses=())
        found = msgspec.structs.replace(found, status=statuses)
    assert finished_at(found) == at(want)
