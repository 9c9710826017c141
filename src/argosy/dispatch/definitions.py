"""The CRD of JobHistory, the kind that a hub keeps ended jobs in."""

from __future__ import annotations

from typing import Final

from argosy.api.definitions.kinds import AGE, Definition, Version, column
from argosy.api.definitions.vocabulary import (
    TEXT,
    choice,
    int32,
    keyed,
    listed,
    must,
    number,
    struct,
    text,
    time,
)
from argosy.api.objects.history import JobOutcome
from argosy.base.types import Object
from argosy.client.resources import JOB_HISTORIES

_RECORD: Final = struct(
    "One job that has ended. It is written once.",
    kind=must(text("The kind of the job.")),
    apiVersion=must(text("The version of its kind.")),
    name=must(text("Its name, in this namespace.")),
    uid=must(text("Its uid on the hub.")),
    queue=text("The queue it was submitted to."),
    clusters=listed("The clusters it ran on, or was placed on.", TEXT),
    placement=text("The placement that brought it there: rp/NAME or crp/NAME."),
    outcome=must(choice("What became of it.", *JobOutcome)),
    message=text("What its clusters said of it last."),
    created=time("When it was created on the hub."),
    started=time("When it began to run, on the first cluster; not there if it never did."),
    ended=must(time("When it ended, on the last cluster.")),
    pods=int32("How many pods it runs at a time."),
    cpu=text("The CPU that these pods request together."),
    memory=text("The memory that these pods request together."),
    price=number("What it cost, by the prices of the clusters it ran on."),
)
_SUMMARY: Final = struct(
    "The records, counted.",
    jobs=int32("Records in this object."),
    complete=int32("Jobs that completed."),
    failed=int32("Jobs that failed."),
    cancelled=int32("Jobs that were deleted before their end."),
    firstEnded=time("When the first of them ended."),
    lastEnded=time("When the last of them ended."),
    forgottenUntil=time("Records of jobs that ended by then may have been dropped."),
)
_COLUMNS: Final = (
    column("Jobs", ".summary.jobs", "Records in this object.", "integer"),
    column("Complete", ".summary.complete", "Jobs that completed.", "integer"),
    column("Failed", ".summary.failed", "Jobs that failed.", "integer"),
    column("Cancelled", ".summary.cancelled", "Jobs deleted before their end.", "integer"),
    column("First", ".summary.firstEnded", "How long ago the first of them ended.", "date"),
    column("Last", ".summary.lastEnded", "How long ago the last of them ended.", "date"),
    AGE,
)

JOB_HISTORY: Final = Definition(
    JOB_HISTORIES,
    said="How jobs of a namespace ended. The hub writes it; it outlives the jobs.",
    versions=(Version("v1alpha1", is_stored=True),),
    short_names=("jobhist",),
    fields={
        "summary": _SUMMARY,
        "records": keyed("Jobs that have ended, in the order of being told.", _RECORD, "uid"),
    },
    columns=_COLUMNS,
)


def definitions() -> list[Object]:
    """What a hub needs to keep a history."""
    return [JOB_HISTORY.document()]
