"""The directory of a run: events.jsonl and argosy.log while it goes, jobs.csv, summary.json, report.html at its end."""

from __future__ import annotations

import csv
import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from argosy.base.types import Json, Object
from argosy.simulation.ledgers import Record

EVENTS: Final = "events.jsonl"
JOBS: Final = "jobs.csv"
PARQUET: Final = "jobs.parquet"
SUMMARY: Final = "summary.json"
REPORT: Final = "report.html"
LOG: Final = "argosy.log"
_COLUMNS: Final = (
    "namespace", "name", "kind", "team", "class", "queue", "priority", "cluster", "outcome", "pods", "unitsPerPod",
    "durationSeconds", "submitted", "placed", "admitted", "started", "ended", "waitSeconds", "attempts", "preemptions",
    "evictions", "moves", "podFailures", "usedUnitSeconds", "wastedUnitSeconds", "cost",
)  # fmt: skip


@contextmanager
def logged(directory: Path) -> Iterator[None]:
    """What the fleet's controllers log goes into the directory: it is news of another time."""
    logger = logging.getLogger("argosy")
    handler = logging.FileHandler(directory / LOG, mode="w")
    handler.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
    was = logger.propagate
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = was
        handler.close()


def row(record: Record, until: float) -> dict[str, Json]:
    """A job as a line of the table; what has not happened is empty."""
    return {
        "namespace": record.namespace,
        "name": record.name,
        "kind": record.kind,
        "team": record.team,
        "class": record.classed,
        "queue": record.queue,
        "priority": record.priority,
        "cluster": record.cluster,
        "outcome": record.outcome,
        "pods": record.pods,
        "unitsPerPod": record.units,
        "durationSeconds": _rounded(record.seconds),
        "submitted": _rounded(record.submitted),
        "placed": _rounded(record.placed),
        "admitted": _rounded(record.admitted),
        "started": _rounded(record.started),
        "ended": _rounded(record.ended),
        "waitSeconds": _rounded(record.wait(until)),
        "attempts": record.attempts,
        "preemptions": record.preemptions,
        "evictions": record.evictions,
        "moves": record.moves,
        "podFailures": record.pod_failures,
        "usedUnitSeconds": _rounded(record.used),
        "wastedUnitSeconds": _rounded(record.wasted),
        "cost": round(record.cost, 4),
    }


def write_jobs(directory: Path, records: Iterable[Record], until: float) -> list[str]:
    """The table of jobs; as Parquet too where pyarrow is installed. Returns the names of the files."""
    rows = [row(each, until) for each in records]
    with (directory / JOBS).open("w", newline="") as file:
        writer = csv.DictWriter(file, _COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    try:
        import pyarrow as pa  # type: ignore[import-not-found,unused-ignore]  # optional
        from pyarrow import parquet  # type: ignore[import-not-found,unused-ignore]  # optional
    except ImportError:
        return [JOBS]
    columns = {name: [each[name] for each in rows] for name in _COLUMNS}
    parquet.write_table(pa.table(columns), directory / PARQUET)
    return [JOBS, PARQUET]


def write_summary(directory: Path, summary: Object) -> None:
    body = msgspec.json.format(msgspec.json.encode(summary), indent=2)
    (directory / SUMMARY).write_bytes(body + b"\n")


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
