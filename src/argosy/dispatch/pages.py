"""Which object remembers which record: pages of a namespace, filled one after the other. Pure.

A page is a JobHistory of a few hundred records, named so that names sort as pages were begun. Records are appended to
the last page until it is full. There is a bound, by number and by age: the oldest pages are dropped whole, once the
last page says until when records may have been dropped (`forgottenUntil`). The last page is never dropped, so what it
says stays; a job that ended by then is not recorded a second time, although no page holds it.

Order matters, and steps keep to it: append, begin, and only then drop.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from argosy.api.objects.fleet.outcomes import earliest, latest
from argosy.api.objects.history import HistorySummary, JobHistory, JobOutcome, JobRecord

_NAME: Final = re.compile(r"jobs-([0-9]{6,9})")
_FIRST: Final = 1


@dataclass(slots=True, frozen=True)
class Limits:
    """How much is remembered. `page_size`: records in one object; `most` and `age`: of a namespace, give or take a
    page, because pages are dropped whole.
    """

    page_size: int = 200
    most: int = 10_000
    age: timedelta = timedelta(days=30)


class Append(NamedTuple):
    """Add records to a page, if it is still the one that was looked at, and say what it holds then."""

    page: JobHistory
    records: tuple[JobRecord, ...]
    summary: HistorySummary


class Begin(NamedTuple):
    """Begin a page of this name with these records."""

    name: str
    records: tuple[JobRecord, ...]
    summary: HistorySummary


@dataclass(slots=True, frozen=True)
class Steps:
    """What to write, in this order, and when the next page is too old."""

    written: tuple[Append | Begin, ...] = ()
    dropped: tuple[JobHistory, ...] = ()
    due: datetime | None = None


@dataclass(slots=True)
class _Draft:
    """A page as it will be."""

    page: JobHistory | None
    number: int
    records: list[JobRecord] = field(default_factory=list)
    new: list[JobRecord] = field(default_factory=list)


def plan(
    pages: Mapping[str, JobHistory], waiting: Sequence[JobRecord], limits: Limits, now: datetime
) -> Steps:
    """What to do about records that wait to be written; none of them is on a page, nor forgotten."""
    own = sorted((each for each in pages.values() if number_of(each)), key=number_of)
    drafts = _drafts(own[-1] if own else None, waiting, limits.page_size)
    if not drafts:
        return Steps()
    old = own[:-1]
    dropped, kept = _split(old, sum(len(each.records) for each in drafts), limits, now)
    until = latest(
        (forgotten_until(pages), *(latest(each.ended for each in page.records) for page in dropped))
    )
    written: list[Append | Begin] = []
    for draft in drafts:
        is_last = draft is drafts[-1]
        summary = summarized(draft.records, until)
        if draft.page is None:
            written.append(Begin(name_of(draft.number), tuple(draft.new), summary))
        elif draft.new or (is_last and dropped and draft.page.summary.forgotten_until != until):
            written.append(Append(draft.page, tuple(draft.new), summary))
    return Steps(tuple(written), tuple(dropped), _due(kept, limits))


def forgotten_until(pages: Mapping[str, JobHistory]) -> datetime | None:
    """Records of jobs that ended by then may have been dropped."""
    return latest(each.summary.forgotten_until for each in pages.values())


def summarized(records: Sequence[JobRecord], forgotten: datetime | None) -> HistorySummary:
    outcomes = [each.outcome for each in records]
    return HistorySummary(
        jobs=len(records),
        complete=outcomes.count(JobOutcome.COMPLETE),
        failed=outcomes.count(JobOutcome.FAILED),
        cancelled=outcomes.count(JobOutcome.CANCELLED),
        first_ended=earliest(each.ended for each in records),
        last_ended=latest(each.ended for each in records),
        forgotten_until=forgotten,
    )


def name_of(number: int) -> str:
    return f"jobs-{number:06d}"


def number_of(page: JobHistory) -> int:
    """Which page it is; 0 for an object of somebody else, which is read and left alone."""
    found = _NAME.fullmatch(page.metadata.name)
    return int(found[1]) if found is not None else 0


def _drafts(last: JobHistory | None, waiting: Sequence[JobRecord], size: int) -> list[_Draft]:
    """The last page there is, and those that follow it."""
    drafts = []
    if last is not None:
        drafts.append(_Draft(last, number_of(last), list(last.records)))
    for record in waiting:
        if not drafts or len(drafts[-1].records) >= size:
            number = drafts[-1].number + 1 if drafts else _FIRST
            drafts.append(_Draft(None, number))
        drafts[-1].records.append(record)
        drafts[-1].new.append(record)
    return drafts


def _split(
    old: Sequence[JobHistory], rest: int, limits: Limits, now: datetime
) -> tuple[list[JobHistory], list[JobHistory]]:
    """Pages to drop, and pages to keep; `rest` records are on pages that stay in any case."""
    total = rest + sum(len(page.records) for page in old)
    for number, page in enumerate(old):
        ended = _ended(page)
        is_old = ended is None or ended + limits.age <= now
        if not is_old and total - len(page.records) < limits.most:
            return list(old[:number]), list(old[number:])
        total -= len(page.records)
    return list(old), []


def _ended(page: JobHistory) -> datetime | None:
    return latest(each.ended for each in page.records)


def _due(kept: Sequence[JobHistory], limits: Limits) -> datetime | None:
    ended = _ended(kept[0]) if kept else None
    return ended + limits.age if ended is not None else None
