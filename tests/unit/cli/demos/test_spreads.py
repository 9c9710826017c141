"""How a burst is told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from argosy.cli.demos.spreads import Spread, Starts, summary
from argosy.sdk.clusters import Cluster, ClusterState
from argosy.sdk.jobs import FleetJob, JobState

NOON = datetime(2025, 1, 1, 12, tzinfo=UTC)


def job(name: str, state: JobState, cluster: str = "", *times: float | None) -> FleetJob:
    created, started, ended = (
        NOON + timedelta(seconds=each) if each is not None else None
        for each in (*times, None, None, None)[:3]
    )
    return FleetJob(
        "ns",
        name,
        "Job",
        state,
        clusters=(cluster,) if cluster else (),
        created=created,
        started=started,
        ended=ended,
    )


def test_the_line() -> None:
    clusters = [Cluster(name, ClusterState.JOINED) for name in ("a", "b")]
    jobs = [
        job("1", JobState.RUNNING, "a"),
        job("2", JobState.QUEUED, "a"),
        job("3", JobState.PLACING),
        job("4", JobState.COMPLETE, "b"),
        job("5", JobState.FAILED, "b"),
    ]
    spread = Spread(jobs, clusters)
    assert spread.line(7) == "submitted 7  waiting 2  running 1 (a 1  b 0)  ended 2"
    assert (spread.ended, spread.failed) == (2, 1)


def test_the_summary() -> None:
    jobs = [
        job("1", JobState.COMPLETE, "a", 0, 1, 11),
        job("2", JobState.COMPLETE, "a", 0, 3, 5),
        job("3", JobState.FAILED, "b", 0, None, 4),
    ]
    rows = [line.split() for line in summary(jobs, 20)]
    assert rows[1:4] == [
        ["a", "2", "2", "2s", "3s", "6s", "10s"],
        # Nobody knows when this one began.
        ["b", "1", "0", "-", "-", "-", "-"],
        ["all", "3", "2", "2s", "3s", "6s", "10s"],
    ]
    assert summary(jobs, 20)[-1] == "3 jobs in 20 s: 0.1 a second from submission to end"


def test_starts_are_remembered() -> None:
    starts = Starts()
    starts.filled([job("1", JobState.RUNNING, "a", 0, 1)])
    (ended,) = starts.filled([job("1", JobState.COMPLETE, "a", 0, None, 5)])
    assert ended.run_seconds(NOON) == 4
