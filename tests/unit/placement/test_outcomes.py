"""What became of the jobs of a placement, summed up."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
import pytest

from argosy.api.objects.fleet.works import (
    FINISHED,
    ManifestCondition,
    SentWork,
    WorkResourceIdentifier,
    WorkStatus,
)
from argosy.api.objects.metadata import Condition
from argosy.base.timestamps import format_time, parse_time
from argosy.placement.outcomes import of_clusters, of_works


def _done(message: str = "3 succeeded, 0 failed, 0 active (manifest 0123456789ab)") -> Condition:
    return Condition(FINISHED, "True", "JobComplete", message)


FAILED = Condition(FINISHED, "True", "JobFailed", "0 succeeded, 4 failed, 0 active: too many")
RUNS = Condition(FINISHED, "False", "JobRunning", "1 succeeded, 0 failed, 2 active")
APPLIED = Condition("Applied", "True", "Applied", "Manifest has been applied successfully")


@dataclass(frozen=True)
class Case:
    """`told` is what members say of each manifest, or clusters each of theirs."""

    told: tuple[Condition, ...]
    want: tuple[str, str, str] | None


WORKS = {
    "no job, nothing to tell": Case((APPLIED,), None),
    "a job that is done is told without its manifest": Case(
        (_done(),), ("True", "JobComplete", "Job j0: 3 succeeded, 0 failed, 0 active")
    ),
    "one that failed says why": Case(
        (FAILED,), ("True", "JobFailed", "Job j0: 0 succeeded, 4 failed, 0 active: too many")
    ),
    "while one runs, nothing is finished": Case(
        (_done(), RUNS),
        (
            "False",
            "JobRunning",
            "1 of 2 job(s) have finished, 0 failed; Job j1: 1 succeeded, 0 failed, 2 active",
        ),
    ),
    "a failure is told first, even while another runs": Case(
        (RUNS, FAILED, APPLIED),
        (
            "False",
            "JobRunning",
            "1 of 2 job(s) have finished, 1 failed; Job j1: 0 succeeded, 4 failed, 0 active: too many",
        ),
    ),
}


def _told(got: Condition | None) -> tuple[str, str, str] | None:
    return (got.status, got.reason, got.message) if got is not None else None


@pytest.mark.parametrize("case", WORKS)
def test_of_works(case: str) -> None:
    manifests = tuple(
        ManifestCondition(WorkResourceIdentifier(n, kind="Job", name=f"j{n}"), (said,))
        for n, said in enumerate(WORKS[case].told)
    )
    work = SentWork(status=WorkStatus(manifest_conditions=manifests))
    assert _told(of_works([work])) == WORKS[case].want


CLUSTERS = {
    "no cluster has anything to tell": Case((), None),
    "one cluster's word is the placement's": Case(
        (_done("all is well"),), ("True", "JobComplete", "all is well")
    ),
    "all have to be done": Case(
        (_done("well"), RUNS),
        (
            "False",
            "JobRunning",
            "1 of 2 cluster(s) have finished, 0 failed; 1 succeeded, 0 failed, 2 active",
        ),
    ),
    "one failure is a failure": Case(
        (_done("well"), FAILED),
        (
            "True",
            "JobFailed",
            "2 of 2 cluster(s) have finished, 1 failed; 0 succeeded, 4 failed, 0 active: too many",
        ),
    ),
}


@pytest.mark.parametrize("case", CLUSTERS)
def test_of_clusters(case: str) -> None:
    assert _told(of_clusters(CLUSTERS[case].told)) == CLUSTERS[case].want


def _at(said: Condition, hour: int, message: str = "") -> Condition:
    when = parse_time(f"2026-01-01T{hour:02}:00:00Z")
    return msgspec.structs.replace(said, last_transition_time=when, message=message or said.message)


STARTED = "1 succeeded, 0 failed, 0 active (manifest 0123456789ab, started 2026-01-01T03:00:00Z)"
TIMES = {
    "since the first of those that run": ((_at(RUNS, 7), _at(RUNS, 5)), 5),
    "one that has ended began, too": ((_at(RUNS, 7), _at(_done(), 9, STARTED)), 3),
    "ended with the last": ((_at(FAILED, 9), _at(_done(), 8, STARTED)), 9),
    "one that does not tell does not count": ((RUNS, _at(RUNS, 5)), 5),
}


@pytest.mark.parametrize("case", TIMES)
def test_the_times_of_works(case: str) -> None:
    told, want = TIMES[case]
    manifests = tuple(
        ManifestCondition(WorkResourceIdentifier(n, kind="Job", name=f"j{n}"), (said,))
        for n, said in enumerate(told)
    )
    got = of_works([SentWork(status=WorkStatus(manifest_conditions=manifests))])
    assert got is not None
    assert got.last_transition_time is not None
    assert format_time(got.last_transition_time) == f"2026-01-01T{want:02}:00:00Z"


def test_the_times_of_clusters() -> None:
    """A cluster that has ended does not tell any more when it began."""
    running = of_clusters((_at(_done(), 1), _at(RUNS, 5), _at(RUNS, 6)))
    over = of_clusters((_at(_done(), 1), _at(FAILED, 5)))
    assert running is not None
    assert over is not None
    times = [each.last_transition_time for each in (running, over)]
    assert times == [parse_time("2026-01-01T05:00:00Z")] * 2
