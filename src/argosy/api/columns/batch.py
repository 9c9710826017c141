"""Jobs and cron jobs."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from argosy.api.columns.formatting import (
    NONE,
    UNSET,
    age,
    between,
    container_cells,
    name_of,
    parts,
    selector_text,
    since,
)
from argosy.api.columns.printers import (
    AGE,
    CONTAINERS,
    IMAGES,
    NAME,
    SELECTOR,
    Printer,
    Printers,
    integer,
)
from argosy.api.kinds import Column
from argosy.base.types import Json, Object

# The first of these conditions that is true names the job's status; deletion comes between the two rows.
_FINISHED: Final = ("Complete", "Failed")
_UNFINISHED: Final = ("Suspended", "FailureTarget", "SuccessCriteriaMet")


def _job(obj: Object, now: datetime) -> list[Json]:
    spec, status = parts(obj)
    return [
        name_of(obj),
        _job_status(obj, status),
        _completions(spec, status),
        _job_duration(status, now),
        age(obj, now),
        *container_cells(spec.get("template")),
        selector_text(spec.get("selector")) or NONE,
    ]


def _job_status(obj: Object, status: Object) -> str:
    conditions: dict[str, str] = {}
    for condition in status.get("conditions") or ():
        conditions.setdefault(condition.get("type", ""), condition.get("status", ""))
    for kind in _FINISHED:
        if conditions.get(kind) == "True":
            return kind
    if obj["metadata"].get("deletionTimestamp"):
        return "Terminating"
    return next((kind for kind in _UNFINISHED if conditions.get(kind) == "True"), "Running")


def _completions(spec: Object, status: Object) -> str:
    succeeded = status.get("succeeded") or 0
    if spec.get("completions") is not None:
        return f"{succeeded}/{spec['completions']}"
    parallelism = spec.get("parallelism") or 0
    return f"{succeeded}/1 of {parallelism}" if parallelism > 1 else f"{succeeded}/1"


def _job_duration(status: Object, now: datetime) -> str:
    start, end = status.get("startTime"), status.get("completionTime")
    if not start:
        return ""
    return between(start, end) if end else since(start, now)


def _cron_job(obj: Object, now: datetime) -> list[Json]:
    spec, status = parts(obj)
    last = status.get("lastScheduleTime")
    suspend = spec.get("suspend")
    job = (spec.get("jobTemplate") or {}).get("spec") or {}
    zone = spec.get("timeZone")
    return [
        name_of(obj),
        spec.get("schedule", ""),
        NONE if zone is None else zone,
        UNSET if suspend is None else str(bool(suspend)),
        len(status.get("active") or ()),
        since(last, now) if last else NONE,
        age(obj, now),
        *container_cells(job.get("template")),
        selector_text(job.get("selector")) or NONE,
    ]


PRINTERS: Final[Printers] = {
    ("batch", "Job"): Printer(
        (
            NAME,
            Column("Status", description="Whether the job runs, waits or is over."),
            Column("Completions", description="Pods that succeeded, of those needed."),
            Column("Duration", description="Time from its start to its end, or to now."),
            AGE,
            CONTAINERS,
            IMAGES,
            SELECTOR,
        ),
        _job,
    ),
    ("batch", "CronJob"): Printer(
        (
            NAME,
            Column("Schedule", description="When jobs start, in cron syntax."),
            Column("Timezone", description="Time zone of the schedule."),
            Column("Suspend", "boolean", description="Whether new jobs are held back."),
            integer("Active", "Jobs that run now."),
            Column("Last Schedule", description="Time since a job was last started."),
            AGE,
            CONTAINERS,
            IMAGES,
            SELECTOR,
        ),
        _cron_job,
    ),
}
