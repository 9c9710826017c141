"""`argosy jobs`: order, table, colors, documents; and the exit codes of a followed job."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from argosy.cli.following import ending, told_state
from argosy.cli.jobs import job_document, job_table, ordered
from argosy.sdk.jobs import FleetJob, JobState

NOW = datetime(2026, 1, 1, 1, tzinfo=UTC)


def ago(seconds: float) -> datetime:
    return NOW - timedelta(seconds=seconds)


OLD = FleetJob(
    "n", "old", "Job", JobState.COMPLETE, "q", ("c1",), "done", 2, ago(3000), ago(2990), ago(2000),
    "rp/old-placement", price_paid=1.5,
)  # fmt: skip
RUNS = FleetJob(
    "n", "runs", "RayJob", JobState.RUNNING, "q", ("c1", "c2"), "", 1, ago(600), ago(300), price_per_hour=1.2
)  # fmt: skip
WAITS = FleetJob("n", "a-waits", "Job", JobState.QUEUED, "", (), "why", 1, ago(30))
ALL = [OLD, RUNS, WAITS]


def names(by: str) -> list[str]:
    return [each.name for each in ordered(ALL, by, NOW)]


def test_orders() -> None:
    assert names("created") == ["old", "runs", "a-waits"]
    assert names("name") == ["a-waits", "old", "runs"]
    assert names("wait") == ["runs", "a-waits", "old"]
    assert names("run") == ["old", "runs", "a-waits"]
    assert names("price") == ["old", "runs", "a-waits"]


def test_the_table() -> None:
    assert job_table(ALL, NOW) == (
        "NAME      CLUSTER   QUEUE   STATE      WAIT   RUN   PRICE   AGE\n"
        "old       c1        q       Complete   10s    16m   1.50    50m\n"
        "runs      c1,c2     q       Running    5m     5m    0.10    10m\n"
        "a-waits   -         -       Queued     30s    -     -       30s\n"
    )
    wide = job_table([WAITS], NOW, wide=True, namespaces=True).splitlines()
    assert wide[0].split()[0] == "NAMESPACE"
    assert wide[1].split()[-4:] == ["Job", "1", "-", "why"]
    assert job_table([WAITS], NOW, head=False).count("\n") == 1
    assert "\x1b[33m" in job_table([WAITS], NOW, colorful=True)
    assert "\x1b" not in job_table(ALL, NOW)


def test_the_document_has_stable_names() -> None:
    got = job_document(RUNS, NOW)
    assert list(got) == [
        "namespace", "name", "kind", "apiVersion", "uid", "labels", "state", "message", "queue", "clusters",
        "placement", "pods", "createdAt", "startedAt", "endedAt", "waitSeconds", "runSeconds", "price", "pricePerHour",
        "isFromHistory",
    ]  # fmt: skip
    assert (got["waitSeconds"], got["runSeconds"], got["price"]) == (300, 300, 0.1)
    assert (got["startedAt"], got["endedAt"]) == ("2026-01-01T00:55:00Z", None)


def test_states_as_they_are_followed() -> None:
    assert told_state(WAITS) == "Queued: why"
    assert ending(OLD) == "Complete on c1: done (waited 10s, ran 16m, cost 1.50)"
