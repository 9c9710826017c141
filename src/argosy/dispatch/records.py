"""What is remembered of a job. Pure: a job and how it stands in, its record or nothing out.

A job that is over is recorded as Complete, or as Failed if it failed anywhere. One that is deleted before is recorded
as Cancelled, if it had been placed; one that never was has done nothing worth remembering.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Final

from argosy.api.needs import needs, pods
from argosy.api.objects.fleet.outcomes import FAILED, latest, readable
from argosy.api.objects.history import JobOutcome, JobRecord
from argosy.api.podresources import Amounts
from argosy.api.prices import Prices, per_hour
from argosy.dispatch.kinds import HubJob, Ref, manifest, queue_of
from argosy.dispatch.standings import Run, Standing

_HOUR: Final = 3600.0
# A record is compact; the whole message is with the job, as long as that is there.
_LONGEST: Final = 500
# Prices are told to no more digits than anybody pays.
_DIGITS: Final = 6


def record_of(
    ref: Ref,
    job: HubJob,
    standing: Standing,
    prices: Callable[[str], Prices],
    now: datetime,
    *,
    is_gone: bool = False,
) -> JobRecord | None:
    """The record of a job that has come to an end; None for one that has not. `prices` is asked for clusters,
    `is_gone`: the job is on the hub no more.
    """
    deleted = job.metadata.deletion_timestamp or (now if is_gone else None)
    if standing.is_over:
        outcome = JobOutcome.FAILED if any(map(_has_failed, standing.runs)) else JobOutcome.COMPLETE
        ended = latest(each.ended for each in standing.runs) or now
    elif deleted is not None and standing.is_placed:
        outcome, ended = JobOutcome.CANCELLED, deleted
    else:
        return None
    meta, body = job.metadata, manifest(ref, job)
    amounts = needs(body)
    return JobRecord(
        kind=ref.kind,
        api_version=ref.resource.api_version,
        name=ref.name,
        uid=meta.uid,
        queue=queue_of(meta),
        clusters=standing.clusters,
        placement=standing.placement,
        outcome=outcome,
        message=_message(outcome, standing.runs)[:_LONGEST],
        created=_whole(meta.creation_timestamp),
        started=_whole(standing.started),
        ended=_whole(ended),
        pods=pods(body),
        cpu=str(amounts["cpu"]) if "cpu" in amounts else "0",
        memory=str(amounts["memory"]) if "memory" in amounts else "0",
        price=_price(standing.runs, amounts, prices, ended),
    )


def _has_failed(run: Run) -> bool:
    return run.outcome is not None and run.outcome.reason == FAILED


def _message(outcome: JobOutcome, runs: tuple[Run, ...]) -> str:
    """What goes badly is worth more words than what goes well."""
    told = sorted(
        (each for each in runs if each.outcome is not None),
        key=lambda each: (not _has_failed(each), each.is_over, each.cluster),
    )
    said = ""
    if told and told[0].outcome is not None:
        said = readable(told[0].outcome.message)
        said = f"{told[0].cluster}: {said}" if len(runs) > 1 else said
    if outcome is not JobOutcome.CANCELLED:
        return said
    return f"it was deleted before its end; {said}" if said else "it was deleted before it ran"


def _price(
    runs: Iterable[Run], amounts: Amounts, prices: Callable[[str], Prices], until: datetime
) -> float | None:
    """Of all runs together; None where nothing ran, or where it ran at a price that nobody knows."""
    total, has_run = 0.0, False
    for run in runs:
        started = run.started
        if started is None:
            continue
        hourly = per_hour(amounts, prices(run.cluster))
        if hourly is None:
            return None
        has_run = True
        seconds = ((run.ended or until) - started).total_seconds()
        total += hourly * max(seconds, 0.0) / _HOUR
    return round(total, _DIGITS) if has_run else None


def _whole(when: datetime | None) -> datetime | None:
    """To the second, as Kubernetes writes times."""
    return when.replace(microsecond=0) if when is not None else None
