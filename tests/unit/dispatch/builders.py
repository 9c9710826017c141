"""Jobs, runs and records in a few words. Times are seconds of one day."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec

from argosy.api.objects.fleet.outcomes import COMPLETE, FAILED, RUNNING, Ran
from argosy.api.objects.history import JobOutcome, JobRecord
from argosy.api.objects.metadata import Condition, ObjectMeta
from argosy.base.types import Object
from argosy.dispatch.kinds import HubJob, Ref
from argosy.dispatch.standings import Run

REF = Ref("batch", "Job", "app", "j")
SPEC: Object = {
    "parallelism": 2,
    "template": {
        "spec": {"containers": [{"resources": {"requests": {"cpu": "2", "memory": "1Gi"}}}]}
    },
}


def at(seconds: float) -> datetime:
    return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)


def hub_job(
    uid: str = "u", *, created: float = 0, deleted: float | None = None, **meta: object
) -> HubJob:
    head = ObjectMeta(
        name="j",
        namespace="app",
        uid=uid,
        creation_timestamp=at(created),
        deletion_timestamp=at(deleted) if deleted is not None else None,
        **meta,  # type: ignore[arg-type]  # as the caller says
    )
    return HubJob(head, msgspec.Raw(msgspec.json.encode(SPEC)))


def running(cluster: str, since: float) -> Run:
    return Run(cluster, Condition("Finished", "False", RUNNING, "1 active", 1, at(since)))


def ended(cluster: str, since: float, until: float, *, well: bool = True) -> Run:
    message = "said" + str(Ran("0" * 12, at(since)))
    reason = COMPLETE if well else FAILED
    return Run(cluster, Condition("Finished", "True", reason, message, 1, at(until)))


def record(
    uid: str,
    ended: float,
    *,
    name: str = "",
    started: float | None = None,
    outcome: JobOutcome = JobOutcome.COMPLETE,
    clusters: tuple[str, ...] = ("m1",),
) -> JobRecord:
    return JobRecord(
        kind="Job",
        api_version="batch/v1",
        name=name or uid,
        uid=uid,
        clusters=clusters,
        outcome=outcome,
        started=at(started) if started is not None else None,
        ended=at(ended),
    )
