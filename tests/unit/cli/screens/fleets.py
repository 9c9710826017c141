"""Pictures for the tests of the screen."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from argosy.cli.screens.pictures import Happening, Picture, picture_of
from argosy.sdk.clusters import GPU, Amount, Cluster, ClusterState
from argosy.sdk.jobs import FleetJob, JobState
from argosy.sdk.queues import Queue, QueueUse

NOW = datetime(2026, 11, 18, 14, 3, 22, tzinfo=UTC)
_GIB = 1 << 30


def ago(seconds: float) -> datetime:
    return NOW - timedelta(seconds=seconds)


def cluster(
    name: str, used: float = 0, cpu: float = 16, gpus: float = 0, **more: object
) -> Cluster:
    resources = {
        "cpu": Amount(cpu, cpu, cpu - used),
        "memory": Amount(64 * _GIB, 64 * _GIB, 64 * _GIB),
    }
    if gpus:
        resources[GPU] = Amount(gpus, gpus, gpus)
    given = {"state": ClusterState.JOINED, "region": "eu-west", "nodes": 2, **more}
    return Cluster(name, resources=resources, pending_workloads=0, queue_wait_seconds=0.0, **given)  # type: ignore[arg-type]


def queue(cluster: str, name: str = "team-a", pending: int = 0, used: float = 0) -> Queue:
    return Queue(cluster, name, "", pending, 0, 1, (QueueUse("any", "cpu", used, 8),))


def job(name: str, state: JobState = JobState.RUNNING, **more: object) -> FleetJob:
    given = {"queue": "main", "clusters": ("cluster-1",), "pods": 1, "created": ago(90), **more}
    return FleetJob("app", name, "Job", state, **given)  # type: ignore[arg-type]


def fleet() -> Picture:
    """Three clusters, one queue on two of them, a job in every interesting state."""
    return picture_of(
        [cluster("cluster-10"), cluster("cluster-2", 15.9), cluster("cluster-1", 4)],
        [queue("cluster-1", pending=3, used=6), queue("cluster-2", used=2)],
        [
            job("done", JobState.COMPLETE, started=ago(60), ended=ago(30)),
            job("waits", JobState.QUEUED, clusters=()),
            job("runs", started=ago(12), price_per_hour=3.6),
            job("broke", JobState.FAILED, started=ago(60), ended=ago(50)),
        ],
        [
            Happening(ago(30), "cluster-1", "app/done", "Running -> Complete"),
            Happening(ago(50), "cluster-1", "app/broke", "Running -> Failed", is_trouble=True),
        ],
    )
